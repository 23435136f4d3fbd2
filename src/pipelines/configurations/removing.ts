// Removing configurations: hidden, or gone for good, alone or with what only they use.
import { Conflict } from '../../base/errors.ts'
import type { ResourceRef } from '../configuration.ts'
import { type ConfigurationRooms, commit, describedAt, type Known, known, missing, reachable, usages } from './desk.ts'
import { keyOf } from './graph.ts'
import { descriptorDocument, descriptorPath, type NewDocument, partPrefix, pathOf, scopeOf } from './keeping.ts'
import type { Writer } from './store.ts'
import { uriOf } from './uri.ts'

type Removing = { readonly ref: ResourceRef; readonly permanent?: boolean; readonly cascade?: boolean }

export async function remove(rooms: ConfigurationRooms, given: Removing, writer: Writer): Promise<void> {
  const { ref, permanent = false, cascade = false } = given
  const top = await known(rooms, { kind: ref.kind, id: ref.id }, writer)
  if (top === null || (top.descriptor.deleted && !permanent)) throw missing(ref)
  if (top.found.document.level !== 'home') throw new Conflict(`${uriOf(ref)} is not yours and can't be removed: ${whose(top)}`)
  const going = cascade ? await ownOnly(rooms, await reachable(rooms, ref, writer), writer) : [top]
  const own = going.filter(({ found }) => found.document.level === 'home')
  const gone = ref.kind === 'agent' ? await rooms.undeploy?.(ref.id, writer) : undefined
  const away = permanent
    ? { documents: [], purged: await pathsOf(rooms, own, writer) }
    : { documents: own.map((one) => hidden(rooms, one, writer)) }
  await commit(rooms, { ...away, documents: [...away.documents, ...(gone?.documents ?? [])], removed: gone?.removed ?? [] }, writer)
}

function whose({ found }: Known): string {
  return found.document.level === 'bundled' ? 'it comes with the program' : `it belongs to a ${found.document.level}`
}

function hidden({ clock }: ConfigurationRooms, one: Known, { by }: Writer): NewDocument {
  const descriptor = { ...one.descriptor, deleted: true, lastModifiedBy: by, lastModifiedOn: clock.now() }
  return descriptorDocument(one.wanted, descriptor, describedAt(one))
}

async function pathsOf({ documents }: ConfigurationRooms, all: readonly Known[], writer: Writer): Promise<readonly string[]> {
  const paths: string[] = []
  for (const { wanted } of all) {
    const { kind, id } = wanted
    const parts = await documents.list(partPrefix(kind, id), scopeOf(writer))
    // What was given to a knowledge base goes with it.
    const given = kind === 'rag' ? await documents.list(`pipelines/knowledge/${id}/`, scopeOf(writer)) : []
    paths.push(pathOf(kind, id), descriptorPath(kind, id), ...[...parts, ...given].map((part) => part.path))
  }
  return paths
}

/** Those that nobody outside of them names; the last is the one that is removed. */
async function ownOnly(rooms: ConfigurationRooms, all: readonly Known[], writer: Writer): Promise<readonly Known[]> {
  const keys = new Set(all.map(({ wanted }) => keyOf(wanted)))
  const own: Known[] = []
  for (const one of all) {
    const users = await usages(rooms, { kind: one.wanted.kind, id: one.wanted.id }, writer)
    if (one === all.at(-1) || users.every(({ ref }) => keys.has(keyOf(ref)))) own.push(one)
  }
  return own
}
