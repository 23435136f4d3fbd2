// A copy of a configuration, alone or with all that it names.
import type { ResourceRef } from '../configuration.ts'
import { type ConfigurationRooms, create, type Known, known, missing, reachable } from './desk.ts'
import { keyOf, withReferences } from './graph.ts'
import type { NewConfiguration, Writer } from './store.ts'

type Duplicating = { readonly ref: ResourceRef; readonly deep?: boolean }

export async function duplicate(rooms: ConfigurationRooms, { ref, deep = false }: Duplicating, writer: Writer): Promise<ResourceRef> {
  const top = await known(rooms, ref, writer)
  if (top === null) throw missing(ref)
  const all = deep ? (await reachable(rooms, ref, writer)).filter((one) => isOwn(one, ref)) : [top]
  const ids = new Map(all.map(({ wanted }) => [keyOf(wanted), rooms.newResourceId()]))
  const copies = all.map(({ wanted, found, descriptor }): NewConfiguration => {
    const value = withReferences(found.raw, (one) => {
      const id = ids.get(keyOf(one))
      return id === undefined ? null : { kind: one.kind, id, version: 1 }
    })
    const name = keyOf(wanted) === keyOf(ref) ? copyName(descriptor.name) : descriptor.name
    return { kind: wanted.kind, value, id: ids.get(keyOf(wanted)) ?? '', name, description: descriptor.description }
  })
  return (await create(rooms, copies, writer)).at(-1) ?? ref
}

/** What comes with the program is named by the copy as it is. */
function isOwn({ wanted, found }: Known, top: ResourceRef): boolean {
  return keyOf(wanted) === keyOf(top) || found.document.level !== 'bundled'
}

function copyName(name: string): string {
  return name === '' ? '' : `Copy of ${name}`
}
