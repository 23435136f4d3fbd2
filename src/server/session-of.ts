// The caller's own session; somebody else's looks like none.
import { NotFound } from '../base/errors.ts'
import { isId, type ProcessId, type SessionId } from '../base/ids.ts'
import type { Session } from '../protocol/shapes.ts'
import type { SessionBrief } from '../scopes/scopes.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'

/** The id when that session is the caller's. Throws NotFound. */
export async function ownSession(hub: Hub, caller: Caller, id: string): Promise<SessionId> {
  if (isId('ses', id) && (await hub.scopes.sessions.owner(id)) === caller.user.name) return id
  throw new NotFound(`there is no session ${JSON.stringify(id.slice(0, 64))}`)
}

export async function sessionOf(hub: Hub, caller: Caller, id: string): Promise<Session> {
  const session = await hub.scopes.sessions.get(await ownSession(hub, caller, id))
  if (session) return session
  throw new NotFound(`there is no session ${id}`)
}

/** What a post needs to know of the caller's own session. Throws NotFound. */
export async function briefOf(hub: Hub, caller: Caller, id: string): Promise<SessionBrief & { readonly id: SessionId }> {
  const brief = isId('ses', id) ? await hub.scopes.sessions.brief(id) : null
  if (isId('ses', id) && brief?.user === caller.user.name) return { ...brief, id }
  throw new NotFound(`there is no session ${JSON.stringify(id.slice(0, 64))}`)
}

/** The process when it is one of the caller's sessions, and of that one when one is named. Throws NotFound. */
export async function ownProcess(hub: Hub, caller: Caller, id: string, within?: SessionId): Promise<ProcessId> {
  const found = isId('prc', id) ? await hub.scopes.sessions.process(id) : null
  const isOwn = found !== null && (await hub.scopes.sessions.owner(found.session)) === caller.user.name
  if (isId('prc', id) && isOwn && (within === undefined || found.session === within)) return id
  throw new NotFound(`there is no process ${JSON.stringify(id.slice(0, 64))}${within ? ' in that session' : ''}`)
}

/** Resolves when lists and lookups show everything that was committed before this call (J5). */
export async function fresh(hub: Hub): Promise<void> {
  await hub.journal.passed(hub.journal.head())
}

/** Waits until what was changed is seen by reads, and gives the value. */
export async function seen<T>(hub: Hub, changed: Promise<{ readonly value: T; readonly cursor: number }>): Promise<T> {
  const { value, cursor } = await changed
  if (cursor > 0) await hub.journal.passed(cursor)
  return value
}
