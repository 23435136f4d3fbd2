// What is wrong with one configuration beside its form: what it asks for that can't be had here, and templates that can't be read.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Configurations, Kind, LlmConfig, LlmTask, McpCalls, OutputSet } from '../configuration.ts'
import { knowledgeFaults } from '../knowledge/knowledge.ts'
import { dictionaryFaults } from '../parser/parser.ts'
import { checkRules } from '../rules/rules.ts'
import { templateFaults } from '../template/template.ts'

export type Check = { readonly severity: 'error' | 'warning'; readonly message: string }

/** By EDDI's names: which provider of ours serves it. */
export const modelProviders: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  google: 'google',
  ollama: 'ollama',
  openrouter: 'openrouter',
  'openai-compatible': 'openai-compatible',
}

const checks: { readonly [K in Kind]?: (value: Configurations[K]) => readonly Check[] } = {
  rules: (set) => errors(checkRules(set)),
  dictionary: (one) => errors(dictionaryFaults(one)),
  llm: checkModels,
  rag: (base) => errors(knowledgeFaults(base)),
  mcpcalls: checkServer,
  output: checkOutput,
}

/** All of it. Pure. */
export function checksOf<K extends Kind>(kind: K, value: Configurations[K], raw: JsonObject): readonly Check[] {
  const own = checks[kind]?.(value) ?? []
  return templated.has(kind) ? [...own, ...checkTemplates(raw)] : own
}

const templated: ReadonlySet<Kind> = new Set<Kind>(['output', 'property', 'httpcalls', 'mcpcalls', 'toolcalls', 'llm', 'snippet'])

function errors(messages: readonly string[]): readonly Check[] {
  return messages.map((message) => ({ severity: 'error', message }))
}

function checkModels({ tasks }: LlmConfig): readonly Check[] {
  return tasks.flatMap((task, at): readonly Check[] => {
    const name = task.id === '' ? `task ${at + 1}` : `task ${JSON.stringify(task.id)}`
    const checks = [...partsOf(task), ...checkProviders(task), ...checkBuiltIns(task), ...checkNumbers(task), ...checkIdleParts(task)]
    return checks.map(({ severity, message }) => ({ severity, message: `${name}: ${message}` }))
  })
}

/** What a task asks for that can't be had here. */
function partsOf({ modelCascade }: LlmTask): readonly Check[] {
  return errors(modelCascade?.enabled && modelCascade.steps.length === 0 ? ['the cascade of models has no steps'] : [])
}

function checkProviders({ type, modelCascade }: LlmTask): readonly Check[] {
  const judge = modelCascade?.judgeModel.includes('/') ? [modelCascade.judgeModel.slice(0, modelCascade.judgeModel.indexOf('/'))] : []
  const types = [type, ...(modelCascade?.enabled ? [...modelCascade.steps.map((step) => step.type), ...judge] : [])]
  const unknown = new Set(types.filter((one) => one !== '' && !Object.hasOwn(modelProviders, one.toLowerCase())))
  const known = Object.keys(modelProviders).join(', ')
  return errors([...unknown].map((one) => `the model provider ${JSON.stringify(one)} is not supported; there is ${known}`))
}

/** EDDI's names for tools, with ours; none: it is known, and there is nothing here that does it. */
export const builtInTools: Readonly<Record<string, readonly string[]>> = {
  calculator: ['calculate', 'unit_convert'],
  datetime: ['time_now', 'time_when'],
  websearch: ['web_search'],
  webscraper: ['web_fetch'],
  usermemory: [],
  dataformatter: [],
  textsummarizer: [],
  pdfreader: [],
  weather: [],
}

function checkBuiltIns({ enableBuiltInTools, builtInToolsWhitelist }: LlmTask): readonly Check[] {
  if (!enableBuiltInTools) return []
  return builtInToolsWhitelist.flatMap((given): readonly Check[] => {
    const slug = given.toLowerCase()
    if (slug === 'usermemory') return []
    const known = Object.hasOwn(builtInTools, slug) ? (builtInTools[slug] ?? []) : null
    if (known === null) {
      const names = Object.keys(builtInTools).join(', ')
      return [{ severity: 'error', message: `there is no built-in tool ${JSON.stringify(given.slice(0, 80))}; there is ${names}` }]
    }
    return known.length > 0
      ? []
      : [{ severity: 'warning', message: `the built-in tool "${slug}" does not exist here; the task runs without it` }]
  })
}

