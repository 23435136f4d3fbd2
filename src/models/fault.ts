// Turns whatever a provider or the network threw into a failure with a code and a sentence. Never shows a key.
import type { FailureCode, ModelFailure } from './message.ts'
import { failure } from './message.ts'
import { retryAfter } from './retry-after.ts'
import { type Seen, see } from './seen.ts'

export type Where = { readonly provider: string; readonly model: string; readonly key: string | null }

export type Fault = {
  readonly failure: ModelFailure
  /** All models of that account are concerned, not only this one. */
  readonly isWide: boolean
  /** The window that the provider named, in tokens; null when it named none. */
  readonly window: number | null
  /** Whether the provider may count what was sent: false when it never came there, or was refused. */
  readonly mayCost: boolean
}

/** `thrown`: an error of the provider library, of fetch, or the `error` object of a broken stream. `now`: for dates in it. */
export function faultOf(thrown: unknown, where: Where, now: number): Fault {
  const seen = see(thrown)
  const code = codeOf(seen)
  const isWaiting = code === 'rate_limited' || code === 'overloaded'
  const afterMs = isWaiting ? retryAfter(seen.headers, `${seen.text} ${seen.body}`, now) : null
  return {
    failure: failure(code, sentence(code, seen, where), afterMs ?? undefined),
    isWide: isWide(code, seen),
    window: code === 'context_length' ? windowIn(`${seen.text} ${seen.body}`) : null,
    mayCost: !(seen.status !== null && seen.status >= 400) && !neverThere.test(`${seen.kind} ${seen.text}`),
  }
}

const neverThere = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|SELF_SIGNED|UND_ERR_CONNECT/i

const byStatus: Readonly<Record<number, FailureCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  408: 'timeout',
  413: 'context_length',
  429: 'rate_limited',
  504: 'timeout',
}

const tooLong =
  /context[_ ](length|window|size|limit)|maximum context|prompt is too long|exceeds the maximum number of tokens|input is too long/i
const noMoney =
  /insufficient_quota|billing|credit balance|insufficient (balance|credits|funds)|payment required|hard limit has been reached/i

function codeOf({ status, text, kind, body }: Seen): FailureCode {
  const words = `${kind} ${text}`
  if (isQuota(status, words, body)) return 'quota'
  // A limit by the minute speaks of tokens and input too; only what was refused for its size is too long.
  if (status !== 429 && tooLong.test(words)) return 'context_length'
  if (status !== null && byStatus[status]) return byStatus[status]
  if (status !== null && status >= 500) return 'overloaded'
  if (status !== null && status >= 400) return byWord(kind) ?? 'invalid_request'
  return byWord(kind) ?? (isNetwork(words) ? 'network' : 'bad_reply')
}

function byWord(kind: string): FailureCode | null {
  if (/rate_limit|RESOURCE_EXHAUSTED/i.test(kind)) return 'rate_limited'
  if (/overloaded|server_error|UNAVAILABLE/i.test(kind)) return 'overloaded'
  return /authentication_error|invalid_api_key|UNAUTHENTICATED|API_KEY_INVALID/i.test(kind) ? 'auth' : null
}

/** Google calls a limit by the minute a quota, in the words of others for an empty account; it says when to come back. */
function isQuota(status: number | null, words: string, body: string): boolean {
  if (status !== null && status >= 500) return false
  if (/RESOURCE_EXHAUSTED/.test(words)) return /PerDay/.test(body)
  return status === 402 || ((status === null || status >= 400) && noMoney.test(words))
}

/** Money and keys belong to the account; a limit only when the provider says so. */
function isWide(code: FailureCode, { status, text, kind }: Seen): boolean {
  if (code === 'quota') return !/RESOURCE_EXHAUSTED/.test(kind)
  if (code === 'auth') return status === 401 || !/\bmodel\b/i.test(text)
  return code === 'rate_limited' && /\b(across|for) all (of )?(your )?models\b|(account|organi[sz]ation)[- ]wide/i.test(text)
}

/** "maximum context length is 8192 tokens", "210000 tokens > 200000 maximum", "available context size (4096 tokens)", ... */
function windowIn(text: string): number | null {
  const said =
    /maximum context length (?:is|of) ([\d,]+)/i.exec(text) ??
    /> ([\d,]+)(?: maximum|, decrease)/.exec(text) ??
    /maximum number of tokens allowed \(?([\d,]+)/i.exec(text) ??
    /context (?:size|length|window)(?: of| is)? ?\(?([\d,]+)/i.exec(text) ??
    /"n_ctx"\s*:\s*([\d,]+)/.exec(text)
  const tokens = Number((said?.[1] ?? '').replaceAll(',', ''))
  return Number.isSafeInteger(tokens) && tokens >= 256 ? tokens : null
}

function isNetwork(words: string): boolean {
  return /APICallError|TypeError|fetch failed|Cannot connect|ECONN|ENOTFOUND|EAI_AGAIN|socket|\bterminated\b|UND_ERR/i.test(words)
}

/** What each code means of a model, as the rest of a sentence. */
export const meaning: Record<FailureCode, string> = {
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
  return hidden
    .replace(/\b(sk|rk|pk|gsk|xai)-[\w*-]{6,}/g, '$1-***')
    .replace(/\bAIza[\w-]{10,}/g, 'AIza***')
    .replace(/\bBearer\s+\S+/gi, 'Bearer ***')
}
