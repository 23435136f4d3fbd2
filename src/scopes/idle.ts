// What becomes of sessions that nobody uses: suspended after their idle time, closed when their policy says so.
import { messageOf } from '../base/errors.ts'
import type { SessionId } from '../base/ids.ts'
import type { Connections } from './connections.ts'
import type { Rooms } from './rooms.ts'
import type { Cascades } from './session-cascade.ts'

/** More than a sweep ever finds: who is left out of one for being watched or at work must not hide the others. */
const batch = 100_000

/**
 * Suspends open sessions that were still for longer than their idleTimeoutMs, unless somebody watches or a turn is open (one that
 * waits for a timer or a worker is at work). Closes suspended ones with onSuspend CLOSE when their keep time is over.
 * One that fails is logged and tried at the next sweep.
 */
export async function sweepIdle(
  rooms: Rooms,
  with_: { readonly now: number; readonly cascades: Cascades; readonly connections: Connections },
): Promise<void> {
  const { views } = rooms
  for (const id of await views.conversation.idle(with_.now, batch)) {
    if (with_.connections.count(id) > 0) continue
    await attempt(rooms, id, async () => {
      if (!(await isAtWork(rooms, id))) await with_.cascades.suspend(id, 'IDLE')
    })
  }
  for (const id of await views.conversation.overdue(with_.now, batch)) {
    await attempt(rooms, id, () => with_.cascades.end(id, { status: 'CLOSED', reason: 'AUTO_CLOSE', by: 'system' }))
  }
}

async function isAtWork(rooms: Rooms, id: SessionId): Promise<boolean> {
  for (const row of await rooms.views.conversation.processes(id)) {
    if (row.status === 'CLOSED') continue
    const look = await rooms.lanes.look(row.info.id)
    if (look?.turn || (look?.queue.length ?? 0) > 0) return true
  }
  return false
}

async function attempt(rooms: Rooms, session: SessionId, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (thrown) {
    rooms.log('error', 'an idle session could not be put to rest', { session, why: messageOf(thrown) })
  }
}
