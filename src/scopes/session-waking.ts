// A suspended session goes on when a person speaks to it or answers its question, whichever way that came in.
import { messageOf } from '../base/errors.ts'
import { processOf, type SessionId } from '../base/ids.ts'
import type { Post } from '../journal/commit.ts'
import { type Actor, userOf } from '../protocol/actor.ts'
import type { Rooms } from './rooms.ts'

/** The sessions of this node that sleep or are about to. A name too many costs one look. */
export type Asleep = Set<SessionId>

/** A person's note is an answer to an item of the inbox. */
const words: ReadonlySet<string> = new Set(['message', 'answer', 'note'])

export async function wakeOnWords(rooms: Rooms, asleep: Asleep, resume: (id: SessionId, by: Actor) => Promise<unknown>): Promise<void> {
  const { journal, views, log } = rooms
  for (const id of await views.conversation.asleep()) asleep.add(id)

  async function heard({ entry }: Post): Promise<void> {
    const session =
      entry.body.kind === 'message' ? entry.body.session : (await views.conversation.process(processOf(entry.lane)))?.info.session
    if (session !== undefined && asleep.has(session)) await resume(session, entry.from)
  }
  journal.onPosted((posts) => {
    if (asleep.size === 0) return
    for (const post of posts) {
      const { body, from } = post.entry
      if (userOf(from) === null || !words.has(body.kind)) continue
      heard(post).catch((thrown) =>
        log('error', 'a suspended session could not be woken', { lane: post.entry.lane, why: messageOf(thrown) }),
      )
    }
  })
}
