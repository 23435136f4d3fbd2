// Answers that are too long for a model at once: kept, and read on by reference. Each session sees only its own.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../base/hash.ts'
import { type Taint, taints } from '../policy/decision.ts'
import { openUnderWay } from './under-way.ts'

export interface Results {
  /** Keeps a text and what it brings, and returns its reference (the same text with the same taint has the same). */
  keep(session: string, kept: KeptResult): Promise<string>
  /** null: there is none of that reference in that session. */
  read(session: string, ref: string): Promise<KeptResult | null>
}
export type KeptResult = { readonly text: string; readonly taint: Taint }

/** Files of mode 0600 below `folder`, one folder a session; nothing is made before the first text is kept. */
export function folderResults(folder: string): Results {
  const underWay = openUnderWay()
  return {
    async keep(session, kept) {
      const ref = refOf(kept)
      const place = join(folder, checkName(session))
      const file = join(place, nameOf(ref, kept.taint))
      await mkdir(place, { recursive: true, mode: 0o700 })
      // Whole or not at all, also after a power cut: who finds the file finds all of it.
      await underWay(file, async () => {
        await writeFile(`${file}.part`, kept.text, { mode: 0o600, flush: true })
        await rename(`${file}.part`, file)
      })
      return ref
    },
    async read(session, ref) {
      if (!/^[0-9a-f]{32}$/.test(ref)) return null
      const place = join(folder, checkName(session))
      for (const taint of taints) {
        const text = await textOf(join(place, nameOf(ref, taint)))
        if (text !== null) return { text, taint }
      }
      // Kept by a version that had only files to read.
      const text = await textOf(join(place, `${ref}.txt`))
      return text === null ? null : { text, taint: 'content' }
    },
  }
}

function nameOf(ref: string, taint: Taint): string {
  return `${ref}.${taint}.txt`
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** In memory, for tests. */
export function memoryResults(): Results {
  const kept = new Map<string, KeptResult>()
  return {
    async keep(session, result) {
      const ref = refOf(result)
      kept.set(`${session}/${ref}`, result)
      return ref
    },
    read: async (session, ref) => kept.get(`${session}/${ref}`) ?? null,
  }
}

function refOf({ text, taint }: KeptResult): string {
  return sha256(`${taint}\0${text}`).slice(0, 32)
}

function checkName(session: string): string {
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(session)) throw new Error('A session id is expected.')
  return session
}
