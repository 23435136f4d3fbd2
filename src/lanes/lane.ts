// A lane in memory: the single writer of its process. It takes what the mailbox brings, starts and ends turns, and is dropped
// whole when a commit is refused (L3). Everything that happens here happens in one tick after another, never at once.
import type { Alarm } from '../base/clock.ts'
import type { AskId, EntryId, LaneId } from '../base/ids.ts'
import { type Entry, isWork } from '../protocol/entry.ts'
import { decideControl, refused, timerOf } from './control.ts'
import type { LaneCore } from './core.ts'
import { draft } from './draft.ts'
import type { Answer, Engine } from './engine.ts'
import { chainOf, joinablePrefix, placed, priorityOf, startingPrefix } from './mailbox.ts'
import { type RunHandle, startRun } from './run.ts'
import { type End, refusal, settling } from './settle.ts'
import type { LaneState } from './state.ts'
import type { Write, Writer } from './write.ts'

export type Lane = {
  readonly id: LaneId
  readonly epoch: number
  state(): LaneState
  inbox(): readonly Entry[]
  /** Resolves when the state may be shown. */
  durable(): Promise<unknown>
  /** From the mailbox, in commit order, after the commit. Known ones are passed over. */
  hear(entry: Entry): void
  /** A delegation did not reach its lane: who waits for it is told. */
  undelivered(ask: AskId): void
  /** The machine or the owner changed while a turn ran: recorded, or the turn given up after `limit` fruitless restarts (L5). */
  restarted(restarts: number, limit: number): void
  /** Carries out control, refuses what can't be, continues or wakes the open turn. True when a new turn could start. */
  settleDown(): boolean
  /** Starts a turn over the oldest work, when there is some and none is open. */
  startTurn(): void
  /** The edge's shortcut (L8): this entry is posted in this tick and nothing else is on its way. */
  startWith(entry: Entry): void
  /** Nothing under way, nothing waiting: it may leave memory. */
  resting(): boolean
  /** Nothing is in flight and no turn is open: a post may share its commit. */
  quiet(): boolean
  /** Leaves memory; a run is thrown away. */
  abandon(): void
  readonly turnsStarted: number
}

export type LaneParts = {
  readonly core: Omit<LaneCore, 'inbox' | 'took' | 'body' | 'state' | 'write'>
  readonly epoch: number
  readonly writer: Writer
  readonly inbox: readonly Entry[]
  readonly held: readonly Entry[]
  readonly bodies: ReadonlyMap<EntryId, Entry>
  readonly engine: (name: string) => Engine | undefined
  readonly graceMs: number
  /** Something could be done: give it a turn of the pump. */
  readonly ready: () => void
  readonly settled: (end: End) => void
}

