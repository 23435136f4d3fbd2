// The events of a lane, by type. What `evolve` folds and what the outside shows.
import type { ApprovalId, AskId, EntryId, LaneId, MessageId, TurnId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Chain, CloseReason, Entry, ReplyTo } from '../protocol/entry.ts'
import type { Message, Option } from '../protocol/message.ts'
import type { MessageStatus } from '../protocol/message-status.ts'
import type { ProcessStatus } from '../protocol/process.ts'
import type { Answer, Priority, ProcessInfo, TurnOutcome } from './engine.ts'

/** What an event's `cursor` and `at` add to a message is filled in by who reads it (protocol/view.ts). */
export type Line = Omit<Message, 'at' | 'cursor'>

/** An entry that a turn took: names, not bodies (T28). */
export type Taken = {
  readonly entry: EntryId
  readonly message?: MessageId
  /** Where it stands in the tree, once taken. */
  readonly parent?: MessageId | null
  readonly replyTo?: ReplyTo
}

/** A recorded value: itself, or where it is stored apart. */
export type Recorded = { readonly value: Json } | { readonly ref: string; readonly size: number }

export type LaneEvents = {
  'process-created': { readonly process: ProcessInfo }
  /** A line of a person or a process, at acceptance (queued, with the entry that carries it), or settled (of an agent). */
  'chat-message-appended': {
    readonly message: Line
    readonly entry?: Entry
    readonly turn?: TurnId
    readonly name?: string
    readonly step?: string
  }
  'chat-message-updated': {
    readonly id: MessageId
    readonly status: MessageStatus
    readonly parent?: MessageId | null
    readonly turn?: TurnId
    readonly why?: string
  }
  'entry-received': { readonly entry: Entry }
  'entry-held': { readonly entry: Entry; readonly why: string }
  'entry-released': { readonly entry: EntryId; readonly by: Actor }
  /** It left the mailbox without being done. */
  'entry-refused': { readonly entry: EntryId; readonly kind: string; readonly reason: RefusalReason; readonly message?: MessageId }
  /** Control that was carried out. */
  'entry-done': { readonly entry: EntryId; readonly kind: string }
  'turn-started': {
    readonly turn: TurnId
    readonly engine: string
    readonly version: number
    readonly taken: readonly Taken[]
    readonly from: Actor
    readonly leaf: MessageId | null
    readonly chain: Chain
    readonly priority: Priority
  }
  /** One per restart of the machine or change of owner (T21). */
  'turn-resumed': { readonly turn: TurnId; readonly restarts: number }
  'step-started': { readonly turn: TurnId; readonly name: string; readonly kind: StepKind; readonly attempt: number }
  'step-done': {
    readonly turn: TurnId
    readonly name: string
    readonly kind: StepKind
    readonly outcome: 'done' | 'assumed' | 'abandoned'
  } & Recorded
  'step-failed': { readonly turn: TurnId; readonly name: string; readonly kind: StepKind; readonly message: string; readonly code: string }
  'arrivals-taken': { readonly turn: TurnId; readonly name: string; readonly taken: readonly Taken[] }
  'question-asked': {
    readonly turn: TurnId
    readonly name: string
    readonly ask: AskId
    readonly text: string
    readonly options?: readonly Option[]
    readonly due?: number
  }
  /** `approval`: its id outside, apr_ and the ask's own digits. */
  'approval-requested': {
    readonly turn: TurnId
    readonly name: string
    readonly ask: AskId
    readonly approval: ApprovalId
    readonly text: string
    readonly request: JsonObject
    readonly due: number
  }
  delegated: {
    readonly turn: TurnId
    readonly name: string
    readonly ask: AskId
    readonly lane: LaneId
    readonly entry: EntryId
    readonly due?: number
  }
  'timer-set': { readonly turn: TurnId; readonly name: string; readonly ask: AskId; readonly due: number }
  'question-answered': { readonly turn: TurnId; readonly answer: Answer }
  'approval-decided': { readonly turn: TurnId; readonly approval: ApprovalId; readonly answer: Answer }
  'ask-answered': { readonly turn: TurnId; readonly answer: Answer }
  'wait-ended': { readonly turn: TurnId; readonly name: string; readonly ask: AskId }
  'turn-parked': {
    readonly turn: TurnId
    readonly waits: readonly { readonly name: string; readonly asks: readonly AskId[]; readonly wake: boolean }[]
  }
  'turn-paused': { readonly turn: TurnId; readonly by: Actor }
  'turn-continued': { readonly turn: TurnId; readonly by: Actor }
  'turn-stopping': { readonly turn: TurnId; readonly by: Actor }
  'clock-read': { readonly turn: TurnId; readonly name: string; readonly at: number }
  posted: { readonly turn: TurnId; readonly name: string; readonly lane: LaneId; readonly entry: EntryId }
  'turn-settled': {
    readonly turn: TurnId
    readonly outcome: TurnOutcome
    readonly error?: string
    readonly code?: string
    /** Once steps whose outcome nobody knows. */
    readonly unknown: readonly string[]
    /** The newest line that the turn said. */
    readonly reply: MessageId | null
    readonly steps: number
  }
  'branch-selected': { readonly leaf: MessageId | null; readonly by: Actor }
  /** The derived word, whenever it changes. */
  'process-status-changed': { readonly status: ProcessStatus; readonly why?: string }
  'process-suspended': { readonly by: Actor }
  'process-woken': { readonly by: Actor }
  'process-closed': { readonly reason: CloseReason; readonly by: Actor }
}

/** A 'read' has no start: it looks at the hub's own data. */
export type StepKind = 'replayable' | 'idempotent' | 'once' | 'read'
export type RefusalReason = 'too_late' | 'answered' | 'not_waiting' | 'withdrawn' | 'closed' | 'unknown_target' | 'cycle'

export type LaneEventType = keyof LaneEvents
