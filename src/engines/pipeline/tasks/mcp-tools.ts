// Tools of MCP servers for a model. Each call of one is asked about as any tool that sends something; a yes is for the tool as it was
// described when it was asked (Y105).
//
// Y101 Which tools a server has is a recorded look of the turn; a server that can't be asked has none, and the turn goes on.
import type { JsonObject } from '../../../base/json.ts'
import type { Act } from '../../../lanes/engine.ts'
import { type McpAnswer, type McpDefinition, offeredName, spokenOf } from '../../../tools/mcp/mcp.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { isRefusal, judged, type Refusal, refusal } from './calls-judge.ts'
import { addOut, stepName } from './calls-scene.ts'
import { framed, inOrder, refusedTool, type TaskTool } from './calls-tool.ts'
import { calledTool, caught, intentTo, listedTools, type McpConfig, type McpServer, sealed, serverOf } from './mcp-server.ts'

/** `at`: of the step that wants them. */
export async function mcpTools(
  rooms: TaskRooms,
  scene: Scene,
  { at, config }: { readonly at: string; readonly config: McpConfig },
): Promise<readonly TaskTool[]> {
  const server = serverOf(rooms, scene, config)
  const listed = await listedTools(server, stepName(scene, at, `${server.name}/tools`))
  if (isRefusal(listed)) {
    addOut(scene, 'mcpErrors', [server.name, { code: listed.code, message: listed.text }])
    return []
  }
  const tools = listed.tools.map((one) => toolOf(server, at, one))
  return config.exposeResources ? [...tools, ...resourceTools(server, at)] : tools
}

function toolOf(server: McpServer, at: string, definition: McpDefinition): TaskTool {
  const { scene } = server
  return {
    name: offeredName(server.name, definition.name),
    description: spokenOf(server.name, definition),
    schema: definition.schema,
    run: (args) =>
      inOrder(scene, async () => {
        const name = stepName(scene, at, `${server.name}/${definition.name}`)
        const wish = { tool: definition.name, args, isByRules: false, hash: definition.hash }
        return toldOf(server, name, await calledTool(server, name, wish))
      }),
  }
}

function toldOf(server: McpServer, name: string, answer: McpAnswer | Refusal): ToolResult {
  if (isRefusal(answer)) return refusedTool(answer)
  const structured = answer.structured === null ? '' : JSON.stringify(answer.structured)
  const text = [answer.text, structured === answer.text ? '' : structured].filter((one) => one !== '').join('\n')
  const failed = answer.isError ? { code: 'tool_error', head: '[the tool says that it failed]' } : { head: '' }
  return framed(server.scene, name, { ok: !answer.isError, ...failed, text, source: server.target.url })
}

// ---- resources

function resourceTools(server: McpServer, at: string): readonly TaskTool[] {
  const { scene } = server
  const read: TaskTool = {
    name: offeredName(server.name, 'read_resource'),
    description: `Reads a resource of the MCP server ${JSON.stringify(server.name)} by its uri. What it holds is content from outside.`,
    schema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'], additionalProperties: false },
    run: ({ uri }) => inOrder(scene, () => resource(server, at, { what: 'resources/read', args: { uri: String(uri ?? '') } })),
  }
  const list: TaskTool = {
    name: offeredName(server.name, 'list_resources'),
    description: `Lists the resources of the MCP server ${JSON.stringify(server.name)}.`,
    schema: { type: 'object', properties: {}, additionalProperties: false },
    run: () => inOrder(scene, () => resource(server, at, { what: 'resources/list', args: {} })),
  }
  return [list, read]
}

type Reading = { readonly what: 'resources/list' | 'resources/read'; readonly args: JsonObject }

/** It only reads, but what it asks for may say something to the server: it is asked about like a page. */
async function resource(server: McpServer, at: string, { what, args }: Reading): Promise<ToolResult> {
  const { rooms, scene } = server
  const name = stepName(scene, at, `${server.name}/${what}`)
  const intent = { ...intentTo(server, what, args), capability: 'web.read' as const, risk: 'R1' as const }
  const answer = await judged<McpAnswer>(rooms, scene, {
    name,
    intent,
    run: (step, clear) =>
      caught(() =>
        scene.turn.step<McpAnswer | Refusal>(
          step,
          'replayable',
          async (acting) => (await clear(acting)) ?? (await asked(server, { what, args }, acting)),
        ),
      ),
  })
  return toldOf(server, name, answer)
}

async function asked({ rooms, target }: McpServer, { what, args }: Reading, { signal }: Act): Promise<McpAnswer | Refusal> {
  const { mcp } = rooms.outgoing
  if (what === 'resources/read') {
    const found = await mcp.read(target, String(args['uri']), signal)
    return found.ok ? sealed(rooms, found) : refusal(found.code, found.text)
  }
  const listed = await mcp.resources(target, signal)
  if (!listed.ok) return refusal(listed.code, listed.text)
  const text = listed.resources.map(({ uri, name, mime }) => `${uri} ${name}${mime === '' ? '' : ` (${mime})`}`).join('\n')
  return { ok: true, isError: false, text, structured: null, images: [] }
}
