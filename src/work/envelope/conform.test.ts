import { expect, test } from 'vitest'
import { type ConformInput, conform, exitOf, type GateCheck } from './conform.ts'
import { macOf } from './integrity.ts'
import type { PayloadAt, PayloadPlace } from './places.ts'
import { reportText, sampleContract, sampleEnvelope, sampleText } from './testing.ts'

const bytes = Buffer.from(reportText)
const key = 'k'.repeat(32)
const envelope = sampleEnvelope()

function checked(change: Readonly<Record<string, unknown>>, input: Partial<ConformInput> = {}): readonly GateCheck[] {
  return conform({
    envelopeText: sampleText(change),
    payload: ({ path }) => (path === 'scout-report.md' ? bytes : null),
    contractOf: (from, to) => (from === 'scout' && to === 'planner' ? sampleContract : null),
    ...input,
  })
}

/** What is not ok, as `I-5 SHOULD warn`. */
function told(checks: readonly GateCheck[]): string {
  return checks
    .filter((one) => one.status !== 'ok')
    .map(({ id, level, status }) => `${id} ${level} ${status}`)
    .join(', ')
}

const high = { constraints: { trust_level: 'high' } }
const one = { envelope_version: '1.0', ise: undefined }

test.each<[string, Readonly<Record<string, unknown>>, string, number]>([
  ['a whole envelope', {}, '', 0],
  ['a null is there', { parent_id: null, message_id: null }, '', 0],
  ['no parent', { parent_id: undefined }, 'E-2 MUST fail', 2],
  ['no version', { envelope_version: undefined }, 'E-2 MUST fail, E-3 MUST fail', 2],
  ['a version as a number', { envelope_version: 2 }, 'E-3 MUST fail', 2],
  ['a version 2.2', { envelope_version: '2.2' }, 'E-3 MUST fail', 2],
  ['a performative that is none', { performative: 'QUERY' }, 'E-4 MUST fail, C-2 MUST fail', 2],
  ['a performative that the contract lacks', { performative: 'DECIDE' }, 'C-2 MUST fail', 2],
  ['a name with a blank', { to: { eidolon: 'the planner', version: 'n/a' } }, 'E-5 MUST fail, C-1 MUST fail', 2],
  ['a reserved name', { from: { eidolon: 'human', version: 'n/a' } }, 'C-1 MUST fail', 2],
  ['dots in a path', { artifact: { ...envelope.artifact, path: 'a..b/scout-report.md' } }, 'E-6 MUST fail', 2],
  ['no path', { artifact: {} }, 'E-6 MUST fail, I-2 MUST fail, C-3 MUST fail', 2],
  ['a kind that the contract lacks', { artifact: { ...envelope.artifact, kind: 'plan' } }, 'C-3 MUST fail', 2],
  ['no origin', { edge_origin: undefined }, 'E-7 SHOULD warn', 4],
  ['another origin', { edge_origin: 'implicit' }, 'C-4 SHOULD warn', 4],
  ['no tier', { trace: {} }, 'E-8 MUST fail', 2],
  ['an upper case digest', { integrity: { ...envelope.integrity, value: 'A'.repeat(64) } }, 'I-1 MUST fail', 2],
  ['another digest', { integrity: { ...envelope.integrity, value: 'a'.repeat(64) } }, 'I-3 MUST fail', 2],
  ['an unknown method', { integrity: { ...envelope.integrity, method: 'md5' } }, 'I-3 MUST fail', 2],
  ['another size', { artifact: { ...envelope.artifact, size_bytes: 71 } }, 'I-4 SHOULD warn', 4],
  ['high trust in 1.0', { ...high, ...one }, 'I-5 SHOULD warn', 4],
  ['high trust in 2.0 without ise', { ...high, ise: undefined }, 'I-5 SHOULD warn, S-3 SHOULD warn', 4],
  ['high trust in 2.1', { ...high, envelope_version: '2.1' }, 'I-5 MUST fail', 2],
  ['high trust in 2.1 without ise', { ...high, envelope_version: '2.1.3', ise: undefined }, 'I-5 MUST fail, S-3 MUST fail', 2],
  ['no context', { context_delta: undefined }, 'D-0 SHOULD warn', 4],
  ['a context that is none', { context_delta: 'much' }, '', 0],
  ['tokens that are no count', { context_delta: { ...envelope.context_delta, tokens_used: '24' } }, 'D-1 MUST fail, D-2 MUST fail', 2],
  ['over both budgets', { context_delta: { ...envelope.context_delta, tokens_used: 4001 } }, 'D-1 MUST fail, D-2 MUST fail', 2],
  ['800 characters of summary', { context_delta: { ...envelope.context_delta, summary: 'x'.repeat(800) } }, '', 0],
  ['804 characters of summary', { context_delta: { ...envelope.context_delta, summary: 'x'.repeat(804) } }, 'D-3 SHOULD warn', 4],
  ['ise without a grade', { ise: {} }, 'S-1 MUST fail', 2],
  [
    'an authorization as a text',
    { ise: { assertion_grade: 'validated', receiver_authorization: { auto_merge: 'no' } } },
    'S-2 MUST fail',
    2,
  ],
  ['half a verification in 2.1', { envelope_version: '2.1', ise: { assertion_grade: 'validated', verification: {} } }, 'S-4 MUST fail', 2],
  ['half a verification in 2.0', { ise: { assertion_grade: 'validated', verification: {} } }, '', 0],
])('[K19] %s', (_, change, expected, exit) => {
  const checks = checked(change)
  expect(told(checks)).toBe(expected)
  expect(exitOf(checks)).toBe(exit)
})

