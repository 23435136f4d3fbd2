// Which chains are at work, who works for them, and which folders are theirs alone (E25, E27). Facts in the stream `chains:runs`.
// It also hears what becomes of a chain's turn: a stop ends its workers, a pause lets them rest, its end gives the folders to the
// next in line. What happened while the hub was down is made good when it opens.
import { type Clock, pause } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import { type AskId, isId, laneOf, type NewId, type ProcessId, type SessionId, streamLane, type TurnId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import type { Journal } from '../../journal/journal.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { openStream, type Stream } from '../../journal/stream.ts'
import { entryIdOf } from '../../lanes/entry-id.ts'
import type { Lanes } from '../../lanes/lanes.ts'
import type { Event, NewEvent } from '../../protocol/event.ts'
import type { Sessions } from '../../scopes/scopes.ts'
import { asking, holderOf, leftIn, nextOf, type Run, type RunsState, runsFold } from './runs-state.ts'
import { hasCopies, sweepCopies } from './sweep.ts'

export type Runs = {
  /** Idempotent, like all of these: a turn that is run again says the same again. */
  began(run: Pick<Run, 'turn' | 'process' | 'project' | 'title'>): Promise<void>
  engaged(turn: TurnId, worker: { readonly session: SessionId; readonly process: ProcessId }): Promise<void>
  /** Takes the folders for that turn until it settles. `taken`: by another chain, at work as a turn of `process`. */
  claim(turn: TurnId, folders: readonly string[]): Promise<Claim>
  /** Stands in line: when the folders are free, the ask times out. False: they are free by now. */
  stand(turn: TurnId, ask: AskId, folders: readonly string[]): Promise<boolean>
  /** When that worker asks a person for something, the ask times out. */
  watch(turn: TurnId, watch: Run['watches'][number]): Promise<void>
  /** Its copies stay when it ends, until the next chain that changes those folders has ended. */
  keeps(turn: TurnId): Promise<void>
  close(): Promise<void>
}

export type Claim =
  | { readonly ok: true }
  | { readonly ok: false; readonly process: string; readonly project: string; readonly title: string }

export type RunsRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly lanes: Pick<Lanes, 'look' | 'post'>
  readonly sessions: Pick<Sessions, 'close' | 'suspend' | 'resume'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

type Desk = RunsRooms & { readonly stream: Stream<RunsState>; readonly paused: Set<TurnId> }

const pageLength = 500
const againMs = 1_000

export async function openRuns(rooms: RunsRooms): Promise<Runs> {
  const stream = openStream(rooms, streamLane('chains:runs'), { fold: runsFold })
  const desk: Desk = { ...rooms, stream, paused: new Set() }
  const head = rooms.journal.head()
  await makeGood(desk, head)
  const abort = new AbortController()
  const loop = follow(desk, head, abort.signal)
  return {
    began: async ({ turn, ...data }) => {
      await write(desk, (state) => (runIn(state, turn) ? null : { type: 'chain-began', data: { turn, ...data } }))
    },
    async engaged(turn, { session, process }) {
      const isKnown = (run: Run | null) => run === null || run.workers.some((one) => one.session === session)
      await write(desk, (state) =>
        isKnown(runIn(state, turn)) ? null : { type: 'chain-engaged', data: { turn, session, worker: process } },
      )
      if (desk.paused.has(turn)) await rooms.sessions.suspend(session, 'FORCED')
    },
    claim: (turn, folders) => claim(desk, turn, folders),
    async stand(turn, ask, folders) {
      await dropDead(desk, turn, folders)
      const state = await write(desk, (now) =>
        holderOf(now, turn, folders) === null ? null : { type: 'chain-waits', data: { turn, ask, folders: [...folders] } },
      )
      return runIn(state, turn)?.waits?.ask === ask
    },
    async watch(turn, { worker, ask }) {
      const isKnown = (run: Run | null) => run === null || run.watches.some((one) => one.ask === ask)
      await write(desk, (state) => (isKnown(runIn(state, turn)) ? null : { type: 'chain-watches', data: { turn, worker, ask } }))
    },
    async keeps(turn) {
      await write(desk, (state) => (runIn(state, turn)?.keeps === false ? { type: 'chain-keeps', data: { turn } } : null))
    },
    async close() {
      abort.abort()
      await loop
    },
  }
}

function runIn(state: RunsState, turn: TurnId): Run | null {
  return state.find((run) => run.turn === turn) ?? null
}

async function claim(desk: Desk, turn: TurnId, folders: readonly string[]): Promise<Claim> {
  await dropDead(desk, turn, folders)
  const state = await write(desk, (now) => {
    const mine = runIn(now, turn)
    if (mine === null || mine.holds !== null || holderOf(now, turn, folders) !== null) return null
    return { type: 'chain-claimed', data: { turn, folders: [...folders] } }
  })
  if (runIn(state, turn)?.holds) return { ok: true }
  const holder = holderOf(state, turn, folders)
  return { ok: false, process: holder?.process ?? '', project: holder?.project ?? '', title: holder?.title ?? '' }
}

/** A holder whose turn is over and was not heard of holds nothing. */
async function dropDead(desk: Desk, turn: TurnId, folders: readonly string[]): Promise<void> {
  const holder = holderOf(await desk.stream.state(), turn, folders)
  if (holder !== null && !(await isOpen(desk, holder))) await over(desk, holder)
}

async function isOpen({ lanes }: Desk, { process, turn }: Run): Promise<boolean> {
  return (await lanes.look(process))?.turn?.id === turn
}

type Fact = { readonly type: string; readonly data: JsonObject & { readonly turn: string } }

async function write(desk: Desk, decide: (state: RunsState) => Fact | null): Promise<RunsState> {
  const { stream, newId, clock } = desk
  const { state } = await stream.change((now): readonly NewEvent[] => {
    const fact = decide(now)
    if (fact === null) return []
    const about = { cause: null, correlation: null, session: null, visibility: 'operator', v: 1, actor: 'system' } as const
    return [{ ...about, ...fact, id: newId('evt'), at: clock.now() }]
  })
  return state
}

// ---- what becomes of a chain's turn

/** All that was journalled since the oldest chain that is still known, taken together. */
async function makeGood(desk: Desk, head: number): Promise<void> {
  const runs = (await desk.stream.state()).filter(({ left }) => left === null)
  if (runs.length === 0) return
  const known = new Set<string>(runs.map(({ turn }) => turn))
  const last = new Map<string, Event>()
  let after = Math.min(...runs.map(({ from }) => from))
  while (after < head) {
    const { events } = await desk.journal.read({ after, limit: pageLength })
    if (events.length === 0) break
    for (const event of events) {
      const { turn } = event.data
      if (asking.has(event.type)) await askedIn(desk, event)
      if (Object.hasOwn(heeded, event.type) && typeof turn === 'string' && known.has(turn)) last.set(turn, event)
    }
    after = events.at(-1)?.cursor ?? head
  }
  for (const event of last.values()) await heed(desk, event)
  for (const run of await desk.stream.state()) if (run.left === null && !(await isOpen(desk, run))) await over(desk, run)
}

async function follow(desk: Desk, from: number, signal: AbortSignal): Promise<void> {
  const place = { at: from }
  while (!signal.aborted) {
    try {
      for await (const events of desk.journal.follow(place.at, { signal })) {
        for (const event of events) {
          if (asking.has(event.type)) await askedIn(desk, event)
          if (Object.hasOwn(heeded, event.type)) await heed(desk, event)
          place.at = event.cursor
        }
      }
      return
    } catch (thrown) {
      desk.log('warn', 'a chain could not be followed for a moment; it is tried again', { error: messageOf(thrown) })
      await pause(desk.clock, againMs, signal)
    }
  }
}

const heeded: Readonly<Record<string, (desk: Desk, run: Run) => Promise<void>>> = {
  'turn-settled': (desk, run) => over(desk, run),
  'turn-stopping': (desk, run) => endWorkers(desk, run),
  async 'turn-paused'(desk, run) {
    desk.paused.add(run.turn)
    for (const { session } of await busy(desk, run)) await desk.sessions.suspend(session, 'FORCED')
  },
  async 'turn-continued'(desk, run) {
    desk.paused.delete(run.turn)
    for (const { session } of run.workers) await desk.sessions.resume(session, 'system')
  },
}

async function heed(desk: Desk, { type, data: { turn } }: Event): Promise<void> {
  const run = isId('trn', turn) ? runIn(await desk.stream.state(), turn) : null
  if (run !== null && run.left === null) await heeded[type]?.(desk, run)
}

/** Its chain says so. Told again it changes nothing: the entry has the same id. */
async function askedIn({ stream, lanes }: Desk, { lane }: Event): Promise<void> {
  for (const { process, watches } of await stream.state()) {
    for (const { worker, ask } of watches) {
      if (laneOf(worker) !== lane) continue
      await lanes.post({ lane: laneOf(process), id: entryIdOf(['chain-asks', ask]), from: 'system', body: { kind: 'timeout', ask } })
    }
  }
}

/** Its workers end, its folders are free, and who waited for them is told. */
async function over(desk: Desk, run: Run): Promise<void> {
  await endWorkers(desk, run)
  desk.paused.delete(run.turn)
  const { turn, holds } = run
  const type = holds !== null && (await leaves(desk, run, holds)) ? 'chain-left' : 'chain-over'
  const state = await write(desk, (now) => (runIn(now, turn) ? { type, data: { turn, folders: [...(holds ?? [])] } } : null))
  for (const older of leftIn(state, holds ?? [])) if (older.turn !== turn) await sweptAfter(desk, older)
  for (const { process, waits } of nextOf(state)) {
    if (waits === null) continue
    const id = entryIdOf(['chain-free', waits.ask, run.turn])
    await desk.lanes.post({ lane: laneOf(process), id, from: 'system', body: { kind: 'timeout', ask: waits.ask } })
  }
}

/** Whether copies of it lie there still: those that it keeps, and what can't be removed yet. */
async function leaves({ log }: Desk, { turn, keeps }: Run, folders: readonly string[]): Promise<boolean> {
  if (keeps) return hasCopies(folders, turn)
  try {
    await sweepCopies(folders, turn)
    return false
  } catch (thrown) {
    log('warn', 'copies of a chain could not be removed; the next chain there does it', { turn, error: messageOf(thrown) })
    return true
  }
}

async function sweptAfter(desk: Desk, run: Run): Promise<void> {
  if (await leaves(desk, { ...run, keeps: false }, run.left ?? [])) return
  await write(desk, (now) => (runIn(now, run.turn) ? { type: 'chain-over', data: { turn: run.turn } } : null))
}

/** Only those that have something to do: what is done stays readable, and can be asked. */
async function endWorkers(desk: Desk, run: Run): Promise<void> {
  for (const { session } of await busy(desk, run)) await desk.sessions.close(session, `process:${run.process}`)
}

async function busy({ lanes }: Desk, { workers }: Run): Promise<Run['workers']> {
  const looks = await Promise.all(
    workers.map(async (worker) => {
      const view = await lanes.look(worker.process)
      return view !== null && view.status !== 'CLOSED' && (view.turn !== null || view.queue.length > 0) ? [worker] : []
    }),
  )
  return looks.flat()
}
