import { describe, expect, test } from 'vitest'
import { composeEnvelope, envelopePath, envelopeText } from './compose.ts'
import type { VerifyFailure } from './envelope.ts'
import { incoming, reportText, sampleContract, sampleEnvelope, sampleGiven, sampleSource, sampleText } from './testing.ts'
import { uuids } from './uuid.ts'
import { type Incoming, verifyHandoff } from './verify.ts'

const key = 'k'.repeat(32)
const other = '01926e3a-2c8a-7b04-b3a1-1cf0a7a6d5e1'

function codeOf(change: Partial<Incoming>): VerifyFailure | 'ok' {
  const verified = verifyHandoff(incoming(change))
  return verified.ok ? 'ok' : verified.code
}

function warnings(change: Partial<Incoming>): string {
  const verified = verifyHandoff(incoming(change))
  return verified.ok ? verified.warnings.join('; ') : verified.why
}

describe('composing', () => {
  test('[K17] the envelope of an artifact passes its own verification, in every version and with a key', () => {
    for (const version of ['1.0', '1.1', '1.2', '2.0', '2.1'] as const) {
      for (const given of [{ version }, { version, key }]) {
        const text = envelopeText(composeEnvelope({ ...sampleGiven, ...given }, sampleSource()))
        expect(verifyHandoff(incoming({ envelopeText: text, key }))).toMatchObject({ ok: true, warnings: [] })
      }
    }
  })

  test('[K17] the bytes are hashed as they are, and counted in tokens of four characters', () => {
    expect(sampleEnvelope()).toMatchObject({
      envelope_version: '2.0',
      message_id: '01a22c53-8200-7010-9010-101010101010',
      thread_id: '01a22c53-8200-7010-9010-101010101010',
      parent_id: null,
      artifact: { sha256: 'cbfdaea76e0adf7576d4912800473c51d5e1cb016beff4e8b7c625e9ef545b18', size_bytes: 72 },
      context_delta: { token_budget: 4000, tokens_used: 24, input_handles: [], summary: 'The tax is added twice.' },
      constraints: { trust_level: 'standard' },
      trace: { ts: '2026-11-30T12:00:00.000Z', host: 'steward', model: 'example', tier: 'standard' },
      ise: {
        assertion_grade: 'self-attested',
        provenance: { methodology_version: 'scout-1.0.0' },
        receiver_authorization: { auto_route: true, auto_merge: false, auto_deploy: false },
      },
    })
    expect(envelopePath('run/scout-report.md')).toBe('run/scout-report.md.envelope.json')
  })

  test('[K17] long texts are cut between words; what makes no envelope is named', () => {
    const { objective, context_delta } = sampleEnvelope({
      objective: `${'word '.repeat(100)}`,
      context: { budget: 1, summary: '\ud83d\ude00'.repeat(900) },
    })
    expect(objective).toMatch(/^word.*word…$/)
    expect(objective.length).toBeLessThanOrEqual(240)
    expect(context_delta?.summary.isWellFormed()).toBe(true)
    expect(() => sampleEnvelope({ from: { eidolon: 'The Scout', version: '1.0.0' } })).toThrow('from.eidolon')
    expect(() => sampleEnvelope({ key: 'short' })).toThrow('at least 32 bytes')
  })

  test('[K17] ids sort by time and are of version 7', () => {
    let at = 1
    const newUuid = uuids({ now: () => at++ * 1_000_000, random: (bytes) => new Uint8Array(bytes).fill(255) })
    const made = [newUuid(), newUuid(), newUuid()]
    expect(made.toSorted()).toEqual(made)
    for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('shape', () => {
  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['an unknown version', sampleText({ envelope_version: '3.0' })],
    ['a version that never was', sampleText({ envelope_version: '1.3' })],
    ['a missing member', sampleText({ thread_id: undefined })],
    ['an unknown member', sampleText({ urgent: true })],
    ['a verb in lower case', sampleText({ performative: 'propose' })],
    ['an id that is none', sampleText({ message_id: '4fg3daE5g9c4' })],
    ['a path that leaves', sampleText({ artifact: { ...sampleEnvelope().artifact, path: 'a/../../b' } })],
    ['an absolute path', sampleText({ artifact: { ...sampleEnvelope().artifact, path: '/scout-report.md' } })],
    ['a long objective', sampleText({ objective: 'x'.repeat(241) })],
    ['an impossible day', sampleText({ trace: { ...sampleEnvelope().trace, ts: '2026-13-40T12:00:00Z' } })],
    ['a handle that leaves', sampleText({ context_delta: { ...sampleEnvelope().context_delta, input_handles: ['../x'] } })],
    ['ise before 2.0', sampleText({ envelope_version: '1.2' })],
    ['verification before 2.1', sampleText({ ise: { assertion_grade: 'validated', verification: check() } })],
    ['a foreign verb before 2.1', sampleText({ ise: consult('QUERY') })],
  ])('[K12] %s is refused', (_, envelopeText) => expect(codeOf({ envelopeText })).toBe('SCHEMA_INVALID'))

  test.each([
    ['members of vendors', sampleText({ x_acme_note: { deep: [1] } })],
    ['a patch version', sampleText({ envelope_version: '2.0.4' })],
    ['a foreign verb in 2.1', sampleText({ envelope_version: '2.1', ise: consult('QUERY') })],
    ['one of the ten in 2.1', sampleText({ envelope_version: '2.1', ise: consult('CRITIQUE') })],
  ])('[K12] %s is taken', (_, envelopeText) => expect(codeOf({ envelopeText })).toBe('ok'))

  test('[K12] a receiver of 1.x takes no 2.x', () => {
    expect(codeOf({ target: 1 })).toBe('SCHEMA_INVALID')
    expect(codeOf({ target: 1, envelopeText: sampleText({}, { version: '1.2' }) })).toBe('ok')
  })
})

function check(change: object = {}) {
  return { fresh_context: true, checker: 'debugger', transcript_access: 'none', ...change }
}
function consult(performative: string) {
  const consults = [{ eidolon: 'reasoner', performative, note: 'more is allowed here' }]
  return { assertion_grade: 'validated', provenance: { methodology_version: 'scout-1.0.0', lateral_consults: consults } }
}

describe('bytes', () => {
  const withKey = sampleText({}, { key })
  test.each<[string, Partial<Incoming>]>([
    ['changed bytes', { payload: () => Buffer.from(reportText.replace('12', '13')) }],
    ['no artifact', { payload: () => null }],
    ['an artifact that can not be read', { payload: () => { throw new Error('disk') } }], // biome-ignore format: one row
    ['a digest of something else', { envelopeText: sampleText({ artifact: { ...sampleEnvelope().artifact, sha256: 'a'.repeat(64) } }) }],
    ['two digests', { envelopeText: sampleText({ integrity: { method: 'sha256', value: 'a'.repeat(64) } }) }],
    ['a size that is wrong', { envelopeText: sampleText({ artifact: { ...sampleEnvelope().artifact, size_bytes: 1 } }) }],
    ['a key that is missing', { envelopeText: withKey }],
    ['a key that is short', { envelopeText: withKey, key: 'short' }],
    ['a key that is wrong', { envelopeText: withKey, key: 'x'.repeat(32) }],
  ])('[K11] %s', (_, change) => expect(codeOf(change)).toBe('INTEGRITY_MISMATCH'))

  test('[K11] bytes that are no text are compared as bytes', () => {
    const contract = { ...sampleContract, artifacts: [{ kind: 'picture', requiredSections: [] }] }
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x0d, 0x0a)
    const text = sampleText({}, { artifact: { kind: 'picture', path: 'a.png', bytes } })
    expect(codeOf({ contract, envelopeText: text, payload: () => bytes })).toBe('ok')
    expect(codeOf({ contract, envelopeText: text, payload: () => Uint8Array.of(0xff, 0xfd, 0x00, 0x0d, 0x0a) })).toBe('INTEGRITY_MISMATCH')
  })

  test('[K11] a missing, a short and a wrong key are told alike', () => {
    const told = [undefined, 'short', 'x'.repeat(32)].map((one) => verifyHandoff(incoming({ envelopeText: withKey, key: one ?? null })))
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1)
  })
})

