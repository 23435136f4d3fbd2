// What is wrong with one configuration beside its form: what it asks for that can't be had here, and templates that can't be read.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Configurations, Kind, LlmConfig, McpCalls, OutputSet, RagConfig } from '../configuration.ts'
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
export const embeddingProviders: readonly string[] = ['openai', 'openai-compatible', 'ollama']
export const vectorStores: readonly string[] = ['in-memory', 'inmemory']

const checks: { readonly [K in Kind]?: (value: Configurations[K]) => readonly Check[] } = {
  rules: (set) => errors(checkRules(set)),
  dictionary: (one) => errors(dictionaryFaults(one)),
  llm: checkModels,
  rag: checkKnowledge,
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
  return tasks.flatMap(({ type, id, modelCascade }, at): readonly Check[] => {
    const name = id === '' ? `task ${at + 1}` : `task ${JSON.stringify(id)}`
    const steps = isJsonObject(modelCascade) && Array.isArray(modelCascade['steps']) ? modelCascade['steps'] : []
    const unsupported = partsOf(tasks[at]).map(
      (part): Check => ({
        severity: 'error',
        message: `${name}: ${part} of a model task is not supported; a task is one answer of a model`,
      }),
    )
    const types = [type, ...steps.flatMap((step) => (isJsonObject(step) && typeof step['type'] === 'string' ? [step['type']] : []))]
    const providers = types
      .filter((one) => one !== '' && !Object.hasOwn(modelProviders, one.toLowerCase()))
      .map(
        (one): Check => ({
          severity: 'error',
          message: `${name}: the model provider ${JSON.stringify(one)} is not supported; there is ${Object.keys(modelProviders).join(', ')}`,
        }),
      )
    return [...unsupported, ...providers]
  })
}

/** What a task asks for beyond an answer. Tools of calls are on by default, and are none where a workflow has no calls with parameters. */
function partsOf(task: LlmConfig['tasks'][number] | undefined): readonly string[] {
  if (!task) return []
  const { tools, enableBuiltInTools, mcpServers, knowledgeBases, enableWorkflowRag, httpCallRag, modelCascade, responseValidation } = task
  return [
    ...(tools.length > 0 || enableBuiltInTools || mcpServers.length > 0 ? ['calling tools'] : []),
    ...(knowledgeBases.length > 0 || enableWorkflowRag || httpCallRag !== '' ? ['knowledge'] : []),
    ...(modelCascade && modelCascade['enabled'] !== false ? ['a cascade of models'] : []),
    ...(responseValidation.enabled ? ['validation of the answer'] : []),
  ]
}

function checkKnowledge({ embeddingProvider, storeType }: RagConfig): readonly Check[] {
  const all: Check[] = [{ severity: 'error', message: 'knowledge bases are not supported' }]
  if (!embeddingProviders.includes(embeddingProvider.toLowerCase()))
    all.push({
      severity: 'error',
      message: `the embedding provider ${JSON.stringify(embeddingProvider)} is not supported; there is ${embeddingProviders.join(', ')}`,
    })
  if (!vectorStores.includes(storeType.toLowerCase()))
    all.push({
      severity: 'error',
      message: `the vector store ${JSON.stringify(storeType)} is not supported; there is in-memory, kept by the hub`,
    })
  return all
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
