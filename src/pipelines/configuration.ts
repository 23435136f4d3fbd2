// The configurations of a pipeline agent, in their canonical form (the third generation of names). What older files call otherwise
// is brought into it by configurations/; nothing behind that sees another name. Source: reference digest of EDDI, section 1.
import type { Json, JsonObject } from '../base/json.ts'
import type { PropertyScope, Visibility } from './conversation.ts'
import type { ModelCascade, ModelRetry, TimeoutPolicy, ToolApprovals, UserMemoryConfig, ValidationReaction } from './thinking.ts'

export type {
  ApprovalTerms,
  CascadeHeuristic,
  CascadeStep,
  ModelCascade,
  ModelRetry,
  TimeoutPolicy,
  ToolApprovals,
  UserMemoryConfig,
  ValidationReaction,
} from './thinking.ts'

/** Kinds of configuration by their canonical type. */
export const kinds = {
  agent: { type: 'ai.labs.agent', store: 'agentstore', plural: 'agents' },
  workflow: { type: 'ai.labs.workflow', store: 'workflowstore', plural: 'workflows' },
  rules: { type: 'ai.labs.rules', store: 'rulestore', plural: 'rulesets' },
  httpcalls: { type: 'ai.labs.httpcalls', store: 'apicallstore', plural: 'apicalls' },
  llm: { type: 'ai.labs.llm', store: 'llmstore', plural: 'llms' },
  output: { type: 'ai.labs.output', store: 'outputstore', plural: 'outputsets' },
  dictionary: { type: 'ai.labs.dictionary', store: 'dictionarystore', plural: 'dictionaries' },
  property: { type: 'ai.labs.property', store: 'propertysetterstore', plural: 'propertysetters' },
  mcpcalls: { type: 'ai.labs.mcpcalls', store: 'mcpcallsstore', plural: 'mcpcalls' },
  rag: { type: 'ai.labs.rag', store: 'ragstore', plural: 'rags' },
  parser: { type: 'ai.labs.parser', store: 'parserstore', plural: 'parsers' },
  snippet: { type: 'ai.labs.snippet', store: 'snippetstore', plural: 'snippets' },
  /** Steward's own: calls of the hub's tools by rules, as the bundled concierge makes them. */
  toolcalls: { type: 'steward.toolcalls', store: 'toolcallstore', plural: 'toolcalls' },
} as const
export type Kind = keyof typeof kinds

/** One version of one configuration. `id`: 24 hex digits, a UUID, or a name of bundled ones ([a-z0-9-]+). `version` from 1. */
export type ResourceRef = { readonly kind: Kind; readonly id: string; readonly version: number }

/** Maps kinds to their configurations. */
export type Configurations = {
  readonly agent: AgentConfig
  readonly workflow: WorkflowConfig
  readonly rules: RuleSet
  readonly httpcalls: HttpCalls
  readonly llm: LlmConfig
  readonly output: OutputSet
  readonly dictionary: Dictionary
  readonly property: PropertySetter
  readonly mcpcalls: McpCalls
  readonly rag: RagConfig
  readonly parser: ParserConfig
  readonly snippet: Snippet
  readonly toolcalls: ToolCalls
}

export type AgentConfig = {
  readonly workflows: readonly string[]
  readonly description?: string
  readonly hitlConfig?: { readonly approvalTimeout?: string; readonly timeoutPolicy?: TimeoutPolicy; readonly pauseReason?: string }
  readonly toolApprovals?: ToolApprovals
  readonly enableMemoryTools?: boolean
  readonly userMemoryConfig?: UserMemoryConfig
  readonly memoryPolicy?: {
    readonly strictWriteDiscipline?: { readonly enabled?: boolean; readonly onFailure?: 'digest' | 'exclude_all' | 'keep_all' }
  }
  /** Fields that are kept and given back, and have no effect here: channels, A2A, identity, security, session management, capabilities. */
  readonly kept: JsonObject
}

export type WorkflowConfig = { readonly workflowSteps: readonly WorkflowStep[] }
/** `type` as in `eddi://ai.labs.rules`, canonical. `config.uri` names the extension, where it has one. */
export type WorkflowStep = { readonly type: string; readonly config: JsonObject; readonly extensions: JsonObject }

// ---- parser

export type ParserConfig = {
  readonly extensions: {
    readonly normalizer: readonly ParserExtension[]
    readonly dictionaries: readonly ParserExtension[]
    readonly corrections: readonly ParserExtension[]
  }
  readonly config: JsonObject
}
/** `type` as in `eddi://ai.labs.parser.dictionaries.integer`. */
export type ParserExtension = { readonly type: string; readonly config: JsonObject }

