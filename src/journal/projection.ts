// The contract of projections (L13): tables computed from events by their own cursor, rebuildable while the hub runs.
// A projection reads the event and its own tables, never the clock, never another projection.
import type { Event } from '../protocol/event.ts'

export interface Projection {
  readonly name: string
  /** Another version than the stored one: the tables are built anew from the start of the journal. */
  readonly version: number
  /** The cursor that the tables have passed; 0 for empty ones; null when they are of another version. */
  position(): Promise<number | null>
  /**
   * Applies the events and moves the position, in one transaction. Throws when an event can't be applied: the projection stops, the
   * lanes don't. `soon`: nobody waits for it, so it may share a transaction with others at the end of this round of the event loop.
   */
  apply(events: readonly Event[], position: number, when?: 'now' | 'soon'): Promise<void>
  /** Opens empty tables beside the present ones. Readers see the old ones until `replace` switches in one transaction (T33). */
  rebuild(): Promise<Rebuilding>
}

export interface Rebuilding {
  apply(events: readonly Event[], position: number): Promise<void>
  replace(): Promise<void>
  abandon(): Promise<void>
}
