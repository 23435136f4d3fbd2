// The classes of a pattern: [a-z&&[^b]], \d, \p{Alpha}. As in Java: \d, \w and \s are ASCII.

import { fault, patternLimits, type Reader, take } from './reader.ts'
import { allBut, bothOf, codeOf, everySign, propertySigns, type Range, type Signs, signsIn, signsOf, unionOf } from './signs.ts'

const upper: Range = [0x41, 0x5a]
const lower: Range = [0x61, 0x7a]
const digit: Range = [0x30, 0x39]
const marks: readonly Range[] = [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]] // biome-ignore format: a table
const space = signsIn(' \t\n\v\f\r')
const flat = signsIn(' \t\u00a0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000')
const turns = signsIn('\n\v\f\r\u0085\u2028\u2029')

const shorthands: ReadonlyMap<string, Signs> = new Map([
  ['d', signsOf(digit)],
  ['w', signsOf(upper, lower, digit, [0x5f, 0x5f])],
  ['s', space],
  ['h', flat],
  ['v', turns],
  ['R', turns],
  ...Object.entries({ t: '\t', n: '\n', r: '\r', f: '\f', a: '\u0007', e: '\u001b' }).map(([name, sign]): [string, Signs] => [
    name,
    signsIn(sign),
  ]),
])

const posix: ReadonlyMap<string, Signs> = new Map([
  ['Lower', signsOf(lower)],
  ['Upper', signsOf(upper)],
  ['ASCII', signsOf([0, 0x7f])],
  ['Alpha', signsOf(lower, upper)],
  ['Digit', signsOf(digit)],
  ['Alnum', signsOf(lower, upper, digit)],
  ['Punct', signsOf(...marks)],
  ['Graph', signsOf([0x21, 0x7e])],
  ['Print', signsOf([0x20, 0x7e])],
  ['Blank', signsIn(' \t')],
  ['Cntrl', signsOf([0, 0x1f], [0x7f, 0x7f])],
  ['XDigit', signsOf(digit, [0x41, 0x46], [0x61, 0x66])],
  ['Space', space],
])

/** By Unicode's short names, and Java's for the same. ASCII members of each, for comparing. */
const properties: ReadonlyMap<string, Signs> = new Map([
  ...(['L', 'Ll', 'Lu', 'Lt', 'Lm', 'Lo', 'M', 'Mn'] as const).map((name): [string, Signs] => [name, propertySigns(name, [upper, lower])]),
  ...(['N', 'Nd', 'Nl', 'No'] as const).map((name): [string, Signs] => [name, propertySigns(name, [digit])]),
  ...(['P', 'Pd', 'Ps', 'Pe', 'Pc', 'Po', 'S', 'Sm', 'Sc', 'Sk', 'So'] as const).map((name): [string, Signs] => [
    name,
    propertySigns(name, marks),
  ]),
  ...(['Z', 'Zs'] as const).map((name): [string, Signs] => [name, propertySigns(name, [[0x20, 0x20]])]),
  ['IsAlphabetic', propertySigns('Alphabetic', [upper, lower])],
  ['IsLetter', propertySigns('L', [upper, lower])],
  ['IsDigit', propertySigns('Nd', [digit])],
  ['IsUppercase', propertySigns('Uppercase', [upper])],
  ['IsLowercase', propertySigns('Lowercase', [lower])],
  ['IsPunctuation', propertySigns('P', marks)],
  ['IsWhite_Space', propertySigns('White_Space', [[0x09, 0x0d], [0x20, 0x20]])], // biome-ignore format: a table
  ['javaLetter', propertySigns('L', [upper, lower])],
  ['javaLowerCase', propertySigns('Lowercase', [lower])],
  ['javaUpperCase', propertySigns('Uppercase', [upper])],
])

