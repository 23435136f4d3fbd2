// The task ai.labs.mcpcalls: calls of MCP tools that the actions of a step fire.
//
// Y100 A dead server, a refusal and a tool that failed are data (memory.current.mcpErrors); the turn goes on. Without continueOnError
//      the calls behind the one that failed are not made.
import type { Json } from '../../../base/json.ts'
import type { McpCall, McpCalls } from '../../../pipelines/configuration.ts'
import type { McpAnswer } from '../../../tools/mcp/mcp.ts'
import type { Scene, Task, TaskRooms } from '../scene.ts'
import { isRefusal, type Refusal, refusal } from './calls-judge.ts'
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
import { calledTool, isAllowed, type McpServer, serverOf } from './mcp-server.ts'

export function mcpCallsTask(rooms: TaskRooms): Task<'ai.labs.mcpcalls'> {
  return async (scene, { at, calls }) => {
    const fired = firedBy(scene, calls.mcpCalls)
    if (fired.length === 0) return
    const server = serverOf(rooms, scene, configOf(calls))
    for (const call of fired) {
      const isFine = await fire(server, at, call)
      if (!isFine && !call.continueOnError) return
    }
  }
}

export function configOf({ mcpServerUrl, ...rest }: McpCalls) {
  return { url: mcpServerUrl, ...rest }
}

/** False: it failed. */
async function fire(server: McpServer, at: string, call: McpCall): Promise<boolean> {
  const { scene } = server
  await prepared(scene, call.preRequest)
  const name = stepName(scene, at, call.name)
  const all = argumentsOf(scene, call)
  await delayed(scene, `${name}-delay`, call.preRequest?.delayBeforeExecutingInMillis)
  const answers: (McpAnswer | Refusal)[] = []
  for (const [place, args] of all.entries()) {
    const own = all.length === 1 ? name : `${name}[${place}]`
    answers.push(await answerTo(server, own, { call, args }))
  }
  return finish(scene, call, answers)
}

function argumentsOf(scene: Scene, call: McpCall) {
  const batch = call.preRequest?.batchRequests
  if (!batch) return [renderedObject(scene, call.toolArguments)]
  const elements = elementsOf(scene, batch)
  checkCount(`The call "${call.name}"`, elements.length)
  const name = objectName(batch.iterationObjectName)
  return elements.map((one) => withObjects(scene, { [name]: one }, () => renderedObject(scene, call.toolArguments)))
}

type Asking = { readonly call: McpCall; readonly args: ReturnType<typeof renderedObject> }

function answerTo(server: McpServer, name: string, { call, args }: Asking): Promise<McpAnswer | Refusal> {
  if (!isAllowed(server.config, call.toolName)) {
    const text = `The tool "${call.toolName}" is not among those that the configuration allows (toolsWhitelist, toolsBlacklist).`
    return Promise.resolve(refusal('not_allowed', text))
  }
  return calledTool(server, name, { tool: call.toolName, args, isByRules: true })
}

function finish(scene: Scene, call: McpCall, answers: readonly (McpAnswer | Refusal)[]): boolean {
  const failed = answers.find((one) => isRefusal(one) || one.isError)
  if (answers.some((one) => one.ok && !isRefusal(one))) scene.mind.raise('foreign', [`mcp call ${call.name}`])
  if (failed) noteFailure(scene, call, failed)
  const values = answers.flatMap((one) => (isRefusal(one) ? [] : [valueIn(one)]))
  const isBatch = call.preRequest?.batchRequests !== undefined
  const value: Json = isBatch ? values : (values[0] ?? null)
  const name = call.responseObjectName === '' ? call.name : call.responseObjectName
  const isKept = call.saveResponse && !failed && answers.length > 0
  if (isKept) keep(scene, name, value)
  const code = failed ? (isRefusal(failed) ? 0 : 500) : 200
  const run = () => runPost(scene, call.postResponse, { code, isValidationError: false })
  if (isKept || value === null) run()
  else withObjects(scene, { [name]: value }, run)
  return !failed
}

function keep(scene: Scene, name: string, value: Json): void {
  scene.objects.set(name, value)
  scene.keep(name)
  scene.memory.current.set(`mcpCalls:${name}`, value)
  addOut(scene, 'mcpCalls', [name, value])
}

function noteFailure(scene: Scene, call: McpCall, failed: McpAnswer | Refusal): void {
  const error = isRefusal(failed)
    ? { code: failed.code, message: failed.text }
    : { code: 'tool_error', message: failed.text.slice(0, 10_000).toWellFormed() }
  scene.memory.current.set(`mcpErrors:${call.name}`, error)
  addOut(scene, 'mcpErrors', [call.name, error])
}

/** The structured part where there is one, JSON where the text is some, images beside the text. */
export function valueIn({ text, structured, images }: McpAnswer): Json {
  const plain: Json = structured ?? (looksLikeJson(text) ? jsonIn(text)?.value : undefined) ?? text
  return images.length === 0 ? plain : { content: plain, images: images.map((one) => ({ ...one })) }
}
