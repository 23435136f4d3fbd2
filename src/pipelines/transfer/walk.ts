// Going through the texts of a configuration.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'

/** Every text of a value, with the path to it. Values of an import are at most as deep as its limits say. */
export function mapTexts(value: Json, change: (text: string, path: readonly string[]) => string, path: readonly string[] = []): Json {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value)) return value.map((one, at) => mapTexts(one, change, [...path, String(at)]))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change, [...path, name])]))
}

/** The same for a configuration as a whole. */
export function mapObject(value: JsonObject, change: (text: string, path: readonly string[]) => string): JsonObject {
  const changed = mapTexts(value, change)
  return isJsonObject(changed) ? changed : value
}

/** With sorted members, so that equal values give equal texts. */
export function sortedText(value: Json): string {
  return JSON.stringify(value, (_, one: Json) =>
    isJsonObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  )
}
