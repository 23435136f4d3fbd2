// All WebSocket connections of this node: who is there, who hears what of other sessions, who is gone.
import { isId, type ProcessId, type SessionId } from '../base/ids.ts'
import { everywhere } from '../protocol/frames.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import type { Connection, Connections } from './peer.ts'
import { openVias } from './via.ts'
import { whose } from './whose.ts'
import type { Outgoing, Via } from './wire.ts'

type Rooms = Pick<Hub, 'feed' | 'scopes' | 'people' | 'log' | 'work'>

export function openConnections(hub: Rooms): Connections {
  const byUser = new Map<string, Set<Connection>>()
  const byId = new Map<string, Connection>()
  const of = (caller: Caller) => byUser.get(caller.user.name) ?? new Set<Connection>()
  const vias = openVias(hub)
  const workers = openWorkers(hub, (user) => byUser.get(user) ?? new Set())
  let tail: Promise<void> = Promise.resolve()

  async function hand(out: Outgoing): Promise<void> {
    const { lane } = out.event
    const [user, via] = await Promise.all([whose(hub, out.event), isId('prc', lane) ? vias.of(lane) : null])
    if (user !== null && via !== null && isId('prc', lane)) workers.changed(out, { user, via, process: lane })
    for (const connection of byUser.get(user ?? '') ?? []) connection.elsewhere(out, via)
  }
  const unlisten = hub.feed.all({
    event(out) {
      vias.heard(out.event)
      if (byId.size === 0 || !everywhere.has(out.event.type)) return
      // One after the other, so that frames keep their order.
      tail = tail.then(() => hand(out)).catch(() => {})
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
      workers.close()
      for (const connection of byId.values()) connection.close(code, reason)
    },
  }
}

/** Live progress of workers while they run, passed on to who hears the session of who ordered them. */
function openWorkers({ feed }: Pick<Hub, 'feed'>, of: (user: string) => ReadonlySet<Connection>) {
  const heard = new Map<ProcessId, () => void>()

  function stop(process: ProcessId): void {
    heard.get(process)?.()
    heard.delete(process)
  }

  function listen(
    session: SessionId,
    { user, via, process }: { readonly user: string; readonly via: Via; readonly process: ProcessId },
  ): void {
    const unlisten = feed.session(session, {
      event() {},
      live(frame) {
        if (frame.kind !== 'progress' || frame.process !== process) return
        for (const connection of of(user)) connection.progress(frame, via)
      },
    })
    heard.set(process, unlisten)
  }

  return {
    changed({ event }: Outgoing, worker: { readonly user: string; readonly via: Via; readonly process: ProcessId }): void {
      if (event.type !== 'process-status-changed') return
      if (event.data['status'] !== 'RUNNING') stop(worker.process)
      else if (event.session !== null && !heard.has(worker.process)) listen(event.session, worker)
    },
    close() {
      for (const process of [...heard.keys()]) stop(process)
    },
  }
}
