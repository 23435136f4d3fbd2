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
  return value === undefined ? (null as T) : (JSON.parse(JSON.stringify(value)) as T)
}
