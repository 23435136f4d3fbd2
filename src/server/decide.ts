// A person's decision about an approval. Only from here: what is said in a chat is a message and decides nothing.
import { iso } from '../base/clock.ts'
import { Conflict, Gone, NotFound } from '../base/errors.ts'
import { askOfApproval, isId, laneOf } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { ApprovalAnswer, ApprovalView } from '../policy/policy.ts'
import type { Approval, NewDecision } from '../protocol/api-approvals.ts'
import type { ApprovalBrief } from '../protocol/shapes.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { steerLane } from './outcome.ts'
import { fresh } from './session-of.ts'

/**
 * The approval as it is afterwards. The same decision again is answered like the first; another one is a Conflict. Throws NotFound,
 * InvalidInput for a scope that was not offered or a narrowing that is none, Gone when nothing waits for it any more, or a rule that
 * was made since forbids what it is about: then it is revoked, and the turn goes on without.
 */
export async function decideApproval(hub: Hub, caller: Caller, id: string, given: NewDecision): Promise<Approval> {
  const asked = await ownApproval(hub, caller, id)
  if (asked.status !== 'requested') return repeated(asked, given)
  const answer = answerOf(asked, given)
  await checked(hub, caller, asked, answer)
  const body = { kind: 'answer', ask: askOfApproval(asked.id), value: jsonOf(answer) } as const
  const outcome = await steerLane(hub, caller, placeOf(asked), body)
  const now = await ownApproval(hub, caller, id)
  return outcome.word === 'refused' ? repeated(now, given) : shownApproval(now)
}

/** What can't be given any more lets nobody wait: it is revoked before the person hears why. */
async function checked(hub: Hub, caller: Caller, asked: ApprovalView, answer: ApprovalAnswer): Promise<void> {
  try {
    await hub.policy.approvals.check(asked.id, answer)
  } catch (thrown) {
    if (!(thrown instanceof Gone) || asked.expiresAt <= hub.clock.now()) throw thrown
    const body = { kind: 'revoke', ask: askOfApproval(asked.id), reason: thrown.message } as const
    await steerLane(hub, { ...caller, actor: 'system' }, placeOf(asked), body)
    const now = await ownApproval(hub, caller, asked.id)
    if (now.status !== 'revoked') throw thrown
    throw new Gone(`${thrown.message} It was taken back; the agent is told so and goes on without it.`, { cause: thrown })
  }
}

function placeOf({ id, session, process }: ApprovalView) {
  if (!isId('ses', session) || !isId('prc', process)) throw new Error(`approval ${id} has a malformed place`)
  return { session, lane: laneOf(process) }
}

/** Throws NotFound, also for somebody else's. */
export async function ownApproval(hub: Hub, caller: Caller, id: string): Promise<ApprovalView> {
  await fresh(hub)
  const found = isId('apr', id) ? await hub.policy.approvals.get(id) : null
  if (found?.user === caller.user.name) return found
  throw new NotFound(`there is no approval ${JSON.stringify(id.slice(0, 64))}`)
}

const over: Readonly<Record<'expired' | 'revoked' | 'requested', string>> = {
  expired: 'nobody answered it in its time, which is a no',
  revoked: 'what asked for it has ended, or a rule that was made since forbids it',
  requested: 'the turn that asked for it is over',
}

function repeated(asked: ApprovalView, { decision, scope }: NewDecision): Approval {
  if (asked.status !== 'approved' && asked.status !== 'rejected') throw new Gone(`this approval is ${asked.status}: ${over[asked.status]}`)
  const isSame = asked.status === (decision === 'allow' ? 'approved' : 'rejected')
  const isScope = scope === undefined || decision === 'deny' || asked.scope === undefined || asked.scope === scope
  if (isSame && isScope) return shownApproval(asked)
  const how = asked.scope === undefined || asked.status === 'rejected' ? '' : ` (${asked.scope})`
  throw new Conflict(`this approval was ${asked.status}${how} by ${asked.decidedBy ?? 'somebody'} before`, { code: 'decided' })
}

function answerOf({ scopes }: ApprovalView, { decision, scope, narrow, reason }: NewDecision): ApprovalAnswer {
  const { resource, expiresInMs } = narrow ?? {}
  const less = { ...(resource === undefined ? {} : { resource }), ...(expiresInMs === undefined ? {} : { expiresInMs }) }
  return {
    decision,
    scope: scope ?? scopes[0] ?? 'once',
    ...(narrow === undefined ? {} : { narrow: less }),
    ...(reason === undefined ? {} : { reason }),
  }
}

function jsonOf({ narrow, ...rest }: ApprovalAnswer): JsonObject {
  return { ...rest, ...(narrow === undefined ? {} : { narrow: { ...narrow } }) }
}

/** As the outside sees it: whose it is goes without saying. */
export function shownApproval({ user: _, alternatives, scopes, requestedAt, expiresAt, ...rest }: ApprovalView): Approval {
  return {
    ...rest,
    scopes: [...scopes],
    requestedAt: iso(requestedAt),
    expiresAt: iso(expiresAt),
    ...(alternatives === undefined ? {} : { alternatives: [...alternatives] }),
  }
}

/** In short, as for who waits for a reply; its consequences say what the question was. */
export function briefOfApproval(view: ApprovalView): ApprovalBrief {
  const { id, risk, tool, capability, target, why, consequences, preview, alternatives, scopes, expiresAt } = view
  return {
    ...{
      id,
      text: `${tool}: ${target}`,
      risk,
      tool,
      capability,
      target,
      why,
      consequences,
      scopes: [...scopes],
      expiresAt: iso(expiresAt),
    },
    ...(preview === undefined ? {} : { preview }),
    ...(alternatives === undefined ? {} : { alternatives: [...alternatives] }),
  }
}
