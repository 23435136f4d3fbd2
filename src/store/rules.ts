// What a store does with one item, written once for all stores. Every refusal is decided before anything is written, so that
// a refused item needs no undoing; a store only looks rows up and writes them (Tables).

import { hash } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { EntryId, EventId, LaneId, NodeId, SessionId, TimerId } from '../base/ids.ts'
import { canonical } from '../base/json.ts'
import type {
  Body,
  Commit,
  Committed,
  Head,
  Item,
  ItemResult,
  Post,
  Posted,
  PostedTo,
  Resting,
  Snapshot,
  Timer,
} from '../journal/commit.ts'
import { type Entry, isWork } from '../protocol/entry.ts'
import type { Event, NewEvent } from '../protocol/event.ts'

export type LaneRow = {
  readonly session: SessionId | null
  /** false: a stream. It has no owner and takes no posts. */
  readonly mailbox: boolean
  readonly epoch: number
  readonly seq: number
  readonly lastEvent: EventId | null
  readonly resting: Resting
  readonly owner: NodeId | null
  readonly closed: boolean
}

export type MailState = 'waiting' | 'held' | 'taken' | 'dropped'

export type MailRow = {
  /** The place in line: ascending in the order of commits; released entries get a new one. */
  readonly n: number
  /** Of the event that recorded its arrival; the body lies only there. */
  readonly cursor: number
  readonly hash: string
  readonly ref: string | null
  readonly work: boolean
  /** Sent by a person: its lane is looked at first after a restart. */
  readonly person: boolean
  readonly state: MailState
}

/** One transaction as the rules see it. Later calls see what earlier ones wrote. Throws only when the store itself fails. */
export interface Tables {
  /** The newest cursor that was given out, this transaction's own included. The rules count it up. */
  cursor: number
  lane(lane: LaneId): LaneRow | undefined
  addLane(lane: LaneId, row: LaneRow): void
  moveLane(lane: LaneId, row: LaneRow): void
  addEvent(event: Event, dataText: string): void
  mail(lane: LaneId, id: EntryId): MailRow | undefined
  addMail(lane: LaneId, id: EntryId, row: MailRow): void
  /** `n` is the new place in line; absent: the old one. */
  moveMail(lane: LaneId, id: EntryId, to: { readonly state: MailState; readonly n?: number }): void
  /** Waiting work, oldest first. */
  oldestWork(lane: LaneId, limit: number): readonly EntryId[]
  /** Whether at least `count` (>= 1) entries wait in the lane. */
  waitsAtLeast(lane: LaneId, count: number): boolean
  setTimer(timer: Timer): void
  clearTimer(id: TimerId): void
  /** The entry that a timer was set for has arrived or can't arrive any more. */
  clearTimerOf(lane: LaneId, entry: EntryId): void
  putSnapshot(snapshot: Snapshot): void
  putBody(body: Body): void
}

/** Applies one item or refuses it. What it appended is added to `events`. Throws only what a Tables verb throws. */
export function applyItem(tables: Tables, item: Item, events: Event[]): ItemResult {
  return 'commit' in item ? { commit: applyCommit(tables, item.commit, events) } : { post: applyPost(tables, item, events) }
}

export function headOf({ epoch, seq, lastEvent, resting, owner, session, closed }: LaneRow): Head {
  return { epoch, seq, lastEvent, resting, owner, session, closed }
}

/** The same answer for every item, when the transaction could not be done. */
export function allUnavailable(group: readonly Item[], why: string): ItemResult[] {
  return group.map((item) => unavailable(item, why))
}

export function unavailable(item: Item, why: string): ItemResult {
  const refused = { ok: false, reason: 'unavailable', why } as const
  return 'commit' in item ? { commit: refused } : { post: refused }
}

/** An entry's content: sender, body and reply address; not time, trace or whether it is held (L1). */
function contentHash(entry: Entry): string {
  return hash('sha256', canonical([entry.from, entry.body, entry.replyTo ?? null]), 'base64')
}

type Written = { readonly event: NewEvent; readonly text: string }
type Letter = Written & { readonly post: Post; readonly hash: string }

