// Arguments against the schema of a tool, before they are sent. Only what is surely wrong is refused; the server checks the rest itself.
import { canonical, type Json, type JsonObject } from '../../base/json.ts'

const mostSteps = 20_000

type Looking = { steps: number }

/** In a sentence; null: nothing is wrong. Linear in schema and arguments, and bounded. */
export function faultInArguments(schema: JsonObject, args: JsonObject): string | null {
  return faultIn(schema, args, { at: 'arguments', looking: { steps: 0 } })
}

type Spot = { readonly at: string; readonly looking: Looking }

function faultIn(schema: Json, value: Json, spot: Spot): string | null {
  if (++spot.looking.steps > mostSteps) return null
  if (schema === false) return `${spot.at} is not allowed`
  if (!isMembers(schema)) return null
  return (
    typeFault(schema, value, spot) ?? valueFault(schema, value, spot) ?? sizeFault(schema, value, spot) ?? partsFault(schema, value, spot)
  )
}

function typeFault({ type }: JsonObject, value: Json, { at }: Spot): string | null {
  const types = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string')
  if (types.length === 0 || types.some((one) => isOfType(one, value))) return null
  return `${at} must be ${types.join(' or ')}`
}

function isOfType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return isMembers(value)
  return typeof value === type
}

function valueFault({ enum: allowed, const: only }: JsonObject, value: Json, { at }: Spot): string | null {
  const same = (one: Json) => canonical(one) === canonical(value)
  if (only !== undefined && !same(only)) return `${at} must be ${shown(only)}`
  if (!Array.isArray(allowed) || allowed.some(same)) return null
  return `${at} must be one of ${allowed.slice(0, 20).map(shown).join(', ')}`
}

function sizeFault(rules: JsonObject, value: Json, { at }: Spot): string | null {
  const outside = (name: string, [least, most]: readonly [Json | undefined, Json | undefined], size: number) => {
    if (typeof least === 'number' && size < least) return `${at} must have ${name} of at least ${least}`
    return typeof most === 'number' && size > most ? `${at} must have ${name} of at most ${most}` : null
  }
  if (typeof value === 'number') return outside('a value', [rules['minimum'], rules['maximum']], value)
  if (typeof value === 'string') return outside('a length', [rules['minLength'], rules['maxLength']], [...value].length)
  return Array.isArray(value) ? outside('a number of elements', [rules['minItems'], rules['maxItems']], value.length) : null
}

function partsFault(rules: JsonObject, value: Json, spot: Spot): string | null {
  if (Array.isArray(value)) {
    const { items } = rules
    return items === undefined ? null : first(value, (one: Json, at) => faultIn(items, one, { ...spot, at: `${spot.at}[${at}]` }))
  }
  if (!isMembers(value)) return null
  const members = Object.entries(value)
  const { properties, required, additionalProperties } = rules
  const known = new Map(properties !== undefined && isMembers(properties) ? Object.entries(properties) : [])
  const missing = Array.isArray(required) ? required.find((one) => typeof one === 'string' && !Object.hasOwn(value, one)) : undefined
  if (missing !== undefined) return `${spot.at} needs ${shown(missing)}`
  return first(members, ([name, one]) => {
    const schema = known.get(name)
    if (schema !== undefined) return faultIn(schema, one, { ...spot, at: `${spot.at}.${name.slice(0, 60)}` })
    if (additionalProperties !== false) return null
    return `${spot.at} knows no ${shown(name)}; there is ${[...known.keys()].slice(0, 40).join(', ') || 'none'}`
  })
}

function isMembers(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function first<T>(all: readonly T[], look: (one: T, at: number) => string | null): string | null {
  for (const [at, one] of all.entries()) {
    const found = look(one, at)
    if (found !== null) return found
  }
  return null
}

function shown(value: Json): string {
  return (JSON.stringify(value) ?? '').slice(0, 80)
}
