// Chat turns with an instant model: own time, how many a second, and the memory that they leave behind.

import type { Figure } from './figure.ts'
import { type At, driveCalls, driveTurns, modelBody, type Part } from './part.ts'
import { type Hub, processorMs, residentMb, type Started } from './place.ts'

/** The conversation is at its longest for a model (200 lines) after so many turns: what is measured after them is steady. */
const warmTurns = 100
const restMs = 2_000

type Room = At & { readonly hub: Hub; readonly floor: Started & { readonly address: string }; readonly model: string }

export const turns: Part = {
  name: 'turns',
  async run(at) {
    const model = await at.place.model()
    const [hub, floor] = [await at.place.hub(at.place.folder('turns'), model.address), await at.place.floor(model.address)]
    await pause(restMs)
    const room: Room = { ...at, hub, floor, model: model.address }
    const idle = memory(room, 'memory when idle', 110)
    const figures = [...(await ownTime(room)), ...(await atOnce(room, 8, null)), ...(await many(room))]
    await Promise.all([hub.end(), floor.end(), model.end()])
    return [...figures.slice(0, -1), idle, ...figures.slice(-1)]
  },
}

/** From the request to the answer that the turn is settled, less what the model itself took. */
async function ownTime(room: Room): Promise<readonly Figure[]> {
  room.tell('own time of a turn')
  const count = room.quick ? 150 : 600
  const ask = { method: 'POST', path: '/v1/chat/completions', body: modelBody(200) }
  const turn = await driveTurns(room, room.hub, { clients: 1, warm: warmTurns, count })
  const model = await driveCalls(room, room.model, ask, { clients: 1, count, expect: '[DONE]' })
  const bare = await driveCalls(room, room.floor.address, { method: 'POST', path: '/commits', body: '{}' }, { clients: 1, count })
  const loop = await driveCalls(room, room.floor.address, bareTurn, { clients: 1, count })
  const note = `the model's own ${model.all.p50.toFixed(2)} ms are taken off`
  return [
    figure('own time of a turn, p50', 'ms', { ours: turn.all.p50 - model.all.p50, floor: bare.all.p50, hold: { most: 4 }, note }),
    figure('own time of a turn, p99', 'ms', { ours: turn.all.p99 - model.all.p50, floor: bare.all.p99, hold: { most: 25 } }),
    figure('turns a second, 1 client', '/s', { ours: turn.perSecond, floor: loop.perSecond, hold: null }),
  ]
}

const bareTurn = { method: 'POST', path: '/turn', body: modelBody(200) }

async function atOnce(room: Room, clients: number, least: number | null): Promise<readonly Figure[]> {
  room.tell(`turns with ${clients} clients`)
  const count = room.quick ? 400 : 2_000
  const before = processorMs(room.hub.pid)
  const turn = await driveTurns(room, room.hub, { clients, warm: warmTurns, count })
  const processor = (processorMs(room.hub.pid) - before) / (count + clients * warmTurns)
  const loop = await driveCalls(room, room.floor.address, bareTurn, { clients, count })
  const hold = least === null ? null : { least }
  const note = `p50 ${turn.all.p50.toFixed(1)}, p99 ${turn.all.p99.toFixed(1)} ms; ${processor.toFixed(2)} ms of processor a turn`
  return [figure(`turns a second, ${clients} clients`, '/s', { ours: turn.perSecond, floor: loop.perSecond, hold, note })]
}

/** With 20 clients, and then on until there were 10,000 turns in all. */
async function many(room: Room): Promise<readonly Figure[]> {
  const measured = await atOnce(room, 20, 300)
  const wanted = room.quick ? 2_000 : 10_000
  room.tell(`${wanted} turns in all`)
  const before = (room.quick ? 150 + 400 + 400 : 600 + 2_000 + 2_000) + 29 * warmTurns
  if (wanted > before) await driveTurns(room, room.hub, { clients: 20, warm: 0, count: wanted - before })
  await pause(restMs)
  return [...measured, memory(room, `memory after ${wanted.toLocaleString('en')} turns`, 200)]
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
