// One connection to a server: made when it is needed, dropped when it broke or rested, not asked again at once after it failed (Y104).
import {
  Client,
  type jsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Alarm } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import { oneLine } from '../fence.ts'
import { contentIn } from './content.ts'
import { definitionsOf } from './definitions.ts'
import { type Fault, openWay, type Way } from './fetch.ts'
import type { McpAnswer, McpCalling, McpFailure, McpListed, McpResource, McpRooms, McpTarget } from './server.ts'

export type Connection = {
  tools(target: McpTarget, options: { readonly signal: AbortSignal; readonly fresh: boolean }): Promise<McpListed | McpFailure>
  call(target: McpTarget, calling: McpCalling, signal: AbortSignal): Promise<McpAnswer | McpFailure>
  resources(target: McpTarget, signal: AbortSignal): Promise<{ readonly ok: true; readonly resources: readonly McpResource[] } | McpFailure>
  read(target: McpTarget, uri: string, signal: AbortSignal): Promise<McpAnswer | McpFailure>
  close(): Promise<void>
}

const longestTimeoutMs = 300_000
const longestConnectMs = 15_000
const longestProbeMs = 5_000
const idleMs = 60_000
const listedMs = 60_000
const mostPages = 30
const mostResources = 300
const firstPauseMs = 1_000
const longestPauseMs = 60_000

type Live = { readonly client: Client; readonly way: Way }
type Listed = { readonly listed: McpListed; readonly at: number }

export function openConnection({ reach, clock, version }: McpRooms): Connection {
  let live: Live | null = null
  let connecting: Promise<Live | McpFailure> | null = null
  let target: McpTarget | null = null
  let known: Listed | null = null
  let failures = 0
  let pausedUntil = 0
  let resting: Alarm | null = null

  async function drop(): Promise<void> {
    const old = live
    live = null
    known = null
    resting?.cancel()
    await old?.client.close().catch(() => {})
  }

  function failed(failure: McpFailure): McpFailure {
    failures++
    pausedUntil = clock.now() + Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs)
    return failure
  }

  /** Ways to speak to a server, the newest first; the next only where the server itself shows that it does not know this one. */
  async function connect(to: McpTarget): Promise<Live | McpFailure> {
    let last: McpFailure = { ok: false, code: 'unreachable', text: `${originOf(to.url)} could not be reached.`, isSent: false }
    for (const how of to.transport.toLowerCase() === 'sse' ? (['sse'] as const) : (['auto', 'legacy', 'sse'] as const)) {
      const tried = await attempt(to, how)
      if ('client' in tried) {
        failures = 0
        return tried
      }
      last = tried.failure
      const isNext = how === 'auto' ? tried.failure.code === 'timeout' || tried.isOtherWay : tried.isOtherWay
      if (!isNext) break
    }
    return failed(last)
  }

  type Tried = Live | { readonly failure: McpFailure; readonly isOtherWay: boolean }

  async function attempt(to: McpTarget, how: 'auto' | 'legacy' | 'sse'): Promise<Tried> {
    const most = Math.min(to.timeoutMs, longestConnectMs)
    let client: Client | null = null
    const way = openWay({ reach, target: () => target ?? to, broken: (fault) => void broke(client, fault) })
    const probing =
      how === 'auto' ? { versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs: Math.min(most, longestProbeMs) } } } : {}
    client = new Client(
      { name: 'steward', version },
      { capabilities: {}, jsonSchemaValidator: unchecked, listMaxPages: mostPages, ...probing },
    )
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      known = null
    })
    try {
      await within(client.connect(transportTo(to.url, { way, how }), { timeout: most }), most)
      client.onclose = () => {
        if (live?.client === client) live = null
      }
      return { client, way }
    } catch (thrown) {
      const failure = failureOf(thrown, { way, to, isSent: false })
      const status = way.status ?? 0
      const isOtherWay = way.fault === null && status >= 400 && status < 500 && ![401, 403, 429].includes(status)
      await client.close().catch(() => {})
      return { failure, isOtherWay }
    }
  }

  /** An answer broke off: whoever waits on that connection gets none. */
  async function broke(client: Client | null, _: Fault): Promise<void> {
    if (live?.client === client) live = null
    await client?.close().catch(() => {})
  }

  function within<T>(work: Promise<T>, ms: number): Promise<T> {
    const over = Promise.withResolvers<T>()
    const alarm = clock.after(ms + 100, () => over.reject(new SdkError(SdkErrorCode.RequestTimeout, 'it took too long')))
    return Promise.race([work, over.promise]).finally(() => alarm.cancel())
  }

  async function connected(to: McpTarget): Promise<Live | McpFailure> {
    target = to
    if (live) return live
    const waitMs = pausedUntil - clock.now()
    if (failures > 0 && waitMs > 0) {
      const text = `${originOf(to.url)} failed ${failures === 1 ? 'a moment ago' : `${failures} times`}; it is asked again in ${Math.ceil(waitMs / 1000)} seconds.`
      return { ok: false, code: 'resting', text, isSent: false }
    }
    connecting ??= connect(to).finally(() => {
      connecting = null
    })
    const found = await connecting
    if ('client' in found) live = found
    return found
  }

  /** Everything that is asked: within its time, and whatever goes wrong becomes an answer. */
  async function asked<T extends { readonly ok: true }>(
    to: McpTarget,
    { signal, isSent }: { readonly signal: AbortSignal; readonly isSent: boolean },
    ask: (live: Live, options: AskOptions) => Promise<T | McpFailure>,
  ): Promise<T | McpFailure> {
    signal.throwIfAborted()
    resting?.cancel()
    const now = await connected(to)
    signal.throwIfAborted()
    if (!('client' in now)) return now
    now.way.forget()
    const timeout = Math.min(to.timeoutMs, longestTimeoutMs)
    try {
      return await ask(now, { signal, timeout, maxTotalTimeout: timeout })
    } catch (thrown) {
      signal.throwIfAborted()
      const failure = failureOf(thrown, { way: now.way, to, isSent })
      if (failure.code !== 'refused') {
        await drop()
        failed(failure)
      }
      return failure
    } finally {
      resting = clock.after(idleMs, () => void drop())
    }
  }

  async function listTools(now: Live, options: AskOptions): Promise<McpListed> {
    if (!now.client.getServerCapabilities()?.tools) return { ok: true, tools: [], left: [] }
    const all: Parameters<typeof definitionsOf>[0][number][] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const found = await now.client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, options)
      all.push(...found.tools)
      cursor = found.nextCursor
      // A list without an end says the same again, or always something new: both end here.
      if (cursor === undefined || seen.has(cursor) || all.length > 1_000) break
      seen.add(cursor)
    }
    return { ok: true, ...definitionsOf(all) }
  }

  async function tools(to: McpTarget, { signal, fresh }: { readonly signal: AbortSignal; readonly fresh: boolean }) {
    if (!fresh && known && live && clock.now() - known.at < listedMs) return known.listed
    return asked(to, { signal, isSent: false }, async (now, options) => {
      const listed = await listTools(now, options)
      known = { listed, at: clock.now() }
      return listed
    })
  }

  return {
    tools,
    async call(to, { tool, args, hash }, signal) {
      if (hash !== undefined) {
        const listed = await tools(to, { signal, fresh: true })
        if (!listed.ok) return listed
        const now = listed.tools.find(({ name }) => name === tool)
        if (now?.hash !== hash) {
          const text = `Not sent: ${originOf(to.url)} describes its tool ${oneLine(tool, 80)} otherwise than when this call was made.`
          return { ok: false, code: 'changed', text, isSent: false }
        }
      }
      return asked<McpAnswer>(to, { signal, isSent: true }, async ({ client }, options) =>
        contentIn(await client.callTool({ name: tool, arguments: args }, options)),
      )
    },
    resources: (to, signal) =>
      asked(to, { signal, isSent: false }, async ({ client }, options) => {
        if (!client.getServerCapabilities()?.resources) return { ok: true, resources: [] }
        const { resources } = await client.request({ method: 'resources/list', params: {} }, options)
        const shown = resources.slice(0, mostResources)
        return {
          ok: true,
          resources: shown.map(({ uri, name, mimeType }) => ({ uri: uri.slice(0, 500), name: oneLine(name, 100), mime: mimeType ?? '' })),
        }
      }),
    read: (to, uri, signal) =>
      asked<McpAnswer>(to, { signal, isSent: false }, async ({ client }, options) =>
        contentIn(await client.readResource({ uri }, options)),
      ),
    close: drop,
  }
}

