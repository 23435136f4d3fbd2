// The lanes: one single writer per process. Its mailbox, its turns, its events.
// Owns: the state machine of a lane, turns and their replay, asks, timers, priorities, leases. Leaves tables to store/*, what a
// turn does to engines/*, who may post to the edges. The rules L1 to L14 stand in docs/spec.md; tests carry their ids.
import type { EntryId, LaneId, MessageId, ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { Posted } from '../journal/commit.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Control, Entry, Work } from '../protocol/entry.ts'
import type { ProcessStatus } from '../protocol/process.ts'
import type { Engine, ProcessInfo } from './engine.ts'

export type Lanes = {
  /** Makes a process and its lane; the cursor is that of its process-created event. */
  create(process: ProcessInfo, by: Actor): Promise<{ readonly cursor: number }>
  /**
   * Puts an entry into a mailbox. Durable when it resolves; known ids are answered as duplicate, with what was accepted then.
   * `limit` (edges only): at most so many entries may wait there.
   */
  post(entry: NewEntry, options?: { readonly limit?: number }): Promise<Posted>
  /** The turn that is open in that lane, null when none is. Opens nothing. */
  look(process: ProcessId): Promise<LaneView | null>
  /** Live words and progress of a session's lanes. */
  readonly live: Live
  registerEngine(engine: Engine): void
  /** Starts the pump, the timers and the heartbeat, and looks at what was unfinished. */
  start(): Promise<void>
  /** Lets running commits end, gives up its lanes; running steps are cut short and done again at the next start. */
  stop(): Promise<void>
  stats(): LaneStats
}

/** An entry without what the lanes fill in: chain of a root, time. `ref` is the id that the outside knows (a message's msg_...). */
export type NewEntry = Omit<Entry, 'chain' | 'at'> & { readonly chain?: Entry['chain'] }

/** What is going on in a lane, and what waits behind what (L6). */
export type LaneView = {
  readonly process: ProcessInfo
  readonly status: ProcessStatus
  readonly leaf: MessageId | null
  readonly turn: null | {
    readonly id: TurnId
    readonly engine: string
    readonly steps: readonly { readonly name: string; readonly kind: string; readonly state: 'started' | 'done' | 'failed'; readonly attempt: number }[]
    readonly waits: readonly { readonly name: string; readonly asks: readonly string[] }[]
  }
  /** Each waiting entry with the reason why it is not taken yet. */
  readonly queue: readonly { readonly entry: EntryId; readonly kind: string; readonly message?: MessageId; readonly behind: string }[]
}

export type LaneStats = { readonly open: number; readonly running: number; readonly waiting: number; readonly turns: number; readonly quarantined: number }

/** Frames that are never journalled (L9). A new attempt starts at offset 0 and replaces what was shown. */
export type LiveFrame =
  | { readonly kind: 'words'; readonly session: SessionId; readonly process: ProcessId; readonly turn: TurnId; readonly step: string; readonly attempt: number; readonly offset: number; readonly text: string }
  | { readonly kind: 'progress'; readonly session: SessionId; readonly process: ProcessId; readonly turn: TurnId; readonly step: string; readonly text: string }

export type Live = {
  /** Hears frames of that session from now on; returns the way to stop. */
  listen(session: SessionId, hear: (frame: LiveFrame) => void): () => void
  /** The text so far of every step that streams in that session now, as frames with offset 0. */
  soFar(session: SessionId): readonly LiveFrame[]
}

export type { Control, Engine, LaneId, ProcessInfo, Work }
