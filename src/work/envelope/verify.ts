// What the receiver of a hand-off asks before it acts (K10 to K16). Strict: every rule of the envelope's own version counts.
import {
  authorizationOf,
  type Contract,
  type Envelope,
  type Failed,
  type Performative,
  type TrustLevel,
  tokensOf,
  trustLevels,
  type Verified,
  type VerifyFailure,
} from './envelope.ts'
import { digestOf, isLongEnough, isSame, type Key, macOf } from './integrity.ts'
import { readEnvelope } from './schema.ts'
import { hasEvidence, sectionName, sectionsOf } from './sections.ts'
import { hasIse, isTaken, type Target, type WireLine } from './version.ts'

export type Incoming = {
  readonly envelopeText: string
  /** The bytes at a relative path without ".."; null when nothing readable is there. */
  readonly payload: (path: string) => Uint8Array | null
  /** Of the edge that the envelope names; null: there is none. */
  readonly contract: Contract | null
  /** What the receiver took before, of this thread and of others. Absent: order and repetition are not looked at. */
  readonly seen?: readonly Seen[]
  /** For HMACs, at least 32 bytes. */
  readonly key?: Key | null
  /** 2 when absent. */
  readonly target?: Target
  /** Unix milliseconds; absent: deadlines are not looked at. */
  readonly now?: number
}
export type Seen = Pick<Envelope, 'message_id' | 'thread_id'>

/** Never throws. The first failure in the order shape, bytes, edge, content, budget is the answer. */
export function verifyHandoff(incoming: Incoming): Verified {
  const { envelopeText, contract, target = 2 } = incoming
  const read = readEnvelope(envelopeText)
  if (!read.ok) return failed('SCHEMA_INVALID', `The envelope is not valid: ${read.why}.`)
  const { envelope, line } = read
  if (!isTaken(line, target)) return failed('SCHEMA_INVALID', `The envelope is of version ${line}, and the receiver speaks only 1.x.`)
  const bytes = bytesOf(incoming, envelope)
  const trust = trustOf(envelope, contract)
  const failure =
    faultOfWords(envelope) ??
    faultOfThread(envelope, incoming.seen) ??
    faultOfTrust(envelope, line, trust) ??
    faultOfBytes(envelope, bytes, incoming.key) ??
    faultOfEdge(envelope, contract) ??
    faultOfContent(envelope, contract, bytes) ??
    faultOfBudget(envelope, contract)
  if (failure !== null) return failure
  const warnings = warningsOf(envelope, { contract, bytes, trust, line, now: incoming.now })
  return { ok: true, envelope, warnings, authorization: authorizationOf(envelope) }
}

/** Between whom an envelope goes, to find the contract; null for what is no envelope. */
export function edgeIn(envelopeText: string): { readonly from: string; readonly to: string } | null {
  const read = readEnvelope(envelopeText)
  return read.ok ? { from: read.envelope.from.eidolon, to: read.envelope.to.eidolon } : null
}

function failed(code: VerifyFailure, why: string): Failed {
  return { ok: false, code, why }
}

function bytesOf({ payload }: Incoming, { artifact }: Envelope): Uint8Array | null {
  try {
    return payload(artifact.path)
  } catch {
    return null
  }
}

/** The stricter of what the envelope and its contract say: a sender can't lower it. */
function trustOf({ constraints }: Envelope, contract: Contract | null): TrustLevel {
  const [own, asked] = [constraints?.trust_level ?? 'standard', contract?.trustLevel ?? 'low']
  return trustLevels.indexOf(own) >= trustLevels.indexOf(asked) ? own : asked
}

// ---- failures, in their order

/** A refusal says what is refused and who may decide; an escalation says what set it off. */
function faultOfWords({ performative, assumptions = [], expected_response }: Envelope): Failed | null {
  const said = assumptions.some((text) => text.trim() !== '')
  if (performative === 'ESCALATE' && !said) return failed('SCHEMA_INVALID', 'ESCALATE names its trigger in assumptions.')
  if (performative !== 'REFUSE') return null
  if (!said) return failed('SCHEMA_INVALID', 'REFUSE names the refused capability in assumptions.')
  const next = expected_response?.performative
  if (next === 'DELEGATE' || next === 'DECIDE') return null
  return failed('SCHEMA_INVALID', 'REFUSE expects DELEGATE or DECIDE (expected_response.performative).')
}

