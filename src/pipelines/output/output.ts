// Output: what is said for the actions of a step. Owns: the choice among configured outputs, the keys they stand under in a step, and
// reading them again: items, quick replies, plain text. Leaves templates in them to the templating step, lines to the engine. Pure; chance is
// given.
//
// Y31  For each action, in order, what is configured for as many times as the action occurred before; else for the highest number.
// Y32  Nothing that was said in a step is lost to something that is said later under the same key.
import type { Json, JsonObject } from '../../base/json.ts'
import type { OutputItem, OutputSet, QuickReply } from '../configuration.ts'
import { actionsOf, contextsOf, type Memory, type OpenStep, type Step } from '../conversation.ts'
import { setRendered } from '../template/template.ts'
import { itemsIn, repliesIn, repliesInItems } from './item.ts'

export { itemText, textOfItems } from './text.ts'

/** A number in [0, 1) for that name: the same name in a turn has the same number. */
export type Chance = { random(name: string): number }

const keys = { output: 'output', quickReplies: 'quickReplies' } as const

/**
 * Says what the set has for the actions of the current step, and what came as contexts named `output...` and `quickReplies...`. A set of
 * another language than the conversation's says nothing; without a set only contexts speak.
 */
export function outputStep(set: OutputSet | null, memory: Memory, chance: Chance): void {
  const { current } = memory
  sayContexts(current)
  if (set === null || !isSpoken(set.lang, memory.language)) return
  const actions = actionsOf(current)
  const entries = entriesByAction(set)
  // Most actions say the same whatever their count: then the steps before are not looked through.
  const counted = actions.filter((action) => isCounted(entries.get(action) ?? []))
  const counts = counted.length === 0 ? new Map<string, number>() : countIn(memory.past, new Set(counted))
  for (const action of actions) sayFor(action, entriesFor(entries.get(action) ?? [], counts.get(action) ?? 0), { current, chance })
}

/** Sets don't change: one is sorted as long as it is in memory. */
const sorted = new WeakMap<OutputSet, ReadonlyMap<string, readonly Entry[]>>()

function entriesByAction(set: OutputSet): ReadonlyMap<string, readonly Entry[]> {
  const known = sorted.get(set) ?? Map.groupBy(set.outputSet, ({ action }) => action)
  sorted.set(set, known)
  return known
}

/** Those for exactly that count; else all with the highest number, also where it is higher than the count. */
export function entriesFor<T extends { readonly timesOccurred: number }>(entries: readonly T[], count: number): readonly T[] {
  const exact = entries.filter(({ timesOccurred }) => timesOccurred === count)
  if (exact.length > 0) return exact
  const highest = entries.reduce((most, { timesOccurred }) => Math.max(most, timesOccurred), Number.NEGATIVE_INFINITY)
  return entries.filter(({ timesOccurred }) => timesOccurred === highest)
}

type Saying = { readonly current: OpenStep; readonly chance: Chance }
type Entry = OutputSet['outputSet'][number]

function sayFor(action: string, entries: readonly Entry[], { current, chance }: Saying): void {
  const chosen = entries.flatMap(({ outputs, timesOccurred }, place) =>
    outputs.flatMap(({ valueAlternatives }, at) => {
      const given = valueAlternatives.length > 1 ? chance.random(`output/${action}/${timesOccurred}/${place}/${at}`) : 0
      const index = Math.min(valueAlternatives.length - 1, Math.max(0, Math.floor(given * valueAlternatives.length)))
      const value = valueAlternatives[index]
      return value === undefined ? [] : itemsIn(value)
    }),
  )
  placeOutputs(current, action, { items: chosen, set: setTemplate })
  placeReplies(current, action, { replies: entries.flatMap(({ quickReplies }) => quickReplies), set: setTemplate })
}

function isCounted(entries: readonly Entry[]): boolean {
  return entries.some(({ timesOccurred }) => timesOccurred !== entries[0]?.timesOccurred)
}

/** How often each of those actions stands in the steps before. */
function countIn(past: readonly Step[], actions: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const step of past) {
    for (const action of actionsOf(step)) if (actions.has(action)) counts.set(action, (counts.get(action) ?? 0) + 1)
  }
  return counts
}

