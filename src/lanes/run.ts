// One run of an engine over the open turn. It may be thrown away at any wait and made again: names, visits, what is in flight,
// and the one place where parking is decided (T1, L4, L6).

import { messageOf } from '../base/errors.ts'
import type { AskId } from '../base/ids.ts'
import type { LaneCore } from './core.ts'
import { draft } from './draft.ts'
import { type Answer, type Arrived, Diverged, type Engine, StepFailed, Stopped } from './engine.ts'
import type { End } from './settle.ts'
import { answered, type NameRecord, recordOf, type TurnState } from './state.ts'
import { turnOf } from './turn.ts'
import { takeArrivals } from './turn-arrivals.ts'

/** More steps than this in one turn is a loop that nobody meant (T15). */
export const stepLimit = 500

/** Names with this mark belong to the step before it, and are visited with it (T14). */
export const subMark = '?'

export type PendingWait = {
  readonly name: string
  readonly asks: readonly AskId[]
  readonly wake: boolean
  readonly resolve: (what: Answer | Arrived) => void
  readonly reject: (why: Error) => void
}

/** What the verbs of a turn (turn-*.ts) need of its run. */
export type Run = {
  readonly core: LaneCore
  readonly signal: AbortSignal
  turn(): TurnState
  /** Uses a name: what is recorded under it, or null. Throws Stopped, or Diverged when it was used already. */
  enter(name: string, kind: NameRecord['kind']): NameRecord | null
  /** A bug of the engine: the turn fails, even when the engine catches this. */
  fail(message: string): never
  /** True while something recorded was not visited yet: the run repeats what an earlier one did. */
  replaying(): boolean
  /** Something that isn't a wait is under way until the returned function is called. */
  begin(): () => void
  /** Resolves at once, or when a paused turn goes on. */
  hold(): Promise<void>
  wait(pending: PendingWait): void
  /** The run was thrown away: nothing it does counts. */
  dead(): boolean
  /** For what a dead run awaits: it never goes on. */
  never<T>(): Promise<T>
  said(text: string): void
}

export type RunHandle = {
  /** Answers, arrivals or the end of a pause: waits that are satisfied go on. */
  poke(): void
  /** The turn is to end: every call throws Stopped from now on. */
  stop(): void
  /** Throws the run away; its acts are told by their signal. */
  abandon(): void
  replyText(): string | null
}

