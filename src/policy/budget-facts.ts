// The facts of budgets: which there are (stream `budget:<user>`), and what a model call cost (a turn's note).
import { z } from 'zod'
import type { Fold } from '../journal/stream.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import { type Budget, budgetScopes, type Spent } from './budget.ts'

const micros = z.int().min(0)
const budget = z.object({
  id: z.string(),
  user: z.string(),
  scope: z.enum(budgetScopes),
  of: z.string().nullable(),
  limit: micros,
  currency: z.string(),
  text: z.string(),
})
const set = z.object({ budget, rate: z.number().positive().default(1) })
const removed = z.object({ id: z.string() })

/** With what one unit of its currency was worth in dollars when it was set: for when nobody says it any more. */
export type KeptBudget = { readonly budget: Budget; readonly rate: number }
export type KeptBudgets = ReadonlyMap<string, KeptBudget>

export const budgetFold: Fold<KeptBudgets> = {
  empty: new Map(),
  evolve(state, { type, data }) {
    if (type === 'budget-set') {
      const read = set.safeParse(data).data
      return read ? new Map(state).set(read.budget.id, read) : state
    }
    const id = type === 'budget-removed' ? removed.safeParse(data).data?.id : undefined
    return id === undefined ? state : new Map([...state].filter(([known]) => known !== id))
  },
}

const cost = z.number().min(0).transform(Math.ceil)
const spent = z.object({
  user: z.string(),
  project: z.string(),
  session: z.string(),
  run: z.string(),
  model: z.string(),
  cost: cost.nullable(),
  input: z.number().nullable().catch(null),
  output: z.number().nullable().catch(null),
  cached: z.number().nullable().catch(null),
  lost: cost.default(0),
})

/** null: it is another fact, or one that nothing can be read from. */
export function spentOf(event: Event | NewEvent): Spent['data'] | null {
  return event.type === 'model-spent' ? (spent.safeParse(event.data).data ?? null) : null
}
