// Where a pattern is read, and what is said when it can't be.
import { InvalidInput } from '../../../base/errors.ts'

export const patternLimits = { characters: 1_000, depth: 30, repeats: 1_000 } as const

/** A pattern that can't be read, or can be slow. The message names the pattern and what of it. */
export class PatternFault extends InvalidInput {}

/** `signs`: the pattern's characters. `isQuoted`: between \Q and \E. */
export type Reader = {
  readonly source: string
  readonly signs: readonly string[]
  at: number
  depth: number
  isAnyCase: boolean
  isDotAll: boolean
}

export function fault(reader: Pick<Reader, 'source'>, what: string): PatternFault {
  return new PatternFault(`The pattern "${reader.source.slice(0, 100)}" ${what}`)
}

export function isNext(reader: Reader, sign: string): boolean {
  return reader.signs[reader.at] === sign
}

export function take(reader: Reader, sign: string): boolean {
  if (!isNext(reader, sign)) return false
  reader.at++
  return true
}