function applyCommit(tables: Tables, commit: Commit, events: Event[]): Committed {
  const before = tables.lane(commit.lane)
  const again = isAgain(commit, before)
  const refused = again ? null : (headRefusal(commit, before) ?? mailRefusal(tables, commit))
  if (refused) return refused
  const own = attempt(() => commit.events.map(written))
  if (!own.ok) return invalid(own.why)
  const letters = attempt(() => (commit.posts ?? []).map(letter))
  if (!letters.ok) return invalid(letters.why)
  if (!again) writeAll(tables, commit, { before, own: own.value, events })
  const cursor = tables.cursor
  const posted: PostedTo[] = letters.value.map((l) => ({ post: l.post, result: place(tables, l, events) }))
  return { ok: true, cursor, posted }
}

function applyPost(tables: Tables, item: Extract<Item, { post: Post }>, events: Event[]): Posted {
  const ready = attempt(() => letter(item.post))
  if (!ready.ok) return { ok: false, reason: 'unavailable', why: ready.why }
  return place(tables, ready.value, events, item.limit)
}

/**
 * The very commit that the lane stands at: its first answer was lost, and it is answered as done (S24). Its cursor is then the
 * newest one, which is not before its own; its posts answer as duplicates.
 */
function isAgain({ epoch, after, events }: Commit, lane: LaneRow | undefined): boolean {
  const newest = events.at(-1)
  return newest !== undefined && lane?.epoch === epoch && lane.seq === after + events.length && lane.lastEvent === newest.id
}

function headRefusal(commit: Commit, lane: LaneRow | undefined): Committed | null {
  const { after, creates, snapshot } = commit
  if (creates && after !== 0) return invalid(`a commit that makes lane ${commit.lane} must come after 0, not ${after}`)
  if (!lane && !creates) return invalid(`lane ${commit.lane} does not exist, and the commit doesn't make it`)
  if ((lane?.epoch ?? 0) !== commit.epoch) return { ok: false, reason: 'stale_owner' }
  if (lane && (creates || lane.seq !== after)) return { ok: false, reason: 'moved_on' }
  if (snapshot && snapshot.lane !== commit.lane) return invalid(`a snapshot of ${snapshot.lane} in ${commit.lane}`)
  if (snapshot && snapshot.seq > after + commit.events.length) {
    return invalid(`a snapshot of ${commit.lane} at ${snapshot.seq} is ahead of its event ${after + commit.events.length}`)
  }
  return null
}

function mailRefusal(tables: Tables, commit: Commit): Committed | null {
  const { lane, takes = [], drops = [], releases = [] } = commit
  if (takes.length + drops.length + releases.length === 0) return null
  const stateOf = (id: EntryId) => tables.mail(lane, id)?.state
  const named = [...takes, ...drops, ...releases]
  if (new Set(named).size < named.length) return invalid(`an entry of ${lane} is named twice in a commit`)
  if (releases.length > 0 && commit.events.length === 0) return invalid(`a release in ${lane} without its event`)
  const gone = { ok: false, reason: 'gone' } as const
  if (takes.some((id) => stateOf(id) !== 'waiting')) return gone
  if (drops.some((id) => !['waiting', 'held'].includes(stateOf(id) ?? ''))) return gone
  if (releases.some((id) => stateOf(id) !== 'held')) return gone
  if (takes.length === 0) return null
  const line = tables.oldestWork(lane, takes.length + drops.length).filter((id) => !drops.includes(id))
  return takes.every((id, i) => line[i] === id) ? null : { ok: false, reason: 'out_of_order' }
}

type Ready = { readonly before: LaneRow | undefined; readonly own: readonly Written[]; readonly events: Event[] }

function writeAll(tables: Tables, commit: Commit, { before, own, events }: Ready): void {
  writeOwn(tables, commit, own, events)
  writeLane(tables, commit, before)
  writeMail(tables, commit)
  writeRest(tables, commit)
}

function writeOwn(tables: Tables, commit: Commit, own: readonly Written[], events: Event[]): void {
  let seq = commit.after
  for (const { event, text } of own) append(tables, stamped(event, ++tables.cursor, commit.lane, ++seq), text, events)
}

function writeLane(tables: Tables, commit: Commit, before: LaneRow | undefined): void {
  const row: LaneRow = {
    session: before ? before.session : (commit.creates?.session ?? null),
    mailbox: before ? before.mailbox : (commit.creates?.mailbox ?? false),
    epoch: commit.epoch,
    seq: commit.after + commit.events.length,
    lastEvent: commit.events.at(-1)?.id ?? before?.lastEvent ?? null,
    resting: commit.resting ?? before?.resting ?? 'idle',
    owner: before?.owner ?? null,
    closed: commit.closes === true || before?.closed === true,
  }
  if (before) tables.moveLane(commit.lane, row)
  else tables.addLane(commit.lane, row)
}

