// One run of an engine over the open turn. It may be thrown away at any wait and made again: names, visits, what is in flight,
// and the one place where parking is decided (T1, L4, L6).
import { messageOf } from '../base/errors.ts'
import type { LaneCore } from './core.ts'
import { draft } from './draft.ts'
import { type Answer, type Arrived, Diverged, type Engine, StepFailed, Stopped } from './engine.ts'
import { type PendingWait, type Run, subMark } from './running.ts'
import type { End } from './settle.ts'
import { answered, type NameRecord, recordOf, type TurnState } from './state.ts'
import { turnOf } from './turn.ts'
import { takeArrivals } from './turn-arrivals.ts'

/** More steps than this in one turn is a loop that nobody meant (T15). */
const stepLimit = 500

type Held = { readonly go: () => void; readonly fail: (why: Error) => void }
/** Told at most once, and then no more. */
type Hear = { readonly ended: (end: End) => void; readonly parked: () => void }

/** Every run ends with it, so it is made once: the trace of its making says nothing. */
const thrownAway = new Stopped('the run was thrown away')

export class EngineRun implements Run {
  readonly core: LaneCore
  readonly #hear: Hear
  readonly #controller = new AbortController()
  readonly #visited = new Set<string>()
  readonly #waits = new Map<string, PendingWait>()
  readonly #holds = new Set<Held>()
  /** Recorded names that this run did not visit yet; those that a step made itself don't count (T14). */
  #unvisited: number
  #inFlight = 0
  #dead = false
  #checking = false
  #bug: Diverged | null = null
  #replyText: string | null = null

  constructor(core: LaneCore, hear: Hear) {
    this.core = core
    this.#hear = hear
    this.#unvisited = Object.keys(this.turn().names).filter(isOwn).length
  }

  // ---- for the lane -------------------------------------------------------------------------------------------------------------

