// Whose an event is: that of its session, of its person's own stream, or else the owner's.
import type { Event } from '../protocol/event.ts'
import type { Hub } from './hub.ts'

/** Streams of one person: inbox:ada, policy:ada, budget:ada. */
const ofPerson = /^(?:inbox|policy|budget):(.+)$/

/** The login name; null for a session that nobody knows. */
export async function whose(
  hub: Pick<Hub, 'scopes' | 'people'>,
  { session, lane }: Pick<Event, 'session' | 'lane'>,
): Promise<string | null> {
  if (session !== null) return hub.scopes.sessions.owner(session)
  return ofPerson.exec(lane)?.[1] ?? hub.people.owner.name
}
