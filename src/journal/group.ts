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

type Waiting =
  | { item: { readonly commit: Commit } | { readonly late: () => Commit }; readonly done: (result: Committed) => void }
  | { readonly item: { readonly post: Post; readonly limit?: number }; readonly done: (result: Posted) => void }

type Groups = {
  append(commit: Commit | (() => Commit)): Promise<Committed>
  post(post: Post, options?: { readonly limit?: number }): Promise<Posted>
  onPosted(hear: (posts: readonly Post[]) => void): void
  onReadOnly(hear: (readOnly: boolean, why: string) => void): void
  readOnly(): string | null
  pending(): number
  /** Resolves when nothing is in flight any more; what could not be written stays unanswered. */
  close(): Promise<void>
}

export function openGroups(given: {
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  readonly applied: (events: readonly Event[]) => void
}): Groups {
  const { store, clock, log, applied } = given
  const postedHearers: ((posts: readonly Post[]) => void)[] = []
  const readOnlyHearers: ((readOnly: boolean, why: string) => void)[] = []
  let queue: Waiting[] = []
  let retry: Waiting[] = []
  let flight: Promise<void> | null = null
  let scheduled = false
  let why: string | null = null
  let alarm: Alarm | null = null
  let delayMs = firstRetryMs
  let closed = false

  function schedule(): void {
    if (scheduled || flight || closed) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (!flight && queue.length > 0 && retry.length === 0) flight = flush().finally(landed)
    })
  }

  function landed(): void {
    flight = null
    if (queue.length > 0) schedule()
  }

  async function flush(): Promise<void> {
    const group = queue.slice(0, largestGroup)
    queue = queue.slice(largestGroup)
    for (const waiting of group) if ('late' in waiting.item) (waiting as { item: Item }).item = { commit: waiting.item.late() }
    await apply(group)
  }

  async function apply(group: readonly Waiting[]): Promise<void> {
    const { results, events } = await store.apply(group.map((waiting) => waiting.item as Item))
    if (events.length > 0) applied(events)
    const posts = acceptedPosts(group, results)
    const kept = group.filter((waiting, i) => !answer(waiting, results[i]))
    if (kept.length > 0) keep(kept, reasonOf(results))
    else if (group.some((_, i) => !isUnavailable(results[i]))) recovered()
    if (posts.length > 0) for (const hear of postedHearers) hear(posts)
  }

  /** False when the item must be tried again. */
  function answer(waiting: Waiting, result: ItemResult | undefined): boolean {
    if (!result) throw new Error('the store answered fewer items than it was given')
    if ('commit' in result) {
      if (!result.commit.ok && result.commit.reason === 'unavailable') return false
      ;(waiting.done as (result: Committed) => void)(result.commit)
      return true
    }
    if (!result.post.ok && result.post.reason === 'unavailable') enterReadOnly(result.post.why)
    ;(waiting.done as (result: Posted) => void)(result.post)
    return true
  }

  function keep(group: readonly Waiting[], reason: string): void {
    retry = [...retry, ...group]
    enterReadOnly(reason)
    alarm ??= clock.after(delayMs, () => {
      alarm = null
      delayMs = Math.min(delayMs * 2, longestRetryMs)
      if (!closed) flight = again().finally(landed)
    })
  }

  /** The same commits once more; one that got through although its answer was lost is recognised by the lane's head (T26). */
  async function again(): Promise<void> {
    const group = retry
    retry = []
    const open: Waiting[] = []
    for (const waiting of group) if (!(await alreadyThere(waiting))) open.push(waiting)
    if (open.length > 0) await apply(open)
    else recovered()
  }

  async function alreadyThere(waiting: Waiting): Promise<boolean> {
    if (!('commit' in waiting.item)) return false
    const { commit } = waiting.item
    const last = commit.events.at(-1)
    if (!last) return false
    const head = await store.head(commit.lane).catch(() => null)
    if (!head || head.seq < commit.after + commit.events.length) return false
    const events = await store.readLane(commit.lane, commit.after, commit.events.length)
    if (events.at(-1)?.id !== last.id) return false
    applied(events)
    ;(waiting.done as (result: Committed) => void)({ ok: true, cursor: events.at(-1)?.cursor ?? 0, posted: [] })
    return true
  }

  function enterReadOnly(reason: string): void {
    if (why === null) {
      log('error', 'the store takes nothing: read-only until it does again', { why: reason })
      for (const hear of readOnlyHearers) hear(true, reason)
    }
    why = reason
  }

  function recovered(): void {
    delayMs = firstRetryMs
    if (why === null) return
    why = null
    log('warn', 'the store takes writes again')
    for (const hear of readOnlyHearers) hear(false, '')
  }

  return {
    append: (commit) =>
      new Promise((done) => {
        queue.push({ item: typeof commit === 'function' ? { late: commit } : { commit }, done })
        schedule()
      }),
    post(post, options) {
      if (why !== null && retry.length > 0) return Promise.resolve({ ok: false, reason: 'unavailable', why })
      return new Promise((done) => {
        queue.push({ item: { post, ...options }, done })
        schedule()
      })
    },
    onPosted: (hear) => void postedHearers.push(hear),
    onReadOnly: (hear) => void readOnlyHearers.push(hear),
    readOnly: () => why,
    pending: () => queue.length + retry.length,
    async close() {
      while ((flight || queue.length > 0) && retry.length === 0) {
        if (flight) await flight
        else await new Promise<void>((next) => setImmediate(next))
      }
      closed = true
      alarm?.cancel()
    },
  }
}

/** What the lanes must hear of: accepted for the first time, in commit order. */
function acceptedPosts(group: readonly Waiting[], results: readonly ItemResult[]): Post[] {
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
