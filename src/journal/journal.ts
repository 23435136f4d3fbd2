// The journal: the append-only log of events, the truth.
// Owns: grouping what one tick brings into one transaction (L8), reading, following with back-pressure, running projections,
// large bodies, streams (stream.ts), the export of events (export.ts). Leaves the tables to store/*, the meaning of events to the rooms that write them.
//
// J1  An append is durable before its promise resolves; one group is one transaction; a refused commit spoils only itself.
// J2  A cursor never skips: who reads after a cursor sees every event that ever commits behind it.
// J3  A follower that is slow delays only itself; what it holds in memory is bounded.
// J4  A projection that fails stops itself, says so, and goes on from its own cursor when it is mended or rebuilt.
// J5  A read after one's own write waits until the projection has passed the write's cursor.
// J6  While the store can't take anything, appends are kept and tried again, posts are refused; nothing is half done.

import type { Clock } from '../base/clock.ts'
import { sha256 } from '../base/hash.ts'
import type { Log } from '../base/log.ts'
import type { Event } from '../protocol/event.ts'
import type { Body, Commit, Committed, Post, Posted } from './commit.ts'
import { Tail } from './follow.ts'
import { Groups } from './group.ts'
import type { JournalStore } from './journal-store.ts'
import type { Projection } from './projection.ts'
import { Runners } from './runner.ts'

export type Journal = {
  readonly generation: number
  /**
   * Resolves when the commit is durable or refused. While the store is unavailable it is tried again, so it then resolves late.
   * A function is called once, when its group is formed: until then the writer may add to what it will give.
   */
  append(commit: Commit | (() => Commit)): Promise<Committed>
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
}

/** Bodies up to this many UTF-16 units stay in the event; longer ones are stored apart (DESIGN section 5). */
export const inlineLimit = 65_536

/** `shared`: other nodes write to the same store too, so that followers must look there instead of trusting what passes here. */
export async function openJournal(given: {
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  readonly shared?: boolean
}): Promise<Journal> {
  const { store, clock, log } = given
  const head = await store.last()
  const tail = new Tail({ store, clock, head, shared: given.shared ?? false })
  const groups = new Groups({ store, clock, log, head, applied: (events) => tail.publish(events) })
  const follow = (after: number, signal?: AbortSignal) => tail.follow(after, signal)
  const runners = new Runners({ store, follow, log })
  return {
    generation: store.generation,
    append: (commit) => groups.append(commit),
    post: (post, options) => groups.post(post, options),
    head: () => tail.head,
    follow: (after, options) => follow(after, options?.signal),
    read: ({ after, limit, session }) => store.readAll(after, limit, session === undefined ? undefined : { session }),
    large: (text) => (text.length <= inlineLimit ? { inline: true } : { inline: false, body: bodyOf(text) }),
    body: (hash) => store.body(hash),
    project: (projection) => runners.add(projection, tail.head),
    passed: (cursor, name) => runners.passed(cursor, name),
    onPosted: (hear) => groups.onPosted(hear),
    get readOnly() {
      return groups.readOnly !== null
    },
    onReadOnly: (hear) => groups.onReadOnly(hear),
    rebuild: (name) => runners.rebuild(name),
    health: () => ({ readOnly: groups.readOnly, pending: groups.pending, projections: runners.list() }),
    async close() {
      await groups.close()
      await runners.close()
      tail.close()
    },
  }
}

function bodyOf(text: string): Body {
  return { hash: sha256(text), text }
}
