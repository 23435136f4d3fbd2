// One call of a model for a task: the step, what it cost as a fact, tries after a passing failure, and a budget that stands against it as
// a question to the person.
//
// Y110  Each call is a step with its cost as a fact; budgets, local-only projects and fallbacks hold as for any agent.
// Y115  Only a passing failure is tried again, as often as the task says; each try is a step, each wait the turn's own timer.
import type { Act } from '../../../lanes/engine.ts'
import type { Finish, ModelMessage, ModelReply, ModelTool, ToolCall } from '../../../models/message.ts'
import type { ModelRetry } from '../../../pipelines/configuration.ts'
import type { Micros } from '../../../policy/budget.ts'
import { spenderOf } from '../../turn/ask.ts'
import { noteSpent, overBudget } from '../../turn/model.ts'
import { type Scene, TaskFailed, type TaskRooms } from '../scene.ts'
import { type Clear, type Intent, isRefusal, judged, type Refusal } from './calls-judge.ts'
import { delayed, stepName } from './calls-scene.ts'
import { calledWith, type How, type ModelPlan } from './llm-model.ts'

/** As the step records it. */
export type Answered = {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly model: string
  readonly finish: Finish
  readonly usage: { readonly input: number | null; readonly output: number | null; readonly cached: number | null }
  readonly cost: Micros | null
  readonly lost: Micros
  readonly fellBack: readonly string[]
  readonly notices: readonly string[]
  readonly attempt: number
}
type Failure = Extract<ModelReply, { ok: false }>
export type Failed = { readonly failed: string; readonly code: Failure['code']; readonly budget?: NonNullable<Failure['budget']> }

export type Asking = {
  readonly rooms: TaskRooms
  readonly scene: Scene
  /** Of the step; unique in the turn. */
  readonly name: string
  readonly plan: ModelPlan
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  readonly retry?: ModelRetry
  /** What this call may take at most, beside what the plan says. */
  readonly timeoutMs?: number
  /** Its words are shown while they come. */
  readonly isShown?: boolean
  readonly tier?: 'light'
}

const mostAttempts = 10
const mostRaises = 5
/** Whatever a configuration says. */
const longestBackoffMs = 30_000

export async function askFor(asking: Asking): Promise<Answered | Failed> {
  const { scene, name, retry } = asking
  const most = Math.min(retry?.maxAttempts ?? 1, mostAttempts)
  for (let attempt = 1; ; attempt++) {
    const own = attempt === 1 ? name : stepName(scene, name, `try-${attempt}`)
    const got = await withinBudget({ ...asking, name: own })
    if (!('failed' in got) || retry === undefined || attempt >= most || !passing.has(got.code)) return got
    const waitMs = Math.min(retry.backoffDelayMs * retry.backoffMultiplier ** (attempt - 1), retry.maxBackoffDelayMs, longestBackoffMs)
    await delayed(scene, stepName(scene, own, 'wait'), waitMs)
  }
}

const passing: ReadonlySet<Failure['code']> = new Set<Failure['code']>(['rate_limited', 'overloaded', 'network', 'timeout', 'bad_reply'])

async function withinBudget(asking: Asking): Promise<Answered | Failed> {
  const { rooms, scene, name } = asking
  for (let raises = 0; ; raises++) {
    const step = raises === 0 ? name : stepName(scene, name, `raised-${raises}`)
    const got = await asStep({ ...asking, name: step })
    if (!('failed' in got)) {
      noted(scene, step, got)
      return got
    }
    if (!got.budget || !rooms.budgets || raises >= mostRaises) return got
    const stopped = await overBudget(rooms.budgets, scene.turn, { step, over: got.budget })
    if (stopped !== null) throw new TaskFailed(stopped)
  }
}

function noted(scene: Scene, step: string, { model, usage, cost, lost, attempt, fellBack, notices }: Answered): void {
  const passed = fellBack.map((one) => ({ model: one, code: 'no_model' as const, message: '' }))
  noteSpent(scene.turn, { step, model, usage, cost, lost, attempt, fellBack: passed })
  scene.tell('model_answer', { step, model })
  for (const notice of notices) once(scene, notice)
}