/** Room for this many entries that one commit lets back into the line, between its own place and the next event's. */
export const placesPerEvent = 1024

function writeMail(tables: Tables, commit: Commit): void {
  const { lane, takes = [], drops = [], releases = [] } = commit
  for (const id of takes) tables.moveMail(lane, id, { state: 'taken' })
  for (const id of drops) tables.moveMail(lane, id, { state: 'dropped' })
  let n = tables.cursor * placesPerEvent
  for (const id of releases) tables.moveMail(lane, id, { state: 'waiting', n: ++n })
}

/** Timers are set before they are cleared: a turn that opens and settles in one commit leaves none. */
function writeRest(tables: Tables, commit: Commit): void {
  for (const timer of commit.timers?.set ?? []) tables.setTimer(timer)
  for (const id of commit.timers?.clear ?? []) tables.clearTimer(id)
  for (const body of commit.bodies ?? []) tables.putBody(body)
  if (commit.snapshot) tables.putSnapshot(commit.snapshot)
}

/** A known key is answered before a closed or full lane: who sends again must hear what became of the first. */
function place(tables: Tables, { post, text, hash }: Letter, events: Event[], limit?: number): Posted {
  const { entry, event } = post
  const lane = tables.lane(entry.lane)
  const known = lane?.mailbox ? tables.mail(entry.lane, entry.id) : undefined
  const full = !known && !lane?.closed && limit !== undefined && (limit < 1 || tables.waitsAtLeast(entry.lane, limit))
  if (lane?.mailbox && full) return { ok: false, reason: 'full' }
  tables.clearTimerOf(entry.lane, entry.id)
  if (!lane?.mailbox) return { ok: false, reason: 'no_such_lane' }
  if (known && known.hash !== hash) return { ok: false, reason: 'conflict' }
  if (known) return { ok: true, cursor: known.cursor, duplicate: true, ref: known.ref }
  if (lane.closed) return { ok: false, reason: 'closed' }
  // An arrival belongs to the session of the lane that it reaches, whoever sent it.
  append(tables, stamped({ ...event, session: lane.session ?? event.session }, ++tables.cursor, entry.lane, 0), text, events)
  tables.addMail(entry.lane, entry.id, mailRow(entry, hash, tables.cursor))
  return { ok: true, cursor: tables.cursor, duplicate: false, ref: entry.ref ?? null }
}

function mailRow(entry: Entry, hash: string, cursor: number): MailRow {
  return {
    n: cursor * placesPerEvent,
    cursor,
    hash,
    ref: entry.ref ?? null,
    work: isWork(entry.body),
    person: entry.from.startsWith('user:'),
    state: entry.held ? 'held' : 'waiting',
  }
}

function append(tables: Tables, event: Event, text: string, events: Event[]): void {
  tables.addEvent(event, text)
  events.push(event)
}

function stamped(e: NewEvent, cursor: number, lane: LaneId, seq: number): Event {
  const { id, type, at, actor, visibility, data, cause, correlation, session, v } = e
  return { id, type, at, actor, visibility, data, cause, correlation, session, v, cursor, lane, seq }
}

function written(event: NewEvent): Written {
  const text: unknown = JSON.stringify(event.data)
  if (typeof text !== 'string' || !text.startsWith('{')) throw new Error(`event ${event.type} has no object as data`)
  const texts = [event.id, event.type, event.actor, event.visibility]
  if (!texts.every((part) => typeof part === 'string')) throw new Error('an event without id, type, actor or visibility')
  if (!Number.isSafeInteger(event.at) || !Number.isSafeInteger(event.v)) throw new Error(`event ${event.type} has no whole time or version`)
  return { event, text }
}

function letter(post: Post): Letter {
  const { entry, event } = post
  if (!('entry' in event.data)) throw new Error(`the event ${event.type} of entry ${entry.id} doesn't carry the entry`)
  for (const part of [entry.id, entry.ref ?? '']) {
    if (!part.isWellFormed() || part.includes('\0')) throw new Error('an entry id or ref that is no text')
  }
  return { ...written(event), post, hash: contentHash(entry) }
}

function invalid(why: string): Committed {
  return { ok: false, reason: 'invalid', why }
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() }
  } catch (thrown) {
    return { ok: false, why: messageOf(thrown) }
  }
}
