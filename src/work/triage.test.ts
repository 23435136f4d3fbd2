import { describe, expect, test } from 'vitest'
import { looksStructural, triage } from './triage.ts'

describe('what loses by being said in other words', () => {
  test.each(['10. ten', '###### six', 'prose\n* a star', '\n\n[1]\n', '{}', 'a\n@@ -1 +1 @@', 'x ``` y'])('%j', (text) => {
    expect(looksStructural(text)).toBe(true)
  })
  test.each([
    '1) one',
    '#tag',
    '####### seven',
    '  - further in',
    '{"a":',
    '"text"',
    '42',
    '**bold** first',
    '1.5 is a number',
    '[a](b) and [c]',
  ])('not %j', (text) => expect(looksStructural(text)).toBe(false))
})

test('[K4] lengths at their limits', () => {
  const decided = (length: number, voiceMode: boolean) => triage({ text: 'x'.repeat(length), voiceMode }).decision
  expect([60, 61, 399, 400].map((length) => decided(length, true))).toEqual(['VERBATIM', 'REFORMULATE', 'REFORMULATE', 'INBOX'])
  expect([200, 201, 1_999, 2_000].map((length) => decided(length, false))).toEqual(['VERBATIM', 'REFORMULATE', 'REFORMULATE', 'INBOX'])
  const list = (length: number) => triage({ text: '- a\n'.padEnd(length, 'x') }).decision
  expect([4, 1_999, 2_000].map(list)).toEqual(['VERBATIM', 'VERBATIM', 'INBOX'])
})

test('[K4] a summary is the first line that says something', () => {
  expect(triage({ text: '\n\n  First line  \nsecond' }).summary).toBe('First line')
  expect(triage({ text: 'a'.repeat(120) }).summary).toBe('a'.repeat(120))
})
