import { describe, expect, test } from 'vitest'
import { isActionable, signsOf } from './predicate.ts'

const vector = (text: string): string => {
  const { verb, deliverable, target, acceptance, bounded } = signsOf(text)
  return [verb, deliverable, target, acceptance, bounded].map(Number).join('')
}

describe('the five signs of a text', () => {
  test.each([
    ['Append a line to `notes/today.md` so that the check passes.', '11111'],
    ['append a line to notes/today.md, until it is green', '11111'],
    ['Publish it.', '10001'],
    ['Publish everything.', '10000'],
    ['the recent export of notes/today.md matters', '01101'],
    ['Set up a hook for the app', '11000'],
    ['Sweep notes/today.md only, across its parts, and remove 3 lines', '11111'],
    ['Remove what is old across src/old/ until it passes', '11110'],
    ['', '00001'],
  ])('[R6] %j has %s', (text, expected) => expect(vector(text)).toBe(expected))

  test('[R6] an order stands at the start of a clause and behind no determiner', () => {
    const isOrder = (text: string): boolean => signsOf(text).verb
    for (const text of [
      'Fix it',
      'now, fix it',
      'and fix it',
      'done. Fix it',
      'please FIX it',
      '"fix" it',
      'and\nroll\tback',
      'one: lint it',
    ]) {
      expect([text, isOrder(text)]).toEqual([text, true])
    }
    for (const text of ['we fix it', 'the fix', 'that, the fix', 'make it', 'work on it', 'now fix it', 'done! fix it', 'some: any, no']) {
      expect([text, isOrder(text)]).toEqual([text, false])
    }
    expect(isOrder('this, fix it')).toBe(false)
  })

  test('[R6] a target is a path, a file of a known kind, or an identifier in backticks', () => {
    const isTarget = (text: string): boolean => signsOf(text).target
    for (const text of ['a/', '(src/x.y)', 'README.md.', '.a.env', '`--json`', '`_x-1`', '"`x`",'])
      expect([text, isTarget(text)]).toEqual([text, true])
    for (const text of ['1/2', '30.5s', 'e.g.', '2.5.0', 'a.exe', '.ts', '`x y`', '`x.y`', '--json', '`1x`', '``', 'gRPC', '1.ts']) {
      expect([text, isTarget(text)]).toEqual([text, false])
    }
  })

  test('[R6] a number counts with a word or a percent sign behind it', () => {
    const isDone = (text: string): boolean => signsOf(text).acceptance
    for (const text of ['95%', '3 times', 'exits 0', 'no longer', 'so  that', '"green"']) expect([text, isDone(text)]).toEqual([text, true])
    for (const text of ['95', '3 4', '3 %', '3.5 times', 'so this', '5 `3`']) expect([text, isDone(text)]).toEqual([text, false])
  })

  test('[R6] only all five together say that somebody may begin', () => {
    expect(isActionable('Append a line to `notes/today.md` so that the check passes.')).toBe(true)
    expect(isActionable('Append a line to `notes/today.md`.')).toBe(false)
  })
})
