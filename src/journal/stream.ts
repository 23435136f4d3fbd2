// A stream is a lane without a mailbox: the own facts of a tenant, a project or a session. Several writers may share one:
// each decides on what it read, and decides again when another was there first ('moved_on').

import { Unavailable } from '../base/errors.ts'
import type { LaneId, SessionId } from '../base/ids.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import type { Body } from './commit.ts'
import type { Journal } from './journal.ts'
import type { JournalStore } from './journal-store.ts'

export type Fold<State> = { readonly empty: State; readonly evolve: (state: State, event: NewEvent | Event) => State }

export type Stream<State> = {
  /** The state after all events that this node knows of. */
  state(): Promise<State>
  /**
   * Decides on the present state and appends; decides again on the newer state when another writer was first. An empty
   * decision appends nothing. A throw of `decide` is the caller's answer: nothing is appended.
   * Answers with the state after it and the cursor to wait for in a projection (0: nothing was appended).
   * `bodies` are written with the events that refer to them.
   */
  change(
    decide: (state: State) => readonly NewEvent[],
    riding?: { readonly bodies: readonly Body[] },
  ): Promise<{ readonly state: State; readonly cursor: number }>
}

type Held<State> = { seq: number; state: State }

/** Streams keep their fold in memory; what one node changes is folded at once, what others change when 'moved_on' says so. */
export function openStream<State>(
  rooms: { readonly journal: Journal; readonly store: JournalStore },
  lane: LaneId,
  options: { readonly fold: Fold<State>; readonly session?: SessionId | null },
): Stream<State> {
  const { journal, store } = rooms
  const { fold } = options
  let held: Held<State> | null = null
  let tail: Promise<unknown> = Promise.resolve()

  async function catchUp(from: Held<State>): Promise<Held<State>> {
    let { seq, state } = from
    for (;;) {
      const events = await store.readLane(lane, seq, 500)
      for (const event of events) state = fold.evolve(state, event)
      seq = events.at(-1)?.seq ?? seq
      if (events.length < 500) return { seq, state }
    }
  }

  async function now(): Promise<Held<State>> {
    held ??= await catchUp({ seq: 0, state: fold.empty })
    return held
  }

  async function attempt(decide: (state: State) => readonly NewEvent[], riding: { readonly bodies?: readonly Body[] }) {
    for (;;) {
      const { seq, state } = await now()
      const events = decide(state)
      if (events.length === 0) return { state, cursor: 0 }
      const creates = seq === 0 ? { creates: { session: options.session ?? null, mailbox: false } } : {}
      const done = await journal.append({ lane, epoch: 0, after: seq, events, ...creates, ...riding })
      if (done.ok) {
        held = { seq: seq + events.length, state: events.reduce(fold.evolve, state) }
        return { state: held.state, cursor: done.cursor }
      }
      if (done.reason === 'unavailable' || done.reason === 'invalid') throw new Unavailable(done.why)
      held = await catchUp(held ?? { seq: 0, state: fold.empty })
    }
  }

  return {
    state: async () => (await now()).state,
    change(decide, riding) {
      const mine = tail.then(() => attempt(decide, riding ?? {}))
      tail = mine.catch(() => undefined)
      return mine
    },
  }
}
