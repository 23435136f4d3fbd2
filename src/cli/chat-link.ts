// The WebSocket of `steward chat`: it comes back by itself after it was lost, and what may safely be said twice is then said again.

import { randomUUID } from 'node:crypto'
import WebSocket from 'ws'
import { type Frame, frame as frameSchema } from '../protocol/frames.ts'
import { HubRefused } from './hub.ts'

type Data = Readonly<Record<string, unknown>>

export type LinkOptions = {
  /** Where the hub listens now; null while there is none. Asked before every try. */
  readonly socketPath: () => string | null
  /** Called with every frame that answers no request. Must not throw. */
  readonly onFrame: (frame: Frame) => void
  /** The link is there, for the first time or again. Requests made here go before those that were kept. */
  readonly onOpen: () => void
  /** It is gone; `tries` counts the vain tries to get it back. */
  readonly onLost: (tries: number) => void
}

export type Link = {
  /**
   * The data of the answer; `onAnswer` has it before any later frame is heard. Throws HubRefused when the hub says no, LinkLost when
   * that can't be known.
   */
  request(type: string, data: Data, onAnswer?: (data: Data) => void): Promise<Data>
  close(): void
}

/** The link went while a request that can't be repeated was on its way. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost'
}

/** Their meaning does not change when they are said twice: they carry an id, or name what they are for. */
const repeatable: ReadonlySet<string> = new Set(['say', 'answer', 'stop', 'session-leave'])
const retryMs = { first: 100, most: 2000 } as const

type Waiting = {
  readonly type: string
  readonly data: Data
  readonly onAnswer: ((data: Data) => void) | undefined
  readonly resolve: (data: Data) => void
  readonly reject: (error: Error) => void
}

export function openLink(options: LinkOptions): Link {
  const waiting = new Map<string, Waiting>()
  let socket: WebSocket | null = null
  let tries = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const send = (id: string, { type, data }: Waiting): void => socket?.send(JSON.stringify({ id, type, data }))

  function connect(): void {
    const path = options.socketPath()
    if (path === null) {
      lost()
      return
    }
    const mine = new WebSocket(`ws+unix:${path}:/api/socket?profile=terminal`)
    mine.on('open', () => opened(mine))
    mine.on('message', (bytes) => heard(bytes.toString()))
    mine.on('error', () => {})
    mine.on('close', () => lost())
  }

  function opened(mine: WebSocket): void {
    socket = mine
    tries = 0
    const kept = [...waiting]
    options.onOpen()
    for (const [id, one] of kept) send(id, one)
  }

  function lost(): void {
    socket = null
    if (isClosed) return
    for (const [id, one] of waiting) {
      if (repeatable.has(one.type)) continue
      waiting.delete(id)
      one.reject(new LinkLost(`The hub went away before it answered to ${one.type}.`))
    }
    tries++
    options.onLost(tries)
    if (!isClosed) timer = setTimeout(connect, Math.min(retryMs.most, retryMs.first * 2 ** Math.min(tries - 1, 10)))
  }

  function heard(text: string): void {
    const frame = readFrame(text)
    if (frame === null) return
    const asked = frame.replyTo === undefined ? undefined : waiting.get(frame.replyTo)
    if (frame.replyTo !== undefined) waiting.delete(frame.replyTo)
    if (!asked) options.onFrame(frame)
    else if (frame.type === 'error') asked.reject(refusal(frame.data))
    else {
      asked.onAnswer?.(frame.data)
      asked.resolve(frame.data)
    }
  }

  connect()
  return {
    request(type, data, onAnswer) {
      const id = randomUUID()
      return new Promise((resolve, reject) => {
        const one = { type, data, onAnswer, resolve, reject }
        if (!socket && !repeatable.has(type)) return reject(new LinkLost('The hub is not there.'))
        waiting.set(id, one)
        send(id, one)
      })
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.close()
      for (const one of waiting.values()) one.reject(new LinkLost('The chat was ended.'))
      waiting.clear()
    },
  }
}

function readFrame(text: string): Frame | null {
  try {
    return frameSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function refusal(data: Data): HubRefused {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  return new HubRefused(
    typeof data.status === 'number' ? data.status : 400,
    text(data.code) ?? 'refused',
    text(data.detail) ?? 'The hub refused it.',
  )
}
