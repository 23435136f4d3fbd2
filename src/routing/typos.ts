// One slip in a long verb of an order: "implment the reset", "refcator the parser". Looked at only where nothing else of a text speaks.
import type { Clause } from './clauses.ts'
import { german } from './verbs-de.ts'
import { classOfVerb, determiners, functionWords, generalVerb, isVerb } from './verbs-en.ts'
import { gapNone, kindPlain, type Words } from './words.ts'

/** Shorter words are too often another word. */
const shortest = 7
const mostTried = 8

/** The same words with slips mended; null: there are none. Bounded: the first words of the first clauses, against a fixed list. */
export function withoutSlips(words: Words, clauses: readonly Clause[]): Words | null {
  const out = [...words.word]
  let found = false
  for (const { from, to } of clauses.slice(0, mostTried)) {
    const at = ledBy.has(words.word[from] ?? '') && from + 1 < to ? from + 1 : from
    const verb = isCandidate(words, at) ? verbFor(words.word[at] ?? '') : null
    if (verb === null) continue
    out[at] = verb
    found = true
  }
  return found ? { ...words, word: out } : null
}

const ledBy: ReadonlySet<string> = new Set(['please', 'bitte', 'and', 'und', 'then', 'dann', 'just', 'also'])
const things: ReadonlySet<string> = new Set('all both it them alle mir bitte das'.split(' '))

/** It is no word that is known, and what follows begins a thing: a mistyped order stands before what it is about. */
function isCandidate({ word, kind, gap, shape, count }: Words, at: number): boolean {
  const one = word[at] ?? ''
  if (one.length < shortest || kind[at] !== kindPlain || (shape[at] ?? 0) > 1 || at + 1 >= count || gap[at + 1] !== gapNone) return false
  const next = word[at + 1] ?? ''
  if (!determiners.has(next) && !things.has(next) && kind[at + 1] === kindPlain) return false
  return !isVerb(one) && !functionWords.has(one) && !german.has(one)
}

/** Long verbs that order, by their first letter. */
const longVerbs: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  [
    ...[...classOfVerb.keys(), ...generalVerb.keys()],
    ...[...german].flatMap(([word, entries]) => (entries.some(({ orders, tails }) => orders && tails === null) ? [word] : [])),
  ].filter((word) => word.length >= shortest),
  (word) => word.charAt(0),
)

function verbFor(word: string): string | null {
  return (longVerbs.get(word.charAt(0)) ?? []).find((verb) => isSlipOf(word, verb)) ?? null
}

/** One letter is missing, too many, another one, or two neighbours are swapped. */
function isSlipOf(word: string, verb: string): boolean {
  const longer = word.length - verb.length
  if (longer < -1 || longer > 1) return false
  let at = 0
  while (at < word.length && word.charCodeAt(at) === verb.charCodeAt(at)) at += 1
  if (longer === 1) return word.slice(at + 1) === verb.slice(at)
  if (longer === -1) return word.slice(at) === verb.slice(at + 1)
  if (word.slice(at + 1) === verb.slice(at + 1)) return true
  return word.charAt(at) === verb.charAt(at + 1) && word.charAt(at + 1) === verb.charAt(at) && word.slice(at + 2) === verb.slice(at + 2)
}
