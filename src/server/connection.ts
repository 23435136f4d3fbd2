// One WebSocket connection: its sessions, its requests one after the other, its bounded way out.
import type { WebSocket } from 'ws'
import { InvalidInput, messageOf } from '../base/errors.ts'
import { isId, type SessionId } from '../base/ids.ts'
import { closeCodes, everywhere, maxFrameBytes, protocolVersion, requestFrame } from '../protocol/frames.ts'
import { parseBody } from './body.ts'
import type { Caller } from './caller.ts'
import { check } from './check.ts'
import { liveFrame, liveWire } from './feed.ts'
import type { Hub } from './hub.ts'
import { keepPace } from './pace.ts'
import type { Connection, Connections } from './peer.ts'
import { HttpProblem, tell } from './problem.ts'
import { type Answered, answerFrame } from './requests.ts'
import { tail } from './tail.ts'
import { frameBytes, isVisible } from './wire.ts'

export type ConnectionOptions = {
  readonly socket: WebSocket
  readonly caller: Caller
  readonly profile: string
  readonly zone: string | null
}

/** Most requests that wait in one connection, and most sessions that it hears. */
const mostWaiting = 256
const mostSessions = 64
/** How long a slow reader may take to read up to its goodbye. */
const slowGoodbyeMs = 15_000

export function openConnection(hub: Hub, all: Connections, options: ConnectionOptions): Connection {
  const { socket, caller } = options
  const id = hub.newId('con')
  const sessions = new Map<string, () => void>()
  const expected = new Set<string>()
  let waiting = 0
  let tailOfRequests: Promise<void> = Promise.resolve()

  function send(bytes: Buffer): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > hub.limits.readerBytes) close(closeCodes.slow, 'too slow: connect again and resume with the last cursor')
    else socket.send(bytes, { binary: false })
  }

  function close(code: number, reason: string): void {
    socket.close(code, reason)
    if (code === closeCodes.slow) hub.clock.after(slowGoodbyeMs, () => socket.terminate())
  }

  function expect(session: SessionId | null): void {
    if (!sessions.has(session ?? '') && sessions.size >= mostSessions)
      throw new InvalidInput(`a connection hears at most ${mostSessions} sessions: leave one, or open another connection`)
    if (session !== null) expected.add(session)
  }

  function leave(session: SessionId): void {
    expected.delete(session)
    sessions.get(session)?.()
    sessions.delete(session)
  }

  function resume(session: SessionId, after: number | null): Promise<void> {
    leave(session)
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = tail(hub, session, {
      after,
      detail: false,
      event: (out) => send(out.frame()),
      live: (frame, bytes) => send(bytes ? bytes() : liveFrame(frame)),
      room: () => socket.bufferedAmount < hub.limits.readerBytes / 4,
      failed: () => close(1011, 'the past can not be read now: connect again'),
      caughtUp: resolve,
    })
    sessions.set(session, () => {
      stop()
      resolve()
    })
    return promise
  }

  const connection: Connection = {
    id,
    caller,
    profile: options.profile,
    zone: options.zone,
    notify: (type, data) => send(frameBytes({ type, data })),
    expect,
    resume,
    leave,
    isIn: (session) => sessions.has(session),
    elsewhere(out, via) {
      const { event } = out
      if (!everywhere.has(event.type) || !isVisible(event, false)) return
      const known = event.session ?? ''
      if (sessions.has(known) || expected.has(known)) return
      send(via !== null && sessions.has(via.viaSession) ? out.forwarded(via) : out.frame())
    },
    progress(frame, via) {
      if (sessions.has(via.viaSession) && !sessions.has(frame.session)) send(frameBytes({ ...liveWire(frame), forwardedBy: via }))
    },
    close,
  }

  async function answer(bytes: Buffer): Promise<void> {
    const { replyTo, answered } = await answerBytes(hub, all, connection, bytes)
    const { type, data } = answered
    send(frameBytes({ ...(replyTo === undefined ? {} : { replyTo }), type, data }))
    answered.after?.()
  }

  /** A bug in one connection ends that one and not the hub. */
  function broken(thrown: unknown): void {
    hub.log('error', 'a connection broke', { connection: id, error: messageOf(thrown) })
    close(1011, 'something broke in the hub: connect again')
  }

  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
    if (isBinary) return close(1003, 'frames are JSON text')
    if (++waiting > mostWaiting) return close(1008, `more than ${mostWaiting} requests wait in this connection`)
    tailOfRequests = tailOfRequests
      .then(() => answer(bytes))
      .catch(broken)
      .finally(() => void waiting--)
  })
  const letGo = hub.credentials.hold(caller.credential, () => close(closeCodes.loggedOut, 'this login or token was ended'))
  socket.on('close', () => {
    letGo()
    const left = [...sessions.keys()].filter((one) => isId('ses', one))
    for (const session of left) leave(session)
    all.remove(connection)
    for (const session of left) void hub.scopes.sessions.disconnected(session, id).catch(() => {})
  })
  socket.on('error', () => socket.terminate())
  connection.notify('welcome', welcomeOf(hub, connection))
  return connection
}

async function answerBytes(
  hub: Hub,
  all: Connections,
  connection: Connection,
  bytes: Buffer,
): Promise<{ readonly replyTo: string | undefined; readonly answered: Answered }> {
  let replyTo: string | undefined
  try {
    if (bytes.byteLength > maxFrameBytes) throw new HttpProblem(413, 'too_large', `a frame has at most ${maxFrameBytes} bytes`)
    const parsed = parseBody(bytes)
    replyTo = idOf(parsed)
    keepPace(hub, connection.caller, null)
    const frame = check(requestFrame, parsed)
    return { replyTo, answered: await answerFrame({ hub, all, connection }, frame.type, frame.data ?? {}) }
  } catch (thrown) {
    const { problem } = tell(thrown, { log: hub.log, id: hub.newId('req'), where: 'a frame' })
    return { replyTo, answered: { type: 'error', data: problem } }
  }
}

function idOf(frame: unknown): string | undefined {
  const id = typeof frame === 'object' && frame !== null && 'id' in frame ? frame.id : undefined
  return typeof id === 'string' && id.length <= 128 ? id : undefined
}

function welcomeOf(hub: Hub, connection: Connection) {
  const { name, role } = connection.caller.user
  const server = {
    version: hub.version,
    protocol: protocolVersion,
    pingInterval: hub.limits.pingIntervalMs,
    capabilities: ['takeover', 'seen'],
  }
  return { user: { name, role }, tenant: '_tenant', connection: connection.id, server }
}
