// The writer: the one function that appends to a lane (L3). It folds at once, and gives the journal one commit for all that a
// tick brings; who acts awaits the commit. A refused commit drops the lane from memory.
import type { Clock } from '../base/clock.ts'
import type { EntryId, LaneId, NewId, TimerId } from '../base/ids.ts'
import type { Body, Commit, Post, Resting, Snapshot, Timer } from '../journal/commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { Actor } from '../protocol/actor.ts'
import type { NewEvent } from '../protocol/event.ts'
import { type Draft, draft } from './draft.ts'
import { evolve, evolveVersion, type LaneState, restingOf, statusOf, type TurnState } from './state.ts'

/** What one decision brings; lists that are left out are empty. */
export type Write = {
  readonly events: readonly Draft[]
  readonly takes?: readonly EntryId[]
  readonly drops?: readonly EntryId[]
  readonly releases?: readonly EntryId[]
  readonly posts?: readonly Post[]
  readonly setTimers?: readonly Timer[]
  readonly clearTimers?: readonly TimerId[]
  readonly bodies?: readonly Body[]
  readonly closes?: boolean
}

export type Writer = {
  state(): LaneState
  /** Folds now. True when durable; false when it was refused, and the lane is no longer in memory. */
  write(write: Write): Promise<boolean>
  /** Commits that are not answered yet, an open one included. */
  inFlight(): number
  /** Resolves when all that is folded now is durable, or was refused: nothing of it may be shown before (L3). */
  durable(): Promise<unknown>
}

type Open = {
  events: NewEvent[]
  takes: EntryId[]
  drops: EntryId[]
  releases: EntryId[]
  posts: Post[]
  set: Timer[]
  clear: TimerId[]
  bodies: Body[]
  closes: boolean
  after: number
  done: Promise<boolean>
}

/** A waiting lane is snapshot only after so many events; an idle one always (its state is small). */
const snapshotEvery = 100

export function openWriter(given: {
  readonly lane: LaneId
  readonly epoch: number
  readonly seq: number
  readonly state: LaneState
  readonly journal: Journal
  readonly clock: Clock
  readonly newId: NewId
  /** The commit was refused: drop the lane. */
  readonly refused: (reason: string) => void
  /** Posts that are on their way to other lanes (+1), and are no longer (-1). */
  readonly onItsWay: (posts: readonly Post[], change: 1 | -1) => void
  /** A commit went through. */
  readonly committed: () => void
  /** Posts that did not reach their lane. */
  readonly undelivered: (post: Post) => void
}): Writer {
  const { lane, epoch, journal, clock, newId } = given
  let { state, seq } = given
  let snapshotSeq = seq
  let open: Open | null = null
  let inFlight = 0
  let newest: Promise<unknown> = Promise.resolve()

  /** `turn`: the one that the event belongs to, also when this write settles it. */
  function mint(event: Draft, turn: TurnState | null): NewEvent {
    const { process } = state
    const self: Actor = `process:${lane}`
    return {
      id: newId('evt'),
      type: event.type,
      at: clock.now(),
      actor: event.by ?? self,
      visibility: event.visibility,
      data: event.data,
      cause: turn?.taken[0]?.entry ?? null,
      correlation: turn?.chain.root ?? null,
      session: process?.session ?? null,
      v: 1,
    }
  }

  function fold(drafts: readonly Draft[]): NewEvent[] {
    const events: NewEvent[] = []
    const { turn } = state
    const add = (event: Draft) => {
      const minted = mint(event, state.turn ?? turn)
      state = evolve(state, minted)
      events.push(minted)
    }
    const before = statusOf(state)
    for (const event of drafts) add(event)
    const status = statusOf(state)
    if (status !== before) add(draft('process-status-changed', { status }))
    return events
  }

  function write(write: Write): Promise<boolean> {
    const at = open ?? start()
    at.events.push(...fold(write.events))
    at.takes.push(...(write.takes ?? []))
    at.drops.push(...(write.drops ?? []))
    at.releases.push(...(write.releases ?? []))
    if (write.posts) given.onItsWay(write.posts, 1)
    at.posts.push(...(write.posts ?? []))
    at.set.push(...(write.setTimers ?? []))
    at.clear.push(...(write.clearTimers ?? []))
    at.bodies.push(...(write.bodies ?? []))
    at.closes ||= write.closes ?? false
    return at.done
  }

  function start(): Open {
    const fresh: Omit<Open, 'done'> = {
      events: [],
      takes: [],
      drops: [],
      releases: [],
      posts: [],
      set: [],
      clear: [],
      bodies: [],
      closes: false,
      after: 0,
    }
    const opened = fresh as Open
    inFlight += 1
    open = opened
    opened.done = journal
      .append(() => seal(opened))
      .then((result) => {
        inFlight -= 1
        given.onItsWay(opened.posts, -1)
        if (!result.ok) {
          given.refused(result.reason === 'invalid' ? `invalid: ${result.why}` : result.reason)
          return false
        }
        given.committed()
        for (const to of result.posted) if (!to.result.ok) given.undelivered(to.post)
        return true
      })
    newest = opened.done
    return opened
  }

  function seal(sealed: Open): Commit {
    open = null
    const after = seq
    seq += sealed.events.length
    const resting = restingOf(state)
    const snapshot = snapshotNow(resting)
    return {
      lane,
      epoch,
      after,
      events: sealed.events,
      takes: sealed.takes,
      drops: sealed.drops,
      releases: sealed.releases,
      posts: sealed.posts,
      timers: { set: sealed.set, clear: sealed.clear },
      bodies: sealed.bodies,
      resting,
      ...(snapshot && { snapshot }),
      ...(sealed.closes && { closes: true }),
    }
  }

  function snapshotNow(resting: Resting): Snapshot | null {
    if (resting === 'running' || (resting === 'waiting' && seq - snapshotSeq < snapshotEvery)) return null
    snapshotSeq = seq
    return { lane, seq, version: evolveVersion, state: JSON.stringify(state) }
  }

  return { state: () => state, write, inFlight: () => inFlight, durable: () => newest }
}
