// The orchestrator's own look at a hand-off, before anybody is chosen: are these the bytes? It knows SHA-256 only, no contracts and
// no keys; who receives asks verify.ts. Placeholders are let through with a verdict of their own, as an agent may leave the digest
// to whoever runs it.
import { isObject } from '../../base/json.ts'
import { digestOf, isSame } from './integrity.ts'
import { readJson } from './json-text.ts'
import { firstPayload, gatePlaces, type PayloadAt } from './places.ts'

export const verdicts = ['pass', 'tamper', 'inconsistent', 'unverifiable', 'missing_payload', 'unsupported_algo', 'malformed'] as const
export type Verdict = (typeof verdicts)[number]
export const gateModes = ['warn', 'block'] as const
export type GateMode = (typeof gateModes)[number]

export type GateInput = {
  readonly envelopeText: string
  /** Of the envelope's file, to find the artifact that it is named after. */
  readonly envelopeName: string
  readonly payload: PayloadAt
  readonly mode: GateMode
}
export type GateResult = {
  readonly verdict: Verdict
  readonly why: string
  readonly blocked: boolean
  /** 0 go on, 2 malformed, 3 blocked. */
  readonly exit: 0 | 2 | 3
}

/** Never throws. */
export function gate(input: GateInput): GateResult {
  const { verdict, why } = judged(input)
  const blocked = input.mode === 'block' && blocking.includes(verdict)
  return { verdict, why, blocked, exit: verdict === 'malformed' ? 2 : blocked ? 3 : 0 }
}

const blocking: readonly Verdict[] = ['tamper', 'inconsistent', 'missing_payload', 'unsupported_algo']

type Judged = Pick<GateResult, 'verdict' | 'why'>

function judged({ envelopeText, envelopeName, payload }: GateInput): Judged {
  const read = readJson(envelopeText)
  if (!read.ok) return { verdict: 'malformed', why: `The envelope can't be read: ${read.why}.` }
  const missing = required.filter((path) => textAt(read.value, path) === null)
  if (missing.length > 0) return { verdict: 'malformed', why: `The envelope lacks: ${missing.join(', ')}.` }
  const [method, value, own] = ['integrity.method', 'integrity.value', 'artifact.sha256'].map((path) => textAt(read.value, path) ?? '')
  if (method !== 'sha256') return { verdict: 'unsupported_algo', why: `The gate knows sha256, not ${quoted(method)}.` }
  if (isPlaceholder(value)) return { verdict: 'unverifiable', why: `The digest is still to be filled in: ${quoted(value)}.` }
  if (own !== '' && own !== value)
    return { verdict: 'inconsistent', why: 'The envelope names two digests: artifact.sha256 and integrity.value.' }
  const path = textAt(read.value, 'artifact.path') ?? ''
  const bytes = firstPayload(gatePlaces(path, envelopeName), payload)
  if (bytes === null) return { verdict: 'missing_payload', why: `There is no artifact at ${quoted(path)}.` }
  if (isSame(digestOf(bytes), value ?? '')) return { verdict: 'pass', why: 'The artifact is the one that the envelope names.' }
  return { verdict: 'tamper', why: 'The artifact is not the one that the envelope was made for.' }
}

const required: readonly string[] = [
  'envelope_version',
  'from.eidolon',
  'to.eidolon',
  'performative',
  'artifact.path',
  'integrity.method',
  'integrity.value',
]

/** The text at `a` or `a.b`; null when none is there. */
function textAt(value: unknown, path: string): string | null {
  let at: unknown = value
  for (const name of path.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : null
  return typeof at === 'string' ? at : null
}

function isPlaceholder(value: string | undefined): boolean {
  return value === undefined || /^($|PARENT_FILLS_|<|TODO|null$)/.test(value)
}

function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 80))
}
