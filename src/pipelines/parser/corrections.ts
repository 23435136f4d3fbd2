// What is tried with a token that no dictionary knows: words at a small distance, words glued together, words of the same sound.
// Case never counts. Source: EDDI's digest, section 1.4, and its tests.
import type { JsonObject } from '../../base/json.ts'
import { mostDistance, type Near } from './distance.ts'
import { costs, type Effort, spend } from './effort.ts'
import { type Correction, type Found, type Guess, mostCorrected, type Reading, type Source, type Term, type Vocabulary } from './found.ts'
import { countOf, isOn } from './settings.ts'

/** By the last part of their type. `distance` above `mostDistance` is a RangeError that says so. */
export const corrections: Readonly<Record<string, (config: JsonObject) => Correction>> = { levenshtein, mergedTerms, phonetic }

const nothing: Guess = { readings: [], terms: [] }
const phoneticAccuracy = 0.3

function levenshtein(config: JsonObject): Correction {
  const distance = countOf(config['distance'], 2, Number.MAX_SAFE_INTEGER)
  if (distance > mostDistance) throw new RangeError(`"distance" is at most ${mostDistance}, and ${distance} is given`)
  const most = countOf(config['maxCandidates'], 5, 100)
  return {
    isAlwaysAsked: isOn(config['lookupIfKnown'], false),
    correct: (token, sources, effort) => guessFrom(sources, nearest(token, sources, { distance, most, effort })),
  }
}

type Nearness = { readonly distance: number; readonly most: number; readonly effort: Effort }

function nearest(token: string, sources: readonly Source[], { distance, most, effort }: Nearness) {
  if (token.length > mostCorrected) return []
  const small = token.toLowerCase()
  const all = vocabulariesOf(sources).flatMap((vocabulary): readonly Near[] => vocabulary.near(distance)(small, effort))
  const seen = new Set<string>()
  return all
    .sort((a, b) => a.distance - b.distance)
    .filter(({ term }) => !seen.has(term) && seen.add(term))
    .slice(0, most)
    .map((one): Term => ({ term: one.term, accuracy: accuracyOf(one.distance, distance) }))
}

/** 1 for the word itself, down to 1 / (most + 1). */
export function accuracyOf(distance: number, most: number): number {
  return 1 - distance / (most + 1)
}

function phonetic(config: JsonObject): Correction {
  return {
    isAlwaysAsked: isOn(config['lookupIfKnown'], false),
    correct(token, sources) {
      const terms = token.length > mostCorrected ? [] : vocabulariesOf(sources).flatMap(({ soundsLike }) => soundsLike(token.toLowerCase()))
      return guessFrom(
        sources,
        [...new Set(terms)].map((term): Term => ({ term, accuracy: phoneticAccuracy })),
      )
    },
  }
}

function guessFrom(sources: readonly Source[], terms: readonly Term[]): Guess {
  const vocabularies = vocabulariesOf(sources)
  const found = terms.flatMap(({ term, accuracy }) => vocabularies.flatMap((one) => one.wordsOf(term, accuracy)))
  return { terms, readings: found.map((one): Reading => [one]) }
}

/** All of the token, or nothing: the longest word that it begins with first. */
function mergedTerms(config: JsonObject): Correction {
  return {
    isAlwaysAsked: isOn(config['lookupIfKnown'], false),
    correct(token, sources, effort) {
      const vocabularies = vocabulariesOf(sources)
      if (token.length > mostCorrected || vocabularies.length === 0) return nothing
      const reading = split(token.toLowerCase(), vocabularies, effort)
      return reading === null ? nothing : { terms: [], readings: [reading] }
    },
  }
}

function split(token: string, vocabularies: readonly Vocabulary[], effort: Effort): Reading | null {
  const longest = vocabularies.reduce((most, one) => Math.max(most, one.longest), 0)
  const dead = new Set<number>()
  const from = (start: number): Reading | null => {
    if (start === token.length) return []
    if (dead.has(start)) return null
    for (let end = Math.min(token.length, start + longest); end > start && spend(effort, costs.asked); end--) {
      const word = wordIn(token.slice(start, end), vocabularies)
      const rest = word === undefined ? null : from(end)
      if (word !== undefined && rest !== null) return [word, ...rest]
    }
    dead.add(start)
    return null
  }
  return from(0)
}

function wordIn(term: string, vocabularies: readonly Vocabulary[]): Found | undefined {
  for (const vocabulary of vocabularies) {
    const [first] = vocabulary.wordsOf(term, 1)
    if (first !== undefined) return first
  }
  return undefined
}

function vocabulariesOf(sources: readonly Source[]): readonly Vocabulary[] {
  return sources.flatMap(({ vocabulary }) => vocabulary ?? [])
}
