// The policy: what may be done, what must be asked, what never happens. Pure decisions (decide.ts) over rules, grants and taint.
// Owns: risk, the floor, precedence, permission modes, grants, approvals as they are decided, taint, budgets, the loop guard.
// Leaves asking to engines (a turn's `ask`), running to tools, who may decide to the edges. Others also import decision.ts,
// taint.ts, approval.ts, capability.ts, loop-guard.ts, budget.ts, retry.ts, review.ts, rule.ts, sensitive.ts and request-hash.ts;
// stores read facts.ts, grant.ts and policy-store.ts, and of budgets (opened by budgets.ts) budget-facts.ts and budgets-store.ts.
// Built by open-policy.ts over rooms.ts and ground.ts; doctor asks finding.ts.
import type { ApprovalId, ProcessId, SessionId } from '../base/ids.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Budgets } from './budget.ts'
import type { ApprovalAnswer, ApprovalRequest, Decision, Grant, GrantScope, PermissionMode, Plan, Risk, Taint, Where } from './decision.ts'

export type Policy = {
  /** Over the present rules, grants and mode. Never throws for a plan; what can't be judged is denied, and says so. */
  check(plan: Plan, where: Where): Promise<Decision>
  /**
   * Whether an answered approval still stands for the same call: same hash (tool, input, plan with its binding), not revoked, not
   * denied by the floor or by a rule since. A throw or a doubt is a no.
   */
  holds(request: ApprovalRequest, answer: ApprovalAnswer, now: { readonly plan: Plan; readonly where: Where }): Promise<Decision>
  readonly grants: Grants
  readonly approvals: Approvals
  readonly taint: Taints
  readonly budgets: Budgets
  /** The session's permission mode: setting `policy.mode` through process, project, user and tenant; `ask` where none is set. */
  mode(where: Pick<Where, 'user' | 'project' | 'process'>): Promise<PermissionMode>
  close(): Promise<void>
}

export type Grants = {
  list(given: { readonly user: string; readonly ended?: boolean }): Promise<readonly Grant[]>
  add(given: NewGrant, by: Actor): Promise<Grant>
  /** Reaches what runs: the next check doesn't find it. False: there is none of that person, or it has ended. */
  revoke(id: string, user: string, by: Actor): Promise<boolean>
}
export type NewGrant = {
  readonly user: string
  readonly subject?: string
  readonly capability: string
  readonly resource?: string
  readonly scope: Extract<GrantScope, 'project' | 'always'>
  readonly project?: string
  readonly maxRisk?: Risk
  readonly expiresAt?: number
}

/** As outside sees it (CONTRACT section 4) plus what the edge needs to answer it. */
export type ApprovalView = {
  readonly id: ApprovalId
  readonly user: string
  readonly session: string
  readonly process: string
  readonly turn: string
  readonly run: string
  /** The question in a few sentences. */
  readonly text: string
  readonly risk: Risk
  readonly tool: string
  readonly capability: string
  readonly target: string
  readonly why: string
  readonly consequences: string
  readonly preview?: string
  readonly alternatives?: readonly string[]
  readonly scopes: readonly GrantScope[]
  readonly status: 'requested' | 'approved' | 'rejected' | 'expired' | 'revoked'
  readonly requestedAt: number
  readonly expiresAt: number
  readonly decidedBy?: string
  readonly scope?: GrantScope
}
export type Approvals = {
  get(id: ApprovalId): Promise<ApprovalView | null>
  list(given: {
    readonly user: string
    readonly session?: string
    readonly status?: ApprovalView['status']
  }): Promise<readonly ApprovalView[]>
  /** Checks an answer against its approval: scope offered, narrowing only narrower. Throws InvalidInput, Gone (stale). */
  check(id: ApprovalId, answer: ApprovalAnswer): Promise<ApprovalView>
}

/** Where taint lies: processes (with all that they know) and files. Raised by events, so that it outlives the machine. */
export type Taints = {
  /**
   * Files may be changed from now on by who has that on their mind. Durable when it resolves: until `wrote` says which ones were, all
   * of `paths` carry it, and for good when nobody ever says. With the taint `none` nothing is noted before.
   */
  writing(given: Writing): Promise<Written>
  ofProcess(process: string): Promise<Taint>
  /** Real, absolute path. `none` for a file that nothing tainted wrote. */
  ofPath(path: string): Promise<Taint>
  /** Of several, at once; the highest. */
  ofPaths(paths: readonly string[]): Promise<Taint>
}

export type Writing = {
  readonly process: ProcessId
  readonly session: SessionId
  /** Real, absolute; a folder stands for all that lies in it. */
  readonly paths: readonly string[]
  readonly taint: Taint
}
export type Written = {
  /** What it was in the end; nothing of `paths` but this carries it then. Durable when it resolves. To be told once. */
  wrote(given: { readonly paths: readonly string[]; readonly taint: Taint; readonly sources: readonly string[] }): Promise<void>
}

/**
 * The facts of taint: their types and data. policy's projection folds them. A turn notes what it has read; what was written is noted
 * in the session's own stream, since a turn that was stopped notes nothing any more.
 */
export type TaintFacts = {
  readonly 'taint-raised': { readonly process: string; readonly taint: Taint; readonly sources: readonly string[] }
  readonly 'taint-writing': { readonly intent: string; readonly paths: readonly string[]; readonly taint: Taint }
  readonly 'taint-written': {
    /** The one that is over with it. */
    readonly intent?: string
    readonly paths: readonly string[]
    readonly taint: Taint
    readonly sources: readonly string[]
  }
}

export type { Budgets } from './budget.ts'
export type { ApprovalAnswer, ApprovalRequest, Decision, Grant, GrantScope, PermissionMode, Plan, Risk, Taint, Where } from './decision.ts'
