// An event found without a table: an id carries the time when it was made, and the journal is in order of time.
import { type Id, timeOf } from '../base/ids.ts'
import type { Event } from '../protocol/event.ts'
import type { Hub } from './hub.ts'

/** How far the clock may have been off between an id and its event, and how long a search may go on past that. */
const slackMs = 60_000
const pageLength = 500

/** The first event for which `is` holds, near the time that the id carries. */
export async function eventNear(hub: Hub, id: Id<string>, is: (event: Event) => boolean): Promise<Event | null> {
  const at = timeOf(id)
  let position = await lastBefore(hub, at - slackMs)
  for (;;) {
    const { events } = await hub.journal.read({ after: position, limit: pageLength })
    const found = events.find(is)
    if (found) return found
    const last = events.at(-1)
    if (!last || events.length < pageLength || last.at > at + slackMs) return null
    position = last.cursor
  }
}

/** A cursor whose event, and every one before it, is older than `at`: by halving. */
async function lastBefore(hub: Hub, at: number): Promise<number> {
  let low = 0
  let high = hub.journal.head()
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { events } = await hub.journal.read({ after: middle, limit: 1 })
    const event = events[0]
    if (event && event.at < at) low = middle + 1
    else high = middle
  }
  return low
}
