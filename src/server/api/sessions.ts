// Sessions: make, list, look, rename, pin, choose the branch, close, archive.
import type { z } from 'zod'
import { Conflict, InvalidInput } from '../../base/errors.ts'
import { isId, laneOf, type MessageId } from '../../base/ids.ts'
import type { PermissionMode } from '../../policy/policy.ts'
import * as api from '../../protocol/api.ts'
import { type Session, session as sessionShape } from '../../protocol/shapes.ts'
import { begun } from '../beginning.ts'
import { type Caller, need } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { steerLane } from '../outcome.ts'
import { fresh, ownSession, seen, sessionOf } from '../session-of.ts'
import { defined } from './defined.ts'

export const sessionCalls = [
  endpoint({
    method: 'POST',
    path: '/api/sessions',
    summary: "A new session; without a project in the person's home, with the hub",
    access: 'chat',
    body: api.newSession,
    answers: { 201: api.sessionMade },
    async run({ hub, caller, body, key }) {
      const { id, project, process, agent } = await createSession(hub, caller, { ...body, ...(key !== null && { key }) })
      return { status: 201, body: { id, project, process, agent }, headers: { Location: `/api/sessions/${id}` } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/sessions',
    summary: 'Own sessions, with status, last message and open questions',
    access: 'read',
    query: api.sessionsQuery,
    answers: { 200: api.sessions },
    async run({ hub, caller, query }) {
      await fresh(hub)
      return { status: 200, body: await hub.scopes.sessions.list({ ...defined(query), limit: query.limit, user: caller.user.name }) }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session',
    access: 'read',
    answers: { 200: sessionShape },
    async run({ hub, caller, params }) {
      await fresh(hub)
      return { status: 200, body: await withMode(hub, caller, await sessionOf(hub, caller, params['id'] ?? '')) }
    },
  }),
  endpoint({
    method: 'PATCH',
    path: '/api/sessions/:id',
    summary: 'Rename, pin, choose the branch that is shown and continued, or how much is done without asking',
    access: 'chat',
    body: api.sessionPatch,
    answers: { 200: sessionShape },
    async run({ hub, caller, params, body }) {
      const id = await ownSession(hub, caller, params['id'] ?? '')
      const { leaf, mode, ...rest } = body
      if (mode !== undefined) await setMode(hub, caller, id, mode)
      if (leaf !== undefined) await chooseLeaf(hub, caller, id, leaf)
      if (Object.keys(rest).length > 0) await seen(hub, hub.scopes.sessions.change(id, defined(rest), caller.actor))
      await fresh(hub)
      return { status: 200, body: await withMode(hub, caller, await sessionOf(hub, caller, id)) }
    },
  }),
  ...(['branch', 'switch'] as const).map((verb) =>
    endpoint({
      method: 'POST',
      path: `/api/sessions/:id/${verb}`,
      summary: verb === 'branch' ? 'The next message begins a branch below that message' : 'Shows and continues the branch with that leaf',
      access: 'chat',
      body: api.chooseLeaf,
      answers: { 200: sessionShape },
      async run({ hub, caller, params, body }) {
        const id = await ownSession(hub, caller, params['id'] ?? '')
        await chooseLeaf(hub, caller, id, body.leaf)
        await fresh(hub)
        return { status: 200, body: await sessionOf(hub, caller, id) }
      },
    }),
  ),
  ...(['close', 'archive'] as const).map((verb) =>
    endpoint({
      method: 'POST',
      path: `/api/sessions/:id/${verb}`,
      summary: verb === 'close' ? 'Ends the session and its processes' : 'Puts the session away',
      access: 'chat',
      answers: { 200: sessionShape },
      async run({ hub, caller, params }) {
        const id = await ownSession(hub, caller, params['id'] ?? '')
        await seen(hub, hub.scopes.sessions[verb](id, caller.actor))
        return { status: 200, body: await sessionOf(hub, caller, id) }
      },
    }),
  ),
]

/** `key`: an Idempotency-Key, which is good for ever here. */
export async function createSession(
  hub: Hub,
  caller: Caller,
  given: z.infer<typeof api.newSession> & { readonly key?: string },
): Promise<Session> {
  const made = await seen(hub, hub.scopes.sessions.create({ ...defined(given), user: caller.user.name }, caller.actor))
  return begun(hub, caller, made)
}

/** Throws InvalidInput for a leaf of another session, Conflict while a turn is at work. */
async function chooseLeaf(hub: Hub, caller: Caller, id: string, leaf: string | null): Promise<void> {
  await fresh(hub)
  const session = await sessionOf(hub, caller, id)
  if (!isId('ses', session.id) || !isId('prc', session.process)) throw new Error(`session ${id} has no process`)
  const message = leaf === null || !isId('msg', leaf) ? null : await hub.scopes.conversation.get(leaf)
  if (leaf !== null && message?.session !== session.id) throw new InvalidInput('/leaf is not a message of this session', { path: '/leaf' })
  const at = { session: session.id, lane: laneOf(session.process) }
  const outcome = await steerLane(hub, caller, at, { kind: 'select', leaf: leaf as MessageId | null })
  if (outcome.word === 'refused') throw new Conflict('the branch can not be changed while a turn is at work', { code: outcome.reason })
}

async function withMode(hub: Hub, caller: Caller, session: Session): Promise<Session> {
  const { project, process } = session
  if (!isId('prc', process)) throw new Error(`session ${session.id} has no process`)
  return { ...session, mode: await hub.policy.mode({ user: caller.user.name, project, process }) }
}

/** A change of policy: a person's, or a program's that a person gave exactly that scope. null: as it is set further out. */
async function setMode(hub: Hub, caller: Caller, id: string, mode: PermissionMode | null): Promise<void> {
  need(caller, 'grants')
  const { process } = await sessionOf(hub, caller, id)
  const given = { level: 'process', scope: process, key: 'policy.mode', value: mode } as const
  await seen(hub, hub.scopes.settings.set(given, caller.actor))
}
