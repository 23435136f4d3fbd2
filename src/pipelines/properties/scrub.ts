// Taking secrets out of a step: what was typed as one stands in no datum, no output and no property of it.
import { isJsonObject, type Json } from '../../base/json.ts'
import type { Memory, OpenStep } from '../conversation.ts'
import { setRendered } from '../template/template.ts'

/** What stands where a secret was. */
export const scrubbedInput = '<secret input>'

/** A shorter secret is taken out only where it is the whole of a text: else it would be found in the middle of words. */
const shortest = 4
/** Below that depth a value that holds a secret goes as a whole. */
const depthLimit = 100

/** Names that rules gave; they come from configurations, never from what was typed. */
const untouched: ReadonlySet<string> = new Set(['actions', 'behavior_rules:success', 'behavior_rules:fail'])

/** What a parser made of the input, and what is left of it: in the data, and in what templates see. */
const readData: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['input:initial', scrubbedInput],
  ['input:normalized', scrubbedInput],
  ['expressions:parsed', ''],
  ['expressions:matches', []],
  ['intents', []],
])
const readOutputs: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['input', scrubbedInput],
  ['expressions', ''],
  ['intents', []],
])

/** Whether it is a reference to a secret, in any of the forms that configurations have. */
export function isSecretReference(text: string): boolean {
  return /^(?:\$\{(?:eddi)?vault:[^{}]+\}|\{\{secret:[^{}]+\}\})$/.test(text.trim())
}

/**
 * Takes those values out of the current step and of the properties. `secrets`: values and the references to them ('' where there is
 * none). An input that holds one goes as a whole, with all that was read from it.
 */
export function scrubSecrets(memory: Memory, secrets: ReadonlyMap<string, string>): void {
  if (secrets.size === 0) return
  const { current, properties } = memory
  const needles = [...secrets.keys(), ...scrubInput(current, secrets)].filter((text) => text.trim() !== '')
  const clean = cleanerOf([...needles, ...needles.map((text) => text.toLowerCase())])
  for (const { key, value, isPublic } of current.data) {
    const kept = untouched.has(key) ? value : clean(value)
    if (kept === value) continue
    // What was no template before, a model's words, is none without the secret either.
    if (current.get(`rendered:${key}`) === undefined) current.set(key, kept, { isPublic })
    else setRendered(current, key, kept)
  }
  for (const [name, value] of Object.entries(current.output)) {
    const kept = untouched.has(name) ? value : clean(value)
    if (kept !== value) current.out(name, kept)
  }
  for (const property of [...properties.values()]) {
    if (property.scope === 'secret') continue
    const reference = typeof property.value === 'string' ? secrets.get(property.value.trim()) : undefined
    const kept = reference || clean(property.value)
    if (kept !== property.value) memory.setProperty({ ...property, value: kept })
  }
}

/** The texts of the input when a secret is in it; they are gone then. */
function scrubInput(current: OpenStep, secrets: ReadonlyMap<string, string>): readonly string[] {
  const texts = [current.get('input:initial'), current.get('input:normalized'), current.output['input']]
  const inputs = texts.filter((text) => typeof text === 'string').map((text) => text.trim())
  if (!inputs.some((input) => [...secrets.keys()].some((secret) => belongs(input, secret)))) return []
  for (const { key, isPublic } of current.data) {
    const left = readData.get(key)
    if (left !== undefined) current.set(key, left, { isPublic })
  }
  for (const [name, left] of readOutputs) if (Object.hasOwn(current.output, name)) current.out(name, left)
  return inputs
}

function belongs(input: string, secret: string): boolean {
  if (input === '' || secret === '') return false
  return input === secret || (secret.length >= shortest && input.includes(secret)) || (input.length >= shortest && secret.includes(input))
}

/** Gives back the same value when there is nothing in it. */
function cleanerOf(needles: readonly string[]): (value: Json) => Json {
  const whole = new Set(needles.map((text) => text.trim()))
  const inside = [...whole].filter((text) => text.length >= shortest).sort((a, b) => b.length - a.length)
  const text = (given: string): string => {
    if (whole.has(given.trim())) return scrubbedInput
    return inside.reduce((left, needle) => (left.includes(needle) ? left.replaceAll(needle, () => scrubbedInput) : left), given)
  }
  const clean = (value: Json, depth: number): Json => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return whole.has(String(value)) ? scrubbedInput : value
    if (value === null || typeof value !== 'object') return value
    if (depth > depthLimit) return inside.some((needle) => JSON.stringify(value).includes(needle)) ? scrubbedInput : value
    if (!isJsonObject(value)) return list(value, depth)
    const entries = Object.entries(value).map(([key, member]) => [key, member, clean(member, depth + 1)] as const)
    return entries.some(([, member, kept]) => kept !== member) ? Object.fromEntries(entries.map(([key, , kept]) => [key, kept])) : value
  }
  const list = (value: readonly Json[], depth: number): readonly Json[] => {
    const kept = value.map((member) => clean(member, depth + 1))
    return kept.some((member, at) => member !== value[at]) ? kept : value
  }
  return (value) => clean(value, 0)
}
