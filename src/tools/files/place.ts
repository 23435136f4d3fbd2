// From a path that a model wrote to an open file that is surely inside the project's folders.
// The check is made on what the path really leads to (all links followed), and again on what was opened, because somebody may
// change a link between the two. Outside paths written as such are refused before the disk is asked anything.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Plan } from '../../policy/decision.ts'

export type Place = {
  /** Absolute, without links. */
  readonly real: string
  /** How it is shown: relative to its folder when there is one folder, absolute otherwise. */
  readonly shown: string
  readonly kind: 'file' | 'folder'
  readonly size: number
}
export type NoPlace = { readonly code: 'invalid' | 'outside' | 'not_found' | 'special' | 'unreadable'; readonly why: string }

/** What may be seen: what lies in one of the roots, but not in a closed folder, unless a root lies in that one again. Absolute. */
export type View = { readonly roots: readonly string[]; readonly closed: readonly string[] }

/** Roots that are gone are passed over, and named when none is left. Never throws. */
export async function findPlace(path: string, view: View): Promise<Place | NoPlace> {
  const { roots } = view
  const problem = problemOf(path)
  if (problem) return { code: 'invalid', why: problem }
  const real = await realView(view)
  const there = real.roots
  if (there.length === 0) return { code: 'not_found', why: `The project's folders are gone: ${roots.join(', ') || 'it has none'}.` }
  const candidates = candidatesOf(path, [...new Set([...roots, ...there])])
  if (candidates.length === 0) return outside(path, roots)
  let last: NoPlace = { code: 'not_found', why: `There is no "${path}" in ${roots.join(', ')}.` }
  for (const candidate of candidates) {
    const found = await look(candidate, path, real)
    if ('real' in found) return found
    if (found.code !== 'not_found') last = found
  }
  return last
}

/**
 * Opens a file for reading and makes sure that what was opened lies inside. `view` is as `realView` gives it.
 * The caller closes it.
 */
export async function openPlace(place: Pick<Place, 'real' | 'shown'>, view: View): Promise<FileHandle | NoPlace> {
  try {
    // Non-blocking: should it have become a pipe meanwhile, opening does not wait for a writer.
    const file = await open(place.real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const problem = await recheck(file, place, view)
    if (problem === null) return file
    await file.close()
    return problem
  } catch (error) {
    return faultOf(error, place.shown)
  }
}

/** The plan of a call that looks at a path, or at all of the folders when there is none: its real path, as far as it is there. */
export async function lookAt(path: string | undefined, view: View): Promise<Omit<Plan, 'tool' | 'capability'>> {
  const place = path === undefined ? null : await findPlace(path, view)
  const all = (await realView(view)).roots
  const target = place === null ? (all.length === 1 ? (all[0] ?? '') : all.join(' ')) : 'real' in place ? place.real : (path ?? '')
  return { target, risk: 'R0', outward: false, destructive: false, consequences: 'It only looks.', binding: target }
}

/** Null while the place is the one that policy judged (`lookAt`): a link may lead elsewhere a moment later. */
export function movedSince({ real, shown }: Pick<Place, 'real' | 'shown'>, binding: string | undefined): NoPlace | null {
  if (binding === undefined || binding === real) return null
  return { code: 'not_found', why: `"${shown}" is another file than a moment ago, when it was looked whether it may be read. Ask again.` }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** The folders that are there, without links. */
export async function realView({ roots, closed }: View): Promise<View> {
  const real = async (folders: readonly string[]) => {
    const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
    return found.filter((folder) => folder !== null)
  }
  return { roots: await real(roots), closed: await real(closed) }
}

/** Whether a path without links may be seen. `view` is as `realView` gives it. Pure. */
export function isSeen(real: string, { roots, closed }: View): boolean {
  const within = roots.filter((root) => isInside(real, root))
  return within.length > 0 && closed.every((one) => !isInside(real, one) || within.some((root) => root !== one && isInside(root, one)))
}

/** Relative to the folder when there is only one, absolute otherwise. `there` are folders as `realView` gives them. */
export function shownAs(real: string, there: readonly string[]): string {
  const [only] = there
  return showName(only === undefined || there.length > 1 ? real : relative(only, real) || '.')
}

/** A name with control characters is shown as JSON, so that it can't imitate another line. */
export function showName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(name) ? JSON.stringify(name) : name
}

/** What no path can be; null: it may be one. */
export function problemOf(path: string): string | null {
  if (path.includes('\0')) return 'A path has no NUL character.'
  if (path.length > 4096) return 'A path has at most 4096 characters.'
  return null
}

/** Where the path may lie, as written; [] when it leads outside of every folder by its own words. */
export function candidatesOf(path: string, roots: readonly string[]): readonly string[] {
  if (isAbsolute(path)) return roots.some((root) => isInside(resolve(path), resolve(root))) ? [resolve(path)] : []
  return roots.map((root) => resolve(root, path)).filter((one, at) => isInside(one, resolve(roots[at] ?? '/')))
}

async function look(candidate: string, asked: string, view: View): Promise<Place | NoPlace> {
  try {
    const real = await realpath(candidate)
    if (!view.roots.some((root) => isInside(real, root)))
      return { code: 'outside', why: `"${asked}" is a link that leads outside of the project's folders.` }
    if (!isSeen(real, view)) return { code: 'outside', why: `"${asked}" belongs to the hub itself and is not shown to agents.` }
    const stats = await stat(real)
    const kind = kindOf(stats)
    if (kind === 'special') return { code: 'special', why: `"${asked}" is neither a file nor a folder but a device, pipe or socket.` }
    return { real, shown: shownAs(real, view.roots), kind, size: stats.size }
  } catch (error) {
    return faultOf(error, asked)
  }
}

/** What the system itself says is open; elsewhere than on Linux the path is asked again, and must lead to the same file. */
async function recheck(file: FileHandle, place: Pick<Place, 'real' | 'shown'>, view: View): Promise<NoPlace | null> {
  const opened = await file.stat()
  if (!opened.isFile()) return { code: 'special', why: `"${place.shown}" is no file any more.` }
  const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => sameFile(place.real, opened))
  if (real !== null && isSeen(real, view)) return null
  return { code: 'outside', why: `"${place.shown}" was changed while it was opened; it is not read.` }
}

