import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import { findByJsonPath, readJsonPath } from './json-path.ts'

const root: Json = { a: { b: [{ c: 1 }, { c: 2 }], 'x y': 3 }, c: [{ a: 4 }], list: [10, 20, 30], __proto__: null }

function find(path: string, value: Json = root): readonly Json[] {
  const reading = readJsonPath(path)
  if (!reading.ok) throw new Error(reading.fault)
  return findByJsonPath(reading.path, value)
}

describe('what is found', () => {
  test.each<[string, readonly Json[]]>([
    ['$', [root]],
    ['$.a.b[1].c', [2]],
    ['a.b[0].c', [1]],
    ["$.a['x y']", [3]],
    ['$["a"]["b"][*].c', [1, 2]],
    ['$.a.b.*.c', [1, 2]],
    ['$..c', [[{ a: 4 }], 1, 2]],
    ['$..a', [root.a ?? null, 4]],
    ['$.list[-1]', [30]],
    ['$.list[-2]', [20]],
    ['$.list[3]', []],
    ['$.missing.c', []],
    ['$.constructor', []],
    ['$.list.length', []],
  ])('[Y25] %s', (path, found) => {
    expect(find(path)).toEqual(found)
  })

  test('[Y25] an object that repeats in itself a hundred thousand times is walked once for each segment', () => {
    let deep: Json = { a: 1 }
    for (let at = 0; at < 100_000; at++) deep = { a: deep }
    expect(find('$..a..a..a', deep)).toHaveLength(99_999)
  })
})

test.each([
  ['$.a[?(@.c == 1)]', 'a filter'],
  ['$.a[1:2]', 'a slice'],
  ["$['a','b']", 'a list of members'],
  ['$.a[(@.length-1)]', 'a script'],
  ['$.a.length()', 'calls the function "length"'],
  ['$.a[', 'without its "]"'],
  ['$.', 'no name'],
  ['$..*', 'no name'],
  ['$a', 'where a segment should begin'],
  [`$${'.a'.repeat(65)}`, 'more than 64 segments'],
  ['a'.repeat(2000), 'longer than 1000'],
])('[Y25] %s is refused by name', (path, part) => {
  expect(readJsonPath(path)).toMatchObject({ ok: false, fault: expect.stringContaining(part) })
})
