// The state of a lane: the fold of its events (L3), bounded (L12). `evolve` is pure; its version stamps snapshots.
import type { AskId, EntryId, LaneId, MessageId, TurnId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Resting } from '../journal/commit.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Chain } from '../protocol/entry.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import type { ProcessStatus } from '../protocol/process.ts'
import type { Answer, Priority, ProcessInfo } from './engine.ts'
import type { LaneEvents, Recorded, StepKind, Taken } from './events.ts'

/** Raised whenever `evolve` or the shape of the state changes: older snapshots are then ignored, and events folded again. */
export const evolveVersion = 1

export type LaneState = {
  readonly process: ProcessInfo | null
  /** Turns started so far. */
  readonly turns: number
  /** Where the conversation stands. */
  readonly leaf: MessageId | null
  readonly halted: null | 'suspended' | 'closed'
  readonly turn: TurnState | null
}

export type TurnState = {
  readonly id: TurnId
  readonly engine: string
  readonly version: number
  readonly from: Actor
  readonly chain: Chain
  readonly priority: Priority
  /** Where the conversation stood when it started, its own entries included. */
  readonly leaf: MessageId | null
  /** The newest line of the turn's branch. */
  readonly tip: MessageId | null
  readonly taken: readonly Taken[]
  /** How many of `taken` it was started with. */
  readonly startedWith: number
  readonly names: { readonly [name: string]: NameRecord }
  readonly count: number
  readonly asks: { readonly [ask: string]: AskState }
  readonly stopping: boolean
  readonly paused: boolean
  readonly parked: null | readonly ParkedWait[]
  /** Restarts since something new was recorded (L5). */
  readonly restarts: number
  readonly reply: MessageId | null
}

export type ParkedWait = { readonly name: string; readonly asks: readonly AskId[]; readonly wake: boolean }

/** What a name was used for, and what it gave. */
export type NameRecord =
  | { readonly kind: 'step'; readonly effect: StepKind; readonly state: 'started'; readonly attempt: number }
  | {
      readonly kind: 'step'
      readonly effect: StepKind
      readonly state: 'done'
      readonly outcome: 'done' | 'assumed' | 'abandoned'
      readonly recorded: Recorded
      readonly attempt: number
    }
  | {
      readonly kind: 'step'
      readonly effect: StepKind
      readonly state: 'failed'
      readonly message: string
      readonly code: string
      readonly attempt: number
    }
  | { readonly kind: 'arrivals'; readonly entries: readonly EntryId[] }
  | { readonly kind: 'open'; readonly ask: AskId }
  | { readonly kind: 'wait'; readonly ask: AskId }
  | { readonly kind: 'say'; readonly message: MessageId }
  | { readonly kind: 'post'; readonly entry: EntryId }
  | { readonly kind: 'note' }
  | { readonly kind: 'now'; readonly at: number }

export type AskState = {
  readonly kind: 'question' | 'approval' | 'delegation' | 'timer'
  readonly due: number | null
  readonly answer: Answer | null
  /** Of a delegation: where the request went, so that a restart can see whether it arrived. */
  readonly to?: { readonly lane: LaneId; readonly entry: EntryId }
}

export const emptyLane: LaneState = { process: null, turns: 0, leaf: null, halted: null, turn: null }

/** What a name was used for in this turn; null when it wasn't yet. */
export function recordOf(turn: TurnState, name: string): NameRecord | null {
  return Object.hasOwn(turn.names, name) ? (turn.names[name] ?? null) : null
}

/** What start-up must look at (T2). */
export function restingOf(state: LaneState): Resting {
  if (!state.turn) return 'idle'
  if (state.turn.stopping) return 'running'
  return state.turn.parked || state.turn.paused || state.halted ? 'waiting' : 'running'
}

/** The word of the status table (reference/eddie.md 1.3). */
export function statusOf(state: LaneState): ProcessStatus {
  if (!state.process) return 'INIT'
  if (state.halted) return state.halted === 'closed' ? 'CLOSED' : 'SUSPENDED'
  const { turn } = state
  if (!turn) return 'IDLE'
  if (turn.paused) return 'PAUSED'
  return turn.parked && waitsForPerson(turn) ? 'BLOCKED' : 'RUNNING'
}

