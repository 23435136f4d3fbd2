// Follows the journal and posts what workers have to tell (K1). Its place is written after the posts of a batch: a hub that dies in
// between posts them again, under the same ids, and the mailbox knows them.
import { type Clock, pause } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { laneOf, type MessageId, type ProcessId, processOf, type SessionId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import { entryIdOf } from '../lanes/entry-id.ts'
import { type ChainLimits, type Lanes, overLimits } from '../lanes/lanes.ts'
import type { Taint } from '../policy/decision.ts'
import type { Chain } from '../protocol/entry.ts'
import type { Event } from '../protocol/event.ts'
import type { Message, Option } from '../protocol/message.ts'
import type { Report } from './report.ts'
import { isTold, mayTell, type Told, toldBy, turnIdOf } from './told.ts'
import type { WorkerLink, WorkStore } from './work-store.ts'

export type FollowerRooms = {
  readonly store: WorkStore
  readonly journal: Pick<Journal, 'passed' | 'head' | 'follow'>
  readonly lanes: Pick<Lanes, 'post'>
  /** A settled line. */
  readonly line: (id: MessageId) => Promise<Message | null>
  /** Wakes the session of who is told, when it sleeps. */
  readonly wake: (session: SessionId) => Promise<void>
  readonly sessionOf: (process: ProcessId) => Promise<SessionId | null>
  readonly limits: () => ChainLimits
  readonly taintOf: (process: ProcessId) => Promise<Taint>
  readonly clock: Clock
  readonly log: Log
}

const againMs = 1_000

export async function openFollower(rooms: FollowerRooms): Promise<{ close(): Promise<void> }> {
  const { store, journal } = rooms
  const abort = new AbortController()
  const known = await store.reported()
  // Links are made only after this, so what was before concerns nobody.
  const from = known ?? journal.head()
  if (known === null) await store.setReported(from)
  const loop = follow(rooms, from, abort.signal)
  return {
    async close() {
      abort.abort()
      await loop
    },
  }
}

/** A journal that can't be read for a moment is read on later: nobody who waits for a report may be left alone (K1). */
async function follow(rooms: FollowerRooms, from: number, signal: AbortSignal): Promise<void> {
  const place = { at: from }
  while (!signal.aborted) {
    try {
      await followOn(rooms, place, signal)
      return
    } catch (thrown) {
      rooms.log('error', 'the journal can not be followed for reports of workers; it is tried again', { error: messageOf(thrown) })
      await pause(rooms.clock, againMs, signal)
    }
  }
}

async function followOn(rooms: FollowerRooms, place: { at: number }, signal: AbortSignal): Promise<void> {
  for await (const events of rooms.journal.follow(place.at, { signal })) {
    const last = events.at(-1)
    const telling = events.filter(mayTell)
    if (last && telling.length > 0) await tellSurely(rooms, telling, { cursor: last.cursor, signal })
    if (last && !signal.aborted) place.at = last.cursor
  }
}

type Telling = { readonly cursor: number; readonly signal: AbortSignal }

async function tellSurely(rooms: FollowerRooms, telling: readonly Event[], { cursor, signal }: Telling): Promise<void> {
  while (!signal.aborted) {
    if (await tellAll(rooms, telling, cursor)) return
    await pause(rooms.clock, againMs, signal)
  }
}

/** False: the store takes nothing at present. */
async function tellAll(rooms: FollowerRooms, events: readonly Event[], cursor: number): Promise<boolean> {
  try {
    await rooms.journal.passed(cursor)
    let count = 0
    for (const event of events) if (await tell(rooms, event)) count++
    if (count > 0) await rooms.store.setReported(cursor)
    return true
  } catch (thrown) {
    rooms.log('warn', 'a report of a worker could not be posted; it is tried again', { error: messageOf(thrown) })
    return false
  }
}

/** True when somebody was told. */
async function tell(rooms: FollowerRooms, event: Event): Promise<boolean> {
  const worker = processOf(event.lane)
  const link = await rooms.store.owner(worker)
  if (!link) return false
  const told = await toldBy(event, { mode: link.mode, owner: link.owner, line: rooms.line })
  if (!told || !isTold(link.mode, told)) return false
  const report = await reportOf(rooms, { event, link, told })
  const chain = await chainOf(rooms, event)
  const posted = await rooms.lanes.post({
    lane: laneOf(link.owner),
    id: entryIdOf(['worker-report', link.owner, event.id]),
    from: `process:${worker}`,
    body: { kind: 'note', topic: 'worker-report', data: { ...report } },
    chain,
    ...(overLimits(chain, rooms.limits()) === null ? {} : { held: true }),
  })
  if (!posted.ok && (posted.reason === 'unavailable' || posted.reason === 'full')) throw new Error(`the mailbox is ${posted.reason}`)
  if (!posted.ok) rooms.log('info', 'a report of a worker found nobody', { worker, owner: link.owner, why: posted.reason })
  const session = posted.ok ? await rooms.sessionOf(link.owner) : null
  if (session !== null) await rooms.wake(session)
  return true
}

type Reporting = { readonly event: Event; readonly link: WorkerLink; readonly told: Told }

async function reportOf({ taintOf }: FollowerRooms, { event, link, told }: Reporting): Promise<Report> {
  const { worker: process, session, project, agent, title } = link
  const { text, options, ...rest } = told
  return {
    ...rest,
    ...(options ? { options: options.map(plainOption) } : {}),
    text,
    eventId: event.id,
    worker: { process, session, project, agent, title },
    taint: await taintOf(process),
    mode: link.mode,
    at: event.at,
  }
}

function plainOption({ label, description }: Option): NonNullable<Report['options']>[number] {
  return description === undefined ? { label } : { label, description }
}

/** The report goes on the chain of what it reports on, so that two who answer each other for ever are held (L10). */
async function chainOf({ store }: FollowerRooms, { data, id, correlation }: Event): Promise<Chain> {
  const turn = turnIdOf(data['turn'])
  const chain = turn === null ? null : await store.chain(turn)
  if (chain) return { ...chain, hops: chain.hops + 1 }
  return { root: correlation ?? id, depth: 0, hops: 1 }
}