/** No message twice; each but the first answers one of its own thread. */
function faultOfThread({ message_id, thread_id, parent_id }: Envelope, seen: readonly Seen[] | undefined): Failed | null {
  const [id, thread, parent] = [message_id, thread_id, parent_id].map((one) => one?.toLowerCase() ?? null)
  if (parent === id) return failed('SCHEMA_INVALID', 'The message is its own parent.')
  if (parent !== null && id === thread) return failed('SCHEMA_INVALID', 'Only the first message of a thread may have its id.')
  if (seen === undefined) return null
  if (seen.some((one) => one.message_id.toLowerCase() === id)) return failed('SCHEMA_INVALID', 'This message was received before.')
  const before = seen.filter((one) => one.thread_id.toLowerCase() === thread).map((one) => one.message_id.toLowerCase())
  if (parent === null)
    return before.length === 0 ? null : failed('SCHEMA_INVALID', 'The thread has begun, and the message names no parent.')
  return before.includes(parent ?? '') ? null : failed('SCHEMA_INVALID', 'The parent is no message of this thread.')
}

function faultOfTrust({ integrity, ise }: Envelope, line: WireLine, trust: TrustLevel): Failed | null {
  if (line !== '2.1' || trust !== 'high') return null
  if (integrity.method !== 'hmac-sha256') return failed('INTEGRITY_MISMATCH', 'From 2.1 on, high trust needs hmac-sha256.')
  return ise === undefined ? failed('SCHEMA_INVALID', 'From 2.1 on, high trust needs the member ise.') : null
}

/** One sentence for all of it: a sender learns nothing about the key. */
function faultOfBytes({ artifact, integrity }: Envelope, bytes: Uint8Array | null, key: Key | null | undefined): Failed | null {
  if (bytes === null) return failed('INTEGRITY_MISMATCH', `There is no artifact at ${artifact.path}.`)
  const digest = digestOf(bytes)
  const whole = isSame(digest, artifact.sha256) && bytes.length === artifact.size_bytes
  if (whole && isGenuine(integrity, { bytes, digest, key })) return null
  return failed('INTEGRITY_MISMATCH', 'The artifact is not the one that the envelope was made for.')
}

type Held = { readonly bytes: Uint8Array; readonly digest: string; readonly key: Key | null | undefined }

function isGenuine({ method, value }: Envelope['integrity'], { bytes, digest, key }: Held): boolean {
  if (method === 'sha256') return isSame(digest, value)
  return isLongEnough(key) && isSame(macOf(bytes, key), value)
}

/** People ask and answer; they neither propose nor decide nor delegate nor resume in place of an agent. */
export const humanPerformatives: readonly Performative[] = ['REQUEST', 'INFORM', 'CRITIQUE', 'REFUSE', 'ACKNOWLEDGE', 'ESCALATE']

function faultOfEdge({ from, to, performative, artifact }: Envelope, contract: Contract | null): Failed | null {
  const edge = `${from.eidolon} to ${to.eidolon}`
  if (contract === null || contract.from !== from.eidolon || contract.to !== to.eidolon)
    return failed('UNDECLARED_EDGE', `No contract declares a hand-off from ${edge}.`)
  const allowed = contract.performatives.filter((one) => from.eidolon !== 'human' || humanPerformatives.includes(one))
  if (!allowed.includes(performative))
    return failed('PERFORMATIVE_NOT_ALLOWED', `${performative} is not allowed from ${edge}; allowed are ${allowed.join(', ')}.`)
  if (contract.artifacts.some((one) => one.kind === artifact.kind)) return null
  const kinds = contract.artifacts.map((one) => one.kind).join(', ')
  return failed('ARTIFACT_KIND_NOT_ALLOWED', `An artifact of kind ${artifact.kind} is not allowed from ${edge}; allowed are ${kinds}.`)
}

