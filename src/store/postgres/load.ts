// Reads and locks what a group names, before it takes the cursor lock.

import type { EntryId, LaneId } from '../../base/ids.ts'
import type { LaneRow, MailRow } from '../rules.ts'
import type { Db } from './db.ts'
import { keyOf, type Loaded, type Names } from './tables.ts'

export type LaneColumns = Omit<LaneRow, 'lastEvent'> & { readonly lane: LaneId; readonly last_event: LaneRow['lastEvent'] }
type MailColumns = MailRow & { readonly lane: LaneId; readonly id: EntryId }

export const laneColumns = 'lane, session, mailbox, epoch, seq, last_event, resting, owner, closed'
const sql = {
  // Owners lock their lanes, posts only hinder that a lane is closed under them; so posts and commits don't wait for each other.
  closing: `SELECT ${laneColumns} FROM lanes WHERE lane = ANY($1::text[]) ORDER BY lane FOR UPDATE`,
  own: `SELECT ${laneColumns} FROM lanes WHERE lane = ANY($1::text[]) ORDER BY lane FOR NO KEY UPDATE`,
  others: `SELECT ${laneColumns} FROM lanes WHERE lane = ANY($1::text[]) ORDER BY lane FOR KEY SHARE`,
  mails: `SELECT lane, id, n, cursor, hash, ref, work, person, state FROM mailbox
    JOIN unnest($1::text[], $2::text[]) AS named (lane, id) USING (lane, id)`,
  lines: `SELECT asked.lane AS lane, line.id AS id FROM unnest($1::text[], $2::int[]) AS asked (lane, most)
    CROSS JOIN LATERAL (SELECT id, n FROM mailbox m WHERE m.lane = asked.lane AND state = 'waiting' AND work ORDER BY n LIMIT asked.most) line
    ORDER BY line.n`,
  counts: `SELECT asked.lane AS lane, (SELECT count(*) FROM
      (SELECT 1 FROM mailbox m WHERE m.lane = asked.lane AND state = 'waiting' LIMIT asked.most) part) AS n
    FROM unnest($1::text[], $2::int[]) AS asked (lane, most)`,
}

export async function load(db: Db, names: Names): Promise<Loaded> {
  const own = names.own.filter((lane) => !names.closing.includes(lane))
  const others = names.all.filter((lane) => !names.own.includes(lane))
  const lanesBy = (text: string, lanes: readonly LaneId[]) => (lanes.length > 0 ? db.all<LaneColumns>(text, [lanes]) : none)
  const none = Promise.resolve([])
  const [closing, owned, posted, mails, lines, counts] = await Promise.all([
    lanesBy(sql.closing, names.closing),
    lanesBy(sql.own, own),
    lanesBy(sql.others, others),
    names.mails.length > 0 ? db.all<MailColumns>(sql.mails, [names.mails.map((key) => key.lane), names.mails.map((key) => key.id)]) : none,
    names.lines.length > 0 ? db.all<{ lane: LaneId; id: EntryId }>(sql.lines, columns(names.lines)) : none,
    names.limits.length > 0 ? db.all<{ lane: LaneId; n: number }>(sql.counts, columns(names.limits)) : none,
  ])
  return {
    lanes: new Map([...closing, ...owned, ...posted].map((row) => [row.lane, laneRow(row)])),
    mails: new Map(mails.map(({ lane, id, ...row }) => [keyOf(lane, id), row])),
    lines: byLane(lines),
    counts: new Map(counts.map((row) => [row.lane, row.n])),
  }
}

export function laneRow({ last_event, lane: _, ...row }: LaneColumns): LaneRow {
  return { ...row, lastEvent: last_event }
}

/** The limit of what a count looks at; a limit is a number of entries, never near this. */
const largestInt = 2_147_483_647

function columns(asked: readonly { readonly lane: LaneId; readonly limit: number }[]): [string[], number[]] {
  return [asked.map((a) => a.lane), asked.map((a) => Math.min(a.limit, largestInt))]
}

function byLane(rows: readonly { readonly lane: LaneId; readonly id: EntryId }[]): Map<LaneId, EntryId[]> {
  const lines = new Map<LaneId, EntryId[]>()
  for (const { lane, id } of rows) {
    const line = lines.get(lane) ?? []
    line.push(id)
    lines.set(lane, line)
  }
  return lines
}
