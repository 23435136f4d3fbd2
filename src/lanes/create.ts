// Making a process and its lane, in one commit.
import type { Clock } from '../base/clock.ts'
import { Conflict, Unavailable } from '../base/errors.ts'
import { laneOf, type NewId } from '../base/ids.ts'
import type { Journal } from '../journal/journal.ts'
import type { Actor } from '../protocol/actor.ts'
import type { NewEvent } from '../protocol/event.ts'
import { draft } from './draft.ts'
import type { ProcessInfo } from './engine.ts'

/** Conflict when the process exists; Unavailable when the store can't take it. */
export async function createProcess(
  rooms: { readonly journal: Journal; readonly clock: Clock; readonly newId: NewId },
  process: ProcessInfo,
  by: Actor,
): Promise<{ readonly cursor: number }> {
  const events = [draft('process-created', { process }), draft('process-status-changed', { status: 'IDLE' })].map(
    (event): NewEvent => ({
      ...event,
      id: rooms.newId('evt'),
      at: rooms.clock.now(),
      actor: by,
      cause: null,
      correlation: null,
      session: process.session,
      v: 1,
    }),
  )
  const lane = laneOf(process.id)
  const creates = { session: process.session, mailbox: true }
  const done = await rooms.journal.append({ lane, epoch: 0, after: 0, events, creates, resting: 'idle' })
  if (done.ok) return { cursor: done.cursor }
  if (done.reason === 'unavailable' || done.reason === 'invalid') throw new Unavailable(done.why)
  throw new Conflict(`the process ${process.id} exists already`)
}
