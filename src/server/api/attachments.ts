// Attachments: files that go along with a message. Bytes come and go as they are; a page can't be made to run any of them.
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { InvalidInput, NotFound } from '../../base/errors.ts'
import * as wire from '../../protocol/api-attachments.ts'
import { type AttachmentFacts, attachmentLimits } from '../../scopes/attachments/attachments.ts'
import { isShown, normalise, unknownType } from '../../scopes/attachments/mime.ts'
import { disposition } from '../../scopes/attachments/name.ts'
import type { Caller } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { HttpProblem } from '../problem.ts'
import { ownSession } from '../session-of.ts'

export const attachmentCalls = [
  endpoint({
    method: 'POST',
    path: '/api/attachments',
    summary: 'Keeps a file, sent as raw bytes, for a message that names its id; the same id of the sender is the same file',
    access: 'chat',
    query: wire.attachmentQuery,
    takesStream: attachmentLimits.bytes,
    answers: { 200: wire.attachmentKept, 201: wire.attachmentKept },
    async run({ hub, caller, query, body, headers }) {
      const session = query.session === undefined ? null : await ownSession(hub, caller, query.session)
      const given = { user: caller.user.name, session, name: nameIn(query.name, headers), declared: declaredIn(headers) }
      const bytes = isStream(body) ? body : nothing()
      const { attachment, duplicate } = await hub.attachments.add({ ...given, clientId: query.id ?? null, bytes }, caller.actor)
      return { status: duplicate ? 200 : 201, body: { ...shownOf(attachment), duplicate } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/attachments/:id',
    summary: 'Its bytes, to be saved; a picture with ?inline=1 to be shown',
    access: 'read',
    query: wire.attachmentShown,
    answers: { 200: 'text' },
    async run({ hub, caller, params, query }) {
      const found = await ownOf(hub, caller, params['id'] ?? '')
      const path = await hub.attachments.file(found)
      return { stream: fileAnswer(found, path, query.inline === true) }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/attachments/:id',
    summary: 'Removes it; messages go on naming it',
    access: 'chat',
    answers: { 204: 'text' },
    async run({ hub, caller, params }) {
      await hub.attachments.remove(caller.user.name, params['id'] ?? '', caller.actor)
      return { status: 204, body: null }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id/attachments',
    summary: 'The files of a session, oldest first',
    access: 'read',
    answers: { 200: wire.attachmentList },
    async run({ hub, caller, params }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      const items = (await hub.attachments.list(caller.user.name, session)).map(shownOf)
      return { status: 200, body: { items, next: null } }
    },
  }),
]

async function ownOf(hub: Hub, caller: Caller, id: string): Promise<AttachmentFacts> {
  const found = await hub.attachments.get(caller.user.name, id)
  if (found) return found
  throw new NotFound(`there is no attachment ${JSON.stringify(id.slice(0, 64))}`)
}

function shownOf({ id, name, mime, size, sha256, session, clientId, at }: AttachmentFacts): wire.AttachmentInfo {
  const places = { ...(session === null ? {} : { session }), ...(clientId === null ? {} : { clientId }) }
  return { id, name, mime, size, sha256, ...places, at: new Date(at).toISOString() }
}

/** In the query, or percent-encoded in a header, as names may have any letters. */
function nameIn(given: string | undefined, headers: Headers): string {
  const header = headers.get('x-file-name')
  if (given !== undefined || header === null) return given ?? ''
  try {
    return decodeURIComponent(header.slice(0, 4_096))
  } catch {
    throw new InvalidInput('the header X-File-Name must be percent-encoded UTF-8', { path: 'X-File-Name' })
  }
}

/** What programs send that say nothing of the file is no declaration. */
function declaredIn(headers: Headers): string | null {
  const type = normalise(headers.get('content-type'))
  if (type.startsWith('multipart/'))
    throw new HttpProblem(415, 'wrong_content_type', 'the body must be the bytes of one file, not a form: send it raw, its name as ?name=')
  return type === unknownType || type === 'application/x-www-form-urlencoded' ? null : type
}

function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return body instanceof ReadableStream
}

async function* nothing(): AsyncIterable<Uint8Array> {}

const sandbox = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** Only a picture is ever shown, and never with rights of this page. A text is always told as UTF-8 text. */
function fileAnswer({ name, mime, size }: AttachmentFacts, path: string, inline: boolean): Response {
  const isInline = inline && isShown(mime)
  const headers = {
    'Content-Type': mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
    'Content-Length': String(size),
    'Content-Disposition': disposition(name, isInline ? 'inline' : 'attachment'),
    'Content-Security-Policy': isInline ? `${sandbox}; img-src 'self'` : sandbox,
  }
  return new Response(Readable.toWeb(createReadStream(path)), { headers })
}
