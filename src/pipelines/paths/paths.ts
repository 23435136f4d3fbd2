// The paths that property instructions and conditions name values by: `memory.current.input`, `items[0].city`, `properties.count+1`,
// `name+' '`. Pure; only own members of plain data are found. Source: EDDI's digest, section 1.5, and what its tests show.
import { isObject, type Json, type JsonObject } from '../../base/json.ts'

/** Longer paths, and more signs to reckon with in one, lead nowhere. */
export const pathLimits = { characters: 2_000, operations: 20 } as const

/**
 * The value, undefined where there is none. The whole path is followed first, so a name may hold a sign (`first-name`). Only then `+` and
 * `-` are read: numbers are added and subtracted, `+` with a text on either side puts together.
 */
export function valueAt(path: string | null | undefined, root: Json): Json | undefined {
  if (!path || path.length > pathLimits.characters) return undefined
  return reckoned(path.trim(), root, pathLimits.operations)
}

function reckoned(path: string, root: Json, operations: number): Json | undefined {
  const plain = follow(path, root)
  if (plain !== undefined || operations === 0) return plain
  for (const at of signsIn(path).slice(0, pathLimits.operations)) {
    const right = operand(path.slice(at + 1).trim(), root)
    if (right === undefined) continue
    const left = operand(path.slice(0, at).trim(), root) ?? reckoned(path.slice(0, at).trim(), root, operations - 1)
    return left === undefined ? undefined : combined(left, path[at] === '-' ? '-' : '+', right)
  }
  return undefined
}

/** Where + and - stand outside of quotes, the last first. */
function signsIn(path: string): readonly number[] {
  const found: number[] = []
  let isQuoted = false
  for (let at = 0; at < path.length; at++) {
    if (path[at] === "'") isQuoted = !isQuoted
    else if (!isQuoted && at > 0 && (path[at] === '+' || path[at] === '-')) found.unshift(at)
    if (found.length > pathLimits.operations) found.pop()
  }
  return found
}

/** A number, a text in quotes, or what a plain path leads to. */
function operand(text: string, root: Json): Json | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1)
  return follow(text, root)
}

function combined(left: Json, sign: '+' | '-', right: Json): Json | undefined {
  if (typeof left === 'number' && typeof right === 'number') return sign === '+' ? left + right : left - right
  if (sign === '-' || (typeof left !== 'string' && typeof right !== 'string')) return undefined
  return `${textOf(left)}${textOf(right)}`
}

function follow(path: string, root: Json): Json | undefined {
  const steps = stepsOf(path)
  if (steps === null) return undefined
  let value: Json | undefined = root
  for (const step of steps) value = value === undefined ? undefined : memberOf(value, step)
  return value
}

function memberOf(value: Json, step: string | number): Json | undefined {
  if (typeof step === 'number') return isList(value) ? value[step] : undefined
  return isPlain(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** `a.b[0]` as ['a', 'b', 0]; null: it is no path. */
function stepsOf(path: string): readonly (string | number)[] | null {
  const steps: (string | number)[] = []
  for (const [position, part] of path.split('.').entries()) {
    const open = part.indexOf('[')
    const name = open < 0 ? part : part.slice(0, open)
    const indexes = open < 0 ? [] : [...part.slice(open).matchAll(/\[(\d{1,9})\]/g)]
    if (open >= 0 && indexes.map(([text]) => text).join('') !== part.slice(open)) return null
    if (name === '' && (open < 0 || position > 0)) return null
    if (name !== '') steps.push(name)
    for (const [, index] of indexes) steps.push(Number(index))
  }
  return steps
}

/**
 * The root with that value at a plain path: a new one, nothing is changed in place. All but the last step has to be
 * there, and a list takes an index that it has; where a path can't lead, the root comes back as it is.
 */
export function withValueAt(path: string, root: JsonObject, value: Json): JsonObject {
  const steps = path.length > pathLimits.characters ? null : stepsOf(path.trim())
  if (steps === null) return root
  const made = placed(root, steps, value)
  return made !== undefined && isPlain(made) ? made : root
}

function placed(at: Json | undefined, steps: readonly (string | number)[], value: Json): Json | undefined {
  const [step, ...rest] = steps
  if (step === undefined) return value
  const inner = at === undefined ? undefined : placed(memberOf(at, step), rest, value)
  if (inner === undefined) return undefined
  if (typeof step === 'number') return isList(at) && step < at.length ? at.with(step, inner) : undefined
  return isPlain(at) ? { ...at, [step]: inner } : undefined
}

export type PathMatch = {
  readonly valuePath: string | null | undefined
  readonly equals?: string | null | undefined
  readonly contains?: string | null | undefined
}

/**
 * Whether the value's text is `equals`, or it is a text with `contains` in it, or a list with that text as a member. Neither is asked
 * for: whether there is a value, and not `false`.
 */
export function pathMatches({ valuePath, equals, contains }: PathMatch, root: Json): boolean {
  const value = valueAt(valuePath, root)
  if (value === undefined || value === null) return false
  if (!equals && !contains) return value !== false
  if (equals && textOf(value) === equals) return true
  return contains ? (typeof value === 'string' || isList(value)) && value.includes(contains) : false
}

/** Members of a list or an object; a number, or a text that is one, itself; characters of another text; nothing is 0. */
export function sizeOf(value: Json | undefined): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number') return value
  if (isList(value)) return value.length
  if (isPlain(value)) return Object.keys(value).length
  const text = String(value)
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text.length
}

function textOf(value: Json): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isPlain(value: Json | undefined): value is JsonObject {
  return isObject(value)
}
