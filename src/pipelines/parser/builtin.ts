// The six dictionaries that know kinds of tokens: integer, decimal, email, time, ordinalNumber, punctuation. Times of day are
// milliseconds of the epoch's first day in UTC, the same on every machine. Source: EDDI's digest, section 1.4.
import { type Expression, expressionOf, isNumber } from '../expressions/expressions.ts'
import type { Source } from './found.ts'

type Kind = { readonly isAlwaysAsked: boolean; readonly read: (token: string) => Expression | null }

const punctuation: ReadonlyMap<string, string> = new Map([
  ['!', 'exclamation_mark'],
  ['?', 'question_mark'],
  ['.', 'dot'],
  [',', 'comma'],
  [':', 'colon'],
  [';', 'semicolon'],
])

export const builtins: Readonly<Record<string, Kind>> = {
  integer: { isAlwaysAsked: true, read: (token) => (isInteger(token) ? expressionOf('integer', token) : null) },
  decimal: { isAlwaysAsked: false, read: (token) => (isDecimal(token) ? expressionOf('decimal', token.replace(',', '.')) : null) },
  email: { isAlwaysAsked: false, read: (token) => (isEmail(token) ? expressionOf('email', token) : null) },
  time: { isAlwaysAsked: true, read: (token) => named('time', timeOf(token)) },
  ordinalNumber: { isAlwaysAsked: false, read: (token) => named('ordinal_number', ordinalOf(token)) },
  punctuation: { isAlwaysAsked: true, read: (token) => named('punctuation', punctuation.get(token) ?? null) },
}

/** Longer tokens are none of these. */
const mostLength = 254

export function builtinSource({ isAlwaysAsked, read }: Kind): Source {
  return {
    language: null,
    isAlwaysAsked,
    find(token) {
      const expression = token.length > mostLength ? null : read(token)
      return expression === null ? [] : [{ word: token, expressions: [expression], accuracy: 1, isCorrected: false }]
    },
  }
}

function named(name: string, value: string | number | null): Expression | null {
  return value === null ? null : expressionOf(name, String(value))
}

export function isInteger(token: string): boolean {
  return /^\d+$/.test(token)
}

/** A number with a comma or a dot. */
export function isDecimal(token: string): boolean {
  return isNumber(token) && !isInteger(token)
}

/** Letters, digits and . _ % + - before one "@", letters, digits, . and - behind it, and a last part of two to four letters. */
export function isEmail(token: string): boolean {
  const [local = '', domain = '', ...more] = token.split('@')
  const dot = domain.lastIndexOf('.')
  if (more.length > 0 || dot < 1 || !/^[A-Za-z]{2,4}$/.test(domain.slice(dot + 1))) return false
  return /^\w[\w.%+-]*$/.test(local) && /^[A-Za-z0-9.-]+$/.test(domain)
}

/** Milliseconds since midnight of `12h10`, `15h`, `9:05`, `13:50:12`; 24:00 is midnight. null: it is no time. */
export function timeOf(token: string): number | null {
  const found = /^(\d{1,2})(?:h(\d\d)?|:(\d\d)(?::(\d\d))?)$/i.exec(token)
  if (found === null) return null
  const [hours, minutes, seconds] = [Number(found[1]), Number(found[2] ?? found[3] ?? 0), Number(found[4] ?? 0)]
  if (minutes > 59 || seconds > 59 || hours > 24 || (hours === 24 && minutes + seconds > 0)) return null
  return (((hours % 24) * 60 + minutes) * 60 + seconds) * 1_000
}

/** 21 of `21st` and `21.`; with a dot one or two digits. null: it is no ordinal number. */
export function ordinalOf(token: string): number | null {
  const digits = /^(?:(\d{1,15})(?:st|nd|rd|th)|(\d{1,2})\.)$/i.exec(token)
  return digits === null ? null : Number(digits[1] ?? digits[2])
}
