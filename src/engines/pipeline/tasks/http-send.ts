// One attempt: secrets are filled in, for that host; the guard leads it to a checked address; what is recorded is sealed.
//
// Y92  A value of a secret is in the request and nowhere else. The address that was checked is the one connected to, redirects too.
// Y93  Calls to EDDI's own address are made in this process, with the rights of the person whose conversation it is.
import { InvalidInput, StewardError } from '../../../base/errors.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import type { Act } from '../../../lanes/engine.ts'
import { contentOf, fetchPage, isExempt, type Page, parseUrl, retryAfterIn } from '../../../tools/web/web.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { type Refusal, refusal } from './calls-judge.ts'
import { jsonIn } from './calls-response.ts'
import { type HttpRequest, referencesOf, urlText } from './http-request.ts'

/** `text` is the body; what is no text is empty, and `type` says what it is. */
export type Answer = {
  readonly ok: true
  readonly status: number
  readonly type: string
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  readonly isCut: boolean
  readonly retryAfterMs: number | null
  /** What was asked, for the record. */
  readonly request: JsonObject
}

export type Sending = {
  readonly request: HttpRequest
  readonly timeoutMs: number
  readonly mostBytes: number
  /** It may have arrived, and nobody can know: true: that is an answer too; false: it is thrown. */
  readonly mayBeUnknown: boolean
}

const accept = 'application/json, text/*;q=0.9, */*;q=0.5'
const mostShown = 2_000

type Sender = { readonly rooms: TaskRooms; readonly scene: Scene; readonly act: Act }

/** Throws when the turn was stopped, and when it may have arrived and must not arrive twice. */
export async function sendOnce(sender: Sender, sending: Sending): Promise<Answer | Refusal> {
  const { rooms, scene, act } = sender
  act.progress(`${sending.request.method} ${originOf(sending.request)}`)
  const timer = new AbortController()
  const alarm = rooms.outgoing.clock.after(sending.timeoutMs, () => timer.abort(new Error('time is up')))
  const signal = AbortSignal.any([act.signal, timer.signal])
  try {
    const own = rooms.own?.isOwn(sending.request.shown) ? rooms.own : null
    const answer = own ? await askOwn(own, scene, { sending, signal }) : await askOutside(sender, { sending, signal })
    return await sealed(rooms, answer)
  } catch (thrown) {
    act.signal.throwIfAborted()
    if (thrown instanceof StewardError) return refusal(thrown.code, thrown.message)
    if (!timer.signal.aborted) throw thrown
    const why = `${originOf(sending.request)} did not answer within ${sending.timeoutMs / 1000} seconds.`
    if (sending.mayBeUnknown) return refusal('timeout', why)
    throw new Error(why)
  } finally {
    alarm.cancel()
  }
}

type Asking = { readonly sending: Sending; readonly signal: AbortSignal }

async function askOutside({ rooms, scene }: Sender, { sending, signal }: Asking): Promise<Answer | Refusal> {
  const { request, mostBytes } = sending
  const { reach } = rooms.outgoing
  const { url, headers, body } = await withSecrets(scene, request, (to) => isExempt(to, reach))
  const wanted = { url, method: request.method, accept, mostBytes, signal, headersFor: async () => headers }
  const page = await fetchPage({ ...wanted, ...(body === null ? {} : { body }) }, reach)
  if (page.ok) return answerOf(page, request)
  if (page.code === 'unreachable' && page.isSent && !sending.mayBeUnknown) throw new Error(page.why)
  return refusal(page.code, page.why)
}

type Filled = { readonly url: URL; readonly headers: Record<string, string>; readonly body: string | null }

