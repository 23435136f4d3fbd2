// The shape of an envelope, strictly, by the version that it declares.
import { z } from 'zod'
import { isObject } from '../../base/json.ts'
import { assertionGrades, type Envelope, edgeOrigins, hex64, performatives, slug, trustLevels } from './envelope.ts'
import { readJson } from './json-text.ts'
import { isPlainPath } from './places.ts'
import { lineOf, type WireLine, wireLines } from './version.ts'

export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Envelope; readonly line: WireLine }
  | { readonly ok: false; readonly why: string }

/** Never throws; `why` names the first thing that is wrong. Members of vendors (`x_...`) are left out, as receivers ignore them. */
export function readEnvelope(text: string): ReadEnvelope {
  const read = readJson(text)
  return read.ok ? envelopeOf(read.value) : read
}

export function envelopeOf(value: unknown): ReadEnvelope {
  if (!isObject(value)) return { ok: false, why: 'it is not an object' }
  const line = lineOf(value['envelope_version'])
  if (line === null) return { ok: false, why: `envelope_version: allowed are ${wireLines.join(', ')}` }
  const known = Object.fromEntries(Object.entries(value).filter(([name]) => !/^x_[a-z][a-z0-9_]*$/.test(name)))
  const parsed = schemas[line].safeParse(known)
  return parsed.success ? { ok: true, envelope: parsed.data, line } : { ok: false, why: firstOf(parsed.error) }
}

/** The first fault of a value in one short sentence. */
export function firstOf(error: z.ZodError): string {
  const issue = error.issues[0]
  const path = issue?.path.map(String).join('.') ?? ''
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'it is not valid'}`.slice(0, 300)
}

const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'it is not a UUID')
const name = z.string().max(128).regex(slug, 'allowed are lower case letters, digits and "-", the first a letter')
const digest = z.string().regex(hex64, 'allowed are 64 lower case hexadecimal digits')
const instant = z.iso.datetime({ offset: true, error: 'it is not a time of RFC 3339' })
const count = z.int().min(0)
const party = z.strictObject({ eidolon: name, version: z.string().regex(/^(\d{1,9}\.\d{1,9}\.\d{1,9}|n\/a)$/, 'allowed are 1.2.3 or n/a') })
const plain = z.string().refine(isPlainPath, 'allowed is a relative path without ".."')
const handle = z.string().refine((text) => isPlainPath(text) || /^ecl:\/\/thread\/[0-9a-f-]{36}\/message\/[0-9a-f-]{36}$/.test(text), {
  error: 'allowed are a relative path without "..", or ecl://thread/ID/message/ID',
})

const shape = {
  envelope_version: z.string(),
  message_id: uuid,
  thread_id: uuid,
  parent_id: uuid.nullable(),
  from: party,
  to: party,
  performative: z.enum(performatives),
  objective: z.string().min(1).max(240),
  artifact: z.strictObject({
    kind: name,
    schema_version: z.string().regex(/^\d{1,9}\.\d{1,9}(\.\d{1,9})?$/, 'allowed are 1.0 or 1.0.0'),
    path: plain,
    sha256: digest,
    size_bytes: count,
  }),
  integrity: z.strictObject({ method: z.enum(['sha256', 'hmac-sha256']), value: digest }),
  trace: z.strictObject({ ts: instant, host: z.string(), model: z.string(), tier: z.enum(['standard', 'trance']) }),
  context_delta: z
    .strictObject({ token_budget: count, tokens_used: count, input_handles: z.array(handle), summary: z.string().min(1) })
    .exactOptional(),
  constraints: z
    .strictObject({ deadline_ts: instant.nullable().exactOptional(), trust_level: z.enum(trustLevels).exactOptional() })
    .exactOptional(),
  expected_response: z
    .strictObject({ performative: z.enum(performatives).exactOptional(), shape_hint: z.string().exactOptional() })
    .exactOptional(),
  confidence: z.number().min(0).max(1).exactOptional(),
  assumptions: z.array(z.string()).exactOptional(),
}

/** The published schema of 2.1 lists verbs of another protocol for consultations; both lists are taken there. */
const foreignVerbs = ['QUERY', 'INFORM-RESULT', 'INFORM-FAILURE', 'COMMIT', 'REJECT', 'ACK', 'CANCEL', 'SUBSCRIBE'] as const
const flag = z.boolean().exactOptional()

function iseFields(verbs: readonly string[]) {
  const consult = z.looseObject({ eidolon: z.string(), performative: z.enum(verbs) })
  return {
    assertion_grade: z.enum(assertionGrades),
    provenance: z
      .strictObject({
        methodology_version: z.string().regex(/^[a-z][a-z0-9-]{0,127}-\d{1,9}\.\d{1,9}\.\d{1,9}$/, 'allowed is name-1.2.3'),
        tool_surface: z.array(z.string()).max(32).exactOptional(),
        lateral_consults: z.array(consult).max(8).exactOptional(),
      })
      .exactOptional(),
    receiver_authorization: z.strictObject({ auto_route: flag, auto_merge: flag, auto_deploy: flag }).exactOptional(),
  }
}

const verification = z.strictObject({ fresh_context: z.boolean(), checker: name, transcript_access: z.enum(['none', 'artifact-only']) })
const allOrigins = z.enum(edgeOrigins).exactOptional()
const first = z.strictObject({ ...shape, edge_origin: z.enum(['roster', 'composition', 'implicit']).exactOptional() })
const second = z.strictObject({ ...shape, edge_origin: allOrigins, ise: z.strictObject(iseFields(performatives)).exactOptional() })
const latest = z.strictObject({
  ...shape,
  edge_origin: allOrigins,
  ise: z.strictObject({ ...iseFields([...performatives, ...foreignVerbs]), verification: verification.exactOptional() }).exactOptional(),
})

const schemas: Readonly<Record<WireLine, z.ZodType<Envelope>>> = {
  '1.0': first,
  '1.1': z.strictObject({ ...shape, edge_origin: allOrigins }),
  '1.2': z.strictObject({ ...shape, edge_origin: allOrigins }),
  '2.0': second,
  '2.1': latest,
}