describe('thread', () => {
  const first = sampleEnvelope()
  const second = sampleEnvelope({ after: { thread_id: other, message_id: other } })
  const seen = [{ message_id: other, thread_id: other }]

  test.each<[string, Partial<Incoming>]>([
    ['the same message again', { seen: [first] }],
    ['a thread that begins twice', { seen: [{ message_id: other, thread_id: first.thread_id }] }],
    ['a parent that nobody received', { envelopeText: envelopeText(second), seen: [] }],
    ['a parent of another thread', { envelopeText: envelopeText(second), seen: [{ message_id: other, thread_id: first.thread_id }] }],
    ['its own parent', { envelopeText: sampleText({ parent_id: first.message_id }) }],
    ['an answer with the id of its thread', { envelopeText: sampleText({ parent_id: other }) }],
  ])('[K13] %s is refused', (_, change) => expect(codeOf(change)).toBe('SCHEMA_INVALID'))

  test('[K13] the first message and its answer are taken', () => {
    expect(codeOf({ seen: [] })).toBe('ok')
    expect(codeOf({ envelopeText: envelopeText(second), seen })).toBe('ok')
  })
})

describe('words', () => {
  const refuse = { performative: 'REFUSE', assumptions: ['refused: fs.write'] }
  test.each([
    ['a refusal without what is refused', { ...refuse, assumptions: [' '] }, 'SCHEMA_INVALID'],
    ['a refusal that nobody may decide', refuse, 'SCHEMA_INVALID'],
    ['a refusal that expects a proposal', { ...refuse, expected_response: { performative: 'PROPOSE' } }, 'SCHEMA_INVALID'],
    ['a whole refusal', { ...refuse, expected_response: { performative: 'DECIDE' } }, 'ok'],
    ['an escalation without its trigger', { performative: 'ESCALATE' }, 'SCHEMA_INVALID'],
    ['an escalation', { performative: 'ESCALATE', assumptions: ['three failures of one kind'] }, 'ok'],
  ])('[K14] %s: %j is %s', (_, change, code) => expect(codeOf({ envelopeText: sampleText(change) })).toBe(code))

  test('[K14] a long acknowledgement is warned of', () => {
    const bytes = Buffer.from(`${reportText}${'x'.repeat(256)}`)
    const artifact = { ...sampleGiven.artifact, bytes }
    const envelopeText = sampleText({}, { performative: 'ACKNOWLEDGE', artifact })
    expect(warnings({ envelopeText, payload: () => bytes })).toBe('an ACKNOWLEDGE has at most 256 bytes')
  })

  test('[K14] a person proposes nothing, whatever the contract says', () => {
    const contract = { ...sampleContract, from: 'human' }
    const human = { eidolon: 'human', version: 'n/a' }
    expect(codeOf({ contract, envelopeText: sampleText({}, { from: human }) })).toBe('PERFORMATIVE_NOT_ALLOWED')
    expect(codeOf({ contract, envelopeText: sampleText({}, { from: human, performative: 'INFORM' }) })).toBe('ok')
  })
})

