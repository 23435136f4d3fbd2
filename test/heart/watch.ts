// What a person at the screen knows: read from the journal alone, as it grows.
import type { AskId, EntryId, LaneId, TurnId } from '../../src/base/ids.ts'
import type { JournalStore } from '../../src/journal/journal-store.ts'
import type { LaneEvents } from '../../src/lanes/events.ts'
import type { Entry } from '../../src/protocol/entry.ts'
import type { Event } from '../../src/protocol/event.ts'

export type Asked = { readonly lane: LaneId; readonly turn: TurnId; readonly name: string; readonly kind: 'question' | 'other' }

export type Watch = {
  readonly events: Event[]
  /** Asks that are open, and those that are not any more. */
  readonly open: Map<AskId, Asked>
  readonly closed: [AskId, LaneId][]
  readonly turns: Map<LaneId, TurnId>
  readonly ended: [TurnId, LaneId][]
  readonly paused: Map<TurnId, LaneId>
  readonly parked: Set<TurnId>
  readonly suspended: Set<LaneId>
  readonly shut: Set<LaneId>
  readonly held: Map<EntryId, LaneId>
  readonly work: [EntryId, LaneId][]
  look(): Promise<void>
}

export function watch(store: JournalStore): Watch {
  const w: Watch = {
    events: [],
    open: new Map(),
    closed: [],
    turns: new Map(),
    ended: [],
    paused: new Map(),
    parked: new Set(),
    suspended: new Set(),
    shut: new Set(),
    held: new Map(),
    work: [],
    async look() {
      for (;;) {
        const { events } = await store.readAll(w.events.at(-1)?.cursor ?? 0, 1000)
        for (const event of events) fold(w, event)
        if (events.length < 1000) return
      }
    },
  }
  return w
}

export function dataOf<T extends keyof LaneEvents>(event: Event, _type: T): LaneEvents[T] {
  return event.data as unknown as LaneEvents[T]
}

export function entryOf(event: Event): Entry | null {
  const { entry } = event.data as { readonly entry?: unknown }
  return event.seq === 0 && typeof entry === 'object' ? (entry as Entry) : null
}

function fold(w: Watch, event: Event): void {
  w.events.push(event)
  const { lane } = event
  const entry = entryOf(event)
  if (entry && ['message', 'request', 'note'].includes(entry.body.kind)) w.work.push([entry.id, lane])
  if (entry?.held) w.held.set(entry.id, lane)
  const data = event.data as { turn: TurnId; ask: AskId; name: string; entry: EntryId; answer: { ask: AskId }; reason: string }
  switch (event.type) {
    case 'turn-started':
      return void w.turns.set(lane, data.turn)
    case 'turn-settled':
      for (const [ask, { turn }] of w.open) if (turn === data.turn) close(w, ask)
      w.turns.delete(lane)
      w.paused.delete(data.turn)
      return void w.ended.push([data.turn, lane])
    case 'question-asked':
    case 'delegated':
    case 'timer-set':
      return void w.open.set(data.ask, {
        lane,
        turn: data.turn,
        name: data.name,
        kind: event.type === 'question-asked' ? 'question' : 'other',
      })
    case 'question-answered':
    case 'ask-answered':
      return close(w, data.answer.ask)
    case 'turn-parked':
      return void w.parked.add(data.turn)
    case 'turn-paused':
      return void w.paused.set(data.turn, lane)
    case 'turn-continued':
      return void w.paused.delete(data.turn)
    case 'process-suspended':
      return void w.suspended.add(lane)
    case 'process-woken':
      return void w.suspended.delete(lane)
    case 'process-closed':
      w.suspended.delete(lane)
      return void w.shut.add(lane)
    case 'entry-released':
    case 'entry-refused':
      return void w.held.delete(data.entry)
  }
}

function close(w: Watch, ask: AskId): void {
  const asked = w.open.get(ask)
  if (!asked) return
  w.open.delete(ask)
  w.closed.push([ask, asked.lane])
}
