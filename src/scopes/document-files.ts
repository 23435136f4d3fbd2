// Files of one folder, read and written without ever leaving it: no symbolic link is followed, no file over 1 MB is read.
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { decode } from './bundled.ts'
import { isPath, largestDocument } from './document-path.ts'

export type FileText = { readonly text: string; readonly modifiedAt: number }
export type DocumentFiles = {
  /** null when there is no such file. Throws for what is no plain text file of at most 1 MB, or lies behind a link. */
  read(path: string): Promise<FileText | null>
  /** Replaces it whole; makes folders. */
  write(path: string, text: string): Promise<void>
  /** Also the folders that are empty then. */
  remove(path: string): Promise<void>
  isFolder(path: string): Promise<boolean>
  /** Paths of all files below a path; the path itself when it is a file; [] when it is missing. What can't be a document is left out. */
  below(path: string): Promise<readonly string[]>
}

/** `root`: absolute; must exist. `newName`: a fresh name for a file that is not yet whole. */
export async function openDocumentFiles(root: string, newName: () => string): Promise<DocumentFiles> {
  const real = await realpath(root)
  const fileOf = (path: string) => join(real, ...path.split('/'))
  /** Throws when the folder is reached through a link. */
  async function checkFolder(folder: string): Promise<void> {
    if ((await realpath(folder)) !== folder) throw new Error('it lies behind a symbolic link')
  }

  async function list(folder: string, path: string): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true })
    const found: string[] = []
    for (const entry of entries) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`
      if (!isPath(name)) continue
      if (entry.isDirectory()) found.push(...(await list(join(folder, entry.name), name)))
      else found.push(name)
    }
    return found
  }

  return {
    async read(path) {
      const file = fileOf(path)
      try {
        await checkFolder(dirname(file))
        await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
        const { size, mtimeMs, ...stat } = await handle.stat()
        if ((stat.mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error('it is no plain file')
        if (size > largestDocument) throw new Error(`it has ${size} bytes, and a document at most ${largestDocument}`)
        return { text: decode(await handle.readFile()), modifiedAt: mtimeMs }
      } catch (thrown) {
        if (isMissing(thrown)) return null
        throw codeOf(thrown) === 'ELOOP' ? new Error('it is a symbolic link', { cause: thrown }) : thrown
      }
    },
    async write(path, text) {
      const file = fileOf(path)
      const folder = dirname(file)
      await makeFolders(real, dirname(path))
      await checkFolder(folder)
      const half = join(folder, `.${newName()}.tmp`)
      try {
        await writeFile(half, text, { mode: 0o600, flag: 'wx' })
        await rename(half, file)
      } catch (thrown) {
        await rm(half, { force: true })
        throw thrown
      }
    },
    async remove(path) {
      const file = fileOf(path)
      try {
        await checkFolder(dirname(file))
        await rm(file, { force: true })
        for (let folder = dirname(file); folder !== real; folder = dirname(folder)) await rmdir(folder)
      } catch (thrown) {
        if (!isMissing(thrown) && codeOf(thrown) !== 'ENOTEMPTY' && codeOf(thrown) !== 'EEXIST') throw thrown
      }
    },
    async isFolder(path) {
      try {
        return (await lstat(fileOf(path))).isDirectory()
      } catch (thrown) {
        if (isMissing(thrown)) return false
        throw thrown
      }
    },
    async below(path) {
      const top = path === '' ? real : fileOf(path)
      try {
        await checkFolder(top)
        return await list(top, path)
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOTDIR') return [path]
        if (isMissing(thrown)) return []
        throw thrown
      }
    },
  }
}

/** One by one, so that none is made behind a link. */
async function makeFolders(root: string, path: string): Promise<void> {
  let folder = root
  for (const part of path === '.' ? [] : path.split('/')) {
    folder = join(folder, part)
    await mkdir(folder, { mode: 0o700 }).catch((thrown: unknown) => {
      if (codeOf(thrown) !== 'EEXIST') throw thrown
    })
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${part} is no folder`)
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR'
}
