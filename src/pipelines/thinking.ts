// How a model task thinks beyond one answer, as configurations say it. Others import it through configuration.ts. Source: reference digest of
// EDDI, sections 1.9, 3.8 and 6.1.
import type { Visibility } from './conversation.ts'

/** What silence means where a person is asked. */
export type TimeoutPolicy = 'WAIT_INDEFINITELY' | 'AUTO_APPROVE' | 'AUTO_REJECT' | 'ABORT'

export type ValidationReaction = 'ignore' | 'warn' | 'retry' | 'fail'

export type ModelRetry = {
  readonly maxAttempts: number
  readonly backoffDelayMs: number
  readonly backoffMultiplier: number
  readonly maxBackoffDelayMs: number
}

/** `match`, `requireApproval`, `exempt`: names of tools, with `*` and `?`. */
export type ToolApprovals = ApprovalTerms & {
  readonly requireApproval: readonly string[]
  readonly exempt: readonly string[]
  readonly rules: readonly (ApprovalTerms & { readonly match: readonly string[] })[]
  readonly maxPausesPerTurn: number
  readonly maxAutoApprovalsPerTurn: number
}
export type ApprovalTerms = {
  readonly timeoutPolicy?: TimeoutPolicy
  readonly approvalTimeout?: string
  readonly pauseReason?: string
  readonly pendingMessage?: string
}

export type ModelCascade = {
  readonly enabled: boolean
  readonly strategy: string
  readonly evaluationStrategy: 'structured_output' | 'heuristic' | 'judge_model' | 'none'
  readonly enableInAgentMode: boolean
  readonly steps: readonly CascadeStep[]
  /** `<type>/<model>`, or a model of the task's own type; empty: the light tier. */
  readonly judgeModel: string
  readonly heuristic: CascadeHeuristic
  readonly maxTotalDurationMs: number
  /** In the currency of the hub's prices; 0 and below: no limit. */
  readonly maxCostPerRun: number
  readonly returnBestAcrossSteps: boolean
}
/** Without a threshold its answer is accepted. */
export type CascadeStep = {
  readonly type: string
  readonly parameters: { readonly [name: string]: string }
  readonly confidenceThreshold?: number
  readonly timeoutMs: number
}
export type CascadeHeuristic = {
  readonly lowConfidencePhrases: readonly string[]
  readonly refusalPhrases: readonly string[]
  readonly shortLengthThreshold: number
  readonly shortScore: number
  readonly refusalScore: number
  readonly hedgingScore: number
  readonly defaultScore: number
}

export type UserMemoryConfig = {
  readonly defaultVisibility: Visibility
  readonly maxRecallEntries: number
  readonly maxEntriesPerUser: number
  readonly onCapReached: 'evict_oldest' | 'reject'
  readonly recallOrder: 'most_recent' | 'most_accessed'
  readonly guardrails: {
    readonly maxKeyLength: number
    readonly maxValueLength: number
    readonly maxWritesPerTurn: number
    readonly allowedCategories: readonly string[]
  }
}
