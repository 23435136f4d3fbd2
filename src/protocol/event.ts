// One fact in the journal (DESIGN section 5). Its type is the same word on the wire.
import type { EventId, LaneId, SessionId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { Actor } from './actor.ts'

/** Who may see it: a person at a glance, a person who looks closer, who runs the hub, nobody but the hub. */
export const visibilities = ['user-summary', 'user-detail', 'operator', 'internal'] as const
export type Visibility = (typeof visibilities)[number]

/** What a commit appends; the journal adds cursor and seq. */
export type NewEvent = {
  readonly id: EventId
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly actor: Actor
  readonly visibility: Visibility
  readonly data: JsonObject
  /** The id of the entry or event that brought it about; null at a root. */
  readonly cause: string | null
  /** The root of the chain of causes: an entry's id (L10). */
  readonly correlation: string | null
  /** The session it belongs to, when it belongs to one. */
  readonly session: SessionId | null
  /** Version of `data`'s shape for this type. */
  readonly v: number
}

export type Event = NewEvent & {
  /** Global position, from 1, ascending in the order of commits. */
  readonly cursor: number
  readonly lane: LaneId
  /** Position in the lane, from 1; 0 for what others append to it (a received entry belongs to the lane, not to its seq; T28). */
  readonly seq: number
}
