// What can be asked of the file.

import type { LaneId } from '../../base/ids.ts'
import type { Snapshot, Timer } from '../../journal/commit.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'
import { entryIn } from '../entry-text.ts'
import type { MailState } from '../rules.ts'
import type { Db } from './db.ts'

type Reads = Omit<JournalStore, 'generation' | 'apply' | 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished' | 'head'>

type EventColumns = Omit<Event, 'data'> & { readonly data: string }
type EntryColumns = { readonly state: MailState; readonly data: string }

const columns = 'cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data'
const entryOf = 'SELECT m.state AS state, e.data AS data FROM mailbox m JOIN events e ON e.cursor = m.cursor'
const sql = {
  snapshot: 'SELECT lane, seq, version, state FROM snapshots WHERE lane = ? AND version = ?',
  lane: `SELECT ${columns} FROM events WHERE lane = ? AND seq > ? AND seq > 0 ORDER BY seq LIMIT 0 + ?`,
  all: `SELECT ${columns} FROM events WHERE cursor > ? ORDER BY cursor LIMIT 0 + ?`,
  session: `SELECT ${columns} FROM events WHERE session = ? AND cursor > ? ORDER BY cursor LIMIT 0 + ?`,
  waiting: `${entryOf} WHERE m.lane = ? AND m.state = 'waiting' ORDER BY m.n`,
  held: `${entryOf} WHERE m.lane = ? AND m.state = 'held' ORDER BY m.n`,
  entry: `${entryOf} WHERE m.lane = ? AND m.id = ?`,
  countLane: `SELECT count(*) AS n FROM mailbox WHERE lane = ? AND state = 'waiting'`,
  countAll: `SELECT count(*) AS n FROM mailbox WHERE state = 'waiting'`,
  due: 'SELECT timer FROM timers WHERE due <= ? ORDER BY due, id LIMIT 0 + ?',
  nextDue: 'SELECT min(due) AS due FROM timers',
  body: 'SELECT text FROM bodies WHERE hash = ?',
}

/** `last` is the newest committed cursor. The verbs throw what node:sqlite throws. */
export function sqliteReads(db: Db, last: () => number): Reads {
  return {
    ...logReads(db, last),
    ...mailReads(db),
    async due(now, limit) {
      return db.all<{ timer: string }>(sql.due, now, limit).map(({ timer }): Timer => JSON.parse(timer))
    },
    nextDue: async () => db.get<{ due: number | null }>(sql.nextDue)?.due ?? null,
    body: async (hash) => db.get<{ text: string }>(sql.body, hash)?.text ?? null,
  }
}

function logReads(db: Db, last: () => number): Pick<Reads, 'snapshot' | 'readLane' | 'readAll' | 'last'> {
  return {
    snapshot: async (lane, version) => db.get<Snapshot>(sql.snapshot, lane, version) ?? null,
    readLane: async (lane, after, limit) => db.all<EventColumns>(sql.lane, lane, after, limit).map(eventOf),
    async readAll(after, limit, where) {
      const rows = where?.session
        ? db.all<EventColumns>(sql.session, where.session, after, limit)
        : db.all<EventColumns>(sql.all, after, limit)
      return { events: rows.map(eventOf), safe: last() }
    },
    last: async () => last(),
  }
}

function mailReads(db: Db): Pick<Reads, 'waiting' | 'held' | 'entries' | 'countWaiting'> {
  const count = (lane?: LaneId) => (lane === undefined ? db.get<{ n: number }>(sql.countAll) : db.get<{ n: number }>(sql.countLane, lane))
  return {
    waiting: async (lane) => db.all<EntryColumns>(sql.waiting, lane).map((row) => entryIn(row.data, row.state)),
    held: async (lane) => db.all<EntryColumns>(sql.held, lane).map((row) => entryIn(row.data, row.state)),
    async entries(lane, ids) {
      const rows = ids.flatMap((id) => db.get<EntryColumns>(sql.entry, lane, id) ?? [])
      return rows.map((row) => entryIn(row.data, row.state))
    },
    countWaiting: async (lane) => count(lane)?.n ?? 0,
  }
}

function eventOf(row: EventColumns): Event {
  const { id, type, at, actor, visibility, cause, correlation, session, v, cursor, lane, seq } = row
  return { id, type, at, actor, visibility, data: JSON.parse(row.data), cause, correlation, session, v, cursor, lane, seq }
}
