// One call that makes a whole agent: a model with a system prompt, or one that calls the paths of an OpenAPI description.
//
// Y167  All of it is made in one commit; a key that is given becomes a secret, and only its reference stands in a configuration.
import { randomBytes } from 'node:crypto'
import { InvalidInput } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Kind } from '../../pipelines/configuration.ts'
import { uriOf } from '../../pipelines/configurations/uri.ts'
import { need } from '../caller.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { callsIn } from './openapi-calls.ts'
import { type EddiCall, eddi, environmentIn, locationOf, objectIn, writerOf } from './route.ts'

export const setupCalls: readonly Endpoint[] = [
  eddi({
    method: 'POST',
    path: '/administration/agents/setup',
    summary: 'Makes an agent of a model and a prompt, and deploys it',
    access: 'documents',
    takesSecrets: true,
    run: (call) => setUp(call, []),
  }),
  eddi({
    method: 'POST',
    path: '/administration/agents/setup-api',
    summary: 'Makes an agent that calls the paths of an OpenAPI description, and deploys it',
    access: 'documents',
    takesSecrets: true,
    async run(call) {
      const given = objectIn(call.body, 'what the agent is to be')
      const calls = callsIn(given['openApiSpec'] ?? given['openApi'], {
        baseUrl: textAt(given, 'apiBaseUrl'),
        only: textAt(given, 'endpoints'),
        auth: textAt(given, 'apiAuth'),
      })
      return setUp(call, [{ kind: 'httpcalls', value: await call.hub.secrets.sealJson(calls), task: 'ai.labs.httpcalls' }])
    },
  }),
]

type Part = { readonly kind: Kind; readonly value: JsonObject; readonly task: string }
const talk = 'send_message'
const intro = 'intro'

async function setUp(call: EddiCall, more: readonly Part[]): Promise<Reply> {
  const { hub, caller } = call
  const given = objectIn(call.body, 'what the agent is to be')
  const name = required(given, ['agentName', 'name'])
  const introMessage = textAt(given, 'introMessage')
  const { deployments } = hub.pipelines
  const parts: Part[] = [
    { kind: 'rules', value: rulesFor(introMessage), task: 'ai.labs.rules' },
    ...more,
    { kind: 'llm', value: await modelFor(call, given), task: 'ai.labs.llm' },
    ...(introMessage === '' ? [] : [{ kind: 'output', value: outputFor(introMessage), task: 'ai.labs.output' } as const]),
  ]
  const made = parts.map((part) => ({ ...part, id: newId() }))
  const workflowSteps: Json[] = [
    { type: 'eddi://ai.labs.parser', config: {}, extensions: {} },
    ...made.map(({ kind, id, task }) => ({ type: `eddi://${task}`, config: { uri: uriOf({ kind, id, version: 1 }) }, extensions: {} })),
  ]
  const workflow = { kind: 'workflow', id: newId(), version: 1 } as const
  const agent = { kind: 'agent', id: newId(), version: 1 } as const
  const news = [
    ...made.map(({ kind, id, value }) => ({ kind, id, value, name })),
    { kind: workflow.kind, id: workflow.id, value: { workflowSteps }, name },
    { kind: agent.kind, id: agent.id, value: { workflows: [uriOf(workflow)], description: textAt(given, 'description') }, name },
  ]
  const writer = writerOf(caller)
  await hub.pipelines.configurations.put({ news, changes: [] }, writer)
  const environment = environmentIn(textAt(given, 'environment'))
  const isDeploying = given['deploy'] !== false && given['deploy'] !== 'false'
  if (isDeploying) await deployments.deploy(agent, environment, writer)
  const Location = locationOf(call, `/agentstore/agents/${agent.id}?version=1`)
  const status = isDeploying ? 'READY' : 'NOT_FOUND'
  const body = { agentId: agent.id, agentVersion: 1, agentName: name, workflowId: workflow.id, deployed: isDeploying, environment }
  return { status: 201, body: { ...body, deploymentStatus: status }, headers: { Location } }
}

function rulesFor(introMessage: string): JsonObject {
  const start = { type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }
  const said = { type: 'negation', conditions: [start] }
  const rules = [
    ...(introMessage === '' ? [] : [{ name: 'Introduction', actions: [intro], conditions: [start] }]),
    { name: 'Message', actions: [talk], conditions: [said] },
  ]
  return { behaviorGroups: [{ name: 'Talk', rules }] }
}

function outputFor(text: string): JsonObject {
  return { outputSet: [{ action: intro, timesOccurred: 0, outputs: [{ valueAlternatives: [{ type: 'text', text }] }] }] }
}

async function modelFor(call: EddiCall, given: JsonObject): Promise<JsonObject> {
  const seal = call.hub.secrets.seal
  const [baseUrl, apiKey] = [textAt(given, 'baseUrl'), await keyFor(call, textAt(given, 'apiKey'))]
  const parameters = {
    systemMessage: await seal(required(given, ['systemPrompt'])),
    modelName: required(given, ['model', 'modelName']),
    addToOutput: 'true',
    ...(apiKey === '' ? {} : { apiKey }),
    ...(baseUrl === '' ? {} : { baseUrl }),
  }
  return { tasks: [{ actions: [talk], id: 'setup', type: required(given, ['provider']), parameters }] }
}

/** A reference stays one. Keeping a key needs the right to keep secrets. */
async function keyFor({ hub, caller }: EddiCall, given: string): Promise<string> {
  if (given === '' || /^(?:\$\{(?:eddi)?vault:[^{}]+\}|\{\{secret:[^{}]+\}\})$/.test(given)) return given
  need(caller, 'secrets')
  const name = `setup-${randomBytes(6).toString('hex')}`
  await hub.secrets.set({ name, value: given, agents: ['*'] }, caller.actor)
  return `{{secret:${name}}}`
}

function required(given: JsonObject, names: readonly string[]): string {
  const found = names.map((name) => textAt(given, name)).find((text) => text !== '')
  if (found) return found
  throw new InvalidInput(`/${names[0]} must be a text that is not empty`, { path: `/${names[0]}` })
}

function textAt(given: JsonObject, name: string): string {
  const value = given[name] ?? ''
  if (typeof value === 'string') return value.trim()
  throw new InvalidInput(`/${name} must be a text`, { path: `/${name}` })
}

function newId(): string {
  return randomBytes(12).toString('hex')
}
