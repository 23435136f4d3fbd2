// The store of configurations over documents. Every change is one commit of all the documents that it touches; versions are the
// documents' own. Others also import store.ts (what it can), uri.ts, graph.ts and read.ts.
//
// Y60  What is saved is checked strictly first: all that is wrong is named, and nothing is kept.
// Y61  A version never changes; a write names the version that it was made from, and another one meanwhile is a Conflict.
// Y62  A call is one commit: all of its configurations and descriptors, or none.
// Y63  Deleted is hidden: what names a version finds it until it is removed for good.
import type { Clock } from '../../base/clock.ts'
import { Conflict, InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Document } from '../../scopes/scopes.ts'
import type { Descriptor, Kind, ResourceRef } from '../configuration.ts'
import { childrenFirst, keyOf, referencesIn, withReferences } from './graph.ts'
import {
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
import { readConfiguration } from './read.ts'
import type { ConfigurationStore, NewConfiguration, Place, Stored, Usage, Writer } from './store.ts'
import { allKinds, isResourceId, refIn, uriOf } from './uri.ts'

export type ConfigurationRooms = {
  readonly documents: KeepingDocuments
  readonly clock: Pick<Clock, 'now'>
  /** 24 hexadecimal digits. */
  readonly newResourceId: () => string
  /** Documents that go along with a new version of an agent: where it is deployed. */
  readonly redeploy?: (change: { readonly from: ResourceRef; readonly to: ResourceRef }, writer: Writer) => Promise<readonly NewDocument[]>
}

type Known = { readonly found: Found; readonly wanted: Wanted; readonly descriptor: Descriptor; readonly described: Document | null }

export function openConfigurations(rooms: ConfigurationRooms): ConfigurationStore {
  const { documents } = rooms

  async function known(wanted: Wanted, place: Place): Promise<Known | null> {
    const found = await findIn(documents, wanted, place)
    if (found === null) return null
    const described = await documents.find(descriptorPath(wanted.kind, wanted.id), scopeOf(place))
    return { found, wanted, described, descriptor: descriptorIn(described, wanted, found.document) }
  }

  /** Its newest version, when that is the one that is meant and can be changed. */
  async function changeable(ref: ResourceRef, writer: Writer): Promise<Known> {
    const one = await known({ kind: ref.kind, id: ref.id }, writer)
    if (one === null || one.descriptor.deleted) throw missing(ref)
    const { level, version } = one.found.document
    if (level === 'bundled') throw new Conflict(`${uriOf(ref)} comes with the program and can't be changed: duplicate it.`)
    if (version === ref.version) return one
    throw new Conflict(`${uriOf(ref)} is not the newest version: that is ${version}. Read it, and make the change again.`, {
      path: 'version',
    })
  }

  async function commit(writer: Writer, news: readonly NewDocument[]): Promise<readonly Document[]> {
    const given = { level: 'home' as const, scope: homeOf(writer.user), documents: news }
    return (await documents.writeAll(given, writer.by)).value
  }

  function fresh(
    given: NewConfiguration,
    { by }: Writer,
  ): { readonly wanted: Wanted; readonly raw: JsonObject; readonly descriptor: Descriptor } {
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

  async function newDocuments(given: readonly NewConfiguration[], writer: Writer) {
    const all = given.map((one) => fresh(one, writer))
    for (const { wanted } of all) {
      if (await known(wanted, writer)) throw new Conflict(`there is a configuration ${keyOf(wanted)} already`, { path: 'id' })
    }
    const news = all.flatMap(({ wanted, raw, descriptor }) => [...documentsFor(wanted, raw, 0), descriptorDocument(wanted, descriptor, 0)])
    return { all, news }
  }

  async function create(given: readonly NewConfiguration[], writer: Writer): Promise<readonly ResourceRef[]> {
    const { all, news } = await newDocuments(given, writer)
    const written = await commit(writer, news)
    return all.map(({ wanted }) => ({ ...wanted, version: versionIn(written, wanted) }))
  }

  /** The documents of a new version, and what describes it. */
  function next({ wanted, found, descriptor, described }: Known, raw: JsonObject, { by }: Writer): readonly NewDocument[] {
    const changed = { ...descriptor, lastModifiedBy: by, lastModifiedOn: rooms.clock.now() }
    return [
      ...documentsFor(wanted, raw, found.document.version),
      descriptorDocument(wanted, changed, described?.level === 'home' ? described.version : 0),
    ]
  }

  async function reachable(ref: ResourceRef, place: Place): Promise<readonly Known[]> {
    const all = new Map<string, Known>()
    const waiting: Wanted[] = [ref]
    for (let wanted = waiting.shift(); wanted; wanted = waiting.shift()) {
      if (all.has(keyOf(wanted))) continue
      const one = await known(wanted, place)
      if (one === null) continue
      all.set(keyOf(wanted), one)
      for (const { kind, id, version } of referencesIn(one.found.raw)) waiting.push({ kind, id, ...(version === null ? {} : { version }) })
    }
    const start = all.get(keyOf(ref))
    if (!start) throw missing(ref)
    const childrenOf = ({ found }: Known) => referencesIn(found.raw).flatMap((one) => all.get(keyOf(one)) ?? [])
    return childrenFirst(start, { keyOf: ({ wanted }) => keyOf(wanted), childrenOf })
  }

  async function usages(ref: Wanted, place: Place): Promise<readonly Usage[]> {
    const all: Usage[] = []
    for (const kind of ['agent', 'workflow', 'parser'] as const) {
      for (const document of await documents.list(`pipelines/${kind}/`, scopeOf(place))) {
        const wanted = wantedIn(document.path)
        if (wanted === null) continue
        const names = referencesIn(await rawOf(documents, document)).some(
          (one) => keyOf(one) === keyOf(ref) && (ref.version === undefined || one.version === ref.version),
        )
        const one = names ? await known(wanted, place) : null
        if (one && !one.descriptor.deleted) all.push({ ref: { ...wanted, version: document.version }, name: one.descriptor.name })
      }
    }
    return all
  }

  return {
    create,
    async read<K extends Kind>(
      ref: { readonly kind: K; readonly id: string; readonly version?: number },
      place: Place,
      { deleted = false } = {},
    ) {
      const one = await known(ref, place)
      if (one === null || (one.descriptor.deleted && !deleted && ref.version === undefined)) return null
      const newest =
        ref.version === undefined
          ? one.found.document.version
          : ((await documents.find(pathOf(ref.kind, ref.id), scopeOf(place)))?.version ?? ref.version)
      const { document, raw } = one.found
      const stored: Stored<K> = {
        ref: { kind: ref.kind, id: ref.id.toLowerCase(), version: document.version },
        value: readConfiguration(ref.kind, raw, 'lenient').value,
        ...{ raw, descriptor: one.descriptor, newest, isBundled: document.level === 'bundled' },
      }
      return stored
    },
    async update(ref, value, writer) {
      const raw = checked(ref.kind, value)
      const one = await changeable(ref, writer)
      const written = await commit(writer, next(one, raw, writer))
      return { ...ref, version: versionIn(written, one.wanted) }
    },
    async put({ news, changes }, writer) {
      const all = [...(await newDocuments(news, writer)).news]
      for (const { ref, value, describe = {} } of changes) {
        const raw = checked(ref.kind, value)
        const one = await changeable(ref, writer)
        all.push(...next({ ...one, descriptor: { ...one.descriptor, ...describe } }, raw, writer))
      }
      if (all.length > 0) await commit(writer, all)
    },
    async updateReference(ref, uri, writer) {
      const to = refIn(uri)
      const { version } = to ?? { version: null }
      if (!to || version === null)
        throw new InvalidInput(`${JSON.stringify(uri.slice(0, 200))} names no version of a configuration`, { path: 'uri' })
      const one = await changeable(ref, writer)
      const raw = withReferences(one.found.raw, (found) => (keyOf(found) === keyOf(to) ? { ...to, version } : null))
      if (JSON.stringify(raw) === JSON.stringify(one.found.raw))
        throw new NotFound(`${uriOf(ref)} names no ${keyOf(to)}, or that version already`, { path: 'uri' })
      const written = await commit(writer, next(one, raw, writer))
      return { ...ref, version: versionIn(written, one.wanted) }
    },
    async apply(agent, changes, writer) {
      const given = new Map<string, { readonly ref: ResourceRef; readonly raw: JsonObject }>()
      for (const { ref, value } of changes) given.set(keyOf(ref), { ref, raw: checked(ref.kind, value) })
      for (const { ref } of given.values()) await changeable(ref, writer)
      const top = await changeable(agent, writer)
      const all = await reachable(agent, writer)
      const stray = [...given.values()].find(({ ref }) => !all.some(({ wanted }) => keyOf(wanted) === keyOf(ref)))
      if (stray)
        throw new InvalidInput(`${uriOf(stray.ref)} is no part of the agent ${top.descriptor.name || agent.id}`, { path: 'changes' })
      const moved = new Map<string, ResourceRef>()
      const news: NewDocument[] = []
      for (const one of all) {
        const { wanted, found } = one
        const base = given.get(keyOf(wanted))?.raw ?? found.raw
        const raw = withReferences(base, (ref) => moved.get(keyOf(ref)) ?? null)
        if (JSON.stringify(raw) === JSON.stringify(found.raw)) continue
        await changeable({ ...wanted, version: found.document.version }, writer)
        moved.set(keyOf(wanted), { kind: wanted.kind, id: wanted.id, version: found.document.version + 1 })
        news.push(...next(one, raw, writer))
      }
      const to = moved.get(keyOf(agent)) ?? agent
      if (news.length > 0) await commit(writer, [...news, ...((await rooms.redeploy?.({ from: agent, to }, writer)) ?? [])])
      return { agent: to, changed: [...moved.values()] }
    },
    async remove(ref, { permanent = false, cascade = false }, writer) {
      const top = await known({ kind: ref.kind, id: ref.id }, writer)
      if (top === null || (top.descriptor.deleted && !permanent)) throw missing(ref)
      const going = cascade ? await ownOnly(await reachable(ref, writer), writer) : [top]
      if (going.some(({ found }) => found.document.level === 'bundled' && found === top.found))
        throw new Conflict(`${uriOf(ref)} comes with the program and can't be removed`)
      const own = going.filter(({ found }) => found.document.level !== 'bundled')
      const hidden = own.map(({ wanted, descriptor, described }) =>
        descriptorDocument(
          wanted,
          { ...descriptor, deleted: true, lastModifiedBy: writer.by, lastModifiedOn: rooms.clock.now() },
          described?.level === 'home' ? described.version : 0,
        ),
      )
      await commit(writer, hidden)
      if (permanent) for (const one of own) await purge(one, writer)
    },
    async duplicate(ref, { deep = false }, writer) {
      const top = await known({ kind: ref.kind, id: ref.id, version: ref.version }, writer)
      if (top === null) throw missing(ref)
      const all = deep
        ? (await reachable(ref, writer)).filter((one) => one.wanted.id === ref.id || one.found.document.level !== 'bundled')
        : [top]
      const ids = new Map(all.map(({ wanted }) => [keyOf(wanted), rooms.newResourceId()]))
      const copies = all.map(({ wanted, found, descriptor }): NewConfiguration => {
        const value = withReferences(found.raw, (one) => {
          const id = ids.get(keyOf(one))
          return id === undefined ? null : { kind: one.kind, id, version: 1 }
        })
        const name = keyOf(wanted) === keyOf(ref) ? copyName(descriptor.name) : descriptor.name
        return { kind: wanted.kind, value, id: ids.get(keyOf(wanted)) ?? '', name, description: descriptor.description }
      })
      const made = await create(copies, writer)
      return made.at(-1) ?? ref
    },
    usages,
    async descriptors(kind, place, { filter = '', index = 0, limit = 20, deleted = false } = {}) {
      const found = await documents.list(`pipelines/${kind}/`, scopeOf(place))
      const described = new Map(
        (await documents.list(`pipelines/descriptors/${kind}/`, scopeOf(place))).map((one) => [wantedIn(one.path)?.id, one]),
      )
      const wanted = filter.trim().toLowerCase()
      const all = found.flatMap((document) => {
        const each = wantedIn(document.path)
        if (each === null) return []
        const descriptor = descriptorIn(described.get(each.id) ?? null, each, document)
        const isMeant =
          descriptor.deleted === deleted && `${descriptor.name}\n${descriptor.description}\n${each.id}`.toLowerCase().includes(wanted)
        return isMeant ? [descriptor] : []
      })
      all.sort((a, b) => b.lastModifiedOn - a.lastModifiedOn || (a.resource < b.resource ? -1 : 1))
      return limit <= 0 ? all : all.slice(index * limit, (index + 1) * limit)
    },
    async describe(ref, change, writer) {
      const one = await known(ref, writer)
      if (one === null) throw missing(ref)
      const { resource: _, createdBy: __, createdOn: ___, ...allowed } = change
      const next = { ...one.descriptor, ...allowed, lastModifiedBy: writer.by, lastModifiedOn: rooms.clock.now() }
      await commit(writer, [descriptorDocument(ref, next, one.described?.level === 'home' ? one.described.version : 0)])
      return next
    },
  }

  /** Those that nobody outside of them names. */
  async function ownOnly(all: readonly Known[], writer: Writer): Promise<readonly Known[]> {
    const keys = new Set(all.map(({ wanted }) => keyOf(wanted)))
    const own: Known[] = []
    for (const one of all) {
      const users = await usages({ kind: one.wanted.kind, id: one.wanted.id }, writer)
      if (one === all.at(-1) || users.every(({ ref }) => keys.has(keyOf(ref)))) own.push(one)
    }
    return own
  }

  async function purge({ wanted, found }: Known, writer: Writer): Promise<void> {
    const { level, scope } = found.document
    if (level === 'bundled') return
    const parts = await documents.list(`pipelines/parts/${wanted.kind}/${wanted.id}/`, scopeOf(writer))
    for (const { path } of [...parts, { path: pathOf(wanted.kind, wanted.id) }, { path: descriptorPath(wanted.kind, wanted.id) }]) {
      await documents.purge(path, level, scope, writer.by).catch((thrown: unknown) => {
        if (!(thrown instanceof NotFound)) throw thrown
      })
    }
  }
}

/** Throws InvalidInput with everything that is wrong. */
function checked(kind: Kind, value: unknown): JsonObject {
  if (!isKind(kind))
    throw new InvalidInput(`${JSON.stringify(kind)} is no kind of configuration; there is ${allKinds.join(', ')}`, { path: 'kind' })
  const { faults } = readConfiguration(kind, value, 'strict')
  if (faults.length > 0) {
    const more = faults.length > 10 ? `\n... and ${faults.length - 10} more` : ''
    throw new InvalidInput(
      `This ${kind} can't be saved:\n${faults
        .slice(0, 10)
        .map(({ path, message }) => `${path || '/'}: ${message}`)
        .join('\n')}${more}`,
      { path: faults[0]?.path ?? '/' },
    )
  }
  const copy: unknown = JSON.parse(JSON.stringify(value))
  return isObjectOfJson(copy) ? copy : {}
}

function isObjectOfJson(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function missing({ kind, id }: { readonly kind: Kind; readonly id: string }): NotFound {
  return new NotFound(`there is no ${kind} ${JSON.stringify(id.slice(0, 64))}`, { path: 'id' })
}

function versionIn(written: readonly Document[], { kind, id }: Wanted): number {
  return written.find(({ path }) => path === pathOf(kind, id))?.version ?? 1
}

function nameIn(raw: JsonObject): string {
  return typeof raw['name'] === 'string' ? raw['name'] : ''
}

function copyName(name: string): string {
  return name === '' ? '' : `Copy of ${name}`
}
