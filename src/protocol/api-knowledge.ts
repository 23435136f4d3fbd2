// Knowledge bases of pipelines on the wire: which there are, their documents, how far each is.
import { z } from 'zod'

const base = z.object({
  id: z.string(),
  name: z.string(),
  /** The newest of its configuration. */
  version: z.number().int(),
  documents: z.number().int(),
  /** Pieces that its documents are found by. */
  chunks: z.number().int(),
})
export const knowledgeList = z.object({ items: z.array(base), next: z.string().nullable() })
export type KnowledgeList = z.infer<typeof knowledgeList>

export const knowledgeDocument = z.object({
  id: z.string(),
  name: z.string(),
  /** Of its newest ingestion. */
  ingestion: z.string(),
  base: z.string(),
  version: z.number().int(),
  state: z.enum(['pending', 'processing', 'completed', 'failed']),
  /** Why it failed, or what it lacks. */
  note: z.string().nullable(),
  characters: z.number().int(),
  chunks: z.number().int(),
  /** What its vectors are of; null: it is found by its words. */
  embedder: z.string().nullable(),
  at: z.number(),
})
export const knowledgeShown = base.extend({ items: z.array(knowledgeDocument), next: z.string().nullable() })
export type KnowledgeShown = z.infer<typeof knowledgeShown>

const whole = z.string().regex(/^\d{1,6}$/, 'must be a whole number')
const version = z.number().int().min(1).optional()
export const knowledgeQuery = z.strictObject({ after: whole.optional(), limit: whole.optional() })
export const knowledgeGiven = z.strictObject({
  /** Given again, it takes the place of the one before. */
  id: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  text: z.string().min(1),
  metadata: z.record(z.string(), z.json()).optional(),
  /** Of the configuration; absent: the newest. */
  version,
})
export const knowledgeNamed = z.strictObject({ id: z.string().min(1).max(200) })
export const knowledgeRemoved = z.object({ removed: z.boolean() })
export const knowledgeRefresh = z.strictObject({ version })
export const knowledgeRefreshed = z.object({ documents: z.number().int() })
