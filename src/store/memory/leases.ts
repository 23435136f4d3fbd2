// Who owns which lane, and until when (L7): the node has the lease, the lane has the epoch.

import type { LaneId, NodeId } from '../../base/ids.ts'
import type { Head } from '../../journal/commit.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { headOf, type LaneRow } from '../rules.ts'
import type { MemoryTables } from './tables.ts'

export function memoryLeases(
  tables: MemoryTables,
  now: () => number,
): Pick<JournalStore, 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished'> {
  const freeFor = (node: NodeId, row: LaneRow) => row.owner === null || row.owner === node || (tables.leases.get(row.owner) ?? 0) <= now()

  return {
    async claim(lanes, node) {
      const heads = new Map<LaneId, Head>()
      for (const lane of new Set(lanes)) {
        const row = tables.lanes.get(lane)
        if (!row?.mailbox || !freeFor(node, row)) continue
        const claimed = { ...row, owner: node, epoch: row.epoch + 1 }
        tables.lanes.set(lane, claimed)
        heads.set(lane, headOf(claimed))
      }
      return heads
    },
    async release(lanes, node) {
      for (const lane of lanes) {
        const row = tables.lanes.get(lane)
        if (row?.owner === node) tables.lanes.set(lane, { ...row, owner: null })
      }
    },
    probe: async () => {},
    async heartbeat(node, ttlMs) {
      tables.leases.set(node, now() + ttlMs)
    },
    async unfinished(node, limit, after) {
      const found = [...tables.lanes]
        .filter(([lane, row]) => freeFor(node, row) && (row.resting === 'running' || inLine(tables, lane) > 0))
        .map(([lane]) => ({ lane, newest: newestOfPerson(tables, lane) }))
        .sort((a, b) => b.newest - a.newest || (a.lane < b.lane ? -1 : 1))
        .map(({ lane }) => lane)
      const start = after === undefined ? 0 : found.indexOf(after) + 1
      return found.slice(start, start + limit)
    },
  }
}

function inLine(tables: MemoryTables, lane: LaneId): number {
  return tables.lines.get(lane)?.size ?? 0
}

function newestOfPerson(tables: MemoryTables, lane: LaneId): number {
  let newest = 0
  for (const row of tables.mails.get(lane)?.values() ?? []) if (row.person) newest = Math.max(newest, row.n)
  return newest
}
