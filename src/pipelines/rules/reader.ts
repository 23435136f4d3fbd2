// How a type of condition reads its configuration.
import type { Condition } from '../configuration.ts'
import type { CompiledCondition, Evaluate } from './condition.ts'

/** What a type reads of its configuration. What is missing or wrong is told to `fault`; reading goes on, to find all faults. */
export type ConditionReader = {
  readonly type: string
  readonly children: readonly CompiledCondition[]
  /** The text under that key as it is; '' when there is none. */
  text(key: string): string
  /** A text that must not be blank; `what` says what belongs there. */
  required(key: string, what: string): string
  /** One of some words; the first one when it is left out. */
  oneOf<Word extends string>(key: string, words: readonly [Word, ...Word[]]): Word
  /** A whole number from -1; -1 when it is left out. */
  whole(key: string): number
  fault(sentence: string): void
}

/** `keys`: what its configuration may name. `read` is given a reader and makes the way to look at it. */
export type ConditionType = { readonly keys: readonly string[]; readonly read: (reader: ConditionReader) => Evaluate }

export function readerOf(
  condition: Condition,
  type: ConditionType,
  given: { readonly children: readonly CompiledCondition[]; readonly fault: (sentence: string) => void },
): ConditionReader {
  const text = (key: string): string => (Object.hasOwn(condition.configs, key) ? (condition.configs[key] ?? '') : '')
  const strange = Object.keys(condition.configs).filter((key) => !type.keys.includes(key))
  const hint = strange.length > 0 ? `; "${strange.slice(0, 3).join('", "')}" is not known to it` : ''
  return {
    type: condition.type,
    children: given.children,
    text,
    fault: given.fault,
    required(key, what) {
      const value = text(key)
      if (value.trim() === '') given.fault(`${condition.type} needs "${key}", ${what}${hint}`)
      return value
    },
    oneOf(key, words) {
      const value = text(key).trim()
      const known = value === '' ? words[0] : words.find((word) => word === value)
      if (known === undefined) given.fault(`${condition.type} has "${key}": "${value}"; allowed are ${words.join(', ')}`)
      return known ?? words[0]
    },
    whole(key) {
      const value = wholeNumber(text(key))
      if (value === null) given.fault(`${condition.type} has "${key}": "${text(key)}"; allowed is a whole number`)
      return value ?? -1
    },
  }
}

/** -1 when it is blank; null when it is no whole number of at most nine digits. Less than -1 is -1. */
export function wholeNumber(text: string): number | null {
  const given = text.trim()
  if (given === '') return -1
  return /^[+-]?\d{1,9}$/.test(given) ? Math.max(-1, Number(given)) : null
}
