// What templates and paths see of a conversation. Owns: the names at the top level and
// what stands behind each. Leaves evaluation to template/ and paths/. Pure.
//
// Y34  A name of the system is never hidden by what a message or a server brought.
// Y35  What is costly (older steps, the log) is made when somebody asks for it, once.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Snippet } from '../configuration.ts'
import { type ContextValue, contextsOf, type Memory } from '../conversation.ts'
import type { TemplateData } from '../template/template.ts'
import { logOf } from './log.ts'

export { logLimit } from './log.ts'

/** Values by name. */
export type Named = ReadonlyMap<string, Json> | JsonObject

/** What templates see beside the conversation. A missing part is empty. */
export type DataExtra = {
  /** Snippets, or their texts. */
  readonly snippets?: ReadonlyMap<string, Snippet> | Named
  readonly vars?: Named
  /** Responses of calls by their names. */
  readonly objects?: Named
}

/** Names at the top level that no context and no response can take. */
export const systemNames = [
  'properties',
  'memory',
  'context',
  'conversationInfo',
  'userInfo',
  'conversationLog',
  'snippets',
  'vars',
] as const

/**
 * Data for one rendering, or for one task: it shows the conversation as it is when a part is first asked for, so who changed a
 * property makes it anew. Members are plain JSON, own and enumerable; they are computed when they are read.
 *
 * properties.<name>: values. memory.current, .last: outputs of that step; memory.past: outputs of all steps before, the oldest first.
 * context.<key>: values; contexts of type object stand at the top level too. conversationLog: a text, a line for what each one said.
 */
export function templateDataOf(memory: Memory, extra: DataExtra = {}): TemplateData {
  const contexts = once(() => contextsOf(memory.current))
  const objects = entriesOf(extra.objects)
  const own: { readonly [Name in (typeof systemNames)[number]]: () => Json } = {
    properties: () => Object.fromEntries([...memory.properties.values()].map(({ name, value }) => [name, value])),
    memory: () => memoryData(memory),
    context: () => Object.fromEntries([...contexts()].map(([key, { value }]) => [key, value])),
    conversationInfo: () => infoOf(memory),
    userInfo: () => ({ ...objectIn(contexts().get('userInfo')), userId: memory.info.userId }),
    conversationLog: () => logOf(memory),
    snippets: () => Object.fromEntries(entriesOf(extra.snippets).map(([name, value]) => [name, snippetText(value)])),
    vars: () => Object.fromEntries(entriesOf(extra.vars)),
  }
  const open = [...[...contexts()].flatMap(([key, given]) => objectEntry(key, given)), ...objects]
  const data: JsonObject = Object.fromEntries(open.filter(([name]) => !Object.hasOwn(own, name)))
  for (const name of systemNames) lazily(data, name, own[name])
  return data
}

// ---- parts

function objectEntry(key: string, { type, value }: ContextValue): readonly (readonly [string, Json])[] {
  return type === 'object' ? [[key, value]] : []
}

function objectIn(context: ContextValue | undefined): JsonObject {
  return context?.type === 'object' && isJsonObject(context.value) ? context.value : {}
}

function memoryData(memory: Memory): JsonObject {
  const data: JsonObject = { current: memory.current.output, last: memory.past.at(-1)?.output ?? {} }
  lazily(data, 'past', () => memory.past.map(({ output }) => output))
  return data
}

function infoOf({ info }: Memory): JsonObject {
  const { conversationId, agentId, agentVersion, environment } = info
  return { conversationId, agentId, agentVersion, environment }
}

function snippetText(value: Json): Json {
  return isJsonObject(value) && typeof value['content'] === 'string' ? value['content'] : value
}

function entriesOf(named: DataExtra['snippets']): readonly (readonly [string, Json])[] {
  if (named === undefined) return []
  return named instanceof Map ? [...named] : Object.entries(named)
}

/** An own, enumerable member that is made when it is read for the first time. */
function lazily(data: JsonObject, name: string, make: () => Json): void {
  const read = once(() => ({ value: make() }))
  Object.defineProperty(data, name, { enumerable: true, configurable: true, get: () => read().value })
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
