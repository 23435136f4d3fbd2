// Whether a yes still stands: for the same call in the same turn, given by the person, not taken back, and not denied since.
import type { ApprovalAnswer, ApprovalRequest, Decision, Plan, RuleRef, Where } from './decision.ts'
import { isLive } from './grant.ts'
import { matches, parsePattern } from './pattern.ts'
import type { ApprovalRow, PolicyStore } from './policy-store.ts'
import { requestHash } from './request-hash.ts'

export type Now = { readonly plan: Plan; readonly where: Where }
type Rooms = { readonly view: Pick<PolicyStore, 'approvalsOf' | 'grant'>; readonly now: () => number }

/** `present`: what the rules say now, without this approval. */
export async function judgeApproval(
  { view, now }: Rooms,
  given: { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer },
  { plan, where, present }: Now & { readonly present: Decision },
): Promise<Decision> {
  const { request, answer } = given
  if (present.effect === 'deny') return present
  const stale = staleness(given, { plan, where }) ?? (present.risk > request.decision.risk ? 'its risk is higher now' : null)
  if (stale !== null) return refuse(present, `The approval does not hold for this call: ${stale}.`)
  const rows = await view.approvalsOf(where.turn, request.hash)
  for (const row of rows) {
    const stands = await standing({ view, now }, row, plan)
    if (stands !== null) return allow(present, stands, answer)
  }
  return refuse(present, 'No approval of this call stands: it was not given, was taken back, or has expired.')
}

/** What is different from what was asked; null when it is the same. */
function staleness(
  { request, answer }: { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer },
  { plan, where }: Now,
): string | null {
  if (answer.decision !== 'allow') return 'it was rejected'
  if (requestHash(request.plan, request.input) !== request.hash) return 'its request was changed'
  if (requestHash(plan, request.input) !== request.hash) return 'what it would do has changed since it was asked'
  const was = request.where
  if (was.user !== where.user || was.process !== where.process || was.turn !== where.turn) return 'it was asked in another turn'
  return was.agent.name === where.agent.name ? null : 'it was asked by another agent'
}

/** The grant's id when that approval stands. What it was narrowed to must still be this call. */
async function standing({ view, now }: Rooms, row: ApprovalRow, plan: Plan): Promise<string | null> {
  if (row.status !== 'approved') return null
  const grant = await view.grant(`grt_${row.id.slice(4)}`)
  if (grant === null || !isLive(grant, now())) return null
  return matches(parsePattern(grant.resource), plan.target) ? grant.id : null
}

function allow(present: Decision, grant: string, { scope }: ApprovalAnswer): Decision {
  const text = `You approved exactly this call (${scope}).`
  const rule: RuleRef = { id: `approval.${grant}`, level: 'grant', text }
  return { effect: 'allow', rule, risk: present.risk, reason: text, grant, scopes: [], considered: [present.rule] }
}

function refuse(present: Decision, text: string): Decision {
  const rule: RuleRef = { id: 'approval.stale', level: 'grant', text }
  return { effect: 'deny', rule, risk: present.risk, reason: text, scopes: [], considered: [present.rule] }
}
