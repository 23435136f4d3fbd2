// The streams of sessions that were used lately. A stream that was let go is opened again from the journal.
import type { LaneId, SessionId } from '../base/ids.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import { Recent } from './recent.ts'
import type { Rooms } from './rooms.ts'
import { type SessionState, sessionFold } from './session-state.ts'

export type SessionStreams = {
  of(id: SessionId): Stream<SessionState>
  /** One at a time for a session; a failed one does not hinder the next. */
  inTurn<T>(id: SessionId, act: () => Promise<T>): Promise<T>
}

export function openSessionStreams(rooms: Pick<Rooms, 'journal' | 'store'>): SessionStreams {
  const streams = new Recent<SessionId, Stream<SessionState>>(1000)
  const tails = new Map<SessionId, Promise<unknown>>()
  return {
    of: (id) => streams.get(id, () => openStream(rooms, id as string as LaneId, { fold: sessionFold, session: id })),
    inTurn(id, act) {
      const mine = (tails.get(id) ?? Promise.resolve()).then(act)
      const settled = mine.then(
        () => undefined,
        () => undefined,
      )
      tails.set(id, settled)
      void settled.then(() => {
        if (tails.get(id) === settled) tails.delete(id)
      })
      return mine
    },
  }
}
