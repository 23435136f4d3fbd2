// Names of configurations: eddi:// URIs and the addresses of their stores, in the names of all three generations.
import { InvalidInput } from '../../base/errors.ts'
import { type Kind, kinds, type ResourceRef } from '../configuration.ts'

export const allKinds: readonly Kind[] = [
  'agent', 'workflow', 'rules', 'httpcalls', 'llm', 'output', 'dictionary', 'property', 'mcpcalls', 'rag', 'parser', 'snippet', 'toolcalls',
] // biome-ignore format: one list, one look

/** What older files call the types, stores and plurals. */
const olderTypes: Readonly<Record<string, Kind>> = {
  'ai.labs.bot': 'agent',
  'ai.labs.package': 'workflow',
  'ai.labs.behavior': 'rules',
  'ai.labs.apicalls': 'httpcalls',
  'ai.labs.langchain': 'llm',
  'ai.labs.regulardictionary': 'dictionary',
  'ai.labs.dictionary': 'dictionary',
  'ai.labs.propertysetter': 'property',
}
const olderStores: Readonly<Record<string, Kind>> = {
  'botstore/bots': 'agent',
  'packagestore/packages': 'workflow',
  'behaviorstore/behaviorsets': 'rules',
  'httpcallsstore/httpcalls': 'httpcalls',
  'langchainstore/langchains': 'llm',
  'regulardictionarystore/regulardictionaries': 'dictionary',
  'propertystore/propertysetters': 'property',
  'propertystore/properties': 'property',
}

const typeOf = new Map<string, Kind>([...entries(olderTypes), ...allKinds.map((kind): [string, Kind] => [kinds[kind].type, kind])])
const storeOf = new Map<string, Kind>([
  ...entries(olderStores),
  ...allKinds.map((kind): [string, Kind] => [`${kinds[kind].store}/${kinds[kind].plural}`, kind]),
])

/** Every `store/plural` that names a kind, older ones too. */
export const storePaths: ReadonlyMap<string, Kind> = storeOf

function entries(table: Readonly<Record<string, Kind>>): readonly [string, Kind][] {
  return Object.entries(table)
}

/** 24 hexadecimal digits, a UUID, or the name of a bundled one. */
export function isResourceId(id: string): boolean {
  return /^(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z][a-z0-9-]{0,63})$/i.test(id)
}

export type FoundRef = { readonly kind: Kind; readonly id: string; readonly version: number | null }

/**
 * `eddi://ai.labs.rules/rulestore/rulesets/<id>?version=1`, or the address of a store with that ending; older names too. null: it
 * names no configuration. The type decides where a type is given.
 */
export function refIn(uri: string): FoundRef | null {
  const found = /^(?:eddi:\/\/([a-z.]+)|https?:\/\/[^/\s]+(?:\/[^?#\s]*?)?)?\/?([a-z]+\/[a-z]+)\/([^/?#\s]+)\/?(?:\?([^#\s]*))?$/i.exec(
    uri.trim(),
  )
  if (!found) return null
  const [, type, store = '', id = '', query = ''] = found
  const kind = typeOf.get(type?.toLowerCase() ?? '') ?? storeOf.get(store.toLowerCase())
  if (kind === undefined || !isResourceId(id)) return null
  const version = Number(new URLSearchParams(query).get('version') ?? Number.NaN)
  return { kind, id, version: Number.isSafeInteger(version) && version > 0 ? version : null }
}

/** The same with a version; throws InvalidInput, naming `path`. */
export function wholeRefIn(uri: string, path: string): ResourceRef {
  const found = refIn(uri)
  if (found && found.version !== null) return { ...found, version: found.version }
  const wanted = 'a reference like eddi://ai.labs.rules/rulestore/rulesets/<id>?version=1'
  throw new InvalidInput(`${JSON.stringify(uri.slice(0, 200))} names no version of a configuration; wanted is ${wanted}`, { path })
}

/** In the third generation of names. */
export function uriOf({ kind, id, version }: ResourceRef): string {
  const { type, store, plural } = kinds[kind]
  return `eddi://${type}/${store}/${plural}/${id}?version=${version}`
}

/** The task of a workflow's step, canonical: `eddi://ai.labs.behavior` is `ai.labs.rules`. As it is when nobody knows it. */
export function taskOf(type: string): string {
  const plain = type
    .trim()
    .replace(/^eddi:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .toLowerCase()
  const kind = typeOf.get(plain)
  return kind === undefined ? plain : kinds[kind].type
}
