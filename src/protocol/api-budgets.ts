// Requests and answers about budgets and what was spent. Amounts are in units of their currency, exact to the millionth.
import { z } from 'zod'

export const newBudget = z.strictObject({ text: z.string().min(1).max(300) })
export const budgetsQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(400).default(30) })

export const budget = z.object({
  id: z.string(),
  scope: z.enum(['day', 'project', 'session', 'run']),
  /** null: each of them. */
  of: z.string().nullable(),
  limit: z.number(),
  currency: z.string(),
  text: z.string(),
})
export type WireBudget = z.infer<typeof budget>

/** `spent`: of the day or of what is named, in the budget's currency; of one for each of them, what the dearest has cost. */
export const budgets = z.object({
  items: z.array(budget.extend({ spent: z.number() })),
  next: z.string().nullable(),
  /** In dollars, by the price table; the newest day first. */
  spending: z.array(z.object({ day: z.string(), model: z.string(), calls: z.number().int(), cost: z.number() })),
})
