import { describe, expect, test } from 'vitest'
import { deepestYaml, editYaml, readYaml } from './yaml.ts'

const limits = { mostCharacters: 1_000_000 }
const value = (text: string, aliases = 0) => {
  const read = readYaml(text, { ...limits, aliases })
  if ('message' in read) throw new Error(`line ${read.line}: ${read.message}`)
  return read.value
}
const fault = (text: string, aliases = 0) => {
  const read = readYaml(text, { ...limits, aliases })
  if (!('message' in read)) throw new Error(`it was read: ${JSON.stringify(read.value).slice(0, 200)}`)
  return `${read.line}: ${read.message}`
}
const times = (count: number, text: (at: number) => string, between = '\n') =>
  Array.from({ length: count }, (_, at) => text(at)).join(between)
/** Generous for a busy machine; what compares pairs takes twenty seconds and more. */
const within = (text: string, aliases = 0) => {
  const start = performance.now()
  const read = readYaml(text, { ...limits, aliases })
  expect(performance.now() - start).toBeLessThan(5_000)
  return read
}

describe('what is read', () => {
  test.each([
    ['', null],
    ['# only a remark', null],
    ['\ufeffa: 1', { a: 1 }],
    ['a: {b: [1, yes, null, "x"]}', { a: { b: [1, 'yes', null, 'x'] } }],
    ['{"a": [true, 1.5]}', { a: [true, 1.5] }],
    ['a: 2026-01-01', { a: '2026-01-01' }],
    ['1: x\n~: y', { 1: 'x', '': 'y' }],
    ['a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
  ])('%j', (text, expected) => {
    expect(value(text)).toEqual(expected)
  })

  test('it is JSON, whatever a tag or a directive asks for', () => {
    expect(value('a: !!timestamp 2026-01-01\nb: !!binary aGk=\nc: !own x')).toEqual({ a: '2026-01-01', b: 'aGk=', c: 'x' })
    expect(value('%YAML 1.1\n---\na: yes\nb: 2026-01-01\n')).toEqual({ a: 'yes', b: '2026-01-01' })
    expect(value('%YAML 1.1\n---\n<<: {a: 1}\n')).toEqual({ '<<': { a: 1 } })
  })

  test('a key named like what every object has changes no object', () => {
    const read = value('__proto__: {a: 1}\nconstructor: 2')
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(Object.keys(Object(read))).toEqual(['__proto__', 'constructor'])
  })

  test('lines of values and keys, else of the nearest thing above', () => {
    const read = readYaml('# head\na:\n  b:\n    - x\n    - y: 1\nc:\n', limits)
    if ('message' in read) throw new Error(read.message)
    expect([['a', 'b', 1, 'y'], ['a', 'b', 0], ['a', 'b', 7], ['a', 'z'], ['z'], []].map((path) => read.lineOf(path))).toEqual([
      5, 4, 4, 3, 2, 2,
    ])
    expect(read.lineOfKey('c')).toBe(6)
  })
})

describe('what is refused, with its line', () => {
  test.each([
    ['a: 1\nb: 2\na: 3', '3: the YAML can\'t be read: "a" is there twice'],
    ['x:\n  - {b: 1, "b": 2}', '2: the YAML can\'t be read: "b" is there twice'],
    ['1: x\n"1": y', '2: the YAML can\'t be read: "1" is there twice'],
    [
      'a: &n x\nb: *n',
      '2: the YAML can\'t be read: "*n" stands for what is written elsewhere, and such references are not taken; write it out, or put a text that',
    ],
    ['a: *.env', '1: the YAML can\'t be read: "*.env" stands for what is written elsewhere'],
    ['a: 1\nb: {{name}}', "2: the YAML can't be read: a key here is no text; put a text with brackets or braces between quotes"],
    ['a: 1\n---\nb: 2', "2: the YAML can't be read: a second document starts here"],
    ['a: 1\nb: [1, 2\nc: 3', "the YAML can't be read: "],
    ['a: "open', "1: the YAML can't be read: "],
    ['a: [\n', "2: the YAML can't be read: "],
    ['a:\n  - {b: [}', "2: the YAML can't be read: "],
    ['a: ]', "1: the YAML can't be read: "],
    ['a: b: c', "1: the YAML can't be read: "],
    ['\ta: 1\n b: 2', "the YAML can't be read: "],
  ])('%j', (text, expected) => {
    expect(fault(text)).toContain(expected)
  })

  test('what is longer than it may be', () => {
    expect(readYaml('a: 12345', { mostCharacters: 7 })).toEqual({ line: 1, message: 'it is longer than 7 characters' })
  })

  test('references where some are allowed: so many, and no more', () => {
    expect(value('a: &n {x: 1}\nb: *n', 10)).toEqual({ a: { x: 1 }, b: { x: 1 } })
    expect(fault('a: &n 1\nb: *n\nc: *n', 1)).toContain('3: the YAML can\'t be read: there are more than 1 references such as "*n"')
  })
})

describe('texts that are made to hurt', () => {
  test('20,000 keys, one of them twice', () => {
    expect(within(times(20_000, (at) => `key${at}: 1`))).toMatchObject({ value: { key19999: 1 } })
    expect(within(`${times(20_000, (at) => `key${at}: 1`)}\nkey7: 2`)).toEqual({
      line: 20_001,
      message: 'the YAML can\'t be read: "key7" is there twice',
    })
    expect(within(`{${times(20_000, (at) => `key${at}: 1`, ', ')}}`)).toMatchObject({ value: { key0: 1 } })
  })

  test('places of 20,000 keys', () => {
    const read = within(times(20_000, (at) => `key${at}: 1`))
    if ('message' in read) throw new Error(read.message)
    const start = performance.now()
    for (let at = 0; at < 20_000; at++) expect(read.lineOf([`key${at}`])).toBe(at + 1)
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  test.each(['[', '{a: ', '- ', '? ', '[{a: ', '{? '])('100,000 times %j', (opening) => {
    expect(within(opening.repeat(100_000))).toEqual({
      line: 1,
      message: `the YAML can't be read: it is nested deeper than ${deepestYaml} levels`,
    })
  })

  test('as deep as allowed, and one deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(readYaml(nested(deepestYaml), limits)).toHaveProperty('value')
    expect(readYaml(nested(deepestYaml + 3), limits)).toHaveProperty('message')
  })

  test('laughs by the billion', () => {
    const laughs = `a0: &a0 [x, x]\n${times(40, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`)}`
    expect(within(laughs)).toMatchObject({ line: 2 })
    expect(within(laughs, 50)).toHaveProperty('message')
    expect(within(laughs, 100)).toHaveProperty('message')
    expect(fault('a: &a\n  - [*a]', 50)).toBe('2: the YAML can\'t be read: "*a" stands for what it is a part of')
    expect(
      within(
        times(20_000, (at) => `- &a${at} x\n- *a${at}`),
        50,
      ),
    ).toMatchObject({ line: 102 })
  })

  test.each([
    ['a: ]\n', 'the first of many faults ends it'],
    ['@\n', 'signs that nothing starts with'],
    ['&a &b ', 'names on names'],
    ['!!str ', 'tags on tags'],
    ['"', 'quotes'],
    ['a: b', 'colons'],
    ['%YAML 1.2\n', 'directives'],
    ['---\na: 1\n', 'documents'],
    [',', 'commas'],
    ['#\n', 'remarks'],
    ['word\n', 'lines of one text'],
    ['\t', 'tabs'],
    ['\r', 'returns'],
    [': a\n', 'keys without names'],
  ])('%j again and again: %s', (piece) => {
    within(piece.repeat(50_000))
    within(`a: [${piece.repeat(20_000)}`)
  })
})

test('a document that is changed keeps its remarks, and is refused like one that is read', () => {
  const document = editYaml('# mine\na: 1 # one\n', limits)
  if ('message' in document) throw new Error(document.message)
  document.set('b', 2)
  expect(document.toString()).toBe('# mine\na: 1 # one\nb: 2\n')
  expect(editYaml('a: 1\na: 2', limits)).toEqual({ line: 2, message: 'the YAML can\'t be read: "a" is there twice' })
  expect(within(times(20_000, (at) => `key${at}: 1`))).toHaveProperty('value')
})
