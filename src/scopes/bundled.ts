// The documents that come with the program: the outermost level, read once at start, never written.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { iso } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { isPath, largestDocument, mimeOf } from './document-path.ts'
import type { Document } from './scopes.ts'

/** By path. A folder that is missing holds none; a file that can't be read is logged and left out. */
export async function readBundled(root: string, log: Log): Promise<ReadonlyMap<string, Document>> {
  const found = new Map<string, Document>()
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = relative(root, file).split(sep).join('/')
    if (!isPath(path)) continue
    try {
      const { mtimeMs, size } = await stat(file)
      if (size > largestDocument) throw new Error('it has more than 1 MB')
      const text = decode(await readFile(file))
      const at = iso(Math.floor(mtimeMs))
      found.set(path, { path, level: 'bundled', scope: 'bundled', version: 1, mime: mimeOf(path), text, at, by: 'system' })
    } catch (thrown) {
      log('error', 'a bundled document could not be read', { path, why: messageOf(thrown) })
    }
  }
  return found
}

/** UTF-8 without its byte order mark. Throws for other bytes. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
