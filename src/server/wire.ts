// An event as the outside sees it: who may, in which shape, and serialised once for everybody.
import { iso } from '../base/clock.ts'
import { isId } from '../base/ids.ts'
import type { WireEvent } from '../protocol/api.ts'
import { formatCursor } from '../protocol/cursor.ts'
import type { Event, Visibility } from '../protocol/event.ts'

/** Who passes a worker's frame on, and through which session. */
export type Via = { readonly engine: string; readonly processId: string; readonly viaSession: string }

/** An event on its way to many readers: each text is made when the first one needs it. */
export type Outgoing = {
  readonly event: Event
  readonly cursor: string
  wire(): WireEvent
  /** Of the WebSocket: one frame as bytes. */
  frame(): Buffer
  /** The same, passed on by who ordered the work. */
  forwarded(by: Via): Buffer
  /** Of the event stream: one block. */
  block(): string
}

export function outgoing(event: Event, generation: number): Outgoing {
  const cursor = formatCursor(generation, event.cursor)
  let wire: WireEvent | undefined
  let frame: Buffer | undefined
  let block: string | undefined
  const made = () => {
    wire ??= wireEvent(event, cursor)
    return wire
  }
  return {
    event,
    cursor,
    wire: made,
    frame() {
      frame ??= frameOf(made())
      return frame
    },
    forwarded: (by) => frameOf({ ...made(), forwardedBy: by }),
    block() {
      block ??= `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(made())}\n\n`
      return block
    },
  }
}

export function wireEvent(event: Event, cursor: string): WireEvent {
  const at = iso(event.at)
  return {
    cursor,
    id: event.id,
    type: event.type,
    at,
    ...(event.session === null ? {} : { session: event.session }),
    ...(isId('prc', event.lane) ? { process: event.lane } : {}),
    actor: event.actor,
    visibility: event.visibility,
    data: publicData(event, { at, cursor }),
    cause: event.cause,
  }
}

const persons: readonly Visibility[] = ['user-summary', 'user-detail']

/** What a person sees; with `detail` also what is for whoever runs the hub. `internal` is nobody's. */
export function isVisible(event: Event, detail: boolean): boolean {
  return persons.includes(event.visibility) || (detail && event.visibility === 'operator')
}

/** A message gets the `at` and `cursor` of its event; the entry that carried it is the heart's own affair. */
function publicData(event: Event, stamp: { readonly at: string; readonly cursor: string }): Record<string, unknown> {
  const { entry, ...data } = event.data
  if (event.type !== 'chat-message-appended') return { ...event.data }
  return { ...data, message: { ...Object(data['message']), ...stamp } }
}

function frameOf({ type, id, ...rest }: WireEvent & { readonly forwardedBy?: Via }): Buffer {
  return Buffer.from(JSON.stringify({ type, eventId: id, ...rest }))
}

export function frameBytes(frame: {
  readonly type: string
  readonly data: unknown
  readonly replyTo?: string | undefined
  readonly forwardedBy?: Via
}): Buffer {
  return Buffer.from(JSON.stringify(frame))
}
