import { describe, expect, test } from 'vitest'
import type { Dictionary } from '../configuration.ts'
import { cellsOf } from './cells.ts'
import { corrections } from './corrections.ts'
import { mostEffort, newEffort } from './effort.ts'
import { slotsOf } from './solve.ts'
import { regularSource } from './vocabulary.ts'

const asked = Object.values(corrections).map((correction) => correction({}))

/** What one look over these tokens spends, and what came of it. */
function lookOver(
  tokens: readonly string[],
  { words = [], phrases = [], regExs = [] }: Partial<Record<'words' | 'phrases' | 'regExs', readonly string[]>>,
) {
  const dictionary: Dictionary = {
    lang: 'en',
    words: words.map((word) => ({ word, expressions: 'word', frequency: 0 })),
    phrases: phrases.map((phrase) => ({ phrase, expressions: 'phrase' })),
    regExs: regExs.map((regEx) => ({ regEx, expressions: 'pattern' })),
  }
  const [sources, effort] = [[regularSource(dictionary, false)], newEffort()]
  const rows = slotsOf(cellsOf(tokens, { sources, corrections: asked, effort }), sources, effort)
  return { spent: mostEffort - effort.left, slots: rows[0] ?? [] }
}

const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at))

describe('what a parse may spend', () => {
  test('[Y19] usual words take little of it', () => {
    const syllables = ['ba', 'ko', 'li', 'men', 'tra', 'ver', 'sun', 'dor', 'pel', 'gis', 'han', 'qui', 'ost', 'rim', 'fa', 'nel', 'zu']
    const words = many(5_000, (at) => [at, at * 3, at * 7, at * 11].map((one, place) => syllables[(one >> place) % 17]).join(''))
    const tokens = words.slice(0, 200).map((word) => `${word}x`)
    const { spent, slots } = lookOver(tokens, { words })
    expect(spent).toBeLessThan(mostEffort / 4)
    expect(slots.every(({ readings }) => readings.length > 0)).toBe(true)
  })

  test('[Y19] numbers that begin alike are told apart by their ends', () => {
    const words = many(5_000, (at) => `product-${at}`)
    const { spent, slots } = lookOver(['prodct-4711', 'product-4711x'], { words })
    expect(spent).toBeLessThan(mostEffort / 4)
    expect(slots.map(({ readings }) => readings[0]?.[0]?.word)).toEqual(['product-4711', 'product-4711'])
  })

  test.each([
    ['words that are all alike', many(200, (at) => `aaaa${'ab'.repeat(at % 3)}aaaa${at % 10}x`), { words: many(4_096, (at) => at.toString(2).padStart(14, '0').replace(/./g, (digit) => 'ab'[Number(digit)] ?? '')) }], // biome-ignore format: one case, one line
    [
      'words of few letters, glued',
      many(200, (at) => `${'ab'.repeat(28)}${at.toString(2)}x`),
      { words: ['a', 'b', 'ab', 'ba', 'aba', 'bab', '0', '1'] },
    ],
    ['phrases in each other', many(1_000, () => 'a'), { phrases: many(300, (at) => 'a '.repeat(at + 2)) }],
    ['many patterns', many(200, (at) => `${'a'.repeat(120)}b${at}`), { regExs: many(300, (at) => `.*a.*b${at}c`) }],
  ])('[Y19] %s never take more, and what is known is still found', (_name, tokens, dictionary) => {
    const { spent, slots } = lookOver([...tokens, 'known'], {
      ...dictionary,
      words: [...('words' in dictionary ? dictionary.words : []), 'known'],
    })
    expect(spent).toBeLessThanOrEqual(mostEffort)
    expect(slots.at(-1)?.readings[0]?.[0]?.word).toBe('known')
  })
})
