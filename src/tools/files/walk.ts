// Walks a folder without following links, in a stable order, and counts what it leaves out.
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'

export type Found = {
  /** Relative to where the walk began, with `/` between names. */
  readonly path: string
  readonly real: string
  readonly kind: 'file' | 'folder' | 'link' | 'special'
  readonly depth: number
}

export type Walk = {
  readonly start: string
  /** 1: only what lies directly in it. */
  readonly depth: number
  readonly signal: AbortSignal
  /** What it passes over in silence. */
  readonly isSeen: (real: string) => boolean
}

export type LeftOut = {
  /** Names that begin with a dot, and the folders below. */
  hidden: number
  unreadable: number
  /** Folders with more than `mostEntries` names are read only so far. */
  crowded: number
}

/** Hidden by default: what tools make, and what nobody means when they ask about a project. */
const ignoredFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  'venv',
  'target',
  'dist',
  'build',
  'coverage',
  'vendor',
])
const mostEntries = 20_000

/** Each folder before what is in it; names in the order of their code units. Ends early when the signal aborts. */
export async function* walk({ start, depth, signal, isSeen }: Walk, leftOut: LeftOut): AsyncGenerator<Found> {
  const stack: Found[] = [{ path: '', real: start, kind: 'folder', depth: 0 }]
  for (let at = stack.pop(); at !== undefined && !signal.aborted; at = stack.pop()) {
    if (!isSeen(at.real)) continue
    if (at.depth > 0) yield at
    if (at.kind !== 'folder' || at.depth >= depth) continue
    const { path, real, depth: level } = at
    const inside = await namesIn(real, leftOut)
    // Reversed, because the last on the stack is the next.
    for (const entry of inside.reverse()) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`
      stack.push({ path: name, real: join(real, entry.name), kind: kindOf(entry), depth: level + 1 })
    }
  }
}

async function namesIn(folder: string, leftOut: LeftOut): Promise<Dirent[]> {
  const found: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      if (isHidden(entry)) leftOut.hidden++
      else if (found.length < mostEntries) found.push(entry)
      else {
        leftOut.crowded++
        break
      }
    }
  } catch {
    leftOut.unreadable++
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isHidden(entry: Dirent): boolean {
  return entry.name.startsWith('.') || (entry.isDirectory() && ignoredFolders.has(entry.name))
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'special'
}

/** What was left out, in words; '' when nothing was. */
export function leftOutWords({ hidden, unreadable, crowded }: LeftOut): string {
  return [
    hidden > 0 ? `${hidden} hidden or generated left out (name one as the path to look into it)` : '',
    unreadable > 0 ? `${unreadable} could not be read` : '',
    crowded > 0 ? `${crowded} with more than ${mostEntries} names were not read to the end` : '',
  ]
    .filter((text) => text !== '')
    .join('; ')
}
