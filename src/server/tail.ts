// One reader of one session: first what happened after its cursor, then the text so far of what is being written, then all that
// comes. Nothing is skipped and nothing comes twice: what happens while the past is read becomes part of the past that is read.

import { messageOf } from '../base/errors.ts'
import type { SessionId } from '../base/ids.ts'
import type { LiveFrame } from '../lanes/lanes.ts'
import type { Hub } from './hub.ts'
import { isVisible, type Outgoing, outgoing } from './wire.ts'

export type TailReader = {
  /** null: from now on. */
  readonly after: number | null
  readonly detail: boolean
  event(out: Outgoing): void
  live(frame: LiveFrame, bytes?: () => Buffer): void
  /** Whether more of the past may be sent now; asked again a little later when not. */
  room(): boolean
  /** The past can't be read: the client comes again. */
  failed(): void
  /** The past has been sent; the live part begins now. */
  caughtUp?(): void
}

const pageLength = 200
const roomAgainMs = 20

export function tail(hub: Hub, session: SessionId, reader: TailReader): () => void {
  let stopped = false
  let isLive = false
  let position = reader.after ?? hub.feed.position

  const give = (out: Outgoing) => {
    if (out.event.cursor <= position) return
    position = out.event.cursor
    if (isVisible(out.event, reader.detail)) reader.event(out)
  }
  const unlisten = hub.feed.session(session, {
    event(out) {
      if (isLive) give(out)
    },
    live(frame, bytes) {
      if (isLive) reader.live(frame, bytes)
    },
  })

  /** Ends when it has read at least as far as the feed has handed out: the live part then begins without a hole. */
  async function readPast(): Promise<void> {
    for (;;) {
      while (!stopped && !reader.room()) await pause(hub)
      if (stopped) return
      const { events, safe } = await hub.journal.read({ after: position, limit: pageLength, session })
      if (stopped) return
      for (const event of events) give(outgoing(event, hub.journal.generation))
      if (events.length < pageLength && safe >= hub.feed.position) return
    }
  }

  function goLive(): void {
    if (stopped) return
    isLive = true
    reader.caughtUp?.()
    for (const frame of hub.lanes.live.soFar(session)) reader.live(frame)
  }

  const past = reader.after === null ? Promise.resolve() : readPast()
  past.then(goLive).catch((cause: unknown) => {
    hub.log('warn', 'a reader could not be given the past', { session, error: messageOf(cause) })
    reader.failed()
  })
  return () => {
    stopped = true
    unlisten()
  }
}

function pause(hub: Hub): Promise<void> {
  return new Promise((resolve) => void hub.clock.after(roomAgainMs, resolve))
}
