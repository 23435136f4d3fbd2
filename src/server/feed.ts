// One follower of the journal for all readers of this node: sockets, event streams, calls that wait. Each event is looked at once
// and handed to who listens; live words of a session are listened to as long as somebody listens.

import { messageOf } from '../base/errors.ts'
import type { SessionId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { Live, LiveFrame } from '../lanes/lanes.ts'
import { frameBytes, type Outgoing, outgoing } from './wire.ts'

/** Must not throw and must not wait: a slow reader has its own bounded buffer. */
export type Reader = {
  event(out: Outgoing): void
  live?(frame: LiveFrame, bytes: () => Buffer): void
}

export type Feed = {
  /** Hears all of one session. Returns the way to stop. */
  session(id: SessionId, reader: Reader): () => void
  /** Hears every event of every session and none of the live words. */
  all(reader: Reader): () => void
  /** The newest event that was handed out. */
  readonly position: number
  close(): Promise<void>
}

export type FeedRooms = { readonly journal: Journal; readonly live: Live; readonly log: Log }

export function openFeed({ journal, live, log }: FeedRooms): Feed {
  const everyone = new Set<Reader>()
  const sessions = new Map<string, { readonly readers: Set<Reader>; readonly unlisten: () => void }>()
  const stop = new AbortController()
  let position = journal.head()

  async function follow(): Promise<void> {
    for await (const batch of journal.follow(position, { signal: stop.signal })) {
      for (const event of batch) {
        position = event.cursor
        const out = outgoing(event, journal.generation)
        for (const reader of everyone) reader.event(out)
        for (const reader of sessions.get(event.session ?? '')?.readers ?? []) reader.event(out)
      }
    }
  }
  const following = follow().catch((cause: unknown) => log('error', 'the feed stopped', { error: messageOf(cause) }))

  function channel(id: SessionId) {
    const readers = new Set<Reader>()
    const unlisten = live.listen(id, (frame) => {
      const bytes = once(() => liveFrame(frame))
      for (const reader of readers) reader.live?.(frame, bytes)
    })
    const made = { readers, unlisten }
    sessions.set(id, made)
    return made
  }

  return {
    session(id, reader) {
      const { readers, unlisten } = sessions.get(id) ?? channel(id)
      readers.add(reader)
      return () => {
        if (!readers.delete(reader) || readers.size > 0) return
        unlisten()
        sessions.delete(id)
      }
    },
    all(reader) {
      everyone.add(reader)
      return () => void everyone.delete(reader)
    },
    get position() {
      return position
    },
    async close() {
      stop.abort()
      await following
      for (const { unlisten } of sessions.values()) unlisten()
    },
  }
}

/** Type and data of a live frame on the wire (L9). */
export function liveWire(frame: LiveFrame): { readonly type: string; readonly data: unknown } {
  const { kind, ...data } = frame
  return { type: kind === 'words' ? 'chat-message-chunk' : 'process-progress', data }
}

export function liveFrame(frame: LiveFrame): Buffer {
  return frameBytes(liveWire(frame))
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
