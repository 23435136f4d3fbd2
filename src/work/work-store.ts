// What work needs of a store: links, and how far reports have gone.
import type { ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { Projection } from '../journal/projection.ts'
import type { Chain } from '../protocol/entry.ts'
import type { ChannelMode } from './report.ts'

/** The fact (turn.note 'worker-linked') that makes a link; projected. A newer link of the same worker takes its place. */
export type WorkerLink = {
  readonly owner: ProcessId
  readonly worker: ProcessId
  readonly session: SessionId
  readonly project: string
  readonly agent: string
  /** What it was asked, in a few words. */
  readonly title: string
  readonly mode: ChannelMode
}

/** A link with what is known of its worker. `status`: running, waiting, idle or closed. */
export type Linked = WorkerLink & {
  readonly status: string
  readonly lastReport: { readonly type: string; readonly text: string; readonly at: number } | null
}

export interface WorkStore {
  readonly projection: Projection
  /** Newest first. */
  workers(owner: ProcessId): Promise<readonly Linked[]>
  owner(worker: ProcessId): Promise<WorkerLink | null>
  /** Of a turn of a worker. */
  chain(turn: TurnId): Promise<Chain | null>
  /** The cursor up to which all reports are posted; null: nothing was followed yet. */
  reported(): Promise<number | null>
  setReported(cursor: number): Promise<void>
}
