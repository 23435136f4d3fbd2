// A text as it is looked at: its words and clauses, and what was found at its words.
import type { Clause } from './clauses.ts'
import type { Prepared } from './prepared.ts'
import type { Words } from './words.ts'

/**
 * `strong`: it asks for the work. `weak`: it may only speak of it, as "the fix". `faint`: it only says more of something else, as "for fixing".
 * `none`: it is ruled out, as in "don't fix".
 */
export type Level = 'strong' | 'weak' | 'faint' | 'none'

export type Hit = {
  /** Number of the table's phrase; -1: a word of a class. */
  readonly phrase: number
  /** Of a word of a class. */
  readonly class: string | null
  readonly says: string
  readonly start: number
  /** Not inside. */
  readonly end: number
  /** How telling it is against another hit at the same place. */
  readonly size: number
  readonly level: Level
  /** It stands in a question or in a clause that depends on another one. */
  readonly asked: boolean
  /** Why it is not strong. */
  readonly why: string
}

export type Scene = {
  readonly prepared: Prepared
  readonly words: Words
  readonly clauses: readonly Clause[]
  /** Number of the clause of each word. */
  readonly clauseOf: readonly number[]
  readonly german: boolean
}
