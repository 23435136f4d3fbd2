// The only way from a client to its server: the guard's, for each request anew (Y103). What comes back is counted while it is read.
import type { IncomingMessage } from 'node:http'
import { InvalidInput, messageOf, StewardError } from '../../base/errors.ts'
import { opened } from '../web/request.ts'
import { findTarget, isExempt, parseUrl, type Reach } from '../web/target.ts'
import type { McpTarget } from './server.ts'

/** Bytes of one answer. */
const mostBytes = 8_000_000

/** What went wrong below the protocol; `isSent`: the request may have arrived. */
export type Fault = { readonly code: string; readonly text: string; readonly isSent: boolean }

export type Way = {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** The newest, since it was last forgotten. */
  readonly fault: Fault | null
  /** Of the newest answer. */
  readonly status: number | null
  forget(): void
}

type WayRooms = {
  readonly reach: Reach
  readonly target: () => Pick<McpTarget, 'url' | 'headersFor'>
  readonly broken: (fault: Fault) => void
}

export function openWay({ reach, target, broken }: WayRooms): Way {
  let fault: Fault | null = null
  let status: number | null = null
  const failed = (found: Fault): Error => {
    fault = found
    return new Error(found.text)
  }
  return {
    get fault() {
      return fault
    },
    get status() {
      return status
    },
    forget() {
      fault = null
      status = null
    },
    async fetch(given, init = {}) {
      const own = new URL(target().url)
      const url = parseUrl(String(given))
      if (!(url instanceof URL)) throw failed({ code: url.code, text: url.why, isSent: false })
      if (url.origin !== own.origin)
        throw failed({ code: 'blocked', text: `${own.origin} leads to ${url.origin}; nothing is sent there.`, isSent: false })
      const found = await findTarget(url, reach, { exempt: true })
      if ('why' in found) throw failed({ code: found.code, text: found.why, isSent: false })
      const headers = await headersOf(target(), { init, isTrusted: isExempt(url, reach), url }).catch((thrown: unknown) => {
        throw thrown instanceof StewardError ? failed({ code: thrown.code, text: thrown.message, isSent: false }) : thrown
      })
      const { method = 'GET', body, signal } = init
      const asking = { method, headers, signal: signal ?? new AbortController().signal, mostBytes }
      const response = await opened(found, { ...asking, ...(typeof body === 'string' ? { body } : {}) }).catch((thrown: unknown) => {
        throw failed({ code: 'unreachable', text: `${url.origin} could not be reached: ${messageOf(thrown)}.`, isSent: isSent(thrown) })
      })
      status = response.statusCode ?? 0
      // The standing stream may end as it likes; an answer that breaks off leaves the call without one.
      const onBreak = (why: string) => {
        const text = `${url.origin}: ${why}.`
        failed({ code: 'unreachable', text, isSent: true })
        if (method === 'POST') broken({ code: 'unreachable', text, isSent: true })
      }
      return answered(response, onBreak)
    },
  }
}

type Heading = { readonly init: RequestInit; readonly isTrusted: boolean; readonly url: URL }

async function headersOf(target: Pick<McpTarget, 'headersFor'>, { init, isTrusted, url }: Heading): Promise<Record<string, string>> {
  const own = await target.headersFor(url.origin)
  if (Object.keys(own).length > 0 && url.protocol !== 'https:' && !isTrusted) {
    throw new InvalidInput(`A key is sent over https only; ${url.origin} is not encrypted.`)
  }
  return { ...Object.fromEntries(new Headers(init.headers)), ...own, 'accept-encoding': 'identity' }
}

const beforeSending: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENOTFOUND'])

function isSent(thrown: unknown): boolean {
  const inner: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : ''
  return !beforeSending.has(code) && !/CERT|SIGNATURE/.test(code)
}

function answered(response: IncomingMessage, onBreak: (why: string) => void): Response {
  const status = response.statusCode ?? 0
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) headers.set(name, String(value))
  if (status < 200 || status > 599) {
    response.destroy()
    throw new Error(`it answered with the status ${status}`)
  }
  if (status === 204 || status === 205 || status === 304) {
    response.resume()
    return new Response(null, { status, headers })
  }
  return new Response(ReadableStream.from(counted(response, onBreak)), { status, headers })
}

async function* counted(response: IncomingMessage, onBreak: (why: string) => void): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const part of response) {
      const bytes = Buffer.from(part)
      size += bytes.length
      if (size > mostBytes) throw new Error(`its answer is longer than ${mostBytes} bytes`)
      yield new Uint8Array(bytes)
    }
  } catch (thrown) {
    onBreak(messageOf(thrown))
    throw thrown
  } finally {
    response.destroy()
  }
}