export function laneOf(parts: LaneParts): Lane {
  const { writer, graceMs } = parts
  const bodies = new Map(parts.bodies)
  const held = new Map(parts.held.map((entry) => [entry.id, entry]))
  const known = new Set(parts.inbox.map((entry) => entry.id))
  let inbox: Entry[] = parts.inbox.filter((entry) => isWork(entry.body))
  const control: Entry[] = parts.inbox.filter((entry) => !isWork(entry.body))
  let run: RunHandle | null = null
  let grace: Alarm | null = null
  let gone = false
  let turnsStarted = 0

  const core: LaneCore = {
    ...parts.core,
    state: writer.state,
    write,
    inbox: () => inbox,
    took,
    body(entry) {
      const body = bodies.get(entry)
      if (!body) throw new Error(`the body of ${entry} is not at hand`)
      return body
    },
  }

  function write(given: Write): Promise<boolean> {
    if (gone) return Promise.resolve(false)
    const durable = writer.write(given)
    for (const timer of given.setTimers ?? []) void durable.then((ok) => ok && core.timerSet(timer.due))
    return durable
  }

  function took(entries: readonly Entry[]): void {
    for (const entry of entries) bodies.set(entry.id, entry)
    const ids = new Set(entries.map((entry) => entry.id))
    inbox = inbox.filter((entry) => !ids.has(entry.id))
  }

  function hear(entry: Entry): void {
    if (gone || known.has(entry.id)) return void known.delete(entry.id)
    if (entry.held) held.set(entry.id, entry)
    else if (isWork(entry.body)) inbox.push(entry)
    else control.push(entry)
  }

  function undelivered(ask: AskId): void {
    const { turn } = writer.state()
    const open = turn?.asks[ask]
    if (gone || !turn || !open || open.answer) return
    const answer: Answer = { kind: 'answer', ask, outcome: 'undeliverable', value: null, by: 'system' }
    void core.write({
      events: [draft('ask-answered', { turn: turn.id, answer }, 'system')],
      clearTimers: open.due === null ? [] : [timerOf(ask)],
    })
    parts.ready()
  }

  function restarted(restarts: number, limit: number): void {
    const { turn } = writer.state()
    if (!turn) return
    if (restarts > limit)
      return settle({ outcome: 'failed', error: 'it was interrupted three times without getting any further', code: 'interrupted' })
    void core.write({ events: [draft('turn-resumed', { turn: turn.id, restarts })] })
  }

  function settleDown(): boolean {
    if (gone) return false
    while (control.length > 0 && !gone) carryOut(control.shift() as Entry)
    if (gone) return false
    const { turn, halted } = writer.state()
    if (!turn && halted === 'closed') turnAway()
    if (!turn) return inbox.length > 0 && halted === null
    if (run) run.poke()
    else if (runnable()) go()
    return false
  }

  /** An open turn without a run goes on when nothing holds it: an answer came, or work that wakes it (T35). */
  function runnable(): boolean {
    const { turn, halted } = writer.state()
    if (turn?.stopping) return true
    if (!turn || halted || turn.paused) return false
    if (!turn.parked) return true
    return turn.parked.some((wait) => wait.wake) && joinablePrefix(inbox, turn).length > 0
  }

  function carryOut(entry: Entry): void {
    const decision = decideControl(writer.state(), entry, { inbox, held: [...held.keys()] })
    const durable = core.write({
      events: decision.events,
      drops: [entry.id, ...(decision.drops ?? [])],
      releases: decision.releases ?? [],
      clearTimers: decision.clearTimers ?? [],
    })
    const dropped = new Set(decision.drops ?? [])
    const unanswered = inbox.filter((waiting) => dropped.has(waiting.id) && waiting.replyTo)
    if (unanswered.length > 0) void core.write({ events: [], posts: unanswered.map((waiting) => refusal(core, waiting)) })
    if (dropped.size > 0) inbox = inbox.filter((waiting) => !dropped.has(waiting.id))
    for (const released of decision.releases ?? []) void durable.then((ok) => ok && release(released))
    if (decision.stops) stopTurn(entry)
    else if (decision.closes) close()
  }

  /** A held entry stands at the end of the line, once that is durable: it can't be taken in the commit that releases it. */
  function release(id: EntryId): void {
    const entry = held.get(id)
    held.delete(id)
    if (gone || !entry) return
    inbox.push(withoutHold(entry))
    parts.ready()
  }

  function stopTurn(entry: Entry): void {
    if (!run) return settle({ outcome: 'stopped', by: entry.from })
    run.stop()
    grace ??= core.clock.after(graceMs, () => settle({ outcome: 'stopped', by: entry.from }))
  }

  /** Shut for good: what came in while the last turn stopped is refused, and nothing more is accepted. */
  function close(): void {
    void core.write({ events: [], closes: true })
    turnAway()
  }

  /** Work of a closed process is refused, and who asked for it is told. */
  function turnAway(): void {
    const away = [...inbox, ...held.values()]
    if (away.length === 0) return
    inbox = []
    held.clear()
    void core.write({
      events: away.flatMap((entry) => refused(entry, 'closed', 'the process was closed')),
      drops: away.map((entry) => entry.id),
      posts: away.flatMap((entry) => (entry.replyTo && !entry.held ? [refusal(core, entry)] : [])),
    })
  }

  function startTurn(): void {
    const { turn, halted } = writer.state()
    const entries = startingPrefix(inbox)
    if (gone || turn || halted || entries.length === 0) return
    begin(entries)
  }

  function startWith(entry: Entry): void {
    known.add(entry.id)
    inbox.push(entry)
    begin([entry])
  }

  function begin(entries: readonly Entry[]): void {
    const [first] = entries
    const { process, leaf } = writer.state()
    if (!first || !process) return
    const engine = parts.engine(process.engine)
    const { taken, tip } = placed(entries, leaf)
    const turn = core.newId('trn')
    const accepted = taken.flatMap((t) =>
      t.message === undefined ? [] : [draft('chat-message-updated', { id: t.message, status: 'accepted', parent: t.parent ?? null, turn })],
    )
    took(entries)
    turnsStarted += 1
    void core.write({
      events: [
        draft('turn-started', {
          turn,
          engine: process.engine,
          version: engine?.version ?? 0,
          taken,
          from: first.from,
          leaf: tip,
          chain: chainOf(entries, core.limits),
          priority: priorityOf(first),
        }),
        ...accepted,
      ],
      takes: entries.map((entry) => entry.id),
    })
    go()
  }

  /** Runs the engine over the open turn, from its start. */
  function go(): void {
    const { turn } = writer.state()
    if (!turn) return
    if (turn.stopping) return settle({ outcome: 'stopped' })
    const engine = parts.engine(turn.engine)
    if (!engine) return settle({ outcome: 'failed', error: `there is no engine "${turn.engine}"`, code: 'no_engine' })
    if (turn.version !== engine.version && !engine.accepts.includes(turn.version)) {
      const error = `the turn was begun by version ${turn.version} of "${engine.name}" and can't be continued after the update`
      return settle({ outcome: 'failed', error, code: 'cannot_continue' })
    }
    run = startRun(core, engine, { ended: settle, parked })
  }

  function parked(): void {
    run = null
    parts.ready()
  }

  /** The one way in which a turn ends (L11). An engine that is left behind runs on against nothing. */
  function settle(end: End): void {
    const state = writer.state()
    if (gone || !state.turn) return
    grace?.cancel()
    grace = null
    const unsaid = core.live.unsaid(core.id)
    const replyText = run?.replyText() ?? null
    run?.abandon()
    run = null
    void core.write(settling(state, end, { unsaid, replyText, newId: core.newId, now: core.clock.now() }))
    core.live.end(core.id)
    bodies.clear()
    if (state.halted === 'closed') close()
    parts.settled(end)
    parts.ready()
  }

  return {
    id: parts.core.id,
    epoch: parts.epoch,
    state: writer.state,
    inbox: () => inbox,
    durable: writer.durable,
    hear,
    undelivered,
    restarted,
    settleDown,
    startTurn,
    startWith,
    resting: () => !run && control.length === 0 && writer.inFlight() === 0 && !canStart(),
    quiet: () =>
      !gone &&
      writer.state().turn === null &&
      writer.state().halted === null &&
      inbox.length === 0 &&
      control.length === 0 &&
      writer.inFlight() === 0,
    abandon() {
      gone = true
      grace?.cancel()
      run?.abandon()
      run = null
    },
    get turnsStarted() {
      return turnsStarted
    },
  }

  function canStart(): boolean {
    const { turn, halted } = writer.state()
    return !turn && !halted && inbox.length > 0
  }
}

function withoutHold({ held: _, ...entry }: Entry): Entry {
  return entry
}
