// The tools of a model task: the hub's own by their names at EDDI, HTTP calls with parameters, tools of MCP servers, memory.
//
// Y117  A task has the tools that its configuration names and no others; each runs on the road of any tool: checked, asked about before
//       risk, a step, its text content between marks.
import type { JsonObject } from '../../../base/json.ts'
import type { LlmTask, McpCalls } from '../../../pipelines/configuration.ts'
import { builtInTools } from '../../../pipelines/configurations/checks.ts'
import type { NamedTools } from '../../../pipelines/configurations/store.ts'
import { isPledged } from '../../../policy/capability.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import { runCalls } from '../../turn/calls.ts'
import type { Setup } from '../../turn/setup.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { stepName } from './calls-scene.ts'
import { inOrder } from './calls-tool.ts'
import { httpCallTools } from './http-tools.ts'
import { approvedTools } from './llm-approve.ts'
import { memoryTools } from './llm-memory.ts'
import { circle, type LoopTool } from './llm-tool.ts'
import type { McpConfig } from './mcp-server.ts'
import { mcpTools } from './mcp-tools.ts'

export type Offering = {
  readonly at: string
  readonly task: LlmTask
  readonly named: NamedTools
}

/** What no provider takes is left out: the first of them count. */
const mostTools = 120

export async function toolsOf(rooms: TaskRooms, scene: Scene, offering: Offering): Promise<readonly LoopTool[]> {
  const found = [
    ...(await ownTools(rooms, scene, offering)),
    ...memoriesFor(rooms, scene, offering),
    ...httpTools(rooms, scene, offering),
    ...(await serverTools(rooms, scene, offering)),
  ]
  return approvedTools(scene, onceEach(found).slice(0, mostTools), offering.task)
}

/** The first of a name keeps it. */
function onceEach(tools: readonly LoopTool[]): readonly LoopTool[] {
  const taken = new Set<string>()
  return tools.map((tool) => {
    let name = tool.name
    for (let at = 2; taken.has(name); at++) name = `${tool.name.slice(0, 60)}_${at}`
    taken.add(name)
    return name === tool.name ? tool : { ...tool, name }
  })
}

// ---- the hub's own

async function ownTools(rooms: TaskRooms, scene: Scene, { at, task }: Offering): Promise<readonly LoopTool[]> {
  const names = ownNames(task)
  if (names.length === 0) return []
  const setup = await scene.setup()
  const pledge = pledgeFor(scene, setup)
  const asker = { pledge, tools: { add: [], remove: [], defer: [] } }
  const there = await scene.turn.read(stepName(scene, at, 'tools'), async () =>
    rooms.tools.allowed(asker, setup.roots).filter((name) => names.includes(name)),
  )
  const effects = there.map((name) => ({ name, effect: rooms.tools.effectOf(name) ?? ('once' as const) }))
  const given: Setup = { ...setup, tools: effects, agent: { ...setup.agent, pledge } }
  return rooms.tools.specs(there).map(({ name, description, schema }) => ({
    ...{ name, description, schema, isGuarded: true },
    run: (args) => inOrder(scene, () => runOwn(rooms, scene, { at, name, args, setup: given })),
  }))
}

function ownNames({ enableBuiltInTools, builtInToolsWhitelist }: LlmTask): readonly string[] {
  if (!enableBuiltInTools) return []
  const wanted = builtInToolsWhitelist.length === 0 ? Object.keys(builtInTools) : builtInToolsWhitelist.map((one) => one.toLowerCase())
  return wanted.flatMap((slug) => (Object.hasOwn(builtInTools, slug) ? (builtInTools[slug] ?? []) : []))
}

/** Its configuration says that it reads the web; who made the process may have given it less. */
function pledgeFor({ turn }: Scene, { agent }: Setup): readonly string[] {
  const held = agent.pledge ?? []
  const outer = turn.process.params['pledge']
  const bound = Array.isArray(outer) ? outer.filter((one): one is string => typeof one === 'string') : null
  return bound !== null && !isPledged(bound, 'web.read') ? held : [...held, 'web.read']
}

type OwnCall = { readonly at: string; readonly name: string; readonly args: JsonObject; readonly setup: Setup }

async function runOwn(rooms: TaskRooms, scene: Scene, { at, name, args, setup }: OwnCall): Promise<ToolResult> {
  const { mind, guard, turn } = scene
  const names = stepName(scene, at, name)
  const calls = [{ id: names, name, input: args, state: 'complete' as const }]
  const { called, arrived, end } = await runCalls(rooms, turn, { number: 0, names, setup, calls, mind, guard, entries: turn.entries })
  scene.heard(arrived)
  if (end !== undefined) return { ok: false, code: circle, text: end }
  return called[0]?.result ?? { ok: false, code: 'broken', text: 'It gave no result.' }
}

// ---- calls and servers

function httpTools(rooms: TaskRooms, scene: Scene, { at, task, named }: Offering): readonly LoopTool[] {
  const own = task.enableHttpCallTools ? scene.agent.steps.filter((step) => step.taskId === 'ai.labs.httpcalls') : []
  const more = task.tools.flatMap((uri) => {
    const found = named.get(uri)
    return found?.kind === 'httpcalls' ? [{ at, calls: found.calls }] : []
  })
  // What a workflow has and the task names too is offered once.
  const all = [...own, ...more].filter(({ calls }, place, each) => each.findIndex((one) => one.calls === calls) === place)
  return all.flatMap((step) => httpCallTools(rooms, scene, { at: step.at, calls: step.calls }))
}

async function serverTools(rooms: TaskRooms, scene: Scene, { at, task, named }: Offering): Promise<readonly LoopTool[]> {
  const own = task.enableMcpCallTools ? scene.agent.steps.filter((step) => step.taskId === 'ai.labs.mcpcalls') : []
  const more = task.tools.flatMap((uri) => {
    const found = named.get(uri)
    return found?.kind === 'mcpcalls' ? [{ at, calls: found.calls }] : []
  })
  const servers = [
    ...[...own, ...more].map((step) => ({ at: step.at, config: configOf(step.calls) })),
    ...task.mcpServers.map((config) => ({ at, config })),
  ]
  const found: LoopTool[] = []
  for (const server of servers) found.push(...(await mcpTools(rooms, scene, server)))
  return found
}

function configOf({ mcpServerUrl: url, name, transport, apiKey, timeoutMs, ...rest }: McpCalls): McpConfig {
  const { toolsWhitelist, toolsBlacklist, exposeResources } = rest
  return { url, name, transport, apiKey, timeoutMs, toolsWhitelist, toolsBlacklist, exposeResources }
}

function memoriesFor(rooms: TaskRooms, scene: Scene, { at, task }: Offering): readonly LoopTool[] {
  const isNamed = task.enableBuiltInTools && task.builtInToolsWhitelist.some((one) => one.toLowerCase() === 'usermemory')
  return scene.agent.config.enableMemoryTools || isNamed ? memoryTools(rooms, scene, at) : []
}
