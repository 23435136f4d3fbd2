// The tool calls of one round: each is checked, asked for where policy wants it, run as a step of its own, and gets exactly one
// result (E1, E2). What the results bring with them is laid on the turn's mind.
import { canonical, type Json } from '../../base/json.ts'
import { type Act, type Once, StepFailed, type Turn } from '../../lanes/engine.ts'
import type { ModelMessage, ToolCall } from '../../models/message.ts'
import type { LoopVerdict } from '../../policy/loop-guard.ts'
import { turnedToAsk } from '../../policy/review.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { Checked, Permit, ToReview } from '../../tools/checked.ts'
import type { Effect, ToolResult } from '../../tools/tool.ts'
import type { Tools } from '../../tools/tools.ts'
import { approve } from './approve.ts'
import type { Guard } from './guard.ts'
import type { Mind } from './mind.ts'
import { type ReviewRooms, review } from './review.ts'
import type { Setup } from './setup.ts'

/** More calls than this in one round are not run: a turn has at most 500 steps. */
const mostCalls = 10
const defaultApprovalMs = 24 * 3_600_000

export type CallRooms = ReviewRooms & {
  readonly tools: Pick<Tools, 'call' | 'check' | 'mayAsk'>
  /** Absent: references to secrets stay what they are. */
  readonly secrets?: Pick<Secrets, 'resolve'>
}

export type Round = {
  readonly number: number
  /** What the names of its steps begin with; absent: `tool-<number>`. */
  readonly names?: string
  readonly setup: Setup
  readonly calls: readonly ToolCall[]
  readonly mind: Mind
  readonly guard: Guard
  /** All work that the turn took so far: a reviewer sees what the person said in it. */
  readonly entries: readonly Entry[]
}

/** `ok`: it ran and did what was wanted. */
export type Called = { readonly call: ToolCall; readonly message: ModelMessage; readonly ok: boolean; readonly result: ToolResult }

/** `arrived`: work that came in while it waited for a person; it has to be given to the model. `end`: the turn goes in circles; why. */
export type Calls = {
  readonly called: readonly Called[]
  readonly arrived: readonly Entry[]
  readonly waited: boolean
  readonly end?: string
}

type Complete = Extract<ToolCall, { state: 'complete' }>
type Ready = { readonly call: Complete; readonly effect: Effect; readonly name: string }
type Plain = { readonly call: ToolCall; readonly result: ToolResult }
type Running = Ready & { readonly taint: Mind['taint']; readonly permit?: Permit }

/** In the order of the calls. Calls that only read and need no yes run side by side, all others one after the other. */
export async function runCalls(rooms: CallRooms, turn: Turn, round: Round): Promise<Calls> {
  const one = oneRound(rooms, turn, round)
  const ready = withoutRepeats(round.calls.map((call, at) => readied(round, call, at)))
  const early = await readTogether(one, ready)
  const called: Called[] = []
  for (const each of ready) {
    if ('result' in each) {
      called.push(calledWith(each.call, one.missed(each)))
      continue
    }
    const verdict = early?.get(each)?.verdict ?? one.judge(each)
    const first = early?.get(each)?.result ?? (await one.decided(each, verdict))
    const result = await one.settled(each, first)
    one.remember(each, result, verdict)
    called.push(calledWith(each.call, verdict.effect === 'warn' ? { ...result, text: `${result.text}\n${verdict.text}` } : result))
  }
  return { called, arrived: one.arrived, waited: one.waits > 0, ...(one.end === null ? {} : { end: one.end }) }
}

type One = ReturnType<typeof oneRound>
type Early = ReadonlyMap<Ready, { readonly verdict: LoopVerdict; readonly result: ToolResult }>

/** null: they have to go one after the other, because one changes something or needs a yes. */
async function readTogether(one: One, ready: readonly (Ready | Plain)[]): Promise<Early | null> {
  const calls = ready.flatMap((each) => ('result' in each ? [] : [each]))
  if (calls.some(({ effect }) => effect !== 'replayable')) return null
  for (const each of calls) {
    const checked = await one.check(each)
    if (checked.effect !== 'allow' || checked.review) return null
  }
  const verdicts = calls.map((each) => one.judge(each))
  const results = await Promise.all(
    calls.map((each, at) => {
      const verdict = verdicts[at]
      return isBarred(verdict) ? notRun('loop', verdict.text) : one.perform(each)
    }),
  )
  return new Map(
    calls.map((each, at) => [
      each,
      { verdict: verdicts[at] ?? { effect: 'go' }, result: results[at] ?? notRun('broken', 'It gave no result.') },
    ]),
  )
}

