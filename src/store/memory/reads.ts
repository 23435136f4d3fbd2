// What can be asked of the tables. Everything that goes out is parsed from text anew.

import type { EntryId, LaneId } from '../../base/ids.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Event } from '../../protocol/event.ts'
import { entryIn } from '../entry-text.ts'
import { headOf, type MailRow } from '../rules.ts'
import { allTimers, type MemoryTables, type StoredEvent } from './tables.ts'

type Reads = Omit<JournalStore, 'generation' | 'apply' | 'claim' | 'release' | 'heartbeat' | 'probe' | 'unfinished'>

export function memoryReads(tables: MemoryTables): Reads {
  return {
    ...logReads(tables),
    ...mailReads(tables),
    async due(now, limit) {
      return dueTimers(tables)
        .filter((timer) => timer.due <= now)
        .slice(0, limit)
    },
    nextDue: async () => dueTimers(tables)[0]?.due ?? null,
    body: async (hash) => tables.bodies.get(hash) ?? null,
  }
}

function logReads(tables: MemoryTables): Pick<Reads, 'head' | 'snapshot' | 'readLane' | 'readAll' | 'last'> {
  return {
    async head(lane) {
      const row = tables.lanes.get(lane)
      return row ? headOf(row) : null
    },
    async snapshot(lane, version) {
      const found = tables.snapshots.get(lane)
      return found?.version === version ? { ...found } : null
    },
    async readLane(lane, after, limit) {
      return (tables.own.get(lane) ?? []).slice(after, after + limit).map(copied)
    },
    async readAll(after, limit, where) {
      const events: Event[] = []
      for (let i = after; i < tables.log.length && events.length < limit; i++) {
        const stored = tables.log[i]
        if (stored && (!where?.session || stored.event.session === where.session)) events.push(copied(stored))
      }
      return { events, safe: tables.cursor }
    },
    last: async () => tables.cursor,
  }
}

function mailReads(tables: MemoryTables): Pick<Reads, 'waiting' | 'held' | 'entries' | 'countWaiting'> {
  const entryOf = (row: MailRow) => entryIn(tables.log[row.cursor - 1]?.text ?? '', row.state)
  return {
    async waiting(lane) {
      return [...(tables.lines.get(lane)?.values() ?? [])].map(entryOf)
    },
    async held(lane) {
      const held = [...(tables.mails.get(lane)?.values() ?? [])].filter((row) => row.state === 'held')
      return held.sort((a, b) => a.n - b.n).map(entryOf)
    },
    async entries(lane: LaneId, ids: readonly EntryId[]): Promise<readonly Entry[]> {
      const mail = tables.mails.get(lane)
      return ids.flatMap((id) => {
        const row = mail?.get(id)
        return row ? [entryOf(row)] : []
      })
    },
    async countWaiting(lane) {
      if (lane !== undefined) return tables.lines.get(lane)?.size ?? 0
      return [...tables.lines.values()].reduce((sum, line) => sum + line.size, 0)
    },
  }
}

function dueTimers(tables: MemoryTables) {
  return allTimers(tables).sort((a, b) => a.due - b.due || (a.id < b.id ? -1 : 1))
}

function copied({ event, text }: StoredEvent): Event {
  return { ...event, data: JSON.parse(text) }
}
