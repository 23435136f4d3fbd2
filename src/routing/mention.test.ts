import { describe, expect, test } from 'vitest'
import { mentionsIn } from './mention.ts'

const names = new Set(['scout', 'atlas', 'zeno', 'hiro', 'hiro-two'])
const found = (text: string) => mentionsIn(text, (name) => names.has(name))

describe('mentions', () => {
  test.each([
    ['@scout find it', ['scout']],
    ['please ask @Zeno, then @scout.', ['zeno', 'scout']],
    ['ich frage\n@zeno danach', ['zeno']],
    ['a\u00a0@zeno', ['zeno']],
    ['@scout?', ['scout']],
    ["@scout's view", ['scout']],
    ['@scout-', ['scout']],
    ['@hiro-two go', ['hiro-two']],
    ['@scout @scout', ['scout']],
    ['thanks @zeno.', ['zeno']],
    ['@zeno: look', ['zeno']],
  ])('%s', (text, expected) => expect(found(text)).toEqual(expected))

  test.each([
    'mail bob@zeno.org about it',
    'mail @zeno.org',
    'foo@zeno',
    '(@zeno)',
    '@catobra',
    '@zenobia',
    '@zenö',
    'npm i @scout/core',
    '@scout@example.org',
    '@hiro-test',
    'ZENO find',
    '@ zeno',
    '@',
    '',
    '@nobody',
    `@${'s'.repeat(200)}`,
    'https://x.org/@scout',
  ])('nobody: %s', (text) => expect(found(text)).toEqual([]))

  test('a text of nothing else is read once, and only so many names are looked up', () => {
    let asked = 0
    const text = ' @scout @nobody'.repeat(50_000)
    expect(mentionsIn(text, (name) => ++asked > 0 && names.has(name))).toEqual(['scout'])
    expect(asked).toBeLessThanOrEqual(200)
  })
})
