// Turns without effects, through the whole server: what rules and nothing else cost.

import type { Figure } from './figure.ts'
import { type At, driveCalls, driveTurns, type Part } from './part.ts'
import { type Hub, newSessions, residentMb } from './place.ts'

export const rules: Part = {
  name: 'rules',
  async run(at) {
    at.tell('rules-only turns')
    const [hub, floor] = [await at.place.rulesHub(at.place.folder('rules')), await at.place.floor('')]
    const count = at.quick ? 1_000 : 4_000
    const bare = { method: 'POST', path: '/commit', body: '{}' }
    const one = await driveTurns(at, hub, { clients: 1, warm: 300, count })
    const oneBare = await driveCalls(at, floor.address, bare, { clients: 1, count })
    const eight = await driveTurns(at, hub, { clients: 8, warm: 100, count: count * 2 })
    const eightBare = await driveCalls(at, floor.address, bare, { clients: 8, count: count * 2 })
    const open = await conversations(at, hub)
    await Promise.all([hub.end(), floor.end()])
    return [
      {
        name: 'rules-only turn, p50',
        unit: 'ms',
        ours: one.all.p50,
        floor: oneBare.all.p50,
        hold: { most: 1 },
        note: `p99 ${one.all.p99.toFixed(2)} ms`,
      },
      {
        name: 'rules-only turns a second, 8 clients',
        unit: '/s',
        ours: eight.perSecond,
        floor: eightBare.perSecond,
        hold: { least: 2_000 },
      },
      {
        name: 'rules-only turn, p99 with 8 clients',
        ...{ unit: 'ms', ours: eight.all.p99, floor: eightBare.all.p99, hold: { most: 20 } },
      },
      open,
    ]
  },
}

/** Each has begun, which is one turn, and rests. What they leave is what the hub grew by; a turn at the end waits for the last of them. */
async function conversations(at: At, hub: Hub): Promise<Figure> {
  const count = at.quick ? 1_000 : 10_000
  at.tell(`${count.toLocaleString('en')} conversations`)
  await driveTurns(at, hub, { clients: 1, warm: 0, count: 1 })
  const before = residentMb(hub.pid)
  await newSessions(hub, count)
  await driveTurns(at, hub, { clients: 1, warm: 0, count: 1 })
  const ours = Math.max(0, residentMb(hub.pid) - before)
  return { name: `${count.toLocaleString('en')} open conversations, memory`, unit: 'MB', ours, floor: null, hold: { most: 40 } }
}
