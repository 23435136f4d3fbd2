// The facts of attachments, by type, as their stream holds them and their table reads them.
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Event } from '../../protocol/event.ts'
import type { AttachmentFacts } from './attachments.ts'

export type AttachmentFact =
  | { readonly type: 'attachment-added'; readonly user: string; readonly attachment: AttachmentFacts }
  | { readonly type: 'attachment-placed'; readonly user: string; readonly id: string; readonly session: string }
  | { readonly type: 'attachment-removed'; readonly user: string; readonly id: string }

export function dataOf({ type: _, ...data }: AttachmentFact): JsonObject {
  return data
}

/** null: it is of another kind, or not in a form that is known. */
export function factIn({ type, data }: Pick<Event, 'type' | 'data'>): AttachmentFact | null {
  const { user, id, session, attachment } = data
  if (typeof user !== 'string') return null
  if (type === 'attachment-added') {
    const found = attachmentIn(attachment)
    return found && { type, user, attachment: found }
  }
  if (typeof id !== 'string') return null
  if (type === 'attachment-removed') return { type, user, id }
  return type === 'attachment-placed' && typeof session === 'string' ? { type, user, id, session } : null
}

function attachmentIn(given: unknown): AttachmentFacts | null {
  if (!isObject(given)) return null
  const { id, name, mime, size, sha256, session, clientId, at } = given
  const isWhole = typeof id === 'string' && typeof name === 'string' && typeof mime === 'string' && typeof sha256 === 'string'
  if (!isWhole || typeof size !== 'number' || typeof at !== 'number') return null
  const [place, client] = [session, clientId].map((one) => (typeof one === 'string' ? one : null))
  return { id, name, mime, size, sha256, session: place ?? null, clientId: client ?? null, at }
}
