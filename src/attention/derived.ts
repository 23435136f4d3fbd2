// Approvals and questions as items of the inbox: read from their own events, never written a second time. Pure.
import { z } from 'zod'
import { iso } from '../base/clock.ts'
import type { Json } from '../base/json.ts'
import type { Event } from '../protocol/event.ts'
import type { AttentionItem, ItemAnswer } from './attention.ts'

/** `user` null: it is that of the session. */
export type Derived = { readonly user: string | null; readonly turn: string; readonly item: AttentionItem }
/** `answer` null: nothing waits any more, and nobody answered. */
export type Resolved = { readonly id: string; readonly answer: ItemAnswer | null }

const titleLength = 200

/** The item that an `approval-requested` is; null when nobody could decide about it. */
export function ofApproval(event: Event): Derived | null {
  const read = requested.safeParse(event.data)
  if (!read.success) return null
  const { turn, approval, text, request, due } = read.data
  const { plan, decision } = request
  const isGrave = decision.risk === 'R4' || decision.risk === 'R5'
  const preview = plan.preview === undefined ? {} : { preview: plan.preview }
  const payload = { approval, risk: decision.risk, tool: plan.tool, capability: plan.capability, target: plan.target, ...preview }
  return {
    user: request.where.user,
    turn,
    item: {
      ...waiting(event, approval, text),
      type: 'APPROVAL',
      criticality: isGrave ? 'CRITICAL' : 'NORMAL',
      body: [plan.why ?? decision.reason, plan.consequences].filter((line) => line !== '').join('\n'),
      payload: { ...payload, scopes: decision.scopes, expiresAt: iso(due) },
    },
  }
}

/** The item that a `question-asked` is. */
export function ofQuestion(event: Event): Derived | null {
  const read = asked.safeParse(event.data)
  if (!read.success) return null
  const { turn, ask, text, options } = read.data
  return {
    user: null,
    turn,
    item: {
      ...waiting(event, ask, text),
      type: options === undefined ? 'FEEDBACK' : 'DECISION',
      criticality: 'NORMAL',
      body: text,
      payload: options === undefined ? {} : { options: options.map(optionOf) },
    },
  }
}

/** What an `approval-decided` means for its item. */
export function approvalOver(event: Event): Resolved | null {
  const read = decided.safeParse(event.data)
  if (!read.success) return null
  const { approval, answer } = read.data
  if (answer.outcome !== 'answered') return { id: approval, answer: null }
  const { decision, scope, reason } = answer.value ?? {}
  const value = { approved: decision === 'allow', ...(scope === undefined ? {} : { scope }) }
  return { id: approval, answer: answerOf(value, answer.by, reason) }
}

/** What a `question-answered` means for its item. */
export function questionOver(event: Event): Resolved | null {
  const read = answered.safeParse(event.data)
  if (!read.success) return null
  const { answer } = read.data
  return { id: answer.ask, answer: answer.outcome === 'answered' ? answerOf(saidIn(answer.value), answer.by) : null }
}

/** An id that is not the inbox's own. */
export function isDerived(id: string): boolean {
  return id.startsWith('apr_') || id.startsWith('ask_')
}

function waiting(event: Event, id: string, text: string) {
  const title = (text.split('\n')[0] ?? '').slice(0, titleLength)
  const session = event.session === null ? {} : { session: event.session }
  return {
    id,
    title,
    tags: [],
    ...session,
    process: event.lane,
    requiresAction: true,
    status: 'PENDING',
    read: false,
    at: event.at,
  } as const
}

function answerOf(value: Json, by: string, reason?: string): ItemAnswer {
  return { outcome: 'DECIDED', value, by, ...(reason === undefined ? {} : { reason }) }
}

function saidIn(value: Json): Json {
  return typeof value === 'string' ? { text: value } : value
}

function optionOf({ label, description }: { readonly label: string; readonly description?: string | undefined }) {
  return description === undefined ? { label } : { label, description }
}

const requested = z.object({
  turn: z.string(),
  approval: z.string(),
  text: z.string(),
  due: z.number(),
  request: z.object({
    plan: z.object({
      tool: z.string(),
      capability: z.string(),
      target: z.string(),
      why: z.string().optional(),
      consequences: z.string(),
      preview: z.string().optional(),
    }),
    decision: z.object({ risk: z.string(), reason: z.string(), scopes: z.array(z.string()) }),
    where: z.object({ user: z.string() }),
  }),
})
const asked = z.object({
  turn: z.string(),
  ask: z.string(),
  text: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).optional(),
})
const outcome = { outcome: z.string(), by: z.string() }
const decided = z.object({
  approval: z.string(),
  answer: z.object({
    ...outcome,
    value: z
      .object({ decision: z.string().optional(), scope: z.string().optional(), reason: z.string().optional() })
      .nullable()
      .catch(null),
  }),
})
const answered = z.object({ answer: z.object({ ...outcome, ask: z.string(), value: z.json() }) })
