// All WebSocket connections of this node: who is there, who hears what of other sessions, who is gone.
import { everywhere } from '../protocol/frames.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import type { Connection, Connections } from './peer.ts'
import { whose } from './whose.ts'
import type { Outgoing } from './wire.ts'

export function openConnections(hub: Pick<Hub, 'feed' | 'scopes' | 'people' | 'log'>): Connections {
  const byUser = new Map<string, Set<Connection>>()
  const byId = new Map<string, Connection>()
  const of = (caller: Caller) => byUser.get(caller.user.name) ?? new Set<Connection>()

  function hand(out: Outgoing, user: string | null): void {
    for (const connection of byUser.get(user ?? '') ?? []) connection.elsewhere(out)
  }
  const unlisten = hub.feed.all({
    event(out) {
      if (byId.size === 0 || !everywhere.has(out.event.type)) return
      void whose(hub, out.event).then(
        (user) => hand(out, user),
        () => {},
      )
    },
  })

  return {
    add(connection) {
      byUser.set(connection.caller.user.name, of(connection.caller).add(connection))
      byId.set(connection.id, connection)
    },
    remove(connection) {
      of(connection.caller).delete(connection)
      byId.delete(connection.id)
    },
    tell: (connection, type, data) => byId.get(connection)?.notify(type, data),
    tellOthers(from, type, data) {
      for (const connection of of(from.caller)) if (connection !== from) connection.notify(type, data)
    },
    get size() {
      return byId.size
    },
    close(code, reason) {
      unlisten()
      for (const connection of byId.values()) connection.close(code, reason)
    },
  }
}
