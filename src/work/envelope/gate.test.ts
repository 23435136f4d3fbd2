import { expect, test } from 'vitest'
import { type GateInput, gate } from './gate.ts'
import { reportText, sampleEnvelope, sampleText } from './testing.ts'

const { artifact, integrity } = sampleEnvelope()

function judged(change: Readonly<Record<string, unknown>>, input: Partial<GateInput> = {}) {
  const payload: GateInput['payload'] = ({ path }) => (path === 'scout-report.md' ? Buffer.from(reportText) : null)
  return gate({ envelopeText: sampleText(change), envelopeName: 'scout-report.md.envelope.json', payload, mode: 'block', ...input })
}

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['the artifact itself', {}, 'pass'],
  ['an artifact without a digest of its own', { artifact: { path: artifact.path } }, 'pass'],
  ['two digests', { artifact: { ...artifact, sha256: 'a'.repeat(64) } }, 'inconsistent'],
  ['another digest, twice', digest('a'.repeat(64)), 'tamper'],
  ['a digest that is none', digest('abc'), 'tamper'],
  ['an HMAC', { integrity: { ...integrity, method: 'hmac-sha256' } }, 'unsupported_algo'],
  ['an HMAC with a placeholder', { integrity: { method: 'hmac-sha256', value: 'TODO' } }, 'unsupported_algo'],
  ['an empty digest', { integrity: { ...integrity, value: '' } }, 'unverifiable'],
  ['a placeholder', { integrity: { ...integrity, value: '<sha256>' } }, 'unverifiable'],
  ['no performative', { performative: undefined }, 'malformed'],
  ['a party as a text', { from: 'scout' }, 'malformed'],
  ['no integrity', { integrity: null }, 'malformed'],
])('[K18] %s', (_, change, verdict) => {
  const exit = verdict === 'malformed' ? 2 : verdict === 'pass' || verdict === 'unverifiable' ? 0 : 3
  expect(judged(change)).toMatchObject({ verdict, exit, blocked: exit === 3 })
  expect(judged(change, { mode: 'warn' })).toMatchObject({ verdict, exit: exit === 2 ? 2 : 0, blocked: false })
})

function digest(value: string) {
  return { artifact: { ...artifact, sha256: value }, integrity: { ...integrity, value } }
}

test('[K20] an artifact that moved is found by the name of its envelope, never outside', () => {
  expect(judged({ artifact: { ...artifact, path: 'old/place.md' } }).verdict).toBe('pass')
  for (const path of ['/scout-report.md', '../scout-report.md']) {
    const elsewhere = judged({ artifact: { ...artifact, path } }, { envelopeName: 'handoff.json' })
    expect(elsewhere).toMatchObject({ verdict: 'missing_payload', exit: 3 })
  }
})

test.each(['', '{', '[]', '"x"', 'null', '{"from":{"eidolon":{}}}', '['.repeat(100_000)])('[K23] %j is malformed', (envelopeText) => {
  expect(judged({}, { envelopeText })).toMatchObject({ verdict: 'malformed', exit: 2, blocked: false })
})
