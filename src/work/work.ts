// Work: what one agent does for another. Owns: the link between who ordered and who works, and the reports that go back over it.
// Leaves running to lanes, what a report means to engines. Tasks, runs and plans have their place here.
//
// K1  A worker's settled turn, its questions, its approvals and its end are each one entry for whoever ordered the work, whoever
//     is connected, also when the hub died in between.
// K2  Work goes on only downwards: a link never leads to a process that ordered this one, however far up.
import type { ProcessId, SessionId } from '../base/ids.ts'
import type { Taint } from '../policy/decision.ts'

/** Verbatim: each line. milestones: questions, approvals, results, ends. summary: results and ends. inbox: results go to the inbox. */
export const channelModes = ['verbatim', 'milestones', 'summary', 'inbox'] as const
export type ChannelMode = (typeof channelModes)[number]

/** The fact (turn.note 'worker-linked') that makes a link; projected. */
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

/** The data of a note with topic `worker-report`. Text is at most 60,000 characters; `taint` raises that of who takes it. */
export type Report = {
  readonly eventId: string
  readonly type: 'reply' | 'question' | 'approval' | 'failed' | 'stopped' | 'closed'
  readonly worker: {
    readonly process: string
    readonly session: string
    readonly project: string
    readonly agent: string
    readonly title: string
  }
  readonly text: string
  readonly options?: readonly { readonly label: string; readonly description?: string }[]
  /** The ask or approval that stands open, by its outside id. */
  readonly ask?: string
  readonly taint: Taint
  readonly at: number
}

export type Work = {
  /** Links of that owner, newest first. */
  workers(owner: ProcessId): Promise<
    readonly (WorkerLink & {
      readonly status: string
      readonly lastReport: { readonly type: string; readonly text: string; readonly at: number } | null
    })[]
  >
  owner(worker: ProcessId): Promise<WorkerLink | null>
  /** True when `below` already works for `above`, directly or not, or is it. */
  isAbove(above: ProcessId, below: ProcessId): Promise<boolean>
  close(): Promise<void>
}
