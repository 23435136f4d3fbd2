// Attention: what needs a person, as items in the inbox. Owns: items, their answers, what becomes of them by themselves.
// Leaves delivery over channels to channels, deciding approvals to policy, answering questions to lanes. Items are events in the stream
// of their person (`inbox:<user>`); approvals and questions that wait stand in the same table, read from their own events, so that
// there is one place to look and nothing twice (derived.ts). Built by open-attention.ts over attention-store.ts. Stores also import
// inbox-events.ts and derived.ts.
//
// I1  The same key of the same person makes one item. I2  An answer is given once; a second one changes nothing.
// I3  An answer to an item of a process reaches its mailbox once, also when the hub dies in between.
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { criticalities, InboxCounts, itemOutcomes, itemStatuses, itemTypes, resolvers } from '../protocol/api-inbox.ts'

export type ItemType = (typeof itemTypes)[number]
export type Criticality = (typeof criticalities)[number]
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
  readonly resolvedBy?: (typeof resolvers)[number]
  readonly at: number
}
export type ItemAnswer = {
  readonly outcome: (typeof itemOutcomes)[number]
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
  counts(user: string): Promise<InboxCounts>
  /** All of these throw NotFound for what is not in that person's inbox, and answer with the item as it is then. */
  read(user: string, id: string, by: Actor): Promise<AttentionItem>
  /**
   * Twice: a no-op. An answer to an item of a process is a note in that process's mailbox (topic `inbox-answer`). Throws InvalidInput for
   * what the item can't be answered with, Conflict for one that asks nothing, was put away, or is an approval or a question.
   */
  answer(user: string, id: string, answer: Omit<ItemAnswer, 'by'>, by: Actor): Promise<AttentionItem>
  /** Into another person's inbox; to oneself it is a no-op. Throws InvalidInput for an unknown person. */
  delegate(user: string, id: string, given: { readonly to: string; readonly note?: string }, by: Actor): Promise<AttentionItem>
  dismiss(user: string, id: string, by: Actor): Promise<AttentionItem>
  archive(user: string, id: string, by: Actor): Promise<AttentionItem>
  /** Back to ANSWERED when an answer exists, else to PENDING. */
  unarchive(user: string, id: string, by: Actor): Promise<AttentionItem>
  close(): Promise<void>
}
