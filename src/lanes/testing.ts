// A heart for tests: journal and lanes over any store, a clock and engines that are driven by hand, crashes on command.

import {
  type AskId,
  type EntryId,
  laneOf,
  type MessageId,
  type NewId,
  type NodeId,
  type ProcessId,
  type SessionId,
  type TurnId,
  ulids,
} from '../base/ids.ts'
import { type Log, silent } from '../base/log.ts'
import { type HandClock, handClock } from '../base/testing.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Control, MessageBody, Work } from '../protocol/entry.ts'
import type { Event } from '../protocol/event.ts'
import { memoryStore } from '../store/memory/memory.ts'
import type { Engine, ProcessInfo, Turn } from './engine.ts'
import { entryIdOf } from './entry-id.ts'
import { type Lanes, openLanes } from './lanes.ts'
import type { ChainLimits } from './post.ts'

export type Heart = {
  readonly journal: Journal
  readonly lanes: Lanes
  readonly clock: HandClock
  readonly store: JournalStore
  readonly newId: NewId
  process(engine: string, given?: Partial<ProcessInfo>): Promise<ProcessInfo>
  say(process: ProcessInfo, text: string, given?: SayOptions): Promise<Said>
  control(process: ProcessInfo, body: Control, from?: Actor): Promise<EntryId>
  /** The events of the journal so far, waiting for nothing. */
  events(): Promise<readonly Event[]>
  types(): Promise<readonly string[]>
  /** Resolves when an event for which `is` holds was committed, from the start of the journal on. */
  until(is: (event: Event) => boolean): Promise<Event>
  /** Everything in memory is gone, as after kill -9; a new heart over the same store, not started yet. */
  crash(options?: HeartOptions): Promise<Heart>
  close(): Promise<void>
}
export type SayOptions = { readonly id?: string; readonly from?: Actor } & Partial<MessageBody>
export type Said = { readonly entry: EntryId; readonly message: MessageId; readonly duplicate: boolean; readonly result: string }

export type HeartOptions = {
  readonly store?: JournalStore
  readonly engines?: readonly Engine[]
  readonly clock?: HandClock
  readonly limits?: () => ChainLimits
  readonly restored?: boolean
  readonly log?: Log
  readonly maxOpen?: number
  readonly node?: string
  readonly lease?: { readonly ttlMs: number; readonly marginMs: number }
  /** Other nodes write to the same store. */
  readonly shared?: boolean
}

/** An engine from a function. */
export function engine(name: string, run: (turn: Turn) => Promise<void>, given: Partial<Engine> = {}): Engine {
  return { name, version: 1, accepts: [], run, ...given }
}

export async function openHeart(options: HeartOptions = {}): Promise<Heart> {
  const clock = options.clock ?? handClock()
  const store = options.store ?? memoryStore({ now: clock.now })
  const newId = ulids(clock.now)
  const log = options.log ?? silent
  const journal = await openJournal({ store, clock, log, shared: options.shared ?? false })
  const node = (options.node ?? newId('nod')) as NodeId
  const lanes = openLanes({ ...options, journal, store, clock, newId, log, node })
  for (const each of options.engines ?? []) lanes.registerEngine(each)
  await lanes.start()

  async function process(name: string, given: Partial<ProcessInfo> = {}): Promise<ProcessInfo> {
    const info: ProcessInfo = {
      id: newId('prc') as ProcessId,
      session: newId('ses') as SessionId,
      tenant: 'default',
      project: 'shop',
      agent: name,
      engine: name,
      params: {},
      user: 'ada',
      parent: null,
      facesPerson: true,
      ...given,
    }
    await lanes.create(info, 'user:ada')
    return info
  }

  async function say(to: ProcessInfo, text: string, given: SayOptions = {}): Promise<Said> {
    const { id = newId('req'), from = 'user:ada', ...more } = given
    const entry = entryIdOf([from, to.session, id])
    const message = newId('msg')
    const body: Work = { kind: 'message', session: to.session, text, ...more }
    const posted = await lanes.post({ lane: laneOf(to.id), id: entry, from, body, ref: message })
    if (!posted.ok) return { entry, message, duplicate: false, result: posted.reason }
    return { entry, message: (posted.ref ?? message) as MessageId, duplicate: posted.duplicate, result: 'accepted' }
  }

  async function events(): Promise<readonly Event[]> {
    const found: Event[] = []
    for (;;) {
      const page = await store.readAll(found.at(-1)?.cursor ?? 0, 500)
      if (page.events.length === 0) return found
      found.push(...page.events)
    }
  }

  const heart: Heart = {
    journal,
    lanes,
    clock,
    store,
    newId,
    process,
    say,
    async control(to, body, from = 'user:ada') {
      const id = newId('ent')
      await lanes.post({ lane: laneOf(to.id), id, from, body })
      return id
    },
    events,
    types: async () => (await events()).map((event) => event.type),
    async until(is) {
      const abort = new AbortController()
      for await (const batch of journal.follow(0, { signal: abort.signal })) {
        const found = batch.find(is)
        if (found) return found
      }
      throw new Error('the journal was closed before that happened')
    },
    async crash(more = {}) {
      await lanes.stop()
      await journal.close()
      return openHeart({ ...options, clock, store, ...more })
    },
    async close() {
      await lanes.stop()
      await journal.close()
    },
  }
  return heart
}

/** Whether it is the end of a turn, of that turn when one is named. */
export const settled = (turn?: TurnId) => (event: Event) =>
  event.type === 'turn-settled' && (turn === undefined || event.data.turn === turn)

export function textOf(event: Event): string {
  return (event.data.message as { text: string }).text
}

export function askOf(event: Event): AskId {
  return event.data.ask as AskId
}

/** A promise that is settled from outside. */
export function gate<T = void>(): { readonly promise: Promise<T>; open(value: T): void; fail(why: Error): void } {
  return (() => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    return { promise, open: resolve, fail: reject }
  })()
}
