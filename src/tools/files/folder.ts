// A folder that is held open while something in it is changed, so that nobody can put a link in its place meanwhile. On Linux names
// are looked up in the open folder itself; elsewhere by its path, which was checked just before.
import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readlink, realpath, rename, unlink } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { codeOf, hashOf } from './past.ts'
import { isSeen, type View } from './place.ts'

export type Folder = {
  readonly real: string
  /** A path that leads to a name in exactly this folder. */
  at(name: string): string
  /** What was changed in it is durable when this resolves. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** What was there is not what was looked at, or leads elsewhere: nothing was changed. */
export class Stale extends Error {
  override readonly name = 'Stale'
}

const openFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens `real`, which lies in or below `base`, and makes what is missing between. `view` is as `realView` gives it. Throws Stale. */
export async function openFolder(real: string, base: string, view: View): Promise<Folder> {
  let folder = await held(base, base, view)
  for (const name of relative(base, real).split(sep)) {
    if (name === '') continue
    const outer = folder
    try {
      await mkdir(outer.at(name)).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
      folder = await held(outer.at(name), join(outer.real, name), view)
    } finally {
      await outer.close()
    }
  }
  return folder
}

export type Put = {
  readonly bytes: Uint8Array
  /** Of the bytes that may be replaced; null: nothing may be there. */
  readonly expects: string | null
  /** Rights; null: what is usual here. */
  readonly mode: number | null
  /** Names the unfinished file; the same call has the same. */
  readonly key: string
}

/** All of it or nothing: written beside, then put in its place. Throws Stale. */
export async function put(folder: Folder, name: string, { bytes, expects, mode, key }: Put): Promise<void> {
  const part = folder.at(partOf(key))
  await unlink(part).catch(() => {})
  const handle = await open(
    part,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    mode === null ? 0o666 : 0o600,
  )
  try {
    try {
      await handle.writeFile(bytes)
      if (mode !== null) await handle.chmod(mode)
      if (expects !== null) await keepOwner(folder.at(name), handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (expects === null) await linkNew(part, folder.at(name))
    else {
      if ((await hashAt(folder.at(name))) !== expects) throw new Stale('It was changed meanwhile.')
      await rename(part, folder.at(name))
    }
  } finally {
    await unlink(part).catch(() => {})
  }
  await folder.sync()
}

/** What a crash in the middle of that change left beside the file goes. */
export async function clear(folder: Folder, key: string): Promise<void> {
  await unlink(folder.at(partOf(key))).catch(() => {})
}

/** Takes a file away when it is still the expected one. Throws Stale. */
export async function take(folder: Folder, name: string, { expects, key }: Pick<Put, 'key'> & { readonly expects: string }): Promise<void> {
  const part = folder.at(partOf(key))
  await rename(folder.at(name), part)
  if ((await hashAt(part)) !== expects) {
    await linkNew(part, folder.at(name))
    await unlink(part)
    throw new Stale('It was changed meanwhile.')
  }
  await unlink(part)
  await folder.sync()
}

/** Gives something another name; what has that name already stays. Throws Stale. */
export async function shift(from: { folder: Folder; name: string }, to: { folder: Folder; name: string }): Promise<void> {
  const [source, goal] = [from.folder.at(from.name), to.folder.at(to.name)]
  if ((await lstat(source)).isDirectory()) {
    if (await isThere(goal)) throw new Stale('There is something by that name already.')
    await rename(source, goal)
  } else {
    await linkNew(source, goal)
    try {
      // Without hard links it has moved already.
      if (await isThere(source)) await unlink(source)
    } catch (error) {
      await unlink(goal)
      throw error
    }
  }
  await Promise.all([from.folder.sync(), to.folder.sync()])
}

async function held(path: string, real: string, view: View): Promise<Folder> {
  const handle = await open(path, openFlags).catch((error: unknown) => {
    throw ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(codeOf(error)) ? new Stale('A folder was changed meanwhile.') : error
  })
  const seen = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  const now = seen ?? (await realpath(path).catch(() => ''))
  if (now !== real || !isSeen(now, view)) {
    await handle.close()
    throw new Stale('A folder was changed meanwhile.')
  }
  return {
    real,
    at: (name) => (seen === null ? join(real, name) : `/proc/self/fd/${handle.fd}/${name}`),
    // Some systems can't sync a folder.
    sync: () => handle.sync().catch(() => {}),
    close: () => handle.close(),
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Fails where there is one already: what nobody looked at is not overwritten. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Stale('There is something by that name already.')
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(codeOf(error))) throw error
    // A file system without hard links.
    if (await isThere(to)) throw new Stale('There is something by that name already.')
    await rename(from, to)
  }
}

/** null: nothing, or no plain file. */
async function hashAt(path: string): Promise<string | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      return (await handle.stat()).isFile() ? hashOf(await handle.readFile()) : null
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}

/** A file of somebody else stays theirs where the hub may give it to them. */
async function keepOwner(present: string, handle: FileHandle): Promise<void> {
  const [old, made] = await Promise.all([lstat(present), handle.stat()])
  if (old.uid !== made.uid || old.gid !== made.gid) await handle.chown(old.uid, old.gid).catch(() => {})
}

function partOf(key: string): string {
  return `.steward-${hashOf(Buffer.from(key)).slice(0, 16)}.part`
}
