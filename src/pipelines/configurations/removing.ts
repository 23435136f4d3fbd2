// Removing configurations: hidden, or gone for good, alone or with what only they use.
import { Conflict, NotFound } from '../../base/errors.ts'
import type { ResourceRef } from '../configuration.ts'
import { type ConfigurationRooms, commit, describedAt, type Known, known, missing, reachable, usages } from './desk.ts'
import { keyOf } from './graph.ts'
import { descriptorDocument, descriptorPath, partPrefix, pathOf, scopeOf } from './keeping.ts'
import type { Writer } from './store.ts'
import { uriOf } from './uri.ts'

type Removing = { readonly ref: ResourceRef; readonly permanent?: boolean; readonly cascade?: boolean }

export async function remove(rooms: ConfigurationRooms, given: Removing, writer: Writer): Promise<void> {
  const { ref, permanent = false, cascade = false } = given
  const top = await known(rooms, { kind: ref.kind, id: ref.id }, writer)
  if (top === null || (top.descriptor.deleted && !permanent)) throw missing(ref)
  if (top.found.document.level === 'bundled') throw new Conflict(`${uriOf(ref)} comes with the program and can't be removed`)
  const going = cascade ? await ownOnly(rooms, await reachable(rooms, ref, writer), writer) : [top]
  const own = going.filter(({ found }) => found.document.level !== 'bundled')
  const about = { deleted: true, lastModifiedBy: writer.by, lastModifiedOn: rooms.clock.now() }
  const hidden = own.map((one) => descriptorDocument(one.wanted, { ...one.descriptor, ...about }, describedAt(one)))
  await commit(rooms, hidden, writer)
  if (permanent) for (const one of own) await purge(rooms, one, writer)
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

async function purge({ documents }: ConfigurationRooms, { wanted: { kind, id }, found }: Known, writer: Writer): Promise<void> {
  const { level, scope } = found.document
  if (level === 'bundled') return
  const parts = await documents.list(partPrefix(kind, id), scopeOf(writer))
  for (const path of [...parts.map((part) => part.path), pathOf(kind, id), descriptorPath(kind, id)]) {
    await documents.purge(path, level, scope, writer.by).catch((thrown: unknown) => {
      if (!(thrown instanceof NotFound)) throw thrown
    })
  }
}
