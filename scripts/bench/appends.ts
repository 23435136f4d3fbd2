/**
 * Durable appends a second, ours and bare, in one process: `node scripts/bench/appends.ts FOLDER MS`. Each lane awaits each of
 * its appends; a tick's appends share a transaction in both. Prints JSON: {one: {ours, bare}, many: {ours, bare}}.
 */

import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { type LaneId, ulids } from '../../src/base/ids.ts'
import { silent } from '../../src/base/log.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { NewEvent } from '../../src/protocol/event.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { openBareStore } from './bare-store.ts'

export type Appends = { readonly ours: number; readonly bare: number }

const [folder = '', ms = '1500'] = process.argv.slice(2)
const newId = ulids(systemClock.now)
const text = 'x'.repeat(250)

const store = await openSqliteStore({ file: join(folder, 'appends.db'), now: systemClock.now })
const journal = await openJournal({ store: store.journal, clock: systemClock, log: silent })
const bare = openBareStore(join(folder, 'bare-appends.db'))
const one = await both(1)
const many = await both(64)
process.stdout.write(`${JSON.stringify({ one, many })}\n`)
await journal.close()
await store.close()
bare.close()

async function both(lanes: number): Promise<Appends> {
  const ours = await rate(lanes, openLane)
  return { ours, bare: await rate(lanes, () => () => bare.append('x'.repeat(400))) }
}

/** Appends a second of so many lanes, after a warm-up of a fifth of the time. */
async function rate(lanes: number, open: () => () => Promise<unknown>): Promise<number> {
  const appends = Array.from({ length: lanes }, open)
  const drive = async (until: number): Promise<number> => {
    const counts = await Promise.all(appends.map((append) => keepOn(append, until)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  await drive(performance.now() + Number(ms) / 5)
  const begun = performance.now()
  const done = await drive(begun + Number(ms))
  return (done / (performance.now() - begun)) * 1000
}

async function keepOn(append: () => Promise<unknown>, until: number): Promise<number> {
  let done = 0
  for (; performance.now() < until; done++) await append()
  return done
}

/** A lane of its own through the real journal: about 400 bytes an event on the disk. */
function openLane(): () => Promise<void> {
  const lane = newId('prc') as string as LaneId
  let seq = 0
  return async () => {
    const creates = seq === 0 ? { creates: { session: null, mailbox: false } } : {}
    const result = await journal.append({ lane, epoch: 0, after: seq, events: [event()], ...creates })
    if (!result.ok) throw new Error(`an append was refused: ${result.reason}`)
    seq += 1
  }
}

function event(): NewEvent {
  const id = newId('evt')
  return {
    id,
    type: 'bench',
    at: systemClock.now(),
    actor: 'system',
    visibility: 'internal',
    data: { text },
    cause: null,
    correlation: null,
    session: null,
    v: 1,
  }
}
