// What a document of a knowledge base may be, and how much a base and a person may keep.
import { Conflict, Full, InvalidInput } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { RagConfig } from '../configuration.ts'
import type { Source } from './source.ts'

export const knowledgeLimits = {
  /** Characters of one document; its source has to fit into a document of the hub as well. */
  text: 1_000_000,
  name: 200,
  /** Characters of JSON. */
  metadata: 4_000,
  documents: 5_000,
  /** Pieces of one base, and of all bases of a person. */
  chunks: 50_000,
  chunksOfUser: 200_000,
  /** Documents of all people that wait to be indexed. */
  waiting: 5_000,
} as const

type Given = { readonly id: string; readonly name?: string; readonly text: string; readonly metadata?: JsonObject }

/** Throws InvalidInput that names what is wrong. */
export function readDocument({ id, name, text, metadata = {} }: Given): Source {
  const own = id.trim()
  if (own === '' || own.length > knowledgeLimits.name) throw wrong('id', `is missing or longer than ${knowledgeLimits.name} characters`)
  if ((name ?? '').length > knowledgeLimits.name) throw wrong('name', `is longer than ${knowledgeLimits.name} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no store keeps this one
  const plain = text.replace(/\u0000/g, '').toWellFormed()
  if (plain.trim() === '') throw wrong('text', 'has no words')
  if (plain.length > knowledgeLimits.text)
    throw wrong('text', `has ${plain.length} characters; allowed are ${knowledgeLimits.text}. Give it in several documents`)
  if (JSON.stringify(metadata).length > knowledgeLimits.metadata)
    throw wrong('metadata', `is longer than ${knowledgeLimits.metadata} characters of JSON`)
  return { id: own.toWellFormed(), text: plain, metadata }
}

function wrong(path: string, why: string): InvalidInput {
  return new InvalidInput(`The ${path} of a document ${why}.`, { path })
}

type Sizes = { readonly documents: number; readonly chunks: number; readonly ofUser: number }
type Adding = { readonly config: RagConfig; readonly characters: number; readonly isNew: boolean }

/** Throws Conflict when the base or the person has too much. */
export function checkSizes(sizes: Sizes, { config, characters, isNew }: Adding): void {
  const { documents, chunks, chunksOfUser } = knowledgeLimits
  const more = Math.ceil(characters / Math.max(1, config.chunkSize - Math.min(config.chunkOverlap, config.chunkSize / 2)))
  if (isNew && sizes.documents >= documents)
    throw new Conflict(`This knowledge base has ${sizes.documents} documents; allowed are ${documents}. Remove some first.`)
  if (sizes.chunks + more > chunks)
    throw new Conflict(`This knowledge base would have more than ${chunks} pieces of text. Remove documents, or make its chunkSize larger.`)
  if (sizes.ofUser + more > chunksOfUser)
    throw new Conflict(`All knowledge bases together would have more than ${chunksOfUser} pieces of text. Remove documents first.`)
}

/** Throws Full: later there is room again. */
export function checkUnfinished(count: number): void {
  if (count >= knowledgeLimits.waiting)
    throw new Full(`${count} documents wait to be taken into knowledge bases. Try again when some are done.`)
}
