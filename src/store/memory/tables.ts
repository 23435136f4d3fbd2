// The tables as maps, and the rules' view of them (rules.ts). Values are kept as text where the other stores keep text, so that
// what comes back is a copy.

import type { EntryId, LaneId, NodeId, TimerId } from '../../base/ids.ts'
import type { Snapshot, Timer } from '../../journal/commit.ts'
import type { Event } from '../../protocol/event.ts'
import type { LaneRow, MailRow, Tables } from '../rules.ts'

export type StoredEvent = { readonly event: Event; readonly text: string }

export type MemoryTables = Tables & {
  readonly lanes: Map<LaneId, LaneRow>
  /** Event with cursor n lies at index n - 1. */
  readonly log: StoredEvent[]
  /** A lane's own events, by seq - 1. */
  readonly own: Map<LaneId, StoredEvent[]>
  readonly mails: Map<LaneId, Map<EntryId, MailRow>>
  /** Waiting entries in the order of their places. */
  readonly lines: Map<LaneId, Map<EntryId, MailRow>>
  /** Each with the entry that it is for, so that a post can clear it. */
  readonly timers: Map<TimerId, { readonly key: string; readonly text: string }>
  readonly timersByEntry: Map<string, TimerId>
  readonly snapshots: Map<LaneId, Snapshot>
  readonly bodies: Map<string, string>
  readonly leases: Map<NodeId, number>
}

export function memoryTables(): MemoryTables {
  const maps = {
    cursor: 0,
    lanes: new Map<LaneId, LaneRow>(),
    log: [] as StoredEvent[],
    own: new Map<LaneId, StoredEvent[]>(),
    mails: new Map<LaneId, Map<EntryId, MailRow>>(),
    lines: new Map<LaneId, Map<EntryId, MailRow>>(),
    timers: new Map<TimerId, { key: string; text: string }>(),
    timersByEntry: new Map<string, TimerId>(),
    snapshots: new Map<LaneId, Snapshot>(),
    bodies: new Map<string, string>(),
    leases: new Map<NodeId, number>(),
  }
  const mailOf = (lane: LaneId) => within(maps.mails, lane)
  const lineOf = (lane: LaneId) => within(maps.lines, lane)

  function putMail(lane: LaneId, id: EntryId, row: MailRow): void {
    mailOf(lane).set(id, row)
    lineOf(lane).delete(id)
    if (row.state === 'waiting') lineOf(lane).set(id, row)
  }

  function clearTimer(id: TimerId): void {
    maps.timersByEntry.delete(maps.timers.get(id)?.key ?? '')
    maps.timers.delete(id)
  }

  return Object.assign(maps, {
    lane: (lane: LaneId) => maps.lanes.get(lane),
    addLane: (lane: LaneId, row: LaneRow) => void maps.lanes.set(lane, row),
    moveLane: (lane: LaneId, row: LaneRow) => void maps.lanes.set(lane, row),
    addEvent(event: Event, text: string) {
      const stored = { event, text }
      maps.log.push(stored)
      if (event.seq > 0) listOf(maps.own, event.lane).push(stored)
    },
    mail: (lane: LaneId, id: EntryId) => maps.mails.get(lane)?.get(id),
    addMail: putMail,
    moveMail(lane: LaneId, id: EntryId, to: Pick<MailRow, 'state'> & { readonly n?: number }) {
      const row = mailOf(lane).get(id)
      if (row) putMail(lane, id, { ...row, ...to })
    },
    oldestWork(lane: LaneId, limit: number) {
      return [...lineOf(lane)].flatMap(([id, row]) => (row.work ? [id] : [])).slice(0, limit)
    },
    waitsAtLeast: (lane: LaneId, count: number) => lineOf(lane).size >= count,
    setTimer(timer: Timer) {
      clearTimer(timer.id)
      const key = `${timer.lane} ${timer.entry.id}`
      maps.timers.set(timer.id, { key, text: JSON.stringify(timer) })
      maps.timersByEntry.set(key, timer.id)
    },
    clearTimer,
    clearTimerOf(lane: LaneId, entry: EntryId) {
      const id = maps.timersByEntry.get(`${lane} ${entry}`)
      if (id !== undefined) clearTimer(id)
    },
    putSnapshot: (snapshot: Snapshot) => void maps.snapshots.set(snapshot.lane, snapshot),
    putBody(body: { readonly hash: string; readonly text: string }) {
      if (!maps.bodies.has(body.hash)) maps.bodies.set(body.hash, body.text)
    },
  })
}

export function allTimers(tables: Pick<MemoryTables, 'timers'>): Timer[] {
  return [...tables.timers.values()].map(({ text }): Timer => JSON.parse(text))
}

function within<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const found = map.get(key) ?? new Map<L, V>()
  if (!map.has(key)) map.set(key, found)
  return found
}

function listOf<K, V>(map: Map<K, V[]>, key: K): V[] {
  const found = map.get(key) ?? []
  if (!map.has(key)) map.set(key, found)
  return found
}
