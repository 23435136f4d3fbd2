// The task steward.toolcalls: calls of the hub's own tools that the actions of a step fire, on the road of any tool: checked, asked about
// before risk, run as a step, recorded.
//
// Y102 What was refused, denied or failed is data with continueOnError ({ok: false, code, text}); without it, it ends the turn with its
//      sentence.
import type { Json, JsonObject } from '../../../base/json.ts'
import type { ToolCall } from '../../../pipelines/configuration.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import { runCalls } from '../../turn/calls.ts'
import { type Scene, type Task, TaskFailed, type TaskRooms } from '../scene.ts'
import { runPost } from './calls-post.ts'
import { jsonIn, looksLikeJson } from './calls-response.ts'
import {
  addOut,
  checkCount,
  delayed,
  elementsOf,
  firedBy,
  objectName,
  prepared,
  renderedObject,
  stepName,
  withObjects,
} from './calls-scene.ts'

export function toolCallsTask(rooms: TaskRooms): Task<'steward.toolcalls'> {
  return async (scene, { at, calls }) => {
    for (const call of firedBy(scene, calls.toolCalls)) await fire(rooms, scene, { at, call })
  }
}

type Firing = { readonly at: string; readonly call: ToolCall }

async function fire(rooms: TaskRooms, scene: Scene, { at, call }: Firing): Promise<void> {
  await prepared(scene, call.preRequest)
  const name = stepName(scene, at, call.name)
  const all = inputsOf(scene, call)
  await delayed(scene, `${name}-delay`, call.preRequest?.delayBeforeExecutingInMillis)
  const results: ToolResult[] = []
  for (const [place, input] of all.entries()) {
    const result = await run(rooms, scene, { name: all.length === 1 ? name : `${name}[${place}]`, call, input })
    if (!result.ok && !call.continueOnError) throw new TaskFailed(`"${call.name}": ${result.text}`)
    results.push(result)
  }
  finish(scene, call, results)
}

function inputsOf(scene: Scene, call: ToolCall): readonly JsonObject[] {
  const batch = call.preRequest?.batchRequests
  if (!batch) return [renderedObject(scene, call.arguments)]
  const elements = elementsOf(scene, batch)
  checkCount(`The call "${call.name}"`, elements.length)
  const name = objectName(batch.iterationObjectName)
  return elements.map((one) => withObjects(scene, { [name]: one }, () => renderedObject(scene, call.arguments)))
}

type Running = { readonly name: string; readonly call: ToolCall; readonly input: JsonObject }

async function run(rooms: TaskRooms, scene: Scene, { name, call, input }: Running): Promise<ToolResult> {
  const setup = await scene.setup()
  const calls = [{ id: name, name: call.tool, input, state: 'complete' as const }]
  const { mind, guard, turn } = scene
  const round = { number: 0, names: name, setup, calls, mind, guard, entries: turn.entries }
  const { called, arrived, end } = await runCalls(rooms, turn, round)
  scene.heard(arrived)
  if (end !== undefined) return { ok: false, code: 'loop', text: end }
  return called[0]?.result ?? { ok: false, code: 'broken', text: 'It gave no result.' }
}

function finish(scene: Scene, call: ToolCall, results: readonly ToolResult[]): void {
  const values = results.map(valueIn)
  const value: Json = call.preRequest?.batchRequests ? values : (values[0] ?? null)
  const name = call.responseObjectName === '' ? call.name : call.responseObjectName
  scene.objects.set(name, value)
  addOut(scene, 'toolCalls', [name, value])
  const isFine = results.every(({ ok }) => ok)
  runPost(scene, call.postResponse, { code: isFine ? 200 : 500, isValidationError: false })
}

function valueIn({ ok, code = 'failed', text }: ToolResult): Json {
  if (!ok) return { ok: false, code, text }
  return (looksLikeJson(text) ? jsonIn(text)?.value : undefined) ?? text
}
