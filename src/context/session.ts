// What was decided about a session's context: frozen foundations, summaries, their undoing, rebases. A stream of its own for each
// session, so that it waits for no turn and no turn waits for it.
import { z } from 'zod'
import { Conflict, NotFound } from '../base/errors.ts'
import { isId, type NewId, type SessionId, streamLane } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import { type Foundation, type Frozen, frozenFact, frozenOf } from './foundation.ts'
import { type ContextState, emptyState, presentOf, type Summary, standsOn } from './summary.ts'

export type SessionContexts = {
  state(session: SessionId): Promise<ContextState>
  /** The one that holds for that process and part, after so many rebases; null: none was frozen yet. Throws NotFound when its text is gone. */
  foundation(session: SessionId, wanted: Held): Promise<Foundation | null>
  /** The one of that process with that hash. */
  foundationOf(session: SessionId, process: string, hash: string): Promise<Foundation | null>
  /** The one that holds: this one, or the one that was frozen before it. */
  freeze(session: SessionId, foundation: Foundation, by: Actor): Promise<Foundation>
  /** Adds it unless the session has one that ends there already; `more`: facts of the same commit. */
  add(summary: Omit<Summary, 'id'>, given: { readonly by: Actor; readonly more?: readonly Extra[] }): Promise<Summary | null>
  /** Throws NotFound for an unknown one, Conflict for one that another stands on. Again is nothing. */
  undo(session: SessionId, id: string, by: Actor): Promise<Summary>
  /** Resolves with how often the session was rebased. */
  rebase(session: SessionId, by: Actor): Promise<number>
}
export type Held = Pick<Frozen, 'process' | 'as' | 'rebased'>
export type Extra = { readonly type: string; readonly data: JsonObject }

export type SessionRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly now: () => number
  readonly newId: NewId
}

const summaryShape = z.object({
  session: z.string(),
  process: z.string(),
  from: z.string(),
  to: z.string(),
  lines: z.number(),
  text: z.string(),
  before: z.number(),
  after: z.number(),
  by: z.string(),
  keep: z.string().nullable(),
  previous: z.string().nullable(),
  folds: z.array(z.string()),
  wanted: z.enum(['person', 'size']),
})
const undoneShape = z.object({ summary: z.string() })

/** Sessions used last. */
const mostHeld = 500

export function openSessionContexts(rooms: SessionRooms): SessionContexts {
  const held = new Map<SessionId, Stream<ContextState>>()
  const of = (session: SessionId): Stream<ContextState> => {
    const present =
      held.get(session) ?? openStream(rooms, streamLane(`context:${session}`), { fold: { empty: emptyState, evolve }, session })
    held.delete(session)
    held.set(session, present)
    for (const oldest of held.keys()) if (held.size > mostHeld) held.delete(oldest)
    return present
  }
  const fact = (session: SessionId, by: Actor, what: Extra): NewEvent => ({
    ...{
      id: rooms.newId('evt'),
      at: rooms.now(),
      actor: by,
      visibility: visibilityOf(what.type),
      cause: null,
      correlation: null,
      session,
      v: 1,
    },
    ...what,
  })
  const whole = async (frozen: ContextState['foundations'][number] | null): Promise<Foundation | null> => {
    if (frozen === null) return null
    const text = frozen.text ?? (await rooms.journal.body(frozen.hash))
    if (text === null) throw new NotFound('The foundation of this session is not there any more.', { path: 'foundation' })
    return { ...frozen, text }
  }
  return {
    state: (session) => of(session).state(),
    foundation: async (session, wanted) => whole(frozenIn(await of(session).state(), wanted)),
    async foundationOf(session, process, hash) {
      const { foundations } = await of(session).state()
      return whole(foundations.find((one) => one.process === process && one.hash === hash) ?? null)
    },
    async freeze(session, foundation, by) {
      const large = rooms.journal.large(foundation.text)
      const event = fact(session, by, { type: 'foundation-frozen', data: frozenFact(foundation, large.inline) })
      const riding = { bodies: large.inline ? [] : [large.body] }
      const { state } = await of(session).change((state) => (frozenIn(state, foundation) ? [] : [event]), riding)
      return (await whole(frozenIn(state, foundation))) ?? foundation
    },
    async add(summary, { by, more = [] }) {
      const session = idOf(summary.session)
      const event = fact(session, by, { type: 'summary-added', data: { ...summary } })
      const extra = more.map((one) => fact(session, by, one))
      const isThere = (state: ContextState) => presentOf(state).some((one) => one.to === summary.to && one.process === summary.process)
      const { state, cursor } = await of(session).change((state) => (isThere(state) ? [] : [event, ...extra]))
      return cursor === 0 ? null : (state.summaries.find((one) => one.id === event.id) ?? null)
    },
    async undo(session, id, by) {
      const { state } = await of(session).change((state) => {
        checkUndo(state, id)
        return state.undone.includes(id) ? [] : [fact(session, by, { type: 'summary-undone', data: { session, summary: id } })]
      })
      return checkUndo(state, id)
    },
    async rebase(session, by) {
      const { state } = await of(session).change(() => [fact(session, by, { type: 'foundation-rebased', data: { session } })])
      return state.rebased
    },
  }
}

/** The foundation that holds for that process and part. */
function frozenIn(state: ContextState, wanted: Held): ContextState['foundations'][number] | null {
  const { process, as, rebased } = wanted
  return state.foundations.find((one) => one.process === process && one.as === as && one.rebased === rebased) ?? null
}

function checkUndo(state: ContextState, id: string): Summary {
  const summary = state.summaries.find((one) => one.id === id)
  if (!summary) throw new NotFound(`This session has no summary "${id.slice(0, 60)}".`, { path: 'summary' })
  const above = standsOn(state, id)
  if (above) throw new Conflict(`The summary ${above.id} stands on this one: undo that one first.`, { code: 'not_newest', path: 'summary' })
  return summary
}

function evolve(state: ContextState, { id, type, data }: NewEvent | Event): ContextState {
  switch (type) {
    case 'summary-added': {
      const read = summaryShape.safeParse(data)
      return read.success ? { ...state, summaries: [...state.summaries, { id, ...read.data }] } : state
    }
    case 'summary-undone': {
      const read = undoneShape.safeParse(data)
      return read.success ? { ...state, undone: [...state.undone, read.data.summary] } : state
    }
    case 'foundation-frozen': {
      const read = frozenOf(data)
      return read ? { ...state, foundations: [...state.foundations, read] } : state
    }
    case 'foundation-rebased':
      return { ...state, rebased: state.rebased + 1 }
    default:
      return state
  }
}

/** The text of a foundation is for who runs the hub. */
function visibilityOf(type: string): NewEvent['visibility'] {
  return type === 'foundation-frozen' ? 'operator' : 'user-detail'
}

function idOf(session: string): SessionId {
  if (!isId('ses', session)) throw new Error(`${session} is no id of a session`)
  return session
}
