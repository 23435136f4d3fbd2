// What a control entry does (L2): it names what it is for, doesn't stand in line, and is refused with a reason when that is gone.
// Pure: (state, entry, mailbox) -> what is to be written, and what the lane must do about its run.
import { approvalOf, type EntryId, type TimerId, type TurnId } from '../base/ids.ts'
import type { Control, Entry } from '../protocol/entry.ts'
import { type Draft, draft } from './draft.ts'
import type { Answer } from './engine.ts'
import type { RefusalReason } from './events.ts'
import type { AskState, LaneState, TurnState } from './state.ts'

export type Decision = {
  readonly events: readonly Draft[]
  /** Entries besides the control itself that leave the mailbox. */
  readonly drops?: readonly EntryId[]
  readonly releases?: readonly EntryId[]
  readonly clearTimers?: readonly TimerId[]
  /** The open turn ends as stopped: its run first, when there is one. */
  readonly stops?: boolean
  /** After the turn, if any, has settled: nothing more is taken or accepted. */
  readonly closes?: boolean
}

export type MailboxView = { readonly inbox: readonly Entry[]; readonly held: readonly EntryId[] }

type Decide<K extends Control['kind']> = (
  state: LaneState,
  body: Extract<Control, { kind: K }>,
  entry: Entry,
  mailbox: MailboxView,
) => Decision

const refuse = (entry: Entry, reason: RefusalReason): Decision => ({
  events: [draft('entry-refused', { entry: entry.id, kind: entry.body.kind, reason }, entry.from)],
})

function openTurn(state: LaneState, turn: TurnId): TurnState | null {
  return state.turn?.id === turn ? state.turn : null
}

const done = (entry: Entry, ...events: readonly Draft[]): readonly Draft[] => [
  ...events,
  draft('entry-done', { entry: entry.id, kind: entry.body.kind }, entry.from),
]

/** An ask is answered once: whoever is first in the mailbox wins, the other is told so. */
function settleAsk(state: LaneState, entry: Entry, answer: Answer): Decision {
  const ask = state.turn?.asks[answer.ask]
  if (!ask) return refuse(entry, 'too_late')
  if (ask.answer) return refuse(entry, 'answered')
  const turn = state.turn?.id
  if (!turn) return refuse(entry, 'too_late')
  return {
    events: done(entry, settledAsk(ask.kind, turn, answer, entry)),
    clearTimers: ask.due === null ? [] : [timerOf(answer.ask)],
  }
}

function settledAsk(kind: AskState['kind'], turn: TurnId, answer: Answer, { from }: Entry): Draft {
  if (kind === 'approval') return draft('approval-decided', { turn, approval: approvalOf(answer.ask), answer }, from)
  return draft(kind === 'question' ? 'question-answered' : 'ask-answered', { turn, answer }, from)
}

const decisions: { [K in Control['kind']]: Decide<K> } = {
  stop: (state, body, entry) => {
    const turn = openTurn(state, body.turn)
    if (!turn || turn.stopping) return refuse(entry, 'too_late')
    return { events: done(entry, draft('turn-stopping', { turn: body.turn, by: entry.from }, entry.from)), stops: true }
  },
  pause: (state, body, entry) => {
    const turn = openTurn(state, body.turn)
    if (!turn || turn.stopping) return refuse(entry, 'too_late')
    if (turn.paused) return { events: done(entry) }
    return { events: done(entry, draft('turn-paused', { turn: body.turn, by: entry.from }, entry.from)) }
  },
  resume: (state, body, entry) => {
    const turn = openTurn(state, body.turn)
    if (!turn) return refuse(entry, 'too_late')
    if (!turn.paused) return { events: done(entry) }
    return { events: done(entry, draft('turn-continued', { turn: body.turn, by: entry.from }, entry.from)) }
  },
  answer: (state, body, entry) =>
    settleAsk(state, entry, { kind: 'answer', ask: body.ask, outcome: 'answered', value: body.value, by: entry.from }),
  timeout: (state, body, entry) =>
    settleAsk(state, entry, { kind: 'answer', ask: body.ask, outcome: 'timeout', value: null, by: entry.from }),
  revoke: (state, body, entry) =>
    settleAsk(state, entry, { kind: 'answer', ask: body.ask, outcome: 'revoked', value: body.reason, by: entry.from }),
  withdraw: (_state, body, entry, { inbox }) => {
    const target = inbox.find((waiting) => waiting.id === body.entry)
    if (!target) return refuse(entry, 'not_waiting')
    return { events: done(entry, ...refused(target, 'withdrawn', body.reason)), drops: [target.id] }
  },
  'go-on': (_state, body, entry, { held }) => {
    if (!held.includes(body.entry)) return refuse(entry, 'not_waiting')
    return { events: done(entry, draft('entry-released', { entry: body.entry, by: entry.from }, entry.from)), releases: [body.entry] }
  },
  select: (_state, body, entry) => ({ events: done(entry, draft('branch-selected', { leaf: body.leaf, by: entry.from }, entry.from)) }),
  suspend: (state, _body, entry) => {
    if (state.halted) return { events: done(entry) }
    return { events: done(entry, draft('process-suspended', { by: entry.from }, entry.from)) }
  },
  wake: (state, _body, entry) => {
    if (state.halted === 'closed') return refuse(entry, 'closed')
    if (!state.halted) return { events: done(entry) }
    return { events: done(entry, draft('process-woken', { by: entry.from }, entry.from)) }
  },
  close: (state, body, entry, { inbox }) => {
    if (state.halted === 'closed') return { events: done(entry) }
    const waiting = inbox.flatMap((target) => refused(target, 'closed', 'the process was closed'))
    const { turn } = state
    const stopping = turn && !turn.stopping ? [draft('turn-stopping', { turn: turn.id, by: entry.from }, entry.from)] : []
    const closed = draft('process-closed', { reason: body.reason, by: entry.from }, entry.from)
    return {
      events: done(entry, ...waiting, ...stopping, closed),
      drops: inbox.map((target) => target.id),
      stops: turn !== null,
      closes: true,
    }
  },
}

export function decideControl(state: LaneState, entry: Entry, mailbox: MailboxView): Decision {
  const body = entry.body as Control
  const decide = decisions[body.kind] as Decide<Control['kind']>
  return decide(state, body as never, entry, mailbox)
}

/** Work that leaves the mailbox without a turn; a person's line says so too. */
export function refused(target: Entry, reason: RefusalReason, why: string): readonly Draft[] {
  const event = draft('entry-refused', { entry: target.id, kind: target.body.kind, reason })
  if (target.body.kind !== 'message' || target.ref === undefined) return [event]
  const status = reason === 'withdrawn' ? 'stopped' : 'failed'
  return [event, draft('chat-message-updated', { id: target.ref as never, status, why })]
}

/** An ask has at most one timer, named after it (T30). */
export function timerOf(ask: string): TimerId {
  return `tmr_${ask.slice(4)}` as TimerId
}
