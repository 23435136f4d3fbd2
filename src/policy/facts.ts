// The facts that policy's projection folds: approvals as lanes write them, taint as turns note it, grants of the policy's own stream.
import { z } from 'zod'
import type { ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import { type ApprovalAnswer, type ApprovalRequest, type Grant, grantScopes, risks, taints } from './decision.ts'
import { effects } from './levels.ts'

const text = z.string()
const texts = z.array(text).readonly()
const object = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
const actor = z.custom<Actor>((value) => typeof value === 'string')
const idOf = <T extends string>() => z.custom<T>((value) => typeof value === 'string' && value !== '')
const taint = z.enum(taints)
const scope = z.enum(grantScopes)
const ruleRef = z.object({ id: text, level: text, text })

const plan = z.object({
  tool: text,
  capability: text,
  target: text,
  also: texts.exactOptional(),
  risk: z.enum(risks),
  outward: z.boolean(),
  destructive: z.boolean(),
  onlyReads: z.boolean().exactOptional(),
  why: text.exactOptional(),
  consequences: text,
  preview: text.exactOptional(),
  alternatives: texts.exactOptional(),
  binding: text.exactOptional(),
})
const decision = z.object({
  effect: z.enum(effects),
  rule: ruleRef,
  risk: z.enum(risks),
  reason: text,
  grant: text.exactOptional(),
  scopes: z.array(scope).readonly(),
  considered: z.array(ruleRef).readonly(),
})
const where = z.object({
  user: text,
  project: text,
  session: idOf<SessionId>(),
  process: idOf<ProcessId>(),
  turn: idOf<TurnId>(),
  run: text,
  agent: z.object({ name: text, pledge: texts }),
  taint,
})
const request = z.object({ hash: text, plan, decision, where, input: object })
const answer = z.object({
  decision: z.enum(['allow', 'deny']),
  scope,
  narrow: z.object({ resource: text.exactOptional(), expiresInMs: z.number().exactOptional() }).exactOptional(),
  reason: text.exactOptional(),
})
const grant = z.object({
  id: text,
  user: text,
  subject: text,
  capability: text,
  resource: text,
  scope,
  within: text.nullable(),
  taint,
  maxRisk: z.enum(risks),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  approval: text.nullable(),
})

const requested = z.object({ turn: text, approval: text, due: z.number(), request })
const decided = z.object({
  approval: text,
  answer: z.object({ outcome: z.enum(['answered', 'timeout', 'held', 'undeliverable', 'revoked']), value: z.json(), by: actor }),
})
const raised = z.object({ process: text, taint, sources: texts })
const writing = z.object({ intent: text, paths: texts, taint })
const written = z.object({ intent: text.exactOptional(), paths: texts, taint, sources: texts })

/** null for what does not have the shape: such a request can't be answered, and nothing comes of it. */
export function readRequested(event: Pick<Event, 'data'>): z.infer<typeof requested> | null {
  return requested.safeParse(event.data).data ?? null
}
export function readDecided(event: Pick<Event, 'data'>): z.infer<typeof decided> | null {
  return decided.safeParse(event.data).data ?? null
}
export function readAnswer(value: unknown): ApprovalAnswer | null {
  return answer.safeParse(value).data ?? null
}
export function readRequest(value: unknown): ApprovalRequest | null {
  return request.safeParse(value).data ?? null
}
export function readRaised(event: Pick<Event, 'data'>): z.infer<typeof raised> | null {
  return raised.safeParse(event.data).data ?? null
}
export function readWriting(event: Pick<Event, 'data'>): z.infer<typeof writing> | null {
  return writing.safeParse(event.data).data ?? null
}
export function readWritten(event: Pick<Event, 'data'>): z.infer<typeof written> | null {
  return written.safeParse(event.data).data ?? null
}

/** What the stream `policy:<user>` holds. */
export type PolicyEvents = {
  'grant-added': { readonly grant: Grant }
  'grant-revoked': { readonly grant: string; readonly user: string }
}

export function readGrantAdded(event: Pick<Event | NewEvent, 'type' | 'data'>): Grant | null {
  return event.type === 'grant-added' ? (grant.safeParse(event.data.grant).data ?? null) : null
}
export function readGrantRevoked(event: Pick<Event | NewEvent, 'type' | 'data'>): { readonly grant: string; readonly user: string } | null {
  const { grant: id, user } = event.data
  return event.type === 'grant-revoked' && typeof id === 'string' && typeof user === 'string' ? { grant: id, user } : null
}

export type PolicyFactOf = <T extends keyof PolicyEvents>(type: T, data: PolicyEvents[T] & JsonObject, by: Actor) => NewEvent

/** Makes events of this room. A person sees them at a glance: they are about what may be done in their name. */
export function policyFacts(rooms: { readonly now: () => number; readonly newId: (kind: 'evt') => NewEvent['id'] }): PolicyFactOf {
  return (type, data, by) => ({
    id: rooms.newId('evt'),
    type,
    at: rooms.now(),
    actor: by,
    visibility: 'user-detail',
    data,
    cause: null,
    correlation: null,
    session: null,
    v: 1,
  })
}
