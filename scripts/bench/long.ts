// A turn in a session of 100,000 events beside one in a young session of the same store, both with as much for the model to read.

import type { Filled } from './fill.ts'
import { type Part, settled, turnIn } from './part.ts'

export const long: Part = {
  name: 'long',
  async run(at) {
    const wanted = at.quick ? 20_000 : 100_000
    const home = at.place.folder('long')
    at.tell(`a session of ${wanted.toLocaleString('en')} events`)
    const filled = await at.place.run<Filled>('fill.ts', [home, 'long', String(wanted)])
    const model = await at.place.model()
    const hub = await at.place.hub(home, model.address)
    at.tell('turns in it')
    const asks = [turnIn(hub, filled.long), turnIn(hub, filled.short)]
    const given = { kind: 'http', address: hub.address, clients: [asks], expect: settled, mostMs: 30_000 } as const
    const { by } = await at.place.load({ ...given, warm: 60, count: at.quick ? 300 : 1_000 })
    await Promise.all([hub.end(), model.end()])
    const [old, young] = [by[0]?.p50 ?? 0, by[1]?.p50 ?? 0]
    const note = `p50 ${old.toFixed(2)} and ${young.toFixed(2)} ms, the model included; ${filled.events.toLocaleString('en')} events`
    const name = `a turn in a session of ${wanted.toLocaleString('en')} events, more by`
    return [{ name, unit: '%', ours: (old / young - 1) * 100, floor: null, hold: { most: 10 }, note }]
  },
}
