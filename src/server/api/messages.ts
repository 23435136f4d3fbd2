// Messages: post (with or without waiting for the reply), read.
import type { SessionId } from '../../base/ids.ts'
import * as api from '../../protocol/api.ts'
import { formatCursor } from '../../protocol/cursor.ts'
import { type Call, endpoint, type Reply } from '../endpoint.ts'
import { type Accepted, postMessage } from '../post.ts'
import { fresh, ownSession } from '../session-of.ts'
import { listenForReply, waitSeconds } from '../wait.ts'
import { defined } from './defined.ts'

export const messageCalls = [
  endpoint({
    method: 'POST',
    path: '/api/sessions/:id/messages',
    summary: 'Say something; with Prefer: wait=N the reply is waited for, at most N seconds',
    access: 'chat',
    body: api.newMessage,
    answers: { 202: api.messageAccepted, 200: api.messageAnswered },
    run: post,
  }),
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id/messages',
    summary: 'The conversation: the chosen branch, oldest first',
    access: 'read',
    query: api.paging,
    answers: { 200: api.messages },
    async run({ hub, caller, params, query }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      await fresh(hub)
      return { status: 200, body: await hub.scopes.conversation.branch(session, { ...defined(query), limit: query.limit }) }
    },
  }),
]

async function post(call: Call<unknown, api.NewMessage>): Promise<Reply> {
  const { hub, caller, params, body, headers, key } = call
  const id = params['id'] ?? ''
  const seconds = waitSeconds(headers.get('prefer'))
  if (seconds !== null) return postAndWait(call, await ownSession(hub, caller, id), seconds)
  return { status: 202, body: acceptedOf(call, await postMessage(hub, caller, { ...body, session: id, key })) }
}

async function postAndWait(call: Call<unknown, api.NewMessage>, session: SessionId, seconds: number): Promise<Reply> {
  const { hub, caller, body, key, signal } = call
  const listener = listenForReply(hub, session)
  try {
    const accepted = await postMessage(hub, caller, { ...body, session, key })
    const message = { id: accepted.id, cursor: accepted.cursor, isOld: accepted.duplicate }
    const { over: _, ...awaited } = await listener.reply(message, { seconds, signal })
    const headers = { 'Preference-Applied': `wait=${seconds}` }
    return { status: 200, body: { ...acceptedOf(call, accepted), ...awaited }, headers }
  } finally {
    listener.stop()
  }
}

function acceptedOf({ hub, body }: Call<unknown, api.NewMessage>, accepted: Accepted): api.MessageAccepted {
  const { id, duplicate, cursor } = accepted
  const clientId = body.id === undefined ? {} : { clientId: body.id }
  return { id, ...clientId, duplicate, cursor: formatCursor(hub.journal.generation, cursor) }
}
