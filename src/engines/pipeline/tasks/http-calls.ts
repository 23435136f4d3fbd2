// The task ai.labs.httpcalls: calls that the actions of a step fire, what is done before and after each, and where answers are kept.
//
// Y96  An answer of any code is data: it goes on with the turn. No answer at all ends the turn with a sentence, unless the configuration
//      says what is done when there is none (code 0).
// Y97  A call that nobody waits for is a recorded step too; its failure is noted and changes nothing.
// Y98  A batch makes one call for each element that the filter lets through, one after the other or five side by side.
import type { Json, JsonObject } from '../../../base/json.ts'
import type { HttpCall } from '../../../pipelines/configuration.ts'
import { type Scene, type Task, TaskFailed, type TaskRooms } from '../scene.ts'
import { isRefusal, type Refusal } from './calls-judge.ts'
import { type After, isHandled, runPost } from './calls-post.ts'
import { addOut, checkCount, delayed, elementsOf, firedBy, objectName, prepared, stepName, withObjects } from './calls-scene.ts'
import { attempts, bodyOf, type Ended } from './http-attempts.ts'
import { type HttpRequest, requestOf } from './http-request.ts'
import type { Answer } from './http-send.ts'

const sideBySide = 5
/** Characters of a failed call's answer that rules and templates see. */
const mostErrorText = 10_000

export type Firing = {
  readonly rooms: TaskRooms
  readonly scene: Scene
  readonly at: string
  readonly server: string
  readonly call: HttpCall
  readonly isByRules: boolean
}

export function httpCallsTask(rooms: TaskRooms): Task<'ai.labs.httpcalls'> {
  return async (scene, { at, calls }) => {
    const later: Promise<unknown>[] = []
    try {
      for (const call of firedBy(scene, calls.httpCalls)) {
        const firing: Firing = { rooms, scene, at, server: calls.targetServerUrl, call, isByRules: true }
        if (call.fireAndForget) later.push(forgotten(firing))
        else await fire(firing)
      }
    } finally {
      await Promise.all(later)
    }
  }
}

/** Makes the call, keeps its answer, and does what is configured after it. Throws TaskFailed when nobody says what no answer means. */
export async function fire(firing: Firing): Promise<Ended> {
  const { scene, call } = firing
  await prepared(scene, call.preRequest)
  const name = stepName(scene, firing.at, call.name)
  if (isBatch(call)) return fireBatch(firing, name)
  const request = requestOf(scene, firing.server, call)
  await delayed(scene, `${name}-delay`, call.preRequest?.delayBeforeExecutingInMillis)
  const ended = await tried(firing, name, request)
  finish(firing, [ended])
  return ended
}

function tried({ rooms, scene, call, isByRules }: Firing, name: string, request: HttpRequest | Refusal): Promise<Ended> {
  if (!('method' in request)) return Promise.resolve({ answer: request, isValidationError: false })
  return attempts({ rooms, scene, call, request, name, isByRules })
}

// ---- batches

async function fireBatch(firing: Firing, name: string): Promise<Ended> {
  const { scene, call } = firing
  const all = batchOf(firing, name)
  await delayed(scene, `${name}-delay`, call.preRequest?.delayBeforeExecutingInMillis)
  const width = call.preRequest?.batchRequests?.executeCallsSequentially === false ? sideBySide : 1
  const ended: Ended[] = []
  for (let at = 0; at < all.length; at += width) {
    ended.push(...(await Promise.all(all.slice(at, at + width).map((one) => tried(firing, one.name, one.request)))))
  }
  finish(firing, ended)
  return ended.find(({ answer }) => !answer.ok) ?? ended.at(-1) ?? { answer: nothing, isValidationError: false }
}

function isBatch({ preRequest }: HttpCall): boolean {
  return preRequest?.batchRequests !== undefined
}

const nothing: Refusal = { ok: false, code: 'empty', text: 'There was nothing to make a call for.' }

type Element = { readonly name: string; readonly request: HttpRequest | Refusal }

/** Requests are made up before the first is sent: what comes back changes none of them. */
function batchOf({ scene, server, call }: Firing, name: string): readonly Element[] {
  const batch = call.preRequest?.batchRequests
  const iterating = {
    pathToTargetArray: batch?.pathToTargetArray ?? '',
    iterationObjectName: objectName(batch?.iterationObjectName || call.iterationObjectName),
    templateFilterExpression: batch?.templateFilterExpression ?? '',
  }
  const elements = elementsOf(scene, iterating)
  checkCount(`The call "${call.name}"`, elements.length)
  return elements.map((one, at) => ({
    name: `${name}[${at}]`,
    request: withObjects(scene, { [iterating.iterationObjectName]: one }, () => requestOf(scene, server, call)),
  }))
}

// ---- nobody waits for it

