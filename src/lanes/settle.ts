// The one way in which a turn ends (L11): everyone who asked is answered, its questions and timers are gone, steps whose outcome
// nobody knows are named, and words that were shown but not said are kept. Pure.
import type { MessageId, NewId } from '../base/ids.ts'
import type { Json } from '../base/json.ts'
import type { Post } from '../journal/commit.ts'
import type { Entry } from '../protocol/entry.ts'
import type { MessageStatus } from '../protocol/message-status.ts'
import { timerOf } from './control.ts'
import { type Draft, draft } from './draft.ts'
import type { TurnOutcome } from './engine.ts'
import type { Line, Taken } from './events.ts'
import { arrival } from './post.ts'
import type { LaneState, TurnState } from './state.ts'
import type { Write } from './write.ts'

export type End = {
  readonly outcome: TurnOutcome
  /** For a failed turn: what went wrong, for a person, and a word for programs. */
  readonly error?: string
  readonly code?: string
  /** Who stopped it. */
  readonly by?: Entry['from']
}

export type Unsaid = { readonly step: string; readonly text: string }

const statusOfOutcome: Record<TurnOutcome, MessageStatus> = { done: 'settled', failed: 'failed', stopped: 'stopped' }

export function settling(
  state: LaneState,
  end: End,
  rest: { readonly unsaid: readonly Unsaid[]; readonly replyText: string | null; readonly newId: NewId; readonly now: number },
): Write {
  const { turn, process } = state
  if (!turn || !process) throw new Error('only an open turn can settle')
  const kept = end.outcome === 'done' ? [] : keptWords(state, turn, { ...rest, status: statusOfOutcome[end.outcome] })
  const reply = kept.at(-1)?.id ?? turn.reply
  const text = rest.unsaid.length > 0 && end.outcome !== 'done' ? (rest.unsaid.at(-1)?.text ?? null) : rest.replyText
  return {
    events: [
      ...kept.map(({ event }) => event),
      draft('turn-settled', {
        turn: turn.id,
        outcome: end.outcome,
        ...(end.error !== undefined && { error: end.error }),
        ...(end.code !== undefined && { code: end.code }),
        unknown: unknownSteps(turn),
        reply,
        steps: turn.count,
      }),
      ...turn.taken.flatMap((taken) => settledLine(taken, turn, end)),
    ],
    posts: turn.taken.flatMap((taken) => replyTo(taken, state, { end, reply, text, ...rest })),
    clearTimers: openTimers(turn),
  }
}

/** Once steps that began and have no recorded end: crashed, stopped, or thrown without NotDone (L5). */
export function unknownSteps(turn: TurnState): readonly string[] {
  return Object.entries(turn.names).flatMap(([name, record]) =>
    record.kind === 'step' && record.effect === 'once' && record.state === 'started' ? [name] : [],
  )
}

function openTimers(turn: TurnState) {
  return Object.entries(turn.asks).flatMap(([ask, { due, answer }]) => (due !== null && answer === null ? [timerOf(ask)] : []))
}

function settledLine(taken: Taken, turn: TurnState, end: End): readonly Draft[] {
  if (taken.message === undefined) return []
  const why = end.error === undefined ? {} : { why: end.error }
  return [draft('chat-message-updated', { id: taken.message, status: statusOfOutcome[end.outcome], turn: turn.id, ...why })]
}

function keptWords(
  state: LaneState,
  turn: TurnState,
  rest: { readonly unsaid: readonly Unsaid[]; readonly newId: NewId; readonly status: MessageStatus },
): readonly { readonly id: MessageId; readonly event: Draft }[] {
  let parent = turn.tip
  return rest.unsaid.map(({ step, text }) => {
    const id = rest.newId('msg')
    const message = lineOf(state, { id, parent, text, status: rest.status })
    parent = id
    return { id, event: draft('chat-message-appended', { message, turn: turn.id, name: `?kept ${step}`, step }) }
  })
}

/** A line that the lane's process says. */
export function lineOf(
  state: LaneState,
  given: {
    readonly id: MessageId
    readonly parent: MessageId | null
    readonly text: string
    readonly status: MessageStatus
    readonly agent?: string
  },
): Line {
  const { process } = state
  if (!process) throw new Error('a lane without a process says nothing')
  return {
    id: given.id,
    session: process.session,
    parent: given.parent,
    role: 'assistant',
    actor: `process:${process.id}`,
    agent: given.agent ?? process.agent,
    text: given.text,
    status: given.status,
  }
}

/** The answer to a request that left the mailbox without a turn; `why` is told to who asked. */
export function refusal(rest: { readonly newId: NewId; readonly clock: { now(): number } }, request: Entry, why: string): Post {
  if (!request.replyTo) throw new Error('only a request with a reply address is answered')
  const entry: Entry = {
    lane: request.replyTo.lane,
    id: rest.newId('ent'),
    from: 'system',
    body: {
      kind: 'answer',
      ask: request.replyTo.ask,
      value: { outcome: 'failed', message: null, text: null, error: why },
    },
    chain: { ...request.chain, depth: Math.max(0, request.chain.depth - 1) },
    at: rest.clock.now(),
  }
  return { entry, event: arrival(entry, rest.newId) }
}

function replyTo(
  taken: Taken,
  state: LaneState,
  rest: { readonly end: End; readonly reply: MessageId | null; readonly text: string | null; readonly newId: NewId; readonly now: number },
): readonly Post[] {
  const { turn, process } = state
  if (!taken.replyTo || !turn || !process) return []
  const value: Json = { outcome: rest.end.outcome, message: rest.reply, text: rest.text, error: rest.end.error ?? null }
  const entry: Entry = {
    lane: taken.replyTo.lane,
    id: rest.newId('ent'),
    from: `process:${process.id}`,
    body: { kind: 'answer', ask: taken.replyTo.ask, value },
    // A reply goes back to the depth of who asked, and is no hop (L10).
    chain: { ...turn.chain, depth: Math.max(0, turn.chain.depth - 1) },
    at: rest.now,
  }
  return [{ entry, event: arrival(entry, rest.newId) }]
}
