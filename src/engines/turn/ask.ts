// One call of the model, as the act of a step.

import { iso } from '../../base/clock.ts'
import { StewardError } from '../../base/errors.ts'
import { assemble, linesOf, type Manifest } from '../../context/context.ts'
import { systemText } from '../../context/system.ts'
import type { Act, Turn } from '../../lanes/engine.ts'
import type { Finish, ModelMessage, ModelReply, ToolCall, Usage } from '../../models/message.ts'
import type { ModelPort } from '../../models/models.ts'
import type { Micros, Spender } from '../../policy/budget.ts'
import type { ToolSpec } from '../../tools/tool.ts'
import { live, type Tools } from '../../tools/tools.ts'
import type { History } from './history.ts'
import { personaOf, type Setup, type SetupRooms } from './setup.ts'

/**
 * What the step records. `said` instead of an answer: an ordinary sentence, because there is no model. `budget`: a limit of the person
 * stands against the call. `attempt`: which one it was; those before were cut short and may have cost something.
 */
export type Asked =
  | {
      readonly ok: true
      readonly text: string
      readonly toolCalls: readonly ToolCall[]
      readonly finish: Finish
      readonly usage: Usage
      readonly model: string
      readonly given: Manifest
      readonly cost?: Micros | null
      readonly fellBack?: NonNullable<Extract<ModelReply, { ok: true }>['fellBack']>
      readonly attempt?: number
    }
  | { readonly ok: false; readonly said: string; readonly budget?: OverBudget }

export type OverBudget = NonNullable<Extract<ModelReply, { ok: false }>['budget']>

export type AskRooms = {
  readonly models: ModelPort
  readonly tools: Pick<Tools, 'specs'>
  readonly history: History
  readonly agents: SetupRooms['agents']
}

/** A line of the turn itself, and where it is recorded: a manifest then names it instead of keeping it a second time. */
export type OwnLine = ModelMessage & { readonly from?: { readonly step: string } | { readonly entry: string } }

/** What an engine adds to a call. */
export type More = {
  /** The engine's own action tool, beside those of the setup. */
  readonly tools?: readonly ToolSpec[]
  /** The engine's own facts (delegated workers, todos): marked as the hub's, behind the stable part. */
  readonly blocks?: readonly { readonly name: string; readonly text: string }[]
  readonly toolChoice?: 'auto' | 'required'
  /** Instead of the text of the agent's file. */
  readonly persona?: string
  /** In which part the engine asks, when there are several in one process; each has a foundation of its own. Default: 'main'. */
  readonly as?: string
}

export type AskGiven = { readonly setup: Setup; readonly own: readonly OwnLine[]; readonly act: Act; readonly more?: More }

/** Throws StewardError with the failure's code when the model fails: the step fails, and the turn with it. */
export async function askModel(rooms: AskRooms, turn: Turn, given: AskGiven): Promise<Asked> {
  const { setup, own, act, more = {} } = given
  const specs = [...namesGiven(setup, own).flatMap((names) => rooms.tools.specs(names)), ...(more.tools ?? [])]
  const plain = systemText({
    ...setup,
    persona: more.persona ?? (await personaOf(rooms.agents, setup, turn.process)),
    tools: specs.map((spec) => spec.name),
    day: iso(turn.entries[0]?.at ?? 0).slice(0, 10),
  })
  const system = [plain, setup.surface?.discovery ?? ''].filter((text) => text !== '').join('\n\n')
  const parts = { system, history: linesOf(await rooms.history.walk(turn.before)), own, overhead: JSON.stringify(specs).length }
  // A smaller model than thought: what is given is halved, twice at most.
  for (let budget = setup.budget; ; budget = Math.floor(budget / 2)) {
    const { messages, manifest } = assemble(parts, budget)
    const request = {
      ...{ tier: setup.agent.tier, messages, tools: specs, spender: spenderOf(turn) },
      ...(setup.localOnly ? { localOnly: true } : {}),
      ...(more.toolChoice ? { toolChoice: more.toolChoice } : {}),
    }
    const reply = await rooms.models.stream(request, { signal: act.signal, onText: act.stream, priority: act.priority })
    if (reply.ok || reply.code !== 'context_length' || budget * 4 <= setup.budget) return asked(reply, manifest, act.attempt)
  }
}

/** Whose schemas go along: the ones that always do, then those that the agent asked for, so that what is stable stands first. */
function namesGiven(setup: Setup, own: readonly OwnLine[]): readonly (readonly string[])[] {
  const { surface } = setup
  if (!surface) return [setup.tools.map((tool) => tool.name)]
  const calls = own.flatMap((line) => (line.role === 'assistant' ? line.toolCalls : []))
  return [
    surface.primary,
    live(
      surface,
      calls.filter((call) => call.state === 'complete'),
    ),
  ]
}

/** Who pays for what this turn asks. */
export function spenderOf({ process, chain }: Turn): Spender {
  return { user: process.user, project: process.project, session: process.session, run: chain.root }
}

function asked(reply: ModelReply, given: Manifest, attempt: number): Asked {
  if (reply.ok) return { ...reply, given, attempt }
  if (reply.code === 'budget' && reply.budget) return { ok: false, said: reply.message, budget: reply.budget }
  if (reply.code === 'no_model') return { ok: false, said: reply.message }
  throw new StewardError(reply.code, reply.message)
}
