// A model's arguments as text become an object. What is broken inside a string literal is mended, because its meaning is plain;
// nothing is ever closed, added or left out: arguments that were cut stay incomplete (F01).
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import type { ToolCall } from './message.ts'

/** What a model is told that sent an incomplete call; whoever runs tools answers the call with it, once. */
export const incompleteText =
  'Not run: the arguments of this call were incomplete or no JSON object. Send the call again, with whole arguments.'

/** Arguments as they came, or incomplete when they are no JSON object. `cut`: the answer ended at its length inside this call. */
export function toolCall(given: { id: string; name: string; raw: string; cut: boolean; mark?: string }): ToolCall {
  const { id, name, raw, cut, mark } = given
  const input = cut ? null : parseArguments(raw)
  if (input === null) return { state: 'incomplete', id, name, raw: raw.slice(0, 500).toWellFormed() }
  return { state: 'complete', id, name, input, ...(mark === undefined ? {} : { mark }) }
}

/** null: no whole JSON object. An empty text means no arguments. */
export function parseArguments(raw: string): JsonObject | null {
  if (raw.trim() === '') return {}
  const parsed = parse(raw) ?? parse(mendStrings(raw))
  return parsed === null ? null : wellFormed(parsed)
}

function parse(text: string | null): JsonObject | null {
  if (text === null) return null
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' }

/** The same text with raw control characters escaped and wrong escapes made plain, inside strings only; null when a string is open. */
function mendStrings(text: string): string | null {
  let out = ''
  let isInside = false
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at)
    if (one === '"') isInside = !isInside
    if (isInside && one === '\\') {
      const { mended, length } = escapeAt(text, at)
      out += mended
      at += length - 1
    } else out += isInside && one < ' ' ? (escapes[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`) : one
  }
  return isInside ? null : out
}

/** `\d` was meant as it stands there, `\'` as the quote alone. */
function escapeAt(text: string, at: number): { readonly mended: string; readonly length: number } {
  const next = text.charAt(at + 1)
  if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return { mended: text.slice(at, at + 6), length: 6 }
  if (next !== '' && '"\\/bfnrt'.includes(next)) return { mended: `\\${next}`, length: 2 }
  if (next === "'") return { mended: "'", length: 2 }
  return { mended: '\\\\', length: 1 }
}

/** No store keeps half characters or NUL. */
export function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function wellFormed(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [clean(key), wellFormedValue(value)]))
}

function wellFormedValue(value: Json): Json {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(wellFormedValue)
  return isObject(value) ? wellFormed(value) : value
}