async function forgotten(firing: Firing): Promise<void> {
  const { scene, call } = firing
  await prepared(scene, call.preRequest)
  const name = stepName(scene, firing.at, call.name)
  const all = isBatch(call) ? batchOf(firing, name) : [{ name, request: requestOf(scene, firing.server, call) }]
  await delayed(scene, `${name}-delay`, call.preRequest?.delayBeforeExecutingInMillis)
  const isInOrder = call.preRequest?.batchRequests?.executeCallsSequentially ?? false
  const width = isInOrder ? 1 : sideBySide
  for (let at = 0; at < all.length; at += width) {
    const ended = await Promise.all(all.slice(at, at + width).map((one) => tried(firing, one.name, one.request)))
    for (const { answer } of ended) if (isRefusal(answer)) noteFailure(firing, answer)
  }
}

// ---- what comes of it

function finish(firing: Firing, ended: readonly Ended[]): void {
  const { scene, call } = firing
  const failed = ended.find(({ answer }) => !isGood(answer))
  const last = failed ?? ended.at(-1)
  if (last === undefined) return
  if (failed) noteFailure(firing, failed.answer)
  const answers = ended.flatMap(({ answer }) => (answer.ok ? [answer] : []))
  if (answers.some(({ request, text }) => text !== '' && !isOwn(firing, request))) scene.mind.raise('foreign', [`http call ${call.name}`])
  const bodies = answers.map(bodyOf)
  const value: Json = isBatch(call) ? bodies : (bodies[0] ?? null)
  keepHeaders(firing, answers)
  const isKept = call.saveResponse && failed === undefined
  if (isKept) keepResponse(firing, value)
  const code = last.answer.ok ? last.answer.status : 0
  if (!last.answer.ok && isFailure(firing, last.answer)) throw new TaskFailed(sentenceOf(firing, last.answer))
  if (!last.answer.ok && last.answer.code === 'assumed') return
  after(firing, isKept ? null : value, { code, isValidationError: last.isValidationError })
}

/** Where the answer is not kept, what is done with it sees it all the same. */
function after({ scene, call }: Firing, value: Json, given: After): void {
  const name = call.responseObjectName
  const run = () => runPost(scene, call.postResponse, given)
  if (value === null || name === '') run()
  else withObjects(scene, { [name]: value }, run)
}

function isGood(answer: Answer | Refusal): boolean {
  return answer.ok && answer.status >= 200 && answer.status < 300
}

/** What the person said themselves is no failure. */
function isFailure({ call, isByRules }: Firing, { code }: Refusal): boolean {
  // A model is told.
  if (!isByRules) return false
  if (code === 'assumed' || code === 'abandoned' || code === 'empty') return false
  return !isHandled(call.postResponse, 0)
}

function isOwn({ rooms }: Firing, request: JsonObject): boolean {
  return rooms.own?.isOwn(String(request['url'])) ?? false
}

function keepResponse({ scene, call }: Firing, value: Json): void {
  const name = call.responseObjectName === '' ? call.name : call.responseObjectName
  scene.objects.set(name, value)
  scene.keep(name)
  scene.memory.current.set(`httpCalls:${name}`, value)
  addOut(scene, 'httpCalls', [name, value])
}

function keepHeaders({ scene, call }: Firing, answers: readonly Answer[]): void {
  const name = call.responseHeaderObjectName
  const last = answers.at(-1)
  if (name === '' || last === undefined) return
  const headers: JsonObject = { ...spelled(last.headers) }
  scene.objects.set(name, headers)
  scene.keep(name)
  scene.memory.current.set(`httpCalls:${name}`, headers)
  addOut(scene, 'httpCalls', [name, headers])
}

/** Templates name headers as they are usually written; both spellings are there. */
function spelled(headers: JsonObject): JsonObject {
  const usual = Object.entries(headers).map(([name, value]): [string, Json] => [
    name.replace(/(^|-)[a-z]/g, (one) => one.toUpperCase()),
    value,
  ])
  return { ...headers, ...Object.fromEntries(usual) }
}

/** For rules and templates: `memory.current.httpErrors.<name of the call>`. */
function noteFailure({ scene, call }: Firing, answer: Answer | Refusal): void {
  const error: JsonObject = answer.ok
    ? { httpCode: answer.status, message: `It answered with status ${answer.status}.`, response: shortened(answer) }
    : { httpCode: 0, code: answer.code, message: answer.text }
  scene.memory.current.set(`httpErrors:${call.name}`, error)
  addOut(scene, 'httpErrors', [call.name, error])
}

function shortened(answer: Answer): Json {
  return answer.text.length > mostErrorText ? answer.text.slice(0, mostErrorText).toWellFormed() : bodyOf(answer)
}

function sentenceOf({ call }: Firing, { text }: Refusal): string {
  return `The call "${call.name}" got no answer. ${text}`
}
