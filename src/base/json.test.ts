import { expect, test } from 'vitest'
import { isSurelyShort, jsonCopy } from './json.ts'

const trip = (value: unknown) => JSON.parse(JSON.stringify(value) ?? 'null')

test.each([
  ['texts', { a: 'x', b: ['ä\u2028', '\ud800'], '': '' }],
  ['numbers', [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300]],
  ['what vanishes', { a: undefined, b: () => 1, c: Symbol('s'), d: [undefined, () => 1] }],
  ['a date', { at: new Date(0), list: [new Date(1)] }],
  ['who writes itself', { one: { toJSON: () => ({ two: undefined, three: 3 }) } }],
  ['an object of a class', { url: new URL('http://x.y/'), map: new Map([[1, 2]]), boxed: [Object(1), Object('t')] }],
  ['holes', Array(3)],
  ['no prototype', Object.assign(Object.create(null), { a: 1 })],
  ['a member named __proto__', JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2}}')],
  ['null', null],
  ['nothing', undefined],
])('a copy is what a trip through JSON gives: %s', (_, value) => {
  expect(jsonCopy(value)).toStrictEqual(trip(value))
  expect(JSON.stringify(jsonCopy(value))).toBe(JSON.stringify(trip(value)))
})

test('a copy shares nothing with what it was made of', () => {
  const given = { list: [{ a: 1 }] }
  const copy = jsonCopy(given)
  expect(copy.list[0]).not.toBe(given.list[0])
  expect(() => jsonCopy({ a: 1n })).toThrow(TypeError)
})

test('what is surely short is never longer as JSON', () => {
  const values = ['', '\u0000\u0001"', { a: [1, -1.7976931348623157e308, true, null, { b: '\ud800' }] }, [], {}, { '\u0007': [] }]
  for (const value of values) {
    const { length } = JSON.stringify(value)
    for (let units = 0; units < length; units++) expect(isSurelyShort(value, units)).toBe(false)
    expect(isSurelyShort(value, 1_000)).toBe(true)
  }
})
