import { expect, test } from 'vitest'
import { add, isGood, lastLine, nothing, notRunBlock } from './test-summary.ts'

const skipped = { passed: 1, failed: 0, skipped: 1, notRun: ['a.test.ts: needs a database: there is none'] }

test('counts of several runners are added up in one line', () => {
  expect(lastLine(add(skipped, { passed: 2, failed: 3, skipped: 0, notRun: [] }))).toBe('3 passed, 3 failed, 1 skipped')
})

test('a skip is bad only where none is allowed, and a run without a test is never good', () => {
  expect(isGood(skipped, { noSkips: false })).toBe(true)
  expect(isGood(skipped, { noSkips: true })).toBe(false)
  expect(isGood(nothing, { noSkips: false })).toBe(false)
})

test('what was not run is listed with its reason', () => {
  expect(notRunBlock(skipped)).toContain('needs a database: there is none')
  expect(notRunBlock(nothing)).toBe('')
})
