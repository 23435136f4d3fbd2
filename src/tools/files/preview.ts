// What a change looks like to a person and to a model: a unified diff, or a sentence where there is no text to compare.
import { createTwoFilesPatch } from 'diff'
import { binaryKind } from './file-read.ts'

export type Versions = { readonly shown: string; readonly before: Uint8Array | null; readonly after: Uint8Array | null }

const compareMs = 1_000
const mostCompared = 2_000_000

/** At most `most` characters. */
export function previewOf({ shown, before, after }: Versions, most: number): string {
  const [old, now] = [textOf(before), textOf(after)]
  if (old === null || now === null) return `${shown}: ${sizeOf(before)} become ${sizeOf(after)} (no text to compare)`
  if (old.length + now.length > mostCompared) return `${shown}: ${sizeOf(before)} become ${sizeOf(after)} (too long to compare)`
  const names = [before === null ? '/dev/null' : shown, after === null ? '/dev/null' : shown] as const
  const patch = createTwoFilesPatch(names[0], names[1], old, now, undefined, undefined, { context: 3, timeout: compareMs })
  if (patch === undefined) return `${shown}: ${sizeOf(before)} become ${sizeOf(after)} (too different to compare)`
  const text = patch.replace(/^=+\n/, '')
  return text.length <= most ? text : `${text.slice(0, most - 100).toWellFormed()}\n[... ${text.length - most + 100} characters more]`
}

/** "+3 -1", by lines of the diff. */
export function countsOf(preview: string): string {
  const lines = preview.split('\n').slice(2)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return `+${count('+')} -${count('-')} lines`
}

/** null: it is no UTF-8 text. No file is an empty one. */
export function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return ''
  if (binaryKind(bytes.subarray(0, 8192))) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function sizeOf(bytes: Uint8Array | null): string {
  return bytes === null ? 'no file' : `${bytes.length} bytes`
}
