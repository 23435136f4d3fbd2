// The trace of hand-offs: one line of JSON for each emit, receive and verification. Where the lines are kept is the caller's.
import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { type Envelope, performatives, type VerifyFailure, verifyFailures } from './envelope.ts'
import { readJson } from './json-text.ts'
import { firstOf } from './schema.ts'

export const handoffEvents = ['emit', 'receive', 'verify_pass', 'verify_fail'] as const
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'it is not a UUID')
const party = z
  .string()
  .max(200)
  .regex(/^[a-z][a-z0-9-]*@(\d{1,9}\.\d{1,9}\.\d{1,9}|n\/a)$/, 'allowed are name@1.2.3 and name@n/a')
const schema = z
  .strictObject({
    ts: z.iso.datetime({ offset: true, error: 'it is not a time of RFC 3339' }),
    event: z.enum(handoffEvents),
    message_id: uuid,
    thread_id: uuid,
    from: party,
    to: party,
    performative: z.enum(performatives),
    integrity_method: z.enum(['sha256', 'hmac-sha256']),
    context_tokens: z.int().min(0).exactOptional(),
    model: z.string().exactOptional(),
    tier: z.enum(['standard', 'trance']).exactOptional(),
    verify_failure_code: z.enum(verifyFailures).exactOptional(),
  })
  .refine((one) => one.event !== 'verify_fail' || one.verify_failure_code !== undefined, {
    path: ['verify_failure_code'],
    error: 'a failed verification says why',
  })
export type HandoffEvent = Readonly<z.infer<typeof schema>>

export type Happened =
  | { readonly event: 'emit' | 'receive' | 'verify_pass' }
  | { readonly event: 'verify_fail'; readonly code: VerifyFailure }

/** `at`: milliseconds since 1970. */
export function handoffEvent(envelope: Envelope, happened: Happened, at: number): HandoffEvent {
  const { message_id, thread_id, from, to, performative, integrity, context_delta, trace } = envelope
  return {
    ts: iso(at),
    event: happened.event,
    ...{ message_id, thread_id, performative },
    from: `${from.eidolon}@${from.version}`,
    to: `${to.eidolon}@${to.version}`,
    integrity_method: integrity.method,
    ...(context_delta === undefined ? {} : { context_tokens: context_delta.tokens_used }),
    ...{ model: trace.model, tier: trace.tier },
    ...(happened.event === 'verify_fail' ? { verify_failure_code: happened.code } : {}),
  }
}

/** With its line break. */
export function traceLine(event: HandoffEvent): string {
  return `${JSON.stringify(event)}\n`
}

export type TraceFault = { readonly line: number; readonly why: string }
export type Trace = { readonly events: readonly HandoffEvent[]; readonly faults: readonly TraceFault[] }

/** Never throws. A line that is no event is named and left out; blank lines are nothing. */
export function readTrace(text: string): Trace {
  const events: HandoffEvent[] = []
  const faults: TraceFault[] = []
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return
    const event = eventIn(line)
    if (typeof event === 'string') faults.push({ line: index + 1, why: event })
    else events.push(event)
  })
  return { events, faults }
}

/** A text says why it is none. */
function eventIn(line: string): HandoffEvent | string {
  const read = readJson(line)
  if (!read.ok) return read.why
  const parsed = schema.safeParse(read.value)
  return parsed.success ? parsed.data : firstOf(parsed.error)
}
