// What budgets need of a store: a projection of what models cost, and sums over it.
import type { Projection } from '../journal/projection.ts'
import type { Micros, SpentSum } from './budget.ts'

/** Zones differ by quarters of an hour, so days of every zone are made of these. */
export const slotMs = 900_000

export type Slot = { readonly at: number; readonly model: string; readonly calls: number; readonly cost: Micros }
/** `cursor`: the newest event that is in it. */
export type Total = { readonly spent: Micros; readonly cursor: number }

export interface BudgetsStore {
  readonly projection: Projection
  /** Of one project, session or run of that person; 0 for what is not known. */
  total(user: string, scope: 'project' | 'session' | 'run', of: string): Promise<Total>
  /** All calls of models of one run of that person. */
  ofRun(user: string, run: string): Promise<SpentSum>
  /** What the dearest of them has cost. */
  dearest(user: string, scope: 'project' | 'session' | 'run'): Promise<Micros>
  /** Of that person since then, by quarter of an hour and model, oldest first. */
  slots(user: string, since: number): Promise<{ readonly slots: readonly Slot[]; readonly cursor: number }>
}
