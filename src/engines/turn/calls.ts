// The tool calls of one round: each is a step of its own, and each gets exactly one result.
import { type Act, type Once, StepFailed, type Turn } from '../../lanes/engine.ts'
import type { ModelMessage, ToolCall } from '../../models/message.ts'
import { pledgeOf } from '../../tools/surface.ts'
import type { Effect, ToolResult } from '../../tools/tool.ts'
import type { Tools } from '../../tools/tools.ts'
import type { Setup } from './setup.ts'

/** More calls than this in one round are not run: a turn has at most 500 steps. */
const mostCalls = 10

type Round = { readonly number: number; readonly setup: Setup; readonly calls: readonly ToolCall[] }
type Complete = Extract<ToolCall, { state: 'complete' }>

/** The results in the order of the calls. Calls that only read run side by side, all others one after the other. */
export async function runCalls(tools: Tools, turn: Turn, round: Round): Promise<readonly ModelMessage[]> {
  const effects = new Map(round.setup.tools.map((tool) => [tool.name, tool.effect]))
  const run = (call: ToolCall, at: number) => runCall(tools, turn, { ...round, call, at, effect: effects.get(call.name) })
  if (round.calls.every((call) => (effects.get(call.name) ?? 'replayable') === 'replayable')) return Promise.all(round.calls.map(run))
  const results: ModelMessage[] = []
  for (const [at, call] of round.calls.entries()) results.push(await run(call, at))
  return results
}

type Running = Round & { readonly call: ToolCall; readonly at: number; readonly effect: Effect | undefined }

async function runCall(tools: Tools, turn: Turn, running: Running): Promise<ModelMessage> {
  const { call, at, effect, setup } = running
  const result = (text: string): ModelMessage => ({ role: 'tool', callId: call.id, name: call.name, text })
  if (at >= mostCalls) return result(`Not run: at most ${mostCalls} calls at once. Ask again for what is still needed.`)
  if (call.state === 'incomplete')
    return result('Not run: the arguments of this call were incomplete. Send the call again with whole arguments.')
  if (effect === undefined)
    return result(
      `There is no tool "${call.name.slice(0, 64)}" here. Tools are: ${setup.tools.map((tool) => tool.name).join(', ') || 'none'}.`,
    )
  const step = `tool-${running.number}.${at + 1}-${call.name}`
  const act = (acting: Act) => perform(tools, turn, { setup, call, act: acting })
  if (effect === 'once') return result(await onceText(turn.once(step, act)))
  return result((await turn.step(step, effect, act)).text)
}

function perform(tools: Tools, turn: Turn, { setup, call, act }: { setup: Setup; call: Complete; act: Act }): Promise<ToolResult> {
  act.progress(progressOf(call))
  const allowed = setup.tools.map((tool) => tool.name)
  const { signal, key, progress } = act
  return tools.call(
    { name: call.name, input: call.input, allowed },
    {
      process: turn.process,
      roots: setup.roots,
      signal,
      key,
      progress,
      taint: 'none',
      agent: { name: setup.agent.name, pledge: pledgeOf({ pledge: setup.agent.pledge ?? null }) },
      turn: turn.id,
      run: turn.chain.root,
      resolve: async (text) => text,
    },
  )
}

/** What became of it, also when it is the person who knows. A failure is certain: nothing happened. */
async function onceText(once: Promise<Once<ToolResult>>): Promise<string> {
  try {
    const outcome = await once
    if (outcome.was === 'done') return outcome.value.text
    return outcome.was === 'assumed'
      ? 'It was interrupted; the person says that it happened. Its result is not known.'
      : 'It was interrupted and then left undone by the person.'
  } catch (thrown) {
    if (thrown instanceof StepFailed) return `Not done: ${thrown.message}`
    throw thrown
  }
}

/** "file_read src/db.ts" */
function progressOf({ name, input }: Complete): string {
  const first = Object.values(input).find((value) => typeof value === 'string' && value !== '')
  return first === undefined ? name : `${name} ${String(first).slice(0, 80)}`
}
