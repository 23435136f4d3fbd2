// How much an import may hold. What is over one of them is refused as a whole, before anything is written.
import { InvalidInput } from '../../base/errors.ts'

export type ImportLimits = {
  readonly files: number
  /** Bytes of one file, unpacked. */
  readonly file: number
  /** Bytes of all files, unpacked. */
  readonly all: number
  /** Unpacked to packed bytes, of any file over 64 kB. */
  readonly ratio: number
  /** Objects and lists inside each other. */
  readonly depth: number
}

export const importLimits: ImportLimits = { files: 2_000, file: 10_000_000, all: 50_000_000, ratio: 200, depth: 64 }

/** An import that can't be taken; `message` names the file and the reason. */
export class ImportRefused extends InvalidInput {
  constructor(file: string | null, why: string) {
    super(file === null ? why : `${shown(file)}: ${why}`, { path: '/file' })
  }
}

/** A name as it can be shown: hostile ones are cut, and their control characters are visible. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name)
}