/** Schemas of a server are not compiled: what it answers is read within our own limits, whatever it promised. */
const unchecked: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: JSON.parse(JSON.stringify(data ?? null)), errorMessage: undefined }),
}

type AskOptions = { readonly signal: AbortSignal; readonly timeout: number; readonly maxTotalTimeout: number }

function transportTo(url: string, { way, how }: { readonly way: Way; readonly how: 'auto' | 'legacy' | 'sse' }) {
  if (how === 'sse') return new SSEClientTransport(new URL(url), { fetch: way.fetch })
  const reconnectionOptions = {
    maxReconnectionDelay: 30_000,
    initialReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: 0,
  }
  return new StreamableHTTPClientTransport(new URL(url), { fetch: way.fetch, reconnectionOptions, onInsufficientScope: 'throw' })
}

type Failing = { readonly way: Way; readonly to: McpTarget; readonly isSent: boolean }

/** `refused`: the server answered, and said no; all else ends the connection. */
function failureOf(thrown: unknown, { way, to, isSent }: Failing): McpFailure {
  const origin = originOf(to.url)
  if (way.fault) return { ok: false, code: way.fault.code, text: way.fault.text, isSent: isSent && way.fault.isSent }
  if (thrown instanceof ProtocolError) {
    return { ok: false, code: 'refused', text: `${origin} refused it: ${oneLine(thrown.message, 500)}`, isSent: false }
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
    return { ok: false, code: 'timeout', text: `${origin} did not answer within its time.`, isSent }
  }
  const code = way.status === 401 || way.status === 403 ? 'unauthorized' : 'broken'
  return { ok: false, code, text: `${origin} does not answer as an MCP server should: ${oneLine(messageOf(thrown), 300)}`, isSent }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url.slice(0, 200)
}
