// Reads what stands between two braces into a tag.
import { Misread, quoted } from './fault.ts'
import { ExpressionReader } from './reader.ts'
import type { BlockHead, CaseOperator, Expression, Head, Section, Setting, Token } from './syntax.ts'

const sections: ReadonlyMap<string, Section> = new Map([
  ['if', 'if'],
  ['for', 'for'],
  ['each', 'for'],
  ['let', 'let'],
  ['set', 'let'],
  ['with', 'with'],
  ['switch', 'switch'],
  ['when', 'switch'],
])
const sectionNames = [...sections.keys()].map((name) => `{#${name}}`).join(', ')

/** Spellings of how a case is compared, longest first. */
const caseOperators: readonly (readonly [string, CaseOperator])[] = [
  ['!in', 'not in'],
  ['ni', 'not in'],
  ['in', 'in'],
  ['!=', '!='],
  ['not', '!='],
  ['ne', '!='],
  ['>=', '>='],
  ['ge', '>='],
  ['<=', '<='],
  ['le', '<='],
  ['>', '>'],
  ['gt', '>'],
  ['<', '<'],
  ['lt', '<'],
]

/** A tag of `text` from the brace at `at` to the one behind `end`. Throws Misread when it can't be understood. */
export function readTag(text: string, at: number, end: number): Token {
  const source = text.slice(at, end)
  const sign = text[at + 1]
  if (sign === '@') return { kind: 'quiet', at, source: checkedDeclaration(source, at) }
  if (sign === '/') return { kind: 'end', at, source, section: endOf(source.slice(2, -1).trim(), at) }
  if (sign === '#') return startOrBlock(text, at, end)
  return { kind: 'value', at, source, expression: new ExpressionReader(text, at + 1, end - 1).whole('value') }
}

/** A type and a name, which say nothing to a rendering. */
function checkedDeclaration(source: string, at: number): string {
  const parts = source.slice(2, -1).trim().split(/\s+/)
  if (parts.length < 2) throw new Misread(`"${quoted(source)}" is no declaration; one has a type and a name`, at)
  return source
}

function endOf(name: string, at: number): Section | null {
  if (name === '') return null
  const section = sections.get(name)
  if (!section) throw new Misread(`there is no section {/${quoted(name)}}; there are ${sectionNames}`, at)
  return section
}

function startOrBlock(text: string, at: number, end: number): Token {
  const source = text.slice(at, end)
  const isEmpty = text[end - 2] === '/'
  const reader = new ExpressionReader(text, at + 2, isEmpty ? end - 2 : end - 1)
  const name = reader.name() ?? ''
  if (name === 'else') return { kind: 'block', at, source, head: elseBlock(reader) }
  if (name === 'case' || name === 'is') return { kind: 'block', at, source, head: caseBlock(reader) }
  const section = sections.get(name)
  if (!section) throw new Misread(`there is no section "${quoted(source)}"; there are ${sectionNames}`, at)
  return { kind: 'start', at, source, head: headOf(section, reader), isEmpty }
}

function elseBlock(reader: ExpressionReader): BlockHead {
  if (reader.isDone()) return { block: 'else', test: null }
  if (!reader.take('if')) throw reader.unexpected()
  return { block: 'else', test: reader.whole('test') }
}

function caseBlock(reader: ExpressionReader): BlockHead {
  const [, operator] = caseOperators.find(([spelling]) => reader.take(spelling)) ?? ['', '==']
  const values: Expression[] = []
  while (!reader.isDone()) {
    if (values.length > 0) reader.take(',')
    values.push(reader.operand())
  }
  const isMany = operator === 'in' || operator === 'not in'
  if (values.length === 0 || (values.length > 1 && !isMany)) {
    throw new Misread('a case has one value, or several behind "in"', reader.at)
  }
  return { block: 'case', operator, values }
}

function headOf(section: Section, reader: ExpressionReader): Head {
  if (section === 'if') return { section, test: reader.whole('test') }
  if (section === 'for') return loop(reader)
  if (section === 'let') return { section, settings: settings(reader) }
  return { section, of: reader.whole('value') }
}

/** `item in list`, or the list alone, whose items are then called `it`. */
function loop(reader: ExpressionReader): Head {
  const start = reader.at
  const alias = reader.name()
  if (alias !== null && reader.take('in')) return { section: 'for', alias, of: reader.whole('value') }
  reader.at = start
  return { section: 'for', alias: 'it', of: reader.whole('value') }
}

function settings(reader: ExpressionReader): readonly Setting[] {
  const found: Setting[] = []
  while (!reader.isDone()) {
    const name = reader.name()
    if (name === null) throw reader.unexpected()
    const onlyIfMissing = reader.take('?=')
    if (!onlyIfMissing && !reader.take('=')) throw new Misread(`the name ${name} is given no value; write ${name}=value`, reader.at)
    found.push({ name, value: reader.expression('value'), onlyIfMissing })
    reader.take(',')
  }
  if (found.length === 0) throw new Misread('{#let} names no value; write {#let name=value}', reader.at)
  return found
}

/**
 * Where the tag ends whose brace is at `at`: behind its closing brace. -1 when another brace or the end comes first.
 * Braces in quotes count for nothing. Each place is looked at by at most three tags that fail, as every sign swaps two of the
 * three states (outside, in one kind of quotes, in the other): so reading is linear whatever the text is.
 */
export function endOfTag(text: string, at: number): number {
  let quote = ''
  for (let next = at + 1; next < text.length; next++) {
    const sign = text[next]
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '}') return next + 1
    else if (sign === '{') return -1
    else if (sign === '"' || sign === "'") quote = sign
  }
  return -1
}
