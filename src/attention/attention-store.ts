// What attention needs of a store. Implemented in store/sqlite/attention.ts.
import type { Projection } from '../journal/projection.ts'
import type { InboxCounts } from '../protocol/api-inbox.ts'
import type { AttentionItem, ItemStatus } from './attention.ts'

export interface AttentionStore {
  readonly projection: Projection
  item(user: string, id: string): Promise<AttentionItem | null>
  /** Newest first. Throws InvalidInput for an `after` that this list never gave. */
  items(given: ItemsWanted): Promise<{ readonly items: readonly AttentionItem[]; readonly next: string | null }>
  counts(user: string): Promise<InboxCounts>
  /** Answered items of processes whose note was not seen in a mailbox yet. */
  undelivered(limit: number): Promise<readonly { readonly user: string; readonly item: AttentionItem }[]>
}

export type ItemsWanted = { readonly user: string; readonly status?: ItemStatus; readonly after?: string; readonly limit: number }
