// What became of a control entry: it is heard on the feed of its session.

import { Conflict, Full, NotFound } from '../base/errors.ts'
import type { EntryId, LaneId, SessionId } from '../base/ids.ts'
import type { Posted } from '../journal/commit.ts'
import type { Control } from '../protocol/entry.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { nothingStored } from './writable.ts'

export type Outcome = { readonly word: 'done' } | { readonly word: 'pending' } | { readonly word: 'refused'; readonly reason: string }

/** Posts a control entry and waits, at most `limits.outcomeMs`, until the lane has dealt with it. */
export async function steerLane(
  hub: Hub,
  caller: Caller,
  at: { readonly session: SessionId; readonly lane: LaneId; readonly id?: EntryId },
  body: Control,
): Promise<Outcome> {
  const id = at.id ?? hub.newId('ent')
  const heard = hearOutcome(hub, at.session, id)
  try {
    const posted = await hub.lanes.post({ lane: at.lane, id, from: caller.actor, body })
    refusePost(posted)
    return posted.ok && posted.duplicate ? { word: 'done' } : await heard.outcome
  } finally {
    heard.stop()
  }
}

/** Throws what a refused post means to an edge; returns when it was accepted. */
export function refusePost(posted: Posted): asserts posted is Extract<Posted, { ok: true }> {
  if (posted.ok) return
  if (posted.reason === 'conflict') throw new Conflict('this id was used for something else')
  if (posted.reason === 'closed') throw new Conflict('the session is closed', { code: 'closed' })
  if (posted.reason === 'full') throw new Full('too much is waiting in this session already: let some of it be done first')
  if (posted.reason === 'no_such_lane') throw new NotFound('there is no such process')
  throw nothingStored('why' in posted ? posted.why : 'the store takes nothing')
}

function hearOutcome(hub: Hub, session: SessionId, entry: EntryId) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const alarm = hub.clock.after(hub.limits.outcomeMs, () => resolve({ word: 'pending' }))
  const unlisten = hub.feed.session(session, {
    event({ event }) {
      if (event.data['entry'] !== entry) return
      if (event.type === 'entry-done') resolve({ word: 'done' })
      if (event.type === 'entry-refused') resolve({ word: 'refused', reason: String(event.data['reason']) })
    },
  })
  const stop = () => {
    alarm.cancel()
    unlisten()
  }
  return { outcome: promise, stop }
}
