// An agent as files in the layout that EDDI reads: canonical names, each configuration with what describes it, snippets that it uses.
//
// Y184  What is exported and imported again is the same agent. References to secrets stay references; no value leaves with it.
import { NotFound } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { Descriptor, ResourceRef } from '../configuration.ts'
import { referencesIn } from '../configurations/graph.ts'
import { canonicalRaw } from '../configurations/read.ts'
import type { ConfigurationStore, Place, Stored } from '../configurations/store.ts'
import { refIn, uriOf } from '../configurations/uri.ts'
import { carriedOver } from './carry.ts'
import { fileOf, snippetFolder, workflowFolder } from './layout.ts'
import { importLimits } from './limits.ts'
import { mapObject } from './walk.ts'
import type { Files } from './zip.ts'

export type ExportRef = { readonly id: string; readonly version?: number; readonly selectedResources?: readonly string[] }
export type Exported = { readonly files: Files; readonly name: string; readonly ref: ResourceRef }

type Over = { readonly configurations: Pick<ConfigurationStore, 'read' | 'descriptors'>; readonly scrub: Secrets['scrub'] }

/** Throws NotFound for the agent; what it names and is not there is left out, as it is when it is deployed. */
export async function exportFiles(over: Over, { id, version, selectedResources }: ExportRef, place: Place): Promise<Exported> {
  const { configurations } = over
  const agent = await configurations.read({ kind: 'agent', id, ...(version === undefined ? {} : { version }) }, place)
  if (agent === null) throw new NotFound(`there is no agent ${JSON.stringify(id.slice(0, 64))} in that version`, { path: 'agent' })
  const files = new Map<string, Uint8Array>()
  const texts: string[] = []
  const put = (stored: Stored, folder: string) => {
    const raw = plainOf(stored, over.scrub)
    texts.push(JSON.stringify(raw))
    files.set(fileOf(stored.ref, folder), bytesOf(raw))
    files.set(`${folder}${stored.ref.id}.descriptor.json`, bytesOf(describing(stored)))
  }
  put(agent, '')
  const isChosen = (one: Stored) => selectedResources === undefined || selectedResources.some((each) => each.toLowerCase() === one.ref.id)
  for (const workflow of await childrenOf(over, agent, place)) {
    const folder = workflowFolder(workflow.ref)
    for (const one of await everythingIn(over, workflow, place)) if (one === workflow || isChosen(one)) put(one, folder)
  }
  for (const one of await snippetsIn(over, texts.join('\n'), place)) put(one, snippetFolder)
  return { files, name: agent.descriptor.name || agent.ref.id, ref: agent.ref }
}

async function childrenOf({ configurations }: Over, { raw }: Stored, place: Place): Promise<readonly Stored[]> {
  const found = await Promise.all(
    referencesIn(raw).map(({ kind, id, version }) => configurations.read({ kind, id, ...(version === null ? {} : { version }) }, place)),
  )
  return found.filter((one) => one !== null)
}

async function everythingIn(over: Over, start: Stored, place: Place): Promise<readonly Stored[]> {
  const all = new Map<string, Stored>([[uriOf(start.ref), start]])
  for (const one of all.values()) {
    for (const child of await childrenOf(over, one, place)) {
      if (all.size < importLimits.files / 2 && !all.has(uriOf(child.ref))) all.set(uriOf(child.ref), child)
    }
  }
  return [...all.values()]
}

/** Those that a text asks for by name; a counterweight asks for its own. */
async function snippetsIn({ configurations }: Over, texts: string, place: Place): Promise<readonly Stored[]> {
  const names = namesOfSnippets(texts)
  if (names.size === 0) return []
  const found = new Map<string, Stored>()
  for (const { resource } of await configurations.descriptors('snippet', place, { limit: 0 })) {
    const ref = refIn(resource)
    const stored = ref && (await configurations.read({ kind: 'snippet', id: ref.id }, place))
    if (stored && names.has(stored.value.name) && !found.has(stored.value.name)) found.set(stored.value.name, stored)
  }
  return [...found.values()]
}

export function namesOfSnippets(texts: string): ReadonlySet<string> {
  const named = [...texts.matchAll(/\bsnippets\.([a-z0-9_-]{1,100})/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))
  const presets = texts.includes('"counterweight"') ? ['counterweight-cautious', 'counterweight-strict'] : []
  return new Set([...named, ...presets])
}

/** Canonical, with EDDI's form of references to secrets. */
function plainOf({ ref, raw }: Pick<Stored, 'ref' | 'raw'>, scrub: Secrets['scrub']): JsonObject {
  const { raw: plain } = carriedOver(ref.kind, canonicalRaw(ref.kind, raw).raw)
  const own = /\{\{secret:([a-z][a-z0-9_.-]{0,63})(?::[a-z0-9-]+)?\}\}/g
  return mapObject(plain, (text) => scrub(text).replace(own, (_, name: string) => `\${vault:${name}}`))
}

function describing({ ref, descriptor }: Pick<Stored, 'ref' | 'descriptor'>): JsonObject {
  const { name, description, createdOn, lastModifiedOn }: Descriptor = descriptor
  return { resource: uriOf(ref), name, description, createdOn, lastModifiedOn, deleted: false }
}

function bytesOf(value: Json): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
}
