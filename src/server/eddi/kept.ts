// Small tables of a person that EDDI's clients keep: one JSON document each in the person's home.
import type { Json, JsonObject } from '../../base/json.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Caller } from '../caller.ts'
import type { Hub } from '../hub.ts'
import { seen } from '../session-of.ts'
import { isJson } from './route.ts'

export type Table = 'triggers' | 'managed' | 'variables'
export type Row = readonly [key: string, value: JsonObject]

const pathOf = (table: Table): string => `pipelines/${table}.json`

type Read = { readonly rows: ReadonlyMap<string, Json>; readonly version: number }

async function read(hub: Hub, { user }: Caller, table: Table): Promise<Read> {
  const found = await hub.scopes.documents.find(pathOf(table), { user: user.name, project: homeOf(user.name) })
  if (found === null || found.level !== 'home') return { rows: new Map(), version: 0 }
  const given: unknown = JSON.parse(found.text)
  return { rows: new Map(isJson(given) ? Object.entries(given) : []), version: found.version }
}

export async function rowsOf(hub: Hub, caller: Caller, table: Table): Promise<ReadonlyMap<string, JsonObject>> {
  const { rows } = await read(hub, caller, table)
  return new Map([...rows].flatMap(([key, one]): Row[] => (isJson(one) ? [[key, one]] : [])))
}

/** Another version than the one that was read is a Conflict. */
export async function keepRow(hub: Hub, caller: Caller, { table, key, value }: Keeping): Promise<void> {
  const { rows, version } = await read(hub, caller, table)
  const next = new Map<string, Json>(rows)
  if (value === null) next.delete(key)
  else next.set(key, value)
  const text = `${JSON.stringify(Object.fromEntries([...next].sort(([a], [b]) => (a < b ? -1 : 1))), null, 1)}\n`
  const home = { path: pathOf(table), level: 'home', scope: homeOf(caller.user.name) } as const
  await seen(hub, hub.scopes.documents.write({ ...home, text, expected: version }, caller.actor))
}

/** null: it goes away. */
type Keeping = { readonly table: Table; readonly key: string; readonly value: Json | null }
