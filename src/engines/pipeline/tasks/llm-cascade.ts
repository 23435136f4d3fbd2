// A cascade of models: the first that is sure enough answers; the last is asked for nothing more than its answer.
//
// Y122  Steps of a cascade are asked in order, each a step of the turn; what an answer is worth is judged by recorded words only, so a
//       replay goes the same way. The last answer counts, and where there is none, the best before it. Time and money end it early.

import { sha256 } from '../../../base/hash.ts'
import { isJsonObject, type JsonObject } from '../../../base/json.ts'
import type { CascadeHeuristic, CascadeStep, LlmTask, ModelCascade } from '../../../pipelines/configuration.ts'
import { fenced } from '../../../tools/fence.ts'
import { jsonIn } from './calls-response.ts'
import { stepName } from './calls-scene.ts'
import { type Asking, askFor, type Failed } from './llm-ask.ts'
import { type Thought, together } from './llm-loop.ts'
import { modelPlan, type Naming } from './llm-model.ts'
import { isRefusal } from './llm-validate.ts'

export type StepAsking = {
  readonly name: string
  readonly naming: Naming
  /** One more instruction, for how to answer. */
  readonly rule: string
  readonly timeoutMs: number
  /** Its words are shown while they come: nobody can tell yet whether others count. */
  readonly isShown: boolean
}

export type Cascading = {
  readonly asking: Omit<Asking, 'messages' | 'plan' | 'tools'>
  readonly task: LlmTask
  readonly cascade: ModelCascade
  readonly ask: (step: StepAsking) => Promise<Thought | Failed>
}

type Tried = { readonly thought: Thought; readonly confidence: number | null }

export async function cascaded(given: Cascading): Promise<{ readonly got: Thought | Failed; readonly trace: JsonObject }> {
  const { asking, cascade } = given
  const { scene, name } = asking
  const began = cascade.maxTotalDurationMs > 0 ? scene.turn.now(`${name}-began`) : 0
  const trace: JsonObject[] = []
  const tried: Tried[] = []
  let failed: Failed | null = null
  for (const [at, step] of cascade.steps.entries()) {
    if (at > 0 && isOver(given, { began, at, tried })) break
    const isLast = at === cascade.steps.length - 1
    scene.tell('cascade_step_start', { step: at + 1, model: nameOf(step), of: cascade.steps.length })
    const got = await oneStep(given, { step, at, isLast })
    failed = 'failed' in got ? got : null
    const confidence = 'failed' in got ? null : got.confidence
    trace.push({
      step: at + 1,
      model: nameOf(step),
      confidence,
      ...('failed' in got ? { failed: got.failed } : { cost: got.thought.cost }),
    })
    if (!('failed' in got)) tried.push(got)
    const isAccepted = !('failed' in got) && isEnough(step, got)
    if (isAccepted || isLast) break
    scene.tell('cascade_escalation', { from: at + 1, confidence, reason: failed?.failed ?? 'not sure enough' })
  }
  const chosen = choose(cascade, tried, failed)
  const got = chosen === null ? (failed ?? nothing) : paidFor(chosen.thought, tried)
  return { got, trace: { steps: trace, model: 'failed' in got ? '' : got.model } }
}

const nothing: Failed = { failed: 'the cascade of models has no steps', code: 'no_model' }

function nameOf({ type, parameters }: CascadeStep): string {
  return [type, parameters['modelName'] ?? parameters['model'] ?? ''].filter((one) => one !== '').join('/')
}

function isEnough({ confidenceThreshold }: CascadeStep, { confidence }: Tried): boolean {
  return confidenceThreshold === undefined || confidence === null || confidence >= confidenceThreshold
}

function choose({ returnBestAcrossSteps }: ModelCascade, tried: readonly Tried[], failed: Failed | null): Tried | null {
  const last = tried.at(-1) ?? null
  if (last === null || (failed === null && !returnBestAcrossSteps)) return last
  return tried.reduce((best, one) => ((one.confidence ?? 1) >= (best.confidence ?? 1) ? one : best), last)
}

/** With what all of them took. */
function paidFor(chosen: Thought, tried: readonly Tried[]): Thought {
  return tried.reduce((sum, { thought }) => (thought === chosen ? sum : { ...together(thought, sum), tools: sum.tools }), chosen)
}

type Progress = { readonly began: number; readonly at: number; readonly tried: readonly Tried[] }

function isOver({ asking, cascade }: Cascading, { began, at, tried }: Progress): boolean {
  const spent = tried.reduce((sum, { thought }) => sum + (thought.cost ?? 0) + thought.lost, 0)
  if (tried.length > 0 && cascade.maxCostPerRun > 0 && spent >= cascade.maxCostPerRun * 1_000_000) return true
  if (tried.length === 0 || cascade.maxTotalDurationMs <= 0) return false
  return asking.scene.turn.now(`${asking.name}-at-${at}`) - began >= cascade.maxTotalDurationMs
}

