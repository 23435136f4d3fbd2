// Approvals: what waits for a yes, and a person's decision about it.
import { InvalidInput } from '../../base/errors.ts'
import type { ApprovalView } from '../../policy/policy.ts'
import * as api from '../../protocol/api-approvals.ts'
import { decideApproval, ownApproval, shownApproval } from '../decide.ts'
import { endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { defined } from './defined.ts'

export const approvalCalls = [
  endpoint({
    method: 'GET',
    path: '/api/approvals',
    summary: 'What was asked for and what became of it, newest first; ?status=requested is what waits',
    access: 'read',
    query: api.approvalsQuery,
    answers: { 200: api.approvals },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const { limit, after, ...rest } = query
      const found = await hub.policy.approvals.list({ ...defined(rest), user: caller.user.name })
      return { status: 200, body: pageOf(found, { limit, after }) }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/approvals/:id',
    summary: 'One approval: what would be done, why, and what it may be allowed for',
    access: 'read',
    answers: { 200: api.approval },
    async run({ hub, caller, params }) {
      return { status: 200, body: shownApproval(await ownApproval(hub, caller, params['id'] ?? '')) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/approvals/:id',
    summary: 'Allows or denies it: a person, or a program that a person gave exactly this scope',
    access: 'approvals',
    body: api.newDecision,
    answers: { 200: api.approval },
    async run({ hub, caller, params, body }) {
      return { status: 200, body: await decideApproval(hub, caller, params['id'] ?? '', body) }
    },
  }),
]

/** Throws InvalidInput for an `after` that is not in the list. */
function pageOf(found: readonly ApprovalView[], { limit, after }: { readonly limit: number; readonly after: string | undefined }) {
  const from = after === undefined ? 0 : found.findIndex((one) => one.id === after) + 1
  if (after !== undefined && from === 0) throw new InvalidInput('/after is not a place in this list', { path: '/after' })
  const items = found.slice(from, from + limit)
  const next = from + limit < found.length ? (items.at(-1)?.id ?? null) : null
  return { items: items.map(shownApproval), next }
}