async function withSecrets(scene: Scene, request: HttpRequest, isTrusted: (url: URL) => boolean): Promise<Filled> {
  const origin = originOf(request)
  const resolve = (text: string) => scene.resolve(text, origin)
  const values = new Map<string, string>()
  for (const one of referencesOf(request)) values.set(one, encodeURIComponent(await resolve(one)))
  const url = parseUrl(urlText(request, (one) => values.get(one) ?? ''))
  if (!(url instanceof URL)) throw new InvalidInput(url.why)
  const named = Object.entries(request.headers).map(async ([name, text]) => [name, await resolve(text)] as const)
  const headers = Object.fromEntries(await Promise.all(named))
  const body = request.body === null ? null : await bodyWith(request, resolve)
  const isSecret =
    values.size > 0 || body !== request.body || Object.entries(headers).some(([name, text]) => text !== request.headers[name])
  if (isSecret && url.protocol !== 'https:' && !isTrusted(url)) {
    throw new InvalidInput(`A secret is sent over https only; ${origin} is not encrypted.`)
  }
  return { url, headers, body }
}

/** In JSON a value stays one text, whatever signs it holds. */
async function bodyWith({ body }: HttpRequest, resolve: (text: string) => Promise<string>): Promise<string> {
  const text = body ?? ''
  if (!text.includes('{{secret:')) return text
  const json = jsonIn(text)
  return json === null ? resolve(text) : JSON.stringify(await resolvedIn(json.value, resolve))
}

async function resolvedIn(value: Json, resolve: (text: string) => Promise<string>): Promise<Json> {
  if (typeof value === 'string') return resolve(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map((one: Json) => resolvedIn(one, resolve)))
  const members = Object.entries(value).map(async ([name, one]) => [name, await resolvedIn(one, resolve)] as const)
  return Object.fromEntries(await Promise.all(members))
}

function answerOf({ answer }: Page, request: HttpRequest): Answer {
  const { status, isCut } = answer
  // A session of the other side is nobody's to keep.
  const { 'set-cookie': _, ...headers } = answer.headers
  const found = contentOf(answer)
  // What a server calls otherwise may be text all the same.
  const content = found.kind === 'other' ? contentOf({ ...answer, headers: { 'content-type': 'text/plain' } }) : found
  const text = content.kind === 'other' ? '' : content.text.toWellFormed()
  return {
    ok: true,
    status,
    type: found.type,
    headers,
    text,
    isCut,
    retryAfterMs: retryAfterIn(headers) ?? null,
    request: recordOf(request),
  }
}

function recordOf({ method, shown, body }: HttpRequest): JsonObject {
  return { method, url: shown, ...(body === null ? {} : { body: body.slice(0, mostShown).toWellFormed() }) }
}

/** References stay references there: whoever uses them resolves them. */
async function askOwn(own: NonNullable<TaskRooms['own']>, scene: Scene, { sending, signal }: Asking): Promise<Answer> {
  const { request, mostBytes } = sending
  const url = new URL(request.shown)
  const asked = { method: request.method, path: `${url.pathname}${url.search}`, headers: request.headers, body: request.body ?? '' }
  const { user, session } = scene.turn.process
  const { status, headers, body } = await own.call(asked, { user, within: { session, chain: scene.turn.chain }, signal })
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const type = (lower['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const isCut = body.length > mostBytes
  const text = body.slice(0, mostBytes).toWellFormed()
  return { ok: true, status, type, headers: lower, text, isCut, retryAfterMs: null, request: recordOf(request) }
}

async function sealed({ secrets }: TaskRooms, answer: Answer | Refusal): Promise<Answer | Refusal> {
  if (!secrets?.seal) return answer
  const { seal } = secrets
  if (!answer.ok) return { ...answer, text: await seal(answer.text) }
  const each = async (given: JsonObject) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(given).map(async ([name, value]) => [name, typeof value === 'string' ? await seal(value) : value] as const),
      ),
    )
  const headers = Object.entries(await each(answer.headers)).map(([name, value]): [string, string] => [name, String(value)])
  return { ...answer, text: await seal(answer.text), headers: Object.fromEntries(headers), request: await each(answer.request) }
}

export function originOf({ base }: Pick<HttpRequest, 'base'>): string {
  return URL.canParse(base) ? new URL(base).origin : base.slice(0, 200)
}
