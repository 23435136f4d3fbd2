// The events of the inbox: one stream a person. What they hold, how they are read back, and the fold that decides.
import { z } from 'zod'
import { attentionItem, itemAnswer, itemStatuses, resolvers } from '../protocol/api-inbox.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { ItemStatus } from './attention.ts'

const added = z.object({ user: z.string(), item: attentionItem })
const updated = z.object({
  user: z.string(),
  id: z.string(),
  status: z.enum(itemStatuses).optional(),
  read: z.boolean().optional(),
  answer: itemAnswer.optional(),
  resolvedBy: z.enum(resolvers).optional(),
  /** Whose inbox it went to. */
  delegatedTo: z.string().optional(),
})
/** The note did not reach the process, and never will. */
const undelivered = z.object({ user: z.string(), id: z.string(), why: z.string() })

export type Added = z.infer<typeof added>
export type Updated = z.infer<typeof updated>

export const inboxEvents = { 'inbox-item-added': added, 'inbox-item-updated': updated, 'inbox-answer-undelivered': undelivered } as const

/** What an event of another shape holds can't be known: the projection that reads it stops and says so (J4). */
export const readAdded = (event: Pick<NewEvent, 'data'>): Added => added.parse(event.data)
export const readUpdated = (event: Pick<NewEvent, 'data'>): Updated => updated.parse(event.data)
export const readUndelivered = (event: Pick<NewEvent, 'data'>) => undelivered.parse(event.data)

/** The topic of the note by which an answer reaches the process that asked, and its data. */
export const answerTopic = 'inbox-answer'
export const answerNote = z.object({ item: z.string(), user: z.string(), type: z.string(), answer: itemAnswer })

/** The item whose answer an arriving entry carries; null for every other entry. */
export function answeredBy({ data }: Pick<NewEvent, 'data'>): { readonly user: string; readonly item: string } | null {
  const read = arrival.safeParse(data)
  return read.success ? read.data.entry.body.data : null
}
const arrival = z.object({
  entry: z.object({
    body: z.object({ kind: z.literal('note'), topic: z.literal(answerTopic), data: z.object({ user: z.string(), item: z.string() }) }),
  }),
})

/** How an item stands, for who decides about it. */
export type Standing = { readonly status: ItemStatus; readonly read: boolean; readonly answered: boolean }
export type InboxState = ReadonlyMap<string, Standing>

/** A fold of its own for each stream. It grows in place: nobody but the stream holds it, and a copy an event would cost n * n. */
export function inboxFold() {
  const standing = new Map<string, Standing>()
  return {
    empty: standing,
    evolve(_state: InboxState, event: Pick<NewEvent, 'type' | 'data'>): InboxState {
      if (event.type === 'inbox-item-added') {
        const { item } = readAdded(event)
        standing.set(item.id, { status: item.status, read: item.read, answered: item.answer !== undefined })
      }
      if (event.type === 'inbox-item-updated') {
        const { id, status, read, answer } = readUpdated(event)
        const before = standing.get(id) ?? unknown
        standing.set(id, {
          status: status ?? before.status,
          read: read ?? before.read,
          answered: before.answered || answer !== undefined,
        })
      }
      return standing
    },
  }
}

const unknown: Standing = { status: 'PENDING', read: false, answered: false }
