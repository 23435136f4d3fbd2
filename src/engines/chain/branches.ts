// Folders for parts that are built side by side: each a copy of the project's folders, as they are at that moment, with what was not
// committed yet and without the repository itself. They lie hidden in the folder that they are of, so that a worker is given no more
// than a part of what it might see anyway. What changed in them is brought back by comparing files (merge.ts).

import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'

/** In each root; git passes over it by the note that lies in it. */
export const branchesFolder = '.steward'

/** What a file was: hash of its bytes and whether it can be run, or where a link leads. By path from the root. */
export type Snapshot = { readonly [path: string]: string }
export type Branches =
  /** `without`: names of folders with installed packages that are in the project and not in the copies. */
  | { readonly ok: true; readonly folders: readonly (readonly string[])[]; readonly without: readonly string[] }
  | { readonly ok: false; readonly why: string }

const packages: readonly string[] = ['node_modules', '.venv']
const left: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', branchesFolder, ...packages, '__pycache__'])
const mostFiles = 20_000
const mostBytes = 500 * 1024 ** 2

export type Making = { readonly roots: readonly string[]; readonly run: string; readonly count: number }

/**
 * `folders`: for each branch one for each root. Done again it finds what it made before: they are made beside, and take their place
 * whole, so that a run that was replaced meanwhile can't make them anew under who works in them.
 */
export async function makeBranches({ roots, run, count }: Making, signal: AbortSignal): Promise<Branches> {
  const folders = Array.from({ length: count }, (_, at) => roots.map((root) => branchIn(root, run, at)))
  for (const root of roots) {
    const all = join(root, branchesFolder)
    const there = await stateOf(all)
    if (there !== null && there !== 'folder') return { ok: false, why: `${all} is no folder of the project` }
    if ((await baseOf(root, run)) !== null) continue
    const seen = await scan(root)
    if (typeof seen === 'string') return { ok: false, why: seen }
    const beside = await besideIn(all, run)
    const base = await fill({ root, beside, count }, seen, signal)
    if (typeof base === 'string') return { ok: false, why: base }
    await writeFile(join(beside, 'base.json'), JSON.stringify(base))
    signal.throwIfAborted()
    await rename(beside, join(all, run)).catch(() => rm(beside, { recursive: true, force: true }))
  }
  return { ok: true, folders, without: await packagesIn(roots) }
}

async function packagesIn(roots: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(
    roots.flatMap((root) => packages.map(async (name) => ((await stateOf(join(root, name))) === null ? [] : [name]))),
  )
  return [...new Set(there.flat())].toSorted()
}

/** Nobody else of this machine reads it. What a repository brought along under the name of our note is not followed. */
async function besideIn(all: string, run: string): Promise<string> {
  await mkdir(all, { recursive: true, mode: 0o700 })
  await rm(join(all, '.gitignore'), { recursive: true, force: true })
  await writeFile(join(all, '.gitignore'), '*\n', { flag: 'wx' })
  return mkdtemp(join(all, `${run}-new-`))
}

type Filling = { readonly root: string; readonly beside: string; readonly count: number }

/** What the copies hold: the project may change while it is copied, so all are made from the first, where nobody works yet. */
async function fill({ root, beside, count }: Filling, seen: Snapshot, signal: AbortSignal): Promise<Snapshot | string> {
  const first = join(beside, '1')
  await copyAll(root, first, seen)
  const base = await scan(first)
  if (typeof base === 'string') return base
  for (let at = 1; at < count; at++) {
    signal.throwIfAborted()
    await copyAll(first, join(beside, String(at + 1)), base)
  }
  return base
}

/** Of all steps of a chain. */
export async function removeBranches(roots: readonly string[], run: string): Promise<void> {
  for (const root of roots) {
    const all = join(root, branchesFolder)
    if ((await stateOf(all)) !== 'folder') continue
    const names = (await readdir(all).catch(() => [])).filter((one) => one === run || one.startsWith(`${run}-`))
    for (const name of names) {
      // Without it nobody takes what is half gone for what its maker removed.
      await rm(join(all, name, 'base.json'), { force: true })
      await rm(join(all, name), { recursive: true, force: true })
    }
    const rest = await readdir(all).catch(() => [])
    if (rest.every((name) => name === '.gitignore')) await rm(join(root, branchesFolder), { recursive: true, force: true })
  }
}

export function branchIn(root: string, run: string, at: number): string {
  return join(root, branchesFolder, run, String(at + 1))
}

/** What was there when the branches were made; null: they were not. */
export async function baseOf(root: string, run: string): Promise<Snapshot | null> {
  const text = await readFile(join(root, branchesFolder, run, 'base.json'), 'utf8').catch(() => null)
  const value: unknown = text === null ? null : JSON.parse(text)
  if (!isObject(value)) return null
  return Object.fromEntries(Object.entries(value).flatMap(([path, what]) => (typeof what === 'string' ? [[path, what]] : [])))
}

/**
 * A sentence: it is too large, or can't be read. Links are not followed; what is neither file nor link is left out, and so is what goes
 * away meanwhile.
 */
export async function scan(root: string): Promise<Snapshot | string> {
  try {
    return await scanned(root)
  } catch (thrown) {
    return `${root} can't be read whole (${messageOf(thrown)})`
  }
}

async function scanned(root: string): Promise<Snapshot | string> {
  const found = new Map<string, string>()
  let bytes = 0
  const stack = ['']
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const entries = await readdir(join(root, at), { withFileTypes: true }).catch((thrown: unknown) => without(thrown, []))
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      // A disk may take .GIT for .git.
      if (left.has(entry.name.toLowerCase())) continue
      if (entry.isDirectory()) stack.push(path)
      if (!entry.isFile() && !entry.isSymbolicLink()) continue
      bytes += entry.isFile() ? ((await lstat(join(root, path)).catch(() => null))?.size ?? 0) : 0
      if (found.size >= mostFiles || bytes > mostBytes) return `${root} holds more than ${mostFiles} files or ${mostBytes / 1024 ** 2} MB`
      const state = await stateOf(join(root, path)).catch((thrown: unknown) => without(thrown, null))
      if (state !== null) found.set(path, state)
    }
  }
  return Object.fromEntries(found)
}

/** Of a path that a snapshot may not have: null. */
export function stateIn(snapshot: Snapshot, path: string): string | null {
  return Object.hasOwn(snapshot, path) ? (snapshot[path] ?? null) : null
}

/** null: nothing is there. */
export async function stateOf(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return null
  if (stats.isSymbolicLink()) return `link ${await readlink(path)}`
  if (!stats.isFile()) return 'folder'
  return `${(stats.mode & 0o100) === 0 ? 'file' : 'program'} ${hash('sha256', await readFile(path), 'hex')}`
}

/** For what went away meanwhile; any other failure is one. */
function without<T>(thrown: unknown, instead: T): T {
  if (isObject(thrown) && (thrown['code'] === 'ENOENT' || thrown['code'] === 'ENOTDIR')) return instead
  throw thrown
}

/** What is gone by now is left out. */
async function copyAll(root: string, to: string, seen: Snapshot): Promise<void> {
  for (const path of Object.keys(seen)) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await copyOne(join(root, path), join(to, path)).catch((thrown: unknown) => without(thrown, null))
  }
  await mkdir(to, { recursive: true })
}

/** Over what is there. */
export async function copyOne(from: string, to: string): Promise<void> {
  const stats = await lstat(from)
  await rm(to, { force: true })
  if (stats.isSymbolicLink()) await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}
