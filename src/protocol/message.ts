// A line of a conversation. A conversation is a tree: each message names its parent.
import { z } from 'zod'
import { messageStatuses } from './message-status.ts'

export const option = z.object({ label: z.string(), description: z.string().optional() })
export type Option = z.infer<typeof option>

/** `size` in bytes. What the hub says of it; who sends a message need only name the id. */
export const attachment = z.object({
  id: z.string(),
  name: z.string().optional(),
  mime: z.string().optional(),
  size: z.number().int().optional(),
})
export type Attachment = z.infer<typeof attachment>

/** CONTRACT section 4, shape "message". `at` is ISO text, `cursor` that of the event that appended it. */
export const message = z.object({
  id: z.string(),
  clientId: z.string().optional(),
  session: z.string(),
  parent: z.string().nullable(),
  role: z.enum(['user', 'assistant', 'system']),
  actor: z.string(),
  agent: z.string().optional(),
  text: z.string(),
  info: z.string().optional(),
  options: z.array(option).optional(),
  attachments: z.array(attachment).optional(),
  status: z.enum(messageStatuses),
  at: z.string(),
  cursor: z.string(),
})
export type Message = z.infer<typeof message>