async function sameFile(path: string, opened: Stats): Promise<string | null> {
  const real = await realpath(path)
  const named = await lstat(real)
  return named.ino === opened.ino && named.dev === opened.dev ? real : null
}

function kindOf(stats: Stats): 'file' | 'folder' | 'special' {
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'folder' : 'special'
}

export function outside(path: string, roots: readonly string[]): NoPlace {
  const where = roots.length > 0 ? roots.join(', ') : 'no folder at all'
  return {
    code: 'outside',
    why: `"${showName(path.slice(0, 300))}" is outside of the project's folders; allowed is what lies in ${where}.`,
  }
}

const faults: Readonly<Record<string, { readonly code: NoPlace['code']; readonly what: string }>> = {
  ENOENT: { code: 'not_found', what: 'does not exist' },
  ENOTDIR: { code: 'not_found', what: 'does not exist: a part of it is a file, not a folder' },
  ELOOP: { code: 'unreadable', what: 'is a link that leads in a circle' },
  EACCES: { code: 'unreadable', what: 'may not be read by this program' },
  EPERM: { code: 'unreadable', what: 'may not be read by this program' },
  ENAMETOOLONG: { code: 'invalid', what: 'is longer than a name may be' },
  ENXIO: { code: 'special', what: 'is neither a file nor a folder but a device, pipe or socket' },
}

/** Never the system's own words: they name absolute places that links lead to. */
export function faultOf(error: unknown, asked: string): NoPlace {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const { code: kind, what } = faults[code] ?? { code: 'unreadable', what: `can't be read (${code || 'unknown error'})` }
  return { code: kind, why: `"${showName(asked.slice(0, 300))}" ${what}.` }
}

/** The agent's `unveil` entries inside the project's folders: narrowed only, so an entry outside gives nothing. Pure. */
export function unveiled(roots: readonly string[], unveil: readonly string[]): readonly string[] {
  const inside = roots.flatMap((root) => unveil.map((one) => resolve(root, one)).filter((one) => isInside(one, resolve(root))))
  return [...new Set(inside)]
}
