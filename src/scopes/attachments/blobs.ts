// Bytes by their hash: written beside, flushed, then named. Who finds a blob finds all of it.
import { createHash } from 'node:crypto'
import { appendFile, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskFull, InvalidInput, messageOf, StewardError, TooLarge } from '../../base/errors.ts'

/** Enough for every mark of a type. */
const headBytes = 64

/** Bytes that lie beside the others, not yet named: `keep` names them, `drop` takes them away. One of both ends it. */
export type Written = {
  readonly sha256: string
  readonly size: number
  readonly head: Uint8Array
  /** Valid UTF-8 without a NUL, all of it. */
  readonly isText: boolean
  keep(): Promise<void>
  drop(): Promise<void>
}

export type Blobs = {
  /** Throws TooLarge as soon as there are more bytes, InvalidInput for a stream that breaks, DiskFull. Nothing is left then. */
  write(name: string, bytes: AsyncIterable<Uint8Array>, most: number): Promise<Written>
  path(sha256: string): string
  has(sha256: string): Promise<boolean>
  remove(sha256: string): Promise<void>
  /** Every hash that is kept. */
  all(): AsyncIterable<string>
  /** These are never tidied away, also by later lives of the hub: they may belong to a newer copy of the journal. */
  spare(hashes: readonly string[]): Promise<void>
  isSpared(sha256: string): boolean
}

export type BlobsOptions = {
  readonly folder: string
  /** How a file is opened; tests give one that fails. */
  readonly openFile?: (path: string) => Promise<Pick<FileHandle, 'write' | 'sync' | 'close'>>
}

/** Takes away what an earlier life of the hub did not finish. */
export async function openBlobs({ folder, openFile = (path) => open(path, 'wx', 0o600) }: BlobsOptions): Promise<Blobs> {
  const coming = join(folder, 'coming')
  await rm(coming, { recursive: true, force: true })
  await mkdir(coming, { recursive: true, mode: 0o700 })
  const path = (sha256: string) => join(folder, checked(sha256).slice(0, 2), sha256)
  const list = join(folder, 'spared')
  const spared = new Set((await readFile(list, 'utf8').catch(absent)).split('\n').filter(isHash))
  return {
    path,
    has: async (sha256) => (await stat(path(sha256)).catch(() => null))?.isFile() ?? false,
    remove: (sha256) => rm(path(sha256), { force: true }),
    async *all() {
      for (const part of await readdir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue
        for (const name of await readdir(join(folder, part))) if (isHash(name)) yield name
      }
    },
    isSpared: (sha256) => spared.has(sha256),
    async spare(hashes) {
      const more = hashes.filter((one) => !spared.has(one))
      if (more.length === 0) return
      await appendFile(list, more.map((one) => `${one}\n`).join(''), { mode: 0o600, flush: true })
      for (const one of more) spared.add(one)
    },
    async write(name, bytes, most) {
      const part = join(coming, name)
      const drop = () => rm(part, { force: true })
      try {
        const measured = await written(() => openFile(part), bytes, most)
        return { ...measured, drop, keep: () => named(part, path(measured.sha256)).catch(failed) }
      } catch (error) {
        await drop()
        return failed(error)
      }
    },
  }
}

async function written(
  opened: () => Promise<Pick<FileHandle, 'write' | 'sync' | 'close'>>,
  bytes: AsyncIterable<Uint8Array>,
  most: number,
) {
  const file = await opened()
  const hash = createHash('sha256')
  const text = textLook()
  let size = 0
  let head = new Uint8Array(0)
  try {
    for await (const chunk of readable(bytes)) {
      size += chunk.byteLength
      if (size > most) throw new TooLarge(`a file may have ${most} bytes (${most / 1024 / 1024} MB), and this one has more`)
      if (head.length < headBytes) head = Uint8Array.from([...head, ...chunk.subarray(0, headBytes - head.length)])
      hash.update(chunk)
      text.take(chunk)
      for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten
    }
    if (size === 0) throw new InvalidInput('the body is empty: the bytes of a file are wanted')
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, head, sha256: hash.digest('hex'), isText: text.isText() }
}

/** A sender that goes away is no fault of the hub. */
async function* readable(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const from = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await from.next().catch((cause: unknown) => {
        throw cause instanceof StewardError ? cause : new InvalidInput('the body broke off', { cause })
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await from.return?.().catch(() => {})
  }
}

function textLook() {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isText = true
  const look = (read: () => string) => {
    if (!isText) return
    try {
      isText = !read().includes('\0')
    } catch {
      isText = false
    }
  }
  return {
    take: (chunk: Uint8Array) => look(() => decoder.decode(chunk, { stream: true })),
    isText: () => {
      look(() => decoder.decode())
      return isText
    },
  }
}

/** The folder is flushed too: a name that is not on the disk is no name. */
async function named(part: string, path: string): Promise<void> {
  const place = join(path, '..')
  await mkdir(place, { recursive: true, mode: 0o700 })
  await rename(part, path)
  for (const folder of [place, join(place, '..')]) await flushed(folder)
}

async function flushed(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function failed(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    throw new DiskFull('the disk is full: the file was not kept; make room in the data folder and send it again', { cause: error })
  if (error instanceof StewardError) throw error
  throw new Error(`a file could not be kept: ${messageOf(error)}`, { cause: error })
}

/** A list that is there and can't be read stops the start: without it bytes could go that nobody can bring back. */
function absent(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
  throw error
}

function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name)
}

function checked(sha256: string): string {
  if (!isHash(sha256)) throw new Error('A hash is expected.')
  return sha256
}
