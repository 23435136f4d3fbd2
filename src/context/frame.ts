// How the hub speaks to a model in between: in a frame whose mark nobody else can write (D19). The mark belongs to the process, is
// told in the system text, and is taken out of everything that others wrote; what only looks like it stays as it is.
import { sha256 } from '../base/hash.ts'

/** `hub-3f9ac2e1`: the same for the life of the process. */
export function markOf(process: string): string {
  return `hub-${sha256(`frame of ${process}`).slice(0, 8)}`
}

/** A notice of the hub. `kind` says what it is: note, record, excerpts. */
export function framed(mark: string, kind: string, text: string): string {
  return `<${mark} ${kind}>\n${text}\n</${mark}>`
}

/** Text of anybody but the hub: wherever it carries the mark, it no longer does. */
export function unmarked(mark: string, text: string): string {
  return text.includes(mark) || text.toLowerCase().includes(mark) ? text.replace(new RegExp(mark, 'gi'), 'hub-(imitated)') : text
}

/** An answer without the frames that the model wrote itself: they are no words of its own (D06). Other text stays untouched. */
export function withoutFrames(mark: string, text: string): string {
  if (!text.includes(mark)) return text
  return text
    .replace(new RegExp(`<${mark}[^>]{0,200}>[\\s\\S]*?(</${mark}>|$)`, 'g'), '')
    .replaceAll(`</${mark}>`, '')
    .trim()
}

/** What a model of that process said, without frames that it wrote itself. */
export function spoken(process: string, text: string): string {
  return withoutFrames(markOf(process), text)
}
