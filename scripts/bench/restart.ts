// A start with 10,000 entries waiting: when the first turn is over, and whether each entry was done exactly once, although the
// hub is killed in the middle of it.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Figure } from './figure.ts'
import type { Waiting } from './fill.ts'
import type { Part } from './part.ts'

const mostMs = 60_000

export const restart: Part = {
  name: 'restart',
  async run(at) {
    const entries = at.quick ? 2_000 : 10_000
    const home = at.place.folder('restart')
    at.tell(`${entries.toLocaleString('en')} entries that wait`)
    const filled = await at.place.run<Waiting>('fill.ts', [home, 'waiting', String(entries)])
    const model = await at.place.model()
    const db = new DatabaseSync(join(home, 'steward.db'), { readOnly: true, timeout: 5_000 })
    at.tell('a start, a kill in the middle, a start')
    const killed = await at.place.hub(home, model.address)
    await until(() => settledMessages(db) >= entries / 4)
    const first = firstSettled(db) - killed.startedAt
    await killed.end('SIGKILL')
    const again = await at.place.hub(home, model.address)
    await until(() => isDone(db))
    await again.end()
    await model.end()
    const counts = count(db)
    db.close()
    return figures(filled, { first, ...counts })
  },
}

type Counted = { readonly first: number; readonly lost: number; readonly twice: number }

function figures({ entries }: Waiting, { first, lost, twice }: Counted): readonly Figure[] {
  const what = `restart, ${entries.toLocaleString('en')} waiting`
  return [
    { name: `${what}: first turn`, unit: 'ms', ours: first, floor: null, hold: { most: 1_000 }, note: 'from the start of the process' },
    { name: `${what}: lost`, unit: '', ours: lost, floor: null, hold: { most: 0 }, note: 'killed once in the middle' },
    { name: `${what}: done twice`, unit: '', ours: twice, floor: null, hold: { most: 0 } },
  ]
}

async function until(is: () => boolean): Promise<void> {
  for (const end = performance.now() + mostMs; performance.now() < end; ) {
    if (is()) return
    await new Promise((resolve) => void setTimeout(resolve, 50))
  }
  throw new Error(`not done after ${mostMs} ms`)
}

function number(db: DatabaseSync, sql: string): number {
  return Number(db.prepare(sql).get()?.['n'] ?? 0)
}

const ends = `type = 'chat-message-updated' AND json_extract(data, '$.status') IN ('settled', 'failed', 'stopped')`

function settledMessages(db: DatabaseSync): number {
  return number(db, `SELECT count(*) AS n FROM events WHERE ${ends}`)
}

function firstSettled(db: DatabaseSync): number {
  return number(db, `SELECT min(at) AS n FROM events WHERE type = 'turn-settled'`)
}

function isDone(db: DatabaseSync): boolean {
  return (
    number(
      db,
      `SELECT (SELECT count(*) FROM mailbox WHERE state = 'waiting') + (SELECT count(*) FROM lanes WHERE resting = 'running') AS n`,
    ) === 0
  )
}

/** By the journal: each accepted message against the turns that took it and the ends that it came to. */
function count(db: DatabaseSync): { readonly lost: number; readonly twice: number } {
  const said = `SELECT json_extract(data, '$.message.id') AS id FROM events WHERE type = 'chat-message-appended' AND json_extract(data, '$.message.role') = 'user'`
  const ended = `SELECT json_extract(data, '$.id') AS id, count(*) AS times FROM events WHERE type = 'chat-message-updated' AND json_extract(data, '$.status') = 'settled' GROUP BY 1`
  const taken = `SELECT json_extract(value, '$.message') AS id, count(*) AS times FROM events, json_each(events.data, '$.taken') WHERE events.type = 'turn-started' GROUP BY 1`
  const lost = number(
    db,
    `SELECT count(*) AS n FROM (${said}) s LEFT JOIN (${ended}) e USING (id) LEFT JOIN (${taken}) t USING (id) WHERE e.id IS NULL OR t.id IS NULL`,
  )
  const twice = number(
    db,
    `SELECT (SELECT count(*) FROM (${ended}) WHERE times > 1) + (SELECT count(*) FROM (${taken}) WHERE times > 1) AS n`,
  )
  return { lost, twice }
}
