// The facts of a pipeline's conversation: one a say, as a note of the turn in its own lane, and their fold.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import {
  type ConversationState,
  conversationStates,
  type Datum,
  type Property,
  type Step,
  scopesOfProperties,
  visibilities,
} from '../conversation.ts'

export const factType = 'pipeline-step'

/** What became different of named values: `value` null means it went away. */
type Change<Value> = { readonly name: string; readonly value: Value | null }

/** A step as it is kept: with what stood before it, so that it can be taken back whole. */
export type Made = Step & {
  /** Of the turn that made it; the seed of its random choices. */
  readonly seed: string
  readonly attachments: number
  readonly undo: { readonly properties: readonly Change<Property>[]; readonly objects: readonly Change<Json>[] }
  readonly set: { readonly properties: readonly Change<Property>[]; readonly objects: readonly Change<Json>[] }
}

/**
 * step: a new one. pause: one that waits for a person, so far. again: the last step was made anew. The rest are what a control did.
 */
export type Fact = { readonly agent: Agent } & (
  | { readonly do: 'step' | 'pause' | 'again'; readonly state: ConversationState; readonly made: Made }
  | { readonly do: 'undo' }
  | { readonly do: 'redo' }
  | { readonly do: 'state'; readonly state: ConversationState }
)
export type Agent = { readonly id: string; readonly version: number; readonly environment: 'production' | 'test' }

export type Remembered = {
  readonly state: ConversationState
  /** null: nothing happened yet. A conversation keeps the version that it began with. */
  readonly agent: Agent | null
  readonly steps: readonly Made[]
  /** The last one that was undone is the last. */
  readonly redo: readonly Made[]
  readonly properties: ReadonlyMap<string, Property>
  /** Responses that are kept for the conversation, by name. */
  readonly objects: ReadonlyMap<string, Json>
}

export const nothingYet: Remembered = {
  state: 'READY',
  agent: null,
  steps: [],
  redo: [],
  properties: new Map(),
  objects: new Map(),
}

/** The last step of a conversation that waits is not done: it is made on when a person has decided. */
export function evolve(before: Remembered, fact: Fact): Remembered {
  const { agent } = fact
  switch (fact.do) {
    case 'state':
      return { ...before, agent, state: fact.state }
    case 'undo':
      return undone({ ...before, agent })
    case 'redo':
      return redone({ ...before, agent })
    case 'again':
      return withStep(takenBack({ ...before, agent }), fact.made, fact.state)
    case 'step':
    case 'pause':
      return withStep(before.state === 'AWAITING_HUMAN' ? takenBack({ ...before, agent }) : { ...before, agent }, fact.made, fact.state)
  }
}

function withStep(before: Remembered, made: Made, state: ConversationState): Remembered {
  return {
    ...before,
    state,
    steps: [...before.steps, made],
    redo: [],
    properties: changed(before.properties, made.set.properties),
    objects: changed(before.objects, made.set.objects),
  }
}

/** Without its last step, and with the properties and objects of before. */
function takenBack(before: Remembered): Remembered {
  const last = before.steps.at(-1)
  if (!last) return before
  return {
    ...before,
    steps: before.steps.slice(0, -1),
    properties: changed(before.properties, last.undo.properties),
    objects: changed(before.objects, last.undo.objects),
  }
}

/** The first step stays: it is the beginning of the conversation. */
export function canUndo({ steps, state }: Remembered): boolean {
  return steps.length > 1 && state !== 'AWAITING_HUMAN'
}

export function canRedo({ redo, state }: Remembered): boolean {
  return redo.length > 0 && state !== 'AWAITING_HUMAN'
}

function undone(before: Remembered): Remembered {
  const last = before.steps.at(-1)
  if (!last || !canUndo(before)) return before
  return { ...takenBack(before), state: 'READY', redo: [...before.redo, last] }
}

function redone(before: Remembered): Remembered {
  const last = before.redo.at(-1)
  if (!last || !canRedo(before)) return before
  return { ...withStep(before, last, 'READY'), redo: before.redo.slice(0, -1) }
}

