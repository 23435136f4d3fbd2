// The quick engine's surroundings for tests: real lanes, SQLite, scopes and tools; only the model is a script.
import { join } from 'node:path'
import { z } from 'zod'
import { type Agents, openAgents } from '../../src/agents/agents.ts'
import { systemClock } from '../../src/base/clock.ts'
import { packageRoot } from '../../src/base/root.ts'
import { type Context, type ContextRooms, openContext } from '../../src/context/context.ts'
import { quickEngine } from '../../src/engines/quick/quick.ts'
import { openMinds } from '../../src/engines/turn/mind.ts'
import { type Engine, NotDone } from '../../src/lanes/engine.ts'
import { openModels } from '../../src/models/models.ts'
import { lookOnly } from '../../src/tools/look-only.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { defineTool, done } from '../../src/tools/tool.ts'
import { openTools } from '../../src/tools/tools.ts'
import { type Bench, openBench } from '../scopes/bench.ts'

export type Hub = {
  readonly bench: Bench
  readonly agents: Agents
  readonly context: Context
  /** Whom the tool `send`, which must not happen twice, has sent to. */
  readonly sent: string[]
  /** Closes everything and opens it anew over the same data folder. */
  reopen(): Promise<Hub>
}

/** `url`: the model's address. `model` null: none is chosen. */
export async function openHub(given: {
  readonly url: string
  readonly model?: string | null
  readonly windowOf?: ContextRooms['windowOf']
}): Promise<Hub> {
  const late: { engine?: Engine; agents?: Agents } = {}
  const engine: Engine = { name: 'quick', version: 1, accepts: [1], run: async (turn) => late.engine?.run(turn) }
  const sent: string[] = []
  const name = given.model === undefined ? 'openai-compatible/scripted' : given.model
  const settings = { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: given.url } }
  const wire = (bench: Bench): Hub => {
    const { scopes } = bench
    const agents = openAgents({ documents: scopes.documents, engines: () => ['quick'] })
    const models = openModels(settings, { clock: systemClock, retries: 0 })
    const tools = openTools({ clock: systemClock, results: memoryResults(), closed: [bench.home], policy: lookOnly })
    tools.register(sendTool(sent))
    const { journal, store, clock, newId } = bench
    const { conversation, sessions, projects } = scopes
    const context = openContext({
      ...{ journal, store: store.journal, clock, newId, models, conversation, sessions, projects, specs: tools.specs },
      ...(given.windowOf ? { windowOf: given.windowOf } : {}),
    })
    Object.assign(late, {
      agents,
      engine: quickEngine({
        models,
        tools,
        agents,
        context,
        minds: openMinds({ ofProcess: async () => 'none' }),
        projects: scopes.projects,
        settings: scopes.settings,
        conversation: scopes.conversation,
      }),
    })
    return { bench, agents, context, sent, reopen: async () => wire(await bench.reopen()) }
  }
  return wire(
    await openBench({
      engines: [engine],
      engineOf: async (agent, scope) => (await late.agents?.engineOf(agent, scope)) ?? null,
      bundledRoot: join(packageRoot, 'bundled'),
    }),
  )
}

function sendTool(sent: string[]) {
  return defineTool({
    name: 'send',
    description: 'Sends a mail.',
    labels: ['write'],
    capability: 'mail.send',
    effect: 'once',
    input: z.strictObject({ to: z.string() }),
    async run({ to }) {
      if (to === 'nobody') throw new NotDone('there is no such address')
      sent.push(to)
      if (to === 'cut') throw new Error('the line was cut')
      return done(`sent to ${to}`)
    },
  })
}
