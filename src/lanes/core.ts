// What a run and its verbs may do with their lane.
import type { Clock } from '../base/clock.ts'
import type { EntryId, LaneId, NewId } from '../base/ids.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry } from '../protocol/entry.ts'
import type { LiveWords } from './live.ts'
import type { ChainLimits } from './post.ts'
import type { LaneState } from './state.ts'
import type { Write } from './write.ts'

export type LaneCore = {
  readonly id: LaneId
  readonly epoch: number
  readonly journal: Journal
  readonly clock: Clock
  readonly newId: NewId
  readonly live: LiveWords
  /** Takes out of a text what nobody is to see: errors, words of a turn that broke off, progress. Texts without any stay the same. */
  readonly scrub: (text: string) => string
  /** As they are set now (L10). */
  readonly limits: () => ChainLimits
  /** A timer row is durable: the ticker looks again no later than then. */
  timerSet(due: number): void
  state(): LaneState
  write(write: Write): Promise<boolean>
  /** The lease allows an effect to start (L7). When not, the lane has given itself up. */
  mayAct(): boolean
  /** Work that waits, in commit order. */
  inbox(): readonly Entry[]
  /** The entries leave the inbox as taken; their bodies stay at hand while the turn is open. */
  took(entries: readonly Entry[]): void
  /** The body of an entry that the open turn took. */
  body(entry: EntryId): Entry
}