function isSpoken(language: string, conversation: string): boolean {
  const wanted = language.trim().toLowerCase()
  return wanted === '' || wanted === conversation.trim().toLowerCase()
}

/** A step has several output tasks where its agent has several workflows. It goes with the outputs when they are made anew. */
const contextsAreSaid = 'output::context'

/** What came with the message is said once a step, under the action `context`, as it is. What is no item and no reply is passed over. */
function sayContexts(current: OpenStep): void {
  if (current.get(contextsAreSaid) !== undefined) return
  for (const [key, { type, value }] of contextsOf(current)) {
    if (type !== 'object' && type !== 'array') continue
    if (key.startsWith(keys.quickReplies)) addQuickReplies(current, 'context', repliesIn(value))
    else if (key.startsWith(keys.output)) addOutputs(current, 'context', itemsIn(value))
    else continue
    current.set(contextsAreSaid, true)
  }
}

// ---- keys

/**
 * The keys that outputs of those types get under an action, in order: `output:<type>:<action>`, and `:<number>` behind it, from 0, where
 * there are several.
 */
export function outputKeys(action: string, types: readonly string[]): readonly string[] {
  return types.map((type, at) => `${keys.output}:${type}:${action}${types.length > 1 ? `:${at}` : ''}`)
}

/**
 * Adds outputs to a step under an action, for readers and templates too. Their texts are final: rendered already, or words of a person, a
 * model or another server, in which no template is looked for. A key that is taken gets the next free number.
 */
export function addOutputs(step: OpenStep, action: string, items: readonly JsonObject[]): void {
  placeOutputs(step, action, { items, set: setRendered })
}

/** Adds quick replies to a step under `quickReplies:<action>`; final as outputs are. A key that is taken gets the next free number. */
export function addQuickReplies(step: OpenStep, action: string, replies: readonly QuickReply[]): void {
  placeReplies(step, action, { replies, set: setRendered })
}

type Setting = { readonly set: (step: OpenStep, key: string, value: Json) => void }

/** Texts of a configuration, which the templating step renders. */
const setTemplate: Setting['set'] = (step, key, value) => step.set(key, value, { isPublic: true })

function placeOutputs(step: OpenStep, action: string, { items, set }: Setting & { readonly items: readonly JsonObject[] }): void {
  const types = items.map(({ type }) => String(type))
  const wanted = outputKeys(action, types)
  for (const [at, item] of items.entries()) {
    set(step, freeKey(step, { wanted: wanted[at] ?? '', base: `${keys.output}:${types[at]}:${action}` }), item)
  }
  if (items.length > 0) step.push(keys.output, ...items)
}

function placeReplies(step: OpenStep, action: string, { replies, set }: Setting & { readonly replies: readonly QuickReply[] }): void {
  if (replies.length === 0) return
  const wanted = `${keys.quickReplies}:${action}`
  set(step, freeKey(step, { wanted, base: wanted }), replies)
  step.push(keys.quickReplies, ...replies)
}

function freeKey(step: OpenStep, { wanted, base }: { readonly wanted: string; readonly base: string }): string {
  if (step.get(wanted) === undefined) return wanted
  let number = 1
  while (step.get(`${base}:${number}`) !== undefined) number++
  return `${base}:${number}`
}

// ---- reading

/** All output items of a step, in order. */
export function itemsOf(step: Pick<Step, 'data'>): readonly OutputItem[] {
  return valuesUnder(step, `${keys.output}:`).flatMap((value) => itemsIn(value))
}

/** All quick replies of a step in order, those among its items too; `expressions` may be blank. */
export function quickRepliesOf(step: Pick<Step, 'data'>): readonly QuickReply[] {
  return [...valuesUnder(step, `${keys.quickReplies}:`).flatMap((value) => repliesIn(value)), ...repliesInItems(itemsOf(step))]
}

function valuesUnder(step: Pick<Step, 'data'>, prefix: string): readonly Json[] {
  return step.data.flatMap(({ key, value }) => (key.startsWith(prefix) ? [value] : []))
}
