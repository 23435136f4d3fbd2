// What each token of an input is known as: sources are asked in their order, then corrections.
import type { Correction, Reading, Source, Term } from './found.ts'

/** `owner`: the first source that knows the token as a word; Infinity when none does. `terms`: what phrases may take it for. */
export type Cell = {
  readonly token: string
  readonly readings: readonly Reading[]
  readonly owner: number
  readonly terms: readonly Term[]
}

export function cellsOf(tokens: readonly string[], sources: readonly Source[], corrections: readonly Correction[]): readonly Cell[] {
  const known = new Map<string, Cell>()
  return tokens.map((token) => {
    const cell = known.get(token) ?? cellOf(token, sources, corrections)
    known.set(token, cell)
    return cell
  })
}

function cellOf(token: string, sources: readonly Source[], corrections: readonly Correction[]): Cell {
  const small = token.toLowerCase()
  const readings: Reading[] = []
  let [owner, isPart] = [Number.POSITIVE_INFINITY, false]
  for (const [at, source] of sources.entries()) {
    if (readings.length > 0 && !source.isAlwaysAsked) continue
    const found = source.find(token)
    if (found.length > 0) owner = Math.min(owner, at)
    readings.push(...found.map((one): Reading => [one]))
    isPart ||= source.vocabulary?.isPart(small) === true
  }
  const terms: Term[] = [{ term: small, accuracy: 1 }]
  for (const correction of corrections) {
    if ((readings.length > 0 || isPart) && !correction.isAlwaysAsked) continue
    const guess = correction.correct(token, sources)
    readings.push(...guess.readings)
    terms.push(...guess.terms)
  }
  return { token, readings, owner, terms }
}
