// A call and its attempts: each is a step of its own, so each is in the record; waiting between them is the turn's own timer.
//
// Y94  GET and HEAD may be asked again after a crash; any other call never is: when nobody knows how it ended, the person is asked.
// Y95  It is tried again as often, and after such times, as configured, within a ceiling; no restart loses or repeats an attempt.
import { sha256 } from '../../../base/hash.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import { type Act, type Once, StepFailed } from '../../../lanes/engine.ts'
import type { HttpCall, RetryInstruction } from '../../../pipelines/configuration.ts'
import { pathMatches } from '../../../pipelines/paths/paths.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { type Clear, type Intent, isRefusal, judged, type Refusal, refusal } from './calls-judge.ts'
import { jsonIn, looksLikeJson } from './calls-response.ts'
import { delayed } from './calls-scene.ts'
import { type HttpRequest, isMembers, isReading } from './http-request.ts'
import { type Answer, originOf, sendOnce } from './http-send.ts'

const defaultTimeoutMs = 30_000
const longestTimeoutMs = 300_000
const mostBytes = 10_000_000
const mostRetries = 20
const longestBackoffMs = 30_000

export type Calling = {
  readonly rooms: TaskRooms
  readonly scene: Scene
  readonly call: HttpCall
  readonly request: HttpRequest
  /** Of the step; unique in the turn. */
  readonly name: string
  /** Rules fired it, not a model. */
  readonly isByRules: boolean
}

/** `isValidationError`: after the last attempt its body still is not what was waited for. */
export type Ended = { readonly answer: Answer | Refusal; readonly isValidationError: boolean }

export async function attempts(calling: Calling): Promise<Ended> {
  const { scene, call, name } = calling
  const retry = call.postResponse?.retryApiCallInstruction
  for (let attempt = 1; ; attempt++) {
    const own = attempt === 1 ? name : `${name}#${attempt}`
    const answer = await judged<Answer>(calling.rooms, scene, {
      name: own,
      intent: intentOf(calling),
      run: (step, clear) => oneAttempt(calling, step, clear),
    })
    const why = retry && !call.fireAndForget ? reasonToRetry(calling, retry, answer) : null
    if (retry === undefined || why === null) return { answer, isValidationError: false }
    if (attempt > Math.min(retry.maxRetries, mostRetries)) return { answer, isValidationError: why === 'body' }
    await delayed(scene, `${own}-wait`, backoffMs(retry, attempt, answer))
  }
}

async function oneAttempt({ rooms, scene, call, request }: Calling, name: string, clear: Clear): Promise<Answer | Refusal> {
  const mayBeUnknown = isReading(request.method) || call.fireAndForget
  const sending = {
    request,
    timeoutMs: Math.min(call.timeoutInMillis ?? defaultTimeoutMs, longestTimeoutMs),
    mostBytes: Math.min(call.maxResponseSizeInBytes, mostBytes),
    mayBeUnknown,
  }
  const act = async (acting: Act) => (await clear(acting)) ?? (await sendOnce({ rooms, scene, act: acting }, sending))
  try {
    if (isReading(request.method)) return await scene.turn.step(name, 'replayable', act)
    const words = `${request.method} ${request.shown.slice(0, 300)} ("${call.name}")`
    const unknown = refusal('unknown', 'It was interrupted, and nobody waited for its answer.')
    const reconcile = async () => ({ found: 'done' as const, value: unknown })
    const options = call.fireAndForget ? { words, reconcile } : { words }
    return outcomeOf(await scene.turn.once<Answer | Refusal>(name, act, options))
  } catch (thrown) {
    if (thrown instanceof StepFailed) return refusal(thrown.code, thrown.message)
    throw thrown
  }
}

export function outcomeOf<T extends Json>(once: Once<T>): T | Refusal {
  if (once.was === 'done') return once.value
  return once.was === 'assumed'
    ? refusal('assumed', 'It was interrupted; the person says that it happened. Its answer is not known.')
    : refusal('abandoned', 'It was interrupted and then left undone by the person.')
}

