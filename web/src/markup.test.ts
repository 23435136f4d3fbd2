import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBlocks, readSpans } from './markup.ts'

describe('blocks', () => {
  test('paragraphs, headings, lists, quotes, code and tables', () => {
    const text = '# Title\n\nOne\ntwo\n- a\n- b\n  more\n3. c\n4. d\n> said\n```ts\nlet x = 1\n\n```\n| A | B |\n|---|:-:|\n| 1 | 2 |\nend'
    expect(readBlocks(text)).toEqual([
      { kind: 'heading', text: 'Title' },
      { kind: 'paragraph', text: 'One\ntwo' },
      { kind: 'list', ordered: false, start: 1, items: ['a', 'b\nmore'] },
      { kind: 'list', ordered: true, start: 3, items: ['c', 'd'] },
      { kind: 'quote', text: 'said' },
      { kind: 'code', language: 'ts', text: 'let x = 1\n', closed: true },
      { kind: 'table', head: ['A', 'B'], rows: [['1', '2']] },
      { kind: 'paragraph', text: 'end' },
    ])
  })

  test('an open fence is code from its first line', () => {
    expect(readBlocks('```py\nprint(')).toEqual([{ kind: 'code', language: 'py', text: 'print(', closed: false }])
  })

  test('a longer fence holds a shorter one', () => {
    expect(readBlocks('````\n```\n````')).toEqual([{ kind: 'code', language: '', text: '```', closed: true }])
  })

  test('[W9] every text has a reading, and no visible character of plain lines is lost', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        (text) => void readBlocks(text).flatMap((block) => ('text' in block ? readSpans(block.text) : [])),
      ),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '*', '`', '[', ']', '(', '<', '\n', 'é'), maxLength: 80 }), (text) => {
        const shown = readSpans(text)
          .map((span) => span.text)
          .join('')
        expect(shown.replaceAll(/[*`]/g, '')).toBe(text.replaceAll(/[*`]/g, ''))
      }),
    )
  })

  test('a hundred thousand characters without a line break are read at once', () => {
    const started = performance.now()
    for (const unit of ['a', '*', '`', '[', '|', '- ', '> '])
      for (const block of readBlocks(unit.repeat(100_000))) if ('text' in block) readSpans(block.text)
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

describe('spans', () => {
  test('code, strong words and links with their host', () => {
    expect(readSpans('a `b` **c** [d](https://e.org/x) https://f.org/y.')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'd', href: 'https://e.org/x', host: 'e.org' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'https://f.org/y', href: 'https://f.org/y', host: 'f.org' },
      { kind: 'text', text: '.' },
    ])
  })

  test.each([
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,x)',
    '<script>1</script>',
    '[x](vbscript:1)',
    '[x](//evil.org)',
  ])('[W9] %s is text', (text) => {
    expect(readSpans(text).every((span) => span.kind === 'text')).toBe(true)
  })
})
