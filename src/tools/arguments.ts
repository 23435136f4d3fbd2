// A model's arguments against a tool's schema: what it means as "none" is none, what is wrong is named.
import { z } from 'zod'
import { isObject, type Json, type JsonObject } from '../base/json.ts'

export type Checked<T> = { readonly ok: true; readonly input: T } | { readonly ok: false; readonly why: string }

/**
 * Models fill in optional arguments that they don't mean: `""`, null and {} are none where an argument is optional. A number
 * written as text is a number where one is wanted. Everything else must fit; all that doesn't is named with what is allowed.
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
  return Object.fromEntries(kept.map(([name, value]) => [name, numberFor(properties[name], value)]))
}

function isNone(value: Json): boolean {
  return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0)
}

function numberFor(property: Json | undefined, value: Json): Json {
  const isWanted = property !== undefined && isObject(property) && (property.type === 'integer' || property.type === 'number')
  return isWanted && typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value.trim()) ? Number(value) : value
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
