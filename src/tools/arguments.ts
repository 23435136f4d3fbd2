// A model's arguments against a tool's schema: what it means as "none" is none, what is wrong is named.
import { z } from 'zod'
import { isObject, type Json, type JsonObject } from '../base/json.ts'

export type Checked<T> = { readonly ok: true; readonly input: T } | { readonly ok: false; readonly why: string }

/**
 * Models fill in optional arguments that they don't mean: `""`, null and {} are none where an argument is optional. A number,
 * a yes or no, a list or an object that is written as text is what it says, where one is wanted. Everything else must fit; all that doesn't is named with what is allowed.
 */
export function checkArguments<T>(input: z.ZodType<T>, schema: JsonObject, given: JsonObject): Checked<T> {
  const parsed = input.safeParse(normalise(schema, given))
  if (parsed.success) return { ok: true, input: parsed.data }
  const names = Object.keys(propertiesOf(schema))
  const wrong = parsed.error.issues.map((issue) => describe(issue, given))
  return { ok: false, why: `${wrong.join('; ')}. Arguments are: ${names.join(', ') || 'none'}.` }
}

/** The JSON schema of a tool's input, as a model is given it. Throws for an input that has none: a bug of the tool. */
export function schemaOf(input: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  const copy: Json = JSON.parse(JSON.stringify(schema))
  if (!isObject(copy) || copy.type !== 'object') throw new Error('A tool takes an object.')
  return copy
}

function normalise(schema: JsonObject, given: JsonObject): JsonObject {
  const properties = propertiesOf(schema)
  const required = Array.isArray(schema.required) ? schema.required : []
  const kept = Object.entries(given).filter(([name, value]) => required.includes(name) || !isNone(value))
  return Object.fromEntries(kept.map(([name, value]) => [name, meantBy(properties[name], value)]))
}

function isNone(value: Json): boolean {
  return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0)
}

/** A text where something else is wanted, when it is exactly that: "3", "true", a list or an object written as JSON. */
function meantBy(property: Json | undefined, value: Json): Json {
  if (typeof value !== 'string' || property === undefined || !isObject(property)) return value
  const text = value.trim()
  switch (property.type) {
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : value
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : value
    case 'array':
    case 'object':
      return parsed(text, property.type) ?? value
    default:
      return value
  }
}

function parsed(text: string, type: 'array' | 'object'): Json | null {
  if (!text.startsWith(type === 'array' ? '[' : '{')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function describe(issue: z.core.$ZodIssue, given: JsonObject): string {
  const name = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') return `there is no argument ${issue.keys.map((key) => `"${key.slice(0, 40)}"`).join(', ')}`
  const first = issue.path[0]
  const value = typeof first === 'string' ? given[first] : given
  if (value === undefined) return `"${name}" is missing`
  return `"${name || 'arguments'}" is ${JSON.stringify(value)?.slice(0, 80)}; ${issue.message}`
}

function propertiesOf(schema: JsonObject): JsonObject {
  return schema.properties !== undefined && isObject(schema.properties) ? schema.properties : {}
}