const noticed = 'llm:noticed'

/** Each notice once a conversation. */
function once({ memory, voice }: Scene, notice: string): void {
  const told = [...memory.past, memory.current].flatMap(({ data }) => data.filter(({ key }) => key === noticed))
  if (told.some(({ value }) => Array.isArray(value) && value.includes(notice))) return
  const own = memory.current.get(noticed)
  memory.current.set(noticed, [...(Array.isArray(own) ? own : []), notice])
  voice.notice(notice)
}

type Recorded = Answered | Failed | Refusal

/** An address of the agent's own is judged like any call to elsewhere; what the hub goes to by itself is not. */
async function asStep(asking: Asking): Promise<Answered | Failed> {
  const { rooms, scene, name, plan } = asking
  const step = (own: string, clear?: Clear) =>
    scene.turn.step<Recorded>(own, 'replayable', async (act) => (await clear?.(act)) ?? asked(asking, act))
  const got =
    plan.baseUrl === '' || plan.model === null
      ? await step(name)
      : await judged<Exclude<Recorded, Refusal>>(rooms, scene, {
          name,
          intent: intentOf(plan),
          run: async (own, clear) => step(own, clear),
        })
  return isRefusal(got) ? { failed: got.text, code: 'no_model' } : got
}

function intentOf({ baseUrl, model, isFixed }: ModelPlan): Intent {
  return {
    tool: 'http_call',
    capability: 'web.send',
    target: baseUrl.slice(0, 2_000),
    risk: 'R2',
    outward: true,
    consequences: `Sends what is said in this conversation to the model ${model} at ${baseUrl.slice(0, 200)}.`,
    input: { url: baseUrl, model: model ?? '' },
    isAgreed: isFixed,
    // Whether it may leave the machine is judged by the models room, by that address.
    isLocal: true,
  }
}

async function asked(asking: Asking, act: Act): Promise<Answered | Failed> {
  const { rooms, scene, plan, messages, tools = [], isShown = false } = asking
  const setup = await scene.setup()
  const called = await calledWith(rooms, scene, plan)
  const shown = isShown ? rooms.secrets?.inPieces?.() : undefined
  const onText = (words: string) => {
    if (isShown) act.stream(shown?.add(words) ?? words)
  }
  const request = {
    ...{ tier: asking.tier ?? setup.agent.tier, messages, tools, spender: spenderOf(scene.turn) },
    ...called.request,
    ...timeOf(called.request, asking.timeoutMs),
    ...(setup.localOnly ? { localOnly: true } : {}),
  }
  const reply = await rooms.models.stream(request, { signal: act.signal, onText, priority: act.priority })
  if (shown) act.stream(shown.end())
  if (!reply.ok) {
    const { code, budget, message } = reply
    return { failed: called.fault() ?? message, code, ...(budget ? { budget } : {}) }
  }
  return recorded(rooms, reply, { attempt: act.attempt, notice: called.notice })
}

function timeOf({ timeoutMs }: How, most: number | undefined): How {
  const all = [timeoutMs, most].filter((one): one is number => one !== undefined && one > 0)
  return all.length === 0 ? {} : { timeoutMs: Math.min(...all) }
}

type Recording = { readonly attempt: number; readonly notice: string | null }

async function recorded(
  { secrets }: TaskRooms,
  reply: Extract<ModelReply, { ok: true }>,
  { attempt, notice }: Recording,
): Promise<Answered> {
  const { text, toolCalls, model, finish, usage, cost = null, lost = 0, fellBack = [] } = reply
  const { input, output, cached } = usage
  const calls = toolCalls.length === 0 || !secrets?.seal ? toolCalls : JSON.parse(await secrets.seal(JSON.stringify(toolCalls)))
  return {
    text: secrets?.seal ? await secrets.seal(text) : text,
    toolCalls: calls,
    ...{ model, finish, cost, lost, attempt },
    usage: { input, output, cached },
    fellBack: fellBack.map((one) => one.model),
    notices: [notice, reply.notice ?? null].filter((one) => one !== null),
  }
}