export function startRun(
  core: LaneCore,
  engine: Engine,
  hear: { readonly ended: (end: End) => void; readonly parked: () => void },
): RunHandle {
  const visited = new Set<string>()
  const waits = new Map<string, PendingWait>()
  const holds = new Set<{ readonly go: () => void; readonly fail: (why: Error) => void }>()
  const controller = new AbortController()
  let unvisited = Object.keys(current().names).filter((name) => !name.includes(subMark)).length
  let inFlight = 0
  let dead = false
  let checking = false
  let bug: Diverged | null = null
  let replyText: string | null = null

  function current(): TurnState {
    const { turn } = core.state()
    if (!turn) throw new Error('a run without an open turn')
    return turn
  }

  function fail(message: string): never {
    bug ??= new Diverged(message)
    throw bug
  }

  function enter(name: string, kind: NameRecord['kind']): NameRecord | null {
    if (dead || current().stopping) throw new Stopped('the turn was stopped')
    if (visited.has(name)) fail(`the name "${name}" was used twice in one turn`)
    visited.add(name)
    const found = recordOf(current(), name)
    if (!found) {
      if (current().count >= stepLimit && !name.includes(subMark))
        throw new StepFailed(name, `a turn has at most ${stepLimit} steps`, 'too_long')
      return null
    }
    if (!name.includes(subMark)) unvisited -= 1
    const same = found.kind === kind || (kind === 'wait' && found.kind === 'arrivals')
    if (!same) fail(`the name "${name}" was a ${found.kind} and is now a ${kind}`)
    return found
  }

  function checkSoon(): void {
    if (checking || dead) return
    checking = true
    setImmediate(() => {
      checking = false
      if (!dead && inFlight === 0 && waits.size + holds.size > 0 && !poke()) park()
    })
  }

  /** True when a wait could go on. */
  function poke(): boolean {
    if (dead) return false
    let went = false
    if (!current().paused && !core.state().halted) {
      went = holds.size > 0
      for (const held of holds) held.go()
      holds.clear()
    }
    for (const pending of [...waits.values()]) {
      const what = satisfied(pending)
      if (!what) continue
      waits.delete(pending.name)
      pending.resolve(what)
      went = true
    }
    return went
  }

  function satisfied(pending: PendingWait): Answer | Arrived | null {
    const answer = answered(current(), pending.asks)
    if (answer) {
      void core.write({ events: [draft('wait-ended', { turn: current().id, name: pending.name, ask: answer.ask })] })
      return answer
    }
    if (!pending.wake || unvisited > 0 || holds.size > 0) return null
    const entries = takeArrivals(core, pending.name)
    return entries.length > 0 ? { kind: 'arrived', entries } : null
  }

  function missing(): readonly string[] {
    return unvisited <= 0 ? [] : Object.keys(current().names).filter((name) => !name.includes(subMark) && !visited.has(name))
  }

  function park(): void {
    const left = missing()
    if (bug || left.length > 0) return end({ outcome: 'failed', ...divergence(left) })
    if (!current().paused && !core.state().halted)
      void core.write({
        events: [
          draft('turn-parked', { turn: current().id, waits: [...waits.values()].map(({ name, asks, wake }) => ({ name, asks, wake })) }),
        ],
      })
    dead = true
    hear.parked()
  }

  function divergence(left: readonly string[]): { error: string; code: string } {
    const error = bug?.message ?? `the engine went another way than before the restart; it left out: ${left.join(', ')}`
    return { error, code: 'diverged' }
  }

  function end(given: End): void {
    if (dead) return
    dead = true
    controller.abort(new Stopped('the turn has ended'))
    hear.ended(given)
  }

  function ended(thrown?: unknown): void {
    if (dead) return
    if (current().stopping) return end({ outcome: 'stopped' })
    const left = missing()
    if (bug || (left.length > 0 && thrown === undefined)) return end({ outcome: 'failed', ...divergence(left) })
    if (thrown !== undefined) return end({ outcome: 'failed', ...failure(thrown) })
    if (inFlight > 0) return end({ outcome: 'failed', error: 'the engine ended while its steps were running', code: 'diverged' })
    end({ outcome: 'done' })
  }

  const run: Run = {
    core,
    signal: controller.signal,
    turn: current,
    enter,
    fail,
    replaying: () => unvisited > 0,
    begin() {
      inFlight += 1
      let open = true
      return () => {
        if (open) inFlight -= 1
        open = false
        checkSoon()
      }
    },
    hold() {
      if (!current().paused && !core.state().halted) return Promise.resolve()
      return new Promise((go, fail) => {
        holds.add({ go, fail })
        checkSoon()
      })
    },
    wait(pending) {
      waits.set(pending.name, pending)
      checkSoon()
    },
    dead: () => dead,
    never: () => new Promise(() => {}),
    said: (text) => {
      replyText = text
    },
  }

  const handle: RunHandle = {
    poke,
    stop() {
      if (dead) return
      const why = new Stopped('the turn was stopped')
      controller.abort(why)
      for (const { reject } of waits.values()) reject(why)
      for (const { fail } of holds) fail(why)
      waits.clear()
      holds.clear()
    },
    abandon() {
      dead = true
      controller.abort(new Stopped('the hub stops'))
    },
    replyText: () => replyText,
  }

  try {
    engine.run(turnOf(run)).then(
      () => ended(),
      (thrown: unknown) => ended(thrown ?? new Error('the engine threw nothing')),
    )
  } catch (thrown) {
    queueMicrotask(() => ended(thrown))
  }
  return handle
}

function failure(thrown: unknown): { error: string; code: string } {
  const code = thrown instanceof StepFailed ? thrown.code : thrown instanceof Diverged ? 'diverged' : 'failed'
  return { error: messageOf(thrown), code }
}
