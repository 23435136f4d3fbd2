/** Says whether a built folder belongs to the sources as they are now. Plain JavaScript: the launcher uses it. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One hash over path, size and modification time of every source below `paths` (files or folders, relative to `root`).
 * Tests do not count. Returns null when no path exists: then there is nothing to be stale against.
 */
export function sourceStamp(root, paths) {
  const lines = paths.flatMap((path) => linesOf(root, path))
  return lines.length === 0 ? null : createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** True when `folder/stamp` holds `stamp`, or when it exists and there are no sources to compare with. */
export function isFresh(folder, stamp) {
  try {
    const kept = readFileSync(join(folder, 'stamp'), 'utf8')
    return stamp === null || kept === stamp
  } catch {
    return false
  }
}

/** What the command line bundle is made of. */
export const bundleSources = ['src', 'package-lock.json', 'scripts/build.ts']

function linesOf(root, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [`${path} ${stat.size} ${stat.mtimeMs}`]
  const names = readdirSync(join(root, path)).sort()
  return names
    .filter((name) => !/^(dist|node_modules)$|\.(test|contract)\.ts$/.test(name))
    .flatMap((name) => linesOf(root, `${path}/${name}`))
}
