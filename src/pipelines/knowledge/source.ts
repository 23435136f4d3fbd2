// A document of a knowledge base as it is kept: a document of the hub at the home of its person, which the index is made from.
import { sha256 } from '../../base/hash.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { DocumentRow } from './store.ts'

export type Source = { readonly id: string; readonly text: string; readonly metadata: JsonObject }

/** A name that any file system takes. */
export function keyOf(id: string): string {
  return sha256(id).slice(0, 32)
}

export function pathOf({ base, document }: Pick<DocumentRow, 'base' | 'document'>): string {
  return `pipelines/knowledge/${base}/${document}.json`
}

export function sourceOf({ id, name, text, metadata }: Source & { readonly name: string }): string {
  return JSON.stringify({ id, name, metadata, text })
}

/** null: somebody has written something else there. */
export function textIn(source: string): string | null {
  const text = readSource(source)['text']
  return typeof text === 'string' ? text : null
}

export function metadataIn(source: string): JsonObject {
  const metadata = readSource(source)['metadata']
  return metadata !== undefined && isJsonObject(metadata) ? metadata : {}
}

function readSource(source: string): JsonObject {
  try {
    const read = JSON.parse(source)
    return isJsonObject(read) ? read : {}
  } catch {
    return {}
  }
}
