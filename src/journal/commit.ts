// A commit is data: it can be retried alone, sent to another process, printed in a test. Applied whole or not at all (L8).
import type { EntryId, EventId, LaneId, NodeId, SessionId, TimerId } from '../base/ids.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Event, NewEvent } from '../protocol/event.ts'

/** What start-up must look at. Derived from the lane's state in one place, and part of the commit that changes it (T2). */
export type Resting = 'running' | 'waiting' | 'idle'

export type Commit = {
  readonly lane: LaneId
  /** L7: refused as 'stale_owner' when the lane's epoch is another one. 0 is a stream that nobody owns. */
  readonly epoch: number
  /** Expected seq of the lane: refused as 'moved_on' when another commit was there first. 0 makes a lane that does not exist yet. */
  readonly after: number
  readonly events: readonly NewEvent[]
  /** Work that leaves the mailbox as taken. Must be the oldest waiting work: refused as 'gone' or 'out_of_order'. */
  readonly takes?: readonly EntryId[]
  /** Control that was carried out, and what was refused: leaves the mailbox from any place. Refused as 'gone'. */
  readonly drops?: readonly EntryId[]
  /** Held entries that stand in line from now on, at its end (L10). Refused as 'gone' when not held. */
  readonly releases?: readonly EntryId[]
  /** To other lanes; never refused for being full, only edges are. An unknown or closed lane drops the post, not the commit. */
  readonly posts?: readonly Post[]
  readonly timers?: { readonly set: readonly Timer[]; readonly clear: readonly TimerId[] }
  readonly resting?: Resting
  /** Of bounded lane state after these events (L12). */
  readonly snapshot?: Snapshot
  /** Bodies over 64 kB that the events refer to by hash; written with the commit. */
  readonly bodies?: readonly Body[]
  /** Only with after: 0. Which session the lane's events belong to, and whether it has a mailbox. */
  readonly creates?: { readonly session: SessionId | null; readonly mailbox: boolean }
  /** The lane takes no more posts: they are answered 'closed'. */
  readonly closes?: boolean
}

/** An entry on its way, with the event that records its arrival: it belongs to the lane, not to its seq (T28). */
export type Post = { readonly entry: Entry; readonly event: NewEvent }

export type Snapshot = {
  readonly lane: LaneId
  /** The seq up to which events are folded in. */
  readonly seq: number
  /** Version of `evolve`; another version is ignored, not migrated. */
  readonly version: number
  readonly state: string
}

/** A timer posts `entry` when it is due; the entry's id is the timer's slot, so that two tickers post once (T30). */
export type Timer = { readonly id: TimerId; readonly lane: LaneId; readonly due: number; readonly entry: Entry }

export type Body = { readonly hash: string; readonly text: string }

export type Committed =
  | { readonly ok: true; readonly cursor: number; readonly posted: readonly PostedTo[] }
  /** The lane must be opened anew. */
  | { readonly ok: false; readonly reason: 'stale_owner' | 'moved_on' | 'gone' | 'out_of_order' }
  /** Data that no store can take (an event without a lane, a snapshot that is ahead): a bug, the lane must be opened anew. */
  | { readonly ok: false; readonly reason: 'invalid'; readonly why: string }
  /** Nothing is known: look at the head, then retry the same commit (T25, T26). */
  | { readonly ok: false; readonly reason: 'unavailable'; readonly why: string }

export type Posted =
  | { readonly ok: true; readonly cursor: number; readonly duplicate: boolean; readonly ref: string | null }
  | { readonly ok: false; readonly reason: 'conflict' | 'no_such_lane' | 'closed' | 'full' }
  | { readonly ok: false; readonly reason: 'unavailable'; readonly why: string }

/** What became of a commit's posts, in their order. */
export type PostedTo = { readonly post: Post; readonly result: Posted }

export type Item = { readonly commit: Commit } | { readonly post: Post; readonly limit?: number }
export type ItemResult = { readonly commit: Committed } | { readonly post: Posted }

/** What a commit or post appended, in cursor order: for followers, so that they needn't read it back. */
export type Applied = { readonly results: readonly ItemResult[]; readonly events: readonly Event[] }

export type Head = {
  readonly epoch: number
  readonly seq: number
  readonly lastEvent: EventId | null
  readonly resting: Resting
  readonly owner: NodeId | null
  readonly session: SessionId | null
  readonly closed: boolean
}
