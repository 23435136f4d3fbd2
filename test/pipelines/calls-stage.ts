// A heart whose engine runs one task with effects, over real HTTP servers; everything else of a pipeline is made by hand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { type HandClock, handClock } from '../../src/base/testing.ts'
import { openMemory } from '../../src/engines/pipeline/memory.ts'
import type { Scene, Task, TaskRooms } from '../../src/engines/pipeline/scene.ts'
import { openGuard } from '../../src/engines/turn/guard.ts'
import { mindOf } from '../../src/engines/turn/mind.ts'
import type { Setup } from '../../src/engines/turn/setup.ts'
import { voiceOf } from '../../src/engines/turn/voice.ts'
import type { Turn } from '../../src/lanes/engine.ts'
import { engine, openHeart } from '../../src/lanes/testing.ts'
import type { HttpCall, HttpCalls, McpCall, McpCalls, PropertyInstruction } from '../../src/pipelines/configuration.ts'
import type { CompiledStep } from '../../src/pipelines/configurations/store.ts'
import type { Step } from '../../src/pipelines/conversation.ts'
import { nothingYet } from '../../src/pipelines/conversations/conversations.ts'
import { templateDataOf } from '../../src/pipelines/data/data.ts'
import { withValueAt } from '../../src/pipelines/paths/paths.ts'
import { withSecretReferences } from '../../src/pipelines/references.ts'
import { templates } from '../../src/pipelines/template/template.ts'
import type { Decision, Plan } from '../../src/policy/decision.ts'
import { openMcp } from '../../src/tools/mcp/mcp.ts'
import { policyThat } from '../../src/tools/testing.ts'
import { reachOf } from '../../src/tools/web/web.ts'

// ---- servers

export type Handler = (request: Asked, response: ServerResponse, incoming: IncomingMessage) => unknown
export type Asked = { readonly method: string; readonly url: string; readonly headers: Record<string, string>; readonly body: string }
export type Site = { readonly origin: string; readonly asked: Asked[]; close(): Promise<void> }

