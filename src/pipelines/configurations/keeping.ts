// How configurations lie in documents: one at `pipelines/<kind>/<id>.json`, its text in parts when it is larger than a document may
// be, and what describes it at `pipelines/<kind>/<id>.descriptor.json`.
import { InvalidInput } from '../../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Document, Documents, ScopeRef } from '../../scopes/scopes.ts'
import { type Descriptor, type Kind, kinds } from '../configuration.ts'
import { refuseDeep } from './depth.ts'
import type { Place } from './store.ts'
import { uriOf } from './uri.ts'

export type NewDocument = { readonly path: string; readonly text: string; readonly expected?: number }
/** A configuration as it lies there. */
export type Found = { readonly document: Document; readonly raw: JsonObject }

export type KeepingDocuments = Pick<Documents, 'find' | 'list' | 'version' | 'writeAll'>
/** What one commit does. */
export type Changes = {
  readonly documents: readonly NewDocument[]
  readonly removed?: readonly string[]
  readonly purged?: readonly string[]
}

export const pathOf = (kind: Kind, id: string): string => `pipelines/${kind}/${id.toLowerCase()}.json`
export const descriptorPath = (kind: Kind, id: string): string => `pipelines/${kind}/${id.toLowerCase()}.descriptor.json`
export const partPrefix = (kind: Kind, id: string): string => `pipelines/parts/${kind}/${id.toLowerCase()}/`

/** UTF-16 units; at most three bytes each, which stays below the limit of a document. */
const partLength = 300_000

export function scopeOf({ user, project }: Place): ScopeRef {
  return { user, project: project ?? homeOf(user) }
}

/** Documents for a configuration's text: one, or a list of parts and the parts. Each change of a part is a version of its own. */
export function documentsFor(
  ref: { readonly kind: Kind; readonly id: string },
  raw: JsonObject,
  expected?: number,
): readonly NewDocument[] {
  const path = pathOf(ref.kind, ref.id)
  const own = expected === undefined ? {} : { expected }
  const text = JSON.stringify(raw, null, 1)
  // Documents make no version of a text that is there already; each write of a configuration is one, so its last line breaks alternate.
  if (text.length <= partLength) return [{ path, text: text + '\n'.repeat(1 + ((expected ?? 0) % 2)), ...own }]
  const parts = partsOf(JSON.stringify(raw)).map((part, at) => ({
    path: `${partPrefix(ref.kind, ref.id)}${expected ?? 0}-${at}.txt`,
    text: part,
  }))
  return [{ path, text: JSON.stringify({ [partsKey]: parts.map((part) => part.path) }), ...own }, ...parts]
}

/** Parts are named after the version that they were written for, and written once. */
const partsKey = '$parts'

function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + partLength)
    const code = text.charCodeAt(end - 1)
    if (end < text.length && code >= 0xd800 && code < 0xdc00) end -= 1
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** `version` absent: the newest that shows. A version of an innermost document only: versions of hidden outer ones are not mixed in. */
export async function findIn(documents: KeepingDocuments, { kind, id, version }: Wanted, place: Place): Promise<Found | null> {
  const newest = await documents.find(pathOf(kind, id), scopeOf(place))
  if (newest === null) return null
  const { path, level, scope } = newest
  const document = version === undefined || version === newest.version ? newest : await documents.version(path, level, scope, version)
  return document === null ? null : { document, raw: await rawOf(documents, document) }
}

export type Wanted = { readonly kind: Kind; readonly id: string; readonly version?: number }

export async function rawOf(documents: KeepingDocuments, document: Document): Promise<JsonObject> {
  const value = objectIn(document)
  const parts = value[partsKey]
  if (!Array.isArray(parts)) return value
  const { level, scope } = document
  const texts = await Promise.all(parts.map(async (path) => (await documents.version(String(path), level, scope, 1))?.text ?? ''))
  return objectIn({ path: document.path, text: texts.join('') })
}

/** A document that a person has written over is theirs: what is wrong with it is named. */
export function objectIn({ path, text }: Pick<Document, 'path' | 'text'>): JsonObject {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidInput(`the document ${path} is no JSON`, { path })
  }
  refuseDeep(value)
  if (isJsonObject(value)) return value
  throw new InvalidInput(`the document ${path} is no JSON object`, { path })
}

/** What is known of it; one without a descriptor that can be read, as a person may put there by hand, gets what its document says. */
export function descriptorIn(described: Document | null, { kind, id }: Wanted, document: Document): Descriptor {
  const value = described === null ? {} : readable(described)
  const text = (name: string, otherwise: string) => (typeof value[name] === 'string' ? value[name] : otherwise)
  const number = (name: string, otherwise: number) => (typeof value[name] === 'number' ? value[name] : otherwise)
  const at = Date.parse(document.at)
  const { originId } = value
  return {
    resource: uriOf({ kind, id, version: document.version }),
    name: text('name', ''),
    description: text('description', ''),
    createdBy: text('createdBy', document.by),
    createdOn: number('createdOn', at),
    lastModifiedBy: text('lastModifiedBy', document.by),
    lastModifiedOn: Math.max(number('lastModifiedOn', 0), at),
    deleted: value['deleted'] === true,
    ...(typeof originId === 'string' ? { originId } : {}),
  }
}

function readable(document: Document): JsonObject {
  try {
    return objectIn(document)
  } catch (thrown) {
    if (thrown instanceof InvalidInput) return {}
    throw thrown
  }
}

export function descriptorDocument({ kind, id }: Wanted, { resource: _, ...descriptor }: Descriptor, expected?: number): NewDocument {
  const text = `${JSON.stringify(descriptor, null, 1)}\n`
  return { path: descriptorPath(kind, id), text, ...(expected === undefined ? {} : { expected }) }
}

/** Kind and id of a path that `pathOf` made; null for any other. */
export function wantedIn(path: string): Wanted | null {
  const [, name, id] = /^pipelines\/([a-z]+)\/([a-z0-9-]+)\.json$/.exec(path) ?? []
  const kind = name === undefined ? undefined : kindNames.get(name)
  return kind === undefined || id === undefined ? null : { kind, id }
}

const kindNames: ReadonlyMap<string, Kind> = new Map(
  [...Object.keys(kinds)].flatMap((name) => (isKind(name) ? [[name, name] as const] : [])),
)

export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name)
}
