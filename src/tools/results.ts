// Answers that are too long for a model at once: kept, and read on by reference. Each session sees only its own.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../base/hash.ts'

export interface Results {
  /** Keeps a text and returns its reference (the same text has the same). */
  keep(session: string, text: string): Promise<string>
  /** null: there is none of that reference in that session. */
  read(session: string, ref: string): Promise<string | null>
}

/** Files of mode 0600 below `folder`, one folder a session; nothing is made before the first text is kept. */
export function folderResults(folder: string): Results {
  const place = (session: string, ref: string) => join(folder, session, `${ref}.txt`)
  return {
    async keep(session, text) {
      const ref = refOf(text)
      const file = place(checkName(session), ref)
      await mkdir(join(folder, session), { recursive: true, mode: 0o700 })
      // Whole or not at all: who finds the file finds all of it.
      await writeFile(`${file}.part`, text, { mode: 0o600 })
      await rename(`${file}.part`, file)
      return ref
    },
    async read(session, ref) {
      if (!/^[0-9a-f]{32}$/.test(ref)) return null
      try {
        return await readFile(place(checkName(session), ref), 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
  }
}

/** In memory, for tests. */
export function memoryResults(): Results {
  const kept = new Map<string, string>()
  return {
    async keep(session, text) {
      const ref = refOf(text)
      kept.set(`${session}/${ref}`, text)
      return ref
    },
    read: async (session, ref) => kept.get(`${session}/${ref}`) ?? null,
  }
}

function refOf(text: string): string {
  return sha256(text).slice(0, 32)
}

function checkName(session: string): string {
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(session)) throw new Error('A session id is expected.')
  return session
}
