// Reading a folder as an import: the same names, limits and refusals as an archive has; links are not followed.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { type ImportLimits, ImportRefused, importLimits } from './limits.ts'
import { checkedName } from './names.ts'
import type { Files } from './zip.ts'

/** Throws ImportRefused. Names that begin with a dot are left out: they belong to the tools that the folder is kept with. */
export async function readFolder(folder: string, limits: ImportLimits = importLimits): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  const waiting = ['']
  let total = 0
  for (let inner = waiting.shift(); inner !== undefined; inner = waiting.shift()) {
    for (const name of await namesIn(join(folder, inner), inner)) {
      const path = inner === '' ? name : `${inner}/${name}`
      checkedName(path)
      const found = await lstat(join(folder, path))
      if (found.isSymbolicLink()) throw new ImportRefused(path, 'symbolic links are not followed')
      if (found.isDirectory()) {
        waiting.push(path)
        continue
      }
      if (!found.isFile()) throw new ImportRefused(path, 'only plain files are allowed')
      if (files.size >= limits.files) throw new ImportRefused(null, `the folder has more than ${limits.files} files`)
      const content = await contentOf(join(folder, path), path, Math.min(limits.file, limits.all - total))
      total += content.length
      files.set(path, content)
    }
    if (waiting.length > limits.files) throw new ImportRefused(null, `the folder has more than ${limits.files} folders`)
  }
  if (files.size === 0) throw new ImportRefused(null, 'the folder holds no files')
  return files
}

async function namesIn(folder: string, inner: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  } catch (thrown) {
    throw new ImportRefused(inner === '' ? folder : inner, `this is no folder that can be read: ${messageOf(thrown)}`)
  }
}

/** A link that was put there a moment ago is not followed either. */
async function contentOf(path: string, name: string, left: number): Promise<Uint8Array> {
  let file: FileHandle | null = null
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size } = await file.stat()
    if (size > left) throw new ImportRefused(name, `it has ${size} bytes; ${left} are left of what is allowed`)
    return await file.readFile()
  } catch (thrown) {
    throw thrown instanceof ImportRefused ? thrown : new ImportRefused(name, `it can't be read: ${messageOf(thrown)}`)
  } finally {
    await file?.close()
  }
}
