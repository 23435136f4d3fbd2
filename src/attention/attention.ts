// Attention: what needs a person, as items in the inbox. Owns: items, their answers, what becomes of them by themselves.
// Leaves delivery over channels to channels. Items are events in the stream of their person (`inbox:<user>`).
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'

export const itemTypes = [
  'APPROVAL',
  'DECISION',
  'FEEDBACK',
  'ORDERING',
  'STRUCTURE_EDIT',
  'OUTPUT_TEXT',
  'OUTPUT_IMAGE',
  'OUTPUT_DOCUMENT',
  'NOTICE',
] as const
export type ItemType = (typeof itemTypes)[number]
export const criticalities = ['LOW', 'NORMAL', 'CRITICAL'] as const
export type Criticality = (typeof criticalities)[number]
export const itemStatuses = ['PENDING', 'ANSWERED', 'DISMISSED', 'ARCHIVED'] as const
export type ItemStatus = (typeof itemStatuses)[number]

export type AttentionItem = {
  readonly id: string
  readonly type: ItemType
  readonly criticality: Criticality
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly payload: JsonObject
  readonly session?: string
  readonly process?: string
  readonly requiresAction: boolean
  readonly status: ItemStatus
  readonly read: boolean
  readonly answer?: ItemAnswer
  readonly resolvedBy?: 'USER' | 'AUTO_DEFAULT' | 'AUTO_RESOLVER' | 'AUTO_ARCHIVE'
  readonly at: number
}
export type ItemAnswer = {
  readonly outcome: 'DECIDED' | 'INSUFFICIENT_INFO' | 'UNDECIDABLE'
  readonly value: Json
  readonly reason?: string
  readonly by: string
}

export type NewItem = {
  readonly user: string
  readonly type: ItemType
  readonly criticality?: Criticality
  readonly title: string
  readonly body: string
  readonly tags?: readonly string[]
  readonly payload?: JsonObject
  readonly session?: string
  readonly process?: string
  /** Default: whether its type asks something. */
  readonly requiresAction?: boolean
  /** The same key of the same person makes one item, also after a restart. */
  readonly key: string
}

export type Attention = {
  add(item: NewItem, by: Actor): Promise<AttentionItem>
  get(user: string, id: string): Promise<AttentionItem | null>
  list(given: {
    readonly user: string
    readonly status?: ItemStatus
    readonly after?: string
    readonly limit: number
  }): Promise<{ readonly items: readonly AttentionItem[]; readonly next: string | null }>
  read(user: string, id: string, by: Actor): Promise<AttentionItem>
  /** Twice the same: a no-op. An answer to an item of a process is a note in that process's mailbox. Throws InvalidInput, Conflict. */
  answer(user: string, id: string, answer: Omit<ItemAnswer, 'by'>, by: Actor): Promise<AttentionItem>
  dismiss(user: string, id: string, by: Actor): Promise<AttentionItem>
  archive(user: string, id: string, by: Actor): Promise<AttentionItem>
  /** Back to ANSWERED when an answer exists, else to PENDING. */
  unarchive(user: string, id: string, by: Actor): Promise<AttentionItem>
  close(): Promise<void>
}
