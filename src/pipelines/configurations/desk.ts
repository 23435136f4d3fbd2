// What every change of configurations works with: finding one with what describes it, what can be changed, one commit.
import type { Clock } from '../../base/clock.ts'
import { Conflict, InvalidInput, NotFound } from '../../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Document } from '../../scopes/scopes.ts'
import type { Descriptor, Kind, ResourceRef } from '../configuration.ts'
import { checksOf } from './checks.ts'
import { childrenFirst, keyOf, referencesIn, withoutAddresses } from './graph.ts'
import {
  type Changes,
  descriptorDocument,
  descriptorIn,
  descriptorPath,
  documentsFor,
  type Found,
  findIn,
  isKind,
  type KeepingDocuments,
  type NewDocument,
  pathOf,
  rawOf,
  scopeOf,
  type Wanted,
  wantedIn,
} from './keeping.ts'
import { type ReadFault, readConfiguration } from './read.ts'
import type { ConfigurationStore, NewConfiguration, Place, Usage, Writer } from './store.ts'
import { allKinds, type FoundRef, isResourceId, uriOf } from './uri.ts'

export type ConfigurationRooms = {
  readonly documents: KeepingDocuments
  readonly clock: Pick<Clock, 'now'>
  /** 24 hexadecimal digits. */
  readonly newResourceId: () => string
  /** Documents that go along with a new version of an agent where it is deployed. Throws InvalidInput when that can't run. */
  readonly redeploy?: (change: Redeploying, writer: Writer) => Promise<readonly NewDocument[]>
  /** What goes along when an agent is removed: nobody finds it any more. */
  readonly undeploy?: (agentId: string, writer: Writer) => Promise<Changes>
}

/** `configurations`: as they will be. */
export type Redeploying = {
  readonly from: ResourceRef
  readonly to: ResourceRef
  readonly configurations: Pick<ConfigurationStore, 'read' | 'descriptors'>
}

/** A configuration as it lies there, with what describes it. */
export type Known = { readonly found: Found; readonly wanted: Wanted; readonly descriptor: Descriptor; readonly described: Document | null }

export async function known({ documents }: ConfigurationRooms, wanted: Wanted, place: Place): Promise<Known | null> {
  const found = await findIn(documents, wanted, place)
  if (found === null) return null
  const described = await documents.find(descriptorPath(wanted.kind, wanted.id), scopeOf(place))
  return { found, wanted, described, descriptor: descriptorIn(described, wanted, found.document) }
}

/** Its newest version, when that is the one that is meant and can be changed. */
export async function changeable(rooms: ConfigurationRooms, ref: ResourceRef, writer: Writer): Promise<Known> {
  const one = await known(rooms, { kind: ref.kind, id: ref.id }, writer)
  if (one === null || one.descriptor.deleted) throw missing(ref)
  const { level, version } = one.found.document
  if (level === 'bundled') throw new Conflict(`${uriOf(ref)} comes with the program and can't be changed: duplicate it.`)
  if (level !== 'home') throw new Conflict(`${uriOf(ref)} belongs to a ${level}, not to you, and can't be changed here: duplicate it.`)
  if (version === ref.version) return one
  throw new Conflict(`${uriOf(ref)} is not the newest version: that is ${version}. Read it, and make the change again.`, {
    path: 'version',
  })
}

export async function commit({ documents }: ConfigurationRooms, changes: Changes, writer: Writer): Promise<readonly Document[]> {
  return (await documents.writeAll({ level: 'home', scope: homeOf(writer.user), ...changes }, writer.by)).value
}

type Fresh = { readonly wanted: Wanted; readonly raw: JsonObject; readonly descriptor: Descriptor }

function fresh(rooms: ConfigurationRooms, given: NewConfiguration, { by }: Writer): Fresh {
  const wanted = { kind: given.kind, id: (given.id ?? rooms.newResourceId()).toLowerCase() }
  if (!isResourceId(wanted.id))
    throw new InvalidInput(`${JSON.stringify(given.id)} is no id: allowed are 24 hexadecimal digits or a UUID`, { path: 'id' })
  const raw = checked(given.kind, given.value)
  const now = rooms.clock.now()
  const { name = nameIn(raw), description = '', originId } = given
  const made = { createdBy: by, createdOn: now, lastModifiedBy: by, lastModifiedOn: now, deleted: false }
  const descriptor = { resource: '', name, description, ...made, ...(originId === undefined ? {} : { originId }) }
  return { wanted, raw, descriptor }
}

/** Documents of new configurations. Throws Conflict for ids that are there. */
export async function newDocuments(rooms: ConfigurationRooms, given: readonly NewConfiguration[], writer: Writer) {
  const all = given.map((one) => fresh(rooms, one, writer))
  for (const { wanted } of all) {
    if (await known(rooms, wanted, writer)) throw new Conflict(`there is a configuration ${keyOf(wanted)} already`, { path: 'id' })
  }
  const news = all.flatMap(({ wanted, raw, descriptor }) => [...documentsFor(wanted, raw, 0), descriptorDocument(wanted, descriptor, 0)])
  return { all, news }
}

