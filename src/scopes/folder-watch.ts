// Watches a folder and all below it. One watch a folder, because the recursive one of the platform goes deaf for a folder that was
// removed and made again.
import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { isPath } from './document-path.ts'

export type FolderWatch = {
  /** Follows what became of those paths: new folders are watched, lost ones no longer. Look at their files afterwards, not before. */
  refresh(paths: readonly string[]): void
  close(): void
}

/**
 * `notice` is told the path below the root ("agents/scout.md") of whatever changed, also of folders. `failed` is told, at most once,
 * when the system can't watch (no more watches, a network drive). Links are not followed. Alone it never keeps the process alive.
 */
export function watchFolder(root: string, notice: (path: string) => void, failed: (why: unknown) => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>()
  let isFailed = false
  const fail = (why: unknown) => {
    if (!isFailed) failed(why)
    isFailed = true
  }

  function add(path: string): void {
    const folder = join(root, path)
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, name) => notice(name === null ? path : below(path, name)))
      // A folder that is removed makes its watch fail on some systems; its parent tells of that.
      watcher.on('error', () => drop(path))
      watchers.set(path, watcher)
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const name = below(path, entry.name)
        if (entry.isDirectory() && isPath(name)) add(name)
      }
    } catch (thrown) {
      if (isFolder(folder)) fail(thrown)
    }
  }

  function drop(path: string): void {
    for (const [name, watcher] of watchers) {
      if (path !== '' && name !== path && !name.startsWith(`${path}/`)) continue
      watcher.close()
      watchers.delete(name)
    }
  }

  add('')
  return {
    refresh(paths) {
      for (const path of paths) {
        if (path !== '' && !watchers.has(path) && !isFolder(join(root, path))) continue
        drop(path)
        if (isFolder(join(root, path))) add(path)
      }
    },
    close: () => drop(''),
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
