// The event stream of a session over HTTP (SSE): what happened after a cursor, the text so far, then everything live (L9).
import { every, iso } from '../base/clock.ts'
import type { SessionId } from '../base/ids.ts'
import type { LiveFrame } from '../lanes/lanes.ts'
import type { Caller } from './caller.ts'
import { liveWire } from './feed.ts'
import type { Hub } from './hub.ts'
import { tail } from './tail.ts'

export type StreamOptions = {
  readonly after: number | null
  readonly detail: boolean
  readonly caller: Caller
  readonly signal: AbortSignal
}

/** Ends when the client goes, the hub closes, or the client is too slow: it then goes on from its last id. */
export function streamSession(hub: Hub, session: SessionId, options: StreamOptions): Response {
  const encoder = new TextEncoder()
  let leave = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOpen = true
        let stop = () => {}
        leave = () => {
          isOpen = false
          stop()
          hub.streams.delete(close)
          letGo()
        }
        const close = () => {
          if (!isOpen) return
          leave()
          controller.close()
        }
        const send = (text: string) => {
          if (!isOpen) return
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) < 0) close()
        }
        hub.streams.add(close)
        const letGo = hub.credentials.hold(options.caller.credential, close)
        options.signal.addEventListener('abort', close)
        const room = () => (controller.desiredSize ?? 0) > hub.limits.readerBytes / 2
        stop = startStream(hub, session, { ...options, send, close, room })
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: hub.limits.readerBytes }),
  )
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}

type Sending = StreamOptions & { readonly send: (text: string) => void; readonly close: () => void; readonly room: () => boolean }

function startStream(hub: Hub, session: SessionId, sending: Sending): () => void {
  const { send } = sending
  send(`retry: 1000\n: steward ${iso(hub.clock.now())}\n\n`)
  const stopTail = tail(hub, session, {
    after: sending.after,
    detail: sending.detail,
    event: (out) => send(out.block()),
    live: (frame) => send(liveBlock(frame)),
    room: sending.room,
    failed: sending.close,
  })
  const beats = every(hub.clock, hub.limits.beatMs, () => send(': beat\n\n'))
  return () => {
    stopTail()
    beats.cancel()
  }
}

function liveBlock(frame: LiveFrame): string {
  const { type, data } = liveWire(frame)
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
