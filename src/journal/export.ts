// Journal events in the format of outheis' message log (reference/outheis.md section 3), and the reading of its older records.
// Pure: the same events give the same records, wherever and however often they are exported. Ours (jsonl) needs no translation.

import { createHash } from 'node:crypto'
import { sha256 } from '../base/hash.ts'
import { numberOf } from '../base/ids.ts'
import { isObject } from '../base/json.ts'
import { readApproval } from '../protocol/asked-approval.ts'
import { message as messageSchema } from '../protocol/message.ts'

/** Version of the records that are written. */
const outheisVersion = 1
const epochMs = 1_704_067_200_000

export type OutheisAgent = 'relay' | 'data' | 'agenda' | 'action' | 'pattern' | 'code'
export type OutheisFrom =
  | { readonly agent: OutheisAgent }
  | { readonly user: { readonly channel: 'signal' | 'cli' | 'api'; readonly identity: string; readonly name?: string } }

export type OutheisMessage = {
  readonly v: number
  /** A snowflake of 19 digits. */
  readonly id: string
  /** conv_ and 12 hex digits. */
  readonly conversation_id: string
  readonly from: OutheisFrom
  readonly to: OutheisAgent | 'dispatcher' | 'transport'
  readonly type: 'request' | 'response' | 'event'
  readonly intent?: string
  readonly payload: { readonly [key: string]: unknown }
  readonly reply_to?: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** An event as `GET /api/events` gives it. */
export type ExportedEvent = {
  readonly type: string
  /** ISO text. */
  readonly at: string
  readonly actor: string
  readonly session?: string | null | undefined
  readonly data: { readonly [key: string]: unknown }
}

/** The record of an event; null for an event that is no message between somebody and somebody. */
export function toOutheis(event: ExportedEvent): OutheisMessage | null {
  const translate = translations[event.type]
  const body = translate?.(event)
  if (!body) return null
  return {
    v: outheisVersion,
    id: body.id,
    conversation_id: conversationId(event.session ?? event.actor),
    from: body.from,
    to: body.to,
    type: body.type,
    ...(body.intent === undefined ? {} : { intent: body.intent }),
    payload: body.payload,
    ...(body.reply_to === undefined ? {} : { reply_to: body.reply_to }),
    timestamp: Date.parse(event.at) / 1000,
  }
}

type Body = Omit<OutheisMessage, 'v' | 'conversation_id' | 'timestamp'>

const translations: Readonly<Record<string, (event: ExportedEvent) => Body | null>> = {
  'chat-message-appended': ofMessage,
  'chat-message-updated': ofFailure,
  'question-asked': ofQuestion,
  'question-answered': ofAnswer,
  'approval-requested': ofApproval,
  'approval-decided': ofDecision,
}

function ofMessage({ data, at }: ExportedEvent): Body | null {
  const read = messageSchema.safeParse({ ...(isObject(data.message) ? data.message : {}), at, cursor: '' })
  if (!read.success) return null
  const { id, role, actor, agent, text, parent } = read.data
  if (role === 'user') return { id: snowflake(id, at), from: fromOf(actor, agent), to: 'dispatcher', type: 'request', payload: { text } }
  const reply = parent === null ? {} : { reply_to: snowflake(parent, at) }
  const payload = agent === undefined || agentOf(agent) === agent ? { text } : { text, agent }
  if (role === 'system')
    return { id: snowflake(id, at), from: fromOf(actor, agent), to: 'transport', type: 'event', intent: 'internal', payload }
  return { id: snowflake(id, at), from: { agent: agentOf(agent) }, to: 'transport', type: 'response', payload, ...reply }
}

/** A user's message that failed is answered by a response that says so. */
function ofFailure({ data, at }: ExportedEvent): Body | null {
  if (data.status !== 'failed' || typeof data.id !== 'string') return null
  const text = typeof data.why === 'string' ? data.why : 'failed'
  const reply_to = snowflake(data.id, at)
  return {
    id: snowflake(`${data.id} failed`, at),
    from: { agent: 'relay' },
    to: 'transport',
    type: 'response',
    payload: { text, error: true },
    reply_to,
  }
}

function ofQuestion({ data, at }: ExportedEvent): Body | null {
  if (typeof data.ask !== 'string' || typeof data.text !== 'string') return null
  const payload = Array.isArray(data.options) ? { text: data.text, options: data.options } : { text: data.text }
  return { id: snowflake(data.ask, at), from: { agent: 'relay' }, to: 'transport', type: 'response', intent: 'interim', payload }
}

function ofAnswer({ data, at }: ExportedEvent): Body | null {
  if (!isObject(data.answer)) return null
  const { ask, value, by, outcome } = data.answer
  if (typeof ask !== 'string' || typeof by !== 'string' || outcome !== 'answered') return null
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return {
    id: snowflake(`${ask} answered`, at),
    from: fromOf(by),
    to: 'dispatcher',
    type: 'request',
    payload: { text },
    reply_to: snowflake(ask, at),
  }
}

/** An approval is a question of the relay; what it is about rides along. */
function ofApproval({ data, at }: ExportedEvent): Body | null {
  const asked = readApproval(data)
  if (asked === null) return null
  const { id, text, risk, capability, target, scopes } = asked
  const payload = { text, approval: { risk, capability, target, scopes } }
  return { id: snowflake(id, at), from: { agent: 'relay' }, to: 'transport', type: 'response', intent: 'interim', payload }
}

/** A person's yes or no. Silence is nobody's message. */
function ofDecision({ data, at }: ExportedEvent): Body | null {
  if (typeof data.approval !== 'string' || !isObject(data.answer)) return null
  const { value, by, outcome } = data.answer
  if (!isObject(value) || typeof by !== 'string' || outcome !== 'answered') return null
  const isAllowed = value.decision === 'allow'
  return {
    id: snowflake(`${data.approval} decided`, at),
    from: fromOf(by),
    to: 'dispatcher',
    type: 'request',
    payload: { text: isAllowed ? 'allow' : 'deny', ...(isAllowed && typeof value.scope === 'string' ? { scope: value.scope } : {}) },
    reply_to: snowflake(data.approval, at),
  }
}

function fromOf(actor: string, agent?: string): OutheisFrom {
  const at = actor.indexOf(':')
  const [kind, name] = [actor.slice(0, Math.max(0, at)), actor.slice(at + 1)]
  if (kind === 'user') return { user: { channel: 'api', identity: name } }
  if (kind === 'outside') return { user: { channel: name.startsWith('signal') ? 'signal' : 'api', identity: name } }
  return { agent: agentOf(agent) }
}

const agents: Readonly<Record<string, OutheisAgent>> = {
  relay: 'relay',
  hub: 'relay',
  data: 'data',
  agenda: 'agenda',
  action: 'action',
  pattern: 'pattern',
  code: 'code',
  coder: 'code',
}

/** Their name of an agent of ours. They know no others than these, so everyone else speaks through the relay. */
function agentOf(agent: string | undefined): OutheisAgent {
  return (agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? 'relay'
}

function conversationId(session: string): string {
  return `conv_${sha256(session).slice(0, 12)}`
}

const ulid = /^[a-z]{3}_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{11}([0-9A-HJKMNP-TV-Z]{5})$/

/**
 * 41 bits of milliseconds since 2024, then 22 bits that tell ids of one millisecond apart. Both come from our own id, so that a
 * reply names the same number as the message it answers. What is no id of ours is placed by `at` and told apart by its hash.
 */
export function snowflake(id: string, at: string): string {
  const parts = ulid.exec(id)
  const ms = parts?.[1] === undefined ? Date.parse(at) : numberOf(parts[1])
  const low = parts?.[2] === undefined ? createHash('sha256').update(id).digest().readUInt32BE(0) : numberOf(parts[2])
  const since = BigInt(Math.max(0, ms - epochMs))
  return (((since & ((1n << 41n) - 1n)) << 22n) | BigInt(low & 0x3fffff)).toString().padStart(19, '0')
}

export type ReadRecord =
  | { readonly ok: true; readonly record: { readonly [key: string]: unknown } }
  | { readonly ok: false; readonly reason: 'unsupported_version' | 'invalid'; readonly why: string }

/**
 * A record of any version as one of the present version. Older ones are lifted step by step and lose nothing; a newer one is
 * refused, never guessed at. The present version is given back unchanged.
 */
export function readOutheis(record: unknown): ReadRecord {
  if (!isObject(record)) return { ok: false, reason: 'invalid', why: 'A record must be a JSON object.' }
  const v = record.v ?? 0
  if (typeof v !== 'number' || !Number.isInteger(v) || v < 0) {
    return { ok: false, reason: 'invalid', why: `v is ${JSON.stringify(v)}; allowed is a whole number from 0 to ${outheisVersion}.` }
  }
  if (v > outheisVersion) {
    return { ok: false, reason: 'unsupported_version', why: `The record has version ${v}; this program reads up to ${outheisVersion}.` }
  }
  return { ok: true, record: v === outheisVersion ? record : fromVersion0(record) }
}

/** Version 0 named an agent by a plain text. */
function fromVersion0(record: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  return { ...record, ...(typeof record.from === 'string' ? { from: { agent: record.from } } : {}), v: 1 }
}

/** Whether it has exactly one origin: an agent or a user, never both and never none. null is none. */
export function hasOneOrigin(from: unknown): boolean {
  return isObject(from) && ((from.agent ?? null) !== null) !== ((from.user ?? null) !== null)
}
