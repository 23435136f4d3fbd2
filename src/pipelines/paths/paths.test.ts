import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { pathLimits, pathMatches, sizeOf, valueAt, withValueAt } from './paths.ts'

const root: JsonObject = {
  properties: { count: 5, name: 'Ada', 'first-name': 'Ada', 'a-1': 'kept', price: 2.5, none: null },
  list: [{ city: 'Graz' }, ['x', 'y']],
}

describe('values', () => {
  test.each([
    ['list[0].city', 'Graz'],
    ['list[1][1]', 'y'],
    ['properties.first-name', 'Ada'],
    ['properties.a-1', 'kept'],
    ['properties.count+1', 6],
    ['properties.count - 10', -5],
    ['properties.count+1+1', 7],
    ['properties.count+0.5', 5.5],
    ["properties.name+'!'", 'Ada!'],
    ["properties.first-name+' '+properties.name", 'Ada Ada'],
    ["properties.name+' - +'", 'Ada - +'],
    ['properties.count+properties.price', 7.5],
    ['properties.none', null],
    ['properties.name-1', undefined],
    ['properties.missing+1', undefined],
    ['list[2]', undefined],
    ['list[-1]', undefined],
    ['list.length', undefined],
    ['properties..name', undefined],
    ['.properties', undefined],
    ['list[0', undefined],
    ['properties.name.length', undefined],
    ['', undefined],
  ])('[Y3] %s', (path, value) => expect(valueAt(path, root)).toEqual(value))

  test.each(['__proto__', 'constructor', 'properties.constructor.name', 'list.concat', 'toString', 'properties.__proto__.polluted'])(
    '[Y3] %s leads to nothing that is not own',
    (path) => {
      expect(valueAt(path, root)).toBeUndefined()
      withValueAt(`${path}.polluted`, {}, true)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    },
  )

  test('[Y3] [Y19] long paths and many signs lead nowhere', () => {
    expect(valueAt('a.'.repeat(pathLimits.characters), root)).toBeUndefined()
    expect(valueAt(`properties.count${'+1'.repeat(10)}`, root)).toBe(15)
    expect(valueAt(`properties.count${'+1'.repeat(500)}`, root)).toBeUndefined()
    expect(valueAt(`${'-'.repeat(1_500)}a`, root)).toBeUndefined()
  })
})

describe('writing', () => {
  test('[Y4] gives a new root and changes nothing in place', () => {
    const before = structuredClone(root)
    expect(valueAt('list[0].city', withValueAt('list[0].city', root, 'Linz'))).toBe('Linz')
    expect(withValueAt('a', {}, 1)).toEqual({ a: 1 })
    expect(withValueAt('a.b.c', { a: { b: {} } }, 1)).toEqual({ a: { b: { c: 1 } } })
    expect(withValueAt('list[1]', { list: [1, 2] }, 3)).toEqual({ list: [1, 3] })
    expect(root).toEqual(before)
  })

  test.each(['list[7]', 'missing.name', 'properties.name.first', 'list.city', 'a[0]', '', 'a..b'])(
    '[Y4] %s leads nowhere, and the root stays',
    (path) => {
      expect(withValueAt(path, root, 1)).toBe(root)
    },
  )

  test('[Y4] what was written is found', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (names, value) => {
        const path = names.join('.')
        const plain = JSON.parse(JSON.stringify(value))
        const parents = names.slice(0, -1).reduceRight<JsonObject>((inner, one) => ({ [one]: inner }), {})
        expect(valueAt(path, withValueAt(path, parents, plain))).toEqual(plain)
      }),
    )
  })
})

describe('conditions', () => {
  test.each([
    [{ valuePath: 'properties.count', equals: '5' }, true],
    [{ valuePath: 'properties.count', contains: '5' }, false],
    [{ valuePath: 'properties.name', equals: 'Bob', contains: 'Ad' }, true],
    [{ valuePath: 'list[1]', contains: 'x' }, true],
    [{ valuePath: 'properties.none' }, false],
    [{ valuePath: 'properties' }, true],
    [{ valuePath: null, equals: 'x' }, false],
  ])('[Y4] %j: %s', (match, expected) => expect(pathMatches(match, root)).toBe(expected))

  test('[Y4] sizes', () => {
    const values = [undefined, null, [1, 2], { a: 1 }, 7.5, '12', 'twelve', '', true]
    expect(values.map(sizeOf)).toEqual([0, 0, 2, 1, 7.5, 12, 6, 0, 4])
  })
})
