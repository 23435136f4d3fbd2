// A regular dictionary: its words, phrases and patterns, and the indexes that corrections ask. Read once for each dictionary and kept
// with it, so parsers of the same dictionary share them.
import type { Dictionary } from '../configuration.ts'
import { type Expression, parseExpressions } from '../expressions/expressions.ts'
import { openDistances } from './distance.ts'
import { type Effort, patternCost, spend } from './effort.ts'
import { type Found, type Phrase, type PhraseNode, type Source, unused, type Vocabulary } from './found.ts'
import { type CompiledPattern, compilePattern } from './pattern/pattern.ts'
import { openSounds } from './phonetic.ts'

type Entry = { readonly word: string; readonly expressions: readonly Expression[] }

const kept = new WeakMap<Dictionary, RegularDictionary>()

export type RegularDictionary = {
  readonly vocabulary: Vocabulary
  find(token: string, asked: { readonly isAlwaysAsked: boolean; readonly effort: Effort }): readonly Found[]
}

/** As a source of a parser. Throws PatternFault and ExpressionFault. */
export function regularSource(dictionary: Dictionary, isAlwaysAsked: boolean): Source {
  const regular = kept.get(dictionary) ?? readDictionary(dictionary)
  kept.set(dictionary, regular)
  const language = dictionary.lang || null
  return {
    language,
    isAlwaysAsked,
    vocabulary: regular.vocabulary,
    find: (token, effort) => regular.find(token, { isAlwaysAsked, effort }),
  }
}

/** All expressions that a dictionary gives, each once, sorted: what an editor of rules completes. */
export function expressionsIn({ words, phrases, regExs }: Dictionary): readonly string[] {
  const texts = [...words, ...phrases, ...regExs].map(({ expressions }) => expressions.trim())
  return [...new Set(texts.filter((text) => text !== ''))].sort()
}

function readDictionary({ words, phrases, regExs }: Dictionary): RegularDictionary {
  const [exact, small] = [new Map<string, Entry[]>(), new Map<string, Entry[]>()]
  for (const { word, expressions } of words) {
    const entry = { word, expressions: expressionsOf(word, expressions) }
    add(exact, word, entry)
    add(small, word.toLowerCase(), entry)
  }
  const { root, parts } = treeOf(phrases)
  const vocabulary = vocabularyOf(small, parts, root)
  const patterns = regExs.map((one) => ({ pattern: compilePattern(one.regEx), expressions: parseExpressions(one.expressions) }))
  return {
    vocabulary,
    find(token, { isAlwaysAsked, effort }) {
      const known = exact.get(token)?.map((entry) => foundAs(entry, 1, false)) ?? vocabulary.wordsOf(token.toLowerCase(), 0.9)
      const isKnown = known.length > 0 || parts.has(token.toLowerCase())
      return isKnown && !isAlwaysAsked ? known : [...known, ...byPattern(patterns, token, effort)]
    },
  }
}

/** A word without expressions is said to be unused. */
function expressionsOf(word: string, text: string): readonly Expression[] {
  const expressions = parseExpressions(text)
  return expressions.length > 0 ? expressions : [unused(word)]
}

function vocabularyOf(small: ReadonlyMap<string, readonly Entry[]>, parts: ReadonlyMap<string, string>, phrases: PhraseNode): Vocabulary {
  const terms = [...new Set([...small.keys(), ...parts.keys()])]
  const distances = new Map<number, ReturnType<typeof openDistances>>()
  let sounds: ReturnType<typeof openSounds> | undefined
  return {
    terms,
    longest: terms.reduce((most, { length }) => Math.max(most, length), 0),
    wordsOf: (term, accuracy) => small.get(term)?.map((entry) => foundAs(entry, accuracy, true)) ?? [],
    partOf: (term) => parts.get(term),
    phrases,
    near(distance) {
      const index = distances.get(distance) ?? openDistances(terms, distance)
      distances.set(distance, index)
      return index
    },
    soundsLike(token) {
      sounds ??= openSounds(terms)
      return sounds(token)
    },
  }
}

function foundAs({ word, expressions }: Entry, accuracy: number, isCorrected: boolean): Found {
  return { word, expressions, accuracy, isCorrected }
}

type Patterned = { readonly pattern: CompiledPattern; readonly expressions: readonly Expression[] }

function byPattern(patterns: readonly Patterned[], token: string, effort: Effort) {
  return patterns
    .filter(({ pattern }) => spend(effort, patternCost(token)) && pattern.takes(token))
    .map(({ expressions }): Found => ({ word: token, expressions, accuracy: 1, isCorrected: false }))
}

function treeOf(phrases: Dictionary['phrases']): { readonly root: PhraseNode; readonly parts: ReadonlyMap<string, string> } {
  const root: PhraseNode = { next: new Map(), ends: [] }
  const parts = new Map<string, string>()
  for (const { phrase, expressions } of phrases) {
    const words = phrase.split(/\s+/).filter((word) => word !== '')
    let node = root
    for (const part of words) {
      const word = part.toLowerCase()
      if (!parts.has(word)) parts.set(word, part)
      const next = node.next.get(word) ?? { next: new Map(), ends: [] }
      node.next.set(word, next)
      node = next
    }
    const one: Phrase = { phrase, parts: words, expressions: expressionsOf(phrase, expressions) }
    if (words.length > 0) node.ends.push(one)
  }
  return { root, parts }
}

function add(index: Map<string, Entry[]>, key: string, entry: Entry): void {
  const before = index.get(key)
  if (before === undefined) index.set(key, [entry])
  else before.push(entry)
}