export type Dictionary = {
  readonly lang: string
  readonly words: readonly { readonly word: string; readonly expressions: string; readonly frequency: number }[]
  readonly phrases: readonly { readonly phrase: string; readonly expressions: string }[]
  readonly regExs: readonly { readonly regEx: string; readonly expressions: string }[]
}

// ---- rules

export type RuleSet = {
  readonly behaviorGroups: readonly RuleGroup[]
  readonly appendActions: boolean
  readonly expressionsAsActions: boolean
}
export type RuleGroup = {
  readonly name: string
  readonly executionStrategy: 'executeUntilFirstSuccess' | 'executeAll'
  readonly rules: readonly Rule[]
}
export type Rule = { readonly name: string; readonly actions: readonly string[]; readonly conditions: readonly Condition[] }
export type Condition = {
  readonly type: string
  readonly configs: { readonly [key: string]: string }
  readonly conditions: readonly Condition[]
}

// ---- properties and calls

export type HttpCodeValidator = { readonly runOnHttpCode: readonly number[]; readonly skipOnHttpCode: readonly number[] }

export type PropertyInstruction = {
  readonly name: string
  readonly valueString?: string
  readonly valueInt?: number
  readonly valueFloat?: number
  readonly valueBoolean?: boolean
  readonly valueList?: readonly Json[]
  readonly valueObject?: JsonObject
  readonly scope: PropertyScope
  readonly visibility?: Visibility
  readonly fromObjectPath: string
  readonly toObjectPath: string
  readonly convertToObject: boolean
  readonly override: boolean
  readonly runOnValidationError: boolean
  readonly httpCodeValidator?: HttpCodeValidator
}

export type PropertySetter = {
  readonly setOnActions: readonly { readonly actions: readonly string[]; readonly setProperties: readonly PropertyInstruction[] }[]
}

export type PreRequest = {
  readonly propertyInstructions: readonly PropertyInstruction[]
  readonly batchRequests?: {
    readonly pathToTargetArray: string
    readonly iterationObjectName: string
    readonly templateFilterExpression: string
    readonly executeCallsSequentially: boolean
  }
  readonly delayBeforeExecutingInMillis: number
}

type BuildInstruction = {
  readonly pathToTargetArray: string
  readonly iterationObjectName: string
  readonly templateFilterExpression: string
  readonly httpCodeValidator?: HttpCodeValidator
}
export type OutputBuildInstruction = BuildInstruction & { readonly outputType: string; readonly outputValue: string }
export type QuickReplyBuildInstruction = BuildInstruction & {
  readonly quickReplyValue: string
  readonly quickReplyExpressions: string
}

export type RetryInstruction = {
  readonly maxRetries: number
  readonly exponentialBackoffDelayInMillis: number
  readonly maxBackoffDelayInMillis?: number
  readonly retryOnHttpCodes: readonly number[]
  readonly responseValuePathMatchers: readonly {
    readonly valuePath: string
    readonly contains?: string
    readonly equals?: string
    readonly trueIfNoMatch: boolean
  }[]
}

export type PostResponse = {
  readonly propertyInstructions: readonly PropertyInstruction[]
  readonly outputBuildInstructions: readonly OutputBuildInstruction[]
  readonly qrBuildInstructions: readonly QuickReplyBuildInstruction[]
  readonly retryApiCallInstruction?: RetryInstruction
}

export type HttpCalls = { readonly targetServerUrl: string; readonly httpCalls: readonly HttpCall[] }
export type HttpCall = {
  readonly name: string
  readonly description: string
  readonly parameters: { readonly [name: string]: string }
  readonly actions: readonly string[]
  readonly saveResponse: boolean
  readonly responseObjectName: string
  readonly responseHeaderObjectName: string
  readonly fireAndForget: boolean
  readonly isBatchCalls: boolean
  readonly iterationObjectName: string
  readonly timeoutInMillis?: number
  readonly maxResponseSizeInBytes: number
  readonly preRequest?: PreRequest
  readonly request: {
    readonly path: string
    readonly headers: { readonly [name: string]: string }
    readonly queryParams: { readonly [name: string]: string }
    readonly method: string
    readonly contentType: string
    readonly body: string
  }
  readonly postResponse?: PostResponse
}

export type McpCalls = {
  readonly name: string
  readonly mcpServerUrl: string
  readonly transport: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly toolsWhitelist: readonly string[]
  readonly toolsBlacklist: readonly string[]
  readonly exposeResources: boolean
  readonly mcpCalls: readonly McpCall[]
}
export type McpCall = {
  readonly name: string
  readonly actions: readonly string[]
  readonly toolName: string
  readonly toolArguments: JsonObject
  readonly saveResponse: boolean
  readonly responseObjectName: string
  readonly continueOnError: boolean
  readonly preRequest?: PreRequest
  readonly postResponse?: PostResponse
}

