// Chat turns with an instant model: own time, how many a second, and the memory that they leave behind. Of the quick engine, of the
// hub (in plain words and by an action), and of a project's assistant that uses a tool.

import type { Figure } from './figure.ts'
import { type At, type Driving, driveCalls, driveTurns, modelBody, type Part, words } from './part.ts'
import { type Hub, processorMs, residentMb, type Started } from './place.ts'

/** The conversation is at its longest for a model (200 lines) after so many turns: what is measured after them is steady. */
const warmTurns = 100
const restMs = 2_000

type Room = At & { readonly hub: Hub; readonly floor: Started & { readonly address: string }; readonly model: string; made: number }

export const turns: Part = {
  name: 'turns',
  async run(at) {
    const model = await at.place.model()
    const [hub, floor] = [await at.place.hub(at.place.folder('turns'), model.address), await at.place.floor(model.address)]
    await pause(restMs)
    const room: Room = { ...at, hub, floor, model: model.address, made: 0 }
    const idle = memory(room, 'memory when idle', 110)
    const one = await ownTimes(room)
    const eight = await atOnce(room, { of: 'turns', clients: 8, least: null, agent: 'quick' })
    const twenty = await atOnce(room, { of: 'turns', clients: 20, least: 300, agent: 'quick' })
    const later = await many(room)
    const acting = await atOnce(room, { of: "the hub's turns", clients: 20, least: 300, text: `#act ${words}` })
    await Promise.all([hub.end(), floor.end(), model.end()])
    return [...one, eight, twenty, acting, idle, later]
  },
}

/** `calls`: of the model, in one turn. */
type Kind = Pick<Driving, 'agent' | 'text'> & { readonly of: string; readonly calls: number; readonly hold: boolean }

const kinds: readonly Kind[] = [
  { of: 'a turn of the hub', calls: 1, hold: true },
  { of: 'a turn of the hub by an action', text: `#act ${words}`, calls: 1, hold: true },
  { of: "an assistant's turn with a tool", agent: 'assistant', text: `#time ${words}`, calls: 2, hold: false },
]

/** From the request to the answer that the turn is settled, less what the model itself took. */
async function ownTimes(room: Room): Promise<readonly Figure[]> {
  room.tell('own time of a turn')
  const count = room.quick ? 150 : 600
  const ask = { method: 'POST', path: '/v1/chat/completions', body: modelBody(200) }
  const turn = await drive(room, { clients: 1, warm: warmTurns, count, agent: 'quick' })
  const model = await driveCalls(room, room.model, ask, { clients: 1, count, expect: '[DONE]' })
  const bare = await driveCalls(room, room.floor.address, { method: 'POST', path: '/commits', body: '{}' }, { clients: 1, count })
  const loop = await driveCalls(room, room.floor.address, bareTurn, { clients: 1, count })
  const note = `the model's own ${model.all.p50.toFixed(2)} ms are taken off`
  const figures = [
    figure('own time of a turn, p50', 'ms', { ours: turn.all.p50 - model.all.p50, floor: bare.all.p50, hold: { most: 4 }, note }),
    figure('own time of a turn, p99', 'ms', { ours: turn.all.p99 - model.all.p50, floor: bare.all.p99, hold: { most: 25 } }),
    figure('turns a second, 1 client', '/s', { ours: turn.perSecond, floor: loop.perSecond, hold: null }),
  ]
  for (const kind of kinds) figures.push(...(await ownTime(room, kind, { model: model.all.p50, bare: bare.all })))
  return figures
}

type Beside = { readonly model: number; readonly bare: { readonly p50: number; readonly p99: number } }

async function ownTime(room: Room, { of, calls, hold, ...kind }: Kind, { model, bare }: Beside): Promise<readonly Figure[]> {
  const { all } = await drive(room, { clients: 1, warm: warmTurns, count: room.quick ? 100 : 300, ...kind })
  const most = (value: number) => (hold ? { most: value } : null)
  return [
    figure(`${of}, p50`, 'ms', { ours: all.p50 - calls * model, floor: bare.p50, hold: most(4) }),
    figure(`${of}, p99`, 'ms', { ours: all.p99 - calls * model, floor: bare.p99, hold: most(25) }),
  ]
}

const bareTurn = { method: 'POST', path: '/turn', body: modelBody(200) }

type AtOnce = Pick<Driving, 'clients' | 'agent' | 'text'> & { readonly of: string; readonly least: number | null }

async function atOnce(room: Room, { of, least, ...given }: AtOnce): Promise<Figure> {
  room.tell(`${of} with ${given.clients} clients`)
  const count = room.quick ? 400 : 2_000
  const before = processorMs(room.hub.pid)
  const turn = await drive(room, { ...given, warm: warmTurns, count })
  const processor = (processorMs(room.hub.pid) - before) / (count + given.clients * warmTurns)
  const loop = await driveCalls(room, room.floor.address, bareTurn, { clients: given.clients, count })
  const hold = least === null ? null : { least }
  const note = `p50 ${turn.all.p50.toFixed(1)}, p99 ${turn.all.p99.toFixed(1)} ms; ${processor.toFixed(2)} ms of processor a turn`
  return figure(`${of} a second, ${given.clients} clients`, '/s', { ours: turn.perSecond, floor: loop.perSecond, hold, note })
}

/** On until there were 10,000 turns in all. */
async function many(room: Room): Promise<Figure> {
  const wanted = room.quick ? 2_000 : 10_000
  room.tell(`${wanted} turns in all`)
  if (wanted > room.made) await drive(room, { clients: 20, warm: 0, count: wanted - room.made, agent: 'quick' })
  await pause(restMs)
  return memory(room, `memory after ${wanted.toLocaleString('en')} turns`, 200)
}

function drive(room: Room, given: Driving) {
  room.made += given.clients * given.warm + given.count
  return driveTurns(room, room.hub, given)
}

function memory({ hub, floor }: Room, name: string, most: number): Figure {
  return figure(name, 'MB', { ours: residentMb(hub.pid), floor: residentMb(floor.pid), hold: { most } })
}

function figure(name: string, unit: Figure['unit'], rest: Omit<Figure, 'name' | 'unit'>): Figure {
  return { name, unit, ...rest }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
