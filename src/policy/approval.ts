// One approval: how it is shown, and why an answer comes too late.
import { Gone } from '../base/errors.ts'
import type { ApprovalView } from './policy.ts'
import type { ApprovalRow } from './policy-store.ts'

export function viewOf({ id, request, status, requestedAt, expiresAt, decidedBy, scope }: ApprovalRow): ApprovalView {
  const { plan, decision, where } = request
  return {
    id,
    user: where.user,
    session: where.session,
    process: where.process,
    turn: where.turn,
    run: where.run,
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