function waitsForPerson(turn: TurnState): boolean {
  return Object.values(turn.asks).some((ask) => (ask.kind === 'question' || ask.kind === 'approval') && ask.answer === null)
}

/** The answered ask of a wait that was answered first, as far as the state knows; null while none is. */
export function answered(turn: TurnState, asks: readonly AskId[]): Answer | null {
  for (const ask of asks) {
    const answer = turn.asks[ask]?.answer
    if (answer) return answer
  }
  return null
}

/** The lanes whose answer the open turn wants. */
export function waitsOn(state: LaneState): readonly LaneId[] {
  return Object.values(state.turn?.asks ?? {}).flatMap(({ to, answer }) => (to && !answer ? [to.lane] : []))
}

type Evolve = { [T in keyof LaneEvents]?: (state: LaneState, data: LaneEvents[T]) => LaneState }

const onTurn = (state: LaneState, change: (turn: TurnState) => TurnState): LaneState =>
  state.turn ? { ...state, turn: change(state.turn) } : state

/** Something new was recorded under a name: the count of fruitless restarts starts again. */
const record = (turn: TurnState, name: string, entry: NameRecord): TurnState => ({
  ...turn,
  restarts: 0,
  count: Object.hasOwn(turn.names, name) ? turn.count : turn.count + 1,
  names: { ...turn.names, [name]: entry },
})

const opened = (turn: TurnState, name: string, ask: AskId, state: AskState): TurnState => ({
  ...record(turn, name, { kind: 'open', ask }),
  asks: { ...turn.asks, [ask]: state },
})

const attemptOf = (turn: TurnState, name: string): number => {
  const present = recordOf(turn, name)
  return present?.kind === 'step' ? present.attempt : 1
}

/** An answer ends the parking when a parked wait was for it. */
const answer = (turn: TurnState, given: Answer): TurnState => {
  const ask = turn.asks[given.ask]
  if (!ask || ask.answer) return turn
  const wanted = turn.parked?.some((wait) => wait.asks.includes(given.ask)) ?? false
  return { ...turn, parked: wanted ? null : turn.parked, asks: { ...turn.asks, [given.ask]: { ...ask, answer: given } } }
}

const tipOf = (tip: MessageId | null, taken: readonly Taken[]): MessageId | null => taken.findLast((t) => t.message)?.message ?? tip

