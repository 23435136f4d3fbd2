// What a worker's end means for the process that made it (reference/eddie.md 1.3 and 2.5).
import type { ProcessId } from '../base/ids.ts'
import type { CloseReason } from '../protocol/entry.ts'
import type { ProcessStatus } from '../protocol/process.ts'

export type CloseEvent = 'DONE' | 'FAILED' | 'STOPPED'

const events: ReadonlyMap<string, CloseEvent> = new Map<CloseReason, CloseEvent>([
  ['DONE', 'DONE'],
  ['INCOMPLETE', 'FAILED'],
  ['STALE', 'FAILED'],
])

/** Any other reason, also one that this program does not know yet, and none at all: it was stopped. */
function closeEvent(reason: CloseReason | null): CloseEvent {
  return events.get(reason ?? '') ?? 'STOPPED'
}

export type StatusChange = {
  readonly parent: ProcessId | null
  readonly before: ProcessStatus
  readonly now: ProcessStatus
  readonly reason: CloseReason | null
  /** The parent follows the worker by itself and needs no entry. */
  readonly parentWatches?: boolean
  /** Who asked for the stop, when somebody did. */
  readonly stoppedBy?: ProcessId
}

/** What the parent is told; null: nothing. Only an end is told, once, and not to who brought it about or sees it anyway. */
export function parentEvent(change: StatusChange): CloseEvent | null {
  if (change.parent === null || change.now !== 'CLOSED' || change.before === 'CLOSED') return null
  if (change.parentWatches) return null
  const event = closeEvent(change.reason)
  return event === 'STOPPED' && change.stoppedBy === change.parent ? null : event
}
