// The server: HTTP, event streams and WebSockets over the hub; over TCP for people and programs, and over a socket of mode 0600
// for the owner's command line.
// Owns: addresses, credentials on requests, origins, limits, problems, the OpenAPI document, figures for Prometheus.
// Leaves to lanes what happens to a message, to scopes what belongs to whom, to people who somebody is.
//
// H1   Without a credential 401, from a foreign Origin or Host 403, before anything is read.
// H2   A message is accepted once for each (sender, session, client's id); the same again is a duplicate, other content a conflict.
// H4   What is wrong is named with its path and what is allowed. H13: what is not ours to show looks like what does not exist.
// H7   A reader resumes by cursor and misses nothing. H14: a slow one is closed and told to.
// H11  Nothing hostile makes a 5xx, a hang, or memory grow without a bound.
// The other rules H stand in docs/spec.md.
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Conflict, InvalidInput, messageOf } from '../base/errors.ts'
import type { Event } from '../protocol/event.ts'
import { buildApp, type Handle } from './app.ts'
import { openCredentials } from './credentials.ts'
import { openFeed } from './feed.ts'
import { loopbackNames } from './guard.ts'
import { defaultLimits, type Hub, type Limits, type Rooms } from './hub.ts'
import { openMetrics } from './metrics.ts'
import { openRate } from './rate.ts'
import { openSockets } from './socket.ts'

export { openOwnCalls } from './eddi/own-calls.ts'
export type { Limits, PipelineDesk, Rooms } from './hub.ts'

export type ServerOptions = Rooms & {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Path of the command line's socket; null: none. */
  readonly socketPath: string | null
  /** Folder of the built page; null: none. */
  readonly webRoot: string | null
  readonly trustLoopback: boolean
  /** Host names under which a declared proxy with TLS shows the hub to the outside. Needed for a bind beyond loopback. */
  readonly proxyHosts?: readonly string[]
  readonly limits?: Partial<Limits>
}

export type OpenServer = {
  /** http://127.0.0.1:4180, without a slash at the end. */
  readonly address: string
  /** Stops accepting, says goodbye, ends streams; done within five seconds. */
  close(): Promise<void>
}

const loopbackHosts = ['127.0.0.1', '::1', 'localhost']
const lastChanceMs = 1_500

/** Throws InvalidInput for a bind beyond loopback without a proxy, Conflict for an address or socket in use. */
export async function openServer(options: ServerOptions): Promise<OpenServer> {
  refuseOpenBind(options)
  const inside = openInside(options)
  const tcp = listener(inside.handle, { unix: false, connections: inside.hub.limits.connections })
  const unix = listener(inside.handle, { unix: true, connections: inside.hub.limits.connections })
  inside.sockets.attach(tcp, false)
  inside.sockets.attach(unix, true)
  try {
    await listenTcp(tcp, options)
    if (options.socketPath !== null) await listenUnix(unix, options.socketPath)
  } catch (cause) {
    tcp.close()
    await inside.close()
    throw cause
  }
  const address = addressOf(tcp, options.host)
  inside.setAddress(address)
  return {
    address,
    async close() {
      inside.goDown()
      const ended = Promise.all([end(tcp), end(unix)])
      await inside.close()
      tcp.closeIdleConnections()
      unix.closeIdleConnections()
      const alarm = options.clock.after(lastChanceMs, () => cut(tcp, unix))
      await ended
      alarm.cancel()
    },
  }
}

/** All but the listening: what tests without a port use. */
export function openInside(options: Omit<ServerOptions, 'host' | 'port' | 'socketPath'>) {
  let address: string | null = null
  let closing = false
  const { journal, log, lanes } = options
  const feed = openFeed({ journal, log, live: lanes.live })
  const hub: Hub = {
    ...options,
    limits: { ...defaultLimits, ...options.limits },
    feed,
    rate: openRate(() => options.clock.now()),
    credentials: openCredentials(),
    streams: new Set(),
    waits: new Set(),
    hosts: new Set([...loopbackNames, ...(options.proxyHosts ?? []).map((name) => name.toLowerCase())]),
    address: () => address,
    closing: () => closing,
  }
  const sockets = openSockets(hub)
  const counts = {
    sockets: () => sockets.size,
    streams: () => hub.streams.size,
    waits: () => hub.waits.size,
    feedPosition: () => feed.position,
    spent: (hear: (event: Event) => void) => {
      feed.all({ event: ({ event }) => (event.type === 'model-spent' ? hear(event) : undefined) })
    },
  }
  const handle = buildApp({ hub, metrics: openMetrics(options, counts), webRoot: options.webRoot })
  return {
    hub,
    handle,
    sockets,
    setAddress(text: string) {
      address = text
    },
    goDown() {
      closing = true
    },
    async close() {
      for (const end of [...hub.waits, ...hub.streams]) end()
      await sockets.close()
      await feed.close()
    },
  }
}

function refuseOpenBind({ host, proxyHosts }: ServerOptions): void {
  if (loopbackHosts.includes(host) || (proxyHosts ?? []).length > 0) return
  const message = `the hub listens beyond this machine only behind a proxy with TLS that is declared: ${host} is not allowed; use 127.0.0.1`
  throw new InvalidInput(message, { path: 'STEWARD_HOST' })
}

function listener(handle: Handle, given: { readonly unix: boolean; readonly connections: number }): Server {
  const options = { overrideGlobalObjects: false }
  const answer = getRequestListener((request, env) => {
    if (!('incoming' in env)) return handle(request, { unix: given.unix, remote: null })
    const remote = env.incoming.socket.remoteAddress ?? null
    return handle(
      request,
      env.outgoing instanceof ServerResponse ? { unix: given.unix, remote, answer: env.outgoing } : { unix: given.unix, remote },
    )
  }, options)
  const times = { keepAliveTimeout: 30_000, headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }
  const server = createServer({ ...times, maxHeaderSize: 32 * 1024 })
  server.maxConnections = given.connections
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => void answer(incoming, outgoing))
  return server
}

async function listenTcp(server: Server, { host, port }: ServerOptions): Promise<void> {
  server.listen({ host, port })
  await listening(server, `port ${port} on ${host}`)
}

/** A socket file that nobody answers on is left over from a crash and replaced. */
async function listenUnix(server: Server, path: string): Promise<void> {
  if (await answers(path)) throw new Conflict(`another hub answers on ${path}`, { code: 'in_use' })
  rmSync(path, { force: true })
  const before = process.umask(0o177)
  server.listen({ path })
  process.umask(before)
  await listening(server, path)
  chmodSync(path, 0o600)
}

function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

async function listening(server: Server, what: string): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    if (isTaken) throw new Conflict(`${what} is in use by another program`, { code: 'in_use', cause })
    throw new InvalidInput(`can't listen on ${what}: ${messageOf(cause)}`, { cause })
  }
}

function addressOf(server: Server, host: string): string {
  const at = server.address()
  const port = typeof at === 'object' && at !== null ? at.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function end(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => server.close(() => resolve()))
}

function cut(...servers: readonly Server[]): void {
  for (const server of servers) server.closeAllConnections()
}
