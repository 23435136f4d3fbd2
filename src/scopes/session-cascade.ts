// Suspend, resume, close: every process of a session is told by an entry for its lane, then the session's own status is written
// (reference/eddie.md 1.2). A process that no entry reaches gets its status written with the session's. Processes that were made
// meanwhile are found by looking again.
import { messageOf } from '../base/errors.ts'
import { laneOf, type ProcessId, type SessionId } from '../base/ids.ts'
import type { Actor } from '../protocol/actor.ts'
import type { CloseReason, Control } from '../protocol/entry.ts'
import type { ProcessRow } from './conversation-store.ts'
import type { SuspendCause } from './events.ts'
import type { Rooms } from './rooms.ts'
import { known, type SessionState, unless } from './session-state.ts'
import type { SessionStreams } from './session-streams.ts'
import type { Asleep } from './session-waking.ts'

export type Cascades = {
  /** Nothing when it is not open. Answers with the cursor of the change, 0 for none. */
  suspend(id: SessionId, cause: SuspendCause): Promise<number>
  /** Nothing when it is archived or closed. */
  resume(id: SessionId, by: Actor): Promise<number>
  /** For good. Nothing when it is closed already, or archived and to be archived. */
  end(id: SessionId, as: { readonly status: 'ARCHIVED' | 'CLOSED'; readonly reason: CloseReason; readonly by: Actor }): Promise<number>
}

/** How often a cascade looks for processes made meanwhile. */
const longestChase = 20

/** `asleep` holds the sessions from the start of a suspend to the end of a resume. */
export function openCascades(rooms: Rooms, streams: SessionStreams, asleep: Asleep): Cascades {
  return {
    suspend: (id, cause) =>
      streams.inTurn(id, () => {
        asleep.add(id)
        return suspend(rooms, streams, { id, cause })
      }),
    resume: (id, by) =>
      streams.inTurn(id, async () => {
        const cursor = await resume(rooms, streams, { id, by })
        asleep.delete(id)
        return cursor
      }),
    end: (id, as) =>
      streams.inTurn(id, async () => {
        const cursor = await end(rooms, streams, { id, ...as })
        asleep.delete(id)
        return cursor
      }),
  }
}

async function suspend(rooms: Rooms, streams: SessionStreams, what: { readonly id: SessionId; readonly cause: SuspendCause }) {
  const stream = streams.of(what.id)
  const before = await stream.state()
  known(before, what.id)
  if (before.life !== 'OPEN') return 0
  const tell = (row: ProcessRow) => (isLive(row) && row.status !== 'SUSPENDED' ? ({ kind: 'suspend' } as const) : null)
  const { told, unreached } = await tellAll(rooms, what.id, { tell, by: 'system' })
  const data = { id: what.id, status: 'SUSPENDED', cause: what.cause, told, unreached } as const
  const change = await stream.change((state) => unless(state.life !== 'OPEN', () => rooms.fact('session-updated', data, 'system', what.id)))
  await afterwards(rooms, what.id, { tell, by: 'system', told })
  return change.cursor
}

async function resume(rooms: Rooms, streams: SessionStreams, what: { readonly id: SessionId; readonly by: Actor }) {
  const stream = streams.of(what.id)
  const before = await stream.state()
  known(before, what.id)
  if (before.life === 'ARCHIVED' || before.life === 'CLOSED') return 0
  const asleep = new Set(before.told)
  const tell = (row: ProcessRow) =>
    isLive(row) && (row.status === 'SUSPENDED' || asleep.has(row.info.id)) ? ({ kind: 'wake' } as const) : null
  await tellAll(rooms, what.id, { tell, by: what.by })
  const isAwake = (state: SessionState) => state.life !== 'SUSPENDED'
  const data = { id: what.id, status: 'IDLE' } as const
  const change = await stream.change((state) => unless(isAwake(state), () => rooms.fact('session-updated', data, what.by, what.id)))
  return change.cursor
}

type Ending = { readonly id: SessionId; readonly status: 'ARCHIVED' | 'CLOSED'; readonly reason: CloseReason; readonly by: Actor }

async function end(rooms: Rooms, streams: SessionStreams, what: Ending) {
  const stream = streams.of(what.id)
  const before = await stream.state()
  known(before, what.id)
  const isOver = (state: SessionState) => state.life === 'CLOSED' || state.life === what.status
  if (isOver(before)) return 0
  const tell = (row: ProcessRow) => (isLive(row) ? ({ kind: 'close', reason: what.reason } as const) : null)
  const { told, unreached } = await tellAll(rooms, what.id, { tell, by: what.by })
  const data = { id: what.id, status: what.status, unreached } as const
  const change = await stream.change((state) => unless(isOver(state), () => rooms.fact('session-updated', data, what.by, what.id)))
  await afterwards(rooms, what.id, { tell, by: what.by, told })
  return change.cursor
}

type Telling = { readonly tell: (row: ProcessRow) => Control | null; readonly by: Actor }

/** Tells every process that wants telling, each once, until a look finds nobody new. */
async function tellAll(rooms: Rooms, id: SessionId, telling: Telling & { readonly told?: readonly ProcessId[] }) {
  const asked = new Set<ProcessId>(telling.told ?? [])
  const told: ProcessId[] = []
  const unreached: ProcessId[] = []
  for (let look = 0; look < longestChase; look++) {
    const fresh = (await processes(rooms, id)).filter((row) => !asked.has(row.info.id))
    const due = fresh.map((row) => ({ process: row.info.id, control: telling.tell(row) })).filter((one) => one.control !== null)
    for (const row of fresh) asked.add(row.info.id)
    const reached = await Promise.all(due.map((one) => post(rooms, one.process, { body: one.control as Control, from: telling.by })))
    for (const [at, one] of due.entries()) (reached[at] ? told : unreached).push(one.process)
    if (fresh.length === 0) break
  }
  return { told, unreached }
}

/** A process that was made between the last look and the session's new status. */
async function afterwards(rooms: Rooms, id: SessionId, telling: Telling & { readonly told: readonly ProcessId[] }): Promise<void> {
  await tellAll(rooms, id, telling)
}

async function processes(rooms: Rooms, id: SessionId): Promise<readonly ProcessRow[]> {
  const { journal, views } = rooms
  await journal.passed(journal.head(), views.conversation.projection.name)
  return views.conversation.processes(id)
}

/** Whether the lane has the entry. */
async function post(rooms: Rooms, process: ProcessId, entry: { readonly body: Control; readonly from: Actor }): Promise<boolean> {
  try {
    const posted = await rooms.lanes.post({ lane: laneOf(process), id: rooms.newId('ent'), ...entry })
    if (posted.ok || posted.reason === 'closed') return true
    rooms.log('warn', 'a process was not reached by its session', { process, kind: entry.body.kind, reason: posted.reason })
  } catch (thrown) {
    rooms.log('warn', 'a process was not reached by its session', { process, kind: entry.body.kind, reason: messageOf(thrown) })
  }
  return false
}

function isLive(row: ProcessRow): boolean {
  return row.status !== 'CLOSED'
}
