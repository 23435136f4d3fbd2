// Who watches a session from this node, and who of them holds its binding (client tools, voice, switch-to). Lives in memory: a
// connection does not outlive the process it came to.
import type { SessionId } from '../base/ids.ts'
import type { Binding } from './scopes.ts'

export type Connections = {
  /** The first one holds; a later one only by taking over. Joining twice is joining once. */
  join(session: SessionId, connection: string, takeover: boolean): Binding
  /** Whether it was there and was the last. A holder that goes leaves the binding to the one that came first. */
  leave(session: SessionId, connection: string): boolean
  count(session: SessionId): number
}

type Joined = { readonly connections: Set<string>; holder: string }

export function openConnections(): Connections {
  const sessions = new Map<SessionId, Joined>()
  return {
    join(session, connection, takeover) {
      const joined = sessions.get(session) ?? { connections: new Set<string>(), holder: connection }
      sessions.set(session, joined)
      joined.connections.add(connection)
      const before = joined.holder
      if (takeover) joined.holder = connection
      const isMoved = joined.holder !== before
      return { holder: joined.holder, mine: joined.holder === connection, movedFrom: isMoved ? before : null }
    },
    leave(session, connection) {
      const joined = sessions.get(session)
      if (!joined?.connections.delete(connection)) return false
      const [first] = joined.connections
      if (first === undefined) return sessions.delete(session)
      if (joined.holder === connection) joined.holder = first
      return false
    },
    count: (session) => sessions.get(session)?.connections.size ?? 0,
  }
}
