// Which lanes are to be opened next, in slices (T31), and which have to wait: a lane whose commits are refused is opened again with
// a growing delay, and closed to turns in the end (T36).
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { AskId, LaneId, NodeId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../journal/commit.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Entry } from '../protocol/entry.ts'
import { type Loaded, load, lostDelegations } from './open.ts'

/** Lanes claimed in one transaction. */
const sliceLength = 50
const firstDelayMs = 20
const longestDelayMs = 10_000
/** When the store could not be read: that is nobody's fault, and is tried for as long as it lasts. */
const unreadableMs = 1_000
/** So many refused commits in a row close a lane to turns. */
const quarantineAfter = 8

/** A lane that is claimed and read. */
export type Opened = Loaded & {
  readonly head: Head
  /** What came in meanwhile. */
  readonly heard: readonly Entry[]
  /** Asks whose request did not arrive. */
  readonly lost: readonly AskId[]
}

export type OpeningOptions = {
  readonly store: JournalStore
  readonly clock: Clock
  readonly node: NodeId
  readonly log: Log
  readonly opened: (lane: LaneId, from: Opened) => void
  readonly isOpen: (lane: LaneId) => boolean
}

export class Opening {
  readonly #given: OpeningOptions
  /** Waiting to be opened, or being opened, with what was heard meanwhile. */
  readonly #wanted = new Map<LaneId, Entry[]>()
  readonly #failures = new Map<LaneId, number>()
  readonly #quarantined = new Map<LaneId, string>()
  #queue: LaneId[] = []
  #work: Promise<void> | null = null
  #stopped = false

  constructor(given: OpeningOptions) {
    this.#given = given
  }

  get quarantined(): readonly { readonly lane: LaneId; readonly why: string }[] {
    return [...this.#quarantined].map(([lane, why]) => ({ lane, why }))
  }

  want(lane: LaneId): void {
    if (this.#stopped || this.#given.isOpen(lane) || this.#wanted.has(lane) || this.#quarantined.has(lane)) return
    this.#wanted.set(lane, [])
    this.#queue.push(lane)
    this.#start()
  }

  /** An entry for a lane that isn't open: kept when it is on its way, else a reason to open it. */
  hear(entry: Entry): void {
    const heard = this.#wanted.get(entry.lane)
    if (heard) heard.push(entry)
    else if (!entry.held) this.want(entry.lane)
  }

  /** A commit of that lane went through. */
  committed(lane: LaneId): void {
    this.#failures.delete(lane)
  }

  /** A commit of that lane was refused: open it again, later each time. */
  refused(lane: LaneId, reason: string): void {
    this.#wanted.delete(lane)
    if (this.#stopped) return
    const count = (this.#failures.get(lane) ?? 0) + 1
    this.#failures.set(lane, count)
    if (count >= quarantineAfter) return this.#quarantine(lane, reason)
    const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** count)
    if (count === 1) setImmediate(() => this.want(lane))
    else this.#given.clock.after(delay, () => this.want(lane))
  }

  /** Resolves when nothing waits to be opened. */
  async done(): Promise<void> {
    while (this.#work) await this.#work
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#work
  }

  #quarantine(lane: LaneId, reason: string): void {
    this.#quarantined.set(lane, reason)
    const what = 'a lane cannot commit: it accepts messages, but starts no turn until the hub is started again'
    this.#given.log('error', what, { lane, reason })
  }

  #start(): void {
    this.#work ??= this.#openAll().finally(() => {
      this.#work = null
      if (this.#queue.length > 0 && !this.#stopped) this.#start()
    })
  }

  async #openAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stopped) {
      // The loop is given back before each slice: lanes that are open need not wait for those behind them.
      await new Promise<void>((next) => setImmediate(next))
      if (this.#stopped) return
      const slice = this.#queue.slice(0, sliceLength)
      this.#queue = this.#queue.slice(sliceLength)
      try {
        await this.#openSlice(slice)
      } catch (thrown) {
        this.#given.log('error', 'lanes could not be opened', { why: messageOf(thrown), lanes: slice.length })
        for (const lane of slice) if (this.#wanted.delete(lane)) this.#given.clock.after(unreadableMs, () => this.want(lane))
      }
    }
  }

  async #openSlice(slice: readonly LaneId[]): Promise<void> {
    const { store, node } = this.#given
    const heads = await store.claim(slice, node)
    for (const lane of slice) if (!heads.has(lane)) this.#wanted.delete(lane)
    for (const read of await Promise.all([...heads].map(([lane, head]) => this.#read(lane, head)))) {
      const heard = this.#wanted.get(read.lane)
      if (!heard || this.#stopped) continue
      this.#wanted.delete(read.lane)
      this.#given.opened(read.lane, { ...read, heard })
    }
  }

  async #read(lane: LaneId, head: Head): Promise<Omit<Opened, 'heard'> & { readonly lane: LaneId }> {
    const from = await load(this.#given.store, lane)
    return { ...from, lane, head, lost: await lostDelegations(this.#given.store, from.state) }
  }
}
