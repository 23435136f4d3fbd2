// What is done to an input before it is looked up, token by token. Source: EDDI's digest, section 1.4.
import type { JsonObject } from '../../base/json.ts'
import { ordinalOf, timeOf } from './builtin.ts'
import { classOf, hasSign, type Signs } from './pattern/pattern.ts'
import { isOn } from './settings.ts'

/** The text with its tokens one space apart. */
export type Normalizer = (text: string) => string

/** By the last part of their type. They throw PatternFault where a configuration names signs that can't be read. */
export const normalizers: Readonly<Record<string, (config: JsonObject) => Normalizer>> = {
  punctuation: (config) => {
    const signs = punctuationOf(config)
    const isRemoving = isOn(config['removePunctuation'], false)
    return byToken((token) => (isExempt(token) ? token : apart(token, signs, isRemoving)))
  },
  specialCharacter: () => byToken(plain),
  contractedWords: () => byToken((token) => contractions.get(token.toLowerCase()) ?? token),
  allowedCharacter: () => byToken((token) => keptSigns(token, allowed)),
}

/** The first of them; what is behind is not looked at. */
export function firstTokens(text: string, most: number): readonly string[] {
  const tokens: string[] = []
  for (const [token] of text.matchAll(/\S+/g)) {
    if (tokens.push(token) >= most) break
  }
  return tokens
}

export function tokensOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((token) => token !== '')
}

/** One space between tokens, none around them. */
export const byToken =
  (change: (token: string) => string): Normalizer =>
  (text) =>
    tokensOf(tokensOf(text).map(change).join(' ')).join(' ')

export function punctuationOf(config: JsonObject): Signs {
  const given = config['punctuationRegexPattern']
  return classOf(typeof given === 'string' && given !== '' ? given : '!?:.,;')
}

export function hasPunctuation(token: string, signs: Signs): boolean {
  return [...token].some((sign) => hasSign(signs, sign))
}

const allowed = classOf('A-Za-z0-9!?:;.,')

export function keptSigns(token: string, signs: Signs): string {
  return [...token].filter((sign) => hasSign(signs, sign)).join('')
}

function isExempt(token: string): boolean {
  return timeOf(token) !== null || ordinalOf(token) !== null
}

function apart(token: string, signs: Signs, isRemoving: boolean): string {
  return [...token].map((sign) => (hasSign(signs, sign) ? (isRemoving ? ' ' : ` ${sign} `) : sign)).join('')
}

const special: ReadonlyMap<string, string> = new Map([
  ...[...'ÄäÖöÜüẞß'].map((sign, at): [string, string] => [sign, ['ae', 'ae', 'oe', 'oe', 'ue', 'ue', 'ss', 'ss'][at] ?? sign]),
  ...[...'‘’‚‛´`'].map((sign): [string, string] => [sign, "'"]),
  ...[...'łŁ'].map((sign): [string, string] => [sign, sign === 'ł' ? 'l' : 'L']),
  ...[...'“”„‟'].map((sign): [string, string] => [sign, '"']),
])

/** Curly quotes straight, umlauts as two letters, other letters without their accents. */
function plain(token: string): string {
  const spelled = [...token.normalize('NFC')].map((sign) => special.get(sign) ?? sign).join('')
  return spelled.normalize('NFD').replace(/\p{M}+/gu, '')
}

/** `won't` is what EDDI makes of it. */
const contractions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "don't": 'do not',
    "doesn't": 'does not',
    "didn't": 'did not',
    "can't": 'cannot',
    "couldn't": 'could not',
    "won't": 'would not',
    "wasn't": 'was not',
    "weren't": 'were not',
    "shouldn't": 'should not',
    "haven't": 'have not',
    "hasn't": 'has not',
    "i'm": 'i am',
    "you're": 'you are',
    "he's": 'he is',
    "she's": 'she is',
    "it's": 'it is',
    "they're": 'they are',
    "we're": 'we are',
  }),
)
