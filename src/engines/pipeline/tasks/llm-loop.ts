// A model with tools: it is asked, its calls are run, it is told what came of them, until it answers or has had its rounds.
//
// Y120  Each call of the model and of a tool is a step; the same turn run again makes the same. After the last round one call without tools
//       ends it. A call with incomplete arguments is never run, nor is one that goes in a circle.
import type { JsonObject } from '../../../base/json.ts'
import type { Turn } from '../../../lanes/engine.ts'
import type { ModelMessage, ToolCall } from '../../../models/message.ts'
import { incompleteText } from '../../../models/repair.ts'
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import type { Scene } from '../scene.ts'
import { stepName } from './calls-scene.ts'
import { type Answered, type Asking, askFor, type Failed } from './llm-ask.ts'
import { cutTo, fitted } from './llm-limits.ts'
import { circle, type LoopTool } from './llm-tool.ts'

/** Beyond an answer: what all of its calls took. `tools`: which were called, in order. */
export type Thought = Answered & { readonly tools: readonly string[] }

export type Thinking = Omit<Asking, 'tools'> & { readonly task: LlmTask; readonly tools: readonly LoopTool[] }

/** Whatever a configuration says: a turn has at most 500 steps, and all tasks of it share them. */
const mostRounds = 40
const mostCalls = 10
const mostOfTurn = { rounds: 60, calls: 100 } as const
const taken = new WeakMap<Turn, { rounds: number; calls: number }>()

function takenBy(turn: Turn): { rounds: number; calls: number } {
  const known = taken.get(turn) ?? { rounds: 0, calls: 0 }
  taken.set(turn, known)
  return known
}

export async function think({ task, tools, ...asking }: Thinking): Promise<Thought | Failed> {
  const rounds = tools.length === 0 ? 0 : Math.min(task.maxToolIterations, mostRounds)
  const specs = tools.map(({ name, description, schema }) => ({ name, description, schema }))
  const own: ModelMessage[] = []
  const called: string[] = []
  let before: Answered | null = null
  for (let round = 1; ; round++) {
    const isLast = round > rounds || takenBy(asking.scene.turn).rounds++ >= mostOfTurn.rounds
    const said = isLast && rounds > 0 ? [...own, noMoreTools] : own
    const messages = [...asking.messages, ...fitted(said, task.maxToolContextTokens)]
    const name = round === 1 ? asking.name : stepName(asking.scene, asking.name, `${round}`)
    const got = await askFor({ ...asking, name, messages, ...(isLast ? {} : { tools: specs }) })
    if ('failed' in got) return got
    const all: Answered = before === null ? got : together(before, got)
    if (isLast || got.toolCalls.length === 0) return { ...all, tools: called }
    before = all
    const toolCalls = ownIds(own, got.toolCalls)
    own.push({ role: 'assistant', text: got.text, toolCalls })
    const end = await runAll({ scene: asking.scene, task, tools, called }, toolCalls, own)
    if (end !== null) return { ...all, text: end, tools: called }
  }
}

const noMoreTools: ModelMessage = {
  role: 'user',
  text: 'No more tools can be called for this answer. Answer now with what you have, and say what is missing.',
}

type Round = { readonly scene: Scene; readonly task: LlmTask; readonly tools: readonly LoopTool[]; readonly called: string[] }

/** One after the other, each with exactly one result. What it ends with, when it goes in a circle. */
async function runAll({ scene, task, tools, called }: Round, calls: readonly ToolCall[], own: ModelMessage[]): Promise<string | null> {
  let end: string | null = null
  for (const [place, call] of calls.entries()) {
    const result: ToolResult =
      end === null ? await runOne(scene, tools, { call, place }) : notRun('circle', 'Not run: it went in a circle before.')
    if (result.code === circle) end ??= result.text
    if (call.state === 'complete') called.push(call.name)
    own.push({ role: 'tool', callId: call.id, name: call.name, text: cutTo(result.text, mostCharsOf(task, call.name)) })
  }
  return end
}