type Place = { readonly step: CascadeStep; readonly at: number; readonly isLast: boolean }

async function oneStep(given: Cascading, { step, at, isLast }: Place): Promise<Tried | Failed> {
  const { asking, task, cascade } = given
  const { evaluationStrategy: how, returnBestAcrossSteps } = cascade
  const isJudged = how !== 'none' && step.confidenceThreshold !== undefined && (!isLast || returnBestAcrossSteps)
  const isStructured = isJudged && how === 'structured_output'
  const naming = { type: step.type === '' ? task.type : step.type, parameters: { ...task.parameters, ...step.parameters } }
  const name = stepName(asking.scene, asking.name, `model-${at + 1}`)
  const got = await given.ask({
    name,
    naming,
    rule: isStructured ? structuredRule : '',
    timeoutMs: step.timeoutMs,
    isShown: isLast && !isJudged,
  })
  if ('failed' in got) return got
  if (!isJudged) return { thought: got, confidence: null }
  if (isStructured) return structured(got)
  const confidence = how === 'heuristic' ? heuristic(got, cascade.heuristic) : await judgedBy(given, name, got)
  return { thought: got, confidence }
}

// ---- what an answer is worth

const structuredRule =
  'Answer with one JSON object and nothing else: {"response": "your whole answer", "confidence": a number from 0 to 1 for how sure you are that it is right}.'

/** What is no such object is an answer that nothing is known of. */
function structured(thought: Thought): Tried {
  const found = jsonIn(unfenced(thought.text))?.value
  if (!isJsonObject(found) || found['response'] === undefined) return { thought, confidence: 0 }
  const { response, confidence } = found
  const text = typeof response === 'string' ? response : JSON.stringify(response)
  return { thought: { ...thought, text }, confidence: share(Number(confidence)) }
}

function share(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0
}

/** Models wrap JSON in a fence although nobody asked. */
export function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text
}

const hedges: readonly string[] = [
  "i'm not sure",
  'i am not sure',
  'i think',
  'it might',
  'possibly',
  'not certain',
  'ich bin nicht sicher',
  'vielleicht',
]

function heuristic({ text, finish }: Thought, given: CascadeHeuristic): number {
  const plain = text.toLowerCase().replaceAll('\u2019', "'")
  const isNo = given.refusalPhrases.length > 0 ? isRefusal(text, given.refusalPhrases) : isRefusal(text)
  if (isNo || finish === 'content-filter') return given.refusalScore
  if (text.trim().length < given.shortLengthThreshold || finish === 'length') return given.shortScore
  const phrases = given.lowConfidencePhrases.length > 0 ? given.lowConfidencePhrases : hedges
  return phrases.some((phrase) => phrase !== '' && plain.includes(phrase.toLowerCase())) ? given.hedgingScore : given.defaultScore
}

/** Another model says a number; it is shown the answer as content. One that says none is not sure. */
async function judgedBy({ asking, task, cascade }: Cascading, name: string, { text }: Thought): Promise<number> {
  const { scene } = asking
  const own = stepName(scene, name, 'judge')
  const word = sha256(`${scene.turn.id} judge ${own}`).slice(0, 32)
  const question = String(scene.memory.current.get('input:initial') ?? '').slice(0, 20_000)
  const system =
    'You judge answers. Say with one number from 0 to 1, and nothing else, how good the answer is: right, whole, and to the point.'
  const shown = fenced(
    { source: 'question and answer', text: `Question: ${question}\n\nAnswer: ${text.slice(0, 50_000)}`.replaceAll(word, '') },
    word,
  )
  const plan = modelPlan(scene, judgeOf(task, cascade))
  const messages = [
    { role: 'system' as const, text: system },
    { role: 'user' as const, text: shown },
  ]
  const got = await askFor({
    ...asking,
    name: own,
    plan,
    messages,
    isShown: false,
    ...(plan.model === null ? { tier: 'light' as const } : {}),
  })
  if ('failed' in got) return 0
  const number = /\d+(?:\.\d+)?/.exec(got.text.slice(0, 200))?.[0]
  return number === undefined ? 0 : share(Number(number))
}

/** `type/model`, or a model of the task's own type. It shares nothing else but the key. */
function judgeOf({ type, parameters }: LlmTask, { judgeModel }: ModelCascade): Naming {
  const at = judgeModel.indexOf('/')
  const own = at < 0 ? type : judgeModel.slice(0, at)
  const isSame = own.toLowerCase() === type.toLowerCase()
  const { apiKey = '', baseUrl = '' } = parameters
  const access = isSame && judgeModel !== '' ? { apiKey, baseUrl } : {}
  return { type: own, parameters: { ...access, modelName: judgeModel.slice(at + 1) } }
}
