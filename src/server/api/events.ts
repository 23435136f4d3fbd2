// Events: of one session, of everything that is the caller's; and the stream of a session.

import { Forbidden } from '../../base/errors.ts'
import type { SessionId } from '../../base/ids.ts'
import * as api from '../../protocol/api.ts'
import { formatCursor } from '../../protocol/cursor.ts'
import type { Event } from '../../protocol/event.ts'
import type { Caller } from '../caller.ts'
import { cursorNumber } from '../cursor.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { HttpProblem } from '../problem.ts'
import { ownSession } from '../session-of.ts'
import { streamSession } from '../stream.ts'
import { whose } from '../whose.ts'
import { isVisible, wireEvent } from '../wire.ts'

export const eventCalls = [
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id/events',
    summary: 'What happened in a session after a cursor',
    access: 'read',
    query: api.eventsQuery,
    answers: { 200: api.events },
    async run({ hub, caller, params, query }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      return { status: 200, body: await readEvents(hub, caller, { ...query, session }) }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/events',
    summary: "What happened anywhere after a cursor, as far as it is the caller's to see",
    access: 'read',
    query: api.eventsQuery,
    answers: { 200: api.events },
    async run({ hub, caller, query }) {
      return { status: 200, body: await readEvents(hub, caller, query) }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id/stream',
    summary: 'Server-sent events: events with their cursor as id, live words without. Last-Event-ID or ?after says where to go on',
    access: 'read',
    query: api.streamQuery,
    answers: { 200: 'events' },
    async run({ hub, caller, params, query, headers, signal }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      if (hub.streams.size >= hub.limits.streams) throw new HttpProblem(503, 'full', `more than ${hub.limits.streams} streams are open`)
      const after = cursorNumber(hub, headers.get('last-event-id') ?? query.after)
      return { stream: streamSession(hub, session, { after, detail: detailOf(caller, query.detail), caller, signal }) }
    },
  }),
]

/** Whether events for who runs the hub are shown too. Throws Forbidden when somebody else asks. */
function detailOf(caller: Caller, asked: 'operator' | undefined): boolean {
  if (asked === undefined) return false
  if (caller.user.role === 'owner') return true
  throw new Forbidden('only the owner sees what is for who runs the hub')
}

type Wanted = {
  readonly after?: string | undefined
  readonly limit: number
  readonly detail?: 'operator' | undefined
  readonly session?: SessionId
}

const pageLength = 500
/** A call looks at no more than so many events; `next` then goes on from there. */
const mostLookedAt = 10_000

async function readEvents(hub: Hub, caller: Caller, wanted: Wanted) {
  const detail = detailOf(caller, wanted.detail)
  const found: Event[] = []
  let position = cursorNumber(hub, wanted.after) ?? 0
  for (let looked = 0; looked < mostLookedAt; ) {
    const { events } = await hub.journal.read({
      after: position,
      limit: pageLength,
      ...(wanted.session ? { session: wanted.session } : {}),
    })
    for (const event of events) {
      position = event.cursor
      if (isVisible(event, detail) && (await isOwn(hub, caller, event))) found.push(event)
      if (found.length === wanted.limit) return pageOf(hub, found, position)
    }
    if (events.length < pageLength) return pageOf(hub, found, null)
    looked += events.length
  }
  return pageOf(hub, found, position)
}

async function isOwn(hub: Hub, caller: Caller, event: Event): Promise<boolean> {
  return (await whose(hub, event)) === caller.user.name
}

function pageOf(hub: Hub, found: readonly Event[], next: number | null) {
  const cursorOf = (number: number) => formatCursor(hub.journal.generation, number)
  return { items: found.map((event) => wireEvent(event, cursorOf(event.cursor))), next: next === null ? null : cursorOf(next) }
}
