// The running hub as the command line sees it: HTTP over its own socket, where every request is the owner's.

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { StewardError } from '../base/errors.ts'
import { type Runtime, readRuntime } from '../base/home.ts'
import { inspectConfig } from '../config.ts'
import { health } from '../protocol/api.ts'
import { type Call, HubUnreachable } from './output.ts'

/** The hub understood and said no. Exit code 1. */
export class HubRefused extends StewardError {
  readonly status: number
  constructor(status: number, code: string, detail: string, path?: string) {
    super(code, detail, path === undefined ? {} : { path })
    this.status = status
  }
}

/** It is there and does not answer: it is overloaded, or can't store anything; `why` is what it says of itself. Exit code 1. */
class HubSilent extends StewardError {
  constructor(ms: number, why: readonly string[]) {
    const told = why.length === 0 ? '' : `: ${why.join('; ')}`
    super('timeout', `The hub has not answered within ${Math.round(ms / 1000)} seconds${told}. Find out more with: steward doctor`)
  }
}

const patienceMs = 30_000
const healthMs = 2_000

/** What makes the answer a typed value: a schema of protocol/. */
export type Shape<T> = { parse(value: unknown): T }

/** Of an answer that says nothing. */
export const nothing: Shape<null> = { parse: () => null }

export type Ask = {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** Instead of `body`: a file, as it is. */
  readonly file?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** How long the hub may take; 30 seconds by default. */
  readonly timeoutMs?: number
  /** A status of 400 or above that is an answer here. */
  readonly accept?: number
}

export type Hub = {
  readonly home: string
  readonly runtime: Runtime
  /**
   * One request; the body of the answer in that shape. Throws HubUnreachable when nobody listens or the answer breaks off, and
   * HubRefused with the hub's own sentence for a status of 400 and above.
   */
  call<T>(method: string, path: string, shape: Shape<T>, ask?: Ask): Promise<T>
  /** A GET whose answer is a file. Throws as `call` does. */
  file(path: string, ask?: Pick<Ask, 'query' | 'timeoutMs'>): Promise<Uint8Array>
}

/** The hub of the data folder that the call names. Throws HubUnreachable when there is no note of one. */
export async function findHub(call: Call): Promise<Hub> {
  const { config } = await inspectConfig({ env: call.env, home: call.home })
  const runtime = readRuntime(config.home)
  if (runtime === null) throw new HubUnreachable(config.home)
  return hubAt(config.home, runtime)
}

/** The hub with that note. */
export function hubAt(home: string, runtime: Runtime): Hub {
  async function answered(method: string, path: string, ask: Ask): Promise<Answer> {
    const { timeoutMs = patienceMs } = ask
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await send({ ...ask, socketPath: runtime.socket, method, path, signal }).catch(async (cause: unknown) => {
      throw signal.aborted ? new HubSilent(timeoutMs, await trouble(runtime)) : new HubUnreachable(home, cause)
    })
    if (answer.status >= 400 && answer.status !== ask.accept) throw refusal(answer)
    return answer
  }
  return {
    home,
    runtime,
    call: async (method, path, shape, ask = {}) => shape.parse(jsonOf(await answered(method, path, ask))),
    file: async (path, ask = {}) => (await answered('GET', path, ask)).bytes,
  }
}

/** What the hub says is wrong with it; nothing when it does not even say that. */
async function trouble({ socket }: Runtime): Promise<readonly string[]> {
  const asked = { socketPath: socket, method: 'GET', path: '/health/ready', signal: AbortSignal.timeout(healthMs) }
  const answer = await send(asked).catch(() => null)
  return health.safeParse(answer && jsonOf(answer)).data?.why ?? []
}

type Answer = { readonly status: number; readonly bytes: Buffer }

type Sent = Ask & { readonly socketPath: string; readonly method: string; readonly path: string; readonly signal: AbortSignal }

function send({ socketPath, method, path, query, body, file, headers, signal }: Sent): Promise<Answer> {
  const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const bytes = file ?? text
  const type = file === undefined ? 'application/json' : 'application/octet-stream'
  const about = bytes === undefined ? {} : { 'content-type': type, 'content-length': String(bytes.byteLength) }
  return new Promise((resolve, reject) => {
    const options = { socketPath, method, path: withQuery(path, query), headers: { host: 'localhost', ...about, ...headers }, signal }
    const request = httpRequest(options, (response) => readAnswer(response).then(resolve, reject))
    request.on('error', reject)
    request.end(bytes)
  })
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }
}

function jsonOf({ bytes }: Pick<Answer, 'bytes'>): unknown {
  const text = bytes.toString('utf8')
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 500) }
  }
}

function withQuery(path: string, query: Ask['query'] = {}): string {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value))
  return given.size === 0 ? path : `${path}?${given}`
}

function refusal({ status, bytes }: Answer): HubRefused {
  const json = jsonOf({ bytes })
  const about: { detail?: unknown; title?: unknown; code?: unknown; path?: unknown } = typeof json === 'object' && json !== null ? json : {}
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
  const detail = text(about.detail) ?? text(about.title) ?? `The hub answered with status ${status}.`
  return new HubRefused(status, text(about.code) ?? 'refused', detail, text(about.path))
}
