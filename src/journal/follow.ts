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

export type TailOptions = {
  readonly store: JournalStore
  readonly clock: Clock
  readonly head: number
  /** Other nodes write too: what passes here is not all, so the store is asked. */
  readonly shared: boolean
}

export class Tail {
  readonly #given: TailOptions
  #head: number
  /** Every event after this cursor is in memory. */
  #covered: number
  #events: Event[] = []
  #units = 0
  #wakers: (() => void)[] = []
  #alarm: Alarm | null = null
  #closed = false

  constructor(given: TailOptions) {
    this.#given = given
    this.#head = given.head
    this.#covered = given.head
  }

  /** The newest cursor that followers may see. */
  get head(): number {
    return this.#head
  }

  publish(batch: readonly Event[]): void {
    const last = batch.at(-1)
    if (!last) return
    this.#head = Math.max(this.#head, last.cursor)
    if (!this.#given.shared) this.#keep(batch)
    this.#wakeAll()
  }

  async *follow(after: number, signal?: AbortSignal): AsyncGenerator<readonly Event[]> {
    let at = after
    while (!this.#closed && !signal?.aborted) {
      const batch = await this.#page(at)
      const last = batch.at(-1)
      if (last) {
        yield batch
        at = last.cursor
      } else if (this.#given.shared || at >= this.#head) await this.#newer(signal)
      else at = this.#head
    }
  }

  close(): void {
    this.#closed = true
    this.#alarm?.cancel()
    this.#wakeAll()
  }

  #keep(batch: readonly Event[]): void {
    for (const event of batch) {
      this.#events.push(event)
      this.#units += sizeOf(event)
    }
    if (this.#events.length <= tailLength + slack && this.#units <= tailUnits) return
    let drop = 0
    while (drop < this.#events.length - 1 && (this.#events.length - drop > tailLength || this.#units > tailUnits)) {
      this.#units -= sizeOf(this.#events[drop++] as Event)
    }
    this.#covered = (this.#events[drop - 1] as Event).cursor
    this.#events = this.#events.slice(drop)
  }

  async #page(after: number): Promise<readonly Event[]> {
    if (!this.#given.shared && after >= this.#covered) return after >= this.#head ? [] : fromMemory(this.#events, after)
    const { events, safe } = await this.#given.store.readAll(after, pageLength)
    this.#head = Math.max(this.#head, safe)
    return events
  }

  #newer(signal: AbortSignal | undefined): Promise<void> {
    if (this.#given.shared) this.#alarm ??= this.#given.clock.after(pollMs, () => this.#poll())
    return new Promise((resolve) => {
      if (this.#closed || signal?.aborted) return resolve()
      const wake = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        this.#wakers = this.#wakers.filter((other) => other !== wake)
        resolve()
      }
      this.#wakers.push(wake)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  #poll(): void {
    this.#alarm = null
    this.#wakeAll()
  }

  #wakeAll(): void {
    const woken = this.#wakers
    this.#wakers = []
    for (const wake of woken) wake()
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
