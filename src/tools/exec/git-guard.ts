// What git runs by itself later, outside of any sandbox, stays as it is: hooks and settings of the repository that a project is, of its
// submodules and worktrees. Notes that would lead git to other settings can't be kept from being made; they are taken away when the
// command has ended.
import { existsSync, lstatSync } from 'node:fs'
import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Not there in a usual repository; each makes git take its settings, and with them programs to run, from elsewhere. */
const leading = ['commondir', 'config.worktree']
const settled = ['hooks', 'config', 'info', 'modules', 'worktrees', ...leading]

/** Arguments of bwrap for one of the project's folders. */
export function gitGuard(root: string): readonly string[] {
  const git = join(root, '.git')
  if (!existsSync(git)) return []
  // A worktree's note of where its repository lies.
  if (!lstatSync(git).isDirectory()) return lstatSync(git).isFile() ? ['--ro-bind', git, git] : []
  // Bound onto itself, so that the folder can't be renamed and another one be put in its place.
  const own = ['--bind', git, git]
  const kept = settled.map((name) => join(git, name)).filter((path) => existsSync(path) && !lstatSync(path).isSymbolicLink())
  return [
    ...own,
    ...kept.flatMap((path) => ['--ro-bind', path, path]),
    ...(existsSync(join(git, 'hooks')) ? [] : ['--tmpfs', join(git, 'hooks'), '--remount-ro', join(git, 'hooks')]),
  ]
}

/** To be called before a command; what it returns takes away what led git elsewhere since, and names it. */
export async function watchGit(roots: readonly string[]): Promise<() => Promise<readonly string[]>> {
  const all = roots.flatMap((root) => leading.map((name) => join(root, '.git', name)))
  const before = new Set(await there(all))
  return async () => {
    const made = (await there(all)).filter((path) => !before.has(path))
    for (const path of made) await rm(path, { recursive: true, force: true })
    return made
  }
}

/** Only in a repository's own folder: a link in its place is none of ours. */
async function there(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await isRealFolder(join(path, '..'))) && (await isThere(path)) ? [path] : [])),
  )
  return found.flat()
}

async function isRealFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
