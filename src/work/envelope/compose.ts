// Makes the envelope of an artifact: the bytes decide, the sender says the rest.
import { iso } from '../../base/clock.ts'
import { InvalidInput } from '../../base/errors.ts'
import type { AssertionGrade, EdgeOrigin, Envelope, Ise, Party, Performative, TrustLevel } from './envelope.ts'
import { tokensOf } from './envelope.ts'
import { digestOf, isLongEnough, type Key, macOf, shortestKey } from './integrity.ts'
import { envelopeOf } from './schema.ts'
import { hasIse, type WireLine } from './version.ts'

export type Given = {
  /** 2.0 when absent. */
  readonly version?: WireLine
  readonly from: Party
  readonly to: Party
  readonly performative: Performative
  /** One sentence; what is longer than 240 characters is cut. */
  readonly objective: string
  readonly artifact: { readonly kind: string; readonly path: string; readonly bytes: Uint8Array; readonly schemaVersion?: string }
  readonly edgeOrigin: EdgeOrigin
  readonly trace: { readonly host: string; readonly model: string; readonly tier: 'standard' | 'trance' }
  /** Absent: this is the first message of a new thread. */
  readonly after?: Pick<Envelope, 'thread_id' | 'message_id'>
  readonly context: {
    readonly budget: number
    readonly summary: string
    readonly handles?: readonly string[]
    /** Of what the receiver is given; absent: the artifact and the summary. */
    readonly tokensUsed?: number
  }
  readonly trust?: TrustLevel
  /** Unix milliseconds. */
  readonly deadline?: number
  /** At least 32 bytes: the integrity is then an HMAC. */
  readonly key?: Key
  readonly grade?: AssertionGrade
  readonly checked?: Ise['verification']
  readonly authorization?: { readonly route: boolean; readonly merge: boolean; readonly deploy: boolean }
  readonly tools?: readonly string[]
  readonly expects?: Envelope['expected_response']
  readonly confidence?: number
  readonly assumptions?: readonly string[]
}

/** `newUuid` gives UUIDs of version 7 (uuid.ts); `now` is in milliseconds since 1970. */
export type Source = { readonly newUuid: () => string; readonly now: () => number }

const longestObjective = 240
/** 200 tokens. */
const longestSummary = 800

/** Throws InvalidInput that names the member when what was given makes no valid envelope. Whether a contract allows it is asked apart. */
export function composeEnvelope(given: Given, { newUuid, now }: Source): Envelope {
  const { artifact, from, to, performative, edgeOrigin, trace, after } = given
  const version = given.version ?? '2.0'
  const id = newUuid()
  const sha256 = digestOf(artifact.bytes)
  const made = {
    envelope_version: version,
    message_id: id,
    thread_id: after?.thread_id ?? id,
    parent_id: after?.message_id ?? null,
    ...{ from, to, performative, edge_origin: edgeOrigin },
    objective: cut(given.objective, longestObjective),
    artifact: {
      ...{ kind: artifact.kind, schema_version: artifact.schemaVersion ?? '1.0', path: artifact.path },
      ...{ sha256, size_bytes: artifact.bytes.length },
    },
    context_delta: contextOf(given),
    constraints: {
      trust_level: given.trust ?? 'standard',
      ...(given.deadline === undefined ? {} : { deadline_ts: iso(given.deadline) }),
    },
    ...optional(given),
    integrity: integrityOf(given, sha256),
    trace: { ts: iso(now()), ...trace },
    ...(hasIse(version) ? { ise: iseOf(given, version) } : {}),
  }
  return checked(made)
}

/** The text of the sidecar: one that is written twice is the same twice. */
export function envelopeText(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`
}

/** Beside the artifact lies its envelope. */
export function envelopePath(artifactPath: string): string {
  return `${artifactPath}.envelope.json`
}

function checked(made: unknown): Envelope {
  const read = envelopeOf(made)
  if (!read.ok) throw new InvalidInput(`This makes no envelope: ${read.why}.`, { path: `/${read.why.split(':')[0]?.replaceAll('.', '/')}` })
  return read.envelope
}

function contextOf({ artifact, context }: Given): Envelope['context_delta'] {
  const summary = cut(context.summary, longestSummary)
  const text = new TextDecoder().decode(artifact.bytes)
  return {
    token_budget: context.budget,
    tokens_used: context.tokensUsed ?? tokensOf(text) + tokensOf(summary),
    input_handles: context.handles ?? [],
    summary,
  }
}

function integrityOf({ artifact, key }: Given, sha256: string): Envelope['integrity'] {
  if (key === undefined) return { method: 'sha256', value: sha256 }
  if (!isLongEnough(key)) throw new InvalidInput(`The key of a hand-off has at least ${shortestKey} bytes.`, { path: '/key' })
  return { method: 'hmac-sha256', value: macOf(artifact.bytes, key) }
}

function optional({ expects, confidence, assumptions }: Given): Partial<Envelope> {
  return {
    ...(expects === undefined ? {} : { expected_response: expects }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(assumptions === undefined ? {} : { assumptions }),
  }
}

function iseOf({ from, grade, tools, authorization, checked: verification }: Given, version: WireLine): Ise {
  const { route = true, merge = false, deploy = false } = authorization ?? {}
  const method = { methodology_version: `${from.eidolon}-${from.version}`, ...(tools === undefined ? {} : { tool_surface: tools }) }
  return {
    assertion_grade: grade ?? 'self-attested',
    ...(from.version === 'n/a' ? {} : { provenance: method }),
    receiver_authorization: { auto_route: route, auto_merge: merge, auto_deploy: deploy },
    ...(verification === undefined || version !== '2.1' ? {} : { verification }),
  }
}

/** At most that many characters on one line, cut between words where one is near, never through a character. */
function cut(text: string, longest: number): string {
  const line = text.toWellFormed().replaceAll('\0', '').replace(/\s+/g, ' ').trim()
  if (line.length <= longest) return line
  const short = line.slice(0, longest - 1)
  const space = short.lastIndexOf(' ')
  const kept = space > longest / 2 ? short.slice(0, space) : short
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`
}
