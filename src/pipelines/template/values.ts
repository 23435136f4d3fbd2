// What the values of a template are to its operators: kinds, own members, truth, equality, order, text.
import { canonical, type Json, type JsonObject } from '../../base/json.ts'

export type KindOfValue = 'nothing' | 'flag' | 'number' | 'text' | 'list' | 'object'

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

export function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function kindOf(value: Json): KindOfValue {
  if (value === null) return 'nothing'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'flag'
  return isList(value) ? 'list' : 'object'
}

/** A member that the object itself has; null where there is none, whatever its prototype offers. */
export function ownMember(of: JsonObject, name: string): Json {
  return Object.hasOwn(of, name) ? (of[name] ?? null) : null
}

/** The element by a key that is written as a number from 0; null where there is none. */
export function elementAt(list: readonly Json[], key: string): Json {
  return /^\d{1,9}$/.test(key) ? (list[Number(key)] ?? null) : null
}

/** Is told how many characters are about to be looked at. Members of objects count too, ten each. */
export type Measure = (characters: number) => void

/** The names of an object, counted. */
export function namesOf(of: JsonObject, measure: Measure): readonly string[] {
  const names = Object.keys(of)
  measure(names.length * 10)
  return names
}

/** What counts as no: nothing, false, zero, an empty text, list or object. */
export function isTruthy(value: Json, measure: Measure): boolean {
  if (isList(value)) return value.length > 0
  return isMap(value) ? namesOf(value, measure).length > 0 : Boolean(value)
}

/**
 * Equality of two values. A number equals the text that it renders as, and so does a flag: what people type comes as text.
 * Lists and objects are equal when all of them is.
 */
export function areEqual(left: Json, right: Json, measure: Measure): boolean {
  if (left === null || right === null) return left === right
  if (typeof left === 'object' || typeof right === 'object') return areAllEqual(left, right, measure)
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false
    measure(left.length)
  }
  return typeof left === typeof right ? left === right : String(left) === String(right)
}

function areAllEqual(left: Json, right: Json, measure: Measure): boolean {
  if (typeof left !== typeof right) return false
  const [one, other] = [canonical(left), canonical(right)]
  measure((one.length + other.length) * 3)
  return one === other
}

/** Below 0, 0 or above 0; NaN where the two have no order. Texts that are numbers are compared as numbers. */
export function order(left: Json, right: Json, measure: Measure): number {
  const [one, other] = [numberOf(left), numberOf(right)]
  if (one !== null && other !== null) return one - other
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN
  measure(Math.min(left.length, right.length))
  return left < right ? -1 : Number(left > right)
}

/** Whether an order is what an operator asks for; what has no order never is. */
export function isOrdered(operator: '>' | '>=' | '<' | '<=', found: number): boolean {
  if (operator === '>') return found > 0
  if (operator === '>=') return found >= 0
  return operator === '<' ? found < 0 : found <= 0
}

/** A number, or a text that is one in decimal notation; else null. */
export function numberOf(value: Json): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > 40) return null
  return /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null
}

/** What a value renders as. Lists and objects are JSON. Throws a RangeError when they are nested too deeply for that. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (typeof value === 'number') return String(value + 0)
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}
