import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginningOf, openPhrases } from './phrases.ts'

const found = (phrases: readonly string[], text: string): readonly string[] =>
  [...openPhrases(phrases).in(text)].sort((a, b) => a - b).map((index) => phrases[index] ?? '')

describe('phrases in a text', () => {
  test('[R1] a phrase occurs only between word borders', () => {
    expect(found(['map'], 'fix flowmap_resolve, the map2 and remaps')).toEqual([])
    expect(found(['map', 'patch'], 'Map it; do not dispatch.')).toEqual(['map'])
    expect(found(['café', 'caf'], 'ein CAFé?')).toEqual(['café'])
    expect(found(['fix'], 'fixé und fix́')).toEqual([])
  })

  test('[R1] signs and spaces inside it are its own', () => {
    expect(found(['given/when/then', 'trade-off', "what's causing"], "a trade-off: what's causing given/when/then")).toHaveLength(3)
    expect(found(['find where'], 'find  where, find\nwhere, find-where')).toEqual([])
    expect(found(['trade-off'], 'trade off')).toEqual([])
  })

  test('[R1] a sign at the end of a phrase needs a word behind it', () => {
    expect(found(['--json', 'c++', '->'], 'add --json to c++ and ->')).toEqual([])
    expect(found(['--json', 'c++', '->'], 'x--json, c++x, a->b')).toEqual(['--json', 'c++', '->'])
  })

  test('[R1] each counts once, also those inside others, and the same phrase twice in the list', () => {
    expect(found(['understand', 'understand how', 'how'], 'understand how: understand how')).toEqual([
      'understand',
      'understand how',
      'how',
    ])
    expect([...openPhrases(['fix', 'fix']).in('fix fix fix')]).toEqual([0, 1])
    expect(found(['', 'a'], 'b')).toEqual([])
  })

  test('[R1] only A to Z of the text are lowered, and the phrase is taken as it is', () => {
    expect(found(['adr', 'ADR', 'übung'], 'ADR und ÜBUNG')).toEqual(['adr'])
  })

  test('with base forms, words may be inflected and white space is one space', () => {
    const forms: Readonly<Record<string, readonly string[]>> = { fixing: ['fix', 'fixe'], planned: ['plan', 'plane'], räumte: ['räum'] }
    const { in: find } = openPhrases(['fix', 'plan ahead', 'plane ahead', 'räum', 'PLAN'], { fold: (word) => forms[word] ?? [] })
    expect([...find('Fixing it\tPlanned \n ahead')].sort()).toEqual([0, 1, 2, 4])
    expect([...find('ER RÄUMTE')]).toEqual([3])
  })

  test('is what an expression with borders says, for any text and list', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', ' ', '-', '  ', '/', '_', 'ä')
    const some = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.array(piece, { maxLength: 30 }), (phrases, pieces) => {
        const text = pieces.join('')
        expect(found(phrases, text)).toEqual(phrases.filter((phrase) => occurs(phrase, text)))
      }),
      { numRuns: 500, seed: 7 },
    )
  })

  test('no list and no text makes it slow', () => {
    const phrases = Array.from({ length: 100 }, (_, at) => 'a '.repeat(at + 1).trim())
    const phrasesWithEnd = [...phrases, `${'a '.repeat(90)}b`, ...Array.from({ length: 5_000 }, (_, at) => `w${at} a-a`)]
    const { in: find } = openPhrases(phrasesWithEnd)
    const text = 'a '.repeat(16_384)
    find(text)
    const started = performance.now()
    expect(find(text).size).toBe(100)
    expect(performance.now() - started).toBeLessThan(100)
  })
})

describe('the beginning of a long text', () => {
  test('is all of a short one', () => {
    expect(beginningOf('a b')).toEqual({ text: 'a b', looked: null })
  })

  test('ends at white space, and never in the middle of a sign', () => {
    expect(beginningOf('aaa bbb ccc', 6)).toEqual({ text: 'aaa', looked: 3 })
    expect(beginningOf('aaa bbb', 3)).toEqual({ text: 'aaa', looked: 3 })
    const { text, looked } = beginningOf('😀'.repeat(40_000), 32_767)
    expect([text.length, looked]).toEqual([32_766, 32_766])
    expect(text.isWellFormed()).toBe(true)
  })
})

/** The same by trying every place, with borders as they are defined. */
function occurs(phrase: string, text: string): boolean {
  const isWord = (at: number): boolean => /[\p{L}_]/u.test(text[at] ?? ' ')
  const isBorder = (at: number): boolean => isWord(at - 1) !== isWord(at)
  return Array.from(text).some((_, at) => text.startsWith(phrase, at) && isBorder(at) && isBorder(at + phrase.length))
}
