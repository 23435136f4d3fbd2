// Turns whatever a provider or the network threw into a failure with a code and a sentence. Never shows a key.
import type { FailureCode, ModelFailure } from './message.ts'
import { failure } from './message.ts'

export type Where = { readonly provider: string; readonly model: string; readonly key: string | null }

/** What can be read off a thrown thing, whatever its class. */
type Seen = {
  readonly status: number | null
  readonly text: string
  readonly kind: string
  readonly retryAfterMs?: number
}

/** `thrown`: an error of the provider library, of fetch, or the `error` object of a broken stream. */
export function faultOf(thrown: unknown, where: Where): ModelFailure {
  const seen = see(thrown)
  const code = codeOf(seen)
  return failure(code, sentence(code, seen, where), seen.retryAfterMs)
}

function see(thrown: unknown): Seen {
  const fields = recordOf(thrown)
  const data = recordOf(recordOf(fields.data).error)
  const status = typeof fields.statusCode === 'number' ? fields.statusCode : null
  const text = firstText([data.message, fields.message, typeof thrown === 'string' ? thrown : undefined])
  const kind = [data.code, data.type, fields.code, fields.type, fields.name].filter(isText).join(' ')
  const retryAfterMs = retryAfter(recordOf(fields.responseHeaders))
  return { status, text, kind, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
}

const byStatus: Readonly<Record<number, FailureCode>> = {
  401: 'auth',
  403: 'auth',
  408: 'timeout',
  413: 'context_length',
  429: 'rate_limited',
  504: 'timeout',
}

function codeOf({ status, text, kind }: Seen): FailureCode {
  if (/context_length|context length|maximum context|context window|prompt is too long/i.test(`${kind} ${text}`)) return 'context_length'
  if (status !== null && byStatus[status]) return byStatus[status]
  if (status !== null && status >= 500) return 'overloaded'
  if (status !== null && status >= 400) return 'invalid_request'
  if (/rate_limit/i.test(kind)) return 'rate_limited'
  if (/overloaded|server_error/i.test(kind)) return 'overloaded'
  if (isNetwork(`${kind} ${text}`)) return 'network'
  return 'bad_reply'
}

function isNetwork(words: string): boolean {
  return /APICallError|TypeError|fetch failed|Cannot connect|ECONN|ENOTFOUND|EAI_AGAIN|socket|terminated|UND_ERR/i.test(words)
}

const meaning: Record<FailureCode, string> = {
  no_model: 'is not set up',
  auth: 'refused the key',
  rate_limited: 'takes no more requests for the moment',
  quota: 'has no quota or money left on this account',
  budget: 'stands against a budget',
  overloaded: 'has a problem of its own',
  context_length: 'was given more than fits into its context',
  invalid_request: 'did not accept the request',
  network: 'could not be reached',
  timeout: 'did not answer in time',
  aborted: 'was stopped',
  bad_reply: "sent an answer that can't be read",
}

function sentence(code: FailureCode, seen: Seen, where: Where): string {
  const isBrokenOff = code === 'network' && seen.status !== null && seen.status < 400
  if (isBrokenOff) return `The model ${where.provider}/${where.model} broke off in the middle of its answer.`
  const status = seen.status === null ? '' : ` (HTTP ${seen.status})`
  const said = plain(withoutKeys(seen.text, where.key)).slice(0, 300)
  return `The model ${where.provider}/${where.model} ${meaning[code]}${status}${said === '' ? '.' : `: ${said}`}`
}

/** One line, and nothing in it that steers a terminal. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** A shorter "key" is a placeholder for a server that wants none ("x", "ollama"): hiding it would spoil the words around it. */
const shortestKey = 8

/** Providers repeat the key they refuse. */
export function withoutKeys(text: string, key: string | null): string {
  const hidden = key === null || key.length < shortestKey ? text : text.replaceAll(key, '***')
  return hidden.replace(/\b(sk|rk|pk|gsk|xai)-[\w*-]{6,}/g, '$1-***').replace(/\bBearer\s+\S+/gi, 'Bearer ***')
}

/** Seconds or an HTTP date; null when absent or unreadable. */
function retryAfter(headers: Readonly<Record<string, unknown>>): number | null {
  const ms = Number(headers['retry-after-ms'])
  if (Number.isFinite(ms) && ms > 0) return ms
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(ownAndNamed(value)) : {}
}

/** `message`, `name` and `code` of an Error are not enumerable. */
function ownAndNamed(value: object): [string, unknown][] {
  const named = ['message', 'name', 'code', 'statusCode', 'responseHeaders', 'data', 'type', 'error'] as const
  return [...Object.entries(value), ...named.map((key): [string, unknown] => [key, Reflect.get(value, key)])]
}

function firstText(values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
