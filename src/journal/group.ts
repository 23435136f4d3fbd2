// Group commit: what one tick of the event loop brings shares one transaction (J1, L8). One group is in flight at a time; while
// it is, the next one fills. A store that takes nothing makes the journal read-only: commits are kept and tried again in order,
// posts are refused at once (J6, T25).
import type { Alarm, Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Event } from '../protocol/event.ts'
import type { Commit, Committed, Item, ItemResult, Post, Posted } from './commit.ts'
import type { JournalStore } from './journal-store.ts'

/** More items than this in one transaction would make the first ones wait too long. */
const largestGroup = 512
const firstRetryMs = 100
const longestRetryMs = 5_000

/** An item, or a commit that is asked for when its group is formed; with who is answered. */
type Waiting = { readonly item: Item | { readonly late: () => Commit }; readonly done: (result: ItemResult) => void }
type Formed = { readonly item: Item; readonly done: (result: ItemResult) => void }

export type GroupsOptions = {
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
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

  constructor(given: GroupsOptions) {
    this.#given = given
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
    const { results, events } = await this.#given.store.apply(group.map((waiting) => waiting.item))
    if (events.length > 0) this.#given.applied(events)
    const posts = acceptedPosts(group, results)
    const kept = group.filter((waiting, i) => !this.#answer(waiting, results[i]))
    if (kept.length > 0) this.#keep(kept, reasonOf(results))
    else if (group.some((_, i) => !isUnavailable(results[i]))) this.#recovered()
    if (posts.length > 0) for (const hear of this.#postedHearers) hear(posts)
  }

  /** False when the item must be tried again. */
  #answer({ done }: Formed, result: ItemResult | undefined): boolean {
    if (!result) throw new Error('the store answered fewer items than it was given')
    if ('commit' in result && !result.commit.ok && result.commit.reason === 'unavailable') return false
    if ('post' in result && !result.post.ok && result.post.reason === 'unavailable') this.#enterReadOnly(result.post.why)
    done(result)
    return true
  }

  #keep(group: readonly Formed[], reason: string): void {
    this.#retry = [...this.#retry, ...group]
    this.#enterReadOnly(reason)
    this.#alarm ??= this.#given.clock.after(this.#delayMs, () => {
      this.#alarm = null
      this.#delayMs = Math.min(this.#delayMs * 2, longestRetryMs)
      if (!this.#closed) this.#fly(this.#again())
    })
  }

  /** The same commits once more; one that got through although its answer was lost is recognised by the lane's head (T26). */
  async #again(): Promise<void> {
    const group = this.#retry
    this.#retry = []
    const open: Formed[] = []
    for (const waiting of group) if (!(await this.#alreadyThere(waiting))) open.push(waiting)
    if (open.length > 0) await this.#apply(open)
    else this.#recovered()
  }

  async #alreadyThere({ item, done }: Formed): Promise<boolean> {
    if (!('commit' in item)) return false
    const { lane, after, events } = item.commit
    const last = events.at(-1)
    const head = last && (await this.#given.store.head(lane).catch(() => null))
    if (!last || !head || head.seq < after + events.length) return false
    const there = await this.#given.store.readLane(lane, after, events.length)
    if (there.at(-1)?.id !== last.id) return false
    this.#given.applied(there)
    done({ commit: { ok: true, cursor: there.at(-1)?.cursor ?? 0, posted: [] } })
    return true
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
