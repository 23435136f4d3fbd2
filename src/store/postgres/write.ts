// Writes what a group changed: one statement a table, however many rows.

import { placesPerEvent } from '../rules.ts'
import type { Db } from './db.ts'
import { type Changes, unnumbered } from './tables.ts'

/** The newest cursor before this group: only known behind the lock, so the statements add it themselves. */
const base = `current_setting('steward.base')::bigint`
const sql = {
  newLanes: `INSERT INTO lanes (lane, session, mailbox, epoch, seq, last_event, resting, owner, closed)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::bool[])`,
  movedLanes: `UPDATE lanes SET seq = new.seq, last_event = new.last_event, resting = new.resting, closed = new.closed
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bool[]) AS new (lane, seq, last_event, resting, closed)
    WHERE lanes.lane = new.lane`,
  lock: 'SELECT pg_advisory_xact_lock($1)',
  // A statement of its own after the lock: it then sees all that earlier holders committed.
  base: `SELECT coalesce(max(cursor), 0) AS base, set_config('steward.base', coalesce(max(cursor), 0)::text, true) AS kept FROM events`,
  events: `INSERT INTO events (cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data)
    SELECT ${base} + new.cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[])
      AS new (cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data)`,
  newMails: `INSERT INTO mailbox (lane, id, n, cursor, hash, ref, work, person, state)
    SELECT lane, id, ${base} * ${placesPerEvent} + new.n, ${base} + new.cursor, hash, ref, work, person, state
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bool[], $8::bool[], $9::text[])
      AS new (lane, id, n, cursor, hash, ref, work, person, state)`,
  movedMails: `UPDATE mailbox SET state = new.state, n = coalesce(${base} * ${placesPerEvent} + new.n, mailbox.n)
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS new (lane, id, state, n)
    WHERE mailbox.lane = new.lane AND mailbox.id = new.id`,
  clearTimers: 'DELETE FROM timers WHERE id = ANY($1::text[])',
  clearTimersOf: `DELETE FROM timers USING unnest($1::text[], $2::text[]) AS gone (lane, entry)
    WHERE timers.lane = gone.lane AND timers.entry = gone.entry`,
  timers: `INSERT INTO timers (id, lane, entry, due, timer)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
    ON CONFLICT (id) DO UPDATE SET lane = excluded.lane, entry = excluded.entry, due = excluded.due, timer = excluded.timer`,
  snapshots: `INSERT INTO snapshots (lane, seq, version, state) SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[])
    ON CONFLICT (lane) DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state`,
  bodies: `INSERT INTO bodies (hash, text) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
}

/** Any number that no other program's advisory lock in this database has. */
const cursorLock = 7_305_812_846

/**
 * Sends all statements; what needs no numbers goes first, then the cursor lock, which the transaction holds to its end, then what is
 * numbered. `base` answers with the newest cursor before this group. Each promise rejects when its own or an earlier one failed.
 */
export function write(db: Db, changes: Changes): { readonly base: Promise<number>; readonly sent: readonly Promise<unknown>[] } {
  const sent: Promise<unknown>[] = []
  const send: Send = (rows, text, ...columns) => {
    const all = [...rows]
    const values = columns.map((column) => all.map(column))
    if (all.length > 0) sent.push(db.run(text, values))
  }
  writeLanes(changes, send)
  writeTimers(changes, send)
  writeApart(changes, send)
  if (changes.events.length + changes.mails.size > 0) sent.push(db.run(sql.lock, [cursorLock]))
  const base = db.all<{ base: number }>(sql.base).then(([row]) => row?.base ?? 0)
  sent.push(base)
  writeEvents(changes, send)
  writeMails(changes, send)
  return { base, sent }
}

type Send = <T>(rows: Iterable<T>, text: string, ...columns: ((row: T) => null | string | number | boolean)[]) => void

function writeLanes({ newLanes, movedLanes }: Changes, send: Send): void {
  send(
    newLanes,
    sql.newLanes,
    ([lane]) => lane,
    ([, row]) => row.session,
    ([, row]) => row.mailbox,
    ([, row]) => row.epoch,
    ([, row]) => row.seq,
    ([, row]) => row.lastEvent,
    ([, row]) => row.resting,
    ([, row]) => row.owner,
    ([, row]) => row.closed,
  )
  send(
    movedLanes,
    sql.movedLanes,
    ([lane]) => lane,
    ([, row]) => row.seq,
    ([, row]) => row.lastEvent,
    ([, row]) => row.resting,
    ([, row]) => row.closed,
  )
}

function writeEvents({ events }: Changes, send: Send): void {
  send(
    events,
    sql.events,
    ({ event }) => event.cursor - unnumbered,
    ({ event }) => event.lane,
    ({ event }) => event.seq,
    ({ event }) => event.id,
    ({ event }) => event.type,
    ({ event }) => event.at,
    ({ event }) => event.actor,
    ({ event }) => event.visibility,
    ({ event }) => event.session,
    ({ event }) => event.cause,
    ({ event }) => event.correlation,
    ({ event }) => event.v,
    ({ text }) => text,
  )
}

function writeTimers({ timers, clearedTimers, clearedOf }: Changes, send: Send): void {
  send(clearedTimers, sql.clearTimers, (id) => id)
  send(
    clearedOf,
    sql.clearTimersOf,
    (key) => key.lane,
    (key) => key.id,
  )
  send(
    timers.values(),
    sql.timers,
    (t) => t.id,
    (t) => t.lane,
    (t) => t.entry.id,
    (t) => t.due,
    (t) => JSON.stringify(t),
  )
}

function writeMails({ mails }: Changes, send: Send): void {
  const all = [...mails.values()]
  send(
    all.filter((m) => m.isNew),
    sql.newMails,
    (m) => m.lane,
    (m) => m.id,
    (m) => m.row.n - unnumbered * placesPerEvent,
    (m) => m.row.cursor - unnumbered,
    (m) => m.row.hash,
    (m) => m.row.ref,
    (m) => m.row.work,
    (m) => m.row.person,
    (m) => m.row.state,
  )
  send(
    all.filter((m) => !m.isNew),
    sql.movedMails,
    (m) => m.lane,
    (m) => m.id,
    (m) => m.row.state,
    (m) => (m.row.n >= unnumbered * placesPerEvent ? m.row.n - unnumbered * placesPerEvent : null),
  )
}

function writeApart({ snapshots, bodies }: Changes, send: Send): void {
  send(
    snapshots.values(),
    sql.snapshots,
    (s) => s.lane,
    (s) => s.seq,
    (s) => s.version,
    (s) => s.state,
  )
  send(
    bodies.values(),
    sql.bodies,
    (b) => b.hash,
    (b) => b.text,
  )
}
