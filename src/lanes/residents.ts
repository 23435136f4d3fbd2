// The lanes that are in memory: opened when something comes, in slices (T31); dropped when a commit is refused, and opened again
// with a growing delay (T36); put out when they rest and there are too many.
import type { Alarm, Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { AskId, LaneId, NewId, NodeId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Head, Post } from '../journal/commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Engine, Priority } from './engine.ts'
import { type Lane, laneOf } from './lane.ts'
import type { LiveWords } from './live.ts'
import { priorityOf } from './mailbox.ts'
import { type Loaded, load, lostDelegations, restartLimit } from './open.ts'
import type { ChainLimits } from './post.ts'
import { openPump } from './pump.ts'
import { openWriter } from './write.ts'

export type ResidentsOptions = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly node: NodeId
  readonly log: Log
  readonly live: LiveWords
  readonly limits: ChainLimits
  readonly graceMs: number
  readonly maxOpen: number
  readonly engine: (name: string) => Engine | undefined
  readonly mayAct: () => boolean
  readonly lease?: LanesLease
  readonly timerSet: (due: number) => void
}

/** Where nodes share a store: the lease's length, and what must be left of it for an effect to start (L7). */
export type LanesLease = { readonly ttlMs: number; readonly marginMs: number }

export type Residents = {
  /** L8: that lane is here, idle, and nothing else is on its way to it. */
  mayStartWith(entry: Entry): boolean
  startWith(entry: Entry): void
  /** A post to that lane is on its way (1), or no longer (-1). */
  coming(lane: LaneId, change: 1 | -1): void
  resident(lane: LaneId): Lane | null
  start(): Promise<void>
  stop(): Promise<void>
  stats(): ResidentStats
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

/** Lanes claimed in one transaction. */
const sliceLength = 50
const firstDelayMs = 20
const longestDelayMs = 10_000
/** So many refused commits in a row close a lane to turns (T36). */
const quarantineAfter = 8
/** Where nodes share a store wake-ups may be lost: so often a node looks for lanes that nobody owns. */
const sweepMs = 1_000
const sweepLength = 100
/** Duplicates of these newest entries are known without asking the store. */
const recentLength = 64

export function openResidents(options: ResidentsOptions): Residents {
  const { journal, store, clock, node, log } = options
  const lanes = new Map<LaneId, Lane>()
  /** Waiting to be opened, with what was heard meanwhile. */
  const opening = new Map<LaneId, Entry[]>()
  const comings = new Map<LaneId, number>()
  const failures = new Map<LaneId, number>()
  const quarantined = new Map<LaneId, string>()
  const recent = new Map<LaneId, Set<string>>()
  let wanted: LaneId[] = []
  let opener: Promise<void> | null = null
  let turns = 0
  let sweeping: Alarm | null = null
  let stopped = true

  const pump = openPump({ work, now: () => performance.now() })

  // ---- hearing ------------------------------------------------------------------------------------------------------------------

  function hear(posts: readonly Post[]): void {
    if (stopped) return
    for (const { entry } of posts) {
      const lane = lanes.get(entry.lane)
      if (lane) {
        lane.hear(entry)
        pump.add(lane.id, priorityOf(entry))
      } else if (opening.has(entry.lane)) opening.get(entry.lane)?.push(entry)
      else if (!entry.held) want(entry.lane)
    }
  }

  function coming(lane: LaneId, change: 1 | -1): void {
    const left = (comings.get(lane) ?? 0) + change
    if (left > 0) comings.set(lane, left)
    else comings.delete(lane)
  }

  function mayStartWith(entry: Entry): boolean {
    const lane = lanes.get(entry.lane)
    if (stopped || !lane || entry.held || journal.readOnly || comings.has(entry.lane) || !lane.quiet()) return false
    return !recent.get(entry.lane)?.has(entry.id)
  }

  function startWith(entry: Entry): void {
    const known = recent.get(entry.lane) ?? new Set()
    recent.set(entry.lane, known.add(entry.id))
    if (known.size > recentLength) known.delete(known.values().next().value ?? '')
    turns += 1
    lanes.get(entry.lane)?.startWith(entry)
  }

  // ---- opening ------------------------------------------------------------------------------------------------------------------

  function want(lane: LaneId): void {
    if (stopped || lanes.has(lane) || opening.has(lane) || quarantined.has(lane)) return
    opening.set(lane, [])
    wanted.push(lane)
    opener ??= openAll().finally(() => {
      opener = null
    })
  }

  async function openAll(): Promise<void> {
    await new Promise<void>((next) => setImmediate(next))
    while (wanted.length > 0 && !stopped) {
      const slice = wanted.slice(0, sliceLength)
      wanted = wanted.slice(sliceLength)
      try {
        await openSlice(slice)
      } catch (thrown) {
        log('error', 'lanes could not be opened', { why: messageOf(thrown), lanes: slice.length })
        for (const lane of slice) later(lane, messageOf(thrown))
      }
    }
  }

  async function openSlice(slice: readonly LaneId[]): Promise<void> {
    const heads = await store.claim(slice, node)
    const loaded = await Promise.all([...heads].map(async ([id, head]) => ({ id, head, from: await load(store, id) })))
    for (const id of slice) if (!heads.has(id)) opening.delete(id)
    for (const { id, head, from } of loaded) {
      if (!opening.has(id) || stopped) continue
      const lane = build(id, head, from)
      lanes.set(id, lane)
      for (const entry of opening.get(id) ?? []) lane.hear(entry)
      opening.delete(id)
      resume(lane)
      for (const ask of await lostDelegations(store, from.state)) lane.undelivered(ask as AskId)
    }
    putOut()
  }

  function build(id: LaneId, head: Head, from: Loaded): Lane {
    const writer = openWriter({
      ...options,
      lane: id,
      epoch: head.epoch,
      seq: from.seq,
      state: from.state,
      refused: (reason) => drop(id, head.epoch, reason),
      committed: () => void failures.delete(id),
      onItsWay: (posts, change) => {
        for (const post of posts) coming(post.entry.lane, change)
      },
      undelivered: ({ entry }) => {
        if (entry.replyTo) lanes.get(entry.replyTo.lane)?.undelivered(entry.replyTo.ask)
      },
    })
    return laneOf({
      core: {
        id,
        journal,
        clock,
        newId: options.newId,
        live: options.live,
        limits: options.limits,
        timerSet: options.timerSet,
        mayAct: () => {
          if (options.mayAct()) return true
          abandon(id, head.epoch)
          return false
        },
      },
      epoch: head.epoch,
      writer,
      inbox: from.waiting,
      held: from.held,
      bodies: from.bodies,
      engine: options.engine,
      graceMs: options.graceMs,
      ready: () => pump.add(id, priorityNow(lanes.get(id))),
      settled: () => putOutSoon(),
    })
  }

  /** A turn that was running goes on by replay, so often as it brings something new (L5, T21). */
  function resume(lane: Lane): void {
    const { turn, halted } = lane.state()
    if (turn && !turn.parked && !turn.paused && !turn.stopping && !halted) lane.restarted(turn.restarts + 1, restartLimit)
    pump.add(lane.id, priorityNow(lane))
  }

  // ---- working ------------------------------------------------------------------------------------------------------------------

  function work(id: LaneId): void {
    const lane = lanes.get(id)
    if (!lane || stopped) return
    try {
      if (lane.settleDown()) {
        turns += 1
        lane.startTurn()
      }
    } catch (thrown) {
      log('error', 'a lane failed', { lane: id, why: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined })
      drop(id, lane.epoch, messageOf(thrown))
    }
  }

  // ---- leaving memory -----------------------------------------------------------------------------------------------------------

  function abandon(id: LaneId, epoch: number): boolean {
    const lane = lanes.get(id)
    if (!lane || lane.epoch !== epoch) return false
    lane.abandon()
    lanes.delete(id)
    recent.delete(id)
    options.live.end(id)
    return true
  }

  /** Nothing is repaired in place: out of memory, and opened again from the journal (L3). */
  function drop(id: LaneId, epoch: number, reason: string): void {
    if (!abandon(id, epoch)) return
    log('warn', 'a commit was refused; the lane is opened again', { lane: id, reason })
    later(id, reason)
  }

  function later(id: LaneId, reason: string): void {
    opening.delete(id)
    if (stopped) return
    const count = (failures.get(id) ?? 0) + 1
    failures.set(id, count)
    if (count >= quarantineAfter) return quarantine(id, reason)
    const delay = count === 1 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** count)
    if (delay === 0) setImmediate(() => want(id))
    else clock.after(delay, () => want(id))
  }

  function quarantine(id: LaneId, reason: string): void {
    quarantined.set(id, reason)
    log('error', 'a lane cannot commit: it accepts messages, but starts no turn until the hub is started again', { lane: id, reason })
  }

  function putOutSoon(): void {
    if (lanes.size > options.maxOpen) setImmediate(putOut)
  }

  /** The longest known lanes first; those that rest. */
  function putOut(): void {
    let excess = lanes.size - options.maxOpen
    if (excess <= 0) return
    const left: LaneId[] = []
    for (const [id, lane] of lanes) {
      if (excess <= 0) break
      if (!lane.resting() || comings.has(id)) continue
      abandon(id, lane.epoch)
      left.push(id)
      excess -= 1
    }
    if (left.length > 0)
      store.release(left, node).catch((thrown: unknown) => log('warn', 'lanes could not be given up', { why: messageOf(thrown) }))
  }

  // ---- looking for what nobody owns -----------------------------------------------------------------------------------------------

  function sweepSoon(): void {
    if (!options.lease || stopped) return
    sweeping = clock.after(sweepMs, () => {
      sweep(sweepLength)
        .catch((thrown: unknown) => log('warn', 'lanes without an owner could not be looked for', { why: messageOf(thrown) }))
        .finally(sweepSoon)
    })
  }

  async function sweep(limit: number): Promise<void> {
    if (options.mayAct()) for (const lane of await store.unfinished(node, limit)) want(lane)
  }

  journal.onPosted(hear)
  return {
    mayStartWith,
    startWith,
    coming,
    resident: (lane) => lanes.get(lane) ?? null,
    async start() {
      stopped = false
      await sweep(Number.MAX_SAFE_INTEGER)
      sweepSoon()
    },
    async stop() {
      stopped = true
      pump.stop()
      sweeping?.cancel()
      const ids = [...lanes.keys()]
      for (const [id, lane] of lanes) abandon(id, lane.epoch)
      await opener
      await store.release(ids, node).catch(() => undefined)
    },
    stats() {
      let running = 0
      let waiting = 0
      for (const lane of lanes.values()) {
        const { turn } = lane.state()
        if (turn?.parked || turn?.paused) waiting += 1
        else if (turn) running += 1
      }
      return { open: lanes.size, running, waiting, turns, quarantined: [...quarantined].map(([lane, why]) => ({ lane, why })) }
    },
  }
}

/** Of its open turn, else of what waits. */
function priorityNow(lane: Lane | undefined): Priority {
  const { turn } = lane?.state() ?? { turn: null }
  const first = lane?.inbox()[0]
  return turn?.priority ?? (first ? priorityOf(first) : 'background')
}
