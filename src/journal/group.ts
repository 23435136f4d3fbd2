// Group commit: what one tick of the event loop brings shares one transaction (J1, L8). One group is in flight at a time; while
// it is, the next one fills. A store that takes nothing makes the journal read-only: commits are kept and tried again in order,
// posts are refused at once (J6, T25).
import type { Alarm, Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Event } from '../protocol/event.ts'
import type { Applied, Commit, Committed, Item, ItemResult, Post, Posted } from './commit.ts'
import type { JournalStore } from './journal-store.ts'

/** More items than this in one transaction would make the first ones wait too long. */
const largestGroup = 512
const firstRetryMs = 100
const longestRetryMs = 5_000
const pageLength = 500

/** An item, or a commit that is asked for when its group is formed; with who is answered. */
type Waiting = { readonly item: Item | { readonly late: () => Commit }; readonly done: (result: ItemResult) => void }
type Formed = { readonly item: Item; readonly done: (result: ItemResult) => void }

export type GroupsOptions = {
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** The store's newest cursor. */
  readonly head: number
  /** What was appended, in cursor order, before anybody who asked for it is answered. */
  readonly applied: (events: readonly Event[]) => void
}

export class Groups {
  readonly #given: GroupsOptions
  readonly #postedHearers: ((posts: readonly Post[]) => void)[] = []
  readonly #readOnlyHearers: ((readOnly: boolean, why: string) => void)[] = []
  #queue: Waiting[] = []
  #retry: Formed[] = []
  #flight: Promise<void> | null = null
  #scheduled = false
  #why: string | null = null
  #alarm: Alarm | null = null
  #delayMs = firstRetryMs
  #closed = false
  /** The newest cursor that followers heard of, and whether there may be newer events that nobody heard of. */
  #seen: number
  #doubtful = false

  constructor(given: GroupsOptions) {
    this.#given = given
    this.#seen = given.head
  }

  /** Why nothing can be written now; null when it can. */
  get readOnly(): string | null {
    return this.#why
  }

  get pending(): number {
    return this.#queue.length + this.#retry.length
  }

  append(commit: Commit | (() => Commit)): Promise<Committed> {
    const item = typeof commit === 'function' ? { late: commit } : { commit }
    return new Promise((resolve) => this.#push({ item, done: (result) => 'commit' in result && resolve(result.commit) }))
  }

  post(post: Post, options?: { readonly limit?: number }): Promise<Posted> {
    if (this.#why !== null && this.#retry.length > 0) return Promise.resolve({ ok: false, reason: 'unavailable', why: this.#why })
    return new Promise((resolve) => this.#push({ item: { post, ...options }, done: (result) => 'post' in result && resolve(result.post) }))
  }

  onPosted(hear: (posts: readonly Post[]) => void): void {
    this.#postedHearers.push(hear)
  }

  onReadOnly(hear: (readOnly: boolean, why: string) => void): void {
    this.#readOnlyHearers.push(hear)
  }

  /** Resolves when nothing is in flight any more; what could not be written stays unanswered. */
  async close(): Promise<void> {
    while ((this.#flight || this.#queue.length > 0) && this.#retry.length === 0) {
      if (this.#flight) await this.#flight
      else await new Promise<void>((next) => setImmediate(next))
    }
    this.#closed = true
    this.#alarm?.cancel()
  }

  #push(waiting: Waiting): void {
    this.#queue.push(waiting)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#flight || this.#closed) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (!this.#flight && this.#queue.length > 0 && this.#retry.length === 0) this.#fly(this.#flush())
    })
  }

  #fly(flight: Promise<void>): void {
    this.#flight = flight.finally(() => {
      this.#flight = null
      if (this.#queue.length > 0) this.#schedule()
    })
  }

