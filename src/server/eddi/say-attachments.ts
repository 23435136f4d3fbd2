// Files in a say: contexts named `attachment_...`, each an object that names a file of this hub (`id`, or `storageRef`) or brings its bytes
// (`data` in base64). What they bring is kept as a file, and the context names it from there on.
import { InvalidInput } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Attachment } from '../../protocol/message.ts'
import type { EddiCall } from './route.ts'
import type { Talk } from './talk.ts'

type Along = { readonly contexts: JsonObject; readonly attachments: readonly Attachment[] }

/** In the order of the contexts. Throws InvalidInput, Conflict `limit`, TooLarge. A context with an address only stays as it is: nothing is fetched. */
export async function withAttachments(call: EddiCall, talk: Talk, contexts: JsonObject): Promise<Along> {
  const ids: string[] = []
  const named: { [key: string]: Json } = {}
  for (const [key, given] of Object.entries(contexts)) {
    if (!key.startsWith('attachment_') || !isJsonObject(given)) continue
    const value = isJsonObject(given['value']) ? given['value'] : given
    const id = idIn(value) ?? (await keptOf(call, talk, { key, value }))
    if (id === null) continue
    ids.push(id)
    const { data: _, ...rest } = value
    named[key] = { type: 'object', value: { ...rest, id } }
  }
  if (ids.length === 0) return { contexts, attachments: [] }
  const { hub, caller } = call
  const placed = await hub.attachments.place(caller.user.name, ids, talk.session, caller.actor)
  return { contexts: { ...contexts, ...named }, attachments: placed.map(({ id, name, mime, size }) => ({ id, name, mime, size })) }
}

function idIn({ id, storageRef }: JsonObject): string | null {
  const given = id ?? storageRef
  return typeof given === 'string' && given !== '' ? given : null
}

type Bringing = { readonly key: string; readonly value: JsonObject }

/** The same bytes in the same say, sent again, are the same file. */
async function keptOf({ hub, caller, key: sent }: EddiCall, { session }: Talk, { key, value }: Bringing): Promise<string | null> {
  const { data, mimeType, fileName } = value
  if (data === undefined || data === null) return null
  const path = `/context/${key}/value/data`
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new InvalidInput(`${path} must be base64`, { path })
  const { attachment } = await hub.attachments.add(
    {
      ...{ user: caller.user.name, session, name: typeof fileName === 'string' ? fileName : '' },
      declared: typeof mimeType === 'string' ? mimeType : null,
      clientId: sent === null ? null : `eddi-${sha256(JSON.stringify([session, sent, key, data]))}`,
      bytes: once(Buffer.from(data, 'base64')),
    },
    caller.actor,
  )
  return attachment.id
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes
}
