// What files were before agents changed them: the bytes, and for each change what it did, so that it can be undone also after a
// restart. Kept below the data folder, content-addressed; nothing here is ever overwritten.
import { createHash } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { sha256 } from '../../base/hash.ts'
import { openUnderWay } from '../under-way.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const change = z.object({
  id: z.string(),
  /** Milliseconds. */
  at: z.number(),
  user: z.string(),
  project: z.string(),
  session: z.string(),
  op: z.enum(['write', 'edit', 'delete', 'move', 'undo']),
  /** Real path of what was changed. */
  path: z.string(),
  /** Of a move: where it went. */
  to: z.string().nullable(),
  /** Hashes of the bytes; null: there was, or is, no file. Of a moved folder both are null. */
  before: hash.nullable(),
  after: hash.nullable(),
  /** Rights of the file before; null: there was none. */
  mode: z.number().nullable(),
})
export type Change = z.infer<typeof change>

export type Past = {
  /** Durable when it resolves. Returns the hash. */
  keep(bytes: Uint8Array): Promise<string>
  /** null: they are not kept here. */
  bytes(hash: string): Promise<Uint8Array | null>
  /** Durable when it resolves. The first record of an id stays. */
  record(change: Change): Promise<void>
  /** null: there is none of that id. */
  find(id: string): Promise<Change | null>
}

/** How bytes are kept where a secret is among them (secrets/secrets.ts). */
export type Lock = { lockBytes(bytes: Uint8Array): Promise<Uint8Array>; unlockBytes(bytes: Uint8Array): Promise<Uint8Array> }

/** Files of mode 0600 below `folder`. Without a lock bytes are kept as they are. */
export function folderPast(folder: string, lock?: Lock): Past {
  const blob = (name: string) => join(folder, 'bytes', name.slice(0, 2), name)
  const underWay = openUnderWay()
  const note = (id: string) => join(folder, 'changes', `${id}.json`)
  return {
    async keep(bytes) {
      const name = hashOf(bytes)
      await underWay(blob(name), async () => putOnce(blob(name), lock ? await lock.lockBytes(bytes) : bytes))
      return name
    },
    async bytes(name) {
      const kept = hash.safeParse(name).success ? await readOrNull(blob(name)) : null
      return kept !== null && lock ? lock.unlockBytes(kept) : kept
    },
    record(made) {
      const file = note(checkId(made.id))
      return underWay(file, () => putOnce(file, Buffer.from(JSON.stringify(made))))
    },
    async find(id) {
      if (!isId(id)) return null
      const bytes = await readOrNull(note(id))
      return bytes === null ? null : change.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
    },
  }
}

/** SHA-256, 64 hexadecimal digits. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The same call has the same change. */
export function changeIdOf(key: string): string {
  return `chg_${sha256(key).slice(0, 24)}`
}

function isId(id: string): boolean {
  return /^chg_[0-9a-f]{24}$/.test(id)
}

function checkId(id: string): string {
  if (!isId(id)) throw new Error('The id of a change is expected.')
  return id
}

/** Whole or not at all, and only when there is none. */
async function putOnce(file: string, bytes: Uint8Array): Promise<void> {
  if ((await readOrNull(file)) !== null) return
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.part`
  await unlink(part).catch(() => {})
  const handle = await open(part, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(part, file).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await unlink(part)
  await syncFolder(dirname(file))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readOrNull(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