export async function create(
  rooms: ConfigurationRooms,
  given: readonly NewConfiguration[],
  writer: Writer,
): Promise<readonly ResourceRef[]> {
  const { all, news } = await newDocuments(rooms, given, writer)
  const written = await commit(rooms, { documents: news }, writer)
  return all.map(({ wanted }) => ({ ...wanted, version: versionIn(written, wanted) }))
}

/** The documents of a new version, and what describes it. */
export function next(
  { clock }: ConfigurationRooms,
  { wanted, found, descriptor, described, raw }: Known & { readonly raw: JsonObject },
  { by }: Writer,
): readonly NewDocument[] {
  const changed = { ...descriptor, lastModifiedBy: by, lastModifiedOn: clock.now() }
  return [...documentsFor(wanted, raw, found.document.version), descriptorDocument(wanted, changed, describedAt({ described }))]
}

/** Everything that it names, directly or not, children first; what is missing is left out. */
export async function reachable(rooms: ConfigurationRooms, ref: ResourceRef, place: Place): Promise<readonly Known[]> {
  const all = new Map<string, Known>()
  const waiting: Wanted[] = [ref]
  for (let wanted = waiting.shift(); wanted; wanted = waiting.shift()) {
    if (all.has(keyOf(wanted))) continue
    const one = await known(rooms, wanted, place)
    if (one === null) continue
    all.set(keyOf(wanted), one)
    for (const { kind, id, version } of referencesIn(one.found.raw)) waiting.push({ kind, id, ...(version === null ? {} : { version }) })
  }
  const start = all.get(keyOf(ref))
  if (!start) throw missing(ref)
  const childrenOf = ({ found }: Known) => referencesIn(found.raw).flatMap((one) => all.get(keyOf(one)) ?? [])
  return childrenFirst(start, { keyOf: ({ wanted }) => keyOf(wanted), childrenOf })
}

export async function usages(rooms: ConfigurationRooms, ref: Wanted, place: Place): Promise<readonly Usage[]> {
  const isMeant = (one: FoundRef) => keyOf(one) === keyOf(ref) && (ref.version === undefined || one.version === ref.version)
  const all: Usage[] = []
  for (const kind of ['agent', 'workflow', 'parser'] as const) {
    for (const document of await rooms.documents.list(`pipelines/${kind}/`, scopeOf(place))) {
      const wanted = wantedIn(document.path)
      if (wanted === null || !(await namesIn(rooms, document)).some(isMeant)) continue
      const one = await known(rooms, wanted, place)
      if (one && !one.descriptor.deleted) all.push({ ref: { ...wanted, version: document.version }, name: one.descriptor.name })
    }
  }
  return all
}

/** What can't be read, as a person may have written it there by hand, names nothing. */
async function namesIn({ documents }: ConfigurationRooms, document: Document): Promise<readonly FoundRef[]> {
  try {
    return referencesIn(await rawOf(documents, document))
  } catch (thrown) {
    if (thrown instanceof InvalidInput) return []
    throw thrown
  }
}

/** Throws InvalidInput with everything that is wrong: its form, and what could never run. */
export function checked(kind: Kind, value: unknown): JsonObject {
  if (!isKind(kind))
    throw new InvalidInput(`${JSON.stringify(kind)} is no kind of configuration; there is ${allKinds.join(', ')}`, { path: 'kind' })
  const read = readConfiguration(kind, value, 'strict')
  const raw = withoutAddresses(kind, objectOf(value))
  refuse(kind, read.faults)
  const never = atSave.has(kind) ? checksOf(kind, read.value, raw).filter(({ severity }) => severity === 'error') : []
  refuse(
    kind,
    never.map(({ message }) => ({ path: '/', message })),
  )
  return raw
}

/** Providers and servers are looked for when an agent is deployed; these say themselves whether they can run. */
const atSave: ReadonlySet<Kind> = new Set<Kind>(['rules', 'dictionary', 'output'])
const mostTold = 10

function refuse(kind: Kind, faults: readonly ReadFault[]): void {
  const [first] = faults
  if (!first) return
  const lines = faults.slice(0, mostTold).map(({ path, message }) => `${path || '/'}: ${message}`)
  const more = faults.length > mostTold ? [`... and ${faults.length - mostTold} more`] : []
  throw new InvalidInput([`This ${kind} can't be saved:`, ...lines, ...more].join('\n'), { path: first.path })
}

function objectOf(value: unknown): JsonObject {
  const copy: Json = JSON.parse(JSON.stringify(value))
  return isJsonObject(copy) ? copy : {}
}

export function missing({ kind, id }: { readonly kind: Kind; readonly id: string }): NotFound {
  return new NotFound(`there is no ${kind} ${JSON.stringify(id.slice(0, 64))}`, { path: 'id' })
}

export function versionIn(written: readonly Document[], { kind, id }: Wanted): number {
  return written.find(({ path }) => path === pathOf(kind, id))?.version ?? 1
}

/** Of what describes it, where a person has one of their own. */
export function describedAt({ described }: Pick<Known, 'described'>): number {
  return described?.level === 'home' ? described.version : 0
}

function nameIn(raw: JsonObject): string {
  return typeof raw['name'] === 'string' ? raw['name'] : ''
}
