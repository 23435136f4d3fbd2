// A turn on the wire: how it stands, its steps, what they cost, why it ran, what was asked.
import { z } from 'zod'
import { routeView } from './api-routing.ts'
import { routedAs } from './routed.ts'

/** Money as in budgets: whole millionths of the currency of the price table. */
const modelCall = z.object({
  model: z.string(),
  finish: z.string().optional(),
  /** Tokens; null: the provider did not say. `cached` is a part of `input`. */
  input: z.number().nullable(),
  output: z.number().nullable(),
  cached: z.number().nullable(),
  /** null: the model has no price. */
  cost: z.number().nullable(),
  /** What attempts that were cut short before may have cost. */
  lost: z.number(),
  /** What it was given, by reference. Only for who runs the hub. */
  manifest: z.record(z.string(), z.unknown()).optional(),
})

/** `text` is cut; `size` says how many characters there were. */
const toolCall = z.object({
  name: z.string(),
  input: z.record(z.string(), z.unknown()).nullable(),
  result: z.object({ ok: z.boolean(), code: z.string().optional(), text: z.string(), size: z.number().int() }).nullable(),
})

const step = z.object({
  name: z.string(),
  kind: z.string(),
  state: z.enum(['started', 'done', 'failed', 'assumed', 'abandoned']),
  attempt: z.number().int(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  error: z.string().optional(),
  model: modelCall.optional(),
  tool: toolCall.optional(),
  /** The approval that it needed. */
  approval: z.string().optional(),
})
export type TurnStep = z.infer<typeof step>
export type ModelCall = z.infer<typeof modelCall>
export type TurnToolCall = z.infer<typeof toolCall>

const approval = z.object({
  id: z.string(),
  text: z.string(),
  risk: z.string(),
  target: z.string(),
  status: z.enum(['requested', 'approved', 'rejected', 'expired', 'revoked']),
  scope: z.string().optional(),
  by: z.string().optional(),
})
export type TurnApproval = z.infer<typeof approval>

/** Who got a message that the turn took, and why. */
const routed = z.object({
  message: z.string().nullable(),
  agent: z.string(),
  /** hint: it was advice, and who leads decided. */
  as: z.enum(routedAs),
  route: routeView,
})
export type TurnRoute = z.infer<typeof routed>

/** `unpriced`: so many had no price. */
const cost = z.object({ micros: z.number(), currency: z.string(), calls: z.number().int(), unpriced: z.number().int() })
export type TurnCost = z.infer<typeof cost>

/** Who is behind it, the nearest first: the turn that asked for this one, the turn that asked for that, the person in the end. */
const causedBy = z.object({
  actor: z.string(),
  message: z.string().optional(),
  turn: z.string().optional(),
  session: z.string().optional(),
})
export type CausedBy = z.infer<typeof causedBy>

export const turnView = z.object({
  id: z.string(),
  process: z.string(),
  session: z.string(),
  /** `waiting` also names what it waits for: `approvals` with status requested, or a question. */
  status: z.enum(['running', 'waiting', 'done', 'failed', 'stopped']),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  reply: z.string().nullable(),
  error: z.string().optional(),
  unknown: z.array(z.string()),
  steps: z.array(step),
  approvals: z.array(approval),
  /** One for each message of a person, in their order. */
  routes: z.array(routed).default([]),
  /** Where the highest of what it has read comes from: none, content, foreign. */
  taint: z.string(),
  /** Of all its calls of models. */
  cost,
  /** Of all that came of the same request: this turn, those of the workers that were ordered for it, and what they brought back. */
  run: cost,
  /** All that came of one request has one root. */
  cause: z.object({ root: z.string(), depth: z.number().int(), hops: z.number().int(), chain: z.array(causedBy) }),
})
export type TurnView = z.infer<typeof turnView>
