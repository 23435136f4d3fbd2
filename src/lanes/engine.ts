// What an engine is, and all that it sees of a turn. An engine is one durable function: it may be run again from its start,
// on any node, and is then given what it was given before (L4). It talks to the world only through its turn.
import type { AskId, LaneId, MessageId, ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Chain, Entry, Work } from '../protocol/entry.ts'
import type { Option } from '../protocol/message.ts'

export type Engine = {
  readonly name: string
  readonly version: number
  /** Versions whose waiting turns this one can continue. */
  readonly accepts: readonly number[]
  /** Returns when the turn is done. May throw: the turn settles as failed and says so. */
  run(turn: Turn): Promise<void>
}

/** Who is at work: fixed when the process is made. */
export type ProcessInfo = {
  readonly id: ProcessId
  readonly session: SessionId
  readonly tenant: string
  readonly project: string
  readonly agent: string
  readonly engine: string
  readonly params: JsonObject
  /** The login name of the person whose session it is. */
  readonly user: string
  /** Set for a worker: the process that made it. */
  readonly parent: ProcessId | null
  /** A lane that faces a person is always woken by new work while it waits (L6). */
  readonly facesPerson: boolean
}

export const priorities = ['person', 'agent', 'background'] as const
export type Priority = (typeof priorities)[number]

/**
 * Every name is used once in a turn. After a stop every call throws Stopped; let it through. Nothing that must be closed may be
 * open across `wait`, `ask` or a paused `step`: the run can be thrown away there, and its finally blocks then don't run.
 * Await only calls of the turn, or Promise.all of them: Promise.race and Promise.any choose differently on replay (T10).
 */
export interface Turn {
  readonly id: TurnId
  readonly process: ProcessInfo
  /** Of the lane's ownership (L7): another one after a commit was refused, since the lane was then read again. */
  readonly epoch: number
  /** What it was started with, in commit order; all of one sender. */
  readonly entries: readonly Entry[]
  /** The message that the conversation stood at when the turn started, the turn's own entries included. null: an empty one. */
  readonly leaf: MessageId | null
  /** The same without the turn's own entries. */
  readonly before: MessageId | null
  readonly chain: Chain
  readonly priority: Priority
  readonly signal: AbortSignal
  /**
   * An effect whose result is recorded. `replayable`: done again with the same input after a crash. `idempotent`: done again with
   * the same key. A throw is recorded too, and thrown as StepFailed now and on every replay.
   */
  step<T extends Json>(name: string, kind: 'replayable' | 'idempotent', act: (act: Act) => Promise<T>): Promise<T>
  /**
   * A look at the hub's own data that the engine decides on (T34): recorded under the name, but without a start, since it changes
   * nothing. Awaits only what is at hand; a throw is recorded like a step's.
   */
  read<T extends Json>(name: string, look: () => Promise<T>): Promise<T>
  /** An effect that must not happen twice (L5). */
  once<T extends Json>(name: string, act: (act: Act) => Promise<T>, options?: OnceOptions<T>): Promise<Once<T>>
  /** A safe point: work that came in meanwhile and is of the turn's own sender. Recorded under the name. */
  arrivals(safePoint: string): readonly Entry[]
  /** Opens a question, a delegation or a timer in one commit; wait for it by its id. */
  open(name: string, what: Opening): AskId
  /** The first of the asks to be answered (which one is recorded), or what came in, when `wake` allows it (default: whether the lane faces a person). */
  wait(name: string, asks: readonly AskId[], options?: { readonly wake?: boolean }): Promise<Answer | Arrived>
  /** open + wait for one. Arrived only where the lane faces a person or `wake` is set; the ask stays open then. */
  ask(name: string, what: Opening, options?: { readonly wake?: boolean }): Promise<Answer | Arrived>
  /** A settled line of the conversation. It continues the turn's newest line. */
  say(name: string, line: NewLine): MessageId
  /** Work for another lane, without an answer. */
  post(name: string, lane: LaneId, work: Work): void
  /** A fact for the journal (a route, a manifest, todos): seen by who may see it, not folded by the lane. */
  note(name: string, event: NewFact): void
  /** The time, recorded. */
  now(name: string): number
}

export type Act = {
  /** Turn id and step name: the idempotency key for the outside. */
  readonly key: string
  /** From 1. */
  readonly attempt: number
  readonly priority: Priority
  readonly signal: AbortSignal
  /** Live words of the answer (L9): shown at once, not journalled. What was shown when a stop came is kept as stopped text. */
  stream(words: string): void
  /** Live progress in a few words ("reading src/db.ts"): shown, not kept. */
  progress(words: string): void
}

export type Once<T> = { readonly was: 'done'; readonly value: T } | { readonly was: 'assumed' } | { readonly was: 'abandoned' }

/** `words`: what it does, as the person is asked when nobody else can tell whether it happened; the step's name where there are none. */
export type OnceOptions<T> = { readonly reconcile?: Reconcile<T>; readonly words?: string }

/** Finds out whether the effect with that key happened. Must not change anything. */
export type Reconcile<T> = (
  act: Act,
) => Promise<{ readonly found: 'done'; readonly value: T } | { readonly found: 'not-done' } | { readonly found: 'unknown' }>

export type Opening =
  | { readonly kind: 'question'; readonly text: string; readonly options?: readonly Option[]; readonly timeoutMs?: number }
  /**
   * A question about a risk (policy/approval.ts): who may decide it is checked at the edge. `request` is what was decided about,
   * shown to the person and kept as it is; silence for `timeoutMs` is a no.
   */
  | { readonly kind: 'approval'; readonly text: string; readonly request: JsonObject; readonly timeoutMs: number }
  /** A request for another lane; its settled reply is the answer. */
  | { readonly kind: 'delegation'; readonly lane: LaneId; readonly text: string; readonly data?: JsonObject; readonly timeoutMs?: number }
  | { readonly kind: 'timer'; readonly afterMs: number }

export type Answer = {
  readonly kind: 'answer'
  readonly ask: AskId
  /** revoked: the hub took it back; `value` says why. */
  readonly outcome: 'answered' | 'timeout' | 'held' | 'undeliverable' | 'revoked'
  readonly value: Json
  readonly by: Actor
}
export type Arrived = { readonly kind: 'arrived'; readonly entries: readonly Entry[] }

export type NewLine = {
  readonly text: string
  readonly info?: string
  readonly options?: readonly Option[]
  readonly agent?: string
  /** The step whose streamed words this line settles. */
  readonly streamed?: string
}
export type NewFact = {
  readonly type: string
  readonly data: JsonObject
  readonly visibility?: 'user-summary' | 'user-detail' | 'operator'
}

/** Thrown by an act when it is certain that nothing happened. Any other throw of a once step means unknown (T20). */
export class NotDone extends Error {
  override readonly name = 'NotDone'
}

/** The turn was stopped. Engines let it through. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** A step's act threw; the same on every replay. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: string
  readonly code: string
  constructor(step: string, message: string, code = 'failed') {
    super(message)
    this.step = step
    this.code = code
  }
}

/** The engine used a name twice or with another kind, or its replay left out what was recorded: a bug of the engine (L4). */
export class Diverged extends Error {
  override readonly name = 'Diverged'
}

/** How a turn ended, as its requesters and the journal see it. */
export type TurnOutcome = 'done' | 'failed' | 'stopped'
