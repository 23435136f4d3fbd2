// What a pipeline knows of its conversation: steps and the data of each, properties, states. Tasks read it and write the step that
// is being made; nothing else of it changes during a turn. Source: reference digest of EDDI, sections 1.7, 3.1, 3.2 and 3.6.
import { isObject, type Json, type JsonObject } from '../base/json.ts'

export const conversationStates = ['READY', 'IN_PROGRESS', 'ENDED', 'EXECUTION_INTERRUPTED', 'ERROR', 'AWAITING_HUMAN'] as const
export type ConversationState = (typeof conversationStates)[number]

/** Actions with a meaning of their own. */
export const specialActions = {
  start: 'CONVERSATION_START',
  end: 'CONVERSATION_END',
  stop: 'STOP_CONVERSATION',
  pause: 'PAUSE_CONVERSATION',
  catchAny: 'CATCH_ANY_INPUT_AS_PROPERTY',
} as const

/**
 * One fact of a step under its key, as in `input:initial`, `expressions:parsed`, `actions`, `output:text:greet`, `quickReplies:greet`,
 * `context:userInfo`, `properties:extracted`, `behavior_rules:success`. `isPublic`: shown to whoever reads the conversation.
 */
export type Datum = { readonly key: string; readonly value: Json; readonly isPublic: boolean }

/** A step that is done. `output`: what templates see as `memory.last` and readers as one of `conversationOutputs`. */
export type Step = { readonly data: readonly Datum[]; readonly output: JsonObject }

export const scopesOfProperties = ['step', 'conversation', 'longTerm', 'secret'] as const
export type PropertyScope = (typeof scopesOfProperties)[number]
export const visibilities = ['self', 'group', 'global'] as const
export type Visibility = (typeof visibilities)[number]

/** `value` of scope `secret` is the reference, never the secret. */
export type Property = {
  readonly name: string
  readonly value: Json
  readonly scope: PropertyScope
  readonly visibility?: Visibility
}

/** A value that came with a message, by its type. */
export type ContextValue = { readonly type: 'string' | 'expressions' | 'object' | 'array'; readonly value: Json }

/** An attachment of the current step, its type found by its bytes. */
export type StepAttachment = { readonly id: string; readonly name: string; readonly mime: string; readonly size: number }

/** Who talks with which agent. Ids are Steward's own; `userId` is the person's login name. */
export type ConversationInfo = {
  readonly conversationId: string
  readonly agentId: string
  readonly agentVersion: number
  readonly environment: 'production' | 'test'
  readonly userId: string
  /** Groups that entries of visibility `group` are shared with. */
  readonly groupIds: readonly string[]
}

/** The step that is being made. Setting a key again replaces its value in its place. */
export type OpenStep = {
  readonly data: readonly Datum[]
  readonly output: JsonObject
  get(key: string): Json | undefined
  /** The newest datum whose key starts so. */
  latest(prefix: string): Datum | undefined
  all(prefix: string): readonly Datum[]
  set(key: string, value: Json, options?: { readonly isPublic?: boolean }): void
  remove(prefix: string): void
  /** Sets one part of what templates and readers see, as in `out('actions', [...])`. */
  out(name: string, value: Json): void
  /** Adds to a list of it, which is made when it is missing. */
  push(name: string, ...values: Json[]): void
  done(): Step
}

/** All that a task may read, and the step that it writes. Lists are oldest first. */
export type Memory = {
  readonly info: ConversationInfo
  /** Steps before the current one. */
  readonly past: readonly Step[]
  readonly current: OpenStep
  readonly properties: ReadonlyMap<string, Property>
  /** What is set here holds from the next task on. */
  setProperty(property: Property): void
  removeProperty(name: string): void
  readonly attachments: readonly StepAttachment[]
  /** Language of the conversation: the property `lang`, else `en`. */
  readonly language: string
}

export function openStep(from?: Step): OpenStep {
  const data = new Map((from?.data ?? []).map((datum) => [datum.key, datum]))
  const output: Record<string, Json> = { ...from?.output }
  const all = (prefix: string) => [...data.values()].filter(({ key }) => key.startsWith(prefix))
  return {
    get data() {
      return [...data.values()]
    },
    output,
    get: (key) => data.get(key)?.value,
    latest: (prefix) => all(prefix).at(-1),
    all,
    set: (key, value, { isPublic = false } = {}) => void data.set(key, { key, value, isPublic }),
    remove(prefix) {
      for (const { key } of all(prefix)) data.delete(key)
    },
    out(name, value) {
      output[name] = value
    },
    push(name, ...values) {
      const before = output[name]
      output[name] = [...(Array.isArray(before) ? before : []), ...values]
    },
    done: () => ({ data: [...data.values()], output: { ...output } }),
  }
}

/** The names in `actions` of a step; none where there are none. */
export function actionsOf(step: Pick<Step, 'data'>): readonly string[] {
  return textsIn(step.data.find(({ key }) => key === 'actions')?.value)
}

/** The texts of a list; a value that is no list has none. */
export function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

const contextPrefix = 'context:'
const contextTypes = ['string', 'expressions', 'object', 'array'] as const

/** A context of a step; undefined when there is none, or when its value has not the form {type, value}. */
export function contextIn(step: Pick<Step, 'data'>, key: string): ContextValue | undefined {
  return contextOf(step.data.find((datum) => datum.key === `${contextPrefix}${key}`)?.value)
}

/** All contexts of a step by their keys, in order. */
export function contextsOf(step: Pick<Step, 'data'>): ReadonlyMap<string, ContextValue> {
  const contexts = new Map<string, ContextValue>()
  for (const { key, value } of step.data) {
    const given = key.startsWith(contextPrefix) ? contextOf(value) : undefined
    if (given) contexts.set(key.slice(contextPrefix.length), given)
  }
  return contexts
}

function contextOf(value: Json | undefined): ContextValue | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, 'type')) return undefined
  const type = contextTypes.find((known) => known === value['type'])
  return type === undefined ? undefined : { type, value: value['value'] ?? null }
}

const isRecord = (value: Json | undefined): value is JsonObject => isObject(value)
