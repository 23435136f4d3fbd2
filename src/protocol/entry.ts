// What enters a mailbox (L1, L2). Work stands in line; control names its target and does not.
import type { AskId, EntryId, LaneId, MessageId, SessionId, TurnId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from './actor.ts'
import type { Attachment } from './message.ts'

export type Entry = {
  readonly lane: LaneId
  /** The key is (lane, id). The content is from, body and replyTo: same key and other content is a conflict. */
  readonly id: EntryId
  readonly from: Actor
  readonly body: Work | Control
  readonly replyTo?: ReplyTo
  readonly chain: Chain
  /** Not part of the content: when it was made (ms), and the id that the outside knows it by (a message's msg_...). */
  readonly at: number
  readonly ref?: string
  /** Over the limits of L10: kept, not run, until a person says "go on". */
  readonly held?: boolean
}

export type ReplyTo = { readonly lane: LaneId; readonly ask: AskId }

/** L10: the root cause, the open delegations above this entry, the entries since the root. */
export type Chain = { readonly root: string; readonly depth: number; readonly hops: number }

export type Work = MessageBody | RequestBody | NoteBody

/** A line that a person (or whoever speaks for one) says in a conversation. */
export type MessageBody = {
  readonly kind: 'message'
  readonly session: SessionId
  readonly text: string
  readonly clientId?: string
  readonly attachments?: readonly Attachment[]
  /** Values that came along for a pipeline, by key: {type: string | expressions | object | array, value}. */
  readonly context?: JsonObject
  /** The message it continues; absent: the leaf at the time it is taken. null: a new root. */
  readonly parent?: MessageId | null
  readonly replaces?: MessageId
  readonly to?: string
  /** 'next': not at a safe point of the running turn, but in the turn after it. */
  readonly when?: 'now' | 'next'
  readonly voice?: boolean
  /** The absolute folder that the person's terminal stood in; what they name relatively is meant from there. */
  readonly folder?: string
  /** What the person said that led to it, where an agent orders it for them. Set by the hub's own engines alone, and for a reviewer. */
  readonly said?: readonly string[]
}
/** Work that another lane asks for; its answer goes to replyTo. */
export type RequestBody = { readonly kind: 'request'; readonly text: string; readonly data?: JsonObject }
/** Something that happened elsewhere: a peer's note, a worker's report, a timer without an ask. */
export type NoteBody = { readonly kind: 'note'; readonly topic: string; readonly data: JsonObject }

export type Control =
  | { readonly kind: 'stop'; readonly turn: TurnId; readonly reason?: string }
  | { readonly kind: 'pause'; readonly turn: TurnId }
  | { readonly kind: 'resume'; readonly turn: TurnId }
  | { readonly kind: 'answer'; readonly ask: AskId; readonly value: Json }
  | { readonly kind: 'timeout'; readonly ask: AskId }
  /** The hub takes an ask back, because no answer to it could do what was asked: the turn goes on without. */
  | { readonly kind: 'revoke'; readonly ask: AskId; readonly reason: string }
  /** Takes a waiting entry back: refused when it is no longer waiting. */
  | { readonly kind: 'withdraw'; readonly entry: EntryId; readonly reason: string }
  /** Lets a held entry run after all (L10). */
  | { readonly kind: 'go-on'; readonly entry: EntryId }
  /** Chooses the leaf that the next message continues. */
  | { readonly kind: 'select'; readonly leaf: MessageId | null }
  /** The session's own life: a suspended process starts nothing, a closed one takes nothing. */
  | { readonly kind: 'suspend' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'close'; readonly reason: CloseReason }

export const closeReasons = [
  'DONE', 'INCOMPLETE', 'STOPPED', 'STALE', 'ARCHIVED', 'USER_DELETE', 'ABANDONED', 'AUTO_CLOSE',
] as const // biome-ignore format: one line reads better
export type CloseReason = (typeof closeReasons)[number]

export type EntryKind = (Work | Control)['kind']

const control: Record<EntryKind, boolean> = {
  message: false,
  request: false,
  note: false,
  stop: true,
  pause: true,
  resume: true,
  answer: true,
  timeout: true,
  revoke: true,
  withdraw: true,
  'go-on': true,
  select: true,
  suspend: true,
  wake: true,
  close: true,
}

/** Work stands in line in the mailbox; control does not. */
export function isWork(body: Work | Control): body is Work {
  return !control[body.kind]
}