describe('contract', () => {
  const [rule] = sampleContract.artifacts
  const withSections = (requiredSections: readonly string[]) => ({
    contract: { ...sampleContract, artifacts: [{ kind: rule?.kind ?? '', requiredSections }] },
  })
  test.each<[string, Partial<Incoming>, VerifyFailure]>([
    ['no contract', { contract: null }, 'UNDECLARED_EDGE'],
    ['the contract of another edge', { contract: { ...sampleContract, to: 'coder' } }, 'UNDECLARED_EDGE'],
    ['a verb that it does not name', { contract: { ...sampleContract, performatives: ['INFORM'] } }, 'PERFORMATIVE_NOT_ALLOWED'],
    ['a kind that it does not name', { contract: { ...sampleContract, artifacts: [] } }, 'ARTIFACT_KIND_NOT_ALLOWED'],
    ['a section that is missing', withSections(['scope']), 'MISSING_REQUIRED_SECTION'],
    ['a section without content', withSections(['report', 'empty']), 'MISSING_REQUIRED_SECTION'],
    ['a handle that is missing', { contract: { ...sampleContract, requiredHandles: ['mission.md'] } }, 'MISSING_REQUIRED_SECTION'],
    ['more tokens than it allows', { contract: { ...sampleContract, tokenBudgetMax: 23 } }, 'CONTEXT_OVER_BUDGET'],
    ['more tokens than the envelope allows', budget(23), 'CONTEXT_OVER_BUDGET'],
  ])('[K10] %s', (_, change, code) => expect(codeOf(change)).toBe(code))

  test('[K10] exactly the budget is allowed', () => {
    expect(codeOf({ ...budget(24), contract: { ...sampleContract, tokenBudgetMax: 24 } })).toBe('ok')
  })

  test('[K10] a report without evidence is refused where the contract asks for it', () => {
    const bytes = Buffer.from('# Findings\nThe tax.\n\n# Gaps\nNone.\n')
    const artifact = { ...sampleGiven.artifact, bytes }
    expect(codeOf({ envelopeText: sampleText({}, { artifact }), payload: () => bytes })).toBe('MISSING_REQUIRED_SECTION')
  })

  test('[K10] what is only advised is a warning', () => {
    const contract = { ...sampleContract, edgeOrigin: 'composition' as const }
    expect(warnings({ contract })).toBe("edge_origin is not the contract's")
    expect(warnings({ envelopeText: sampleText({ edge_origin: undefined, context_delta: undefined }) })).toBe(
      'edge_origin is missing; context_delta is missing, so the budget was not checked',
    )
    const late = sampleText({}, { deadline: Date.UTC(2026, 0, 1) })
    expect(warnings({ envelopeText: late, now: Date.UTC(2026, 1, 1) })).toBe('the deadline is over')
    const off = sampleText({}, { context: { ...sampleGiven.context, tokensUsed: 3000 } })
    expect(warnings({ envelopeText: off })).toBe('tokens_used is far from what summary and artifact come to')
  })
})