const folds: Evolve = {
  'process-created': (state, { process }) => ({ ...state, process }),
  'turn-started': (state, data) => ({
    ...state,
    turns: state.turns + 1,
    leaf: data.leaf,
    turn: {
      id: data.turn,
      engine: data.engine,
      version: data.version,
      from: data.from,
      chain: data.chain,
      priority: data.priority,
      leaf: data.leaf,
      tip: data.leaf,
      taken: data.taken,
      startedWith: data.taken.length,
      names: {},
      count: 0,
      asks: {},
      stopping: false,
      paused: false,
      parked: null,
      restarts: 0,
      reply: null,
    },
  }),
  'turn-resumed': (state, { restarts }) => onTurn(state, (turn) => ({ ...turn, restarts })),
  'step-started': (state, { name, kind, attempt }) =>
    onTurn(state, (turn) => ({
      ...turn,
      count: Object.hasOwn(turn.names, name) ? turn.count : turn.count + 1,
      names: { ...turn.names, [name]: { kind: 'step', effect: kind, state: 'started', attempt } },
    })),
  'step-done': (state, data) =>
    onTurn(state, (turn) =>
      record(turn, data.name, {
        kind: 'step',
        effect: data.kind,
        state: 'done',
        outcome: data.outcome,
        recorded: 'ref' in data ? { ref: data.ref, size: data.size } : { value: data.value },
        attempt: attemptOf(turn, data.name),
      }),
    ),
  'step-failed': (state, { name, kind, message, code }) =>
    onTurn(state, (turn) =>
      record(turn, name, { kind: 'step', effect: kind, state: 'failed', message, code, attempt: attemptOf(turn, name) }),
    ),
  'arrivals-taken': (state, { name, taken }) =>
    moveLeaf(
      onTurn(state, (turn) => ({
        ...record(turn, name, { kind: 'arrivals', entries: taken.map((t) => t.entry) }),
        taken: [...turn.taken, ...taken],
        tip: tipOf(turn.tip, taken),
        parked: null,
      })),
      state,
    ),
  'question-asked': (state, { name, ask, due }) =>
    onTurn(state, (turn) => opened(turn, name, ask, { kind: 'question', due: due ?? null, answer: null })),
  'approval-requested': (state, { name, ask, due }) =>
    onTurn(state, (turn) => opened(turn, name, ask, { kind: 'approval', due, answer: null })),
  delegated: (state, { name, ask, due, lane, entry }) =>
    onTurn(state, (turn) => opened(turn, name, ask, { kind: 'delegation', due: due ?? null, answer: null, to: { lane, entry } })),
  'timer-set': (state, { name, ask, due }) => onTurn(state, (turn) => opened(turn, name, ask, { kind: 'timer', due, answer: null })),
  'question-answered': (state, data) => onTurn(state, (turn) => answer(turn, data.answer)),
  'approval-decided': (state, data) => onTurn(state, (turn) => answer(turn, data.answer)),
  'ask-answered': (state, data) => onTurn(state, (turn) => answer(turn, data.answer)),
  'wait-ended': (state, { name, ask }) => onTurn(state, (turn) => record(turn, name, { kind: 'wait', ask })),
  'turn-parked': (state, { waits }) => onTurn(state, (turn) => ({ ...turn, parked: waits })),
  'turn-paused': (state) => onTurn(state, (turn) => ({ ...turn, paused: true })),
  'turn-continued': (state) => onTurn(state, (turn) => ({ ...turn, paused: false })),
  'turn-stopping': (state) => onTurn(state, (turn) => ({ ...turn, stopping: true })),
  'clock-read': (state, { name, at }) => onTurn(state, (turn) => record(turn, name, { kind: 'now', at })),
  posted: (state, { name, entry }) => onTurn(state, (turn) => record(turn, name, { kind: 'post', entry })),
  'chat-message-appended': (state, { message, turn: id, name }) =>
    id === undefined || name === undefined
      ? state
      : moveLeaf(
          onTurn(state, (turn) => ({
            ...record(turn, name, { kind: 'say', message: message.id as MessageId }),
            tip: message.id as MessageId,
            reply: message.id as MessageId,
          })),
          state,
        ),
  'turn-settled': (state) => ({ ...state, turn: null }),
  'branch-selected': (state, { leaf }) => ({ ...state, leaf }),
  'process-suspended': (state) => ({ ...state, halted: 'suspended' }),
  'process-woken': (state) => (state.halted === 'suspended' ? { ...state, halted: null } : state),
  'process-closed': (state) => ({ ...state, halted: 'closed' }),
}

/** The conversation's leaf goes on with the turn, unless the person meanwhile chose another branch (H14). */
function moveLeaf(next: LaneState, before: LaneState): LaneState {
  return next.turn && before.turn && before.leaf === before.turn.tip ? { ...next, leaf: next.turn.tip } : next
}

/** Facts that an engine noted carry turn and name, whatever their type. */
function note(state: LaneState, data: JsonObject): LaneState {
  const { turn, name } = data as { turn?: Json; name?: Json }
  if (!state.turn || turn !== state.turn.id || typeof name !== 'string' || data.noted !== true) return state
  return onTurn(state, (t) => record(t, name, { kind: 'note' }))
}

/** The state after an event. Events that say nothing about the lane's own state leave it as it is. */
export function evolve(state: LaneState, event: NewEvent | Event): LaneState {
  const fold = folds[event.type as keyof LaneEvents] as ((state: LaneState, data: unknown) => LaneState) | undefined
  return fold ? fold(state, event.data) : note(state, event.data)
}
