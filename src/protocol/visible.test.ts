import { expect, test } from 'vitest'
import { visible } from './visible.ts'

test.each([
  ['rm \u202etxt.peek', 'rm \\u{202e}txt.peek'],
  ['a\u200bb\u2066c\u2069', 'a\\u{200b}b\\u{2066}c\\u{2069}'],
  ['\u001b[2Jrm', '\\u{1b}[2Jrm'],
  ['a\rb\u0000', 'a\\u{d}b\\u{0}'],
  ['x\u{e0041}', 'x\\u{e0041}'],
  ['one\r\ntwo\n\tthree', 'one\ntwo\n\tthree'],
  ['👩‍🚀 日本 שלום é', '👩‍🚀 日本 שלום é'],
])('[W12] %j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown)
})
