// The language of expressions: reading, writing and comparing them. Pure. Source: EDDI's digest, section 2.
//
//     list := expr (',' expr)*      expr := name [ '(' list ')' ]
//
// A name is any text without "(", trimmed; nothing is quoted. Reading is one pass over the text. What is not well-formed is read
// leniently, and as EDDI reads it where its agents could see that: the character after a closing ")" counts as the comma, whatever it
// is; a comma that a list begins with is part of the name; what is not closed is closed at the end.
import { InvalidInput } from '../../base/errors.ts'
import type { Expression } from './expression.ts'

export type { Expression } from './expression.ts'

/** Deeper expressions are refused. */
export const mostDepth = 100

/** The text nests deeper than `mostDepth`. */
export class ExpressionFault extends InvalidInput {}

/** Missing and blank texts have none. Throws ExpressionFault. */
export function parseExpressions(text: string | null | undefined): readonly Expression[] {
  return text ? readList({ text, at: 0 }, 0) : []
}

type Cursor = { readonly text: string; at: number }

function readList(cursor: Cursor, depth: number): readonly Expression[] {
  if (depth > mostDepth) throw new ExpressionFault(`An expression nests at most ${mostDepth} levels deep: "${cursor.text.slice(0, 60)}..."`)
  const { text } = cursor
  const list: Expression[] = []
  let [start, first] = [cursor.at, cursor.at]
  const cut = () => addExpression(list, text.slice(start, cursor.at), [])
  for (; cursor.at < text.length; cursor.at++) {
    const sign = text[cursor.at]
    if (sign === ')' && depth > 0) break
    if (sign === ',' && cursor.at !== first) {
      cut()
      start = cursor.at + 1
    } else if (sign === '(') {
      const name = text.slice(start, cursor.at++)
      addExpression(list, name, readList(cursor, depth + 1))
      start = first = cursor.at + (isListOver(cursor, depth) ? 0 : 1)
      cursor.at = start - 1
    }
  }
  if (start < cursor.at) cut()
  if (depth > 0) cursor.at++
  return list
}

/** What follows a ")" is a comma, unless it closes the list around it. */
function isListOver({ text, at }: Cursor, depth: number): boolean {
  return at >= text.length || (depth > 0 && text[at] === ')')
}

function addExpression(list: Expression[], text: string, children: readonly Expression[]): void {
  const name = text.trim()
  if (name !== '' || children.length > 0) list.push({ name, children: name === 'negation' ? children.slice(0, 1) : children })
}

/** The expression of that name; children are names or expressions. Nothing in them is read. */
export function expressionOf(name: string, ...children: readonly (string | Expression)[]): Expression {
  return { name, children: children.map((child) => (typeof child === 'string' ? { name: child, children: [] } : child)) }
}

/** `name(a, b)`. */
export function expressionText({ name, children }: Expression): string {
  return children.length === 0 ? name : `${name}(${expressionsText(children)})`
}

export function expressionsText(list: readonly Expression[]): string {
  return list.map(expressionText).join(', ')
}

/**
 * A name `*` on either side equals anything. Else the same name (case counts), as many children, each equal in its place. Two numbers
 * are compared as numbers (42 and 42.0); those with a comma as texts.
 */
export function sameExpression(a: Expression, b: Expression): boolean {
  if (a.name === '*' || b.name === '*') return true
  if (kindOf(a) === 'Value' && kindOf(b) === 'Value') return a.name === b.name || Number(a.name) === Number(b.name)
  if (a.name !== b.name || a.children.length !== b.children.length) return false
  return a.children.every((child, at) => sameExpression(child, b.children[at] ?? nothing))
}

const nothing: Expression = { name: '', children: [] }

/** Whether `wanted` stands in the list in one piece and in its order. No expressions stand in every list. */
export function hasSublist(list: readonly Expression[], wanted: readonly Expression[]): boolean {
  return sublistAt(list, wanted) >= 0
}

/** Where it begins first; -1: nowhere. */
export function sublistAt(list: readonly Expression[], wanted: readonly Expression[]): number {
  for (let at = 0; at + wanted.length <= list.length; at++) {
    if (wanted.every((one, offset) => sameExpression(list[at + offset] ?? nothing, one))) return at
  }
  return -1
}

export type ExpressionKind = 'Expression' | 'Value' | 'AnyValue' | 'AllValue' | 'Ignored' | 'Negation' | 'Connector'

const namedKinds: ReadonlyMap<string, ExpressionKind> = new Map([
  ['*', 'AnyValue'],
  ['all', 'AllValue'],
  ['ignored', 'Ignored'],
  ['negation', 'Negation'],
  ['and', 'Connector'],
  ['or', 'Connector'],
])

/** A number without children is a value, as in `42`, `3.14` and `3,14`. */
export function kindOf({ name, children }: Expression): ExpressionKind {
  return namedKinds.get(name) ?? (children.length === 0 && isNumber(name) ? 'Value' : 'Expression')
}

/** Digits, and at most one comma or dot between them. */
export function isNumber(text: string): boolean {
  return /^\d+(?:[.,]\d+)?$/.test(text)
}

export type ValueType = 'integer' | 'decimal' | 'boolean' | 'text'

/** What a value is by its look. */
export function valueType(value: string): ValueType {
  if (isNumber(value)) return /[.,]/.test(value) ? 'decimal' : 'integer'
  return /^(?:true|false)$/i.test(value) ? 'boolean' : 'text'
}

/** All of those names, at any depth, outer ones first. */
export function withName(list: readonly Expression[], ...names: readonly string[]): readonly Expression[] {
  return everyExpression(list).filter(({ name }) => names.includes(name))
}

/** All values, at any depth, in their order. */
export function valuesIn(list: readonly Expression[]): readonly Expression[] {
  return everyExpression(list).filter((one) => kindOf(one) === 'Value')
}

/** The outer names, each once, in their order: what intents and `expressionsAsActions` are made of. */
export function namesOf(list: readonly Expression[]): readonly string[] {
  return [...new Set(list.map(({ name }) => name))]
}

/** `domain.name` in its two parts. Numbers have no domain. Reading an expression never splits its name. */
export function domainOf(name: string): { readonly domain: string | null; readonly name: string } {
  const dot = name.indexOf('.')
  if (dot < 0 || isNumber(name)) return { domain: null, name }
  return { domain: name.slice(0, dot), name: name.slice(dot + 1) }
}

function everyExpression(list: readonly Expression[]): readonly Expression[] {
  return list.flatMap((one) => [one, ...everyExpression(one.children)])
}
