import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  domainOf,
  type Expression,
  ExpressionFault,
  expressionOf,
  expressionsText,
  expressionText,
  hasSublist,
  kindOf,
  mostDepth,
  namesOf,
  parseExpressions,
  sameExpression,
  sublistAt,
  valuesIn,
  valueType,
  withName,
} from './expressions.ts'

const same = (a: string, b: string) =>
  sameExpression(parseExpressions(a)[0] ?? expressionOf(''), parseExpressions(b)[0] ?? expressionOf(''))
const again = (text: string) => expressionsText(parseExpressions(text))

describe('reading', () => {
  test('[Y1] names, lists and what stands in parentheses', () => {
    expect(parseExpressions('trip(from(Vienna), to(day after tomorrow)), yes')).toEqual([
      expressionOf('trip', expressionOf('from', 'Vienna'), expressionOf('to', 'day after tomorrow')),
      expressionOf('yes'),
    ])
    expect(parseExpressions(null)).toEqual([])
    expect(parseExpressions(undefined)).toEqual([])
    expect(parseExpressions('  ')).toEqual([])
  })

  test.each([
    ['the sign behind a parenthesis counts as the comma', 'a(b) c(d)', 'a(b), c(d)'],
    ['whatever it is', 'a(b)c(d)', 'a(b), (d)'],
    ['not where it closes the list around', 'a(b(c)), d', 'a(b(c)), d'],
    ['empty parts are none', 'a,,b, ,c,', 'a, b, c'],
    ['empty parentheses are none', 'a(), b( )', 'a, b'],
    ['what is not closed is closed at the end', 'a(b(c', 'a(b(c))'],
    ['what was not opened is a letter', 'a)b', 'a)b'],
    ['a negation keeps its first', 'negation(a, b)', 'negation(a)'],
  ])('[Y1] %s', (_, text, read) => expect(again(text)).toBe(read))

  test('[Y1] what is written is read again as it was', () => {
    const name = fc.stringMatching(/^[a-z0-9_.@*+-][a-z0-9_.@*+ -]{0,8}[a-z0-9]$/)
    const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
      expression: fc.record({
        name: name.filter((one) => one !== 'negation'),
        children: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('expression'), { maxLength: 3 })),
      }),
    }))
    fc.assert(
      fc.property(fc.array(expression, { maxLength: 4 }), (list) => {
        expect(parseExpressions(expressionsText(list))).toEqual(list)
      }),
    )
  })

  test('[Y19] any text is read, and its own text is not longer than what closes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('(', ')', ',', ' ', 'a', '*'), maxLength: 90 }), (text) => {
        expect(again(text).replaceAll(' ', '').length).toBeLessThanOrEqual(text.length * 2)
      }),
    )
  })

  test('[Y1] [Y19] depth is bounded, and said', () => {
    const deep = (depth: number) => 'a('.repeat(depth) + ')'.repeat(depth)
    expect(parseExpressions(deep(mostDepth))).toHaveLength(1)
    expect(() => parseExpressions(deep(mostDepth + 1))).toThrow(ExpressionFault)
    expect(() => parseExpressions('('.repeat(100_000))).toThrow(`at most ${mostDepth} levels`)
    expect(parseExpressions(')'.repeat(100_000))).toHaveLength(1)
    expect(parseExpressions('a(b)'.repeat(25_000))).toHaveLength(25_000)
  })
})

describe('comparing', () => {
  test.each([
    ['*', 'anything(at, all)', true],
    ['*(x)', 'a', true],
    ['greeting(*)', 'greeting(hello)', true],
    ['greeting(*)', 'greeting', false],
    ['greeting(*)', 'greeting(a, b)', false],
    ['price(42)', 'price(42.0)', true],
    ['price(4,2)', 'price(4, 2)', true],
    ['a(B)', 'a(b)', false],
    ['a(b, c)', 'a(c, b)', false],
  ])('[Y2] %s and %s: %s', (a, b, expected) => {
    expect(same(a, b)).toBe(expected)
    expect(same(b, a)).toBe(expected)
  })

  test('[Y2] a list stands in another in one piece', () => {
    const list = parseExpressions('x, a(1), b, c')
    expect(sublistAt(list, parseExpressions('a(*), b'))).toBe(1)
    expect(hasSublist(list, parseExpressions('a(*), c'))).toBe(false)
    expect(hasSublist(list, [])).toBe(true)
    expect(hasSublist([], parseExpressions('*'))).toBe(false)
  })
})

test('[Y2] kinds, values, names and domains', () => {
  const kinds = ['*', 'all', 'ignored(a)', 'negation(a)', 'or(a, b)', '4,5', '42(a)', '-5'].map((text) => parseExpressions(text)[0])
  expect(kinds.map((one) => one && kindOf(one))).toEqual([
    'AnyValue',
    'AllValue',
    'Ignored',
    'Negation',
    'Connector',
    'Value',
    'Expression',
    'Expression',
  ])
  const list = parseExpressions('age(42), price(3.5, eur), age(7)')
  expect(valuesIn(list).map(expressionText)).toEqual(['42', '3.5', '7'])
  expect(withName(list, 'age', 'eur')).toHaveLength(3)
  expect(namesOf(list)).toEqual(['age', 'price'])
  expect(['42', '4.2', 'FALSE', 'x'].map(valueType)).toEqual(['integer', 'decimal', 'boolean', 'text'])
  expect([domainOf('a.b.c'), domainOf('3.5')]).toEqual([
    { domain: 'a', name: 'b.c' },
    { domain: null, name: '3.5' },
  ])
})
