import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseArguments, toolCall } from './repair.ts'

describe('[M4] arguments', () => {
  test.each([
    ['whole', '{"path":"a"}', { path: 'a' }],
    ['none', '', {}],
    ['a raw line break in a string', '{"text":"one\ntwo"}', { text: 'one\ntwo' }],
    ['a raw tab and another control character', '{"text":"a\tb\u0001c"}', { text: 'a\tb\u0001c' }],
    ['an escape that is none', '{"pattern":"\\d+\\.\\w"}', { pattern: '\\d+\\.\\w' }],
    ['an escaped apostrophe', `{"text":"it\\'s"}`, { text: "it's" }],
    ['half of a unicode escape', '{"text":"\\u12"}', { text: '\\u12' }],
    ['half of a character, escaped', '{"text":"a\\ud83d"}', { text: 'a\ufffd' }],
    ['half of a character, raw, deep inside', '{"list":[{"x":"\ud83d"}]}', { list: [{ x: '\ufffd' }] }],
    ['a whole character in two escapes', '{"text":"\\ud83d\\ude00"}', { text: '\u{1f600}' }],
    ['NUL', '{"text":"a\\u0000b"}', { text: 'a\ufffdb' }],
    ['line breaks between, which are allowed', '{\n\t"a": 1\n}', { a: 1 }],
  ])('%s', (_, raw, input) => {
    expect(parseArguments(raw)).toEqual(input)
  })

  test.each([
    ['an open string', '{"path":"READ'],
    ['an open object', '{"path":"README.md"'],
    ['an open string behind a mended one', '{"a":"x\ny","path":"READ'],
    ['a cut right behind an escape', '{"path":"a\\'],
    ['a comma too many', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['no quotes', '{a:1}'],
    ['words around', 'Sure: {"a":1}'],
    ['two objects', '{"a":1}{"b":2}'],
    ['a list', '["a"]'],
    ['a control character outside', '{"a":\u00011}'],
    ['null', 'null'],
  ])('%s is incomplete, and stays so', (_, raw) => {
    expect(parseArguments(raw)).toBeNull()
    expect(toolCall({ id: '1', name: 't', raw, cut: false })).toMatchObject({ state: 'incomplete' })
  })

  test('no beginning of arguments is ever taken for whole, with or without repair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '{', '}', 'é', '\u{1f600}', ':', ',') })
    const value = fc.dictionary(fc.constantFrom('path', 'text', 'n'), fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 })), {
      minKeys: 1,
    })
    fc.assert(
      fc.property(value, fc.nat(), (given, at) => {
        const raw = JSON.stringify(given)
        const cut = raw.slice(0, 1 + (at % (raw.length - 1)))
        return parseArguments(cut) === null
      }),
    )
  })

  test('what is valid is not changed', () => {
    const value = fc.dictionary(fc.constantFrom('path', 'text'), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(value, (given) => {
        const clean = JSON.parse(JSON.stringify(given).replaceAll('\\u0000', ''))
        expect(parseArguments(JSON.stringify(clean))).toEqual(clean)
      }),
    )
  })
})
