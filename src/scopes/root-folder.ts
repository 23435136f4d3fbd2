// Which folders of this machine a project may have as roots, whoever gives them: a person, a program, or the hub after their words.
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { InvalidInput } from '../base/errors.ts'
import { checkRoots } from './names.ts'

export type RootRules = {
  /** The person's own folder on this machine: what `~` means. */
  readonly homedir: string
  /** The hub's own folders: never a root, nor anything in them, nor what holds them. */
  readonly closed: readonly string[]
}

/** `unknown`: nobody can say at present whether there is a folder, for example on a disk that does not answer. */
export type RootFolder =
  | { readonly ok: true; readonly root: string }
  | { readonly ok: false; readonly why: string; readonly unknown?: true }

/** The folder as it is, behind all links. `place` is absolute. Throws nothing. */
export async function rootFolder(place: string, { homedir, closed }: RootRules): Promise<RootFolder> {
  const shown = JSON.stringify(place)
  const found = await looked(place)
  if (!found.ok) return { ...found, why: `${shown} ${found.why}` }
  const { root } = found
  if (isWithin(await realOf(homedir), root))
    return { ok: false, why: `${shown} is too wide: a project is a folder below the person's own one, or elsewhere.` }
  for (const one of closed) {
    const own = await realOf(one)
    if (isWithin(root, own) || isWithin(own, root)) return { ok: false, why: `${shown} holds the hub's own data; no agent works there.` }
  }
  return { ok: true, root }
}

/**
 * Roots that a project is given: those that it has already are not looked at again, so that one of several can be taken away while
 * another is gone. Throws InvalidInput, which names the first that can't be one.
 */
export async function checkRootFolders(roots: readonly string[], before: readonly string[], rules: RootRules): Promise<void> {
  checkRoots(roots)
  for (const [at, root] of roots.entries()) {
    if (before.includes(root)) continue
    const found = await rootFolder(root, rules)
    if (found.ok || found.unknown) continue
    const allowed =
      "Allowed is a folder that is there, and is neither the person's own one or above it, nor the hub's data folder or around it."
    throw new InvalidInput(`The root ${found.why} ${allowed}`, { path: `/roots/${at}` })
  }
}

const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

async function looked(place: string): Promise<RootFolder> {
  try {
    const root = await realpath(place)
    return (await stat(root)).isDirectory() ? { ok: true, root } : { ok: false, why: 'is no folder.' }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (absent.has(code)) return { ok: false, why: 'does not exist.' }
    return { ok: false, why: `can't be looked at (${String(code)}).`, unknown: true }
  }
}

async function realOf(place: string): Promise<string> {
  return (await realpath(place).catch(() => null)) ?? place
}

/** `inner` is `outer` or lies in it. */
function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner)
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path))
}
