// Pipelines whose model task runs over a scripted model, real tools, real servers and real memories.
import { systemClock } from '../../src/base/clock.ts'
import type { AskId, SessionId } from '../../src/base/ids.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { TaskRooms } from '../../src/engines/pipeline/scene.ts'
import { llmTask } from '../../src/engines/pipeline/tasks/llm-task.ts'
import { openModels } from '../../src/models/models.ts'
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import type { Decision } from '../../src/policy/decision.ts'
import type { Event } from '../../src/protocol/event.ts'
import { calcTools } from '../../src/tools/calc/calc.ts'
import { openMcp } from '../../src/tools/mcp/mcp.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { policyThat } from '../../src/tools/testing.ts'
import { openTools, type Tools } from '../../src/tools/tools.ts'
import { reachOf } from '../../src/tools/web/web.ts'
import { openTalk, type StepOf, type Talk } from './talk.ts'

export type StageGiven = {
  readonly decide?: Decision['effect']
  readonly exempt?: readonly string[]
  readonly secrets?: TaskRooms['secrets']
  readonly budgets?: TaskRooms['budgets']
  readonly providers?: Readonly<Record<string, string>>
  readonly noModel?: boolean
  readonly paidBy?: Parameters<typeof openModels>[1]['budgets']
  readonly tools?: (tools: Tools) => void
}

export type LlmStage = {
  readonly talk: Talk
  readonly model: ScriptedModel
  agent(task: JsonObject, more?: { readonly before?: readonly StepOf[]; readonly agent?: JsonObject }): Promise<string>
  /** The answer of the person to the next approval of that session. */
  decide(session: SessionId, decision: 'allow' | 'deny'): Promise<Event>
  events(type: string): Promise<readonly Event[]>
  /** What a request told the model, a line each. */
  lines(at: number): readonly string[]
  close(): Promise<void>
}

const thinking: JsonObject = {
  behaviorGroups: [
    {
      rules: [
        {
          name: 'ask',
          actions: ['think'],
          conditions: [{ type: 'negation', conditions: [{ type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }] }],
        },
      ],
    },
  ],
}

export async function openLlm(given: StageGiven = {}): Promise<LlmStage> {
  const model = await startScriptedModel()
  const name = given.noModel ? null : 'openai-compatible/scripted'
  const models = openModels(
    { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: model.url, ...given.providers } },
    { clock: systemClock, retries: 0, ...(given.paidBy ? { budgets: given.paidBy } : {}) },
  )
  const policy = policyThat(given.decide ?? 'allow')
  const tools = openTools({ clock: systemClock, policy, results: memoryResults(), closed: [] })
  for (const tool of calcTools) tools.register(tool)
  given.tools?.(tools)
  const reach = reachOf({ exempt: () => given.exempt ?? [], ownPorts: () => [], machine: () => ['127.0.0.1'] })
  const late: { talk?: Talk } = {}
  const rooms = {
    ...{ models, tools },
    outgoing: { policy, reach, clock: systemClock, mcp: openMcp({ reach, clock: systemClock, version: '0.0.0-test' }) },
    get memories() {
      return late.talk?.pipelines.memories
    },
    ...(given.secrets ? { secrets: given.secrets } : {}),
    ...(given.budgets ? { budgets: given.budgets } : {}),
  } as unknown as TaskRooms
  const none = async () => {}
  const effects = {
    ...{ 'ai.labs.httpcalls': none, 'ai.labs.mcpcalls': none, 'steward.toolcalls': none, 'ai.labs.rag': none },
    'ai.labs.llm': llmTask(rooms),
  }
  const talk = await openTalk({ effects, ...(given.secrets ? { secrets: given.secrets as never } : {}) })
  late.talk = talk

  async function approval(session: SessionId): Promise<Event> {
    const decided = new Set<unknown>()
    for await (const batch of talk.bench.journal.follow(0)) {
      for (const event of batch) if (event.type === 'ask-settled' || event.type === 'approval-decided') decided.add(event.data['ask'])
      const found = batch.find(
        ({ type, session: of, data }) => type === 'approval-requested' && of === session && !decided.has(data['ask']),
      )
      if (found && !answered.has(String(found.data['ask']))) return found
    }
    throw new Error('closed')
  }
  const answered = new Set<string>()

  return {
    talk,
    model,
    async agent(task, more = {}) {
      const tasks = [
        {
          actions: ['think'],
          id: 'chat',
          type: 'openai',
          ...task,
          parameters: { addToOutput: 'true', ...(task['parameters'] as JsonObject) },
        },
      ]
      const steps: readonly StepOf[] = [
        ...(more.before ?? []),
        { task: 'ai.labs.rules', kind: 'rules', value: thinking },
        { task: 'ai.labs.llm', kind: 'llm', value: { tasks } },
      ]
      return (await talk.agent('Thinker', steps, more.agent)).name
    },
    async decide(session, decision) {
      const found = await approval(session)
      const ask = found.data['ask'] as AskId
      answered.add(ask)
      const body = { kind: 'answer', ask, value: { decision, scope: 'once' } } as const
      await talk.bench.lanes.post({ lane: found.lane, id: talk.bench.newId('ent'), from: 'user:ada', body })
      return found
    },
    async events(type) {
      const { events } = await talk.bench.journal.read({ after: 0, limit: 1_000 })
      return events.filter((event) => event.type === type)
    },
    lines: (at) => linesOf(model.requests[at]),
    async close() {
      await talk.close()
      await rooms.outgoing.mcp.close()
      await model.close()
    },
  }
}

function linesOf(request: ScriptedRequest | undefined): readonly string[] {
  return (request?.body.messages ?? []).map(({ role, content, tool_calls: calls }) =>
    [`${role}: ${typeof content === 'string' ? content : ''}`, ...(calls ?? []).map((call) => `call ${call.function.name}`)].join(' '),
  )
}

/** A workflow's step with one GET call that a model may make. */
export function callStep(origin: string, name = 'lookup', more: JsonObject = {}): StepOf {
  const request = { path: '/look?q={word}', method: 'get' }
  const call = { name, description: 'Looks a word up.', parameters: { word: 'The word' }, actions: ['never'], request, ...more }
  return { task: 'ai.labs.httpcalls', kind: 'httpcalls', value: { targetServerUrl: origin, httpCalls: [call] } }
}