  async #flush(): Promise<void> {
    const group = this.#queue.slice(0, largestGroup)
    this.#queue = this.#queue.slice(largestGroup)
    await this.#apply(group.map(formed))
  }

  async #apply(group: readonly Formed[]): Promise<void> {
    const { results, events } = await this.#written(group.map((waiting) => waiting.item))
    this.#publish(events)
    const posts = acceptedPosts(group, results)
    const kept = group.filter((waiting, i) => !this.#answer(waiting, results[i]))
    if (results.some(isUnavailable)) this.#failed(kept, reasonOf(results))
    else this.#recovered()
    this.#announce(posts)
  }

  /** Never throws: what the store throws is no answer either. */
  async #written(items: readonly Item[]): Promise<Applied> {
    try {
      if (this.#doubtful) await this.#lookAgain()
      return await this.#given.store.apply(items)
    } catch (thrown) {
      return { results: items.map((item) => unavailable(item, messageOf(thrown))), events: [] }
    }
  }

  /** A group without an answer may have been written: followers and lanes hear of that before anything newer (T26, J2). */
  async #lookAgain(): Promise<void> {
    for (;;) {
      const { events } = await this.#given.store.readAll(this.#seen, pageLength)
      this.#publish(events)
      this.#announce(events.flatMap(arrivalIn))
      if (events.length < pageLength) break
    }
    this.#doubtful = false
  }

  #publish(events: readonly Event[]): void {
    const newest = events.at(-1)
    if (!newest) return
    this.#seen = Math.max(this.#seen, newest.cursor)
    this.#given.applied(events)
  }

  #announce(posts: readonly Post[]): void {
    if (posts.length > 0) for (const hear of this.#postedHearers) hear(posts)
  }

  /** False when the item must be tried again. */
  #answer({ done }: Formed, result: ItemResult | undefined): boolean {
    if (!result) throw new Error('the store answered fewer items than it was given')
    if ('commit' in result && !result.commit.ok && result.commit.reason === 'unavailable') return false
    done(result)
    return true
  }

  /** Commits are kept for later, posts were answered. */
  #failed(kept: readonly Formed[], reason: string): void {
    this.#doubtful = true
    this.#retry = [...this.#retry, ...kept]
    this.#enterReadOnly(reason)
    this.#alarm ??= this.#given.clock.after(this.#delayMs, () => {
      this.#alarm = null
      this.#delayMs = Math.min(this.#delayMs * 2, longestRetryMs)
      this.#tryAgain()
    })
  }

  /** Now, or when what is in flight has landed. */
  #tryAgain(): void {
    if (this.#closed || (!this.#doubtful && this.#retry.length === 0)) return
    if (this.#flight) void this.#flight.then(() => this.#tryAgain())
    else this.#fly(this.#again())
  }

  /** The same commits once more; the store knows those that got through although their answer was lost (S24). */
  async #again(): Promise<void> {
    const group = this.#retry
    this.#retry = []
    if (group.length > 0) return this.#apply(group)
    // Only posts had failed, and were answered so; they may be there all the same. A write that changes nothing shows whether the
    // store takes anything again: reads may well go on while a disk is full.
    await this.#probe().then(
      () => this.#recovered(),
      (thrown: unknown) => this.#failed([], messageOf(thrown)),
    )
  }

  async #probe(): Promise<void> {
    await this.#given.store.probe()
    await this.#lookAgain()
  }

  #enterReadOnly(reason: string): void {
    const isNew = this.#why === null
    this.#why = reason
    if (!isNew) return
    this.#given.log('error', 'the store takes nothing: read-only until it does again', { why: reason })
    for (const hear of this.#readOnlyHearers) hear(true, reason)
  }

  #recovered(): void {
    this.#delayMs = firstRetryMs
    if (this.#why === null) return
    this.#why = null
    this.#given.log('warn', 'the store takes writes again')
    for (const hear of this.#readOnlyHearers) hear(false, '')
  }
}

/** A commit that was given as a function is asked for once. */
function formed({ item, done }: Waiting): Formed {
  return 'late' in item ? { item: { commit: item.late() }, done } : { item, done }
}

/** What the lanes must hear of: accepted for the first time, in commit order. */
function acceptedPosts(group: readonly Formed[], results: readonly ItemResult[]): Post[] {
  const posts: Post[] = []
  for (const [i, { item }] of group.entries()) {
    const result = results[i]
    if (!result) continue
    if ('post' in item && 'post' in result) add(posts, item.post, result.post)
    else if ('commit' in result && result.commit.ok) for (const to of result.commit.posted) add(posts, to.post, to.result)
  }
  return posts
}

function add(posts: Post[], post: Post, result: Posted): void {
  if (result.ok && !result.duplicate) posts.push(post)
}

/** The entry whose arrival the event records. */
function arrivalIn(event: Event): readonly Post[] {
  const { entry } = event.data
  return event.seq === 0 && entry ? [{ entry: entry as unknown as Entry, event }] : []
}

function unavailable(item: Item, why: string): ItemResult {
  const refused = { ok: false, reason: 'unavailable', why } as const
  return 'commit' in item ? { commit: refused } : { post: refused }
}

function isUnavailable(result: ItemResult | undefined): boolean {
  if (!result) return true
  const answer = 'commit' in result ? result.commit : result.post
  return !answer.ok && answer.reason === 'unavailable'
}

function reasonOf(results: readonly ItemResult[]): string {
  for (const result of results) {
    const answer = 'commit' in result ? result.commit : result.post
    if (!answer.ok && answer.reason === 'unavailable') return answer.why
  }
  return 'unknown'
}
