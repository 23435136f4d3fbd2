// Following the journal (J2, J3). The newest events stay in memory, so that followers who keep up never read the store; one who
// falls behind reads pages from it, at its own pace. Nothing is queued per follower: back-pressure is that it doesn't ask.
import type { Alarm, Clock } from '../base/clock.ts'
import type { Event } from '../protocol/event.ts'
import type { JournalStore } from './journal-store.ts'

const tailLength = 4_096
const tailUnits = 4_000_000
/** Old events are dropped in batches of this many. */
const slack = 1_024
const pageLength = 500
/** How often a shared store is looked at when nothing woke us. */
const pollMs = 1_000

type Tail = {
  publish(events: readonly Event[]): void
  head(): number
  follow(after: number, signal?: AbortSignal): AsyncGenerator<readonly Event[]>
  close(): void
}

export function openTail(given: {
  readonly store: JournalStore
  readonly clock: Clock
  readonly head: number
  readonly shared: boolean
}): Tail {
  const { store, clock, shared } = given
  let head = given.head
  /** Every event after `covered` is in `events`. */
  let covered = given.head
  let events: Event[] = []
  let units = 0
  let wakers: (() => void)[] = []
  let alarm: Alarm | null = null
  let closed = false

  function publish(batch: readonly Event[]): void {
    const last = batch.at(-1)
    if (!last) return
    head = Math.max(head, last.cursor)
    if (!shared) keep(batch)
    wakeAll()
  }

  function keep(batch: readonly Event[]): void {
    for (const event of batch) {
      events.push(event)
      units += sizeOf(event)
    }
    if (events.length <= tailLength + slack && units <= tailUnits) return
    let drop = 0
    while (drop < events.length - 1 && (events.length - drop > tailLength || units > tailUnits)) {
      units -= sizeOf(events[drop++] as Event)
    }
    covered = (events[drop - 1] as Event).cursor
    events = events.slice(drop)
  }

  function wakeAll(): void {
    const woken = wakers
    wakers = []
    for (const wake of woken) wake()
  }

  function poll(): void {
    alarm = null
    wakeAll()
  }

  function newer(signal: AbortSignal | undefined): Promise<void> {
    if (shared) alarm ??= clock.after(pollMs, poll)
    return new Promise((resolve) => {
      if (closed || signal?.aborted) return resolve()
      const wake = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        wakers = wakers.filter((other) => other !== wake)
        resolve()
      }
      wakers.push(wake)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  async function page(after: number): Promise<readonly Event[]> {
    if (!shared && after >= covered) return after >= head ? [] : fromMemory(events, after)
    const { events: read, safe } = await store.readAll(after, pageLength)
    head = Math.max(head, safe)
    return read
  }

  async function* follow(after: number, signal?: AbortSignal): AsyncGenerator<readonly Event[]> {
    let at = after
    while (!closed && !signal?.aborted) {
      const batch = await page(at)
      const last = batch.at(-1)
      if (last) {
        yield batch
        at = last.cursor
      } else if (shared || at >= head) await newer(signal)
      else at = head
    }
  }

  return {
    publish,
    head: () => head,
    follow,
    close() {
      closed = true
      alarm?.cancel()
      wakeAll()
    },
  }
}

function fromMemory(events: readonly Event[], after: number): readonly Event[] {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as Event).cursor <= after) low = middle + 1
    else high = middle
  }
  return events.slice(low, low + pageLength)
}

/** A cheap stand-in for its size: the lengths of the texts one and two levels down. */
function sizeOf(event: Event): number {
  let units = 200
  for (const value of Object.values(event.data)) {
    if (typeof value === 'string') units += value.length
    else if (value && typeof value === 'object')
      for (const inner of Object.values(value)) if (typeof inner === 'string') units += inner.length
  }
  return units
}