/** After "[": up to and with "]". Between two `&&` stands what all sides must hold. */
export function readClass(reader: Reader): Signs {
  if (++reader.depth > patternLimits.depth) throw fault(reader, `nests more than ${patternLimits.depth} groups`)
  const isNegated = take(reader, '^')
  const start = reader.at
  const sides: Signs[][] = [[]]
  for (;;) {
    const sign = reader.signs[reader.at++]
    if (sign === undefined) throw fault(reader, 'has a "[" that is not closed')
    if (sign === ']' && reader.at > start + 1) break
    if (sign === '&' && take(reader, '&')) sides.push([])
    else sides.at(-1)?.push(sign === '[' ? readClass(reader) : readMember(reader, sign))
  }
  reader.depth--
  const all = sides
    .filter((side) => side.length > 0)
    .map(unionOf)
    .reduce(bothOf, everySign)
  return isNegated ? allBut(all) : all
}

/** One sign, a range of them, or an escape. */
function readMember(reader: Reader, sign: string): Signs {
  const from = sign === '\\' ? readEscape(reader) : signsIn(sign)
  const next = reader.signs[reader.at + 1]
  if (reader.signs[reader.at] !== '-' || next === undefined || next === ']' || next === '[' || !isOne(from)) return from
  reader.at += 2
  const to = next === '\\' ? readEscape(reader) : signsIn(next)
  const [low, high] = [from.ranges[0]?.[0] ?? 0, to.ranges[0]?.[0] ?? 0]
  if (!isOne(to) || high < low) throw fault(reader, `has a range in [...] that ends before it begins, at character ${reader.at}`)
  return signsOf([low, high])
}

function isOne({ ranges, isExact }: Signs): boolean {
  return isExact && ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1]
}

/** After "\\". */
export function readEscape(reader: Reader): Signs {
  const sign = reader.signs[reader.at++]
  if (sign === undefined) throw fault(reader, 'ends with "\\"')
  if (sign === 'p' || sign === 'P') return sign === 'p' ? readProperty(reader) : allBut(readProperty(reader))
  const known = shorthands.get(sign)
  if (known !== undefined) return known
  const opposite = /[DWSHV]/.test(sign) ? shorthands.get(sign.toLowerCase()) : undefined
  if (opposite !== undefined) return allBut(opposite)
  if (sign === 'x' || sign === 'u') return readCode(reader, sign)
  if (/[A-Za-z0-9]/.test(sign)) throw fault(reader, `has an escape "\\${sign}" that is not known`)
  return signsIn(sign)
}

function readCode(reader: Reader, kind: 'x' | 'u'): Signs {
  const rest = reader.signs.slice(reader.at, reader.at + 10).join('')
  const found = (kind === 'u' ? /^([0-9a-fA-F]{4})/ : /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/).exec(rest)
  const code = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16)
  if (found === null || !(code <= 0x10ffff)) throw fault(reader, `has "\\${kind}" without the digits of a character`)
  reader.at += found[0].length
  return signsOf([code, code])
}

function readProperty(reader: Reader): Signs {
  const rest = reader.signs.slice(reader.at, reader.at + 40).join('')
  const found = /^(?:\{([A-Za-z_]+)\}|([A-Z]))/.exec(rest)
  const name = found?.[1] ?? found?.[2] ?? ''
  const set = posix.get(name) ?? properties.get(name) ?? properties.get(name.replace(/^Is/, ''))
  if (found === null || set === undefined) {
    throw fault(reader, `names a property \\p{${name}} that is not known; known are ${[...posix.keys(), ...properties.keys()].join(', ')}`)
  }
  reader.at += found[0].length
  return set
}

/** The characters that a class in `[...]` would hold, without the brackets, as in `!?:.,;`. Throws PatternFault. */
export function classOf(members: string): Signs {
  const source = `[${members}]`
  const reader: Reader = { source, signs: [...source], at: 1, depth: 0, isAnyCase: false, isDotAll: false }
  const set = readClass(reader)
  if (reader.at < reader.signs.length) throw fault(reader, 'closes its class before its end')
  return set
}

export function hasSign({ ranges }: Signs, sign: string): boolean {
  const code = codeOf(sign)
  return ranges.some(([from, to]) => from <= code && code <= to)
}
