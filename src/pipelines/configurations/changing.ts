// New versions: of one configuration, of several, and of all that names what changed.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ResourceRef } from '../configuration.ts'
import { type ConfigurationRooms, changeable, checked, commit, type Known, newDocuments, next, reachable, versionIn } from './desk.ts'
import { keyOf, withReferences } from './graph.ts'
import { readConfiguration } from './read.ts'
import { descriptors, read } from './reading.ts'
import type { ConfigurationStore, Writer } from './store.ts'
import { refIn, uriOf } from './uri.ts'

type Change = { readonly ref: ResourceRef; readonly value: unknown }

export async function update(rooms: ConfigurationRooms, { ref, value }: Change, writer: Writer): Promise<ResourceRef> {
  const raw = checked(ref.kind, value)
  const one = await changeable(rooms, ref, writer)
  const written = await commit(rooms, { documents: next(rooms, { ...one, raw }, writer) }, writer)
  return { ...ref, version: versionIn(written, one.wanted) }
}

export async function put(rooms: ConfigurationRooms, given: Parameters<ConfigurationStore['put']>[0], writer: Writer): Promise<void> {
  const all = [...(await newDocuments(rooms, given.news, writer)).news]
  for (const { ref, value, describe = {} } of given.changes) {
    const raw = checked(ref.kind, value)
    const one = await changeable(rooms, ref, writer)
    all.push(...next(rooms, { ...one, descriptor: { ...one.descriptor, ...describe }, raw }, writer))
  }
  if (all.length > 0) await commit(rooms, { documents: all }, writer)
}

type Swap = { readonly ref: ResourceRef; readonly uri: string }

export async function updateReference(rooms: ConfigurationRooms, { ref, uri }: Swap, writer: Writer): Promise<ResourceRef> {
  const to = refIn(uri)
  const version = to?.version ?? null
  if (!to || version === null)
    throw new InvalidInput(`${JSON.stringify(uri.slice(0, 200))} names no version of a configuration`, { path: 'uri' })
  const one = await changeable(rooms, ref, writer)
  const raw = withReferences(one.found.raw, (found) => (keyOf(found) === keyOf(to) ? { ...to, version } : null))
  if (same(raw, one.found.raw)) throw new NotFound(`${uriOf(ref)} names no ${keyOf(to)}, or that version already`, { path: 'uri' })
  const written = await commit(rooms, { documents: next(rooms, { ...one, raw }, writer) }, writer)
  return { ...ref, version: versionIn(written, one.wanted) }
}

type Applying = { readonly agent: ResourceRef; readonly changes: readonly Change[] }
type Applied = Awaited<ReturnType<ConfigurationStore['apply']>>

export async function apply(rooms: ConfigurationRooms, { agent, changes }: Applying, writer: Writer): Promise<Applied> {
  const given = new Map<string, Given>()
  for (const { ref, value } of changes) {
    given.set(keyOf(ref), { raw: checked(ref.kind, value), now: await changeable(rooms, ref, writer) })
  }
  const top = await changeable(rooms, agent, writer)
  const all = await reachable(rooms, agent, writer)
  const parts = new Set(all.map(({ wanted }) => keyOf(wanted)))
  const stray = changes.find(({ ref }) => !parts.has(keyOf(ref)))
  if (stray) throw new InvalidInput(`${uriOf(stray.ref)} is no part of the agent ${top.descriptor.name || agent.id}`, { path: 'changes' })
  const moved = await carried(rooms, { all, given }, writer)
  const to = moved.get(keyOf(agent))?.ref ?? agent
  const news = [...moved.values()].flatMap((one) => next(rooms, one, writer))
  const redeployed = await rooms.redeploy?.({ from: agent, to, configurations: asIfMoved(rooms, moved) }, writer)
  if (news.length > 0) await commit(rooms, { documents: [...news, ...(redeployed ?? [])] }, writer)
  return { agent: to, changed: [...moved.values()].map(({ ref }) => ref) }
}

/** `now`: its newest version, whichever the agent names. */
type Given = { readonly raw: JsonObject; readonly now: Known }
type Moved = Known & { readonly raw: JsonObject; readonly ref: ResourceRef }
type Carrying = { readonly all: readonly Known[]; readonly given: ReadonlyMap<string, Given> }

/** Children come first, so that who names a changed one names its new version. */
async function carried(rooms: ConfigurationRooms, { all, given }: Carrying, writer: Writer): Promise<ReadonlyMap<string, Moved>> {
  const moved = new Map<string, Moved>()
  for (const one of all) {
    const key = keyOf(one.wanted)
    const change = given.get(key)
    const raw = withReferences(change?.raw ?? one.found.raw, (ref) => moved.get(keyOf(ref))?.ref ?? null)
    if (same(raw, one.found.raw)) continue
    const { kind, id } = one.wanted
    const now = change?.now ?? (await changeable(rooms, { kind, id, version: one.found.document.version }, writer))
    moved.set(key, { ...now, raw, ref: { kind, id, version: now.found.document.version + 1 } })
  }
  return moved
}

/** The store as it will be, for who checks it before it is written. */
function asIfMoved(rooms: ConfigurationRooms, moved: ReadonlyMap<string, Moved>): Pick<ConfigurationStore, 'read' | 'descriptors'> {
  return {
    async read(ref, place, options) {
      const one = moved.get(keyOf(ref))
      if (!one || (ref.version !== undefined && ref.version !== one.ref.version))
        return read(rooms, ref, { place, deleted: options?.deleted ?? false })
      const { value, unknown } = readConfiguration(ref.kind, one.raw, 'lenient')
      const { version } = one.ref
      const whole = { kind: ref.kind, id: one.ref.id, version }
      return { ref: whole, value, raw: one.raw, unknown, descriptor: one.descriptor, newest: version, isBundled: false }
    },
    descriptors: (kind, place, page) => descriptors(rooms, { kind, place, ...page }),
  }
}

function same(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
