// Reads a regular expression as Java writes it. What it can't say, and what is never fast (a back reference), is a PatternFault.
import { readClass, readEscape } from './classes.ts'
import { fault, isNext, patternLimits, type Reader, take } from './reader.ts'
import { allBut, eitherCase, everySign, type Signs, signsIn } from './signs.ts'

export type Pattern =
  | { readonly kind: 'signs'; readonly signs: Signs }
  | { readonly kind: 'edge'; readonly text: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | Repeat
  | { readonly kind: 'look'; readonly text: '?=' | '?!' | '?<=' | '?<!'; readonly body: Pattern }
  | { readonly kind: 'atomic'; readonly body: Pattern }

/** `mode`: '' takes as much as it can, '?' as little, '+' gives nothing back. `source`: as it was written. */
export type Repeat = {
  readonly kind: 'repeat'
  readonly body: Pattern
  readonly least: number
  readonly most: number
  readonly mode: '' | '?' | '+'
  readonly source: string
}

export function readPattern(source: string): Pattern {
  const reader: Reader = { source, signs: [...unquoted(source)], at: 0, depth: 0, isAnyCase: false, isDotAll: false }
  if (reader.signs.length > patternLimits.characters) throw fault(reader, `is longer than ${patternLimits.characters} characters`)
  const pattern = readChoice(reader)
  if (reader.at < reader.signs.length) throw fault(reader, `has a ")" without "(" at character ${reader.at + 1}`)
  return pattern
}

/** Without \Q and \E: each sign between them stands for itself. */
function unquoted(source: string): string {
  return source.replace(/\\(?:Q(.*?)(?:\\E|$)|.)/gs, (all, quoted?: string) => quoted?.replace(/[^A-Za-z0-9]/gu, '\\$&') ?? all)
}

function readChoice(reader: Reader): Pattern {
  if (++reader.depth > patternLimits.depth) throw fault(reader, `nests more than ${patternLimits.depth} groups`)
  const before = { isAnyCase: reader.isAnyCase, isDotAll: reader.isDotAll }
  const options = [readSequence(reader)]
  while (take(reader, '|')) options.push(readSequence(reader))
  Object.assign(reader, before, { depth: reader.depth - 1 })
  return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
}

function readSequence(reader: Reader): Pattern {
  const parts: Pattern[] = []
  while (reader.at < reader.signs.length && !isNext(reader, '|') && !isNext(reader, ')')) {
    const start = reader.at
    const atom = readAtom(reader)
    if (atom !== null) parts.push(readRepeats(reader, atom, start))
  }
  return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts }
}

function readAtom(reader: Reader): Pattern | null {
  const sign = reader.signs[reader.at++] ?? ''
  if (sign === '(') return readGroup(reader)
  if (sign === '[') return signs(reader, readClass(reader))
  if (sign === '.') return { kind: 'signs', signs: reader.isDotAll ? everySign : allBut(signsIn('\n\r\u0085\u2028\u2029')) }
  if (sign === '^' || sign === '$') return { kind: 'edge', text: sign }
  if (sign === '\\') return readEscaped(reader)
  if (sign === '*' || sign === '+' || sign === '?')
    throw fault(reader, `has a "${sign}" at character ${reader.at} with nothing before it to repeat`)
  return signs(reader, signsIn(sign))
}

function signs(reader: Reader, set: Signs): Pattern {
  return { kind: 'signs', signs: reader.isAnyCase ? eitherCase(set) : set }
}

function readEscaped(reader: Reader): Pattern | null {
  const sign = reader.signs[reader.at] ?? ''
  if (sign === 'b' || sign === 'B') return { kind: 'edge', text: reader.signs[reader.at++] === 'b' ? '\\b' : '\\B' }
  if (sign === 'A' || sign === 'z' || sign === 'Z') return { kind: 'edge', text: reader.signs[reader.at++] === 'A' ? '^' : '$' }
  if (/[1-9k]/.test(sign)) throw fault(reader, `refers back to a group (\\${sign}), which can be slow`)
  return signs(reader, readEscape(reader))
}

function readGroup(reader: Reader): Pattern | null {
  if (!take(reader, '?')) return closed(reader, readChoice(reader))
  const head = reader.signs.slice(reader.at, reader.at + 40).join('')
  const look = /^(?:<?[=!])/.exec(head)?.[0]
  if (look !== undefined) {
    reader.at += look.length
    const text = look === '=' ? '?=' : look === '!' ? '?!' : look === '<=' ? '?<=' : '?<!'
    return { kind: 'look', text, body: closed(reader, readChoice(reader)) }
  }
  if (take(reader, '>')) return { kind: 'atomic', body: closed(reader, readChoice(reader)) }
  const named = /^<[A-Za-z][A-Za-z0-9]*>/.exec(head)?.[0]
  if (named === undefined) return readFlags(reader, head)
  reader.at += named.length
  return closed(reader, readChoice(reader))
}

/** `(?i)` holds to the end of the group, `(?i:...)` in it. */
function readFlags(reader: Reader, head: string): Pattern | null {
  const flags = /^([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])/.exec(head)
  const [all = '', on = '', off = '', end = ''] = flags ?? []
  if (flags === null || !/^[isum]*$/.test(on + off)) {
    throw fault(
      reader,
      `has a group "(?${head.slice(0, 3)}" that is not known; known are (?:  (?=  (?!  (?<=  (?<!  (?>  (?<name>  (?i)  (?s)`,
    )
  }
  reader.at += all.length
  const before = { isAnyCase: reader.isAnyCase, isDotAll: reader.isDotAll }
  reader.isAnyCase = (reader.isAnyCase || on.includes('i')) && !off.includes('i')
  reader.isDotAll = (reader.isDotAll || on.includes('s')) && !off.includes('s')
  if (end === ')') return null
  const body = closed(reader, readChoice(reader))
  Object.assign(reader, before)
  return body
}

function closed(reader: Reader, body: Pattern): Pattern {
  if (!take(reader, ')')) throw fault(reader, 'has a "(" that is not closed')
  return body
}

function readRepeats(reader: Reader, atom: Pattern, start: number): Pattern {
  const count = readCount(reader)
  if (count === null) return atom
  const mode = take(reader, '?') ? '?' : take(reader, '+') ? '+' : ''
  const source = reader.signs.slice(start, reader.at).join('')
  const repeat: Repeat = { kind: 'repeat', body: atom, ...count, mode, source }
  return readRepeats(reader, repeat, start)
}

function readCount(reader: Reader): { readonly least: number; readonly most: number } | null {
  if (take(reader, '*')) return { least: 0, most: Infinity }
  if (take(reader, '+')) return { least: 1, most: Infinity }
  if (take(reader, '?')) return { least: 0, most: 1 }
  const found = /^\{(\d{1,6})(,?)(\d{0,6})\}/.exec(reader.signs.slice(reader.at, reader.at + 16).join(''))
  if (found === null) return null
  const [all = '', first = '', comma = '', second = ''] = found
  reader.at += all.length
  const least = Number(first)
  const most = comma === '' ? least : second === '' ? Infinity : Number(second)
  if (most < least) throw fault(reader, `has a repeat ${all} that ends before it begins`)
  if (least > patternLimits.repeats || (most !== Infinity && most > patternLimits.repeats)) {
    throw fault(reader, `repeats more often than ${patternLimits.repeats} times: ${all}`)
  }
  return { least, most }
}
