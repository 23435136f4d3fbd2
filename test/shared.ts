/**
 * Recorded facts about the programs Steward descends from: JSON files of inputs and expected values that lie beside the
 * repository (`../shared/cases`, or `$STEWARD_SHARED/cases`). A clone somewhere else does not have them; the suites that need
 * them then say so with one passing test instead of failing.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { ABSENT } from '../scripts/test-summary.ts'
import { packageRoot } from '../src/base/root.ts'

export const sharedFolder: string = process.env.STEWARD_SHARED || join(packageRoot, '..', 'shared')

/** `rows` is what lies under the file's one list (`cases` when there is more than one), [] when absent; `file` is all of it. */
export type Shared = { readonly available: boolean; readonly rows: readonly unknown[]; readonly file: unknown }

/** Reads `cases/PATH`, for example `eidolons/routing.json`. Says loudly on standard error when it is not there. */
export function sharedCases(path: string): Shared {
  const full = join(sharedFolder, 'cases', path)
  if (!existsSync(full)) {
    process.stderr.write(`ABSENT: ${full} is not there; the cases in it are not tested\n`)
    return { available: false, rows: [], file: null }
  }
  const file: unknown = JSON.parse(readFileSync(full, 'utf8'))
  return { available: true, rows: rowsOf(file), file }
}

/** A `describe` over shared cases: its body runs when they are there, otherwise one test says that they are absent. */
export function describeShared(title: string, path: string, body: (cases: Shared) => void): void {
  const cases = sharedCases(path)
  describe(title, () => {
    if (cases.available) body(cases)
    else test(`${ABSENT} shared cases ${path} are not beside this clone`, () => {})
  })
}

function rowsOf(file: unknown): readonly unknown[] {
  if (Array.isArray(file)) return file
  if (typeof file !== 'object' || file === null) return []
  if ('cases' in file && Array.isArray(file.cases)) return file.cases
  const lists = Object.values(file).filter((value) => Array.isArray(value))
  return lists.length === 1 ? (lists[0] ?? []) : []
}
