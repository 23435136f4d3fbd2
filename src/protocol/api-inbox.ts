// The inbox on the wire (CONTRACT section 4, shape "attention item").
import { z } from 'zod'
import type { Json } from '../base/json.ts'
import { listOf, paging } from './api.ts'

const json: z.ZodType<Json> = z.json()

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
export const criticalities = ['LOW', 'NORMAL', 'CRITICAL'] as const
export const itemStatuses = ['PENDING', 'ANSWERED', 'DISMISSED', 'ARCHIVED'] as const
export const itemOutcomes = ['DECIDED', 'INSUFFICIENT_INFO', 'UNDECIDABLE'] as const
export const resolvers = ['USER', 'AUTO_DEFAULT', 'AUTO_RESOLVER', 'AUTO_ARCHIVE'] as const

export const itemAnswer = z.object({ outcome: z.enum(itemOutcomes), value: json, reason: z.string().optional(), by: z.string() })

/** `id` is `ntf_...`; of an approval or question that stands here too it is that one's own, `apr_...` or `ask_...`. */
export const attentionItem = z.object({
  id: z.string(),
  type: z.enum(itemTypes),
  criticality: z.enum(criticalities),
  title: z.string(),
  body: z.string(),
  tags: z.array(z.string()),
  payload: z.record(z.string(), json),
  session: z.string().optional(),
  process: z.string().optional(),
  requiresAction: z.boolean(),
  status: z.enum(itemStatuses),
  read: z.boolean(),
  answer: itemAnswer.optional(),
  resolvedBy: z.enum(resolvers).optional(),
  at: z.string(),
})
export type InboxItem = z.infer<typeof attentionItem>

/** What is pending, and how much of it asks for something. */
export const inboxCounts = z.object({ pending: z.number().int(), requiresAction: z.number().int() })
export type InboxCounts = z.infer<typeof inboxCounts>

/** Newest first. `counts` are over the whole inbox, whatever the page. */
export const inbox = listOf(attentionItem).extend({ counts: inboxCounts })
export type Inbox = z.infer<typeof inbox>
export const inboxQuery = paging.extend({ status: z.enum(itemStatuses).optional() })

/** `value` by type: APPROVAL {approved}, DECISION {chosen}, FEEDBACK {text}, ORDERING {order}, STRUCTURE_EDIT {accepted}; or the bare value. */
export const newItemAnswer = z.strictObject({
  outcome: z.enum(itemOutcomes).default('DECIDED'),
  value: json.optional(),
  reason: z.string().trim().min(1).max(2_000).optional(),
})
export const delegateItem = z.strictObject({ to: z.string().min(1).max(100), note: z.string().trim().min(1).max(2_000).optional() })
