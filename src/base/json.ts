// JSON as a type, and its one canonical text.

/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Whether it is a JSON object, not null and not a list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same of a JSON value, whose members are JSON then. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value)
}

/**
 * The text of a value with its keys sorted, so that equal values have equal texts.
 * Keys whose value is undefined are left out, like JSON.stringify does.
 */
export function canonical(value: unknown): string {
  if (value === undefined) return 'null'
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const parts: string[] = []
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${canonical(member)}`)
  }
  return `{${parts.join(',')}}`
}

/** What a value is after one trip through JSON: Dates become strings, undefined members vanish, NaN becomes null (T16). */
export function jsonCopy<T>(value: T): T {
  return copied(value) as T
}

/** Plain lists and objects are copied as they are, which costs a third of the trip; whatever else there is makes it. */
function copied(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (Array.isArray(value) && !('toJSON' in value)) return Array.from(value, copied)
  if (!isObject(value) || !isPlain(value)) return trip(value)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    copy[key] = copied(member)
  }
  return copy
}

/** Its members are all that JSON sees of it. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value) && !Object.hasOwn(value, '__proto__')
}

function trip(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? null : JSON.parse(text)
}

/** Whether the value's JSON has surely no more than so many UTF-16 units. Cheap: nothing is written. Lists and plain objects only. */
export function isSurelyShort(value: Json, units: number): boolean {
  return left(value, units) >= 0
}

/** Of a string's units each may become six. */
function left(value: Json, units: number): number {
  if (typeof value === 'string') return units - value.length * 6 - 2
  if (typeof value !== 'object' || value === null) return units - 25
  let rest = units - 2
  for (const key of Object.keys(value)) {
    if (rest < 0) return rest
    rest = left((value as { readonly [key: string]: Json })[key] ?? null, rest - key.length * 6 - 4)
  }
  return rest
}