// ---- whether again, and when

function reasonToRetry({ scene, call }: Calling, retry: RetryInstruction, answer: Answer | Refusal): 'code' | 'body' | null {
  const code = isRefusal(answer) ? 0 : answer.status
  // What a person decided, or nobody can know, is not asked again.
  if (isRefusal(answer) && !retryable.has(answer.code)) return null
  if (retry.retryOnHttpCodes.includes(code)) return 'code'
  if (isRefusal(answer) || answer.text === '') return null
  const body = bodyOf(answer)
  const root = { ...membersOf(body), ...scene.data(), ...(call.responseObjectName === '' ? {} : { [call.responseObjectName]: body }) }
  const isUnwanted = retry.responseValuePathMatchers.some(({ trueIfNoMatch, ...match }) => pathMatches(match, root) !== trueIfNoMatch)
  return isUnwanted ? 'body' : null
}

const retryable: ReadonlySet<string> = new Set(['timeout', 'unreachable', 'not_found', 'invalid_answer'])

function membersOf(value: Json): { readonly [name: string]: Json } {
  return isMembers(value) ? value : {}
}

/** Twice as long each time; longer when the server asks for it; never over the ceiling. */
function backoffMs(retry: RetryInstruction, attempt: number, answer: Answer | Refusal): number {
  const ceiling = Math.min(retry.maxBackoffDelayInMillis ?? longestBackoffMs, longestBackoffMs)
  const doubled = retry.exponentialBackoffDelayInMillis * 2 ** (attempt - 1)
  const wanted = isRefusal(answer) ? 0 : (answer.retryAfterMs ?? 0)
  return Math.min(Math.max(doubled, wanted), ceiling)
}

/** JSON where the server says so or, when it says nothing, where it is; else the text. */
export function bodyOf({ type, text }: Answer): Json {
  const isJson = /[/+]json$/.test(type) || ((type === '' || type === 'text/plain') && looksLikeJson(text))
  return (isJson ? jsonIn(text)?.value : undefined) ?? text
}

// ---- for policy

function intentOf({ rooms, call, request, isByRules }: Calling): Intent {
  const { method, shown, body, isFixed } = request
  const reads = isReading(method)
  const isOwn = rooms.own?.isOwn(shown) ?? false
  const origin = originOf(request)
  const url = URL.canParse(request.base) ? new URL(request.base) : null
  const target = isOwn && url ? `eddi:${url.pathname}` : shown.slice(0, 4_000)
  const sends = reads ? 'asks' : 'sends something to'
  return {
    tool: 'http_call',
    capability: reads ? 'web.read' : 'web.send',
    target,
    risk: reads ? (isOwn ? 'R0' : 'R1') : isOwn ? 'R2' : 'R3',
    outward: !isOwn,
    consequences: `The call "${call.name}" of the agent's configuration ${sends} ${isOwn ? 'this hub, with your rights' : origin} (${method}).`,
    ...(body === null ? {} : { preview: `${method} ${shown}\n\n${body}`.slice(0, 20_000).toWellFormed() }),
    input: { method, url: shown, headers: withoutKeys(request.headers), ...(body === null ? {} : { body }) },
    isAgreed: isFixed && (isByRules || reads),
    isLocal: isOwn || rooms.outgoing.reach.exempt().some((one) => URL.canParse(one) && new URL(one).origin === origin),
  }
}

/** A key that is no reference is known again by its hash: it is shown to nobody and kept nowhere, and a yes is still for this call only. */
function withoutKeys(headers: HttpRequest['headers']): JsonObject {
  const isKey = (name: string, value: string) => /authorization|cookie|key|token|secret|password/.test(name) && !value.includes('{{secret:')
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    isKey(name, value) ? `sha256 ${sha256(value).slice(0, 16)}` : value,
  ])
  return Object.fromEntries(shown)
}
