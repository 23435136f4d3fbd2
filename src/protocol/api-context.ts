// What a session's models are given, as far as a person steers it: summaries of older lines, a new foundation.
import { z } from 'zod'
import { listOf } from './api.ts'

/** Stands in for the lines from `from` to `to` of one branch; the lines stay. Tokens are estimates. */
export const summary = z.object({
  id: z.string(),
  session: z.string(),
  from: z.string(),
  to: z.string(),
  lines: z.number().int(),
  text: z.string(),
  before: z.number(),
  after: z.number(),
  by: z.string(),
  keep: z.string().nullable(),
  wanted: z.enum(['person', 'size']),
})
export const summaries = listOf(summary)
export const summariesQuery = z.strictObject({
  all: z
    .enum(['true', 'false', '1', '0'])
    .transform((text) => text === 'true' || text === '1')
    .optional(),
})
/** `keep`: what must not be lost, in the person's words. */
export const compact = z.strictObject({ keep: z.string().trim().min(1).max(2_000).optional() })
/** How often the session's foundation was laid anew; the next turn does it. */
export const rebased = z.object({ session: z.string(), rebased: z.number().int() })
