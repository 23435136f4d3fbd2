// The store of configurations over documents. Every change is one commit of all the documents that it touches; versions are the
// documents' own. Others also import store.ts (what it can), uri.ts, graph.ts, read.ts, keeping.ts and compiling.ts. Its verbs stand in
// desk.ts, changing.ts and removing.ts.
//
// Y60  What is saved is checked strictly first: all that is wrong is named, and nothing is kept.
// Y61  A version never changes; a write names the version that it was made from, and another one meanwhile is a Conflict.
// Y62  A call is one commit: all of its configurations and descriptors, or none.
// Y63  Deleted is hidden: what names a version finds it until it is removed for good.
import type { Kind } from '../configuration.ts'
import { apply, put, update, updateReference } from './changing.ts'
import { type ConfigurationRooms, commit, create, describedAt, known, missing, usages } from './desk.ts'
import { duplicate } from './duplicating.ts'
import { descriptorDocument, descriptorIn, pathOf, scopeOf, wantedIn } from './keeping.ts'
import { readConfiguration } from './read.ts'
import { remove } from './removing.ts'
import type { ConfigurationStore, Place, Stored } from './store.ts'

export type { ConfigurationRooms } from './desk.ts'

export function openConfigurations(rooms: ConfigurationRooms): ConfigurationStore {
  return {
    create: (given, writer) => create(rooms, given, writer),
    read: (ref, place, options) => read(rooms, ref, { place, deleted: options?.deleted ?? false }),
    update: (ref, value, writer) => update(rooms, { ref, value }, writer),
    put: (given, writer) => put(rooms, given, writer),
    updateReference: (ref, uri, writer) => updateReference(rooms, { ref, uri }, writer),
    apply: (agent, changes, writer) => apply(rooms, { agent, changes }, writer),
    remove: (ref, options, writer) => remove(rooms, { ref, ...options }, writer),
    duplicate: (ref, options, writer) => duplicate(rooms, { ref, ...options }, writer),
    usages: (ref, place) => usages(rooms, ref, place),
    descriptors: (kind, place, page) => descriptors(rooms, { kind, place, ...page }),
    async describe(ref, change, writer) {
      const one = await known(rooms, ref, writer)
      if (one === null) throw missing(ref)
      const { resource: _, createdBy: __, createdOn: ___, ...allowed } = change
      const next = { ...one.descriptor, ...allowed, lastModifiedBy: writer.by, lastModifiedOn: rooms.clock.now() }
      await commit(rooms, [descriptorDocument(ref, next, describedAt(one))], writer)
      return next
    },
  }
}

type Reading<K extends Kind> = { readonly kind: K; readonly id: string; readonly version?: number }

async function read<K extends Kind>(
  rooms: ConfigurationRooms,
  ref: Reading<K>,
  { place, deleted }: { readonly place: Place; readonly deleted: boolean },
): Promise<Stored<K> | null> {
  const one = await known(rooms, ref, place)
  if (one === null || (one.descriptor.deleted && !deleted && ref.version === undefined)) return null
  const { document, raw } = one.found
  const newest = ref.version === undefined ? document : await rooms.documents.find(pathOf(ref.kind, ref.id), scopeOf(place))
  return {
    ref: { kind: ref.kind, id: ref.id.toLowerCase(), version: document.version },
    value: readConfiguration(ref.kind, raw, 'lenient').value,
    ...{ raw, descriptor: one.descriptor, newest: newest?.version ?? document.version, isBundled: document.level === 'bundled' },
  }
}

type Listing = { readonly kind: Kind; readonly place: Place } & NonNullable<Parameters<ConfigurationStore['descriptors']>[2]>

/** The newest first; a limit of 0 means all. */
async function descriptors({ documents }: ConfigurationRooms, given: Listing) {
  const { kind, place, filter = '', index = 0, limit = 20, deleted = false } = given
  const found = await documents.list(`pipelines/${kind}/`, scopeOf(place))
  const described = await documents.list(`pipelines/descriptors/${kind}/`, scopeOf(place))
  const byId = new Map(described.map((one) => [wantedIn(one.path)?.id, one]))
  const wanted = filter.trim().toLowerCase()
  const all = found.flatMap((document) => {
    const each = wantedIn(document.path)
    if (each === null) return []
    const descriptor = descriptorIn(byId.get(each.id) ?? null, each, document)
    const isMeant = `${descriptor.name}\n${descriptor.description}\n${each.id}`.toLowerCase().includes(wanted)
    return isMeant && descriptor.deleted === deleted ? [descriptor] : []
  })
  all.sort((a, b) => b.lastModifiedOn - a.lastModifiedOn || (a.resource < b.resource ? -1 : 1))
  return limit <= 0 ? all : all.slice(index * limit, (index + 1) * limit)
}
