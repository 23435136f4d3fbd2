// A lane in memory: the single writer of its process. It takes what the mailbox brings, starts and ends turns, and is dropped
// whole when a commit is refused (L3). Everything that happens here happens in one tick after another, never at once.
import type { Alarm } from '../base/clock.ts'
import type { AskId, EntryId, LaneId } from '../base/ids.ts'
import { type Entry, isWork } from '../protocol/entry.ts'
import { decideControl, refused, timerOf } from './control.ts'
import type { LaneCore } from './core.ts'
import { draft } from './draft.ts'
import type { Answer, Engine } from './engine.ts'
import { joinablePrefix, startingPrefix } from './mailbox.ts'
import { EngineRun } from './run.ts'
import { type End, refusal, settling } from './settle.ts'
import { starting } from './starting.ts'
import { type LaneState, waitsOn } from './state.ts'
import type { Write, Writer } from './write.ts'

/** Why a request was answered without a turn, for who asked. */
const closed = 'the process was closed'
const withdrawn = 'the request was taken back'
const cycle = 'the process that was asked waits for the one that asks'

export type LaneParts = {
  readonly core: Omit<LaneCore, 'inbox' | 'took' | 'body' | 'state' | 'write'>
  readonly epoch: number
  readonly writer: Writer
  /** What waits, control included, in commit order. */
  readonly inbox: readonly Entry[]
  readonly held: readonly Entry[]
  /** Bodies of what the open turn took. */
  readonly bodies: ReadonlyMap<EntryId, Entry>
  readonly engine: (name: string) => Engine | undefined
  readonly graceMs: number
  /** Whether this lane waits for that one, directly or through others. */
  readonly waitsFor: (lane: LaneId) => boolean
  /** Something could be done: give it a turn of the pump. */
  readonly ready: () => void
  readonly settled: (end: End) => void
}

