// What the policy needs of a store: approvals, grants and taint as the journal's facts have left them.
import type { Projection } from '../journal/projection.ts'
import type { ApprovalRequest, Grant, GrantScope, Taint, Where } from './decision.ts'
import type { ApprovalView } from './policy.ts'

/** As it was asked and what became of it. */
export type ApprovalRow = {
  readonly id: ApprovalView['id']
  readonly request: ApprovalRequest
  readonly status: ApprovalView['status']
  readonly requestedAt: number
  readonly expiresAt: number
  readonly decidedBy: string | null
  readonly scope: GrantScope | null
}

export type ApprovalsWanted = { readonly user: string; readonly session?: string; readonly status?: ApprovalView['status'] }

export type PolicyStore = {
  readonly projection: Projection
  approval(id: string): Promise<ApprovalRow | null>
  /** The newest first. */
  approvals(wanted: ApprovalsWanted): Promise<readonly ApprovalRow[]>
  /** Of that turn with that hash, whatever became of them. */
  approvalsOf(turn: string, hash: string): Promise<readonly ApprovalRow[]>
  grant(id: string): Promise<Grant | null>
  /** The newest first; `ended`: also those that were revoked or have expired. */
  grants(wanted: { readonly user: string; readonly now: number; readonly ended: boolean }): Promise<readonly Grant[]>
  /** Those that may count here and now. */
  grantsFor(where: Pick<Where, 'user' | 'project' | 'turn' | 'run'>, now: number): Promise<readonly Grant[]>
  taintOfProcess(process: string): Promise<Taint>
  /** The highest of the paths themselves, of the folders that they lie in, and of what lies below them. */
  taintOfPaths(paths: readonly string[]): Promise<Taint>
}
