// The store of configurations over documents. Every change is one commit of all the documents that it touches; versions are the
// documents' own. Others also import store.ts (what it can), uri.ts, graph.ts, read.ts, keeping.ts and compiling.ts. Its verbs stand in
// reading.ts, changing.ts, duplicating.ts and removing.ts, over desk.ts.
//
// Y60  What is saved is checked strictly first: all that is wrong is named, and nothing is kept.
// Y61  A version never changes; a write names the version that it was made from, and another one meanwhile is a Conflict.
// Y62  A call is one commit: all of its configurations and descriptors, or none.
// Y63  Deleted is hidden: what names a version finds it until it is removed for good.
import { apply, put, update, updateReference } from './changing.ts'
import { type ConfigurationRooms, commit, create, describedAt, known, missing, usages } from './desk.ts'
import { duplicate } from './duplicating.ts'
import { descriptorDocument } from './keeping.ts'
import { descriptors, read } from './reading.ts'
import { remove } from './removing.ts'
import type { ConfigurationStore } from './store.ts'

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
      await commit(rooms, { documents: [descriptorDocument(ref, next, describedAt(one))] }, writer)
      return next
    },
  }
}
