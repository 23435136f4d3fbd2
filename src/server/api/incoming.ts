// An envelope that a text to be routed came with: are these the bytes? Asked before anybody is chosen (R28).
import { Conflict, InvalidInput } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import type { IncomingVerify } from '../../routing/cortex.ts'
import { type GateMode, gate } from '../../work/envelope/gate.ts'

export type IncomingEnvelope = {
  readonly envelope: string | Readonly<Record<string, unknown>>
  readonly payload?: string | null | undefined
  readonly mode: GateMode
  readonly name?: string | undefined
}

/** Throws InvalidInput for what is no envelope; Conflict `handoff_blocked` when it does not fit and the mode is block. */
export function verified({ envelope, payload, mode, name }: IncomingEnvelope): IncomingVerify {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : null
  const { verdict, why, blocked } = gate({ envelopeText: text, envelopeName: name ?? '', payload: () => bytes, mode })
  if (verdict === 'malformed') throw new InvalidInput(why, { path: '/verify/envelope' })
  if (blocked) throw new Conflict(`The hand-off is not routed (${verdict}). ${why}`, { code: 'handoff_blocked', path: '/verify' })
  return { verdict, mode, envelope: name ?? idIn(text) }
}

/** The gate has read it. */
function idIn(envelope: string): string {
  const read: unknown = JSON.parse(envelope)
  const id = isObject(read) ? read.message_id : undefined
  return typeof id === 'string' ? id.slice(0, 100) : 'without an id'
}
