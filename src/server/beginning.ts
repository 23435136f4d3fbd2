// A session that a pipeline leads begins by itself: its welcome is there before the person has said anything.
import { isId, laneOf } from '../base/ids.ts'
import { entryIdOf } from '../lanes/entry-id.ts'
import type { Session } from '../protocol/shapes.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'

/** Once for a session, however often it is asked for. The answer does not wait for the turn. */
export async function begun(hub: Hub, caller: Caller, session: Session): Promise<Session> {
  const { process } = session
  if (!isId('prc', process)) return session
  const info = (await hub.scopes.sessions.process(process))?.info
  if (info?.engine !== 'pipeline' || info.parent !== null) return session
  const body = { kind: 'note', topic: 'pipeline', data: { do: 'start' } } as const
  await hub.lanes.post({ lane: laneOf(process), id: entryIdOf(['pipeline-start', session.id]), from: caller.actor, body })
  return session
}
