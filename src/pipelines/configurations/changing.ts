// New versions: of one configuration, of several, and of all that names what changed.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ResourceRef } from '../configuration.ts'
import { type ConfigurationRooms, changeable, checked, commit, type Known, newDocuments, next, reachable, versionIn } from './desk.ts'
import { keyOf, withReferences } from './graph.ts'
import type { NewDocument } from './keeping.ts'
import type { ConfigurationStore, Writer } from './store.ts'
import { refIn, uriOf } from './uri.ts'

type Change = { readonly ref: ResourceRef; readonly value: unknown }

export async function update(rooms: ConfigurationRooms, { ref, value }: Change, writer: Writer): Promise<ResourceRef> {
  const raw = checked(ref.kind, value)
  const one = await changeable(rooms, ref, writer)
  const written = await commit(rooms, next(rooms, { ...one, raw }, writer), writer)
  return { ...ref, version: versionIn(written, one.wanted) }
}

export async function put(rooms: ConfigurationRooms, given: Parameters<ConfigurationStore['put']>[0], writer: Writer): Promise<void> {
  const all = [...(await newDocuments(rooms, given.news, writer)).news]
  for (const { ref, value, describe = {} } of given.changes) {
    const raw = checked(ref.kind, value)
    const one = await changeable(rooms, ref, writer)
    all.push(...next(rooms, { ...one, descriptor: { ...one.descriptor, ...describe }, raw }, writer))
  }
  if (all.length > 0) await commit(rooms, all, writer)
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
  const written = await commit(rooms, next(rooms, { ...one, raw }, writer), writer)
  return { ...ref, version: versionIn(written, one.wanted) }
}

type Applying = { readonly agent: ResourceRef; readonly changes: readonly Change[] }
type Applied = Awaited<ReturnType<ConfigurationStore['apply']>>

export async function apply(rooms: ConfigurationRooms, { agent, changes }: Applying, writer: Writer): Promise<Applied> {
  const given = new Map(changes.map(({ ref, value }) => [keyOf(ref), { ref, raw: checked(ref.kind, value) }]))
  for (const { ref } of given.values()) await changeable(rooms, ref, writer)
  const top = await changeable(rooms, agent, writer)
  const all = await reachable(rooms, agent, writer)
  const parts = new Set(all.map(({ wanted }) => keyOf(wanted)))
  const stray = [...given.values()].find(({ ref }) => !parts.has(keyOf(ref)))
  if (stray) throw new InvalidInput(`${uriOf(stray.ref)} is no part of the agent ${top.descriptor.name || agent.id}`, { path: 'changes' })
  const { moved, news } = await carried(rooms, { all, given }, writer)
  const to = moved.get(keyOf(agent)) ?? agent
  if (news.length > 0) await commit(rooms, [...news, ...((await rooms.redeploy?.({ from: agent, to }, writer)) ?? [])], writer)
  return { agent: to, changed: [...moved.values()] }
}

type Carrying = { readonly all: readonly Known[]; readonly given: ReadonlyMap<string, { readonly raw: JsonObject }> }

/** Children come first, so that who names a changed one names its new version. */
async function carried(rooms: ConfigurationRooms, { all, given }: Carrying, writer: Writer) {
  const moved = new Map<string, ResourceRef>()
  const news: NewDocument[] = []
  for (const one of all) {
    const { wanted, found } = one
    const base = given.get(keyOf(wanted))?.raw ?? found.raw
    const raw = withReferences(base, (ref) => moved.get(keyOf(ref)) ?? null)
    if (same(raw, found.raw)) continue
    const { version } = found.document
    await changeable(rooms, { kind: wanted.kind, id: wanted.id, version }, writer)
    moved.set(keyOf(wanted), { kind: wanted.kind, id: wanted.id, version: version + 1 })
    news.push(...next(rooms, { ...one, raw }, writer))
  }
  return { moved, news }
}

function same(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
