// Who owns which lane, and until when (L7): the node has the lease, the lane has the epoch.

import type { LaneId, NodeId } from '../../base/ids.ts'
import type { Head } from '../../journal/commit.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { headOf } from '../rules.ts'
import { type Db, translated } from './db.ts'
import { type LaneColumns, laneRow } from './tables.ts'

type Leases = Pick<JournalStore, 'head' | 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished'>

/** Nobody's, this node's own, or of a node whose lease has ended. Values: node, now. */
const free = `(owner IS NULL OR owner = ? OR NOT EXISTS (SELECT 1 FROM nodes WHERE node = owner AND until > ?))`
const columns = 'session, mailbox, epoch, seq, last_event, resting, owner, closed'
const sql = {
  head: `SELECT ${columns} FROM lanes WHERE lane = ?`,
  claim: `UPDATE lanes SET epoch = epoch + 1, owner = ? WHERE lane = ? AND mailbox = 1 AND ${free} RETURNING ${columns}`,
  release: 'UPDATE lanes SET owner = NULL WHERE lane = ? AND owner = ?',
  heartbeat: 'INSERT OR REPLACE INTO nodes (node, until) VALUES (?,?)',
  probe: `UPDATE meta SET value = value WHERE key = 'generation'`,
  unfinished: `
    WITH open AS (SELECT lane FROM lanes WHERE resting = 'running' UNION SELECT lane FROM mailbox WHERE state = 'waiting')
    SELECT lane FROM open JOIN lanes USING (lane) WHERE ${free}
    ORDER BY (SELECT max(n) FROM mailbox m WHERE m.lane = open.lane AND m.person = 1) DESC NULLS LAST, lane`,
}

export function sqliteLeases(db: Db, now: () => number): Leases {
  const inOne = (work: () => void) => translated(() => db.transaction(work))
  return {
    async head(lane) {
      const row = laneRow(db.get<LaneColumns>(sql.head, lane))
      return row ? headOf(row) : null
    },
    async claim(lanes, node) {
      const heads = new Map<LaneId, Head>()
      inOne(() => {
        for (const lane of new Set(lanes)) {
          const row = laneRow(db.get<LaneColumns>(sql.claim, node, lane, node, now()))
          if (row) heads.set(lane, headOf(row))
        }
      })
      return heads
    },
    async release(lanes, node) {
      inOne(() => {
        for (const lane of lanes) db.run(sql.release, lane, node)
      })
    },
    async probe() {
      translated(() => db.run(sql.probe))
    },
    async heartbeat(node, ttlMs) {
      translated(() => db.run(sql.heartbeat, node, now() + ttlMs))
    },
    async unfinished(node: NodeId, limit: number, after?: LaneId) {
      const found = db.all<{ lane: LaneId }>(sql.unfinished, node, now()).map((row) => row.lane)
      const start = after === undefined ? 0 : found.indexOf(after) + 1
      return found.slice(start, start + limit)
    },
  }
}