type Barred = Extract<LoopVerdict, { effect: 'block' | 'end' }>
function isBarred(verdict: LoopVerdict | undefined): verdict is Barred {
  return verdict?.effect === 'block' || verdict?.effect === 'end'
}

/** Everything that happens to one call, and what is gathered over all of them. */
function oneRound(rooms: CallRooms, turn: Turn, { setup, mind, guard, entries }: Round) {
  const arrived: Entry[] = []
  const checks = new Map<string, Checked>()
  let waits = 0
  let end: string | null = null
  const loopCall = ({ call, effect }: Ready) => ({ tool: call.name, input: call.input, changes: effect !== 'replayable' })

  const contextOf = (running: Running, act: Pick<Act, 'signal' | 'key' | 'progress'>) => ({
    process: turn.process,
    roots: setup.roots,
    taint: running.taint,
    agent: { name: setup.agent.name, pledge: setup.agent.pledge ?? [] },
    turn: turn.id,
    run: turn.chain.root,
    resolve: async (text: string, host?: string) =>
      rooms.secrets ? rooms.secrets.resolve(text, { agent: setup.agent.name, ...(host === undefined ? {} : { host }) }) : text,
    signal: act.signal,
    key: act.key,
    progress: (words: string) => act.progress(words),
  })
  const callOf = ({ call }: Ready) => ({ name: call.name, input: call.input, allowed: setup.tools.map((tool) => tool.name) })

  async function perform(running: Running): Promise<ToolResult> {
    const { name, effect, permit } = running
    const act = (acting: Act) => {
      acting.progress(progressOf(running.call))
      return rooms.tools.call(callOf(running), { ...contextOf(running, acting), ...(permit ? { permit } : {}) })
    }
    return effect === 'once' ? onceResult(turn.once(name, act, { words: progressOf(running.call) })) : turn.step(name, effect, act)
  }

  /** Recorded, so that a replay asks what was asked. */
  async function look(ready: Ready): Promise<Checked> {
    const looking = { signal: turn.signal, key: `${turn.id}/${ready.name}`, progress: () => {} }
    const context = contextOf({ ...ready, taint: mind.taint }, looking)
    return turn.read(`check-${ready.name}`, async () => ({ ...(await rooms.tools.check(callOf(ready), context)) }))
  }

  async function asked(running: Running, { request, text }: ToReview): Promise<ToolResult> {
    waits++
    const { name } = running
    const timeoutMs = setup.approvalMs ?? defaultApprovalMs
    const heard = (entries: readonly Entry[]) => void arrived.push(...entries)
    const approved = await approve(turn, { name, agent: setup.agent.name, request, text, timeoutMs, heard })
    return approved.ok ? perform({ ...running, permit: approved.permit }) : notRun('denied', approved.said)
  }

  /** What only the mode allows: a reviewer's "fine" lets it run, everything else asks the person, who then has the last word. */
  async function reviewed(running: Running, { request, text }: ToReview): Promise<ToolResult> {
    const heard = [...entries, ...arrived]
    const found = await review(rooms, turn, { name: running.name, request, entries: heard, localOnly: setup.localOnly ?? false })
    if (found.verdict === 'fine') return perform({ ...running, permit: { request, reviewed: true } })
    const decision = turnedToAsk(request.decision, found.why)
    return asked(running, { request: { ...request, decision }, text: `${text} ${decision.reason}` })
  }

  function allowed(running: Running, { review: wanted }: Extract<Checked, { effect: 'allow' }>): Promise<ToolResult> {
    return wanted ? reviewed(running, wanted) : perform(running)
  }

  /** Once a call: what was decided before the calls ran together is not looked at again. */
  async function check(ready: Ready): Promise<Checked> {
    const known = checks.get(ready.name)
    if (known || !rooms.tools.mayAsk(ready.call.name)) return known ?? { effect: 'allow' }
    const checked = await look(ready)
    checks.set(ready.name, checked)
    return checked
  }

  return {
    arrived,
    get waits() {
      return waits
    },
    get end() {
      return end
    },
    judge: (ready: Ready): LoopVerdict => guard.judge(loopCall(ready)),
    perform: (ready: Ready): Promise<ToolResult> => perform({ ...ready, taint: mind.taint }),
    check,
    async decided(ready: Ready, verdict: LoopVerdict): Promise<ToolResult> {
      if (isBarred(verdict)) return notRun('loop', verdict.text)
      const checked = await check(ready)
      const running = { ...ready, taint: mind.taint }
      if (checked.effect === 'deny') return checked.result
      return checked.effect === 'allow' ? allowed(running, checked) : asked(running, checked)
    },
    /** A rule may ask also about a tool that never asks by itself: its own answer says so, and nothing ran. */
    async settled(ready: Ready, result: ToolResult): Promise<ToolResult> {
      if (result.code !== 'needs_approval') return result
      const again = { ...ready, name: `${ready.name}-asked` }
      const checked = await look(again)
      if (checked.effect === 'deny') return checked.result
      const running = { ...again, taint: mind.taint }
      if (checked.effect === 'ask') return asked(running, checked)
      return checked.review ? reviewed(running, checked.review) : result
    },
    /** Who asks for a tool that is not there again and again goes in a circle too. */
    missed({ call, result }: Plain): ToolResult {
      if (call.state === 'incomplete' || result.code !== 'unknown_tool') return result
      const tried = { tool: call.name, input: call.input, changes: false }
      const verdict = guard.judge(tried)
      guard.saw(tried, isBarred(verdict) ? null : result.text)
      if (verdict.effect === 'end') end ??= verdict.text
      if (isBarred(verdict)) return notRun('loop', verdict.text)
      return verdict.effect === 'warn' ? { ...result, text: `${result.text}\n${verdict.text}` } : result
    },
    remember(ready: Ready, result: ToolResult, verdict: LoopVerdict): void {
      guard.saw(loopCall(ready), isBarred(verdict) ? null : result.text)
      if (verdict.effect === 'end') end ??= verdict.text
      if (result.taint) mind.raise(result.taint, result.sources ?? [ready.call.name])
    },
  }
}

