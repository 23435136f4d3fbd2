// Pipelines as a person talks with them, over real SQLite, lanes and documents: configurations are written, deployed, and answered.
import { openAgents } from '../../src/agents/agents.ts'
import { type AskId, laneOf, type ProcessId, type SessionId } from '../../src/base/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'
import { type PipelineRooms, pipelineEngine } from '../../src/engines/pipeline/pipeline.ts'
import type { EffectTasks } from '../../src/engines/pipeline/run-tasks.ts'
import { openTells, type Told } from '../../src/engines/pipeline/tells.ts'
import { openMinds } from '../../src/engines/turn/mind.ts'
import type { Engine } from '../../src/lanes/engine.ts'
import type { Kind, ResourceRef } from '../../src/pipelines/configuration.ts'
import type { Writer } from '../../src/pipelines/configurations/store.ts'
import { uriOf } from '../../src/pipelines/configurations/uri.ts'
import type { Remembered } from '../../src/pipelines/conversations/conversations.ts'
import { openPipelines, type PipelinesRoom } from '../../src/pipelines/open-pipelines.ts'
import { templates } from '../../src/pipelines/template/template.ts'
import type { Work } from '../../src/protocol/entry.ts'
import type { Event } from '../../src/protocol/event.ts'
import { lookOnly } from '../../src/tools/look-only.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { openTools } from '../../src/tools/tools.ts'
import { type Bench, openBench } from '../scopes/bench.ts'

export const ada: Writer = { user: 'ada', by: 'user:ada' }

/** A step of a workflow: its task, and its configuration or what stands inline. */
export type StepOf =
  | { readonly task: string; readonly kind: Kind; readonly value: JsonObject; readonly config?: JsonObject }
  | { readonly task: string; readonly config?: JsonObject; readonly extensions?: JsonObject }

export type Talk = {
  readonly bench: Bench
  readonly pipelines: PipelinesRoom
  readonly told: Told[]
  /** Makes an agent of those steps, deploys it, and gives its name. */
  agent(name: string, steps: readonly StepOf[], more?: JsonObject): Promise<{ readonly name: string; readonly ref: ResourceRef }>
  open(agent: string): Promise<{ readonly session: SessionId; readonly process: ProcessId }>
  /** The event of the turn's end. */
  say(session: SessionId, text: string, given?: { readonly context?: JsonObject }): Promise<Event>
  /** A control of the conversation. */
  control(session: SessionId, data: JsonObject): Promise<Event>
  post(session: SessionId, body: Work): Promise<Event>
  /** The next question of that session that is open, or the one that is. */
  question(session: SessionId): Promise<Asked>
  state(process: ProcessId): Promise<Remembered>
  /** Texts of the assistant's lines, oldest first. */
  lines(session: SessionId): Promise<readonly { readonly text: string; readonly options: readonly string[] }[]>
  reopen(): Promise<void>
  close(): Promise<void>
}

export type Asked = { readonly text: string; readonly options: readonly string[]; answer(value: string): Promise<void> }

const noEffects: EffectTasks = {
  'ai.labs.httpcalls': async () => {},
  'ai.labs.mcpcalls': async () => {},
  'steward.toolcalls': async () => {},
  'ai.labs.llm': async () => {},
  'ai.labs.rag': async () => {},
}

