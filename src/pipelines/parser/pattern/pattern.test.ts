import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classOf, compilePattern, hasSign, mostSeen, PatternFault, patternFault } from './pattern.ts'
import { slowLimits } from './slow.ts'

const takes = (source: string, text: string) => compilePattern(source).takes(text)

describe('patterns that configurations use', () => {
  test.each([
    '[a-zA-Z][a-zA-Z]?\\d\\d\\d\\d\\d\\d\\d?',
    '^[A-Za-z0-9,.@_-]*$',
    '(rallye)?[a-z]{2,}-\\d+',
    '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)*\\.[A-Za-z]{2,}$',
    '[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}',
    '(\\+\\d{1,2}\\s)?\\(?\\d{3}\\)?[\\s.-]?\\d{3}[\\s.-]?\\d{4}',
    '\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}',
    '[+]?[0-9]{1,3}?[-. (]*[0-9]{1,4}[-. )]*[0-9]{1,4}[-. ]*[0-9]{1,9}',
    '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    'https?://(www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b([-a-zA-Z0-9()@:%_+.~#?&/=]*)',
    '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '.*(help|support).*',
    '.*a.*b.*',
    '(\\w+\\s)*\\w+',
    '([a-z]+-)*[a-z]+',
    '-?\\d+([.,]\\d+)?',
    'a{1,1000}',
    'monday|tuesday|wednesday|thursday|friday',
  ])('[Y14] %s is fine', (source) => expect(patternFault(source)).toBeNull())

  test('[Y14] the whole text has to fit, and no longer one than is seen', () => {
    expect(takes('\\d+', '42')).toBe(true)
    expect(takes('\\d+', 'a42')).toBe(false)
    expect(takes('yes|no', 'yesno')).toBe(false)
    expect(takes('a*', 'a'.repeat(mostSeen))).toBe(true)
    expect(takes('a*', 'a'.repeat(mostSeen + 1))).toBe(false)
  })
})

describe("Java's syntax", () => {
  test.each([
    ['(?i)hello|hi', 'HI', true],
    ['(?i:a)b', 'AB', false],
    ['a(?i)b', 'aB', true],
    ['\\d++[a-z]*+', '12ab', true],
    ['a*+a', 'aaa', false],
    ['(?>a|ab)c', 'abc', false],
    ['\\Qa.b\\E+', 'a.bbb', true],
    ['\\Qa.b\\E', 'axb', false],
    ['[a-z&&[^aeiou]]+', 'bcd', true],
    ['[a-z&&[^aeiou]]+', 'bad', false],
    ['[a[b-d]]+', 'abcd', true],
    ['\\p{Alpha}+', 'abC', true],
    ['\\p{L}+', 'Größe', true],
    ['[\\p{L}&&[^a]]+', 'bÖ', true],
    ['[^\\p{L}]+', '1a', false],
    ['\\P{Punct}', '!', false],
    ['\\w', 'é', false],
    ['\\x41\\u0042\\x{43}', 'ABC', true],
    ['(?<year>\\d{4})', '2026', true],
    ['\\A[^,]+\\z', 'a b', true],
    ['a{2', 'a{2', true],
    ['[]a]+', 'a]', true],
    ['a-z', 'a-z', true],
    ['(?<!x)a', 'a', true],
    ['/{}', '/{}', true],
    ['😀+', '😀😀', true],
    ['a|', '', true],
  ])('[Y14] %s and %s: %s', (source, text, expected) => expect(takes(source, text)).toBe(expected))

  test.each([
    ['(', 'not closed'],
    ['[a', 'not closed'],
    ['a)', 'a ")" without "("'],
    ['*a', 'nothing before it'],
    ['[z-a]', 'ends before it begins'],
    ['a{3,1}', 'ends before it begins'],
    ['a{5000}', 'more often than'],
    ['\\p{Foo}', 'known are'],
    ['\\y', 'not known'],
    ['\\', 'ends with'],
    ['(?x)a', 'not known'],
    ['('.repeat(99), 'nests more than'],
    ['['.repeat(99), 'nests more than'],
    ['a'.repeat(1_001), 'longer than'],
  ])('[Y14] %s is refused with the reason', (source, reason) => expect(patternFault(source)).toContain(reason))
})

describe('slow patterns', () => {
  test.each([
    '(a+)+',
    '(a*)*',
    '(a|a)*',
    '(a|ab|b)*',
    '(\\w+\\s?)*',
    '(a?b?)*',
    '(x+x+)+y',
    '(\\d+|\\d+[a-z])*x',
    '([a-z]{1,20}\\.?){1,20}',
    '(((((a{0,9}){0,9}){0,9}){0,9}){0,9})',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*@x',
    '(?=(a+)+)b',
    '(?<=(a|a)+)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '.*.*.*.*',
    '\\w*\\d*\\w*\\d*',
    '(.*a){12}',
    '(?:a?){100}',
    '(a?){30}a{30}',
    'a?'.repeat(30),
    '(a|a)'.repeat(17),
    '(a|b|a|b|a|b)'.repeat(30),
  ])('[Y14] %s is refused by name', (source) => {
    expect(patternFault(source)).toMatch(/can be slow|too involved/)
    expect(() => compilePattern(source)).toThrow(PatternFault)
  })

  test('[Y14] the message says which part', () => {
    expect(patternFault('x(a+)+y')).toBe(
      'The pattern "x(a+)+y" can be slow: its repeated part "(a+)+" takes the same text in more than one way',
    )
  })

  test('[Y14] [Y19] what is accepted is fast for texts made to fail', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '\\w', '-')
    const count = fc.constantFrom('', '', '*', '+', '?', '{1,3}', '{2}')
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      part: fc
        .tuple(
          fc.oneof(
            { withCrossShrink: true },
            atom,
            tie('pattern').map((one) => `(${one})`),
          ),
          count,
        )
        .map((both) => both.join('')),
      pattern: fc.oneof(
        { maxDepth: 3 },
        fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        fc.tuple(tie('part'), tie('part')).map((both) => both.join('|')),
      ),
    }))
    fc.assert(
      fc.property(pattern, (source) => {
        if (patternFault(source) !== null) return
        const compiled = compilePattern(source)
        for (const text of ['a', 'ab', 'a-', 'b']) compiled.takes(`${text.repeat(mostSeen).slice(0, mostSeen - 1)}!`)
      }),
      { numRuns: 400, interruptAfterTimeLimit: 8_000, markInterruptAsFailure: true },
    )
  })

  test('[Y19] looking through a pattern is bounded', () => {
    const words = Array.from({ length: 100 }, (_, at) => `word${at}`).join('|')
    expect(patternFault(words)).toBeNull()
    expect(slowLimits.steps).toBeLessThanOrEqual(1_000_000)
    expect(patternFault('[a-z]?'.repeat(160))).toMatch(/too involved/)
  })
})

test('[Y6] the signs of a class', () => {
  expect(hasSign(classOf('!?:.,;'), ';')).toBe(true)
  expect(hasSign(classOf('a-c\\]'), ']')).toBe(true)
  expect(hasSign(classOf('|'), 'a')).toBe(false)
  expect(() => classOf('a]b')).toThrow(PatternFault)
})
