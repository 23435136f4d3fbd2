// Reading configurations: one, or what describes those of a kind.
import type { Descriptor, Kind } from '../configuration.ts'
import { type ConfigurationRooms, known } from './desk.ts'
import { descriptorIn, descriptorPath, pathOf, scopeOf, wantedIn } from './keeping.ts'
import { readConfiguration } from './read.ts'
import type { ConfigurationStore, Place, Stored } from './store.ts'

type Reading<K extends Kind> = { readonly kind: K; readonly id: string; readonly version?: number }

export async function read<K extends Kind>(
  rooms: ConfigurationRooms,
  ref: Reading<K>,
  { place, deleted }: { readonly place: Place; readonly deleted: boolean },
): Promise<Stored<K> | null> {
  const one = await known(rooms, ref, place)
  if (one === null || (one.descriptor.deleted && !deleted && ref.version === undefined)) return null
  const { document, raw } = one.found
  const newest = ref.version === undefined ? document : await rooms.documents.find(pathOf(ref.kind, ref.id), scopeOf(place))
  const { value, unknown } = readConfiguration(ref.kind, raw, 'lenient')
  return {
    ref: { kind: ref.kind, id: ref.id.toLowerCase(), version: document.version },
    ...{ value, raw, unknown, descriptor: one.descriptor },
    ...{ newest: newest?.version ?? document.version, isBundled: document.level === 'bundled' },
  }
}

type Listing = { readonly kind: Kind; readonly place: Place } & NonNullable<Parameters<ConfigurationStore['descriptors']>[2]>

/** The newest first; a limit of 0 means all. */
export async function descriptors({ documents }: ConfigurationRooms, given: Listing): Promise<readonly Descriptor[]> {
  const { kind, place, filter = '', index = 0, limit = 20, deleted = false } = given
  const found = new Map((await documents.list(`pipelines/${kind}/`, scopeOf(place))).map((one) => [one.path, one]))
  const wanted = filter.trim().toLowerCase()
  const all = [...found.values()].flatMap((document) => {
    const each = wantedIn(document.path)
    if (each === null) return []
    const descriptor = descriptorIn(found.get(descriptorPath(kind, each.id)) ?? null, each, document)
    const isMeant = `${descriptor.name}\n${descriptor.description}\n${each.id}`.toLowerCase().includes(wanted)
    return isMeant && descriptor.deleted === deleted ? [descriptor] : []
  })
  all.sort((a, b) => b.lastModifiedOn - a.lastModifiedOn || (a.resource < b.resource ? -1 : 1))
  return limit <= 0 ? all : all.slice(index * limit, (index + 1) * limit)
}
