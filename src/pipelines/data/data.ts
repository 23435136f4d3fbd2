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
  const contexts = contextsOf(memory.current)
  const parts = new Parts(memory, extra, contexts)
  const data: Record<string, Json> = {
    get properties() {
      return parts.properties
    },
    get memory() {
      return parts.memory
    },
    get context() {
      return parts.context
    },
    get conversationInfo() {
      return parts.conversationInfo
    },
    get userInfo() {
      return parts.userInfo
    },
    get conversationLog() {
      return parts.conversationLog
    },
    get snippets() {
      return parts.snippets
    },
    get vars() {
      return parts.vars
    },
  }
  for (const [key, { type, value }] of contexts) if (type === 'object' && isFree(key)) data[key] = value
  for (const [name, value] of entriesOf(extra.objects)) if (isFree(name)) data[name] = value
  return data
}

/** Not one of the system's, and no name that an assignment gives a meaning of its own. */
function isFree(name: string): boolean {
  return name !== '__proto__' && !systemNames.some((own) => own === name)
}

/** Each part is made when it is read for the first time. */
class Parts {
  readonly #memory: Memory
  readonly #extra: DataExtra
  readonly #contexts: ReadonlyMap<string, ContextValue>
  readonly #made = new Map<string, Json>()

  constructor(memory: Memory, extra: DataExtra, contexts: ReadonlyMap<string, ContextValue>) {
    this.#memory = memory
    this.#extra = extra
    this.#contexts = contexts
  }

  get properties(): Json {
    return this.#once('properties', () => Object.fromEntries([...this.#memory.properties.values()].map(({ name, value }) => [name, value])))
  }

  get memory(): Json {
    return this.#once('memory', () => memoryData(this.#memory))
  }

  get context(): Json {
    return this.#once('context', () => Object.fromEntries([...this.#contexts].map(([key, { value }]) => [key, value])))
  }

  get conversationInfo(): Json {
    const { conversationId, agentId, agentVersion, environment } = this.#memory.info
    return { conversationId, agentId, agentVersion, environment }
  }

  get userInfo(): Json {
    return { ...objectIn(this.#contexts.get('userInfo')), userId: this.#memory.info.userId }
  }

  get conversationLog(): Json {
    return this.#once('conversationLog', () => logOf(this.#memory))
  }

  get snippets(): Json {
    return this.#once('snippets', () =>
      Object.fromEntries(entriesOf(this.#extra.snippets).map(([name, value]) => [name, snippetText(value)])),
    )
  }

  get vars(): Json {
    return this.#once('vars', () => Object.fromEntries(entriesOf(this.#extra.vars)))
  }

  #once(name: string, make: () => Json): Json {
    const known = this.#made.get(name)
    if (known !== undefined) return known
    const made = make()
    this.#made.set(name, made)
    return made
  }
}

// ---- small things

function objectIn(context: ContextValue | undefined): JsonObject {
  return context?.type === 'object' && isJsonObject(context.value) ? context.value : {}
}

function memoryData(memory: Memory): JsonObject {
  let past: readonly JsonObject[] | undefined
  return {
    current: memory.current.output,
    last: memory.past.at(-1)?.output ?? {},
    get past() {
      past ??= memory.past.map(({ output }) => output)
      return past
    },
  }
}

function snippetText(value: Json): Json {
  return isJsonObject(value) && typeof value['content'] === 'string' ? value['content'] : value
}

function entriesOf(named: DataExtra['snippets']): readonly (readonly [string, Json])[] {
  if (named === undefined) return []
  return named instanceof Map ? [...named] : Object.entries(named)
}