export class Lane {
  readonly id: LaneId
  readonly epoch: number
  readonly #parts: LaneParts
  readonly #writer: Writer
  readonly #core: LaneCore
  readonly #bodies: Map<EntryId, Entry>
  /** Held until a person lets them go on (L10). */
  readonly #held: Map<EntryId, Entry>
  /** In the inbox before the mailbox announced them. */
  readonly #known: Set<EntryId>
  readonly #control: Entry[]
  #inbox: Entry[]
  #run: EngineRun | null = null
  #grace: Alarm | null = null
  #gone = false

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#writer = parts.writer
    this.id = parts.core.id
    this.epoch = parts.epoch
    this.#bodies = new Map(parts.bodies)
    this.#held = new Map(parts.held.map((entry) => [entry.id, entry]))
    this.#known = new Set(parts.inbox.map((entry) => entry.id))
    this.#inbox = parts.inbox.filter((entry) => isWork(entry.body))
    this.#control = parts.inbox.filter((entry) => !isWork(entry.body))
    this.#core = {
      ...parts.core,
      state: () => this.#writer.state(),
      write: (write) => this.#write(write),
      inbox: () => this.#inbox,
      took: (entries) => this.#took(entries),
      body: (entry) => this.#body(entry),
    }
  }

  get state(): LaneState {
    return this.#writer.state()
  }

  get inbox(): readonly Entry[] {
    return this.#inbox
  }

  /** The lanes whose answer the open turn wants. */
  get waitsOn(): readonly LaneId[] {
    return waitsOn(this.state)
  }

  /** Resolves when the state may be shown. */
  durable(): Promise<unknown> {
    return this.#writer.durable()
  }

  /** Nothing under way, nothing that could start: it may leave memory. */
  get resting(): boolean {
    const isStill = !this.#run && this.#control.length === 0 && this.#writer.inFlight() === 0
    return isStill && !this.#canStart() && !this.#isRunnable()
  }

  /** Nothing is in flight and nothing waits: a post may share its commit with the turn that it starts (L8). */
  get quiet(): boolean {
    const { turn, halted } = this.state
    return !this.#gone && !turn && !halted && this.#inbox.length + this.#control.length === 0 && this.#writer.inFlight() === 0
  }

  /** From the mailbox, in commit order, after the commit. Known ones are passed over. */
  hear(entry: Entry): void {
    if (this.#gone || this.#known.delete(entry.id)) return
    if (entry.held) this.#held.set(entry.id, entry)
    else if (isWork(entry.body)) this.#inbox.push(entry)
    else this.#control.push(entry)
  }

  /**
   * What waits in the store, read since the state last changed: entries that other nodes posted are heard so. True when there
   * was one. While something is in flight nothing can be said.
   */
  notice(waiting: readonly Entry[]): boolean {
    if (this.#gone || this.#writer.inFlight() > 0) return false
    const here = new Set([...this.#inbox, ...this.#control].map((entry) => entry.id))
    const fresh = waiting.filter((entry) => !here.has(entry.id))
    for (const entry of fresh) this.#known.add(entry.id)
    this.#control.push(...fresh.filter((entry) => !isWork(entry.body)))
    const there = new Set(waiting.map((entry) => entry.id))
    this.#inbox = [...waiting.filter((entry) => isWork(entry.body)), ...this.#inbox.filter((entry) => !there.has(entry.id))]
    return fresh.length > 0
  }

  /** A delegation did not reach its lane: who waits for it is told. */
  undelivered(ask: AskId): void {
    const { turn } = this.state
    const open = turn?.asks[ask]
    if (this.#gone || !turn || !open || open.answer) return
    const answer: Answer = { kind: 'answer', ask, outcome: 'undeliverable', value: null, by: 'system' }
    void this.#write({
      events: [draft('ask-answered', { turn: turn.id, answer }, 'system')],
      clearTimers: open.due === null ? [] : [timerOf(ask)],
    })
    this.#parts.ready()
  }

  /** The machine or the owner changed while a turn ran: recorded, or the turn given up after `limit` fruitless restarts (L5). */
  restarted(restarts: number, limit: number): void {
    const { turn } = this.state
    if (!turn) return
    if (restarts > limit) {
      const error = 'it was interrupted three times without getting any further'
      return this.#settle({ outcome: 'failed', error, code: 'interrupted' })
    }
    void this.#write({ events: [draft('turn-resumed', { turn: turn.id, restarts })] })
  }

  /** After a restore: what the turn did in the lost hours would be done again, so a person must say go (T32). */
  hold(): void {
    const { turn } = this.state
    if (turn) void this.#write({ events: [draft('turn-paused', { turn: turn.id, by: 'system' }, 'system')] })
  }

  /** Carries out control, refuses what can't be, continues or wakes the open turn. True when a new turn could start. */
  settleDown(): boolean {
    while (this.#control.length > 0 && !this.#gone) this.#carryOut(this.#control.shift() as Entry)
    if (this.#gone) return false
    const { turn, halted } = this.state
    if (!turn && halted === 'closed') this.#turnAway()
    if (!turn) return this.#canStart()
    if (turn.parked) this.#breakCycles()
    if (this.#run) this.#run.poke()
    else if (this.#isRunnable()) this.#go()
    return false
  }

  /** Starts a turn over the oldest work, when there is some and none is open. */
  startTurn(): void {
    if (this.#gone || !this.#canStart()) return
    this.#begin(startingPrefix(this.#inbox))
  }

  /** The edge's shortcut (L8): this entry is posted in this tick and nothing else is on its way. */
  startWith(entry: Entry): void {
    this.#known.add(entry.id)
    this.#inbox.push(entry)
    this.#begin([entry])
  }

  /** Leaves memory; a run is thrown away. */
  abandon(): void {
    this.#gone = true
    this.#grace?.cancel()
    this.#run?.abandon()
    this.#run = null
  }

  // ---- the mailbox --------------------------------------------------------------------------------------------------------------

  #write(write: Write): Promise<boolean> {
    if (this.#gone) return Promise.resolve(false)
    const durable = this.#writer.write(write)
    for (const timer of write.setTimers ?? []) void durable.then((ok) => ok && this.#core.timerSet(timer.due))
    return durable
  }

  #took(entries: readonly Entry[]): void {
    for (const entry of entries) this.#bodies.set(entry.id, entry)
    const ids = new Set(entries.map((entry) => entry.id))
    this.#inbox = this.#inbox.filter((entry) => !ids.has(entry.id))
  }

  #body(entry: EntryId): Entry {
    const body = this.#bodies.get(entry)
    if (!body) throw new Error(`the body of ${entry} is not at hand`)
    return body
  }

  #carryOut(entry: Entry): void {
    const decision = decideControl(this.state, entry, { inbox: this.#inbox, held: [...this.#held.keys()] })
    const durable = this.#write({
      events: decision.events,
      drops: [entry.id, ...(decision.drops ?? [])],
      releases: decision.releases ?? [],
      clearTimers: decision.clearTimers ?? [],
    })
    this.#dropped(new Set(decision.drops ?? []))
    for (const released of decision.releases ?? []) this.#release(released, durable)
    if (decision.stops) this.#stopTurn(entry)
    else if (decision.closes) this.#close()
  }

  /** They left the mailbox without a turn; who asked is told. */
  #dropped(ids: ReadonlySet<EntryId>): void {
    if (ids.size === 0) return
    const unanswered = this.#inbox.filter((waiting) => ids.has(waiting.id) && waiting.replyTo)
    this.#inbox = this.#inbox.filter((waiting) => !ids.has(waiting.id))
    if (unanswered.length > 0) void this.#write({ events: [], posts: unanswered.map((waiting) => refusal(this.#core, waiting, withdrawn)) })
  }

  /** A held entry stands at the end of the line, once that is durable: it can't be taken in the commit that releases it. */
  #release(id: EntryId, durable: Promise<boolean>): void {
    const entry = this.#held.get(id)
    this.#held.delete(id)
    void durable.then((ok) => {
      if (!ok || this.#gone || !entry) return
      this.#inbox.push(withoutHold(entry))
      this.#parts.ready()
    })
  }

  /** Shut for good: what came in while the last turn stopped is refused, and nothing more is accepted. */
  #close(): void {
    void this.#write({ events: [], closes: true })
    this.#turnAway()
  }

  /** Work of a closed process is refused, and who asked for it is told. */
  #turnAway(): void {
    const away = [...this.#inbox, ...this.#held.values()]
    if (away.length === 0) return
    this.#inbox = []
    this.#held.clear()
    void this.#write({
      events: away.flatMap((entry) => refused(entry, 'closed', closed)),
      drops: away.map((entry) => entry.id),
      posts: away.flatMap((entry) => (entry.replyTo && !entry.held ? [refusal(this.#core, entry, closed)] : [])),
    })
  }

  /** A request of one that this lane waits for would wait for ever: it is answered at once (L10). */
  #breakCycles(): void {
    const crossed = this.#inbox.filter(({ replyTo }) => replyTo && this.#parts.waitsFor(replyTo.lane))
    if (crossed.length === 0) return
    this.#inbox = this.#inbox.filter((entry) => !crossed.includes(entry))
    void this.#write({
      events: crossed.flatMap((entry) => refused(entry, 'cycle', cycle)),
      drops: crossed.map((entry) => entry.id),
      posts: crossed.map((entry) => refusal(this.#core, entry, cycle)),
    })
  }

  // ---- the turn -----------------------------------------------------------------------------------------------------------------

  #canStart(): boolean {
    const { turn, halted } = this.state
    return !turn && !halted && this.#inbox.length > 0
  }

  /** An open turn without a run goes on when nothing holds it: an answer came, or work that wakes it (T35). */
  #isRunnable(): boolean {
    const { turn, halted } = this.state
    if (turn?.stopping) return true
    if (!turn || halted || turn.paused) return false
    if (!turn.parked) return true
    return turn.parked.some((wait) => wait.wake) && joinablePrefix(this.#inbox, turn).length > 0
  }

  #begin(entries: readonly Entry[]): void {
    const { process } = this.state
    if (!process) return
    const version = this.#parts.engine(process.engine)?.version ?? 0
    this.#took(entries)
    void this.#write(starting(this.state, entries, { turn: this.#core.newId('trn'), version, limits: this.#core.limits() }))
    this.#go()
  }

  /** Runs the engine over the open turn, from its start. */
  #go(): void {
    const { turn } = this.state
    if (!turn) return
    if (turn.stopping) return this.#settle({ outcome: 'stopped' })
    const engine = this.#parts.engine(turn.engine)
    if (!engine) return this.#settle({ outcome: 'failed', error: `there is no engine "${turn.engine}"`, code: 'no_engine' })
    if (turn.version !== engine.version && !engine.accepts.includes(turn.version)) {
      const error = `the turn was begun by version ${turn.version} of "${engine.name}" and can't be continued after the update`
      return this.#settle({ outcome: 'failed', error, code: 'cannot_continue' })
    }
    this.#run = new EngineRun(this.#core, { ended: (end) => this.#settle(end), parked: () => this.#parked() })
    this.#run.start(engine)
  }

  #parked(): void {
    this.#run = null
    this.#parts.ready()
  }

  #stopTurn(entry: Entry): void {
    if (!this.#run) return this.#settle({ outcome: 'stopped', by: entry.from })
    this.#run.stop()
    this.#grace ??= this.#core.clock.after(this.#parts.graceMs, () => this.#settle({ outcome: 'stopped', by: entry.from }))
  }

  /** The one way in which a turn ends (L11). An engine that is left behind runs on against nothing. */
  #settle(end: End): void {
    const { state } = this
    if (this.#gone || !state.turn) return
    this.#grace?.cancel()
    this.#grace = null
    const { live, newId, clock, scrub } = this.#core
    const unsaid = live.unsaid(this.id).map(({ step, text }) => ({ step, text: scrub(text) }))
    const rest = { unsaid, replyText: this.#run?.replyText ?? null, newId, now: clock.now() }
    this.#run?.abandon()
    this.#run = null
    void this.#write(settling(state, end.error === undefined ? end : { ...end, error: scrub(end.error) }, rest))
    live.end(this.id)
    this.#bodies.clear()
    if (state.halted === 'closed') this.#close()
    this.#parts.settled(end)
    this.#parts.ready()
  }
}

function withoutHold({ held: _, ...entry }: Entry): Entry {
  return entry
}
