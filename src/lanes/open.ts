// Opening a lane: claim it, fold what the snapshot lacks, read its mailbox, and go on where it was (L3, L5, L7).
import type { AskId, EntryId, LaneId } from '../base/ids.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Entry } from '../protocol/entry.ts'
import { emptyLane, evolve, evolveVersion, type LaneState } from './state.ts'

export type Loaded = {
  readonly seq: number
  readonly state: LaneState
  /** What waits, control included, in commit order. */
  readonly waiting: readonly Entry[]
  readonly held: readonly Entry[]
  /** Bodies of what the open turn took. */
  readonly bodies: ReadonlyMap<EntryId, Entry>
}

/** How many restarts without anything new a turn survives (L5). */
export const restartLimit = 3

const pageLength = 500

/** The state of a lane as the journal has it; claims nothing. */
export async function load(store: JournalStore, lane: LaneId): Promise<Loaded> {
  const [{ seq, state }, waiting, held] = await Promise.all([fold(store, lane), store.waiting(lane), store.held(lane)])
  const taken = state.turn?.taken.map((t) => t.entry) ?? []
  const bodies = taken.length > 0 ? await store.entries(lane, taken) : []
  return { seq, state, waiting, held, bodies: new Map(bodies.map((entry) => [entry.id, entry])) }
}

async function fold(store: JournalStore, lane: LaneId): Promise<{ seq: number; state: LaneState }> {
  const snapshot = await store.snapshot(lane, evolveVersion)
  let seq = snapshot?.seq ?? 0
  let state: LaneState = snapshot ? (JSON.parse(snapshot.state) as LaneState) : emptyLane
  for (;;) {
    const events = await store.readLane(lane, seq, pageLength)
    for (const event of events) state = evolve(state, event)
    seq = events.at(-1)?.seq ?? seq
    if (events.length < pageLength) return { seq, state }
  }
}

/** Delegations whose request never reached its lane: the commit that opened them dropped the post, and a crash hid that. */
export async function lostDelegations(store: JournalStore, state: LaneState): Promise<readonly AskId[]> {
  const lost: AskId[] = []
  for (const [ask, { to, answer }] of Object.entries(state.turn?.asks ?? {})) {
    if (!to || answer) continue
    const [there] = await store.entries(to.lane, [to.entry])
    if (!there) lost.push(ask as AskId)
  }
  return lost
}
