// The journal: the append-only log of events, the truth.
// Owns: grouping what one tick brings into one transaction (L8), reading, following with back-pressure, running projections,
// large bodies. Leaves the tables to store/*, the meaning of events to the rooms that write them.
//
// J1  An append is durable before its promise resolves; one group is one transaction; a refused commit spoils only itself.
// J2  A cursor never skips: who reads after a cursor sees every event that ever commits behind it.
// J3  A follower that is slow delays only itself; what it holds in memory is bounded.
// J4  A projection that fails stops itself, says so, and goes on from its own cursor when it is mended or rebuilt.
// J5  A read after one's own write waits until the projection has passed the write's cursor.
// J6  While the store can't take anything, appends are kept and tried again, posts are refused; nothing is half done.
import type { LaneId } from '../base/ids.ts'
import type { Event } from '../protocol/event.ts'
import type { Body, Commit, Committed, Post, Posted } from './commit.ts'
import type { Projection } from './projection.ts'

export type Journal = {
  readonly generation: number
  /** Resolves when the commit is durable or refused. While the store is unavailable it is tried again, so it then resolves late. */
  append(commit: Commit): Promise<Committed>
  /** From an edge: `limit` is how many entries may wait in that lane before it answers 'full'. */
  post(post: Post, options?: { readonly limit?: number }): Promise<Posted>
  /** The cursor of the newest event that followers may see. */
  head(): number
  /** Batches of events after that cursor, then new ones as they commit, until the signal aborts. Never skips, never repeats. */
  follow(after: number, options?: { readonly signal?: AbortSignal }): AsyncIterable<readonly Event[]>
  read(options: {
    readonly after: number
    readonly limit: number
    readonly session?: string
  }): Promise<{ readonly events: readonly Event[]; readonly safe: number }>
  /** The value itself, or, over 64 kB of text, a reference to a body that must ride with the commit. */
  large(text: string): { readonly inline: true } | { readonly inline: false; readonly body: Body }
  body(hash: string): Promise<string | null>
  /** Registers a projection and brings it up to date; from then on it follows. Resolves when it has caught up. */
  project(projection: Projection): Promise<void>
  /** Resolves when every projection (or the named one) has passed the cursor, or has stopped. */
  passed(cursor: number, name?: string): Promise<void>
  /** Called in commit order, after each group, with the entries that were accepted: the owner's way of hearing of work. */
  onPosted(hear: (posts: readonly Post[]) => void): void
  /** True while the store takes nothing: read-only. */
  readonly readOnly: boolean
  onReadOnly(hear: (readOnly: boolean, why: string) => void): void
  rebuild(name: string): Promise<void>
  health(): JournalHealth
  close(): Promise<void>
}

export type JournalHealth = {
  readonly readOnly: string | null
  readonly pending: number
  readonly projections: readonly { readonly name: string; readonly position: number; readonly stopped: string | null }[]
  readonly laneOf?: LaneId
}
