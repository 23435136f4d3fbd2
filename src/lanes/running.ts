// What the verbs of a turn (turn-*.ts) need of the run that they belong to.
import type { AskId } from '../base/ids.ts'
import type { LaneCore } from './core.ts'
import type { Answer, Arrived } from './engine.ts'
import type { NameRecord, TurnState } from './state.ts'

/** Names with this mark belong to the step before it, and are visited with it (T14). */
export const subMark = '?'

export type PendingWait = {
  readonly name: string
  readonly asks: readonly AskId[]
  readonly wake: boolean
  readonly resolve: (what: Answer | Arrived) => void
  readonly reject: (why: Error) => void
}

export type Run = {
  readonly core: LaneCore
  readonly signal: AbortSignal
  turn(): TurnState
  /** Uses a name: what is recorded under it, or null. Throws Stopped, or Diverged when it was used already. */
  enter(name: string, kind: NameRecord['kind']): NameRecord | null
  /** A bug of the engine: the turn fails, even when the engine catches this. */
  fail(message: string): never
  /** True while something recorded was not visited yet: the run repeats what an earlier one did. */
  replaying(): boolean
  /** Something that isn't a wait is under way until the returned function is called. */
  begin(): () => void
  /** Resolves at once, or when a paused turn goes on. */
  hold(): Promise<void>
  wait(pending: PendingWait): void
  /** The run was thrown away: nothing it does counts. */
  dead(): boolean
  /** For what a dead run awaits: it never goes on. */
  never<T>(): Promise<T>
  said(text: string): void
}
