// Attachments on the wire: CONTRACT section 5.
import { z } from 'zod'

export const attachmentQuery = z.strictObject({
  /** Its name; any path before it is left away. Instead: the header X-File-Name, percent-encoded. */
  name: z.string().max(4_096).optional(),
  /** For that session from the beginning; else the message that names it decides. */
  session: z.string().max(64).optional(),
  /** The sender's own id: the same file sent again is the same attachment. */
  id: z.string().min(1).max(128).optional(),
})

export const attachmentShown = z.strictObject({
  inline: z
    .enum(['1', 'true', '0', 'false'])
    .transform((given) => given === '1' || given === 'true')
    .optional(),
})

export const attachmentInfo = z.object({
  id: z.string(),
  name: z.string(),
  mime: z.string(),
  size: z.number().int(),
  sha256: z.string(),
  session: z.string().optional(),
  clientId: z.string().optional(),
  at: z.string(),
})
export type AttachmentInfo = z.infer<typeof attachmentInfo>

export const attachmentKept = attachmentInfo.extend({ duplicate: z.boolean() })
export const attachmentList = z.object({ items: z.array(attachmentInfo), next: z.string().nullable() })
