// An agent with all that belongs to it, as it comes from elsewhere: files are read, names made canonical, older templates carried over.
//
// Y176  Which agent is meant is never guessed: none or two of them is refused, unless one is named.
// Y177  What names itself in a circle, or stands there twice with different contents, is refused whole. What is named and missing is told.
import { InvalidInput, messageOf } from '../../base/errors.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { ResourceRef } from '../configuration.ts'
import { childrenFirst, keyOf, referencesIn } from '../configurations/graph.ts'
import { canonicalRaw } from '../configurations/read.ts'
import { isResourceId, refIn } from '../configurations/uri.ts'
import { carriedOver } from './carry.ts'
import { placeIn } from './layout.ts'
import { ImportRefused, shown } from './limits.ts'
import { jsonIn } from './text.ts'
import { apartByVersion, type FoundFile } from './versions.ts'
import type { Files } from './zip.ts'

/** One configuration of it. `raw` is canonical. */
export type Part = {
  readonly ref: ResourceRef
  readonly raw: JsonObject
  readonly name: string
  readonly description: string
  readonly file: string
  /** What was changed or left out on the way, in sentences. */
  readonly notes: readonly string[]
}

export type Bundle = {
  readonly agent: Part
  /** Without the agent; children stand before who names them. Snippets come first. */
  readonly parts: readonly Part[]
  /** What is named and not there: `kind/id`, and who names it. */
  readonly missing: readonly { readonly what: string; readonly by: Part }[]
  /** Files that mean nothing here. */
  readonly ignored: readonly string[]
}

type Described = { readonly name: string; readonly description: string; readonly version: number | null }

/** Throws ImportRefused, and InvalidInput for an `agentId` that is not there. */
export function bundleIn(files: Files, { agentId, name }: { readonly agentId?: string; readonly name?: string } = {}): Bundle {
  const read = readAll(files)
  const found = agentIn([...read.parts.values()], agentId)
  const top = name === undefined ? found : { ...found, name }
  const own = ownOf(top, read.parts)
  const snippets = [...read.parts.values()].filter(({ ref }) => ref.kind === 'snippet' && !own.some((one) => keyOf(one.ref) === keyOf(ref)))
  const parts = [...snippets, ...own.filter((one) => one !== top)]
  const missing = own.flatMap((by) => referencesIn(by.raw).flatMap((ref) => (read.parts.has(keyOf(ref)) ? [] : [{ what: keyOf(ref), by }])))
  return { agent: top, parts, missing, ignored: read.ignored }
}

type ReadFiles = { readonly parts: ReadonlyMap<string, Part>; readonly ignored: readonly string[] }

function readAll(files: Files): ReadFiles {
  const ignored: string[] = []
  const found: FoundFile[] = []
  const descriptors = new Map<string, Described>()
  for (const [file, bytes] of files) {
    const place = placeIn(file)
    if (place === null) {
      ignored.push(file)
      continue
    }
    if (!isResourceId(place.id)) throw new ImportRefused(file, `${shown(place.id)} is no id: allowed are 24 hexadecimal digits or a UUID`)
    const value = jsonIn(file, bytes)
    if (!isJsonObject(value)) throw new ImportRefused(file, 'a JSON object is wanted')
    if (place.what === 'descriptor') descriptors.set(place.id, describedIn(value))
    else found.push({ kind: place.what, id: place.id, file, value })
  }
  const parts = new Map<string, Part>()
  for (const one of apartByVersion(found)) {
    const part = partOf(one, descriptors.get(one.id) ?? describedIn({}))
    const before = parts.get(keyOf(part.ref))
    if (before && JSON.stringify(before.raw) !== JSON.stringify(part.raw))
      throw new ImportRefused(one.file, `it is there twice with different contents, also as ${shown(before.file)}`)
    if (!before) parts.set(keyOf(part.ref), part)
  }
  return { parts, ignored }
}

function describedIn(value: JsonObject): Described {
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : '')
  return { name: text('name'), description: text('description'), version: refIn(text('resource'))?.version ?? null }
}

function partOf({ kind, id, file, value, note }: FoundFile, { name, description, version }: Described): Part {
  try {
    const { raw, unknown } = canonicalRaw(kind, value)
    const carried = carriedOver(kind, raw)
    const left = unknown.map((path) => `${path} means nothing here and is left out`)
    const own = typeof raw['name'] === 'string' ? raw['name'] : ''
    return {
      ref: { kind, id, version: version ?? 1 },
      ...{ raw: carried.raw, name: name || own, description, file },
      notes: [...(note === undefined ? [] : [note]), ...left, ...carried.notes],
    }
  } catch (thrown) {
    throw thrown instanceof ImportRefused ? thrown : new ImportRefused(file, messageOf(thrown))
  }
}

function agentIn(parts: readonly Part[], wanted: string | undefined): Part {
  const agents = parts.filter(({ ref }) => ref.kind === 'agent')
  const names = agents.map(({ ref, name }) => (name === '' ? ref.id : `${ref.id} (${name})`)).join(', ')
  if (wanted !== undefined) {
    const found = agents.find(({ ref }) => ref.id === wanted.toLowerCase())
    if (found) return found
    throw new InvalidInput(`there is no agent ${shown(wanted)} in it; there is ${names || 'none'}`, { path: 'agentId' })
  }
  const [first, second] = agents
  if (!first) throw new ImportRefused(null, 'there is no agent in it: a file <id>.agent.json, or <id>.bot.json in older ones, is wanted')
  if (second) throw new ImportRefused(null, `there is more than one agent in it; say which is meant: ${names}`)
  return first
}

/** What the agent reaches, children first, itself last. */
function ownOf(top: Part, parts: ReadonlyMap<string, Part>): readonly Part[] {
  return childrenFirst<Part>(top, {
    keyOf: ({ ref }) => keyOf(ref),
    childrenOf: ({ raw }) => referencesIn(raw).flatMap((ref) => parts.get(keyOf(ref)) ?? []),
    ring: (keys) => {
      throw new ImportRefused(top.file, `references go in a circle: ${keys.join(' -> ')}`)
    },
  })
}