export async function openTalk(more: Partial<Pick<PipelineRooms, 'effects' | 'secrets' | 'vars' | 'skills'>> = {}): Promise<Talk> {
  const late: { engine?: Engine; agents?: ReturnType<typeof openAgents> } = {}
  const engine: Engine = { name: 'pipeline', version: 1, accepts: [1], run: async (turn) => late.engine?.run(turn) }
  const told: Told[] = []
  const wire = (bench: Bench): PipelinesRoom => {
    const { scopes, journal, store, clock, newId } = bench
    const agents = openAgents({ documents: scopes.documents, engines: () => ['pipeline'] })
    const pipelines = openPipelines({
      ...{ journal, store: store.journal, documents: scopes.documents, agents, clock, newId },
      secrets: { list: async () => [] },
    })
    const tells = openTells()
    const tools = openTools({ clock, results: memoryResults(), closed: [bench.home], policy: lookOnly })
    const { projects, settings } = scopes
    const rooms: PipelineRooms = {
      ...pipelines,
      ...{ agents, projects, settings, tools, effects: noEffects, templates: templates(500) },
      tells: {
        ...tells,
        tell(one: Told) {
          told.push(one)
          tells.tell(one)
        },
      },
      minds: openMinds({ ofProcess: async () => 'none' }),
      ...more,
    }
    Object.assign(late, { agents, engine: pipelineEngine(rooms) })
    return pipelines
  }
  const first = await openBench({
    engines: [engine],
    engineOf: async (agent, scope) => (await late.agents?.engineOf(agent, scope)) ?? null,
  })
  let bench = first
  let pipelines = wire(bench)

  async function settled(session: SessionId, from: number): Promise<Event> {
    for await (const batch of bench.journal.follow(from)) {
      const found = batch.find((event) => event.type === 'turn-settled' && event.session === session)
      if (!found) continue
      await bench.journal.passed(found.cursor)
      return found
    }
    throw new Error('closed')
  }

  async function post(session: SessionId, body: Work): Promise<Event> {
    const found = await bench.scopes.sessions.get(session)
    if (!found) throw new Error('no such session')
    const from = bench.journal.head()
    const ref = body.kind === 'message' ? { ref: bench.newId('msg') } : {}
    const posted = await bench.lanes.post({
      lane: laneOf(found.process as ProcessId),
      id: bench.newId('ent'),
      from: 'user:ada',
      body,
      ...ref,
    })
    if (!posted.ok) throw new Error(posted.reason)
    return settled(session, from)
  }

  return {
    get bench() {
      return bench
    },
    get pipelines() {
      return pipelines
    },
    told,
    async agent(name, steps, given = {}) {
      const { configurations, deployments } = pipelines
      const workflowSteps: JsonObject[] = []
      for (const step of steps) {
        const { task, config = {} } = step
        if (!('kind' in step)) {
          workflowSteps.push({ type: `eddi://${task}`, config, extensions: step.extensions ?? {} })
          continue
        }
        const [ref] = await configurations.create([{ kind: step.kind, value: step.value }], ada)
        if (ref) workflowSteps.push({ type: `eddi://${task}`, config: { ...config, uri: uriOf(ref) }, extensions: {} })
      }
      const [workflow] = await configurations.create([{ kind: 'workflow', value: { workflowSteps } }], ada)
      if (!workflow) throw new Error('no workflow')
      const [ref] = await configurations.create([{ kind: 'agent', value: { workflows: [uriOf(workflow)], ...given }, name }], ada)
      if (!ref) throw new Error('no agent')
      const { agentName } = await deployments.deploy(ref, 'production', ada)
      return { name: agentName ?? '', ref }
    },
    async open(agent) {
      const { value } = await bench.scopes.sessions.create({ user: 'ada', project: '_user_ada', agent }, 'user:ada')
      return { session: value.id as SessionId, process: value.process as ProcessId }
    },
    say: (session, text, { context } = {}) => post(session, { kind: 'message', session, text, ...(context ? { context } : {}) }),
    control: (session, data) => post(session, { kind: 'note', topic: 'pipeline', data }),
    post,
    async question(session) {
      for await (const batch of bench.journal.follow(0)) {
        const found = batch.find((event) => event.type === 'question-asked' && event.session === session)
        if (!found) continue
        await bench.journal.passed(found.cursor)
        const [one] = await bench.scopes.conversation.questions({ user: 'ada', session, status: 'open' })
        if (!one) throw new Error('the question is not open')
        return {
          text: one.text,
          options: (one.options ?? []).map(({ label }) => label),
          async answer(value) {
            const body = { kind: 'answer', ask: one.id as AskId, value } as const
            await bench.lanes.post({ lane: found.lane, id: bench.newId('ent'), from: 'user:ada', body })
          },
        }
      }
      throw new Error('closed')
    },
    state: (process) => pipelines.conversations.read(laneOf(process)),
    async lines(session) {
      const { items } = await bench.scopes.conversation.branch(session, { limit: 200 })
      return items.flatMap(({ role, text, options = [] }) =>
        role === 'assistant' ? [{ text, options: options.map(({ label }) => label) }] : [],
      )
    },
    async reopen() {
      bench = await bench.reopen()
      pipelines = wire(bench)
    },
    close: () => bench.close(),
  }
}

/** Texts of the items of the last step. */
export function outputOf({ steps }: Remembered): readonly string[] {
  const items: Json = steps.at(-1)?.output['output'] ?? []
  return Array.isArray(items)
    ? items.map((one) => (isJsonObject(one) && typeof one['text'] === 'string' ? one['text'] : JSON.stringify(one)))
    : []
}
