// A pipeline agent as people make them, without any outside call: a dictionary, thirty rules, outputs with templates.
import type { JsonObject } from '../../src/base/json.ts'
import { pipelineEngine } from '../../src/engines/pipeline/pipeline.ts'
import { openTells } from '../../src/engines/pipeline/tells.ts'
import { openMinds } from '../../src/engines/turn/mind.ts'
import type { Engine } from '../../src/lanes/engine.ts'
import type { ResourceRef } from '../../src/pipelines/configuration.ts'
import { uriOf } from '../../src/pipelines/configurations/uri.ts'
import { openPipelines } from '../../src/pipelines/open-pipelines.ts'
import { templates } from '../../src/pipelines/template/template.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { openTools } from '../../src/tools/tools.ts'
import type { BenchRooms } from './rooms.ts'

const topics = 30
const agents = { find: async () => null, at: async () => null, roster: async () => never() }

/** The engine, and what a session that it leads is made with. */
export async function rulesAgent(rooms: BenchRooms): Promise<{ readonly engine: Engine; readonly params: JsonObject }> {
  const { scopes, journal, store, clock, newId, secrets } = rooms
  const pipelines = openPipelines({ journal, store: store.journal, documents: scopes.documents, agents, secrets, clock, newId })
  const ref = await made(pipelines.configurations, rooms.people.owner.name)
  const tools = openTools({ clock, results: memoryResults(), closed: [], policy: rooms.policy })
  const effect = async () => never()
  const engine = pipelineEngine({
    ...{ ...pipelines, agents, tools, projects: scopes.projects, settings: scopes.settings, templates: templates(500), tells: openTells() },
    ...{ minds: openMinds(rooms.policy.taint), secrets },
    effects: {
      'ai.labs.httpcalls': effect,
      'ai.labs.mcpcalls': effect,
      'steward.toolcalls': effect,
      'ai.labs.llm': effect,
      'ai.labs.rag': effect,
    },
  })
  return { engine, params: { pipeline: ref.id, version: ref.version } }
}

async function made(configurations: ReturnType<typeof openPipelines>['configurations'], user: string): Promise<ResourceRef> {
  const writer = { user, by: `user:${user}` } as const
  const [dictionary, rules, output] = await configurations.create(
    [
      { kind: 'dictionary', value: dictionaryOf() },
      { kind: 'rules', value: rulesOf() },
      { kind: 'output', value: outputOf() },
    ],
    writer,
  )
  if (!dictionary || !rules || !output) return never()
  const dictionaries = [
    { type: 'eddi://ai.labs.parser.dictionaries.regular', config: { uri: uriOf(dictionary) } },
    { type: 'eddi://ai.labs.parser.dictionaries.integer' },
  ]
  const workflowSteps = [
    { type: 'eddi://ai.labs.parser', extensions: { dictionaries }, config: {} },
    { type: 'eddi://ai.labs.rules', config: { uri: uriOf(rules) }, extensions: {} },
    { type: 'eddi://ai.labs.property', config: {}, extensions: {} },
    { type: 'eddi://ai.labs.output', config: { uri: uriOf(output) }, extensions: {} },
    { type: 'eddi://ai.labs.templating', config: {}, extensions: {} },
  ]
  const [workflow] = await configurations.create([{ kind: 'workflow', value: { workflowSteps } }], writer)
  const [agent] = workflow
    ? await configurations.create([{ kind: 'agent', value: { workflows: [uriOf(workflow)] }, name: 'Rules' }], writer)
    : []
  return agent ?? never()
}

const numbers = Array.from({ length: topics }, (_, at) => at + 1)

function dictionaryOf(): JsonObject {
  return {
    words: [...numbers.map((at) => ({ word: `topic${at}`, expressions: `topic(t${at})` })), { word: 'line', expressions: 'topic(t3)' }],
  }
}

function rulesOf(): JsonObject {
  const rules = numbers.map((at) => ({
    name: `Topic ${at}`,
    actions: [`answer_${at}`],
    conditions: [{ type: 'inputmatcher', configs: { expressions: `topic(t${at})` } }],
  }))
  const start = {
    name: 'Welcome',
    actions: ['welcome'],
    conditions: [{ type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }],
  }
  return { behaviorGroups: [{ name: 'Topics', executionStrategy: 'executeAll', rules: [start, ...rules] }] }
}

function outputOf(): JsonObject {
  const said = (action: string, text: string) => ({ action, outputs: [{ valueAlternatives: [{ type: 'text', text }] }] })
  const answers = numbers.map((at) =>
    said(`answer_${at}`, `You said: {memory.current.input}. That is about topic ${at}, {userInfo.userId}.`),
  )
  return { outputSet: [said('welcome', 'Welcome.'), ...answers] }
}

function never(): never {
  throw new Error('a benchmark of rules asked for something else')
}
