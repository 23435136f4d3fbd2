// The lanes that are in memory: they hear what is posted, are given their turn by the pump, are dropped when a commit is refused
// (L3), and leave when they rest and there are too many.
import type { Alarm, Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { LaneId, NewId, NodeId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Head, Post } from '../journal/commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Engine, Priority } from './engine.ts'
import { Lane } from './lane.ts'
import type { LanesLease } from './lease.ts'
import type { LiveWords } from './live.ts'
import { priorityOf } from './mailbox.ts'
import { type Loaded, load, restartLimit } from './open.ts'
import { type Opened, Opening } from './opening.ts'
import type { ChainLimits } from './post.ts'
import { openPump, type Pump } from './pump.ts'
import { waitsOn } from './state.ts'
import { Writer } from './write.ts'

export type ResidentsOptions = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly node: NodeId
  readonly log: Log
  readonly live: LiveWords
  readonly scrub: (text: string) => string
  readonly limits: () => ChainLimits
  readonly graceMs: number
  readonly maxOpen: number
  /** The store is an older copy of itself: open turns are held until a person says go (T32). */
  readonly restored?: boolean
  readonly engine: (name: string) => Engine | undefined
  readonly mayAct: () => boolean
  /** Milliseconds that only go on, for sharing out a tick; default: the machine's. */
  readonly monotonic?: () => number
  readonly lease?: LanesLease
  readonly timerSet: (due: number) => void
}

export type ResidentStats = {
  /** Lanes in memory, and of these: with a turn that runs, with one that waits for something outside. */
  readonly open: number
  readonly running: number
  readonly waiting: number
  /** Turns started since the hub started. */
  readonly turns: number
  /** Lanes that can't commit, each with its reason. */
  readonly quarantined: readonly { readonly lane: LaneId; readonly why: string }[]
}

/** Where nodes share a store wake-ups may be lost: so often a node looks for lanes that nobody owns. */
const sweepMs = 1_000
const sweepLength = 100
/** Duplicates of these newest entries are known without asking the store. */
const recentLength = 128

export class Residents {
  readonly #given: ResidentsOptions
  /** The one that was worked on last stands last. */
  readonly #lanes = new Map<LaneId, Lane>()
  /** How many posts are on their way to a lane (T37). */
  readonly #comings = new Map<LaneId, number>()
  readonly #recent = new Map<LaneId, Set<string>>()
  /** What lanes that are not in memory wait for, where that is known: they can't change without being opened. */
  readonly #away = new Map<LaneId, readonly LaneId[]>()
  /** After a restore: lanes that were opened since. */
  readonly #seen = new Set<LaneId>()
  readonly #opening: Opening
  readonly #pump: Pump
  #turns = 0
  #sweeping: Alarm | null = null
  /** The last lane of the page that was looked at before. */
  #sweptTo: LaneId | undefined
  #stopped = true

