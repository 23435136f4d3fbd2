// One request to addresses that were checked, and to nothing else (T41). No proxy of the environment is used: it would look names up
// itself. Redirects are answers here; who asked decides about them.
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { messageOf } from '../../base/errors.ts'
import { sameText } from './address.ts'
import type { Target } from './target.ts'

export type Asking = {
  /** Default GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Bytes after decompression; what is longer is cut. */
  readonly mostBytes: number
}

export type Answered = {
  readonly ok: true
  readonly status: number
  /** Names in lower case; of several values the first. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isCut: boolean
}
/** `isSent`: it may have arrived there. */
export type NotAnswered = {
  readonly ok: false
  readonly code: 'unreachable' | 'untrusted' | 'invalid_answer'
  readonly why: string
  readonly isSent: boolean
}

const userAgent = 'Steward/1 (a personal agent hub)'
const mostHeaderBytes = 65_536

/** The answer while it comes in, packed as it is. Rejects when there is none. */
export function opened(target: Target, asking: Asking): Promise<IncomingMessage> {
  return answerOf(start(target, asking), { target, asking })
}

/** Rejects only when `signal` was aborted, with its reason. */
export async function send(target: Target, asking: Asking): Promise<Answered | NotAnswered> {
  asking.signal.throwIfAborted()
  try {
    const response = await opened(target, asking)
    return await taken(response, asking)
  } catch (thrown) {
    asking.signal.throwIfAborted()
    return {
      ok: false,
      code: isTrust(thrown) ? 'untrusted' : 'unreachable',
      why: `${target.url.origin} could not be reached: ${faultOf(thrown)}.`,
      isSent: !isTrust(thrown) && !beforeSending.has(codeOf(thrown)),
    }
  }
}

function start({ url, addresses }: Target, { method = 'GET', headers = {}, body, signal }: Asking): ClientRequest {
  const isTls = url.protocol === 'https:'
  const options = {
    method,
    signal,
    // An agent of its own: the global one may go by a proxy of the environment, and may hold a connection to another address.
    agent: isTls ? new TlsAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false }),
    lookup: fixedLookup(addresses),
    maxHeaderSize: mostHeaderBytes,
    headers: { 'accept-encoding': 'gzip, br', 'user-agent': userAgent, ...headers },
  }
  const request = isTls ? tlsRequest(url, options) : plainRequest(url, options)
  request.end(body)
  return request
}

/** Answers what was checked, whatever name is asked for. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, options, found) => {
    const [first] = all
    if (first === undefined) found(new Error('no address'), '')
    else if (options.all) found(null, all)
    else found(null, first.address, first.family)
  }
}

type Sent = { readonly target: Target; readonly asking: Asking }

function answerOf(request: ClientRequest, { target }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      // A last look: what was connected to is what was checked.
      const there = sameText(response.socket.remoteAddress ?? '')
      if (target.addresses.some((one) => sameText(one) === there)) resolve(response)
      else {
        response.destroy()
        reject(new Error(`the connection led to ${there}, which was not checked`))
      }
    })
  })
}

async function taken(response: IncomingMessage, { mostBytes }: Asking): Promise<Answered | NotAnswered> {
  const headers = headersOf(response)
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const stream = decoded(response, encoding)
  if (stream === null) {
    response.destroy()
    return {
      ok: false,
      code: 'invalid_answer',
      why: `The answer is packed as "${encoding.slice(0, 40)}", which is not known here.`,
      isSent: true,
    }
  }
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of stream) {
      const bytes = Buffer.from(part)
      parts.push(bytes.subarray(0, mostBytes - size))
      size += bytes.length
      if (size > mostBytes) break
    }
  } finally {
    response.destroy()
  }
  return { ok: true, status: response.statusCode ?? 0, headers, body: Buffer.concat(parts), isCut: size > mostBytes }
}

/** null for a packing that is not known. A small packed answer may unfold to a huge one: the reader counts what comes out. */
function decoded(response: IncomingMessage, encoding: string): AsyncIterable<Uint8Array> | null {
  if (encoding === '' || encoding === 'identity') return response
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }
  const known = Object.entries(unpack).find(([name]) => name === encoding)
  if (!known) return null
  const out = known[1]()
  response.once('error', (error) => out.destroy(error))
  return response.pipe(out)
}

function headersOf(response: IncomingMessage): Record<string, string> {
  const all = Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')])
  return Object.fromEntries(all)
}

const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it ended the connection',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  CERT_HAS_EXPIRED: 'its certificate is out of date',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody known',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  Z_DATA_ERROR: 'its answer is packed wrongly',
  Z_BUF_ERROR: 'its answer ended too early',
}

/** There was no connection yet. */
const beforeSending: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENOTFOUND'])

function faultOf(thrown: unknown): string {
  return faults[codeOf(thrown)] ?? messageOf(innerOf(thrown)).slice(0, 200)
}

/** A certificate is not another one in a moment. */
function isTrust(thrown: unknown): boolean {
  return /CERT|SIGNATURE/.test(codeOf(thrown))
}

function codeOf(thrown: unknown): string {
  const inner = innerOf(thrown)
  return inner instanceof Error && 'code' in inner ? String(inner.code) : ''
}

function innerOf(thrown: unknown): unknown {
  return thrown instanceof AggregateError ? thrown.errors[0] : thrown
}

/** What the server asked for, where it said so in seconds. */
export function retryAfterIn(headers: Readonly<Record<string, string>>): number | undefined {
  const seconds = headers['retry-after']?.trim() ?? ''
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}
