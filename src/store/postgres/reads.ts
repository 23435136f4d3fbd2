// What can be asked of the database.

import type { EntryId } from '../../base/ids.ts'
import type { Snapshot, Timer } from '../../journal/commit.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'
import { entryIn } from '../entry-text.ts'
import type { MailState } from '../rules.ts'
import type { Connections } from './db.ts'

type Reads = Omit<JournalStore, 'generation' | 'apply' | 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished' | 'head'>

type EventColumns = Omit<Event, 'data'> & { readonly data: string }
type EntryColumns = { readonly id: EntryId; readonly state: MailState; readonly data: string }

const columns = 'cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data'
const entryOf = 'SELECT m.id AS id, m.state AS state, e.data AS data FROM mailbox m JOIN events e ON e.cursor = m.cursor'
const sql = {
  snapshot: 'SELECT lane, seq, version, state FROM snapshots WHERE lane = $1 AND version = $2',
  lane: `SELECT ${columns} FROM events WHERE lane = $1 AND seq > $2 AND seq > 0 ORDER BY seq LIMIT $3`,
  all: `SELECT ${columns} FROM events WHERE cursor > $1 ORDER BY cursor LIMIT $2`,
  session: `SELECT ${columns} FROM events WHERE session = $1 AND cursor > $2 ORDER BY cursor LIMIT $3`,
  last: 'SELECT coalesce(max(cursor), 0) AS last FROM events',
  waiting: `${entryOf} WHERE m.lane = $1 AND m.state = 'waiting' ORDER BY m.n`,
  held: `${entryOf} WHERE m.lane = $1 AND m.state = 'held' ORDER BY m.n`,
  entries: `${entryOf} WHERE m.lane = $1 AND m.id = ANY($2::text[])`,
  countLane: `SELECT count(*) AS n FROM mailbox WHERE lane = $1 AND state = 'waiting'`,
  countAll: `SELECT count(*) AS n FROM mailbox WHERE state = 'waiting'`,
  due: 'SELECT timer FROM timers WHERE due <= $1 ORDER BY due, id LIMIT $2',
  nextDue: 'SELECT min(due) AS due FROM timers',
  body: 'SELECT text FROM bodies WHERE hash = $1',
}

export function postgresReads(connections: Connections): Reads {
  const { shared } = connections
  return {
    ...logReads(connections),
    ...mailReads(connections),
    async due(now, limit) {
      return (await shared.all<{ timer: string }>(sql.due, [now, limit])).map(({ timer }): Timer => JSON.parse(timer))
    },
    nextDue: async () => (await shared.all<{ due: number | null }>(sql.nextDue))[0]?.due ?? null,
    body: async (hash) => (await shared.all<{ text: string }>(sql.body, [hash]))[0]?.text ?? null,
  }
}

function logReads({ shared }: Connections): Pick<Reads, 'snapshot' | 'readLane' | 'readAll' | 'last'> {
  const last = async () => (await shared.all<{ last: number }>(sql.last))[0]?.last ?? 0
  return {
    snapshot: async (lane, version) => (await shared.all<Snapshot>(sql.snapshot, [lane, version]))[0] ?? null,
    readLane: async (lane, after, limit) => (await shared.all<EventColumns>(sql.lane, [lane, after, limit])).map(eventOf),
    async readAll(after, limit, where) {
      // The safe cursor is asked first: what commits between the two queries is then beyond it, not before.
      const [safe, rows] = await Promise.all([
        last(),
        where?.session
          ? shared.all<EventColumns>(sql.session, [where.session, after, limit])
          : shared.all<EventColumns>(sql.all, [after, limit]),
      ])
      return { events: rows.map(eventOf), safe }
    },
    last,
  }
}

function mailReads({ shared }: Connections): Pick<Reads, 'waiting' | 'held' | 'entries' | 'countWaiting'> {
  const entries = async (text: string, values: readonly [string]) =>
    (await shared.all<EntryColumns>(text, values)).map((row) => entryIn(row.data, row.state))
  return {
    waiting: (lane) => entries(sql.waiting, [lane]),
    held: (lane) => entries(sql.held, [lane]),
    async entries(lane, ids) {
      const rows = await shared.all<EntryColumns>(sql.entries, [lane, ids])
      const found = new Map(rows.map((row) => [row.id, entryIn(row.data, row.state)]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    async countWaiting(lane) {
      const [row] =
        lane === undefined ? await shared.all<{ n: number }>(sql.countAll) : await shared.all<{ n: number }>(sql.countLane, [lane])
      return row?.n ?? 0
    },
  }
}

function eventOf(row: EventColumns): Event {
  const { id, type, at, actor, visibility, cause, correlation, session, v, cursor, lane, seq } = row
  return { id, type, at, actor, visibility, data: JSON.parse(row.data), cause, correlation, session, v, cursor, lane, seq }
}
