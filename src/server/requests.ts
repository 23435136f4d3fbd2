// What a client asks for over its WebSocket, by the frame's type. The same verbs as over HTTP.

import type { z } from 'zod'
import { Forbidden, InvalidInput } from '../base/errors.ts'
import type { SessionId } from '../base/ids.ts'
import type { TokenScope } from '../protocol/api.ts'
import { formatCursor } from '../protocol/cursor.ts'
import { type RequestType, requests, requestTypes } from '../protocol/frames.ts'
import { answerQuestion } from './answer.ts'
import { createSession } from './api/sessions.ts'
import { may } from './caller.ts'
import { check } from './check.ts'
import { steerTurn, type Verb } from './control.ts'
import { cursorNumber } from './cursor.ts'
import { decideApproval } from './decide.ts'
import type { Hub } from './hub.ts'
import type { Connection, Connections } from './peer.ts'
import { postMessage } from './post.ts'
import { fresh, ownSession, sessionOf } from './session-of.ts'
import { writable } from './writable.ts'

/** `after`: to be done after the answer has been sent. */
export type Answered = { readonly type: string; readonly data: unknown; readonly after?: () => void }

type Place = { readonly hub: Hub; readonly all: Connections; readonly connection: Connection }
type Data<T extends RequestType> = z.infer<(typeof requests)[T]>
type Checked = (place: Place, data: unknown) => Promise<Answered>

/** Throws StewardError for what is refused. */
export async function answerFrame(place: Place, type: string, data: unknown): Promise<Answered> {
  if (!isRequest(type)) throw new InvalidInput(`/type must be one of: ${requestTypes.join(', ')}`, { path: '/type' })
  const scope = scopes[type]
  if (scope !== null && !may(place.connection.caller, scope)) throw new Forbidden(`this token lacks the scope ${scope}`)
  if (scope === 'chat' || scope === 'approvals') writable(place.hub)
  // Before anything is kept: a message, an answer, a title (V2).
  return verbs[type](place, await place.hub.secrets.sealJson(data))
}

function isRequest(type: string): type is RequestType {
  return Object.hasOwn(requests, type)
}

const scopes: Readonly<Record<RequestType, TokenScope | null>> = {
  hello: null,
  'session-create': 'chat',
  'session-resume': 'read',
  'session-leave': null,
  say: 'chat',
  answer: 'chat',
  decide: 'approvals',
  stop: 'chat',
  pause: 'chat',
  resume: 'chat',
  seen: 'read',
  ping: null,
}

const steering =
  (verb: Verb) =>
  async ({ hub, connection }: Place, { sessionId, ...given }: Data<'stop'>): Promise<Answered> => ({
    type: verb,
    data: await steerTurn(hub, connection.caller, verb, { ...given, session: sessionId }),
  })

/** A verb behind the schema of its data. */
function checked<S extends z.ZodType>(schema: S, run: (place: Place, data: z.infer<S>) => Promise<Answered>): Checked {
  return (place, data) => run(place, check(schema, data, '/data'))
}

const verbs: Readonly<Record<RequestType, Checked>> = {
  hello: checked(requests.hello, async ({ connection }, { profile, zone }) => {
    connection.profile = profile ?? connection.profile
    connection.zone = zone ?? connection.zone
    return { type: 'hello', data: { profile: connection.profile, zone: connection.zone } }
  }),
  'session-create': checked(requests['session-create'], async (place, given) => {
    const { hub, connection } = place
    connection.expect(null)
    const session = await createSession(hub, connection.caller, { profile: connection.profile, ...given })
    const id = await ownSession(hub, connection.caller, session.id)
    connection.expect(id)
    await bind(place, id, false)
    void connection.resume(id, null)
    return { type: 'session-create', data: session }
  }),
  'session-resume': checked(requests['session-resume'], resumeSession),
  'session-leave': checked(requests['session-leave'], async ({ hub, connection }, { sessionId }) => {
    const id = await ownSession(hub, connection.caller, sessionId)
    connection.leave(id)
    await hub.scopes.sessions.disconnected(id, connection.id)
    return { type: 'session-leave', data: { sessionId: id } }
  }),
  say: checked(requests.say, async ({ hub, connection }, { sessionId, ...message }) => {
    const { id, duplicate, cursor } = await postMessage(hub, connection.caller, { ...message, session: sessionId })
    return { type: 'say', data: { id, clientId: message.id, duplicate, cursor: formatCursor(hub.journal.generation, cursor) } }
  }),
  answer: checked(requests.answer, async ({ hub, connection }, { questionId, text, option }) => {
    if ((text === undefined) === (option === undefined))
      throw new InvalidInput('/data needs text or option, and not both', { path: '/data' })
    const given = option === undefined ? { text: text ?? '' } : { option }
    return { type: 'answer', data: await answerQuestion(hub, connection.caller, questionId, given) }
  }),
  decide: checked(requests.decide, async ({ hub, connection }, { approvalId, ...given }) => {
    return { type: 'decide', data: await decideApproval(hub, connection.caller, approvalId, given) }
  }),
  stop: checked(requests.stop, steering('stop')),
  pause: checked(requests.pause, steering('pause')),
  resume: checked(requests.resume, steering('resume')),
  seen: checked(requests.seen, async ({ hub, all, connection }, { sessionId, cursor }) => {
    const id = await ownSession(hub, connection.caller, sessionId)
    cursorNumber(hub, cursor, '/data/cursor')
    all.tellOthers(connection, 'seen', { sessionId: id, cursor })
    return { type: 'seen', data: {} }
  }),
  ping: checked(requests.ping, async ({ hub }, { at }) => {
    return { type: 'pong', data: { at: at ?? null, serverAt: hub.clock.now() } }
  }),
}

/** The answer comes first, then what happened after the cursor, then what happens. */
async function resumeSession(place: Place, given: Data<'session-resume'>): Promise<Answered> {
  const { hub, connection } = place
  const id = await ownSession(hub, connection.caller, given.sessionId)
  const after = cursorNumber(hub, given.after, '/data/after')
  connection.expect(id)
  const binding = await bind(place, id, given.takeover ?? false)
  await fresh(hub)
  const session = await sessionOf(hub, connection.caller, id)
  const cursor = formatCursor(hub.journal.generation, hub.feed.position)
  const start = after ?? hub.feed.position
  return { type: 'session-resume', data: { session, binding, cursor }, after: () => void connection.resume(id, start) }
}

async function bind({ hub, all, connection }: Place, session: SessionId, takeover: boolean) {
  const binding = await hub.scopes.sessions.connected(session, connection.id, { profile: connection.profile, takeover })
  if (binding.movedFrom !== null) all.tell(binding.movedFrom, 'binding-moved', { sessionId: session, holder: binding.holder })
  return binding
}
