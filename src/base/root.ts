/**
 * Where the package lies on disk. Needs no environment variable, and works from `src/` as well as from the bundle in `dist/`.
 * Documents that come with the program are in `packageRoot/bundled`.
 */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Absolute path of the folder that holds Steward's own package.json. */
export const packageRoot: string = findRoot(import.meta.dirname)

/** The program's version, as package.json says. */
export const version: string = versionOf(join(packageRoot, 'package.json'))

function versionOf(file: string): string {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const found = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined
  return typeof found === 'string' ? found : '0.0.0'
}

/** Walks upwards from `from` to the first folder whose package.json is named `steward`; throws when there is none. */
function findRoot(from: string): string {
  const file = join(from, 'package.json')
  if (existsSync(file) && isOurs(readFileSync(file, 'utf8'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error(`No package.json named "steward" above ${import.meta.dirname}.`)
  return findRoot(parent)
}

function isOurs(text: string): boolean {
  const parsed: unknown = JSON.parse(text)
  return typeof parsed === 'object' && parsed !== null && 'name' in parsed && parsed.name === 'steward'
}
