// A turn as its events tell it. Found without a table: its id carries the time when it started, and the journal is in order of time.

import { isId, type SessionId } from '../base/ids.ts'
import type { TurnView } from '../protocol/api-turns.ts'
import type { Event } from '../protocol/event.ts'
import { eventNear } from './event-near.ts'
import type { Hub } from './hub.ts'
import { causesOf } from './turn-cause.ts'
import { chainOf, largeValues, viewOf } from './turn-view.ts'

const pageLength = 500

export type FoundTurn = {
  readonly session: SessionId
  /** `detail`: with what is for who runs the hub. */
  view(given: { readonly detail: boolean; readonly user: string }): Promise<TurnView>
}

/** null when there is none. */
export async function findTurn(hub: Hub, id: string): Promise<FoundTurn | null> {
  if (!isId('trn', id)) return null
  const started = await eventNear(hub, id, (event) => event.type === 'turn-started' && event.data['turn'] === id)
  const session = started?.session
  if (!started || !session) return null
  return {
    session,
    async view({ detail, user }) {
      const events = await eventsOf(hub, id, { session, after: started.cursor - 1 })
      const bodies = await largeValues(events, (hash) => hub.journal.body(hash))
      const { currency } = hub.models.list().prices
      const run = await hub.budgets.ofRun(user, chainOf(started).root)
      return viewOf(id, events, { bodies, detail, currency, run, causes: await causesOf(hub, started) })
    },
  }
}

async function eventsOf(hub: Hub, turn: string, from: { readonly session: SessionId; readonly after: number }): Promise<readonly Event[]> {
  const found: Event[] = []
  let position = from.after
  for (;;) {
    const { events } = await hub.journal.read({ after: position, limit: pageLength, session: from.session })
    const own = events.filter((event) => event.data['turn'] === turn)
    found.push(...own)
    position = events.at(-1)?.cursor ?? position
    if (events.length < pageLength || own.some((event) => event.type === 'turn-settled')) return found
  }
}
