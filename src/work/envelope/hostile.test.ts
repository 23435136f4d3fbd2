// What a stranger may send: each is a verdict, and none takes long.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestEnvelope, readJson } from './json-text.ts'
import { sectionsOf } from './sections.ts'
import { incoming, sampleEnvelope, sampleText } from './testing.ts'
import { verifyHandoff } from './verify.ts'

const texts: Readonly<Record<string, string>> = {
  huge: `{"x":"${'a'.repeat(largestEnvelope)}"}`,
  deep: '['.repeat(100_000) + ']'.repeat(100_000),
  'deep objects': `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
  'open to the end': '['.repeat(200_000),
  'a member twice': sampleText().replace('{', '{"performative":"INFORM",'),
  'a member twice, written differently': sampleText().replace('{', '{"performativ\\u0065":"INFORM",'),
  'a NUL': sampleText({ objective: 'a\u0000b' }),
  'half a character': sampleText().replace('Plan', '\\ud800'),
  __proto__: sampleText().replace('{', '{"__proto__":{"ok":true},'),
  constructor: sampleText().replace('{', '{"constructor":{"prototype":{}},'),
  numbers: sampleText({ artifact: { ...sampleEnvelope().artifact, size_bytes: 1e308 } }),
  'many members': `{${Array.from({ length: 20_000 }, (_, at) => `"m${at}":1`).join(',')}}`,
  'wrong handles': sampleText({ context_delta: { ...sampleEnvelope().context_delta, input_handles: Array(15_000).fill('/') } }),
  empty: '',
}

test.each(Object.entries(texts))('[K23] %s is refused at once', (_, envelopeText) => {
  const began = performance.now()
  expect(verifyHandoff(incoming({ envelopeText }))).toMatchObject({ ok: false, code: 'SCHEMA_INVALID' })
  expect(performance.now() - began).toBeLessThan(3_000)
})

test('[K23] any JSON in any member gets a verdict', () => {
  const names = Object.keys(sampleEnvelope())
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
      const verified = verifyHandoff(incoming({ envelopeText: sampleText({ [name]: value }) }))
      expect(typeof verified.ok).toBe('boolean')
    }),
    { numRuns: 500 },
  )
})

test('[K23] any text is read or refused as JSON.parse does, apart from what this reader adds', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const read = readJson(text)
      if (read.ok) expect(read.value).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
  expect(readJson('{"a":{"b":1},"b":[{"a":1},{"a":2}],"c":"{\\"a\\",[\\\\"}').ok).toBe(true)
})

test.each([
  ['headings', '# '.repeat(500_000)],
  ['spaces', `# a${' '.repeat(1_000_000)}#`],
  ['keys', `---\n${'a'.repeat(1_000_000)}\n---`],
  ['fences', '```\n'.repeat(250_000)],
  ['dots', '.a'.repeat(500_000)],
])('[K23] an artifact of a million %s is read in time', (_, text) => {
  const began = performance.now()
  sectionsOf(text, 'report.md')
  expect(performance.now() - began).toBeLessThan(5_000)
})
