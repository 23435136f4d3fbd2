// The tasks of one say, in the configured order, until the last, a stop or a pause.
//
// Y130  A failed task ends the say with a sentence; the conversation goes on with the next.
// Y131  STOP_CONVERSATION is looked for after each task; what follows is not run. CONVERSATION_END lets the rest run.
import { StewardError } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import { Diverged, StepFailed, Stopped } from '../../lanes/engine.ts'
import { commandIn } from '../../pipelines/commands/commands.ts'
import type { CompiledStep } from '../../pipelines/configurations/store.ts'
import { actionsOf, openStep, type Step, specialActions } from '../../pipelines/conversation.ts'
import { outputStep } from '../../pipelines/output/output.ts'
import { parseStep } from '../../pipelines/parser/parser.ts'
import { propertyStep, scrubbedInput } from '../../pipelines/properties/properties.ts'
import { rulesStep } from '../../pipelines/rules/rules.ts'
import { templatingStep } from '../../pipelines/template/template.ts'
import type { Scene, Task } from './scene.ts'

/** Tasks with effects, by their ids. */
export type EffectTasks = { readonly [Id in EffectId]: Task<Id> }
type EffectId = 'ai.labs.httpcalls' | 'ai.labs.mcpcalls' | 'steward.toolcalls' | 'ai.labs.llm' | 'ai.labs.rag'

/** `at`: the next task, where it stands still. */
export type Ended =
  | { readonly how: 'done' | 'stopped' }
  | { readonly how: 'paused'; readonly at: number }
  | { readonly how: 'failed'; readonly at: number; readonly task: string; readonly message: string }

export type Running = {
  readonly scene: Scene
  readonly effects: EffectTasks
  readonly input: string
  /** Where the first of them stands. */
  readonly from: number
}

/** From the task at `from` on. Lets Stopped through, as everything of the lanes. */
export async function runTasks({ scene, effects, input, from }: Running): Promise<Ended> {
  const { agent, memory } = scene
  for (let at = from; at < agent.steps.length; at++) {
    const step = agent.steps[at]
    if (step === undefined) break
    const before = { actions: actionsOf(memory.current), step: memory.current.done() }
    scene.tell('task_start', { taskId: step.taskId, taskType: typeOf(step), index: at })
    try {
      await runTask({ scene, effects, input }, step)
      await scene.settle()
    } catch (thrown) {
      if (thrown instanceof Stopped || thrown instanceof Diverged) throw thrown
      const message = sentenceOf(thrown, step)
      await settleLeft(scene)
      setAside(scene, before.step, { at, task: step.taskId, message })
      scene.tell('task_failed', { taskId: step.taskId, index: at, message })
      return { how: 'failed', at, task: step.at, message }
    }
    scene.tell('task_complete', { taskId: step.taskId, taskType: typeOf(step), index: at, actions: [...actionsOf(memory.current)] })
    const fresh = actionsOf(memory.current).filter((action) => !before.actions.includes(action))
    if (fresh.includes(specialActions.stop)) return { how: 'stopped' }
    if (fresh.includes(specialActions.pause)) return { how: 'paused', at: at + 1 }
  }
  return { how: 'done' }
}

/** What a task set before it failed is kept too: a property may hold the reference already. */
async function settleLeft(scene: Scene): Promise<void> {
  try {
    await scene.settle()
  } catch (thrown) {
    if (thrown instanceof Stopped || thrown instanceof Diverged) throw thrown
  }
}

async function runTask({ scene, effects, input }: Omit<Running, 'from'>, step: CompiledStep): Promise<void> {
  const { memory } = scene
  switch (step.taskId) {
    case 'ai.labs.parser':
      return parseStep(step.parser, memory, inputOf(memory, input))
    case 'ai.labs.rules':
      return rulesStep(step.rules, memory, rulesRooms(scene), optionsOf(step))
    case 'ai.labs.property':
      return propertyStep(step.setter, scene.propertyScene())
    case 'ai.labs.output':
      return outputStep(step.output, memory, { random: scene.random })
    case 'ai.labs.templating':
      return templatingStep(memory, scene.render)
    case 'steward.commands':
      scene.objects.set('command', { ...commandIn(memory.current) })
      return
    case 'ai.labs.httpcalls':
      return effects[step.taskId](scene, step)
    case 'ai.labs.mcpcalls':
      return effects[step.taskId](scene, step)
    case 'steward.toolcalls':
      return effects[step.taskId](scene, step)
    case 'ai.labs.llm':
      return effects[step.taskId](scene, step)
    case 'ai.labs.rag':
      return effects[step.taskId](scene, step)
  }
}

/** A secret that was typed is gone from the step when a task has kept it; a parser behind that task does not bring it back. */
function inputOf({ current }: Scene['memory'], input: string): string {
  const kept = current.get('input:initial')
  return typeof kept === 'string' ? kept : input
}

function rulesRooms(scene: Scene): Parameters<typeof rulesStep>[2] {
  const { memory } = scene
  return {
    data: () => scene.data(),
    capabilities: scene.capabilities,
    environment: memory.info.environment,
    tags: scene.tags,
    render: scene.render,
  }
}

function optionsOf({ appendActions, expressionsAsActions }: Extract<CompiledStep, { taskId: 'ai.labs.rules' }>) {
  return {
    ...(appendActions === undefined ? {} : { appendActions }),
    ...(expressionsAsActions === undefined ? {} : { expressionsAsActions }),
  }
}

/** Short, as in `rules`, for those who follow the tasks. */
function typeOf({ taskId }: CompiledStep): string {
  return taskId.slice(taskId.lastIndexOf('.') + 1)
}

/** For the person: what failed and why. What is no expected failure is a fault of ours, and its words are for the log. */
function sentenceOf(thrown: unknown, { at, taskId }: CompiledStep): string {
  const isExpected = thrown instanceof StewardError || thrown instanceof StepFailed || (thrown instanceof Error && named.has(thrown.name))
  const why = isExpected ? thrown.message : 'it broke unexpectedly'
  return `${at} (${taskId}): ${why}`
}

/** Faults of configurations and of the other side, which say themselves what is wrong. */
const named: ReadonlySet<string> = new Set([
  'TaskFailed',
  'TemplateFault',
  'RulesError',
  'RulesFault',
  'PropertyFault',
  'PathFault',
  'ExpressionFault',
])

type Failure = { readonly at: number; readonly task: string; readonly message: string }

/** Strict write discipline: what a failed task has written stays, or goes, or leaves a short note of its failure. */
function setAside({ agent, memory }: Scene, before: Step, { task, message }: Failure): void {
  const { enabled = false, onFailure = 'digest' } = agent.config.memoryPolicy?.strictWriteDiscipline ?? {}
  // What stood there before a secret was taken out must not come back.
  const isScrubbed = memory.current.get('input:initial') === scrubbedInput
  if (!enabled || onFailure === 'keep_all' || isScrubbed) return
  const kept = openStep(before)
  for (const { key } of memory.current.data) if (kept.get(key) === undefined) memory.current.remove(key)
  for (const { key, value, isPublic } of before.data) memory.current.set(key, value, { isPublic })
  for (const [name, value] of Object.entries(before.output)) memory.current.out(name, value)
  if (onFailure === 'digest') memory.current.push('errors', { task, message } satisfies Json)
}
