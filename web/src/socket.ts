// The line to the hub on which events and live words come. Connects again by itself, with growing pauses (W6); sends nothing but
// which session is shown and pings. What a person says goes by request, out of the outbox.

import type { Incoming } from '../../src/protocol/view.ts'
import { waitBefore } from './backoff.ts'

export type Frame = Incoming & { readonly id?: string; readonly replyTo?: string }
/** `again`: there was a line, or a try, before. */
export type Connection =
  | { readonly is: 'connecting'; readonly again: boolean }
  | { readonly is: 'online' }
  | { readonly is: 'offline'; readonly retryAt: number }

export type Socket = {
  /** Follows that session from the cursor on (null: from its start), now and after every reconnect. null: none. */
  follow(session: string | null, after: () => string | null): void
  /** Asks for the session again, for the text so far. */
  again(): void
  /** Ends the pause before the next try. */
  tryNow(): void
  close(): void
}

type Heard = {
  /**
   * `followed`: the session that the hub tells in order from here on; null: none yet. Of every other one, and before, only single
   * frames come, which may be further on than what was missed.
   */
  readonly frame: (frame: Frame, followed: string | null) => void
  readonly connection: (connection: Connection) => void
  /** The login is no longer good. */
  readonly signedOut: () => void
}

type Line = {
  socket: WebSocket | null
  tries: number
  timer: ReturnType<typeof setTimeout> | undefined
  heardAt: number
  pingMs: number
  session: string | null
  after: () => string | null
  closed: boolean
  requests: number
  /** The request that the hub must answer before the session is followed; null: it is. */
  resuming: string | null
}

const LOGGED_OUT = 4001

export function openSocket(address: string, heard: Heard): Socket {
  const line: Line = {
    socket: null,
    tries: 0,
    timer: undefined,
    heardAt: Date.now(),
    pingMs: 25_000,
    session: null,
    after: () => null,
    closed: false,
    requests: 0,
    resuming: null,
  }
  const watch = setInterval(() => lookAlive(line, () => drop(line, address, heard)), 5_000)
  connect(line, address, heard)
  return {
    follow(session, after) {
      if (line.session !== null && line.session !== session) request(line, 'session-leave', { sessionId: line.session })
      Object.assign(line, { session, after })
      resume(line)
    },
    again: () => resume(line),
    tryNow: () => {
      if (line.socket === null) connect(line, address, heard)
    },
    close() {
      line.closed = true
      clearInterval(watch)
      clearTimeout(line.timer)
      line.socket?.close()
    },
  }
}

function connect(line: Line, address: string, heard: Heard): void {
  clearTimeout(line.timer)
  if (line.closed) return
  heard.connection({ is: 'connecting', again: line.tries > 0 })
  const socket = new WebSocket(address)
  line.socket = socket
  line.resuming = line.session === null ? null : 'not connected'
  line.heardAt = Date.now()
  socket.onmessage = (message) => {
    line.heardAt = Date.now()
    const frame = readFrame(message.data)
    if (frame) hear(line, frame, heard)
  }
  socket.onclose = (event) => {
    if (line.socket !== socket) return
    line.socket = null
    if (event.code === LOGGED_OUT) heard.signedOut()
    else if (!line.closed) retryLater(line, address, heard)
  }
}

function retryLater(line: Line, address: string, heard: Heard): void {
  line.tries += 1
  const wait = waitBefore(line.tries, Math.random())
  heard.connection({ is: 'offline', retryAt: Date.now() + wait })
  line.timer = setTimeout(() => connect(line, address, heard), wait)
}

function hear(line: Line, frame: Frame, heard: Heard): void {
  if (frame.type === 'welcome') {
    line.tries = 0
    line.pingMs = pingInterval(frame) ?? line.pingMs
    request(line, 'hello', { profile: 'web', zone: Intl.DateTimeFormat().resolvedOptions().timeZone })
    resume(line)
    heard.connection({ is: 'online' })
  }
  if (line.resuming !== null && frame.replyTo === line.resuming) line.resuming = null
  heard.frame(frame, line.resuming === null ? line.session : null)
}

function pingInterval(frame: Frame): number | null {
  const server = frame.data.server
  if (typeof server !== 'object' || server === null || !('pingInterval' in server)) return null
  return typeof server.pingInterval === 'number' ? server.pingInterval : null
}

function resume(line: Line): void {
  const after = line.after()
  if (line.session === null) return
  const sent = request(line, 'session-resume', { sessionId: line.session, ...(after === null ? {} : { after }) })
  line.resuming = sent ?? 'not connected'
}

/** The id of the request; null when there is no line to send it on. */
function request(line: Line, type: string, data: object): string | null {
  if (line.socket?.readyState !== WebSocket.OPEN) return null
  line.requests += 1
  const id = `r${line.requests}`
  line.socket.send(JSON.stringify({ id, type, data }))
  return id
}

/** Asks when it was quiet for long, and takes a line for dead on which no answer comes. */
function lookAlive(line: Line, dead: () => void): void {
  const quiet = Date.now() - line.heardAt
  if (line.socket === null) return
  if (quiet > line.pingMs * 2) dead()
  else if (quiet > line.pingMs) request(line, 'ping', {})
}

/** A dead line doesn't say goodbye: closing it in order could take minutes. */
function drop(line: Line, address: string, heard: Heard): void {
  const { socket } = line
  line.socket = null
  socket?.close()
  retryLater(line, address, heard)
}

function readFrame(data: unknown): Frame | null {
  try {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : null
    return isFrame(value) ? value : null
  } catch {
    return null
  }
}

function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('data' in value)) return false
  return typeof value.type === 'string' && typeof value.data === 'object' && value.data !== null
}