function budget(tokens: number): Partial<Incoming> {
  return { envelopeText: sampleText({}, { context: { ...sampleGiven.context, budget: tokens } }) }
}

describe('trust', () => {
  const high = { ...sampleContract, trustLevel: 'high' as const }

  test('[K16] nobody lowers the trust that the contract asks for', () => {
    expect(codeOf({ contract: high, envelopeText: sampleText({}, { version: '2.1' }) })).toBe('INTEGRITY_MISMATCH')
    const keyed = sampleText({}, { version: '2.1', key })
    expect(codeOf({ contract: high, key, envelopeText: keyed })).toBe('ok')
    expect(codeOf({ contract: high, key, envelopeText: sampleText({ ise: undefined }, { version: '2.1', key }) })).toBe('SCHEMA_INVALID')
    expect(warnings({ contract: high })).toBe(
      'high trust should come with hmac-sha256; a PROPOSE at high trust should be validated or human-reviewed',
    )
  })

  test('[K16] who validates is another, with a fresh context', () => {
    const checked = (change: object) => sampleText({}, { version: '2.1', grade: 'validated', checked: { ...valid, ...change } })
    const valid = { fresh_context: true, checker: 'debugger', transcript_access: 'none' } as const
    expect(warnings({ envelopeText: checked({}) })).toBe('')
    expect(warnings({ envelopeText: checked({ checker: 'scout' }) })).toContain('should be another')
    expect(warnings({ envelopeText: checked({ fresh_context: false }) })).toContain('should be another')
    expect(warnings({ envelopeText: sampleText({}, { version: '2.1', grade: 'validated' }) })).toContain('by whom')
  })

  test('[K16] what the receiver may do is said; what nobody said is routing only', () => {
    const authorization = (text: string) => verifyHandoff(incoming({ envelopeText: text }))
    expect(authorization(sampleText({}, { version: '1.0' }))).toMatchObject({ authorization: { route: true, merge: false, deploy: false } })
    const own = sampleText({}, { authorization: { route: false, merge: true, deploy: false } })
    expect(authorization(own)).toMatchObject({ authorization: { route: false, merge: true, deploy: false } })
  })
})
