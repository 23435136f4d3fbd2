// The conformance checker: every gate of the protocol over one envelope, each with its level. It says how well an envelope keeps to
// the protocol; whether a receiver may act on it is said by verify.ts, which is stricter.
import { isObject } from '../../base/json.ts'
import { assertionGrades, type Contract, hex64, performatives, slug, trustLevels } from './envelope.ts'
import { digestOf, isSame, type Key, macOf } from './integrity.ts'
import { readJson } from './json-text.ts'
import { checkerPlaces, firstPayload, type PayloadAt } from './places.ts'
import { isFirst, isTaken, lineOf, type Target, type WireLine } from './version.ts'

export type Level = 'MUST' | 'SHOULD' | 'INFO'
export type Status = 'ok' | 'warn' | 'fail'
export type GateCheck = { readonly id: string; readonly level: Level; readonly status: Status; readonly why?: string }

export type ConformInput = {
  readonly envelopeText: string
  readonly payload: PayloadAt
  /** The contract of an edge; null when there is none. */
  readonly contractOf: (from: string, to: string) => Contract | null
  /** For HMACs. Absent: they are warned of, not failed. */
  readonly key?: Key | null
  /** 2 when absent. */
  readonly target?: Target
}

/** A gate that has nothing to look at is not in the answer. Never throws. */
export function conform(input: ConformInput): readonly GateCheck[] {
  const read = readJson(input.envelopeText)
  if (!read.ok) return [must('E-1', read.why)]
  const value = isObject(read.value) ? read.value : {}
  const envelope: Loose = { value, line: lineOf(value['envelope_version']), ...edgeOf(value) }
  const contract = envelope.from === '' || envelope.to === '' ? null : input.contractOf(envelope.from, envelope.to)
  return [
    must('E-1', null),
    ...shapeGates(envelope, input.target ?? 2),
    ...integrityGates(envelope, input),
    ...contractGates(envelope, contract),
    ...budgetGates(envelope, contract),
    ...iseGates(envelope),
  ]
}

/** 0 all kept, 2 a MUST failed, 3 a SHOULD failed, 4 warnings only. */
export function exitOf(checks: readonly GateCheck[]): 0 | 2 | 3 | 4 {
  const failed = checks.filter((one) => one.status === 'fail')
  if (failed.some((one) => one.level === 'MUST')) return 2
  if (failed.some((one) => one.level === 'SHOULD')) return 3
  return checks.some((one) => one.status === 'warn') ? 4 : 0
}

/** What is known of an envelope that need not be one. */
type Loose = {
  readonly value: Readonly<Record<string, unknown>>
  readonly line: WireLine | null
  readonly from: string
  readonly to: string
}

function edgeOf(value: Loose['value']): Pick<Loose, 'from' | 'to'> {
  return { from: said(at(value, 'from', 'eidolon')), to: said(at(value, 'to', 'eidolon')) }
}

// ---- E: shape

const requiredMembers: readonly string[] = [
  'envelope_version',
  'message_id',
  'thread_id',
  'parent_id',
  'from',
  'to',
  'performative',
  'objective',
  'artifact',
  'integrity',
  'trace',
]

function shapeGates({ value, line, from, to }: Loose, target: Target): readonly GateCheck[] {
  const missing = requiredMembers.filter((name) => !Object.hasOwn(value, name))
  const performative = said(value['performative'])
  const path = said(at(value, 'artifact', 'path'))
  const tier = said(at(value, 'trace', 'tier'))
  const isKnown = line !== null && isTaken(line, target)
  return [
    must('E-2', missing.length > 0 && `missing: ${missing.join(', ')}`),
    must('E-3', !isKnown && `version ${brief(value['envelope_version'])} is not taken`),
    ...(isKnown && isFirst(line) && target === 2 ? [ok('E-3.compat', 'INFO')] : []),
    must('E-4', !performatives.some((one) => one === performative) && `${brief(performative)} is no performative`),
    must('E-5', !(slug.test(from) && slug.test(to)) && `${brief(from)} and ${brief(to)} are not both names`),
    must('E-6', (path === '' || path.startsWith('/') || path.includes('..')) && `${brief(path)} is no relative path without ".."`),
    should('E-7', said(value['edge_origin']) === '' && 'edge_origin is missing'),
    must('E-8', tier !== 'standard' && tier !== 'trance' && `${brief(tier)} is no tier of a route`),
  ]
}

// ---- I: integrity

function integrityGates({ value, line }: Loose, { payload, key }: ConformInput): readonly GateCheck[] {
  const digest = said(at(value, 'integrity', 'value'))
  if (!hex64.test(digest)) return [must('I-1', `${brief(digest)} is not 64 hexadecimal digits`)]
  const bytes = firstPayload(checkerPlaces(said(at(value, 'artifact', 'path'))), payload)
  if (bytes === null) return [must('I-1', null), must('I-2', 'the artifact was not found')]
  const method = said(at(value, 'integrity', 'method'))
  const size = at(value, 'artifact', 'size_bytes') ?? 0
  const weak = trustOf(value) === 'high' && method === 'sha256' && 'high trust with plain sha256'
  return [
    must('I-1', null),
    must('I-2', null),
    matchGate({ bytes, method, digest, key: key ?? null }),
    should('I-4', size !== bytes.length && `size_bytes is ${brief(size)}, the artifact has ${bytes.length}`),
    line === '2.1' ? must('I-5', weak) : should('I-5', weak),
  ]
}

