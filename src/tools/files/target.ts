// Where a change goes: what a path really leads to, what lies there now, and whether agents may change it at all (T5, T10).
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { codeOf, hashOf } from './past.ts'
import {
  candidatesOf,
  faultOf,
  isInside,
  isSeen,
  type NoPlace,
  openPlace,
  outside,
  problemOf,
  realView,
  showName,
  shownAs,
  type View,
} from './place.ts'

export type Target = {
  /** Absolute, without links. */
  readonly real: string
  readonly shown: string
  /** The nearest folder that is there; what lies between is made when needed. */
  readonly base: string
  readonly present: Present
}
export type Present =
  | { readonly kind: 'none' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly hash: string; readonly mode: number }
export type NoTarget = { readonly code: NoPlace['code'] | 'protected' | 'too_large' | 'stale'; readonly why: string }

/** A file is kept whole before it is changed. */
const largest = 64 * 1024 * 1024

/** Never throws. A file that is not there yet is a target too; with several folders it goes where its own folder is. */
export async function findTarget(path: string, view: View): Promise<Target | NoTarget> {
  const problem = problemOf(path)
  if (problem) return { code: 'invalid', why: problem }
  const there = await realView(view)
  if (there.roots.length === 0) return { code: 'not_found', why: "The project's folders are gone." }
  const candidates = candidatesOf(path, [...new Set([...view.roots, ...there.roots])])
  if (candidates.length === 0) return outside(path, view.roots)
  const found: (Target | NoTarget)[] = []
  for (const candidate of candidates) found.push(await resolved(candidate, path, there))
  const targets = found.filter((one) => 'real' in one)
  const known = targets.find((one) => one.present.kind !== 'none') ?? targets.find((one) => one.base === dirname(one.real)) ?? targets[0]
  return known ?? found[0] ?? outside(path, view.roots)
}

/** `.git` by every spelling that some file system takes for it. */
export function isGitInternal(real: string): boolean {
  return real
    .split(sep)
    .some((name) => /^(\.git|git~1)$/i.test(name.normalize('NFKC').replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[. ]+$/g, '')))
}

/** Whether an ancestor within the project is under version control. */
export async function isVersioned(real: string, view: View): Promise<boolean> {
  const { roots } = await realView(view)
  for (let folder = dirname(real); roots.some((root) => isInside(folder, root)); folder = dirname(folder)) {
    if (
      await lstat(join(folder, '.git')).then(
        () => true,
        () => false,
      )
    )
      return true
    if (folder === dirname(folder)) break
  }
  return false
}

async function resolved(candidate: string, asked: string, view: View): Promise<Target | NoTarget> {
  try {
    const real = await realpath(candidate).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    })
    if (real === null) return await missing(candidate, asked, view)
    return (await refusal(real, asked, view)) ?? (await existing(real, view))
  } catch (error) {
    return faultOf(error, asked)
  }
}

/** Nothing is there: what is there of its folders decides where it would be. */
async function missing(candidate: string, asked: string, view: View): Promise<Target | NoTarget> {
  const names: string[] = []
  for (let at = candidate; at !== dirname(at); at = dirname(at)) {
    if (
      await lstat(at).then(
        (stats) => stats.isSymbolicLink(),
        () => false,
      )
    ) {
      const base = await realpath(at).catch(() => null)
      if (base === null)
        return { code: 'outside', why: `"${showName(asked.slice(0, 300))}" leads through a link to nowhere; name the file itself.` }
    }
    const base = await realpath(at).catch(() => null)
    if (base !== null && names.length === 0)
      return { code: 'stale', why: `"${showName(asked.slice(0, 300))}" appeared just now; look again.` }
    if (base !== null) {
      if (!(await stat(base)).isDirectory())
        return { code: 'not_found', why: `A part of "${showName(asked.slice(0, 300))}" is a file, not a folder.` }
      const real = join(base, ...names)
      return (await refusal(real, asked, view)) ?? { real, shown: shownAs(real, view.roots), base, present: { kind: 'none' } }
    }
    names.unshift(basename(at))
  }
  return outside(asked, view.roots)
}

async function refusal(real: string, asked: string, view: View): Promise<NoTarget | null> {
  const name = `"${showName(asked.slice(0, 300))}"`
  if (!view.roots.some((root) => isInside(real, root)))
    return { code: 'outside', why: `${name} is a link that leads outside of the project's folders.` }
  if (!isSeen(real, view)) return { code: 'outside', why: `${name} belongs to the hub itself and is not shown to agents.` }
  if (view.roots.includes(real)) return { code: 'invalid', why: `${name} is the project's folder itself; name something in it.` }
  const root = view.roots.find((one) => isInside(real, one)) ?? ''
  if (isGitInternal(real.slice(root.length))) {
    return { code: 'protected', why: `${name} belongs to git itself, which alone may change it; use git commands.` }
  }
  return null
}

async function existing(real: string, view: View): Promise<Target | NoTarget> {
  const shown = shownAs(real, view.roots)
  const base = dirname(real)
  const stats = await stat(real)
  if (stats.isDirectory()) return { real, shown, base, present: { kind: 'folder' } }
  if (!stats.isFile()) return { code: 'special', why: `"${shown}" is neither a file nor a folder but a device, pipe or socket.` }
  const most = `${largest / 1024 / 1024} MB`
  if (stats.size > largest) return { code: 'too_large', why: `${shown} has more than ${most}, too much to be kept for an undo.` }
  const file = await openPlace({ real, shown }, view)
  if ('why' in file) return file
  try {
    const bytes = await file.readFile()
    return { real, shown, base, present: { kind: 'file', bytes, hash: hashOf(bytes), mode: (await file.stat()).mode & 0o777 } }
  } finally {
    await file.close()
  }
}
