// Models, knowledge, and the agent with its workflows.
import { z } from 'zod'
import type { AgentConfig, LlmConfig, LlmTask, RagConfig, WorkflowConfig } from '../../configuration.ts'
import { count, names, number, object, oneOf, text, texts, truth, whole } from './kit.ts'
import { postResponse, preRequest } from './properties.ts'
import { reactions } from './speech.ts'
import { approvals, cascade, duration, memories, policies, retry, toolLimits } from './thinking.ts'

const server = z.object({
  url: text,
  name: text.default(''),
  transport: text.default('http'),
  apiKey: text.default(''),
  timeoutMs: count.default(30_000),
})

const validation = z.object({
  enabled: truth.default(false),
  onEmpty: reactions.default('warn'),
  onTruncation: reactions.default('warn'),
  onContentFilter: reactions.default('warn'),
  onRefusal: reactions.default('ignore'),
  onStreamingTimeout: reactions.default('warn'),
})

/** Members that the model task reads from `more`, where older.ts gathers them. */
export const moreOfTask: readonly string[] = [
  ...['a2aAgents', 'toolLoadingStrategy', 'maxToolsInContext', 'conversationSummary', 'multimodal'],
  ...['maxBudgetPerConversation', 'enforceBudget', 'toolPricing', 'inputPricePer1M', 'outputPricePer1M', 'enableCostTracking'],
  ...['enableToolCaching', 'toolCacheScopes', 'defaultToolCacheScope', 'enableRateLimiting', 'defaultRateLimit', 'toolRateLimits'],
]

const task: z.ZodType<LlmTask> = z.object({
  actions: texts.default([]),
  id: text.default(''),
  type: text.default(''),
  description: text.default(''),
  preRequest: preRequest.exactOptional(),
  postResponse: postResponse.exactOptional(),
  parameters: names.default({}),
  responseObjectName: text.default(''),
  responseMetadataObjectName: text.default(''),
  tools: texts.default([]),
  enableBuiltInTools: truth.default(false),
  builtInToolsWhitelist: texts.default([]),
  enableHttpCallTools: truth.default(true),
  enableMcpCallTools: truth.default(true),
  mcpServers: z.array(server).max(100).default([]),
  maxToolIterations: count.default(10),
  conversationHistoryLimit: whole.default(10),
  maxContextTokens: whole.default(-1),
  anchorFirstSteps: count.default(2),
  knowledgeBases: z
    .array(
      z.object({
        name: text,
        maxResults: count.exactOptional(),
        minScore: number.exactOptional(),
        injectionStrategy: text.exactOptional(),
        contextTemplate: text.exactOptional(),
      }),
    )
    .max(100)
    .default([]),
  enableWorkflowRag: truth.default(false),
  ragDefaults: z.object({ maxResults: count.default(5), minScore: number.default(0.6) }).prefault({}),
  httpCallRag: text.default(''),
  maxRagContextChars: whole.default(20_000),
  maxSystemPromptChars: whole.default(-1),
  jsonResponseFormat: truth.default(false),
  responseValidation: validation.prefault({}),
  counterweight: z
    .object({
      enabled: truth.default(false),
      level: oneOf(['normal', 'cautious', 'strict']).default('normal'),
      placement: oneOf(['suffix', 'prefix']).default('suffix'),
      customInstructions: z.union([text, texts.transform((list) => list.join('\n'))]).default(''),
    })
    .exactOptional(),
  identityMasking: z
    .object({
      enabled: truth.default(false),
      displayName: text.default(''),
      rules: z.union([texts, text.transform((one) => (one === '' ? [] : [one]))]).default([]),
    })
    .exactOptional(),
  modelCascade: cascade.exactOptional(),
  toolApprovals: approvals.exactOptional(),
  toolResponseLimits: toolLimits.exactOptional(),
  maxToolContextTokens: count.default(60_000),
  retry: retry.exactOptional(),
  streamingTimeoutSeconds: count.default(0),
  more: object.default({}),
})

export const llm: z.ZodType<LlmConfig> = z.object({ tasks: z.array(task).max(200).default([]) })

export const rag: z.ZodType<RagConfig> = z.object({
  name: text.default(''),
  embeddingProvider: text.default('openai'),
  embeddingParameters: names.default({}),
  storeType: text.default('in-memory'),
  storeParameters: names.default({}),
  chunkStrategy: text.default('recursive'),
  chunkSize: count.default(512),
  chunkOverlap: count.default(64),
  maxResults: count.default(5),
  minScore: number.default(0.6),
})

export const workflow: z.ZodType<WorkflowConfig> = z.object({
  workflowSteps: z
    .array(z.object({ type: text, config: object.default({}), extensions: object.default({}) }))
    .max(500)
    .default([]),
})

/** Kept and given back; they have no effect here. older.ts gathers them under `kept`. */
export const keptOfAgent: readonly string[] = [
  'channels',
  'a2aEnabled',
  'a2aSkills',
  'capabilities',
  'identity',
  'security',
  'sessionManagement',
]

export const agent: z.ZodType<AgentConfig> = z.object({
  workflows: texts.default([]),
  description: text.exactOptional(),
  hitlConfig: z
    .object({
      approvalTimeout: duration.exactOptional(),
      timeoutPolicy: oneOf(policies).exactOptional(),
      pauseReason: text.exactOptional(),
    })
    .exactOptional(),
  toolApprovals: approvals.exactOptional(),
  enableMemoryTools: truth.exactOptional(),
  userMemoryConfig: memories.exactOptional(),
  memoryPolicy: z
    .object({
      strictWriteDiscipline: z
        .object({ enabled: truth.exactOptional(), onFailure: oneOf(['digest', 'exclude_all', 'keep_all']).exactOptional() })
        .exactOptional(),
    })
    .exactOptional(),
  kept: object.default({}),
})
