// What the parts of the WebSocket know of one connection, and of all of them.
import type { Id, SessionId } from '../base/ids.ts'
import type { LiveFrame } from '../lanes/lanes.ts'
import type { Caller } from './caller.ts'
import type { Outgoing, Via } from './wire.ts'

export type Connection = {
  readonly id: Id<'con'>
  readonly caller: Caller
  profile: string
  zone: string | null
  /** Sends a frame of the hub's own. */
  notify(type: string, data: unknown): void
  /**
   * That session is about to be heard: until then single frames of it, which may be further on than what was missed, are held back.
   * null: of one that is not made yet. Throws InvalidInput when it hears as many as it may.
   */
  expect(session: SessionId | null): void
  /** Hears a session from now on, or after a cursor, instead of as before. Resolves when the past has been sent. */
  resume(session: SessionId, after: number | null): Promise<void>
  leave(session: SessionId): void
  isIn(session: SessionId): boolean
  /** An event of one of the person's other sessions. `via`: of a worker, through whom it comes. */
  elsewhere(out: Outgoing, via: Via | null): void
  /** What a worker is doing, for those who hear the session of who ordered it and not its own. */
  progress(frame: LiveFrame, via: Via): void
  close(code: number, reason: string): void
}

export type Connections = {
  add(connection: Connection): void
  remove(connection: Connection): void
  /** A notice for one connection, when it is here. */
  tell(connection: string, type: string, data: unknown): void
  /** A notice for the person's other connections. */
  tellOthers(from: Connection, type: string, data: unknown): void
  readonly size: number
  close(code: number, reason: string): void
}
