// The writer: the one function that appends to a lane (L3). It folds at once, and gives the journal one commit for all that a
// tick brings; who acts awaits the commit. A refused commit drops the lane from memory.
import type { Clock } from '../base/clock.ts'
import type { EntryId, LaneId, NewId, TimerId } from '../base/ids.ts'
import type { Body, Commit, Committed, Post, Resting, Snapshot, Timer } from '../journal/commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { Actor } from '../protocol/actor.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { ProcessStatus } from '../protocol/process.ts'
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

type Open = {
  /** Of the process, before the first event. */
  readonly status: ProcessStatus
  events: NewEvent[]
  takes: EntryId[]
  drops: EntryId[]
  releases: EntryId[]
  posts: Post[]
  set: Timer[]
  clear: TimerId[]
  bodies: Body[]
  closes: boolean
  done: Promise<boolean>
  /** Set when it takes nothing more before its group is formed. */
  sealed: Commit | null
}

/** A waiting lane is snapshot only after so many events; an idle one always (its state is small). */
const snapshotEvery = 100

export type WriterOptions = {
  readonly lane: LaneId
  readonly epoch: number
  readonly seq: number
  readonly state: LaneState
  readonly journal: Journal
  readonly clock: Clock
  readonly newId: NewId
  /** The commit was refused: drop the lane. */
  readonly refused: (reason: string) => void
  /** A commit went through. */
  readonly committed: () => void
  /** Posts that are on their way to other lanes (+1), and are no longer (-1). */
  readonly onItsWay: (posts: readonly Post[], change: 1 | -1) => void
  /** Posts that did not reach their lane. */
  readonly undelivered: (post: Post) => void
}

export class Writer {
  readonly #given: WriterOptions
  #state: LaneState
  #seq: number
  #snapshotSeq: number
  #open: Open | null = null
  #inFlight = 0
  #newest: Promise<unknown> = Promise.resolve()
  /** Requests to other lanes that are sealed, and whose arrival is not known yet. */
  #onTheWay = 0
  /** The store has the lane as running only because of these. */
  #isForced = false

  constructor(given: WriterOptions) {
    this.#given = given
    this.#state = given.state
    this.#seq = given.seq
    this.#snapshotSeq = given.seq
  }

  state(): LaneState {
    return this.#state
  }

  /** Commits that are not answered yet, an open one included. */
  inFlight(): number {
    return this.#inFlight
  }

  /** Resolves when all that is folded now is durable, or was refused: nothing of it may be shown before (L3). */
  durable(): Promise<unknown> {
    return this.#newest
  }

  /** Folds now. True when durable; false when it was refused, and the lane is no longer in memory. */
  write(write: Write): Promise<boolean> {
    if (write.takes && write.takes.length > 0) this.#closeOpen()
    const open = this.#open ?? this.#start()
    open.events.push(...this.#fold(write.events))
    open.takes.push(...(write.takes ?? []))
    open.drops.push(...(write.drops ?? []))
    open.releases.push(...(write.releases ?? []))
    if (write.posts) this.#given.onItsWay(write.posts, 1)
    open.posts.push(...(write.posts ?? []))
    open.set.push(...(write.setTimers ?? []))
    open.clear.push(...(write.clearTimers ?? []))
    open.bodies.push(...(write.bodies ?? []))
    open.closes ||= write.closes ?? false
    return open.done
  }

  #fold(drafts: readonly Draft[]): NewEvent[] {
    const events: NewEvent[] = []
    const { turn } = this.#state
    const add = (event: Draft) => {
      const minted = this.#mint(event, this.#state.turn ?? turn)
      this.#state = evolve(this.#state, minted)
      events.push(minted)
    }
    for (const event of drafts) add(event)
    return events
  }

  /** `turn`: the one that the event belongs to, also when this write settles it. */
  #mint(event: Draft, turn: TurnState | null): NewEvent {
    const { lane, newId, clock } = this.#given
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
      session: this.#state.process?.session ?? null,
      v: 1,
    }
  }

  #start(): Open {
    const open = emptyOpen(statusOf(this.#state))
    this.#inFlight += 1
    this.#open = open
    open.done = this.#given.journal.append(() => open.sealed ?? this.#seal(open)).then((result) => this.#answered(open, result))
    this.#newest = open.done
    return open
  }

  /**
   * What takes work may be refused because another node posted before it (T6). It must not take the record of what was done down
   * with it, so it is a commit of its own.
   */
  #closeOpen(): void {
    if (this.#open) this.#open.sealed = this.#seal(this.#open)
  }

  #answered(open: Open, result: Committed): boolean {
    const { onItsWay, refused, committed, undelivered } = this.#given
    this.#inFlight -= 1
    onItsWay(open.posts, -1)
    if (result.ok) {
      committed()
      for (const to of result.posted) if (!to.result.ok) undelivered(to.post)
      this.#onTheWay -= requestsIn(open)
      if (this.#isForced && this.#onTheWay === 0) void this.write({ events: [] })
    } else refused(result.reason === 'invalid' ? `invalid: ${result.why}` : result.reason)
    return result.ok
  }

  #seal(open: Open): Commit {
    const { lane, epoch } = this.#given
    this.#open = null
    const status = statusOf(this.#state)
    if (status !== open.status) open.events.push(...this.#fold([draft('process-status-changed', { status })]))
    const after = this.#seq
    const events = withoutSteps(open.events)
    this.#seq += events.length
    this.#onTheWay += requestsIn(open)
    const resting = this.#resting()
    const snapshot = this.#snapshot(resting)
    const { takes, drops, releases, posts, set, clear, bodies } = open
    return {
      ...{ lane, epoch, after, events, takes, drops, releases, posts, timers: { set, clear }, bodies, resting },
      ...(snapshot && { snapshot }),
      ...(open.closes && { closes: true }),
    }
  }

  /** Start-up looks at a lane whose requests may not have arrived: who waits for one of those would never be told (T12). */
  #resting(): Resting {
    const resting = restingOf(this.#state)
    this.#isForced = resting === 'waiting' && this.#onTheWay > 0
    return this.#isForced ? 'running' : resting
  }

  #snapshot(resting: Resting): Snapshot | null {
    if (resting === 'running' || (resting === 'waiting' && this.#seq - this.#snapshotSeq < snapshotEvery)) return null
    this.#snapshotSeq = this.#seq
    return { lane: this.#given.lane, seq: this.#seq, version: evolveVersion, state: JSON.stringify(this.#state) }
  }
}

function requestsIn(open: Open): number {
  return open.posts.filter((post) => post.entry.replyTo !== undefined).length
}

/** Of a line whose status changed more than once in one commit only the last word is told, with its place in the tree. */
function withoutSteps(events: readonly NewEvent[]): readonly NewEvent[] {
  const changes = events.filter((event) => event.type === 'chat-message-updated')
  if (changes.length < 2) return events
  const last = new Map(changes.map((event) => [event.data.id, event]))
  return events.flatMap((event) => {
    if (event.type !== 'chat-message-updated') return [event]
    if (last.get(event.data.id) !== event) return []
    const before = changes.filter((other) => other !== event && other.data.id === event.data.id)
    return [before.length === 0 ? event : { ...event, data: Object.assign({}, ...before.map((other) => other.data), event.data) }]
  })
}

function emptyOpen(status: ProcessStatus): Open {
  const done = Promise.resolve(false)
  return {
    status,
    events: [],
    takes: [],
    drops: [],
    releases: [],
    posts: [],
    set: [],
    clear: [],
    bodies: [],
    closes: false,
    done,
    sealed: null,
  }
}