/** Numbers among the parameters of a model task, with what is allowed. A timeout is in milliseconds. */
export const modelNumbers = {
  temperature: { names: ['temperature'], least: 0, most: 2 },
  topP: { names: ['topP', 'top_p'], least: 0.000_001, most: 1 },
  maxOutputTokens: { names: ['maxTokens', 'maxOutputTokens', 'max_tokens'], least: 1, most: 1_000_000 },
  timeoutMs: { names: ['timeout'], least: 1, most: 3_600_000 },
} as const

/** A template is known only when it is rendered. */
function checkNumbers({ parameters }: LlmTask): readonly Check[] {
  return Object.values(modelNumbers).flatMap(({ names, least, most }) =>
    names.flatMap((name): readonly Check[] => {
      const given = parameters[name]?.trim() ?? ''
      if (given === '' || /[{$]/.test(given)) return []
      const value = Number(given)
      if (value >= least && value <= most) return []
      const message = `the parameter ${name} is ${JSON.stringify(given.slice(0, 40))} and has no effect; allowed is ${least} to ${most}`
      return [{ severity: 'warning', message }]
    }),
  )
}

/** Under which a task names its model. */
export const modelParameters: readonly string[] = ['modelName', 'model', 'modelID', 'modelId']

/** Members that are kept and have no effect, where they would have one that is missed. */
function checkIdleParts({ parameters, more, modelCascade }: LlmTask): readonly Check[] {
  const set = (name: string) => {
    const value = more[name]
    return Array.isArray(value) ? value.length > 0 : isJsonObject(value) ? value['enabled'] === true : value !== undefined
  }
  const idle = ['a2aAgents', 'conversationSummary', 'maxBudgetPerConversation', 'toolRateLimits'].filter(set)
  const hasOwn = (parameters['apiKey'] ?? parameters['baseUrl'] ?? '').trim() !== ''
  const hasModel = modelParameters.some((name) => (parameters[name] ?? '').trim() !== '')
  const messages = [
    ...(idle.length > 0 ? [`these have no effect here: ${idle.join(', ')}`] : []),
    ...(more['toolLoadingStrategy'] === 'LAZY' ? ['all tools are given at once; toolLoadingStrategy has no effect'] : []),
    ...(modelCascade?.enabled && modelCascade.strategy === 'parallel'
      ? ['the models of a cascade are asked one after the other here']
      : []),
    ...(hasOwn && !hasModel ? ["the own key or address has no effect without modelName; the hub's models answer"] : []),
  ]
  return messages.map((message) => ({ severity: 'warning', message }))
}

function checkServer({ transport, mcpServerUrl }: McpCalls): readonly Check[] {
  const all: Check[] = []
  if (!['', 'http', 'https', 'sse', 'streamable-http', 'streamablehttp'].includes(transport.toLowerCase()))
    all.push({ severity: 'error', message: `the transport ${JSON.stringify(transport)} is not supported; there is http` })
  if (mcpServerUrl.trim() === '') all.push({ severity: 'error', message: 'mcpServerUrl is missing' })
  return all
}

function checkOutput({ outputSet }: OutputSet): readonly Check[] {
  return outputSet.flatMap(({ action }, at): readonly Check[] =>
    action.trim() === '' ? [{ severity: 'error', message: `output ${at + 1} has no action` }] : [],
  )
}

/** More than these are not told of one configuration. */
const mostTemplates = 5

/** What can't be read stays words when it is rendered, so it is a warning. */
function checkTemplates(raw: Json): readonly Check[] {
  const found: Check[] = []
  const walk = (value: Json, path: string): void => {
    if (found.length >= mostTemplates) return
    if (typeof value === 'string') {
      if (!value.includes('{')) return
      const [fault] = templateFaults(value)
      if (fault)
        found.push({ severity: 'warning', message: `${path || '/'}: line ${fault.line}, column ${fault.column}: ${fault.message}` })
    } else if (Array.isArray(value)) value.forEach((one, at) => void walk(one, `${path}/${at}`))
    else if (isJsonObject(value)) for (const [name, one] of Object.entries(value)) walk(one, `${path}/${name}`)
  }
  walk(raw, '')
  return found
}
