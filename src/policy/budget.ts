// Budgets: what may be spent on models, by person and day, project, session and run. Reserved at a call's maximum, settled after it.

/** Millionths of a unit of the currency (USD by the price table), so that sums are exact. */
export type Micros = number

export const budgetScopes = ['day', 'project', 'session', 'run'] as const
export type BudgetScope = (typeof budgetScopes)[number]

export type Budget = {
  readonly id: string
  readonly user: string
  readonly scope: BudgetScope
  /** A project's or session's name; null: each of them (a default). Always null for day and run. */
  readonly of: string | null
  readonly limit: Micros
  readonly currency: string
  /** As the person said it: "3 EUR a day". */
  readonly text: string
}

export type Spender = { readonly user: string; readonly project: string; readonly session: string; readonly run: string }

export type Reserved =
  | { readonly ok: true; readonly id: string }
  /** `spent` holds what is reserved by others too. */
  | { readonly ok: false; readonly budget: Budget; readonly spent: Micros; readonly wanted: Micros }

/** `unpriced`: so many of the calls had no price. */
export type SpentSum = { readonly cost: Micros; readonly calls: number; readonly unpriced: number }

export type Budgets = {
  /** In one step for all budgets that apply, so that two calls at once can't pass one together. A call of cost 0 always may. */
  reserve(spender: Spender, most: Micros): Promise<Reserved>
  /** What it was in truth; null: unknown, the reserved amount counts. Idempotent by id. */
  settle(id: string, cost: Micros | null): void
  /**
   * A call gave no answer and is counted all the same: a fact of its own, so that it outlives the machine. What was settled for it
   * stays as it is. Durable when it resolves.
   */
  lost(spender: Spender, what: { readonly model: string; readonly cost: Micros }): Promise<void>
  /** `text` in plain words: "3 EUR a day", "10 dollars per session", "50 cents a run", "20 USD for project shop". Throws InvalidInput. */
  set(user: string, text: string): Promise<Budget>
  remove(user: string, id: string): Promise<boolean>
  list(user: string): Promise<readonly (Budget & { readonly spent: Micros })[]>
  /** Of all that came of one request of that person, whoever worked on it. */
  ofRun(user: string, run: string): Promise<SpentSum>
  /** Of that person, by day (in their zone) and model. */
  spending(
    user: string,
    days: number,
  ): Promise<readonly { readonly day: string; readonly model: string; readonly calls: number; readonly cost: Micros }[]>
}

/**
 * The fact (turn.note) by which a call's cost outlives the machine. `cost`: with what broke off within the call; null: the model has no
 * price. `lost`: attempts that the machine's end cut short before, which nothing was settled for.
 */
export type Spent = {
  readonly type: 'model-spent'
  readonly data: Spender & {
    readonly model: string
    readonly cost: Micros | null
    readonly input: number | null
    readonly output: number | null
    readonly cached: number | null
    readonly lost: Micros
  }
}
