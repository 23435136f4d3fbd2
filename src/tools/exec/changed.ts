// Which files a command changed: those whose inode changed since it began. A time that programs can't set themselves.
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

const mostLooked = 50_000
const mostNamed = 200

/**
 * Real paths below the folders. A folder with too many files to look at, or too many that changed, stands for all that is in it.
 * `sinceMs` is a time of the file system's own clock.
 */
export async function changedIn(roots: readonly string[], sinceMs: number): Promise<readonly string[]> {
  const all = await Promise.all(roots.map((root) => changedBelow(root, sinceMs)))
  return all.flat()
}

async function changedBelow(root: string, sinceMs: number): Promise<readonly string[]> {
  const changed: string[] = []
  const open = [root]
  let looked = 0
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const names = await namesIn(folder)
    if (names === null) continue
    for (const { path, isFolder } of names) {
      if (++looked > mostLooked || changed.length >= mostNamed) return [root]
      if (isFolder) open.push(path)
      else if (await isNewer(path, sinceMs)) changed.push(path)
    }
  }
  return changed
}

async function namesIn(folder: string): Promise<{ readonly path: string; readonly isFolder: boolean }[] | null> {
  try {
    const found: { path: string; isFolder: boolean }[] = []
    for await (const entry of await opendir(folder)) found.push({ path: join(folder, entry.name), isFolder: entry.isDirectory() })
    return found
  } catch {
    return null
  }
}

async function isNewer(path: string, sinceMs: number): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.ctimeMs >= sinceMs,
    () => false,
  )
}
