// Looking at a lane without owning it: what runs, and what waits behind what (L6).
import type { EntryId, LaneId, MessageId, TurnId } from '../base/ids.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { type Entry, isWork } from '../protocol/entry.ts'
import type { ProcessStatus } from '../protocol/process.ts'
import type { ProcessInfo } from './engine.ts'
import type { Lane } from './lane.ts'
import { behind } from './mailbox.ts'
import { load } from './open.ts'
import { type LaneState, statusOf, type TurnState } from './state.ts'

/** What is going on in a lane, and what waits behind what (L6). */
export type LaneView = {
  readonly process: ProcessInfo
  readonly status: ProcessStatus
  readonly leaf: MessageId | null
  readonly turn: null | {
    readonly id: TurnId
    readonly engine: string
    readonly steps: readonly {
      readonly name: string
      readonly kind: string
      readonly state: 'started' | 'done' | 'failed'
      readonly attempt: number
    }[]
    readonly waits: readonly { readonly name: string; readonly asks: readonly string[] }[]
  }
  /** Each waiting entry with the reason why it is not taken yet. */
  readonly queue: readonly {
    readonly entry: EntryId
    readonly kind: string
    readonly message?: MessageId
    readonly behind: string
  }[]
}

export async function viewOf(store: JournalStore, lane: LaneId, resident: Lane | null): Promise<LaneView | null> {
  if (resident) {
    await resident.durable()
    return view(resident.state, resident.inbox)
  }
  const { state, waiting } = await load(store, lane)
  return view(
    state,
    waiting.filter((entry) => isWork(entry.body)),
  )
}

function view(state: LaneState, inbox: readonly Entry[]): LaneView | null {
  const { process, leaf, turn } = state
  if (!process) return null
  return {
    process,
    status: statusOf(state),
    leaf,
    turn: turn && {
      id: turn.id,
      engine: turn.engine,
      steps: stepsOf(turn),
      waits: (turn.parked ?? []).map(({ name, asks }) => ({ name, asks })),
    },
    queue: inbox.map((entry, at) => ({
      entry: entry.id,
      kind: entry.body.kind,
      ...(entry.body.kind === 'message' && entry.ref !== undefined && { message: entry.ref as MessageId }),
      behind: behind(state, inbox, at),
    })),
  }
}

function stepsOf(turn: TurnState) {
  return Object.entries(turn.names).flatMap(([name, record]) =>
    record.kind === 'step' ? [{ name, kind: record.effect, state: record.state, attempt: record.attempt }] : [],
  )
}
