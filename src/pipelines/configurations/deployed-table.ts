// The document that says which versions new conversations get: `pipelines/deployments.json` in a person's home.
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { type KeepingDocuments, objectIn, scopeOf } from './keeping.ts'
import { type Environment, environments, type Place } from './store.ts'

export const tablePath = 'pipelines/deployments.json'

export type Entry = { readonly version: number; readonly agentName: string | null }
/** By the agent's id, in lower case. */
export type Table = { readonly [E in Environment]: ReadonlyMap<string, Entry> }
/** `version`: of the document, 0 when there is none yet. */
export type KnownTable = { readonly table: Table; readonly version: number }

/** Throws InvalidInput when a person has written into it what can't be read. */
export async function readTable(documents: Pick<KeepingDocuments, 'find'>, place: Place): Promise<KnownTable> {
  const document = await documents.find(tablePath, scopeOf(place))
  return { table: document === null ? empty : tableIn(objectIn(document)), version: document?.level === 'home' ? document.version : 0 }
}

/** Without an entry it is taken out. */
export function withEntry(table: Table, environment: Environment, [id, entry]: readonly [string, Entry | null]): Table {
  const part = new Map(table[environment])
  if (entry === null) part.delete(id)
  else part.set(id, entry)
  return { ...table, [environment]: part }
}

export function tableDocument(table: Table, expected: number) {
  const plain = Object.fromEntries(environments.map((one) => [one, Object.fromEntries([...table[one]].sort())]))
  return { path: tablePath, text: `${JSON.stringify(plain, null, 1)}\n`, expected }
}

const empty: Table = { production: new Map(), test: new Map() }

function tableIn(given: JsonObject): Table {
  return { production: entriesIn(given['production']), test: entriesIn(given['test']) }
}

function entriesIn(part: JsonObject[string] | undefined): ReadonlyMap<string, Entry> {
  if (!isJsonObject(part)) return new Map()
  return new Map(
    Object.entries(part).flatMap(([id, one]): [string, Entry][] => {
      if (!isJsonObject(one) || typeof one['version'] !== 'number') return []
      const { agentName = null } = one
      return [[id.toLowerCase(), { version: one['version'], agentName: typeof agentName === 'string' ? agentName : null }]]
    }),
  )
}
