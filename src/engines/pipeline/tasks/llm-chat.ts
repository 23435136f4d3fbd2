// The model task: one answer of a model to what was said, with the system message, the history and the limits of its configuration.
//
// Y110  Each call is a step with its cost as a fact; budgets, local-only projects and fallbacks hold as for any agent.
// Y111  Words of a model are data: they are shown as they are, and no template in them is ever rendered.
// Y112  What the configuration asks for beyond a chat (tools, knowledge, cascades) is refused by name when the agent is deployed.
import type { Json } from '../../../base/json.ts'
import type { ModelMessage, ModelReply } from '../../../models/message.ts'
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { Step } from '../../../pipelines/conversation.ts'
import { itemsOf, textOfItems } from '../../../pipelines/output/output.ts'
import { setRendered } from '../../../pipelines/template/template.ts'
import { spenderOf } from '../../turn/ask.ts'
import { noteSpent } from '../../turn/model.ts'
import { type Scene, type Task, TaskFailed, type TaskRooms } from '../scene.ts'
import { runPost } from './calls-post.ts'
import { jsonIn } from './calls-response.ts'
import { applyBefore, firedBy, stepName } from './calls-scene.ts'
import { systemOf } from './llm-system.ts'

export function llmTask(rooms: TaskRooms): Task<'ai.labs.llm'> {
  return async (scene, { at, llm }) => {
    for (const [index, task] of firedBy(scene, llm.tasks).entries())
      await answer(rooms, scene, { name: stepName(scene, at, task.id || `model-${index + 1}`), task })
  }
}

type Asking = { readonly name: string; readonly task: LlmTask }
/** As the step records it. */
type Answered = {
  readonly text: string
  readonly model: string
  readonly finish: string
  readonly usage: { readonly input: number | null; readonly output: number | null; readonly cached: number | null }
  readonly cost: number | null
  readonly attempt: number
}

async function answer(rooms: TaskRooms, scene: Scene, { name, task }: Asking): Promise<void> {
  applyBefore(scene, task.preRequest)
  const setup = await scene.setup()
  const messages = messagesOf(scene, task)
  const got = await scene.turn.step<Answered | { readonly failed: string }>(name, 'replayable', async (act) => {
    const request = {
      tier: setup.agent.tier,
      messages,
      tools: [],
      spender: spenderOf(scene.turn),
      ...(setup.localOnly ? { localOnly: true } : {}),
    }
    const reply = await rooms.models.stream(request, { signal: act.signal, onText: (words) => act.stream(words), priority: act.priority })
    return reply.ok ? recorded(rooms, reply, act.attempt) : { failed: reply.message }
  })
  if ('failed' in got) throw new TaskFailed(got.failed)
  noteSpent(scene.turn, { step: name, model: got.model, usage: got.usage, cost: got.cost, attempt: got.attempt })
  scene.tell('model_answer', { step: name, model: got.model })
  keep(scene, task, got)
}

async function recorded(rooms: TaskRooms, reply: Extract<ModelReply, { ok: true }>, attempt: number): Promise<Answered> {
  const { text, model, finish, usage, cost = null } = reply
  const { input, output, cached } = usage
  return {
    text: rooms.secrets?.seal ? await rooms.secrets.seal(text) : text,
    model,
    finish,
    usage: { input, output, cached },
    cost,
    attempt,
  }
}

/** The answer as output, as an object for templates, and to what follows. */
function keep(scene: Scene, task: LlmTask, { text, model, finish, usage }: Answered): void {
  const { current } = scene.memory
  const key = task.id === '' ? 'llm' : task.id
  const wantsObject = task.parameters['convertToObject'] === 'true' || task.jsonResponseFormat
  const value: Json = wantsObject ? (jsonIn(unfenced(text))?.value ?? text) : text
  if (task.responseObjectName !== '') scene.objects.set(task.responseObjectName, value)
  if (task.responseMetadataObjectName !== '') scene.objects.set(task.responseMetadataObjectName, { model, finish, usage })
  current.set(`llm:${key}`, value)
  if (task.parameters['addToOutput'] === 'true') {
    const item = { type: 'text', text: text.trim() === '' ? emptyAnswer : text }
    setRendered(current, `output:text:${key}`, item)
    current.push('output', item)
  }
  runPost(scene, task.postResponse, { code: 200, isValidationError: wantsObject && typeof value === 'string' })
}

const emptyAnswer = 'The model gave an empty answer. Please ask again, or in other words.'

/** Models wrap JSON in a fence although nobody asked. */
function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text
}

function messagesOf(scene: Scene, task: LlmTask): readonly ModelMessage[] {
  const { current, past } = scene.memory
  const prompt = scene.render(task.parameters['prompt'] ?? '').trim()
  const input = current.get('input:initial')
  const asked = prompt !== '' ? prompt : typeof input === 'string' ? input : ''
  const system = systemOf(scene, task)
  const question: readonly ModelMessage[] = asked === '' ? [] : [{ role: 'user', text: asked }]
  const first: readonly ModelMessage[] = system === '' ? [] : [{ role: 'system', text: system }]
  // A conversation that begins by itself has nothing that a model could answer but its instructions.
  const opening: readonly ModelMessage[] = question.length === 0 ? [{ role: 'user', text: 'Begin.' }] : question
  return [...first, ...historyOf(past, task), ...opening]
}

/** So many steps back, each with what was said and what was answered; a first answer that nobody asked for counts if it is to. */
function historyOf(past: readonly Step[], { conversationHistoryLimit, parameters }: LlmTask): readonly ModelMessage[] {
  const withFirst = parameters['includeFirstBotMessage'] !== 'false'
  const wanted = conversationHistoryLimit < 0 ? past : conversationHistoryLimit === 0 ? [] : past.slice(-conversationHistoryLimit)
  return wanted.flatMap((step): ModelMessage[] => {
    const input = step.data.find(({ key }) => key === 'input:initial')?.value
    const said = typeof input === 'string' ? input : ''
    const text = textOfItems(itemsOf(step))
    if (said === '' && !withFirst) return []
    const user: readonly ModelMessage[] = said === '' ? [] : [{ role: 'user', text: said }]
    return [...user, ...(text === '' ? [] : [{ role: 'assistant' as const, text, toolCalls: [] }])]
  })
}
