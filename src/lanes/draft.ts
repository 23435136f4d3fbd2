// A draft is an event before the writer gives it id, time and causes: what pure decisions return.
import type { JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Visibility } from '../protocol/event.ts'
import type { LaneEvents, LaneEventType } from './events.ts'

export type Draft = { readonly type: string; readonly data: JsonObject; readonly visibility: Visibility; readonly by?: Actor }

const visibility: Record<LaneEventType, Visibility> = {
  'process-created': 'user-detail',
  'chat-message-appended': 'user-summary',
  'chat-message-updated': 'user-summary',
  'entry-received': 'internal',
  'entry-held': 'user-summary',
  'entry-released': 'user-detail',
  'entry-refused': 'operator',
  'entry-done': 'internal',
  'turn-started': 'user-detail',
  'turn-resumed': 'user-detail',
  'step-started': 'operator',
  'step-done': 'operator',
  'step-failed': 'user-detail',
  'arrivals-taken': 'operator',
  'question-asked': 'user-summary',
  'approval-requested': 'user-summary',
  delegated: 'user-detail',
  'timer-set': 'operator',
  'question-answered': 'user-summary',
  'approval-decided': 'user-summary',
  'ask-answered': 'operator',
  'wait-ended': 'internal',
  'turn-parked': 'operator',
  'turn-paused': 'user-detail',
  'turn-continued': 'user-detail',
  'turn-stopping': 'user-detail',
  'clock-read': 'internal',
  posted: 'operator',
  'turn-settled': 'user-detail',
  'branch-selected': 'user-detail',
  'process-status-changed': 'user-summary',
  'process-suspended': 'user-detail',
  'process-woken': 'user-detail',
  'process-closed': 'user-summary',
}

export function draft<T extends LaneEventType>(type: T, data: LaneEvents[T], by?: Actor): Draft {
  return { type, data: data as unknown as JsonObject, visibility: visibility[type], ...(by && { by }) }
}