  constructor(given: ResidentsOptions) {
    this.#given = given
    this.#pump = openPump({ work: (lane) => this.#work(lane), now: given.monotonic ?? (() => performance.now()) })
    this.#opening = new Opening({ ...given, isOpen: (lane) => this.#lanes.has(lane), opened: (lane, from) => this.#opened(lane, from) })
    given.journal.onPosted((posts) => this.#hear(posts))
  }

  resident(lane: LaneId): Lane | null {
    return this.#lanes.get(lane) ?? null
  }

  /** A post to that lane is on its way (1), or no longer (-1). */
  coming(lane: LaneId, change: 1 | -1): void {
    const left = (this.#comings.get(lane) ?? 0) + change
    if (left > 0) this.#comings.set(lane, left)
    else this.#comings.delete(lane)
  }

  /** L8: that lane is here, idle, and nothing else is on its way to it. */
  mayStartWith(entry: Entry): boolean {
    const lane = this.#lanes.get(entry.lane)
    if (this.#stopped || !lane?.quiet || entry.held || this.#given.journal.readOnly || this.#comings.has(entry.lane)) return false
    return !this.#recent.get(entry.lane)?.has(entry.id)
  }

  startWith(entry: Entry): void {
    this.#remember(entry)
    this.#turns += 1
    this.#lanes.get(entry.lane)?.startWith(entry)
  }

  /** A second sending of it starts no turn: its commit would be refused. */
  #remember({ lane, id }: Entry): void {
    const known = this.#recent.get(lane) ?? new Set()
    this.#recent.set(lane, known.add(id))
    if (known.size > recentLength) known.delete(known.values().next().value ?? '')
  }

  async start(): Promise<void> {
    this.#stopped = false
    await this.#sweep(Number.MAX_SAFE_INTEGER)
    if (this.#given.restored) {
      await this.#opening.done()
      await Promise.all([...this.#lanes.values()].map((lane) => lane.durable()))
    }
    this.#sweepSoon()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#pump.stop()
    this.#sweeping?.cancel()
    const ids = [...this.#lanes.keys()]
    for (const [id, lane] of this.#lanes) this.#abandon(id, lane.epoch)
    await this.#opening.stop()
    await this.#given.store.release(ids, this.#given.node).catch(() => undefined)
  }

  stats(): ResidentStats {
    let running = 0
    let waiting = 0
    for (const { state } of this.#lanes.values()) {
      if (state.turn?.parked || state.turn?.paused) waiting += 1
      else if (state.turn) running += 1
    }
    return { open: this.#lanes.size, running, waiting, turns: this.#turns, quarantined: this.#opening.quarantined }
  }

  // ---- hearing and working --------------------------------------------------------------------------------------------------------

  #hear(posts: readonly Post[]): void {
    if (this.#stopped) return
    for (const { entry } of posts) {
      const lane = this.#lanes.get(entry.lane)
      if (lane) {
        this.#remember(entry)
        lane.hear(entry)
        this.#pump.add(lane.id, priorityOf(entry))
      } else this.#opening.hear(entry)
    }
  }

  #work(id: LaneId): void {
    const lane = this.#lanes.get(id)
    if (!lane || this.#stopped) return
    this.#lanes.delete(id)
    this.#lanes.set(id, lane)
    try {
      if (!lane.settleDown()) return
      this.#turns += 1
      lane.startTurn()
    } catch (thrown) {
      const stack = thrown instanceof Error ? thrown.stack : undefined
      this.#given.log('error', 'a lane failed', { lane: id, why: messageOf(thrown), stack })
      this.#drop(id, lane.epoch, messageOf(thrown))
    }
  }

  // ---- coming into memory -----------------------------------------------------------------------------------------------------------

  #opened(id: LaneId, from: Opened): void {
    const lane = this.#build(id, from)
    this.#lanes.set(id, lane)
    this.#away.delete(id)
    for (const entry of from.heard) lane.hear(entry)
    const { turn, halted } = lane.state
    // A turn that was running goes on by replay, so often as it brings something new (L5, T21).
    const isOld = this.#isOld(id)
    if (turn && isOld && !turn.paused && !turn.stopping) lane.hold()
    else if (turn && !turn.parked && !turn.paused && !turn.stopping && !halted) lane.restarted(turn.restarts + 1, restartLimit)
    for (const ask of from.lost) lane.undelivered(ask)
    this.#pump.add(id, priorityNow(lane))
    this.#putOut()
  }

  /** What is open in a lane that this hub sees for the first time after a restore was begun before it. */
  #isOld(id: LaneId): boolean {
    if (!this.#given.restored || this.#seen.has(id)) return false
    this.#seen.add(id)
    return true
  }

  #build(id: LaneId, from: Loaded & { readonly head: Head }): Lane {
    const { epoch } = from.head
    const writer = new Writer({
      ...this.#given,
      lane: id,
      epoch,
      seq: from.seq,
      state: from.state,
      refused: (reason) => this.#drop(id, epoch, reason),
      committed: () => this.#opening.committed(id),
      onItsWay: (posts, change) => {
        for (const post of posts) this.coming(post.entry.lane, change)
      },
      undelivered: ({ entry: { replyTo } }) => replyTo && this.#lanes.get(replyTo.lane)?.undelivered(replyTo.ask),
    })
    return new Lane({
      core: { ...this.#given, id, epoch, mayAct: () => this.#mayAct(id, epoch) },
      epoch,
      writer,
      inbox: from.waiting,
      held: from.held,
      bodies: from.bodies,
      engine: this.#given.engine,
      graceMs: this.#given.graceMs,
      waitsFor: (lane) => this.#reaches(id, lane),
      ready: () => this.#pump.add(id, priorityNow(this.#lanes.get(id))),
      settled: () => this.#lanes.size > this.#given.maxOpen && setImmediate(() => this.#putOut()),
    })
  }

  /** With too little of the lease left no effect starts, and the lane is left to whoever claims it next (L7). */
  #mayAct(id: LaneId, epoch: number): boolean {
    if (this.#given.mayAct()) return true
    this.#abandon(id, epoch)
    return false
  }

  /**
   * Follows what lanes wait for; one that nothing is known of is read, and the question is asked again then. Where nodes share a
   * store only the own lanes count: what is known of others may be old.
   */
  #reaches(from: LaneId, to: LaneId): boolean {
    const isShared = this.#given.lease !== undefined
    const seen = new Set([from])
    for (const id of seen) {
      const next = this.#lanes.get(id)?.waitsOn ?? (isShared ? [] : this.#away.get(id))
      if (!next) this.#readAway(id, from)
      if (next?.includes(to)) return true
      for (const lane of next ?? []) seen.add(lane)
    }
    return false
  }

  #readAway(id: LaneId, asker: LaneId): void {
    const { store, log } = this.#given
    load(store, id).then(
      ({ state }) => {
        if (!this.#lanes.has(id)) this.#away.set(id, waitsOn(state))
        this.#pump.add(asker, priorityNow(this.#lanes.get(asker)))
      },
      (thrown: unknown) => log('warn', 'what a lane waits for could not be read', { lane: id, why: messageOf(thrown) }),
    )
  }

  // ---- leaving memory ---------------------------------------------------------------------------------------------------------------

  /** False when that lane is not here in that epoch. */
  #abandon(id: LaneId, epoch: number): boolean {
    const lane = this.#lanes.get(id)
    if (!lane || lane.epoch !== epoch) return false
    if (lane.waitsOn.length > 0) this.#away.set(id, lane.waitsOn)
    lane.abandon()
    this.#lanes.delete(id)
    this.#recent.delete(id)
    this.#given.live.end(id)
    return true
  }

  /** Nothing is repaired in place: out of memory, and opened again from the journal (L3). */
  #drop(id: LaneId, epoch: number, reason: string): void {
    if (!this.#abandon(id, epoch)) return
    this.#given.log('warn', 'a commit was refused; the lane is opened again', { lane: id, reason })
    this.#opening.refused(id, reason)
  }

  /** Those that rest, the longest unused first. */
  #putOut(): void {
    const { maxOpen, store, node, log } = this.#given
    const left: LaneId[] = []
    for (const [id, lane] of this.#lanes) {
      if (this.#lanes.size <= maxOpen) break
      if (lane.resting && !this.#comings.has(id) && this.#abandon(id, lane.epoch)) left.push(id)
    }
    if (left.length === 0) return
    store.release(left, node).catch((thrown: unknown) => log('warn', 'lanes could not be given up', { why: messageOf(thrown) }))
  }

  // ---- looking for what nobody owns -------------------------------------------------------------------------------------------------

  #sweepSoon(): void {
    const { lease, clock, log } = this.#given
    if (!lease || this.#stopped) return
    this.#sweeping = clock.after(sweepMs, () => {
      this.#sweep(sweepLength)
        .catch((thrown: unknown) => log('warn', 'lanes without an owner could not be looked for', { why: messageOf(thrown) }))
        .finally(() => this.#sweepSoon())
    })
  }

  /** Lanes that nobody owns are opened; own ones that have work are looked at, since other nodes post to them too (T6). */
  async #sweep(limit: number): Promise<void> {
    const { store, node, mayAct } = this.#given
    if (!mayAct()) return
    const found = await store.unfinished(node, limit, this.#sweptTo)
    this.#sweptTo = found.length < limit ? undefined : found.at(-1)
    for (const id of found) {
      const lane = this.#lanes.get(id)
      if (lane) await this.#lookInto(lane)
      else this.#opening.want(id)
    }
    const due = await store.nextDue()
    if (due !== null) this.#given.timerSet(due)
  }

  async #lookInto(lane: Lane): Promise<void> {
    const { state } = lane
    const waiting = await this.#given.store.waiting(lane.id)
    if (lane.state === state && lane.notice(waiting)) this.#pump.add(lane.id, priorityNow(lane))
  }
}

/** Of its open turn, else of what waits. */
function priorityNow(lane: Lane | undefined): Priority {
  const first = lane?.inbox[0]
  return lane?.state.turn?.priority ?? (first ? priorityOf(first) : 'background')
}
