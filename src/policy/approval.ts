// One approval: how it is shown, and why an answer comes too late.
import { Gone } from '../base/errors.ts'
import type { Decision, Plan } from './decision.ts'
import type { ApprovalView } from './policy.ts'
import type { ApprovalRow } from './policy-store.ts'

/** The question in a few sentences, for the person. */
export function questionOf(
  { tool, target: first, also = [], consequences }: Plan,
  { reason }: Pick<Decision, 'reason'>,
  agent: string,
): string {
  const target = [first, ...also].join(' and ')
  const what = target.length > 300 ? `${target.slice(0, 300).toWellFormed()}...` : target
  return `May ${agent} run ${tool} on ${what}? ${consequences} ${reason}`
}

export function viewOf({ id, request, status, requestedAt, expiresAt, decidedBy, scope }: ApprovalRow): ApprovalView {
  const { plan, decision, where } = request
  return {
    id,
    user: where.user,
    session: where.session,
    process: where.process,
    turn: where.turn,
    run: where.run,
    text: questionOf(plan, decision, where.agent.name),
    risk: decision.risk,
    tool: plan.tool,
    capability: plan.capability,
    target: plan.target,
    why: plan.why === undefined ? decision.reason : `${plan.why} ${decision.reason}`,
    consequences: plan.consequences,
    ...(plan.preview === undefined ? {} : { preview: plan.preview }),
    ...(plan.alternatives === undefined ? {} : { alternatives: plan.alternatives }),
    scopes: decision.scopes,
    status,
    requestedAt,
    expiresAt,
    ...(decidedBy === null ? {} : { decidedBy }),
    ...(scope === null ? {} : { scope }),
  }
}

const over: Readonly<Record<Exclude<ApprovalView['status'], 'requested'>, string>> = {
  approved: 'it was approved already',
  rejected: 'it was rejected already',
  expired: 'nobody answered it in time, which is a no',
  revoked: 'the turn that asked has ended or was stopped',
}

/** Throws Gone, with why, when nobody waits for an answer any more. */
export function checkOpen({ id, status, expiresAt }: ApprovalRow, now: number): void {
  const why = status === 'requested' ? (expiresAt <= now ? over.expired : null) : over[status]
  if (why !== null) throw new Gone(`The approval ${id} can't be answered any more: ${why}.`)
}
