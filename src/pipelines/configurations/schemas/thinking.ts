// How a model task thinks beyond one answer: cascades, tools that need a yes, memory, tries. Members that are not known here are passed over.
import { z } from 'zod'
import type { ModelCascade, ModelRetry, ToolApprovals, UserMemoryConfig } from '../../configuration.ts'
import { visibilities } from '../../conversation.ts'
import { count, names, number, oneOf, text, texts, truth } from './kit.ts'

export const policies = ['WAIT_INDEFINITELY', 'AUTO_APPROVE', 'AUTO_REJECT', 'ABORT'] as const
export const duration = text.regex(/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/, 'a duration like PT1H30M or P2D is wanted')

const terms = {
  timeoutPolicy: oneOf(policies).exactOptional(),
  approvalTimeout: duration.exactOptional(),
  pauseReason: text.exactOptional(),
  pendingMessage: text.exactOptional(),
}
const globs = z.array(text.max(200)).max(500)

export const approvals: z.ZodType<ToolApprovals> = z.looseObject({
  ...terms,
  requireApproval: globs.default([]),
  exempt: globs.default([]),
  rules: z
    .array(z.looseObject({ ...terms, match: z.union([globs, text.max(200).transform((one) => [one])]).default(['*']) }))
    .max(200)
    .default([]),
  maxPausesPerTurn: count.default(10),
  maxAutoApprovalsPerTurn: count.default(3),
})

export const toolLimits = z.looseObject({
  defaultMaxChars: count.default(50_000),
  perToolLimits: z.record(z.string(), count).default({}),
})

export const retry: z.ZodType<ModelRetry> = z.looseObject({
  maxAttempts: count.default(3),
  backoffDelayMs: count.default(1_000),
  backoffMultiplier: number.pipe(z.number().min(1, 'allowed is 1 or more')).default(2),
  maxBackoffDelayMs: count.default(10_000),
})

const share = number.pipe(z.number().min(0).max(1, 'allowed is 0 to 1'))

export const cascade: z.ZodType<ModelCascade> = z.looseObject({
  enabled: truth.default(false),
  strategy: oneOf(['cascade', 'parallel']).default('cascade'),
  evaluationStrategy: oneOf(['structured_output', 'heuristic', 'judge_model', 'none']).default('structured_output'),
  enableInAgentMode: truth.default(true),
  steps: z
    .array(
      z.looseObject({
        type: text.default(''),
        parameters: names.default({}),
        confidenceThreshold: share.exactOptional(),
        timeoutMs: count.default(0),
      }),
    )
    .max(10)
    .default([]),
  judgeModel: z.union([text, z.looseObject({ type: text.default(''), parameters: names.default({}) }).transform(nameOf)]).default(''),
  heuristic: z
    .looseObject({
      lowConfidencePhrases: texts.max(200).default([]),
      refusalPhrases: texts.max(200).default([]),
      shortLengthThreshold: count.default(20),
      shortScore: share.default(0.4),
      refusalScore: share.default(0.1),
      hedgingScore: share.default(0.4),
      defaultScore: share.default(0.9),
    })
    .prefault({}),
  maxTotalDurationMs: number.default(0),
  maxCostPerRun: number.default(0),
  returnBestAcrossSteps: truth.default(false),
})

function nameOf({ type, parameters }: { readonly type: string; readonly parameters: { readonly [name: string]: string } }): string {
  const model = parameters['modelName'] ?? parameters['model'] ?? ''
  return type === '' || model === '' ? model : `${type}/${model}`
}

export const memories: z.ZodType<UserMemoryConfig> = z.looseObject({
  defaultVisibility: oneOf(visibilities).default('self'),
  maxRecallEntries: count.default(50),
  maxEntriesPerUser: count.default(500),
  onCapReached: oneOf(['evict_oldest', 'reject']).default('evict_oldest'),
  recallOrder: oneOf(['most_recent', 'most_accessed']).default('most_recent'),
  guardrails: z
    .looseObject({
      maxKeyLength: count.default(100),
      maxValueLength: count.default(1_000),
      maxWritesPerTurn: count.default(10),
      allowedCategories: texts.default(['preference', 'fact', 'context']),
    })
    .prefault({}),
})