type Match = { readonly bytes: Uint8Array; readonly method: string; readonly digest: string; readonly key: Key | null }

function matchGate({ bytes, method, digest, key }: Match): GateCheck {
  if (method === 'sha256') return must('I-3', !isSame(digestOf(bytes), digest) && 'the digest is another')
  if (method !== 'hmac-sha256') return must('I-3', `the method ${brief(method)} is unknown`)
  if (key === null || key.length === 0) return { id: 'I-3', level: 'MUST', status: 'warn', why: 'there is no key to check the HMAC with' }
  return must('I-3', !isSame(macOf(bytes, key), digest) && 'the HMAC is another')
}

// ---- C: contract

function contractGates({ value, from, to }: Loose, contract: Contract | null): readonly GateCheck[] {
  if (contract === null) return [must('C-1', `no contract from ${brief(from)} to ${brief(to)}`)]
  const performative = said(value['performative'])
  const kind = said(at(value, 'artifact', 'kind'))
  const origin = said(value['edge_origin'])
  return [
    must('C-1', null),
    must('C-2', !contract.performatives.some((one) => one === performative) && `${brief(performative)} is not allowed`),
    must('C-3', !contract.artifacts.some((one) => one.kind === kind) && `an artifact of kind ${brief(kind)} is not allowed`),
    should('C-4', origin !== '' && origin !== (contract.edgeOrigin ?? '') && `edge_origin is ${brief(origin)}, not ${contract.edgeOrigin}`),
  ]
}

// ---- D: context budget

const longestSummaryTokens = 200

function budgetGates({ value }: Loose, contract: Contract | null): readonly GateCheck[] {
  if (!Object.hasOwn(value, 'context_delta')) return [should('D-0', 'context_delta is missing')]
  const used = countOf(at(value, 'context_delta', 'tokens_used'))
  const budget = countOf(at(value, 'context_delta', 'token_budget'))
  const most = contract?.tokenBudgetMax ?? null
  const tokens = Math.floor(said(at(value, 'context_delta', 'summary')).length / 4)
  return [
    should('D-0', null),
    must('D-1', !(used <= budget) && `${used} of ${budget} tokens`),
    ...(most === null ? [] : [must('D-2', !(used <= most) && `${used} of the contract's ${most} tokens`)]),
    should('D-3', tokens > longestSummaryTokens && `the summary has about ${tokens} tokens`),
  ]
}

/** NaN, which is within no budget, for what is no count. */
function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  return typeof value === 'number' && Number.isInteger(value) ? value : Number.NaN
}

// ---- S: what the sender vouches for

function iseGates({ value, line }: Loose): readonly GateCheck[] {
  const ise = value['ise']
  const isThere = isPresent(ise)
  const checks: GateCheck[] = []
  if (isThere) {
    const grade = said(at(value, 'ise', 'assertion_grade'))
    checks.push(must('S-1', !assertionGrades.some((one) => one === grade) && `assertion_grade ${brief(grade)} is not allowed`))
    checks.push(must('S-2', faultOfAuthorization(at(value, 'ise', 'receiver_authorization'))))
    const verification = at(value, 'ise', 'verification')
    if (line === '2.1' && isPresent(verification)) checks.push(must('S-4', faultOfVerification(verification)))
  }
  const unvouched = line !== null && !isFirst(line) && trustOf(value) === 'high' && !isThere && 'high trust without ise'
  return [...checks, line === '2.1' ? must('S-3', unvouched) : should('S-3', unvouched)]
}

function faultOfAuthorization(given: unknown): string | null {
  if (!isPresent(given)) return null
  if (!isObject(given)) return 'receiver_authorization is no object'
  const wrong = ['auto_route', 'auto_merge', 'auto_deploy'].filter(
    (name) => (given[name] ?? null) !== null && typeof given[name] !== 'boolean',
  )
  return wrong.length === 0 ? null : `not true or false: ${wrong.join(', ')}`
}

function faultOfVerification(given: unknown): string | null {
  if (!isObject(given)) return 'verification is no object'
  const { fresh_context, checker, transcript_access } = given
  if (typeof fresh_context !== 'boolean') return 'fresh_context is not true or false'
  if (typeof checker !== 'string' || !slug.test(checker)) return 'checker is no name'
  return transcript_access === 'none' || transcript_access === 'artifact-only'
    ? null
    : `transcript_access ${brief(transcript_access)} is not allowed`
}

function trustOf(value: Loose['value']): string {
  const level = said(at(value, 'constraints', 'trust_level'))
  return trustLevels.find((one) => one === level) ?? 'standard'
}

// ---- small pieces

/** `why` is null or false when the gate is kept. */
function must(id: string, why: string | null | false): GateCheck {
  return why === null || why === false ? ok(id, 'MUST') : { id, level: 'MUST', status: 'fail', why }
}

function should(id: string, why: string | null | false): GateCheck {
  return why === null || why === false ? ok(id, 'SHOULD') : { id, level: 'SHOULD', status: 'warn', why }
}

function ok(id: string, level: Level): GateCheck {
  return { id, level, status: 'ok' }
}

function at(value: Loose['value'], outer: string, inner: string): unknown {
  const found = Object.hasOwn(value, outer) ? value[outer] : null
  return isObject(found) && Object.hasOwn(found, inner) ? found[inner] : undefined
}

/** null and false count as absent here, as in the published checker. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : isPresent(value) ? JSON.stringify(value) : ''
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80)
}