function changed<Value>(map: ReadonlyMap<string, Value>, changes: readonly Change<Value>[]): ReadonlyMap<string, Value> {
  if (changes.length === 0) return map
  const next = new Map(map)
  for (const { name, value } of changes) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** What leads from one map to the other, and back. */
export function difference<Value>(
  from: ReadonlyMap<string, Value>,
  to: ReadonlyMap<string, Value>,
): { readonly set: readonly Change<Value>[]; readonly undo: readonly Change<Value>[] } {
  if (from === to) return { set: [], undo: [] }
  const set: Change<Value>[] = []
  const undo: Change<Value>[] = []
  for (const name of new Set([...from.keys(), ...to.keys()])) {
    const [before, after] = [from.get(name), to.get(name)]
    if (before === after || (before !== undefined && after !== undefined && JSON.stringify(before) === JSON.stringify(after))) continue
    set.push({ name, value: after ?? null })
    undo.push({ name, value: before ?? null })
  }
  return { set, undo }
}

// ---- on the wire: short, because one is written a turn

/** Public facts are marked by position; what is empty is left out. */
export function packed(fact: Fact): JsonObject {
  const { agent } = fact
  const of = [agent.id, agent.version, ...(agent.environment === 'production' ? [] : [agent.environment])]
  if (fact.do === 'undo' || fact.do === 'redo') return { do: fact.do, of }
  if (fact.do === 'state') return { do: fact.do, of, state: fact.state }
  const { data, output, seed, attachments, undo, set } = fact.made
  return {
    do: fact.do,
    of,
    ...(fact.state === 'READY' ? {} : { state: fact.state }),
    ...packedStep({ data, output }),
    seed,
    ...(attachments === 0 ? {} : { attachments }),
    ...(set.properties.length === 0 ? {} : { properties: [set.properties.map(propertyPair), undo.properties.map(propertyPair)] }),
    ...(set.objects.length === 0 ? {} : { objects: [set.objects.map(pair), undo.objects.map(pair)] }),
  }
}

/** What only served the say that made it: why each word was taken for what it is, the rules that did not fire, marks of rendered texts. */
const passing = /^(?:expressions:matches$|behavior_rules:fail$|rendered:)/

/** What is kept of a step. */
export function withoutPassing({ data, output }: Step): Step {
  return { data: data.filter(({ key }) => !passing.test(key)), output }
}

/** Parts of the output that say again what stands in the data. */
const mirrored: readonly (readonly [string, string])[] = [
  ['input', 'input:initial'],
  ['expressions', 'expressions:parsed'],
  ['intents', 'intents'],
  ['actions', 'actions'],
]
const itemPrefix = 'output:'

/** `same`: members of the output that are found in the data, so that nothing is written twice. */
function packedStep({ data, output }: Step): JsonObject {
  const initial = data.find(({ key }) => key === 'input:initial')?.value
  const same = Object.entries(output).flatMap(([name, value]) => (isSame(value, mirrorOf(name, data)) ? [name] : []))
  const rest = Object.entries(output).filter(([name]) => !same.includes(name))
  return {
    data: data.map(({ key, value, isPublic }) => {
      if (key === 'input:normalized' && value === initial) return [key]
      return isPublic ? [key, value, 1] : [key, value]
    }),
    ...(same.length === 0 ? {} : { same }),
    ...(rest.length === 0 ? {} : { output: Object.fromEntries(rest) }),
  }
}

/** What stands in the data for a member of the output. */
function mirrorOf(name: string, data: readonly Datum[]): Json | undefined {
  if (name === 'output') return data.flatMap(({ key, value }) => (key.startsWith(itemPrefix) ? [value] : []))
  const key = mirrored.find(([member]) => member === name)?.[1]
  return key === undefined ? undefined : data.find((one) => one.key === key)?.value
}

function isSame(one: Json, other: Json | undefined): boolean {
  return other !== undefined && (one === other || JSON.stringify(one) === JSON.stringify(other))
}

function pair<Value extends Json>({ name, value }: Change<Value>): Json {
  return [name, value]
}

/** Its name stands beside it. */
function propertyPair({ name, value }: Change<Property>): Json {
  if (value === null) return [name, null]
  const { name: _, ...rest } = value
  return [name, rest]
}

/** Reads what `packed` wrote; null for anything else. */
export function unpacked(data: JsonObject): Fact | null {
  const agent = agentIn(data['of'])
  const what = data['do']
  if (agent === null) return null
  if (what === 'undo' || what === 'redo') return { do: what, agent }
  const state = conversationStates.find((one) => one === data['state']) ?? 'READY'
  if (what === 'state') return { do: what, agent, state }
  if (what !== 'step' && what !== 'pause' && what !== 'again') return null
  return { do: what, agent, state, made: madeIn(data) }
}

function agentIn(of: Json | undefined): Agent | null {
  const [id, version, environment] = listIn(of)
  if (typeof id !== 'string' || typeof version !== 'number') return null
  return { id, version, environment: environment === 'test' ? 'test' : 'production' }
}

function madeIn(data: JsonObject): Made {
  const { seed, attachments } = data
  const [properties = [], propertiesBefore = []] = listIn(data['properties']).map(propertiesIn)
  const [objects = [], objectsBefore = []] = listIn(data['objects']).map(changesIn)
  return {
    ...stepIn(data),
    seed: typeof seed === 'string' ? seed : '',
    attachments: typeof attachments === 'number' ? attachments : 0,
    set: { properties, objects },
    undo: { properties: propertiesBefore, objects: objectsBefore },
  }
}

function stepIn(given: JsonObject): Step {
  const data = listIn(given['data']).flatMap(datumIn)
  const initial = data.find(({ key }) => key === 'input:initial')?.value ?? null
  const all = data.map((one) => (one.key === 'input:normalized' && one.value === null ? { ...one, value: initial } : one))
  const same = listIn(given['same']).flatMap((name) => (typeof name === 'string' ? [[name, mirrorOf(name, all) ?? null] as const] : []))
  const { output } = given
  return { data: all, output: { ...Object.fromEntries(same), ...(isJsonObject(output) ? output : {}) } }
}

function datumIn(given: Json): readonly Datum[] {
  const [key, value = null, isPublic] = listIn(given)
  return typeof key === 'string' ? [{ key, value, isPublic: isPublic === 1 }] : []
}

function changesIn(pairs: Json): readonly Change<Json>[] {
  return listIn(pairs).flatMap((one) => {
    const [name, value = null] = listIn(one)
    return typeof name === 'string' ? [{ name, value }] : []
  })
}

function propertiesIn(pairs: Json): readonly Change<Property>[] {
  return changesIn(pairs).map(({ name, value }) => ({ name, value: isJsonObject(value) ? propertyIn(name, value) : null }))
}

function propertyIn(name: string, { value = null, scope, visibility }: JsonObject): Property {
  const seen = visibilities.find((one) => one === visibility)
  const held = scopesOfProperties.find((one) => one === scope) ?? 'conversation'
  return { name, value, scope: held, ...(seen === undefined ? {} : { visibility: seen }) }
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
