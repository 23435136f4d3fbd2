// Writes what a group changed: one statement a table, however many rows.

import type { Db } from './db.ts'
import type { Changes } from './tables.ts'

const sql = {
  newLanes: `INSERT INTO lanes (lane, session, mailbox, epoch, seq, last_event, resting, owner, closed)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::bool[])`,
  movedLanes: `UPDATE lanes SET seq = new.seq, last_event = new.last_event, resting = new.resting, closed = new.closed
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bool[]) AS new (lane, seq, last_event, resting, closed)
    WHERE lanes.lane = new.lane`,
  events: `INSERT INTO events (cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[])`,
  mails: `INSERT INTO mailbox (lane, id, n, cursor, hash, ref, work, person, state)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bool[], $8::bool[], $9::text[])
    ON CONFLICT (lane, id) DO UPDATE SET n = excluded.n, state = excluded.state`,
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

/** The statements, already on their way in this order. Each rejects when its own or an earlier one failed. */
export function write(db: Db, changes: Changes): Promise<unknown>[] {
  const sent: Promise<unknown>[] = []
  const send = <T>(rows: Iterable<T>, text: string, ...columns: ((row: T) => null | string | number | boolean)[]) => {
    const all = [...rows]
    if (all.length > 0) sent.push(db.run(text, columns.map((column) => all.map(column)))) // biome-ignore format: one call
  }
  writeLanes(changes, send)
  writeEvents(changes, send)
  send(
    changes.mails.values(),
    sql.mails,
    (m) => m.lane,
    (m) => m.id,
    (m) => m.row.n,
    (m) => m.row.cursor,
    (m) => m.row.hash,
    (m) => m.row.ref,
    (m) => m.row.work,
    (m) => m.row.person,
    (m) => m.row.state,
  )
  writeTimers(changes, send)
  send(
    changes.snapshots.values(),
    sql.snapshots,
    (s) => s.lane,
    (s) => s.seq,
    (s) => s.version,
    (s) => s.state,
  )
  send(
    changes.bodies.values(),
    sql.bodies,
    (b) => b.hash,
    (b) => b.text,
  )
  return sent
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
    ({ event }) => event.cursor,
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
