// What the journal needs of a store. Implemented by store/sqlite, store/postgres and store/memory, and pinned by
// journal-store.contract.ts. Every verb is a promise on every store, also where the answer is at hand.
import type { EntryId, LaneId, NodeId } from '../base/ids.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Event } from '../protocol/event.ts'
import type { Applied, Head, Item, Snapshot, Timer } from './commit.ts'

export interface JournalStore {
  /** Grows by one when a backup is restored over the store. */
  readonly generation: number

  /**
   * Applies the items in order in one transaction, each behind its own savepoint, so that a refused one spoils only itself
   * (T8). An item sees what the items before it did: a commit may take an entry that was posted in the same group.
   * Never throws: when the transaction itself fails every result is 'unavailable'. The same commit may then be given again: when it
   * was done after all, and the lane still stands at it, it is answered as done.
   * Order inside: heads are checked, events inserted, mailbox changed, posts inserted (a post of a refused commit is undone with it).
   */
  apply(group: readonly Item[]): Promise<Applied>

  /** Makes `node` the owner of the lanes: epoch + 1 each, in one transaction. Lanes that don't exist are left out. A lane whose
   *  owner's lease still runs is not given to another node and is left out too. */
  claim(lanes: readonly LaneId[], node: NodeId): Promise<ReadonlyMap<LaneId, Head>>
  /** The node lets go of the lanes; epochs stay, so that its late commits are refused after the next claim. */
  release(lanes: readonly LaneId[], node: NodeId): Promise<void>
  /** Renews the node's lease to `untilMs` from the store's own now; the first call registers the node. */
  heartbeat(node: NodeId, ttlMs: number): Promise<void>
  /** The smallest write that changes nothing. Throws Unavailable while nothing can be written: reads may go on all the same. */
  probe(): Promise<void>

  head(lane: LaneId): Promise<Head | null>
  /** null when there is none of that version. */
  snapshot(lane: LaneId, version: number): Promise<Snapshot | null>
  /** The lane's own events (seq > 0) after that seq, in order, at most `limit`. */
  readLane(lane: LaneId, after: number, limit: number): Promise<readonly Event[]>
  /** Events with a cursor after that one, in order; `safe` is the cursor up to which nothing can still be committed in between. */
  readAll(
    after: number,
    limit: number,
    where?: { readonly session?: string },
  ): Promise<{ readonly events: readonly Event[]; readonly safe: number }>
  /** The highest safe cursor; 0 for an empty store. */
  last(): Promise<number>

  /** Entries in the mailbox, in commit order; by presence, never by a high-water mark. Held ones are left out. */
  waiting(lane: LaneId): Promise<readonly Entry[]>
  /** Entries that are held until a person lets them go on (L10), oldest first. */
  held(lane: LaneId): Promise<readonly Entry[]>
  /** The entries with those ids, wherever they are, in the order asked for. Missing ones are left out. */
  entries(lane: LaneId, ids: readonly EntryId[]): Promise<readonly Entry[]>
  /** Lanes that start-up must look at: resting 'running', or with something in the mailbox, and no living owner but `node`.
   *  Lanes with the newest person's entry first. `after` pages on: the last lane of the page before (an unknown one starts anew). */
  unfinished(node: NodeId, limit: number, after?: LaneId): Promise<readonly LaneId[]>
  /** How many entries wait, over all lanes or in one. */
  countWaiting(lane?: LaneId): Promise<number>

  /** Timers due at or before `now`, earliest first. A timer is gone as soon as its entry was posted, or was refused for good. */
  due(now: number, limit: number): Promise<readonly Timer[]>
  /** When the next timer is due; null when none is set. */
  nextDue(): Promise<number | null>

  /** A body stored apart; null when there is none with that hash. */
  body(hash: string): Promise<string | null>
}