const usualChars = 50_000

/** The name is a model's: it may be that of a member that every object has. */
function mostCharsOf({ toolResponseLimits: limits }: LlmTask, name: string): number {
  if (limits === undefined) return usualChars
  return (Object.hasOwn(limits.perToolLimits, name) ? limits.perToolLimits[name] : undefined) ?? limits.defaultMaxChars
}

type Placed = { readonly call: ToolCall; readonly place: number }

async function runOne(scene: Scene, tools: readonly LoopTool[], { call, place }: Placed): Promise<ToolResult> {
  if (place >= mostCalls) return notRun('too_many', `Not run: at most ${mostCalls} calls at once. Ask again for what is still needed.`)
  if (takenBy(scene.turn).calls++ >= mostOfTurn.calls)
    return notRun('too_many', 'Not run: this turn has made as many calls as a turn may. Answer with what you have.')
  if (call.state === 'incomplete') return notRun('incomplete', incompleteText)
  const tool = tools.find(({ name }) => name === call.name)
  if (tool?.isGuarded) return told(scene, tool, call)
  const seen = { tool: call.name.slice(0, 100), input: call.input, changes: tool !== undefined }
  const verdict = scene.guard.judge(seen)
  if (verdict.effect === 'end' || verdict.effect === 'block') {
    scene.guard.saw(seen, null)
    return notRun(verdict.effect === 'end' ? circle : 'loop', verdict.text)
  }
  const missing = tool ? missingIn(tool, call.input) : []
  const result =
    tool === undefined
      ? unknown(call.name, tools)
      : missing.length > 0
        ? notRun('invalid', `Not run: ${tool.name} needs ${missing.join(', ')}.`)
        : await told(scene, tool, call)
  scene.guard.saw(seen, result.text)
  return verdict.effect === 'warn' ? { ...result, text: `${result.text}\n${verdict.text}` } : result
}

async function told(scene: Scene, tool: LoopTool, call: Extract<ToolCall, { state: 'complete' }>): Promise<ToolResult> {
  scene.tell('tool_call', { tool: call.name, arguments: call.input })
  const result = await tool.run(call.input)
  if (result.taint && result.taint !== 'none') scene.mind.raise(result.taint, result.sources ?? [call.name])
  scene.tell('tool_result', { tool: call.name, ok: result.ok })
  return result
}

function missingIn({ schema }: LoopTool, input: JsonObject): readonly string[] {
  const { required } = schema
  const names = Array.isArray(required) ? required.filter((one): one is string => typeof one === 'string') : []
  return names.filter((name) => !Object.hasOwn(input, name))
}

function unknown(name: string, tools: readonly LoopTool[]): ToolResult {
  const names = tools.map((tool) => tool.name).join(', ') || 'none'
  return notRun('unknown_tool', `Not run: there is no tool "${name.slice(0, 64)}" here. Tools are: ${names}.`)
}

function notRun(code: string, text: string): ToolResult {
  return { ok: false, code, text }
}

/** Some providers number the calls of each reply anew; each has an id of its own here, or its result could not be told apart. */
function ownIds(own: readonly ModelMessage[], calls: readonly ToolCall[]): readonly ToolCall[] {
  const known = new Set(own.flatMap((line) => (line.role === 'assistant' ? line.toolCalls.map(({ id }) => id) : [])))
  return calls.map((call) => {
    let id = call.id
    for (let at = 2; known.has(id); at++) id = `${call.id}_${at}`
    known.add(id)
    return id === call.id ? call : { ...call, id }
  })
}

/** The newer answer, with what both took. */
export function together(before: Answered, after: Answered): Answered {
  const sum = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0))
  return {
    ...after,
    cost: sum(before.cost, after.cost),
    usage: {
      input: sum(before.usage.input, after.usage.input),
      output: sum(before.usage.output, after.usage.output),
      cached: sum(before.usage.cached, after.usage.cached),
    },
  }
}
