// HTTP calls with parameters as tools for a model: what it gives fills the templates of the call.
//
// Y99  A call that a model chose asks as any tool does, unless it only reads from an address that stands in the configuration.
import type { JsonObject } from '../../../base/json.ts'
import type { HttpCall, HttpCalls } from '../../../pipelines/configuration.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { isRefusal } from './calls-judge.ts'
import { asWords, framed, inOrder, refusedTool, type TaskTool, uniqueNames } from './calls-tool.ts'
import { fire } from './http-calls.ts'

/** `at`: of the step that has those calls. */
export function httpCallTools(
  rooms: TaskRooms,
  scene: Scene,
  { at, calls }: { readonly at: string; readonly calls: HttpCalls },
): readonly TaskTool[] {
  const offered = calls.httpCalls.filter(({ parameters }) => Object.keys(parameters).length > 0)
  const names = uniqueNames(offered.map(({ name }) => name))
  return offered.map((call, place) => {
    const name = names[place] ?? call.name
    const firing = { rooms, scene, at, server: calls.targetServerUrl, call, isByRules: false }
    return {
      name,
      description: call.description.trim() === '' ? `Makes the call "${call.name}" of this agent's configuration.` : call.description,
      schema: schemaOf(call),
      run: (args) => inOrder(scene, () => run(firing, name, args)),
    }
  })
}

function schemaOf({ parameters }: HttpCall): JsonObject {
  const properties = Object.entries(parameters).map(([name, description]): [string, JsonObject] => [name, { type: 'string', description }])
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(parameters), additionalProperties: false }
}

async function run(firing: Parameters<typeof fire>[0], name: string, args: JsonObject): Promise<ToolResult> {
  const { scene, call } = firing
  const given = Object.keys(call.parameters).map((one) => [one, Object.hasOwn(args, one) ? asWords(scene, args[one] ?? '') : ''] as const)
  const before = given.map(([one]) => [one, scene.objects.get(one)] as const)
  for (const [one, value] of given) scene.objects.set(one, value)
  try {
    const { answer } = await fire(firing)
    if (isRefusal(answer)) return refusedTool(answer)
    const { status, text, request } = answer
    const isGood = status >= 200 && status < 300
    const told = {
      ok: isGood,
      ...(isGood ? {} : { code: `http_${status}` }),
      head: `[status ${status}]`,
      text,
      source: String(request['url']),
    }
    return framed(scene, name, told)
  } finally {
    for (const [one, value] of before) {
      if (value === undefined) scene.objects.delete(one)
      else scene.objects.set(one, value)
    }
  }
}
