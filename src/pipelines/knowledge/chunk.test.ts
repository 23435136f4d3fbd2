import { describe, expect, test } from 'vitest'
import { seeded } from '../../base/testing.ts'
import { chunksOf } from './chunk.ts'

const paragraph = (word: string, words: number) => `${Array.from({ length: words }, (_, at) => `${word}${at}`).join(' ')}.`

describe('[Y140] a text in pieces', () => {
  test.each(['', '   ', '\n\n\n', '\t \r\n'])('%j has none', (text) => {
    expect(chunksOf(text, { size: 100, overlap: 10 })).toEqual([])
  })

  test('a short one is one piece', () => {
    expect(chunksOf('  Hello there.  ', { size: 100, overlap: 10 })).toEqual(['Hello there.'])
  })

  test('paragraphs that fit together stay together; one that is longer ends at a sentence', () => {
    const text = `${paragraph('a', 5)}\n\n${paragraph('b', 5)}\n\n${paragraph('c', 5)}`
    expect(chunksOf(text, { size: 45, overlap: 0 })).toEqual([`${paragraph('a', 5)}\n\n${paragraph('b', 5)}`, paragraph('c', 5)])
    expect(chunksOf('One two three. Four five six. Seven eight nine.', { size: 32, overlap: 0 })).toEqual([
      'One two three. Four five six.',
      'Seven eight nine.',
    ])
  })

  test('without sentences it ends at a word, without words at a character', () => {
    expect(chunksOf('alpha beta gamma delta', { size: 12, overlap: 0 })).toEqual(['alpha beta', 'gamma delta'])
    expect(chunksOf('x'.repeat(25), { size: 10, overlap: 0 }).map((one) => one.length)).toEqual([10, 10, 5])
    expect(chunksOf('x'.repeat(25), { size: 10, overlap: 4 }).map((one) => one.length)).toEqual([10, 10, 10, 7])
  })

  test('the end of a piece is the beginning of the next, in whole words', () => {
    const pieces = chunksOf(paragraph('w', 60), { size: 60, overlap: 16 })
    for (const [at, piece] of pieces.slice(1).entries()) {
      const first = piece.split(' ')[0] ?? ''
      expect(pieces[at]?.endsWith(first) || pieces[at]?.includes(`${first} `)).toBe(true)
    }
  })

  test('nothing is lost, no piece is too long, no character is cut, and it always ends', () => {
    const { next: random } = seeded(7)
    const signs = ['a', 'bb ', 'ccc. ', '\n', '\n\n', '\u{1f600}', 'é', ' ', '\t', '漢字']
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: Math.floor(random() * 400) }, () => signs[Math.floor(random() * signs.length)]).join('')
      const size = 2 + Math.floor(random() * 60)
      const pieces = chunksOf(text, { size, overlap: Math.floor(random() * size) })
      for (const piece of pieces) {
        expect(piece.isWellFormed()).toBe(true)
        expect(piece.length).toBeLessThanOrEqual(size + 1)
        expect(piece.trim()).toBe(piece)
      }
      const kept = new Set(pieces.join(' ').replace(/\s/g, ''))
      for (const sign of text.replace(/\s/g, '')) expect(kept.has(sign)).toBe(true)
    }
  })

  test('a text of a megabyte takes no time, whatever it is made of', () => {
    for (const text of ['x'.repeat(1_000_000), '\n'.repeat(1_000_000), '. '.repeat(500_000), ' '.repeat(999_999), 'ab '.repeat(333_333)]) {
      const started = performance.now()
      chunksOf(text, { size: 512, overlap: 511 })
      chunksOf(text, { size: 512, overlap: 64 })
      expect(performance.now() - started).toBeLessThan(1_500)
    }
  })
})
