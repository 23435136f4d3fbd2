// What each token of an input is known as: sources are asked in their order, then corrections.
import type { Effort } from './effort.ts'
import { type Correction, type Found, type Reading, type Source, type Term, unknown, unused } from './found.ts'

/**
 * `owner`: the first source that knows the token as a word; Infinity when none does. `terms`: what phrases may take it for.
 * `otherwise`: what it is when it has no reading, and no phrase takes it.
 */
export type Cell = {
  readonly token: string
  readonly readings: readonly Reading[]
  readonly otherwise: Found
  readonly owner: number
  readonly terms: readonly Term[]
}

export type Asked = { readonly sources: readonly Source[]; readonly corrections: readonly Correction[]; readonly effort: Effort }

export function cellsOf(tokens: readonly string[], asked: Asked): readonly Cell[] {
  const known = new Map<string, Cell>()
  return tokens.map((token) => {
    const cell = known.get(token) ?? cellOf(token, asked)
    known.set(token, cell)
    return cell
  })
}

function cellOf(token: string, { sources, corrections, effort }: Asked): Cell {
  const small = token.toLowerCase()
  const readings: Reading[] = []
  let owner = Number.POSITIVE_INFINITY
  for (const [at, source] of sources.entries()) {
    if (readings.length > 0 && !source.isAlwaysAsked) continue
    const found = source.find(token, effort)
    if (found.length > 0) owner = Math.min(owner, at)
    readings.push(...found.map((one): Reading => [one]))
  }
  const isPart = partIn(sources, small) !== undefined
  const terms: Term[] = [{ term: small, accuracy: 1 }]
  for (const correction of corrections) {
    if ((readings.length > 0 || isPart) && !correction.isAlwaysAsked) continue
    const guess = correction.correct(token, sources, effort)
    readings.push(...guess.readings)
    terms.push(...guess.terms)
  }
  return { token, readings, otherwise: otherwiseOf(token, terms, sources), owner, terms }
}

/** A word of phrases alone is unused where they are not. */
function otherwiseOf(token: string, terms: readonly Term[], sources: readonly Source[]): Found {
  for (const { term, accuracy } of terms) {
    const word = partIn(sources, term)
    if (word !== undefined)
      return { word, expressions: [unused(word)], accuracy: word === token ? 1 : Math.min(accuracy, 0.9), isCorrected: word !== token }
  }
  return unknown(token)
}

function partIn(sources: readonly Source[], term: string): string | undefined {
  for (const { vocabulary } of sources) {
    const part = vocabulary?.partOf(term)
    if (part !== undefined) return part
  }
  return undefined
}