/** A call that may be run, or its answer when it can't be. */
function readied({ number, names: begin = `tool-${number}`, setup }: Round, call: ToolCall, at: number): Ready | Plain {
  if (at >= mostCalls)
    return { call, result: notRun('too_many', `Not run: at most ${mostCalls} calls at once. Ask again for what is still needed.`) }
  if (call.state === 'incomplete') {
    const text = 'Not run: the arguments of this call were incomplete. Send the call again with whole arguments.'
    return { call, result: notRun('incomplete', text) }
  }
  const effect = setup.tools.find((tool) => tool.name === call.name)?.effect
  if (effect !== undefined) return { call, effect, name: `${begin}.${at + 1}-${call.name}` }
  const names = setup.tools.map((tool) => tool.name).join(', ') || 'none'
  return { call, result: notRun('unknown_tool', `There is no tool "${call.name.slice(0, 64)}" here. Tools are: ${names}.`) }
}

/** A look that stands in the reply already has the same result. */
function withoutRepeats(ready: readonly (Ready | Plain)[]): readonly (Ready | Plain)[] {
  const known = new Set<string>()
  return ready.map((each) => {
    if ('result' in each || each.effect !== 'replayable') return each
    const key = canonical([each.call.name, each.call.input])
    if (known.has(key))
      return { call: each.call, result: notRun('repeated', 'Not run: the same call stands in this reply already. See its result.') }
    known.add(key)
    return each
  })
}

function notRun(code: string, text: string): ToolResult {
  return { ok: false, code, text }
}

function calledWith(call: ToolCall, result: ToolResult): Called {
  return { call, result, ok: result.ok, message: { role: 'tool', callId: call.id, name: call.name, text: result.text } }
}

/** What became of it, also when it is the person who knows. A failure is certain: nothing happened. */
async function onceResult(once: Promise<Once<ToolResult>>): Promise<ToolResult> {
  try {
    const outcome = await once
    if (outcome.was === 'done') return outcome.value
    return outcome.was === 'assumed'
      ? { ok: true, text: 'It was interrupted; the person says that it happened. Its result is not known.' }
      : notRun('abandoned', 'It was interrupted and then left undone by the person.')
  } catch (thrown) {
    if (thrown instanceof StepFailed) return notRun('not_done', `Not done: ${thrown.message}`)
    throw thrown
  }
}

/** "file_read src/db.ts" */
function progressOf({ name, input }: Complete): string {
  const first = Object.values(input).find((value) => (typeof value === 'string' || Array.isArray(value)) && value.length > 0)
  return first === undefined ? name : `${name} ${[first].flat().map(wordOf).join(' ').slice(0, 80).toWellFormed()}`
}

function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