function faultOfContent({ artifact, context_delta }: Envelope, contract: Contract | null, bytes: Uint8Array | null): Failed | null {
  const rule = contract?.artifacts.find((one) => one.kind === artifact.kind)
  const text = new TextDecoder().decode(bytes ?? new Uint8Array())
  const has = rule?.requiredSections.length ? sectionsOf(text, artifact.path) : new Set<string>()
  const lacking = (rule?.requiredSections ?? []).filter((one) => !has.has(sectionName(one)))
  if (lacking.length > 0) return failed('MISSING_REQUIRED_SECTION', `The ${artifact.kind} lacks: ${lacking.join(', ')}.`)
  if (rule?.evidence && !hasEvidence(text))
    return failed('MISSING_REQUIRED_SECTION', `The ${artifact.kind} points at no evidence: allowed are file:line and web addresses.`)
  const handles = context_delta?.input_handles ?? []
  const unnamed = (contract?.requiredHandles ?? []).filter((one) => !handles.includes(one))
  return unnamed.length === 0
    ? null
    : failed('MISSING_REQUIRED_SECTION', `The envelope does not name what it builds on: ${unnamed.join(', ')}.`)
}

function faultOfBudget({ context_delta }: Envelope, contract: Contract | null): Failed | null {
  if (context_delta === undefined) return null
  const { tokens_used, token_budget } = context_delta
  const most = Math.min(token_budget, contract?.tokenBudgetMax ?? token_budget)
  if (tokens_used <= most) return null
  return failed('CONTEXT_OVER_BUDGET', `The hand-off uses ${tokens_used} tokens of ${most}.`)
}

// ---- warnings

type Around = {
  readonly contract: Contract | null
  readonly bytes: Uint8Array | null
  readonly trust: TrustLevel
  readonly line: WireLine
  readonly now: number | undefined
}

const longestSummaryTokens = 200
const largestAcknowledgement = 256

function warningsOf(envelope: Envelope, around: Around): readonly string[] {
  const { edge_origin, constraints, performative, artifact, context_delta } = envelope
  const { contract, now } = around
  const deadline = constraints?.deadline_ts
  const found = [
    edge_origin === undefined && 'edge_origin is missing',
    edge_origin !== undefined &&
      contract?.edgeOrigin !== null &&
      edge_origin !== contract?.edgeOrigin &&
      "edge_origin is not the contract's",
    deadline !== undefined && deadline !== null && now !== undefined && Date.parse(deadline) < now && 'the deadline is over',
    performative === 'ACKNOWLEDGE' &&
      artifact.size_bytes > largestAcknowledgement &&
      `an ACKNOWLEDGE has at most ${largestAcknowledgement} bytes`,
    context_delta === undefined && 'context_delta is missing, so the budget was not checked',
    context_delta !== undefined &&
      tokensOf(context_delta.summary) > longestSummaryTokens &&
      `the summary has more than ${longestSummaryTokens} tokens`,
    context_delta !== undefined && isFarOff(context_delta, around.bytes) && 'tokens_used is far from what summary and artifact come to',
    ...warningsOfTrust(envelope, around),
  ]
  return found.filter((one) => typeof one === 'string')
}

function warningsOfTrust({ integrity, ise, performative, from }: Envelope, { trust, line }: Around): readonly (string | false)[] {
  const grade = ise?.assertion_grade
  const isVouched = grade === 'validated' || grade === 'human-reviewed'
  const check = ise?.verification
  const weighs = performative === 'PROPOSE' || performative === 'DECIDE'
  return [
    trust === 'high' && integrity.method === 'sha256' && 'high trust should come with hmac-sha256',
    trust === 'high' && hasIse(line) && ise === undefined && 'high trust should come with ise',
    trust === 'high' &&
      hasIse(line) &&
      ise !== undefined &&
      weighs &&
      !isVouched &&
      `a ${performative} at high trust should be validated or human-reviewed`,
    line === '2.1' && grade === 'validated' && !check && 'what is validated should say by whom (ise.verification)',
    check !== undefined &&
      (!check.fresh_context || check.checker === from.eidolon) &&
      'who validates should be another, with a fresh context',
  ]
}

/** By more than half of the larger one: the estimate is rough, and a handle may be counted in. */
function isFarOff({ tokens_used, summary }: { readonly tokens_used: number; readonly summary: string }, bytes: Uint8Array | null): boolean {
  const estimate = tokensOf(summary) + Math.ceil((bytes?.length ?? 0) / 4)
  return Math.abs(estimate - tokens_used) > Math.max(estimate, tokens_used) / 2
}
