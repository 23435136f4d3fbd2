// Who owns which lane, and until when, by the clock of the database (L7): the node has the lease, the lane has the epoch.

import type { LaneId } from '../../base/ids.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { headOf } from '../rules.ts'
import type { Connections } from './db.ts'
import { type LaneColumns, laneColumns, laneRow } from './load.ts'

type Leases = Pick<JournalStore, 'head' | 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished'>

/** Nobody's, the node's own, or of a node whose lease has ended. */
const free = (node: string) =>
  `(owner IS NULL OR owner = ${node} OR NOT EXISTS (SELECT 1 FROM nodes WHERE node = owner AND until > clock_timestamp()))`
const sql = {
  head: `SELECT ${laneColumns} FROM lanes WHERE lane = $1`,
  claim: `WITH asked AS (SELECT lane AS name FROM lanes WHERE lane = ANY($1::text[]) ORDER BY lane FOR NO KEY UPDATE)
    UPDATE lanes SET epoch = epoch + 1, owner = $2 FROM asked
    WHERE lane = asked.name AND mailbox AND ${free('$2')} RETURNING ${laneColumns}`,
  release: `WITH asked AS (SELECT lane AS name FROM lanes WHERE lane = ANY($1::text[]) ORDER BY lane FOR NO KEY UPDATE)
    UPDATE lanes SET owner = NULL FROM asked WHERE lane = asked.name AND owner = $2`,
  heartbeat: `INSERT INTO nodes (node, until) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
    ON CONFLICT (node) DO UPDATE SET until = excluded.until`,
  probe: `UPDATE meta SET value = value WHERE key = 'generation'`,
  unfinished: `
    WITH open AS (SELECT lane FROM lanes WHERE resting = 'running' UNION SELECT lane FROM mailbox WHERE state = 'waiting')
    SELECT lane FROM open JOIN lanes USING (lane) WHERE ${free('$1')}
    ORDER BY (SELECT max(n) FROM mailbox m WHERE m.lane = open.lane AND m.person) DESC NULLS LAST, lane`,
}

export function postgresLeases({ shared }: Connections): Leases {
  return {
    async head(lane) {
      const [row] = await shared.all<LaneColumns>(sql.head, [lane])
      return row ? headOf(laneRow(row)) : null
    },
    async claim(lanes, node) {
      const rows = await shared.all<LaneColumns>(sql.claim, [lanes, node])
      return new Map(rows.map((row) => [row.lane, headOf(laneRow(row))]))
    },
    async release(lanes, node) {
      await shared.run(sql.release, [lanes, node])
    },
    async probe() {
      await shared.run(sql.probe, [])
    },
    async heartbeat(node, ttlMs) {
      await shared.run(sql.heartbeat, [node, ttlMs])
    },
    async unfinished(node, limit, after) {
      const found = (await shared.all<{ lane: LaneId }>(sql.unfinished, [node])).map((row) => row.lane)
      const start = after === undefined ? 0 : found.indexOf(after) + 1
      return found.slice(start, start + limit)
    },
  }
}
