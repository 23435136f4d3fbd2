// The way to a WebSocket: the same guard and the same credentials as for every request, then pings, then gone ones are noticed.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Alarm, every } from '../base/clock.ts'
import { maxFrameBytes, requests } from '../protocol/frames.ts'
import { notLoggedIn } from './app.ts'
import { type Arrival, type Caller, identify } from './caller.ts'
import { check } from './check.ts'
import { openConnection } from './connection.ts'
import { openConnections } from './connections.ts'
import { guard } from './guard.ts'
import type { Hub } from './hub.ts'
import { HttpProblem, tell } from './problem.ts'

export type Sockets = {
  /** Takes the upgrades of a listening server. `unix`: it is the command line's own socket. */
  attach(server: Server, unix: boolean): void
  readonly size: number
  /** Says goodbye (1001) to all; those that don't leave in time are cut. */
  close(): Promise<void>
}

const goodbyeMs = 1_000

export function openSockets(hub: Hub): Sockets {
  const wss = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })
  const all = openConnections(hub)
  const pings = pingAll(hub, wss)

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, unix: boolean): Promise<void> {
    const arrival = { unix, remote: request.socket.remoteAddress ?? null }
    try {
      const caller = await admit(hub, request, arrival, all.size)
      const said = saidIn(request)
      wss.handleUpgrade(request, socket, head, (ws) => all.add(openConnection(hub, all, { socket: ws, caller, ...said })))
    } catch (thrown) {
      refuse(hub, socket, thrown)
    }
  }

  return {
    attach(server, unix) {
      server.on('upgrade', (request, socket, head) => {
        socket.on('error', () => socket.destroy())
        void upgrade(request, socket, head, unix)
      })
    },
    get size() {
      return all.size
    },
    async close() {
      pings.cancel()
      all.close(1001, 'the hub goes down')
      const gone = Promise.all([...wss.clients].map((ws) => new Promise((resolve) => ws.once('close', resolve))))
      const { promise, resolve } = Promise.withResolvers<void>()
      const alarm = hub.clock.after(goodbyeMs, resolve)
      await Promise.race([gone, promise])
      alarm.cancel()
      for (const ws of wss.clients) ws.terminate()
      wss.close()
    },
  }
}

async function admit(hub: Hub, request: IncomingMessage, arrival: Arrival, open: number): Promise<Caller> {
  const headers = headersOf(request)
  guard(hub.hosts, { headers, arrival, changes: true })
  if (addressOf(request).pathname !== '/api/socket') throw new HttpProblem(404, 'not_found', 'WebSockets are at /api/socket')
  const caller = await identify(hub, headers, arrival)
  if (!caller) throw notLoggedIn()
  // A browser always says where a page is from; a cookie without it is not used by a page of ours.
  if (caller.via === 'cookie' && !headers.has('origin'))
    throw new HttpProblem(403, 'forbidden', 'an upgrade with the cookie needs an Origin')
  if (hub.closing()) throw new HttpProblem(503, 'unavailable', 'the hub goes down')
  if (open >= hub.limits.sockets) throw new HttpProblem(503, 'full', `more than ${hub.limits.sockets} connections are open`)
  return caller
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

function addressOf(request: IncomingMessage): URL {
  return URL.canParse(request.url ?? '', 'http://hub') ? new URL(request.url ?? '', 'http://hub') : new URL('http://hub/')
}

/** What the client says of itself in the address. Throws InvalidInput. */
function saidIn(request: IncomingMessage): { readonly profile: string; readonly zone: string | null } {
  const { searchParams } = addressOf(request)
  const said = { profile: searchParams.get('profile') || 'web', zone: searchParams.get('zone') || undefined }
  const { profile, zone } = check(requests.hello, said, '')
  return { profile: profile ?? 'web', zone: zone ?? null }
}

function refuse(hub: Hub, socket: Duplex, thrown: unknown): void {
  const { problem, headers } = tell(thrown, { log: hub.log, id: hub.newId('req'), where: 'an upgrade' })
  const body = JSON.stringify(problem)
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  })
  socket.end(`HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

/** Pings everybody each interval and cuts those who did not answer the last one. */
function pingAll(hub: Hub, wss: WebSocketServer): Alarm {
  const silent = new WeakSet<WebSocket>()
  return every(hub.clock, hub.limits.pingIntervalMs, () => {
    for (const ws of wss.clients) {
      if (silent.has(ws)) ws.terminate()
      else {
        silent.add(ws)
        ws.once('pong', () => silent.delete(ws))
        ws.ping()
      }
    }
  })
}
