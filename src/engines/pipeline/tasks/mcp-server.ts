// A configured MCP server as it is reached: its key as bearer, resolved when a request goes out; its tools, as one recorded look.
import { sha256 } from '../../../base/hash.ts'
import type { JsonObject } from '../../../base/json.ts'
import { type Act, StepFailed } from '../../../lanes/engine.ts'
import { withSecretReferences } from '../../../pipelines/references.ts'
import type { McpAnswer, McpDefinition, McpTarget } from '../../../tools/mcp/mcp.ts'
import { faultInArguments } from '../../../tools/mcp/mcp.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { type Intent, judged, type Refusal, refusal } from './calls-judge.ts'
import { outcomeOf } from './http-attempts.ts'

export type McpConfig = {
  readonly url: string
  readonly name: string
  readonly transport: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly toolsWhitelist?: readonly string[]
  readonly toolsBlacklist?: readonly string[]
  readonly exposeResources?: boolean
}

export type McpServer = {
  readonly rooms: TaskRooms
  readonly scene: Scene
  readonly config: McpConfig
  readonly target: McpTarget
  /** For people and models. */
  readonly name: string
}

const defaultTimeoutMs = 30_000

export function serverOf(rooms: TaskRooms, scene: Scene, config: McpConfig): McpServer {
  const url = scene.render(config.url).trim()
  const key = scene.render(withSecretReferences(config.apiKey)).trim()
  const headersFor = async (origin: string): Promise<Readonly<Record<string, string>>> =>
    key === '' ? {} : { authorization: `Bearer ${await scene.resolve(key, origin)}` }
  const { process } = scene.turn
  const timeoutMs = config.timeoutMs > 0 ? config.timeoutMs : defaultTimeoutMs
  const target = { url, transport: config.transport, timeoutMs, owner: `${process.user}/${process.agent}/${sha256(key)}`, headersFor }
  return { rooms, scene, config, target, name: config.name.trim() === '' ? hostIn(url) : config.name.trim() }
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'server'
}

/** Where a list of allowed ones is given, only those; never those of the other list. */
export function isAllowed({ toolsWhitelist = [], toolsBlacklist = [] }: McpConfig, tool: string): boolean {
  return (toolsWhitelist.length === 0 || toolsWhitelist.includes(tool)) && !toolsBlacklist.includes(tool)
}

export type Listed = { readonly ok: true; readonly tools: readonly McpDefinition[] }

/** What it offers, as a step of that name. Asking for it is part of what was agreed to by deploying. */
export function listedTools(server: McpServer, name: string): Promise<Listed | Refusal> {
  const { rooms, scene, target, config } = server
  const intent: Intent = {
    ...intentTo(server, 'tools/list', {}),
    capability: 'web.read',
    risk: 'R1',
    consequences: `Asks the MCP server ${server.name} which tools it has.`,
    isAgreed: isFixed(config),
  }
  return judged<Listed>(rooms, scene, {
    name,
    intent,
    async run(step, clear) {
      const act = async (acting: Act): Promise<Listed | Refusal> => {
        const refused = await clear(acting)
        if (refused) return refused
        const listed = await rooms.outgoing.mcp.tools(target, { signal: acting.signal })
        if (!listed.ok) return refusal(listed.code, listed.text)
        return { ok: true, tools: listed.tools.filter((tool) => isAllowed(config, tool.name)).map((tool) => ({ ...tool })) }
      }
      return caught(() => scene.turn.step<Listed | Refusal>(step, 'replayable', act))
    },
  })
}

export type McpWish = { readonly tool: string; readonly args: JsonObject; readonly isByRules: boolean; readonly hash?: string }

/** One call of a tool, as a step of that name. It may change anything, whatever the server says of it: it is never made twice. */
export function calledTool(server: McpServer, name: string, wish: McpWish): Promise<McpAnswer | Refusal> {
  const { rooms, scene, target } = server
  const { tool, args, hash } = wish
  const known = hash === undefined ? {} : { binding: hash, bindingNow: (signal: AbortSignal) => hashNow(server, tool, signal) }
  const intent = { ...intentTo(server, tool, args), isAgreed: wish.isByRules && isFixed(server.config), ...known }
  return judged<McpAnswer>(rooms, scene, {
    name,
    intent,
    run: (step, clear) =>
      caught(async () => {
        const act = async (acting: Act): Promise<McpAnswer | Refusal> => {
          const refused = (await clear(acting)) ?? (await unfit(server, wish, acting.signal))
          if (refused) return refused
          acting.progress(`${server.name}: ${tool}`)
          const answer = await rooms.outgoing.mcp.call(target, { tool, args, ...(hash === undefined ? {} : { hash }) }, acting.signal)
          if (answer.ok) return sealed(rooms, answer)
          // It may have been done: the person is asked, as for any tool.
          if (answer.isSent) throw new Error(answer.text)
          return refusal(answer.code, answer.text)
        }
        return outcomeOf(await scene.turn.once<McpAnswer | Refusal>(step, act, { words: `${tool} of the MCP server ${server.name}` }))
      }),
  })
}

/** Before anything is sent: the tool is there, and takes those arguments. */
async function unfit({ rooms, target, name }: McpServer, { tool, args }: McpWish, signal: AbortSignal): Promise<Refusal | null> {
  const listed = await rooms.outgoing.mcp.tools(target, { signal })
  if (!listed.ok) return refusal(listed.code, listed.text)
  const found = listed.tools.find((one) => one.name === tool)
  if (!found) {
    const names = listed.tools.map((one) => one.name).slice(0, 40)
    return refusal('unknown_tool', `The MCP server ${name} has no tool "${tool.slice(0, 80)}"; it has ${names.join(', ') || 'none'}.`)
  }
  const fault = faultInArguments(found.schema, args)
  return fault === null ? null : refusal('invalid', `${tool} of ${name}: ${fault}.`)
}

/** Of the tool as the server describes it at this moment; what is not there any more is another one. */
async function hashNow({ rooms, target }: McpServer, tool: string, signal: AbortSignal): Promise<string> {
  const listed = await rooms.outgoing.mcp.tools(target, { signal, fresh: true })
  return (listed.ok ? listed.tools.find((one) => one.name === tool)?.hash : undefined) ?? 'gone'
}

export async function caught<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof StepFailed) return refusal(thrown.code, thrown.message)
    throw thrown
  }
}

export async function sealed({ secrets }: TaskRooms, answer: McpAnswer): Promise<McpAnswer> {
  if (!secrets?.seal) return answer
  const text = await secrets.seal(answer.text)
  const structured = answer.structured === null ? null : JSON.parse(await secrets.seal(JSON.stringify(answer.structured)))
  return { ...answer, text, structured }
}

/** Its address stands in the configuration itself. */
function isFixed({ url }: McpConfig): boolean {
  return !/[{}$]/.test(url)
}

export function intentTo({ rooms, target, name }: McpServer, tool: string, args: JsonObject): Intent {
  const origin = hostOrigin(target.url)
  return {
    tool: 'mcp_call',
    capability: 'web.send',
    target: `${target.url.slice(0, 2_000)}#${tool.slice(0, 200)}`,
    risk: 'R3',
    outward: true,
    consequences: `Has the MCP server ${name} (${origin}) do "${tool.slice(0, 200)}". What that does, only the server knows.`,
    preview: JSON.stringify(args, null, 2).slice(0, 20_000).toWellFormed(),
    input: { server: target.url, tool, arguments: args },
    isAgreed: false,
    isLocal: rooms.outgoing.reach.exempt().some((one) => hostOrigin(one) === origin),
  }
}

function hostOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url.slice(0, 200)
}
