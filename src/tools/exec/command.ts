// A command as one text, and what it was made from. Pure but for looking at files.

import { readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { hashOf } from '../files/past.ts'
import { isInside } from '../files/place.ts'

/** As a shell would be given it, so that policy and people read what runs. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const mostBound = 20
const largestBound = 4 * 1024 * 1024

/** A hash over the project's files that the command names: a script that changed is another command. */
export async function bindingOf(argv: readonly string[], where: { cwd: string; roots: readonly string[]; more: string }): Promise<string> {
  const { cwd, roots, more } = where
  const named = argv.filter((word) => word !== '' && !word.startsWith('-')).slice(0, mostBound)
  const parts = await Promise.all(named.map((word) => fileHash(isAbsolute(word) ? word : resolve(cwd, word), roots)))
  return hashOf(Buffer.from([cwd, more, ...parts].join('\n')))
}

async function fileHash(path: string, roots: readonly string[]): Promise<string> {
  try {
    const real = await realpath(path)
    const stats = await stat(real)
    if (!stats.isFile() || stats.size > largestBound || !roots.some((root) => isInside(real, root))) return ''
    return `${real} ${hashOf(await readFile(real))}`
  } catch {
    return ''
  }
}
