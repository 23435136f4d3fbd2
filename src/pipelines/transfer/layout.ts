// Where a configuration lies in an archive or folder, in the names of all three generations; ours are written as the third reads them.
import type { Kind, ResourceRef } from '../configuration.ts'
import { allKinds } from '../configurations/uri.ts'

/** Ends of file names, before `.json`. Where a kind has more, the first is written. */
const endings: Readonly<Record<Kind, readonly [string, ...string[]]>> = {
  agent: ['agent', 'bot'],
  workflow: ['workflow', 'package'],
  rules: ['behavior', 'rules', 'ruleset'],
  httpcalls: ['httpcalls', 'apicalls'],
  llm: ['langchain', 'llm'],
  output: ['output'],
  dictionary: ['regulardictionary', 'dictionary'],
  property: ['property', 'propertysetter'],
  mcpcalls: ['mcpcalls'],
  rag: ['rag'],
  parser: ['parser'],
  snippet: ['snippet'],
  toolcalls: ['toolcalls'],
}

const kindOfEnding: ReadonlyMap<string, Kind> = new Map(
  allKinds.flatMap((kind) => endings[kind].map((ending): [string, Kind] => [ending, kind])),
)

/** `what`: a kind, or what describes one. null: this file is no part of an agent. */
export function placeIn(name: string): { readonly id: string; readonly what: Kind | 'descriptor' } | null {
  const [, id, ending] = /(?:^|\/)([A-Za-z0-9-]{1,64})\.([a-z]+)\.json$/.exec(name) ?? []
  if (id === undefined || ending === undefined) return null
  const what = ending === 'descriptor' ? 'descriptor' : kindOfEnding.get(ending)
  return what === undefined ? null : { id: id.toLowerCase(), what }
}

/** `folder`: of its workflow; agents lie at the top, snippets in their own. */
export function fileOf({ kind, id }: Pick<ResourceRef, 'kind' | 'id'>, folder: string): string {
  return `${folder}${id}.${endings[kind][0]}.json`
}

export function workflowFolder({ id, version }: Pick<ResourceRef, 'id' | 'version'>): string {
  return `${id}/${version}/`
}

export const snippetFolder = 'snippets/'
