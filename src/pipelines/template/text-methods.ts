// Methods of texts. Each is safe for nothing at all, and never fails for an index that lies outside.
import type { Json } from '../../base/json.ts'
import type { Call, Method } from './methods.ts'

export const textMethods: { readonly [name: string]: Method } = {
  toLowerCase: changing((text) => text.toLowerCase()),
  toUpperCase: changing((text) => text.toUpperCase()),
  trim: changing(trimmed),
  strip: changing((text) => text.trim()),
  isBlank: { args: [0, 0], bare: ['text'], apply: (call) => (call.text() ?? '').trim() === '' },
  charAt: { args: [1, 1], bare: [], apply: (call) => within(call, (text) => text.charAt(call.numberArg(0) ?? -1)) },
  substring: { args: [1, 2], bare: [], apply: (call) => within(call, (text) => part(text, call)) },
  startsWith: { args: [1, 1], bare: [], apply: (call) => compare(call, (text, other) => text.startsWith(other)) },
  endsWith: { args: [1, 1], bare: [], apply: (call) => compare(call, (text, other) => text.endsWith(other)) },
  equalsIgnoreCase: { args: [1, 1], bare: [], apply: (call) => compare(call, isSameWord) },
  lastIndexOf: { args: [1, 1], bare: [], apply: lastPlace },
  replace: { args: [2, 2], bare: [], apply: replaced },
  replaceAll: { args: [2, 2], bare: [], apply: replaced },
  concat: { args: [1, 1], bare: [], apply: joined },
  split: { args: [1, 1], bare: [], apply: pieces },
}

function changing(change: (text: string) => string): Method {
  return { args: [0, 0], bare: ['text', 'number'], apply: (call) => within(call, change) }
}

/** A change that makes a text no longer than about what it was. */
function within(call: Call, change: (text: string) => string): Json {
  const text = call.text()
  if (text === null) return null
  call.make(text.length)
  return change(text)
}

/** Without the control characters and spaces at both ends: those up to U+0020. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= 32) start++
  while (end > start && text.charCodeAt(end - 1) <= 32) end--
  return text.slice(start, end)
}

function part(text: string, call: Call): string {
  const start = Math.max(0, call.numberArg(0) ?? 0)
  return text.slice(start, Math.max(start, call.numberArg(1) ?? text.length))
}

function compare(call: Call, isSo: (text: string, other: string) => boolean): boolean {
  const [text, other] = [call.text(), call.textArg(0)]
  return text !== null && other !== null && isSo(text, other)
}

function isSameWord(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase()
}

function lastPlace(call: Call): number {
  const [text, other] = [call.text(), call.textArg(0)]
  if (text === null || other === null) return -1
  call.search(text, other)
  return text.lastIndexOf(other)
}

/** All places of a text by another one; both stand for themselves, no sign has a meaning. */
function replaced(call: Call): Json {
  const [text, target, by] = [call.text(), call.textArg(0), call.textArg(1) ?? '']
  if (text === null || target === null) return text
  call.search(text, target)
  const places = countPlaces(text, target)
  call.make(text.length + places * (by.length - target.length))
  return text.replaceAll(target, () => by)
}

function countPlaces(text: string, target: string): number {
  if (target === '') return text.length + 1
  let places = 0
  for (let at = text.indexOf(target); at >= 0; at = text.indexOf(target, at + target.length)) places++
  return places
}

function joined(call: Call): Json {
  const [text, other] = [call.text(), call.textArg(0)]
  if (text === null || other === null) return text ?? other
  call.make(text.length + other.length)
  return text + other
}

function pieces(call: Call): Json {
  const [text, separator] = [call.text(), call.textArg(0)]
  if (text === null) return []
  if (separator === null) return [text]
  call.search(text, separator)
  call.measure(text.length * 10)
  return text.split(separator)
}
