// Instructions that change a configuration in part: SET puts what the document holds, in the place of what has the same name, and
// DELETE takes that away. Dictionaries, rules and outputs take them, as their older clients send them.
import { InvalidInput } from '../../base/errors.ts'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Kind } from '../../pipelines/configuration.ts'
import { canonicalRaw } from '../../pipelines/configurations/read.ts'
import { isJson } from './route.ts'

/** Lists of a configuration, and by what their members are the same. */
const lists: Readonly<Partial<Record<Kind, Readonly<Record<string, readonly string[]>>>>> = {
  dictionary: { words: ['word'], phrases: ['phrase'], regExs: ['regEx'] },
  rules: { behaviorGroups: ['name'] },
  output: { outputSet: ['action', 'timesOccurred'] },
}
const mostInstructions = 1_000

/** The configuration after all of them. Throws InvalidInput naming the instruction that is wrong. */
export function patched(kind: Kind, before: JsonObject, body: unknown): JsonObject {
  if (!Array.isArray(body) || body.length === 0 || body.length > mostInstructions)
    throw new InvalidInput(`the body must be a list of 1 to ${mostInstructions} instructions like {"operation": "SET", "document": {...}}`)
  return body.reduce((now: JsonObject, one: unknown, at) => applied(kind, now, { one, path: `/${at}` }), before)
}

type Instruction = { readonly one: unknown; readonly path: string }

function applied(kind: Kind, before: JsonObject, { one, path }: Instruction): JsonObject {
  const operation = isObject(one) ? one['operation'] : undefined
  if (operation !== 'SET' && operation !== 'DELETE')
    throw new InvalidInput(`${path}/operation must be SET or DELETE`, { path: `${path}/operation` })
  const document = isObject(one) ? one['document'] : undefined
  if (!isJson(document)) throw new InvalidInput(`${path}/document must be an object`, { path: `${path}/document` })
  const { raw } = canonicalRaw(kind, document)
  const next: Record<string, Json> = { ...before }
  for (const [name, keys] of Object.entries(lists[kind] ?? {})) {
    const given = membersOf(raw[name])
    if (given.length === 0) continue
    next[name] = operation === 'SET' ? withAll(membersOf(before[name]), given, keys) : without(membersOf(before[name]), given, keys)
  }
  return operation === 'SET' && typeof raw['lang'] === 'string' ? { ...next, lang: raw['lang'] } : next
}

function membersOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** In the place of the first that is the same; what is new goes to the end. */
function withAll(before: readonly Json[], given: readonly Json[], keys: readonly string[]): readonly Json[] {
  const all = new Map(before.map((one, at): [string, Json] => [keyOf(one, keys) ?? `at ${at}`, one]))
  given.forEach((one, at) => {
    all.set(keyOf(one, keys) ?? `new ${at}`, one)
  })
  return [...all.values()]
}

function without(before: readonly Json[], given: readonly Json[], keys: readonly string[]): readonly Json[] {
  const gone = new Set(given.map((one) => keyOf(one, keys)))
  return before.filter((one) => !gone.has(keyOf(one, keys)))
}

function keyOf(one: Json, keys: readonly string[]): string | null {
  return isObject(one) ? JSON.stringify(keys.map((key) => one[key] ?? null)) : null
}
