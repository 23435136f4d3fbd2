// The rules' view of a group (rules.ts): what the group names was read before; what it changes is gathered, and written at once.

import type { EntryId, LaneId, TimerId } from '../../base/ids.ts'
import type { Body, Item, Snapshot, Timer } from '../../journal/commit.ts'
import type { Event } from '../../protocol/event.ts'
import type { LaneRow, MailRow, Tables } from '../rules.ts'

/**
 * A group is decided before its numbers are known: it counts on from here, far above all real cursors, and the true ones take the
 * place when they are known (apply.ts). Times placesPerEvent it stays below 2^53.
 */
export const unnumbered = 2 ** 42

export type Key = { readonly lane: LaneId; readonly id: EntryId }

/** What must be read to decide a group. */
export type Names = {
  /** Of commits: their rows are locked against other commits, those that close also against posts. */
  readonly own: readonly LaneId[]
  readonly closing: readonly LaneId[]
  readonly all: readonly LaneId[]
  readonly mails: readonly Key[]
  /** Lanes that take work, and how far into their line the rules look. */
  readonly lines: readonly { readonly lane: LaneId; readonly limit: number }[]
  /** Lanes with a limit, and the largest one asked for. */
  readonly limits: readonly { readonly lane: LaneId; readonly limit: number }[]
}

export type Loaded = {
  readonly lanes: ReadonlyMap<LaneId, LaneRow>
  readonly mails: ReadonlyMap<string, MailRow>
  readonly lines: ReadonlyMap<LaneId, readonly EntryId[]>
  /** How many wait, counted up to the limit asked for. */
  readonly counts: ReadonlyMap<LaneId, number>
}

export type Changes = {
  readonly newLanes: Map<LaneId, LaneRow>
  readonly movedLanes: Map<LaneId, LaneRow>
  readonly events: { readonly event: Event; readonly text: string }[]
  /** `isNew`: no such key when the group was read. */
  readonly mails: Map<string, Key & { readonly row: MailRow; readonly isNew: boolean }>
  readonly timers: Map<TimerId, Timer>
  readonly clearedTimers: Set<TimerId>
  readonly clearedOf: Key[]
  readonly snapshots: Map<LaneId, Snapshot>
  readonly bodies: Map<string, Body>
}

export function namesIn(group: readonly Item[]): Names {
  const own = new Set<LaneId>()
  const closing = new Set<LaneId>()
  const all = new Set<LaneId>()
  const mails = new Map<string, Key>()
  const lines = new Map<LaneId, number>()
  const limits = new Map<LaneId, number>()
  const name = (lane: LaneId, id: EntryId) => void mails.set(keyOf(lane, id), { lane, id })
  for (const item of group) {
    const posts = 'commit' in item ? (item.commit.posts ?? []) : [item.post]
    for (const { entry } of posts) {
      all.add(entry.lane)
      name(entry.lane, entry.id)
    }
    if ('post' in item) {
      if (item.limit !== undefined) limits.set(item.post.entry.lane, Math.max(item.limit, limits.get(item.post.entry.lane) ?? 0))
      continue
    }
    const { lane, takes = [], drops = [], releases = [] } = item.commit
    own.add(lane)
    if (item.commit.closes) closing.add(lane)
    all.add(lane)
    for (const id of [...takes, ...drops, ...releases]) name(lane, id)
    // What an earlier commit of the group took or dropped is still in the line that was read.
    lines.set(lane, (lines.get(lane) ?? 0) + takes.length + drops.length)
  }
  const pairs = (map: ReadonlyMap<LaneId, number>) => [...map].flatMap(([lane, limit]) => (limit > 0 ? [{ lane, limit }] : []))
  return { own: [...own], closing: [...closing], all: [...all], mails: [...mails.values()], lines: pairs(lines), limits: pairs(limits) }
}

export function groupTables(loaded: Loaded): { readonly tables: Tables; readonly changes: Changes } {
  const changes: Changes = {
    newLanes: new Map(),
    movedLanes: new Map(),
    events: [],
    mails: new Map(),
    timers: new Map(),
    clearedTimers: new Set(),
    clearedOf: [],
    snapshots: new Map(),
    bodies: new Map(),
  }
  const tables: Tables = {
    cursor: unnumbered,
    lane: (lane) => changes.movedLanes.get(lane) ?? changes.newLanes.get(lane) ?? loaded.lanes.get(lane),
    addLane: (lane, row) => void changes.newLanes.set(lane, row),
    moveLane: (lane, row) => void (changes.newLanes.has(lane) ? changes.newLanes : changes.movedLanes).set(lane, row),
    addEvent: (event, text) => void changes.events.push({ event, text }),
    ...mailTables(loaded, changes),
    ...timerTables(changes),
    putSnapshot: (snapshot) => void changes.snapshots.set(snapshot.lane, snapshot),
    putBody: (body) => void (changes.bodies.has(body.hash) || changes.bodies.set(body.hash, body)),
  }
  return { tables, changes }
}

function mailTables(loaded: Loaded, changes: Changes): Pick<Tables, 'mail' | 'addMail' | 'moveMail' | 'oldestWork' | 'waitsAtLeast'> {
  const mail = (lane: LaneId, id: EntryId) => changes.mails.get(keyOf(lane, id))?.row ?? loaded.mails.get(keyOf(lane, id))
  const put = (lane: LaneId, id: EntryId, row: MailRow) =>
    void changes.mails.set(keyOf(lane, id), { lane, id, row, isNew: !loaded.mails.has(keyOf(lane, id)) })
  const changedIn = (lane: LaneId) => [...changes.mails.values()].filter((change) => change.lane === lane)
  return {
    mail,
    addMail: put,
    moveMail(lane, id, to) {
      const row = mail(lane, id)
      if (row) put(lane, id, { ...row, ...to })
    },
    oldestWork(lane, limit) {
      const stillThere = (loaded.lines.get(lane) ?? []).filter((id) => !changes.mails.has(keyOf(lane, id)))
      const came = changedIn(lane)
        .filter(({ row }) => row.state === 'waiting' && row.work)
        .sort((a, b) => a.row.n - b.row.n)
      return [...stillThere, ...came.map(({ id }) => id)].slice(0, limit)
    },
    waitsAtLeast(lane, count) {
      const before = (id: EntryId) => loaded.mails.get(keyOf(lane, id))?.state === 'waiting'
      const moves = changedIn(lane).map(({ id, row }) => Number(row.state === 'waiting') - Number(before(id)))
      return (loaded.counts.get(lane) ?? 0) + moves.reduce((sum, move) => sum + move, 0) >= count
    },
  }
}

function timerTables(changes: Changes): Pick<Tables, 'setTimer' | 'clearTimer' | 'clearTimerOf'> {
  const clearTimer = (id: TimerId) => {
    changes.timers.delete(id)
    changes.clearedTimers.add(id)
  }
  return {
    setTimer: (timer) => void changes.timers.set(timer.id, timer),
    clearTimer,
    clearTimerOf(lane, id) {
      changes.clearedOf.push({ lane, id })
      for (const timer of changes.timers.values()) {
        if (timer.lane === lane && timer.entry.id === id) clearTimer(timer.id)
      }
    },
  }
}

export function keyOf(lane: LaneId, id: EntryId): string {
  return `${lane} ${id}`
}
