// What a token was found to be, and what finds it.
import { type Expression, expressionOf } from '../expressions/expressions.ts'
import type { Effort } from './effort.ts'

/** `word`: as the dictionary has it. `accuracy`: 1 is as it is written, less is guessed. */
export type Found = {
  readonly word: string
  readonly expressions: readonly Expression[]
  readonly accuracy: number
  readonly isCorrected: boolean
}

/** One reading of a token: usually one word; several when it was glued together. */
export type Reading = readonly Found[]

/** `isAlwaysAsked`: also about a token that an earlier source knows. */
export type Source = {
  /** null: of every language. */
  readonly language: string | null
  readonly isAlwaysAsked: boolean
  /** `regExs` are asked only about what is not known otherwise. [] when it knows nothing. */
  find(token: string, effort: Effort): readonly Found[]
  /** Absent: it has no words of its own, as one of numbers. */
  readonly vocabulary?: Vocabulary
}

/** The words and phrases of a regular dictionary, by their small letters. */
export type Vocabulary = {
  /** All words, and all parts of phrases, each once, in the dictionary's order. */
  readonly terms: readonly string[]
  readonly longest: number
  /** As a word; [] when it is none, or only part of a phrase. `accuracy` is what all get. */
  wordsOf(term: string, accuracy: number): readonly Found[]
  /** The part of a phrase that it is, as the phrase has it. */
  partOf(term: string): string | undefined
  /** Where phrases begin. */
  readonly phrases: PhraseNode
  /** Made at the first call, and kept. */
  near(distance: number): (token: string, effort: Effort) => readonly { readonly term: string; readonly distance: number }[]
  soundsLike(token: string): readonly string[]
}

export type PhraseNode = { readonly next: Map<string, PhraseNode>; readonly ends: Phrase[] }
export type Phrase = { readonly phrase: string; readonly parts: readonly string[]; readonly expressions: readonly Expression[] }

/** What a correction makes of a token; `terms` are its guesses, for parts of phrases. */
export type Guess = { readonly readings: readonly Reading[]; readonly terms: readonly Term[] }
export type Term = { readonly term: string; readonly accuracy: number }
export type Correction = {
  readonly isAlwaysAsked: boolean
  correct(token: string, sources: readonly Source[], effort: Effort): Guess
}

/** Corrections and patterns see no longer tokens. */
export const mostCorrected = 64

/** Of a token that nothing is known of. */
export function unknown(token: string): Found {
  return { word: token, expressions: [named('unknown', token)], accuracy: 0, isCorrected: false }
}

/** Of a word without a meaning of its own. */
export function unused(word: string): Expression {
  return named('unused', word)
}

function named(name: string, token: string): Expression {
  return expressionOf(name, sealed(token))
}

/**
 * A token as it may stand in parentheses: what a person writes can't close them and go on with an expression of their own choice.
 * Parentheses that are not in pairs are left out.
 */
export function sealed(token: string): string {
  let depth = 0
  for (const sign of token) {
    if (sign === '(') depth++
    if (sign === ')') depth--
    if (depth < 0 || depth > mostNested) break
  }
  return depth === 0 ? token : token.replace(/[()]/g, '')
}

const mostNested = 10
