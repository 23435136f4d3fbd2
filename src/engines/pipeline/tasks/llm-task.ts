// The model task: what a model answers to what was said, with the tools, the limits and the checks of its configuration.
//
// Y111  Words of a model are data: they are shown as they are, and no template in them is ever rendered.
// Y123  What a task took is told to what follows: model, tokens, cost, tools, and how a cascade went.
import type { JsonObject } from '../../../base/json.ts'
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { NamedTools } from '../../../pipelines/configurations/store.ts'
import { setRendered } from '../../../pipelines/template/template.ts'
import { type Scene, type Task, TaskFailed, type TaskRooms } from '../scene.ts'
import { runPost } from './calls-post.ts'
import { jsonIn } from './calls-response.ts'
import { applyBefore, firedBy, stepName } from './calls-scene.ts'
import { asWords } from './calls-tool.ts'
import type { Failed } from './llm-ask.ts'
import { cascaded, type StepAsking, unfenced } from './llm-cascade.ts'
import { type Thought, think } from './llm-loop.ts'
import { type Beside, messagesOf } from './llm-messages.ts'
import { modelPlan } from './llm-model.ts'
import { toolsOf } from './llm-tools.ts'
import { validated } from './llm-validate.ts'
import { knowledgeFor } from './rag-knowledge.ts'

export function llmTask(rooms: TaskRooms): Task<'ai.labs.llm'> {
  return async (scene, { at, llm, tools: named = new Map() }) => {
    for (const [index, task] of firedBy(scene, llm.tasks).entries())
      await answer({ rooms, scene, task, at, named, name: stepName(scene, at, task.id || `model-${index + 1}`) })
  }
}

type Answering = {
  readonly rooms: TaskRooms
  readonly scene: Scene
  readonly task: LlmTask
  readonly at: string
  readonly named: NamedTools
  readonly name: string
}

async function answer(answering: Answering): Promise<void> {
  const { rooms, scene, task, at, named, name } = answering
  applyBefore(scene, task.preRequest)
  await scene.setup()
  const tools = await toolsOf(rooms, scene, { at, task, named })
  const beside = await besideOf(answering)
  const ask = ({ name: own, naming, rule, timeoutMs, isShown }: StepAsking) => {
    const messages = messagesOf(scene, task, { ...beside, rule })
    const limits = limitsOf(task, timeoutMs)
    return think({ rooms, scene, task, tools, name: own, plan: modelPlan(scene, naming), messages, isShown, ...limits })
  }
  const { modelCascade: cascade } = task
  const isCascade = cascade?.enabled === true && cascade.steps.length > 0 && (tools.length === 0 || cascade.enableInAgentMode)
  let trace: JsonObject | null = null
  const got = await validated(scene, task, {
    name,
    async ask(own) {
      if (!isCascade) return ask({ name: own, naming: task, rule: '', timeoutMs: 0, isShown: true })
      const asking = { rooms, scene, name: own, ...limitsOf(task, 0) }
      const found = await cascaded({ asking, task, cascade, ask })
      trace = found.trace
      return found.got
    },
  })
  keep(scene, task, { thought: answered(got), trace })
}

function answered(got: Thought | Failed): Thought {
  if ('failed' in got) throw new TaskFailed(got.failed)
  return got
}

/** Where what is known joins what is said: `knowledge` stands before the question, as content between marks. */
async function besideOf({ rooms, scene, at, task }: Answering): Promise<Beside> {
  return { knowledge: await knowledgeFor(rooms, scene, { at, task }) }
}

function limitsOf({ retry, streamingTimeoutSeconds }: LlmTask, timeoutMs: number) {
  const all = [streamingTimeoutSeconds * 1_000, timeoutMs].filter((one) => one > 0)
  return { ...(retry ? { retry } : {}), ...(all.length === 0 ? {} : { timeoutMs: Math.min(...all) }) }
}

type Kept = { readonly thought: Thought; readonly trace: JsonObject | null }

/** The answer as output, as an object for templates, and to what follows. */
function keep(scene: Scene, task: LlmTask, { thought, trace }: Kept): void {
  const { text } = thought
  const { current } = scene.memory
  const key = task.id === '' ? 'llm' : task.id
  const wantsObject = task.parameters['convertToObject'] === 'true' || task.jsonResponseFormat
  const value = asWords(scene, wantsObject ? (jsonIn(unfenced(text))?.value ?? text) : text)
  if (task.responseObjectName !== '') scene.objects.set(task.responseObjectName, value)
  const metadata = metadataOf(thought, trace)
  if (task.responseMetadataObjectName !== '') scene.objects.set(task.responseMetadataObjectName, metadata)
  current.set(`llm:${key}`, value)
  if (trace !== null) current.set(`llm:cascade:${key}`, trace)
  if (task.parameters['addToOutput'] === 'true') {
    const item = { type: 'text', text: text.trim() === '' ? emptyAnswer : text }
    setRendered(current, `output:text:${key}`, item)
    current.push('output', item)
  }
  runPost(scene, task.postResponse, { code: 200, isValidationError: wantsObject && typeof value === 'string' })
}

const emptyAnswer = 'The model gave an empty answer. Please ask again, or in other words.'

/** `cost` in the currency of the hub's prices; null: the model has no price there. */
function metadataOf({ model, finish, usage, cost, tools }: Thought, trace: JsonObject | null): JsonObject {
  return {
    model,
    finish,
    usage,
    cost: cost === null ? null : cost / 1_000_000,
    tools: [...tools],
    ...(trace === null ? {} : { cascade: trace }),
  }
}