export async function site(handler: Handler, wanted = 0): Promise<Site> {
  const asked: Asked[] = []
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('error', () => {})
    incoming.on('end', () => {
      const { method = '', url = '' } = incoming
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
      const one = { method, url, headers, body: Buffer.concat(parts).toString() }
      asked.push(one)
      void handler(one, response, incoming)
    })
  })
  await new Promise<void>((listening) => server.listen(wanted, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

export function json(response: ServerResponse, value: Json, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

// ---- configurations

type GivenCall = Omit<Partial<HttpCall>, 'request'> & { readonly request?: Partial<HttpCall['request']> }

export function httpCall({ request, ...rest }: GivenCall = {}): HttpCall {
  return {
    name: 'weather',
    description: '',
    parameters: {},
    actions: ['go'],
    saveResponse: true,
    responseObjectName: 'weather',
    responseHeaderObjectName: '',
    fireAndForget: false,
    isBatchCalls: false,
    iterationObjectName: '',
    maxResponseSizeInBytes: 2_000_000,
    ...rest,
    request: { path: '', headers: {}, queryParams: {}, method: 'get', contentType: '', body: '', ...request },
  }
}

export function mcpCall(given: Partial<McpCall> & { readonly toolName: string }): McpCall {
  const usual = { name: given.toolName, actions: ['go'], toolArguments: {}, saveResponse: true, continueOnError: false }
  return { ...usual, responseObjectName: given.toolName, ...given }
}

export function property(given: Partial<PropertyInstruction> & { readonly name: string }): PropertyInstruction {
  return {
    ...{ scope: 'conversation', fromObjectPath: '', toObjectPath: '' },
    ...{ convertToObject: false, override: true, runOnValidationError: false },
    ...given,
  }
}

type Post = NonNullable<HttpCall['postResponse']>
type Pre = NonNullable<HttpCall['preRequest']>

export const post = (given: Partial<Post>): Post => ({
  propertyInstructions: [],
  outputBuildInstructions: [],
  qrBuildInstructions: [],
  ...given,
})

export const pre = (given: Partial<Pre>): Pre => ({ propertyInstructions: [], delayBeforeExecutingInMillis: 0, ...given })

const at = 'workflow 1/step 3'

export function httpStep(calls: HttpCalls): Extract<CompiledStep, { taskId: 'ai.labs.httpcalls' }> {
  return { at, config: {}, taskId: 'ai.labs.httpcalls', calls }
}

export function mcpStep(
  calls: Partial<McpCalls> & { readonly mcpServerUrl: string },
): Extract<CompiledStep, { taskId: 'ai.labs.mcpcalls' }> {
  const usual = { name: 'box', transport: 'http', apiKey: '', timeoutMs: 5_000, toolsWhitelist: [], toolsBlacklist: [] }
  return { at, config: {}, taskId: 'ai.labs.mcpcalls', calls: { ...usual, exposeResources: false, mcpCalls: [], ...calls } }
}

// ---- the stage

export type StageOptions = {
  readonly exempt?: readonly string[]
  readonly decide?: Decision['effect'] | ((plan: Plan) => Decision)
  readonly secrets?: Readonly<Record<string, string>>
  readonly own?: TaskRooms['own']
  readonly localOnly?: boolean
  readonly actions?: readonly string[]
  readonly properties?: JsonObject
  readonly tools?: TaskRooms['tools']
  readonly setupTools?: Setup['tools']
  readonly lookup?: (host: string) => Promise<readonly string[]>
  readonly params?: JsonObject
}

export type After = { readonly step: Step; readonly objects: JsonObject; readonly properties: JsonObject; readonly failed: string | null }

export function decision(plan: Plan, given: Partial<Decision>): Decision {
  const rule = { id: 'test.rule', level: 'preset', text: 'a rule of this test' }
  return { effect: 'allow', rule, risk: plan.risk, reason: 'The test says so.', scopes: ['once'], considered: [], ...given }
}

export async function openStage(run: (rooms: TaskRooms, scene: Scene) => Promise<unknown>, options: StageOptions = {}) {
  const clock = handClock()
  const plans: Plan[] = []
  const results: After[] = []
  const rooms = roomsOf(options, clock, plans)
  const pipe = engine('pipe', async (turn) => {
    const { scene, memory } = sceneFor(turn, rooms, options)
    let failed: string | null = null
    try {
      await run(rooms, scene)
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown.name !== 'TaskFailed') throw thrown
      failed = thrown.message
    }
    const properties = Object.fromEntries([...memory.properties].map(([name, { value }]) => [name, value]))
    results.push({ step: memory.current.done(), objects: Object.fromEntries(scene.objects), properties, failed })
  })
  let heart = await openHeart({ engines: [pipe], clock })
  const process = await heart.process('pipe', options.params ? { params: options.params } : {})
  return {
    clock,
    plans,
    rooms,
    results,
    process,
    heart: () => heart,
    /** Resolves when its turn has ended; the newest result. */
    async say(text = 'go'): Promise<After | undefined> {
      const said = await heart.say(process, text)
      let started: unknown = null
      await heart.until(({ type, data }) => {
        if (type === 'turn-started' && JSON.stringify(data).includes(said.entry)) started = data['turn']
        return type === 'turn-settled' && data['turn'] === started
      })
      return results.at(-1)
    },
    /** Everything in memory is gone. */
    async crash() {
      heart = await heart.crash()
    },
    async names(type: string): Promise<readonly unknown[]> {
      return (await heart.events()).filter((event) => event.type === type).map(({ data }) => data['name'])
    },
    async close() {
      await heart.close()
      await rooms.outgoing.mcp.close()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export function taskOn<Id extends CompiledStep['taskId']>(
  make: (rooms: TaskRooms) => Task<Id>,
  step: Extract<CompiledStep, { readonly taskId: Id }>,
  options: StageOptions = {},
) {
  return openStage((rooms, scene) => make(rooms)(scene, step), options)
}

function roomsOf(options: StageOptions, clock: HandClock, plans: Plan[]): TaskRooms {
  const { decide = 'allow' } = options
  const plain = policyThat(typeof decide === 'string' ? decide : 'allow')
  const reach = reachOf({
    exempt: () => options.exempt ?? [],
    ownPorts: () => [],
    machine: () => ['127.0.0.1'],
    ...(options.lookup ? { lookup: options.lookup } : {}),
  })
  const values = options.secrets ?? {}
  const rooms = {
    outgoing: {
      policy: {
        check: async (plan: Plan, where: Parameters<typeof plain.check>[1]) => {
          plans.push(plan)
          return typeof decide === 'function' ? decide(plan) : plain.check(plan, where)
        },
        holds: plain.holds,
      },
      reach,
      clock,
      mcp: openMcp({ reach, clock, version: '0.0.0-test' }),
    },
    secrets: {
      seal: async (text: string) =>
        Object.entries(values).reduce((found, [name, value]) => {
          const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]
          return forms.reduce((left, form) => left.replaceAll(form, `{{secret:${name}}}`), found)
        }, text),
      resolve: async (text: string) => text.replace(/\{\{secret:([a-z.-]+)\}\}/g, (_, name: string) => values[name] ?? ''),
    },
    ...(options.own ? { own: options.own } : {}),
    ...(options.tools ? { tools: options.tools } : {}),
  }
  return rooms as unknown as TaskRooms
}

function sceneFor(turn: Turn, rooms: TaskRooms, options: StageOptions) {
  const info = { conversationId: 'c1', agentId: 'a1', agentVersion: 1, environment: 'production' as const, userId: 'ada', groupIds: [] }
  const memory = openMemory({ remembered: nothingYet, info, attachments: [] })
  for (const [name, value] of Object.entries(options.properties ?? {})) memory.setProperty({ name, value, scope: 'conversation' })
  memory.current.set('actions', [...(options.actions ?? ['go'])], { isPublic: true })
  const cache = templates(500)
  const setup: Setup = {
    agent: { name: 'agent', title: 'Agent', tier: 'standard', source: JSON.parse('{}'), pledge: ['fs.read'] },
    project: { name: 'shop', title: 'Shop', isHome: false },
    roots: [],
    tools: options.setupTools ?? [],
    budget: 1000,
    ...(options.localOnly ? { localOnly: true } : {}),
  }
  const data = () => templateDataOf(memory, { snippets: {}, vars: {}, objects: Object.fromEntries(memory.objects) })
  const render = (text: string) => cache.get(text).render(data())
  const scene: Scene = {
    ...{ turn, memory, data, render, agent: JSON.parse('{}'), voice: voiceOf(turn, 'agent'), objects: memory.objects },
    mind: mindOf(turn, { raised: () => {} }, 'none'),
    guard: openGuard(),
    setup: async () => setup,
    keep: (name) => void memory.kept.add(name),
    propertyScene: (more = {}) => ({
      ...{ memory, data, render, ...more },
      value: (text) => cache.get(text).value(data()),
      write(path, value) {
        for (const [name, one] of Object.entries(withValueAt(path, Object.fromEntries(memory.objects), value)))
          memory.objects.set(name, one)
      },
      secret: (name) => `{{secret:${name}}}`,
    }),
    random: () => 0,
    resolve: async (text, host) =>
      rooms.secrets?.resolve(withSecretReferences(text), { agent: 'agent', ...(host ? { host } : {}) }) ?? text,
    capabilities: () => [],
    tags: [],
    heard: () => {},
    settle: async () => {},
    tell: () => {},
  }
  return { scene, memory }
}