test('[K19] gates that have nothing to look at are not in the answer', () => {
  const ids = (checks: readonly GateCheck[]) => checks.map((check) => check.id).join(' ')
  const shape = 'E-1 E-2 E-3 E-4 E-5 E-6 E-7 E-8'
  expect(ids(checked({}))).toBe(`${shape} I-1 I-2 I-3 I-4 I-5 C-1 C-2 C-3 C-4 D-0 D-1 D-2 D-3 S-1 S-2 S-3`)
  expect(ids(checked(one))).toContain('E-3 E-3.compat E-4')
  expect(ids(checked({ to: {}, context_delta: undefined, integrity: {}, ise: undefined }))).toBe(`${shape} I-1 C-1 D-0 S-3`)
  expect(ids(conform({ envelopeText: '[', payload: () => null, contractOf: () => null }))).toBe('E-1')
  expect(ids(checked({}, { contractOf: () => ({ ...sampleContract, tokenBudgetMax: null }) }))).not.toContain('D-2')
})

test('[K19] a checker of 1.x takes no 2.x, and finds nothing to say about a 1.x', () => {
  expect(told(checked({}, { target: 1 }))).toBe('E-3 MUST fail')
  expect(checked(one, { target: 1 }).map((check) => check.id)).not.toContain('E-3.compat')
})

test('[K19] a HMAC without a key is warned of, with the wrong one it fails', () => {
  const keyed = { integrity: { method: 'hmac-sha256', value: macOf(bytes, key) } }
  expect(told(checked(keyed, { key }))).toBe('')
  expect(told(checked(keyed))).toBe('I-3 MUST warn')
  expect(exitOf(checked(keyed))).toBe(4)
  expect(told(checked(keyed, { key: 'other' }))).toBe('I-3 MUST fail')
})

test('[K20] the artifact is looked for by name beside the envelope, then from here, then from the envelope', () => {
  const asked: PayloadPlace[] = []
  const payload: PayloadAt = (place) => {
    asked.push(place)
    return null
  }
  checked({ artifact: { ...envelope.artifact, path: 'run/scout-report.md' } }, { payload })
  expect(asked).toEqual([
    { from: 'envelope', path: 'scout-report.md' },
    { from: 'here', path: 'run/scout-report.md' },
    { from: 'envelope', path: 'run/scout-report.md' },
  ])
})

test.each(['/etc/passwd', '../../etc/passwd', 'a/../b', '..', '/..', 'C:\\x', 'a\\..\\b', 'a/./..', 'x/..', 'a\nb', '', '.', 'c:x'])(
  '[K20] %j leads nowhere else',
  (path) => {
    const payload: PayloadAt = (place) => {
      expect(place.path).toMatch(/^[a-z]+$/)
      expect(place.from).toBe('envelope')
      return null
    }
    expect(told(checked({ artifact: { ...envelope.artifact, path } }, { payload }))).toContain('I-2 MUST fail')
  },
)

test('[K23] members that nobody expects are judged, not trusted', () => {
  for (const value of [null, true, 5, 'x', [], {}, { __proto__: null }]) {
    for (const name of Object.keys(envelope)) expect(exitOf(checked({ [name]: value }))).toBeTypeOf('number')
    expect(exitOf(conform({ envelopeText: JSON.stringify(value), payload: () => bytes, contractOf: () => sampleContract }))).toBe(2)
  }
})

test('[K19] a failed MUST outweighs everything, a failed SHOULD the warnings', () => {
  const check = (level: GateCheck['level'], status: GateCheck['status']) => ({ id: 'X', level, status })
  expect(exitOf([check('MUST', 'fail'), check('SHOULD', 'fail'), check('MUST', 'warn')])).toBe(2)
  expect(exitOf([check('SHOULD', 'fail'), check('MUST', 'warn')])).toBe(3)
  expect(exitOf([check('MUST', 'warn'), check('INFO', 'ok')])).toBe(4)
  expect(exitOf([])).toBe(0)
})
