// One call of the model, as the act of a step.
import { StewardError } from '../../base/errors.ts'
import { type Context, type Gathering, type Manifest, type OwnLine, sourced, spoken } from '../../context/context.ts'
import type { Act, Turn } from '../../lanes/engine.ts'
import type { Finish, ModelReply, ToolCall, Usage } from '../../models/message.ts'
import type { ModelPort } from '../../models/models.ts'
import type { Micros, Spender } from '../../policy/budget.ts'
import type { Secrets } from '../../secrets/secrets.ts'
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
      /** Who answered instead of whom: to be said, once a rest of a model. */
      readonly notice?: string
      /** What attempts within the call are counted with that broke off. */
      readonly lost?: Micros
      readonly attempt?: number
    }
  | { readonly ok: false; readonly said: string; readonly budget?: OverBudget }

export type OverBudget = NonNullable<Extract<ModelReply, { ok: false }>['budget']>

export type AskRooms = {
  readonly models: ModelPort
  readonly tools: Pick<Tools, 'specs'>
  readonly history: History
  readonly agents: SetupRooms['agents']
  readonly context: Pick<Context, 'gather' | 'assemble' | 'counted' | 'tokensFor'>
  /** Takes secrets out of an answer before it is recorded; absent: it is recorded as it came. */
  readonly seal?: (text: string) => Promise<string>
  /** The same for the arguments of calls, and for words while they come. */
  readonly secrets?: Pick<Secrets, 'sealJson' | 'inPieces'>
}

export type { OwnLine } from '../../context/context.ts'

/** What an engine adds to a call. */
export type More = {
  /** The engine's own action tool, beside those of the setup. */
  readonly tools?: readonly ToolSpec[]
  /** The engine's own facts (delegated workers, todos): in the hub's frame, behind the stable part. */
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
  const { setup, act, more = {} } = given
  const { tier } = setup.agent
  const wanted = await gathering(rooms, turn, given)
  const parts = await rooms.context.gather(wanted)
  const most = rooms.context.tokensFor(tier, setup.budget)
  // A smaller model than thought: what is given is halved, twice at most.
  for (let tokens = most; ; tokens = Math.floor(tokens / 2)) {
    const { messages, manifest } = rooms.context.assemble(parts, { tokens, tier })
    const request = {
      ...{ tier, messages, tools: wanted.tools, spender: spenderOf(turn) },
      ...(setup.localOnly ? { localOnly: true } : {}),
      ...(more.toolChoice ? { toolChoice: more.toolChoice } : {}),
    }
    const shown = rooms.secrets?.inPieces()
    const onText = (words: string) => act.stream(shown?.add(words) ?? words)
    const reply = await rooms.models.stream(request, { signal: act.signal, onText, priority: act.priority })
    act.stream(shown?.end() ?? '')
    if (!reply.ok && reply.code === 'context_length' && tokens * 4 > most) continue
    if (reply.ok) rooms.context.counted(tier, manifest, reply.usage.input)
    return asked(rooms, turn, { reply, given: manifest, attempt: act.attempt })
  }
}

async function gathering(rooms: AskRooms, turn: Turn, { setup, own, more = {} }: AskGiven): Promise<Gathering> {
  const { agent, project, roots, surface, language = null, localOnly = false, budget: tokens } = setup
  const actions = more.tools ?? []
  const [always = [], ...asked] = namesGiven(setup, own)
  const names = [...always, ...actions.map((tool) => tool.name)]
  const persona = more.persona ?? (await personaOf(rooms.agents, setup, turn.process))
  const { path, version, hash } = agent.source
  return {
    facts: {
      persona,
      agent: { name: agent.name, title: agent.title },
      project,
      roots,
      tools: names,
      language,
      discovery: surface?.discovery || null,
    },
    source: more.persona === undefined ? { path, version, hash } : null,
    ...{ process: turn.process, as: more.as ?? 'main', run: turn.chain.root, tier: agent.tier, tokens, localOnly },
    ...{ leaf: turn.before, walked: await rooms.history.walk(turn.before), at: turn.entries[0]?.at ?? 0 },
    own: sourced(own, { entries: turn.entries, actions: actions.map((tool) => tool.name) }),
    ...{ blocks: more.blocks ?? [], toolChoice: more.toolChoice ?? null },
    tools: [...rooms.tools.specs(always), ...asked.flatMap((some) => rooms.tools.specs(some)), ...actions],
  }
}

/** Whose schemas go along: the ones that always do, then those that the agent asked for, so that what is stable stands first. */
function namesGiven(setup: Setup, own: readonly OwnLine[]): readonly (readonly string[])[] {
  const { surface } = setup
  if (!surface) return [setup.tools.map((tool) => tool.name)]
  const calls = own.flatMap((line) => (line.role === 'assistant' ? line.toolCalls : []))
  const complete = calls.filter((call) => call.state === 'complete')
  return [surface.primary, live(surface, complete)]
}

/** Who pays for what this turn asks. */
export function spenderOf({ process, chain }: Turn): Spender {
  return { user: process.user, project: process.project, session: process.session, run: chain.root }
}

type Replied = { readonly reply: ModelReply; readonly given: Manifest; readonly attempt: number }

async function asked(rooms: AskRooms, turn: Turn, { reply, given, attempt }: Replied): Promise<Asked> {
  if (reply.ok) {
    const text = spoken(turn.process.id, reply.text)
    // What a tool is given now is what it is given again after a crash: the record holds references.
    const toolCalls = (await rooms.secrets?.sealJson(reply.toolCalls)) ?? reply.toolCalls
    return { ...reply, toolCalls, text: rooms.seal ? await rooms.seal(text) : text, given, attempt }
  }
  if (reply.code === 'budget' && reply.budget) return { ok: false, said: reply.message, budget: reply.budget }
  if (reply.code === 'no_model') return { ok: false, said: reply.message }
  throw new StewardError(reply.code, reply.message)
}
