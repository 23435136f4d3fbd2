// A document as a model reads it: by lines, and in a frame when it holds what came from outside.
import type { Document } from '../../scopes/scopes.ts'
import { fenced } from '../fence.ts'
import { done, type Outcome, refused } from '../tool.ts'
import { type DocumentRooms, documentKey } from './document-place.ts'

const mostCharacters = 40_000

export async function shown(
  rooms: DocumentRooms,
  document: Document,
  { from, lines }: { readonly from: number; readonly lines: number },
): Promise<Outcome> {
  const all = document.text.split('\n')
  const isEmpty = document.text === ''
  if (from > all.length) return refused('invalid', `${document.path} has only ${all.length} lines; there is no line ${from}.`)
  const some = fitting(all.slice(from - 1, from - 1 + lines))
  const end = from + some.length - 1
  const more = end < all.length ? [`[more follows: from=${end + 1}]`] : []
  const head = `${headOf(document)}${isEmpty ? ', empty' : `, lines ${from} to ${end} of ${all.length}`}`
  return framed(rooms, document, { head, text: some.join('\n'), more })
}

type Words = { readonly head: string; readonly text: string; readonly more: readonly string[] }

/** `head` and `more` are ours; `text` is the document's. */
export async function framed(rooms: DocumentRooms, document: Document, { head, text, more }: Words): Promise<Outcome> {
  const key = documentKey(document)
  const isForeign = (await rooms.taintOf([key])) === 'foreign'
  const body = isForeign
    ? fenced({ source: `the document ${document.path}, written from what came from outside`, text }, rooms.newWord())
    : text
  // Whoever wrote it: a person keeps letters of others too.
  return done([head, body, ...more].join('\n'), { read: [key], taint: 'content' })
}

export function headOf({ path, level, scope, version }: Document): string {
  return `${path} (${level} ${scope}, version ${version})`
}

function fitting(lines: readonly string[]): readonly string[] {
  let left = mostCharacters
  const some: string[] = []
  for (const line of lines) {
    if (some.length > 0 && line.length > left) break
    some.push(line.slice(0, mostCharacters).toWellFormed())
    left -= line.length + 1
  }
  return some
}
