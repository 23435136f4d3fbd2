/**
 * A vitest reporter that counts, and says what was not run and why. With `STEWARD_TEST_SUMMARY=FILE` it leaves its counts in
 * that file for scripts/test.ts, which adds up all runners and prints the last line.
 */

import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** One runner's result. `notRun` holds a line per test that did not run, with its reason. */
export type Counts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly notRun: readonly string[]
}

/** Tests that start with this word pass in place of a suite whose material is not there; they are listed as not run. */
export const ABSENT = 'absent:'

export const nothing: Counts = { passed: 0, failed: 0, skipped: 0, notRun: [] }

export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    notRun: [...a.notRun, ...b.notRun],
  }
}

/** The very last line of a test run. */
export function lastLine(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
}

/** True when the run may be called good: something passed, nothing failed and, with `noSkips`, nothing was left out. */
export function isGood(counts: Counts, options: { readonly noSkips: boolean }): boolean {
  return counts.passed > 0 && counts.failed === 0 && (counts.skipped === 0 || !options.noSkips)
}

/** What was not run, as a block that is hard to overlook; '' when everything ran. */
export function notRunBlock(counts: Counts): string {
  if (counts.notRun.length === 0) return ''
  return ['', `NOT RUN (${counts.notRun.length}):`, ...counts.notRun.map((line) => `  - ${line}`), ''].join('\n')
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = modules.map(countModule).reduce(add, { ...nothing, failed: errors.length })
    const file = process.env.STEWARD_TEST_SUMMARY
    if (file) writeFileSync(file, JSON.stringify(counts))
    else process.stdout.write(notRunBlock(counts))
  }
}

/** A file that could not be loaded counts as one failure. */
function countModule(module: TestModule): Counts {
  const tests = [...module.children.allTests()].map(countTest)
  const isBroken = module.errors().length > 0 || (tests.length === 0 && module.state() === 'failed')
  return [...tests, ...brokenSuites(module)].reduce(add, isBroken ? { ...nothing, failed: 1 } : nothing)
}

function brokenSuites(module: TestModule): Counts[] {
  return [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).map(() => ({ ...nothing, failed: 1 }))
}

function countTest(test: TestCase): Counts {
  const result = test.result()
  const name = `${test.module.relativeModuleId}: ${test.fullName}`
  if (result.state === 'failed') return { ...nothing, failed: 1 }
  if (result.state === 'passed') return { ...nothing, passed: 1, notRun: test.name.startsWith(ABSENT) ? [name] : [] }
  const note = result.state === 'skipped' ? result.note : 'it did not end'
  return { ...nothing, skipped: 1, notRun: [`${name}: ${note ?? 'no reason given'}`] }
}
