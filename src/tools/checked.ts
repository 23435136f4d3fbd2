// A call before it runs: whether it may, and what a person is asked.
import type { ApprovalAnswer, ApprovalRequest } from '../policy/decision.ts'
import type { Policy, Taints } from '../policy/policy.ts'
import type { ToolResult } from './tool.ts'

/** What a person said to exactly this call, or that a reviewer found it fine. */
export type Permit =
  | { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer }
  | { readonly request: ApprovalRequest; readonly reviewed: true }

/** What may run when a reviewer finds it fine; `text` is the question for the person should it not. */
export type ToReview = { readonly request: ApprovalRequest; readonly text: string }

/** `text`: the question in one sentence, for the person. `deny`: the answer for the model, which names the rule. */
export type Checked =
  | { readonly effect: 'allow'; readonly review?: ToReview }
  | { readonly effect: 'ask'; readonly request: ApprovalRequest; readonly text: string }
  | { readonly effect: 'deny'; readonly result: ToolResult }

/** The part of policy that a call needs. */
export type ToolPolicy = Pick<Policy, 'check' | 'holds'> & { readonly taint: Pick<Taints, 'ofPaths' | 'writing'> }