  /** Runs the engine from its start, in this tick. */
  start(engine: Engine): void {
    try {
      engine.run(turnOf(this)).then(
        () => this.#ended(),
        (thrown: unknown) => this.#ended(thrown ?? new Error('the engine threw nothing')),
      )
    } catch (thrown) {
      queueMicrotask(() => this.#ended(thrown))
    }
  }

  /** Answers, arrivals, the end of a pause: what is satisfied goes on. True when something did. */
  poke(): boolean {
    if (this.#dead) return false
    let went = this.#letGo()
    for (const pending of [...this.#waits.values()]) {
      const what = this.#satisfied(pending)
      if (!what) continue
      this.#waits.delete(pending.name)
      pending.resolve(what)
      went = true
    }
    // A branch that goes on may end without another call: what is left is looked at again.
    if (went) this.#checkSoon()
    return went
  }

  /** The turn is to end: every call throws Stopped from now on. */
  stop(): void {
    if (this.#dead) return
    const why = new Stopped('the turn was stopped')
    this.#controller.abort(why)
    for (const { reject } of this.#waits.values()) reject(why)
    for (const { fail } of this.#holds) fail(why)
    this.#waits.clear()
    this.#holds.clear()
  }

  /** Throws the run away; its acts are told by their signal. */
  abandon(): void {
    this.#dead = true
    this.#controller.abort(thrownAway)
  }

  /** The text of the newest line that it said, for who asked. */
  get replyText(): string | null {
    return this.#replyText
  }

  // ---- for the verbs ------------------------------------------------------------------------------------------------------------

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  turn(): TurnState {
    const { turn } = this.core.state()
    if (!turn) throw new Error('a run without an open turn')
    return turn
  }

  enter(name: string, kind: NameRecord['kind']): NameRecord | null {
    if (this.#dead || this.turn().stopping) throw new Stopped('the turn was stopped')
    if (this.#visited.has(name)) this.fail(`the name "${name}" was used twice in one turn`)
    this.#visited.add(name)
    const found = recordOf(this.turn(), name)
    if (!found) {
      if (this.turn().count >= stepLimit && isOwn(name)) throw new StepFailed(name, `a turn has at most ${stepLimit} steps`, 'too_long')
      return null
    }
    if (isOwn(name)) this.#unvisited -= 1
    const isSame = found.kind === kind || (kind === 'wait' && found.kind === 'arrivals')
    return isSame ? found : this.fail(`the name "${name}" was a ${found.kind} and is now a ${kind}`)
  }

  fail(message: string): never {
    this.#bug ??= new Diverged(message)
    throw this.#bug
  }

  replaying(): boolean {
    return this.#unvisited > 0
  }

  begin(): () => void {
    this.#inFlight += 1
    let isOpen = true
    return () => {
      if (isOpen) this.#inFlight -= 1
      isOpen = false
      this.#checkSoon()
    }
  }

  hold(): Promise<void> {
    if (!this.#isHeld()) return Promise.resolve()
    return new Promise((go, fail) => {
      this.#holds.add({ go, fail })
      this.#checkSoon()
    })
  }

  wait(pending: PendingWait): void {
    this.#waits.set(pending.name, pending)
    this.#checkSoon()
  }

  dead(): boolean {
    return this.#dead
  }

  never<T>(): Promise<T> {
    return new Promise(() => {})
  }

  said(text: string): void {
    this.#replyText = text
  }

  // ---- parking and ending -------------------------------------------------------------------------------------------------------

  /** When every branch stands still: an immediate comes after all that was ready to go on. */
  #checkSoon(): void {
    if (this.#checking || this.#dead) return
    this.#checking = true
    setImmediate(() => {
      this.#checking = false
      if (!this.#dead && this.#inFlight === 0 && this.#waits.size + this.#holds.size > 0 && !this.poke()) this.#park()
    })
  }

  #isHeld(): boolean {
    return this.turn().paused || this.core.state().halted !== null
  }

  #letGo(): boolean {
    if (this.#holds.size === 0 || this.#isHeld()) return false
    for (const held of this.#holds) held.go()
    this.#holds.clear()
    return true
  }

  #satisfied(pending: PendingWait): Answer | Arrived | null {
    const answer = answered(this.turn(), pending.asks)
    if (answer) {
      void this.core.write({ events: [draft('wait-ended', { turn: this.turn().id, name: pending.name, ask: answer.ask })] })
      return answer
    }
    if (!pending.wake || this.#unvisited > 0 || this.#holds.size > 0) return null
    const entries = takeArrivals(this.core, pending.name)
    return entries.length > 0 ? { kind: 'arrived', entries } : null
  }

  #park(): void {
    const left = this.#missing()
    if (this.#bug || left.length > 0) return this.#end({ outcome: 'failed', ...this.#divergence(left) })
    const waits = [...this.#waits.values()].map(({ name, asks, wake }) => ({ name, asks, wake }))
    if (!this.#isHeld()) void this.core.write({ events: [draft('turn-parked', { turn: this.turn().id, waits })] })
    this.#dead = true
    this.#hear.parked()
  }

  #ended(thrown?: unknown): void {
    if (this.#dead) return
    if (this.turn().stopping) return this.#end({ outcome: 'stopped' })
    const left = thrown === undefined ? this.#missing() : []
    if (this.#bug || left.length > 0) return this.#end({ outcome: 'failed', ...this.#divergence(left) })
    if (thrown !== undefined) return this.#end({ outcome: 'failed', error: messageOf(thrown), code: codeOf(thrown) })
    if (this.#inFlight > 0)
      return this.#end({ outcome: 'failed', error: 'the engine ended while its steps were running', code: 'diverged' })
    this.#end({ outcome: 'done' })
  }

  #end(end: End): void {
    this.abandon()
    this.#hear.ended(end)
  }

  #missing(): readonly string[] {
    if (this.#unvisited <= 0) return []
    return Object.keys(this.turn().names).filter((name) => isOwn(name) && !this.#visited.has(name))
  }

  #divergence(left: readonly string[]): { readonly error: string; readonly code: string } {
    const error = this.#bug?.message ?? `the engine went another way than before the restart; it left out: ${left.join(', ')}`
    return { error, code: 'diverged' }
  }
}

function isOwn(name: string): boolean {
  return !name.includes(subMark)
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof StepFailed) return thrown.code
  return thrown instanceof Diverged ? 'diverged' : 'failed'
}
