// The rules' view of the file (rules.ts), inside a transaction that apply.ts opened.

import type { EntryId } from '../../base/ids.ts'
import type { LaneRow, MailRow, Tables } from '../rules.ts'
import type { Db } from './db.ts'

export type LaneColumns = Pick<LaneRow, 'session' | 'epoch' | 'seq' | 'resting' | 'owner'> & {
  readonly mailbox: number
  readonly last_event: LaneRow['lastEvent']
  readonly closed: number
}
type MailColumns = Omit<MailRow, 'work' | 'person'> & { readonly work: number; readonly person: number }

const sql = {
  lane: 'SELECT session, mailbox, epoch, seq, last_event, resting, owner, closed FROM lanes WHERE lane = ?',
  addLane: 'INSERT INTO lanes (session, mailbox, epoch, seq, last_event, resting, owner, closed, lane) VALUES (?,?,?,?,?,?,?,?,?)',
  moveLane: 'UPDATE lanes SET seq = ?, last_event = ?, resting = ?, closed = ? WHERE lane = ?',
  addEvent: `INSERT INTO events (cursor, lane, seq, id, type, at, actor, visibility, session, cause, correlation, v, data)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  mail: 'SELECT n, cursor, hash, ref, work, person, state FROM mailbox WHERE lane = ? AND id = ?',
  addMail: 'INSERT INTO mailbox (lane, id, n, cursor, hash, ref, work, person, state) VALUES (?,?,?,?,?,?,?,?,?)',
  moveMail: 'UPDATE mailbox SET state = ?, n = coalesce(?, n) WHERE lane = ? AND id = ?',
  oldestWork: `SELECT id FROM mailbox WHERE lane = ? AND state = 'waiting' AND work = 1 ORDER BY n LIMIT 0 + ?`,
  waits: `SELECT 1 AS one FROM mailbox WHERE lane = ? AND state = 'waiting' LIMIT 1 OFFSET 0 + ?`,
  setTimer: 'INSERT OR REPLACE INTO timers (id, lane, entry, due, timer) VALUES (?,?,?,?,?)',
  clearTimer: 'DELETE FROM timers WHERE id = ?',
  clearTimerOf: 'DELETE FROM timers WHERE lane = ? AND entry = ?',
  snapshot: 'INSERT OR REPLACE INTO snapshots (lane, seq, version, state) VALUES (?,?,?,?)',
  body: 'INSERT OR IGNORE INTO bodies (hash, text) VALUES (?,?)',
}

export function sqliteTables(db: Db): Tables {
  return {
    cursor: 0,
    ...laneTables(db),
    ...mailTables(db),
    addEvent(e, text) {
      db.run(sql.addEvent, e.cursor, e.lane, e.seq, e.id, e.type, e.at, e.actor, e.visibility, e.session, e.cause, e.correlation, e.v, text)
    },
    setTimer: (t) => void db.run(sql.setTimer, t.id, t.lane, t.entry.id, t.due, JSON.stringify(t)),
    clearTimer: (id) => void db.run(sql.clearTimer, id),
    clearTimerOf: (lane, entry) => void db.run(sql.clearTimerOf, lane, entry),
    putSnapshot: (s) => void db.run(sql.snapshot, s.lane, s.seq, s.version, s.state),
    putBody: (body) => void db.run(sql.body, body.hash, body.text),
  }
}

function laneTables(db: Db): Pick<Tables, 'lane' | 'addLane' | 'moveLane'> {
  return {
    lane: (lane) => laneRow(db.get<LaneColumns>(sql.lane, lane)),
    addLane(lane, r) {
      const flags = [r.mailbox ? 1 : 0, r.closed ? 1 : 0] as const
      db.run(sql.addLane, r.session, flags[0], r.epoch, r.seq, r.lastEvent, r.resting, r.owner, flags[1], lane)
    },
    moveLane: (lane, r) => void db.run(sql.moveLane, r.seq, r.lastEvent, r.resting, r.closed ? 1 : 0, lane),
  }
}

function mailTables(db: Db): Pick<Tables, 'mail' | 'addMail' | 'moveMail' | 'oldestWork' | 'waitsAtLeast'> {
  return {
    mail(lane, id) {
      const row = db.get<MailColumns>(sql.mail, lane, id)
      return row && { ...row, work: row.work === 1, person: row.person === 1 }
    },
    addMail(lane, id, r) {
      db.run(sql.addMail, lane, id, r.n, r.cursor, r.hash, r.ref, r.work ? 1 : 0, r.person ? 1 : 0, r.state)
    },
    moveMail: (lane, id, to) => void db.run(sql.moveMail, to.state, to.n ?? null, lane, id),
    oldestWork: (lane, limit) => db.all<{ id: EntryId }>(sql.oldestWork, lane, limit).map((row) => row.id),
    waitsAtLeast: (lane, count) => db.get(sql.waits, lane, count - 1) !== undefined,
  }
}

export function laneRow(row: LaneColumns | undefined): LaneRow | undefined {
  if (!row) return undefined
  const { session, epoch, seq, resting, owner } = row
  const flags = { mailbox: row.mailbox === 1, closed: row.closed === 1 }
  return { session, epoch, seq, lastEvent: row.last_event, resting, owner, ...flags }
}