/** A call of one of the hub's own tools, through the tools room: its policy, its asks, its records. Texts in `arguments` are templates. */
export type ToolCalls = { readonly toolCalls: readonly ToolCall[] }
export type ToolCall = {
  readonly name: string
  readonly actions: readonly string[]
  readonly tool: string
  readonly arguments: JsonObject
  readonly responseObjectName: string
  readonly continueOnError: boolean
  readonly preRequest?: PreRequest
  readonly postResponse?: PostResponse
}

// ---- output

/** `type` text, image, quickReply, inputField, button, applicationLink, agentFace, other; the other members belong to the type. */
export type OutputItem = JsonObject & { readonly type: string }
export type QuickReply = { readonly value: string; readonly expressions: string; readonly isDefault: boolean }
export type OutputSet = {
  readonly lang: string
  readonly outputSet: readonly {
    readonly action: string
    readonly timesOccurred: number
    readonly outputs: readonly { readonly valueAlternatives: readonly OutputItem[] }[]
    readonly quickReplies: readonly QuickReply[]
  }[]
}

// ---- models

/** Fields without a name here are in `more`: they are kept, and have no effect. */
export type LlmConfig = { readonly tasks: readonly LlmTask[] }
export type LlmTask = {
  readonly actions: readonly string[]
  readonly id: string
  readonly type: string
  readonly description: string
  readonly preRequest?: PreRequest
  readonly postResponse?: PostResponse
  readonly parameters: { readonly [name: string]: string }
  readonly responseObjectName: string
  readonly responseMetadataObjectName: string
  readonly tools: readonly string[]
  readonly enableBuiltInTools: boolean
  readonly builtInToolsWhitelist: readonly string[]
  readonly enableHttpCallTools: boolean
  readonly enableMcpCallTools: boolean
  readonly mcpServers: readonly {
    readonly url: string
    readonly name: string
    readonly transport: string
    readonly apiKey: string
    readonly timeoutMs: number
  }[]
  readonly maxToolIterations: number
  readonly conversationHistoryLimit: number
  readonly maxContextTokens: number
  readonly anchorFirstSteps: number
  readonly knowledgeBases: readonly { readonly name: string; readonly maxResults?: number; readonly minScore?: number; readonly injectionStrategy?: string; readonly contextTemplate?: string }[] // biome-ignore format: one member, one line
  readonly enableWorkflowRag: boolean
  readonly ragDefaults: { readonly maxResults: number; readonly minScore: number }
  readonly httpCallRag: string
  readonly maxRagContextChars: number
  readonly maxSystemPromptChars: number
  readonly jsonResponseFormat: boolean
  readonly responseValidation: {
    readonly enabled: boolean
    readonly onEmpty: ValidationReaction
    readonly onTruncation: ValidationReaction
    readonly onContentFilter: ValidationReaction
    readonly onRefusal: ValidationReaction
    readonly onStreamingTimeout: ValidationReaction
  }
  readonly counterweight?: {
    readonly enabled: boolean
    readonly level: 'normal' | 'cautious' | 'strict'
    readonly placement: 'suffix' | 'prefix'
    readonly customInstructions: string
  }
  readonly identityMasking?: { readonly enabled: boolean; readonly displayName: string; readonly rules: readonly string[] }
  readonly modelCascade?: ModelCascade
  readonly toolApprovals?: ToolApprovals
  readonly toolResponseLimits?: {
    readonly defaultMaxChars: number
    readonly perToolLimits: { readonly [tool: string]: number }
  }
  /** Tokens, by estimate, of all answers of tools that one call of the model is given. */
  readonly maxToolContextTokens: number
  readonly retry?: ModelRetry
  /** 0: as long as the models room lets a call take. */
  readonly streamingTimeoutSeconds: number
  readonly more: JsonObject
}
export type RagConfig = {
  readonly name: string
  readonly embeddingProvider: string
  readonly embeddingParameters: { readonly [name: string]: string }
  readonly storeType: string
  readonly storeParameters: { readonly [name: string]: string }
  readonly chunkStrategy: string
  readonly chunkSize: number
  readonly chunkOverlap: number
  readonly maxResults: number
  readonly minScore: number
}

/** `name`: [a-z0-9_-]+; templates write it as it is. */
export type Snippet = {
  readonly name: string
  readonly category: string
  readonly description: string
  readonly content: string
  readonly tags: readonly string[]
  readonly templateEnabled: boolean
}

/** What describes any configuration, and is no part of its versions. Times in ms. */
export type Descriptor = {
  readonly resource: string
  readonly name: string
  readonly description: string
  readonly createdBy: string
  readonly createdOn: number
  readonly lastModifiedBy: string
  readonly lastModifiedOn: number
  readonly deleted: boolean
  readonly originId?: string
}
