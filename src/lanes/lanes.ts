// The lanes: one single writer per process. Its mailbox, its turns, its events.
// Owns: the state machine of a lane, turns and their replay, asks, timers, priorities, leases. Leaves tables to store/*, what a
// turn does to engines/*, who may post to the edges. The rules L1 to L14 stand in docs/spec.md; tests carry their ids.
//
// Read in this order: engine.ts (what a turn is), events.ts (what is recorded), state.ts (what is folded), lane.ts (the single
// writer), run.ts and turn-*.ts (an engine's run), settle.ts (how a turn ends), residents.ts (which lanes are in memory) and pump.ts
// (who is next). Edges name their entries with entry-id.ts.
import type { Clock } from '../base/clock.ts'
import { InvalidInput } from '../base/errors.ts'
import { laneOf, type NewId, type NodeId, type ProcessId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Posted } from '../journal/commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Actor } from '../protocol/actor.ts'
import { type Entry, isWork } from '../protocol/entry.ts'
import { createProcess } from './create.ts'
import type { Engine, ProcessInfo } from './engine.ts'
import { type LanesLease, openLease } from './lease.ts'
import { type Live, openLive } from './live.ts'
import { type LaneView, viewOf } from './look.ts'
import { arrival, type ChainLimits, defaultChainLimits } from './post.ts'
import { type ResidentStats, Residents } from './residents.ts'
import { openTimers } from './timers.ts'

export type Lanes = {
  /** Makes a process and its lane; the cursor is that of its process-created event. */
  create(process: ProcessInfo, by: Actor): Promise<{ readonly cursor: number }>
  /**
   * Puts an entry into a mailbox. Durable when it resolves; known ids are answered as duplicate, with what was accepted then.
   * `limit` (edges only): at most so many entries may wait there. Rejects with InvalidInput for a blank id.
   */
  post(entry: NewEntry, options?: { readonly limit?: number }): Promise<Posted>
  /** What is going on in that process's lane, null when there is none. Claims nothing. */
  look(process: ProcessId): Promise<LaneView | null>
  /** Live words and progress of a session's lanes. */
  readonly live: Live
  registerEngine(engine: Engine): void
  /** Starts the pump, the timers and the heartbeat, and looks at what was unfinished. Resolves when all of that is known, not done. */
  start(): Promise<void>
  /** Gives up its lanes; running steps are cut short and done again at the next start. Idempotent. */
  stop(): Promise<void>
  stats(): ResidentStats
}

/** An entry without what the lanes fill in: the chain of a root, and the time. */
export type NewEntry = Omit<Entry, 'chain' | 'at'> & { readonly chain?: Entry['chain']; readonly at?: number }

export type LanesOptions = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly node: NodeId
  readonly log: Log
  /** Asked each time. Default: three deep, fifty long. */
  readonly limits?: () => ChainLimits
  /** See LaneCore; absent: texts stay as they are. */
  readonly scrub?: (text: string) => string
  /** The store is an older copy of itself: open turns are held until a person says go (T32). */
  readonly restored?: boolean
  /** How long an engine may take to end after a stop (L11). */
  readonly graceMs?: number
  /** Lanes kept in memory when they rest. */
  readonly maxOpen?: number
  /** Milliseconds that only go on, for sharing out a tick; default: the machine's. */
  readonly monotonic?: () => number
  readonly lease?: LanesLease
}

export function openLanes(options: LanesOptions): Lanes {
  const { journal, store, clock, newId } = options
  const engines = new Map<string, Engine>()
  const live = openLive()
  const lease = openLease(options)
  const timers = openTimers({ store, clock, log: options.log, post: (entry) => post(entry) })
  const residents = new Residents({
    ...options,
    live,
    scrub: options.scrub ?? ((text) => text),
    limits: options.limits ?? (() => defaultChainLimits),
    graceMs: options.graceMs ?? 900,
    maxOpen: options.maxOpen ?? 1_000,
    engine: (name) => engines.get(name),
    mayAct: lease.mayAct,
    timerSet: timers.set,
  })

  function post(given: NewEntry, limits?: { readonly limit?: number }): Promise<Posted> {
    if (given.id.trim() === '')
      return Promise.reject(new InvalidInput('An entry needs an id, by which a second sending is known.', { path: '/id' }))
    const entry: Entry = { ...given, chain: given.chain ?? { root: given.id, depth: 0, hops: 0 }, at: given.at ?? clock.now() }
    const starts = isWork(entry.body) && residents.mayStartWith(entry)
    residents.coming(entry.lane, 1)
    const posted = journal.post({ entry, event: arrival(entry, newId) }, limits)
    if (starts) residents.startWith(entry)
    return posted.finally(() => residents.coming(entry.lane, -1))
  }

  return {
    create: (process, by) => createProcess(options, process, by),
    post,
    async look(process) {
      return viewOf(store, laneOf(process), residents.resident(laneOf(process)))
    },
    live,
    registerEngine: (engine) => void engines.set(engine.name, engine),
    async start() {
      await lease.start()
      await residents.start()
      await timers.start()
    },
    async stop() {
      timers.stop()
      await residents.stop()
      lease.stop()
    },
    stats: () => residents.stats(),
  }
}

export type { Engine, ProcessInfo } from './engine.ts'
export type { Live, LiveFrame } from './live.ts'
export type { LaneView } from './look.ts'
export { type ChainLimits, defaultChainLimits, overLimits } from './post.ts'
export type { ResidentStats as LaneStats } from './residents.ts'
