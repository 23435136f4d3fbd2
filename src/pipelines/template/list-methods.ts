// Methods of lists, of objects and of numbers, and those that texts share with lists.
import type { Json } from '../../base/json.ts'
import type { Call, Method } from './methods.ts'
import { areEqual, isList, isMap, namesOf, numberOf, ownMember, textOf } from './values.ts'

export const listMethods: { readonly [name: string]: Method } = {
  size: { args: [0, 0], bare: ['list', 'object', 'text'], apply: size },
  length: { args: [0, 0], bare: ['list', 'text', 'number'], apply: size },
  isEmpty: { args: [0, 0], bare: ['nothing', 'list', 'object', 'text'], apply: (call) => size(call) === 0 },
  empty: { args: [0, 0], bare: ['nothing', 'list', 'object', 'text'], apply: (call) => size(call) === 0 },
  contains: { args: [1, 1], bare: [], apply: (call) => (isMap(call.self) ? hasKey(call) : place(call) >= 0) },
  containsKey: { args: [1, 1], bare: [], apply: hasKey },
  indexOf: { args: [1, 1], bare: [], apply: place },
  get: { args: [1, 1], bare: [], apply: element },
  first: { args: [0, 0], bare: ['list'], apply: (call) => (isList(call.self) ? (call.self[0] ?? null) : null) },
  last: { args: [0, 0], bare: ['list'], apply: (call) => (isList(call.self) ? (call.self.at(-1) ?? null) : null) },
  take: { args: [1, 1], bare: [], apply: (call) => some(call, (list, n) => list.slice(0, n)) },
  takeLast: { args: [1, 1], bare: [], apply: (call) => some(call, (list, n) => list.slice(Math.max(0, list.length - n))) },
  reversed: { args: [0, 0], bare: ['list'], apply: (call) => some(call, (list) => list.toReversed()) },
  join: { args: [0, 1], bare: ['list'], apply: join },
  keys: { args: [0, 0], bare: ['object'], apply: keys },
  keySet: { args: [0, 0], bare: ['object'], apply: keys },
  values: { args: [0, 0], bare: ['object'], apply: (call) => entriesOf(call).map(([, value]) => value) },
  entrySet: { args: [0, 0], bare: ['object'], apply: (call) => entriesOf(call).map(([key, value]) => ({ key, value })) },
  plus: { args: [1, 1], bare: [], apply: (call) => sum(call, 1) },
  minus: { args: [1, 1], bare: [], apply: (call) => sum(call, -1) },
  mod: { args: [1, 1], bare: [], apply: remainder },
}

function size(call: Call): number {
  if (isList(call.self)) return call.self.length
  if (isMap(call.self)) return namesOf(call.self, call.measure).length
  return typeof call.self === 'string' ? call.self.length : textOf(call.self).length
}

function hasKey(call: Call): boolean {
  const key = call.textArg(0)
  return key !== null && isMap(call.self) && Object.hasOwn(call.self, key)
}

/** Where in a list or a text something is; -1 where it is not. */
function place(call: Call): number {
  const list = call.self
  if (isList(list)) {
    call.measure(list.length * 10)
    return list.findIndex((one) => areEqual(one, call.arg(0), call.measure))
  }
  const [text, other] = [call.text(), call.textArg(0)]
  if (text === null || other === null) return -1
  call.search(text, other)
  return text.indexOf(other)
}

function element(call: Call): Json {
  if (isMap(call.self)) return ownMember(call.self, call.textArg(0) ?? '')
  const index = call.numberArg(0)
  return isList(call.self) && index !== null && index >= 0 ? (call.self[index] ?? null) : null
}

function some(call: Call, choose: (list: readonly Json[], count: number) => readonly Json[]): Json {
  if (!isList(call.self)) return null
  call.measure(call.self.length * 10)
  return choose(call.self, Math.max(0, call.numberArg(0) ?? 0))
}

function join(call: Call): Json {
  if (!isList(call.self)) return call.text()
  const separator = call.textArg(0) ?? ''
  call.measure(call.self.length * 10)
  const texts: string[] = []
  let length = 0
  for (const one of call.self) {
    const text = textOf(one)
    length += text.length + separator.length
    call.make(text.length + separator.length)
    texts.push(text)
  }
  call.make(length)
  return texts.join(separator)
}

function keys(call: Call): Json {
  return isMap(call.self) ? namesOf(call.self, call.measure) : []
}

/** Counted as their names and as what is made of each: that takes four times as long. */
function entriesOf(call: Call): readonly (readonly [string, Json])[] {
  if (!isMap(call.self)) return []
  call.measure(namesOf(call.self, call.measure).length * 30)
  return Object.entries(call.self)
}

function sum(call: Call, sign: number): Json {
  const [left, right] = [numberOf(call.self), numberOf(call.arg(0))]
  return left === null || right === null ? null : left + sign * right
}

function remainder(call: Call): Json {
  const [left, right] = [numberOf(call.self), numberOf(call.arg(0))]
  return left === null || !right ? null : left % right
}
