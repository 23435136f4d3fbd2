// The tools: what agents can do, and the one way in which it is done.
// Owns: the registry, which tools an agent is given, the pipeline of a call, long answers by reference, and the families files/
// and time/. Leaves permissions beyond the pledge to policy, recording to the lanes' steps. Others also import tool.ts, checked.ts and
// results.ts; a room that has tools of its own makes them with tool.ts and steward.ts registers them.
//
// T1  A call runs only when its tool is among those its agent was given; nothing else about the call can change that.
// T2  Arguments are checked before anything runs: `""`, null and {} are none where optional, and what is wrong is named.
// T3  A tool ends within its time; a throw, a timeout and a refusal are answers to the model, not the end of a turn. Where a tool must
//     not happen twice, a throw and a timeout are no answer: nobody knows whether it happened.
// T4  A long answer is cut, says so, and its rest can be read by reference, in the same session only.
// T5  A file is read only inside the project's folders, whatever the path, the links, and who changes them meanwhile.
// T6  Binary, special and huge files are named, not poured out; invalid text is shown as such.
// T7  A search ends whatever its pattern, and says what it left out.
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { type Log, silent } from '../base/log.ts'
import type { Checked, Permit } from './checked.ts'
import { fileTools } from './files/files.ts'
import { resultRead } from './result-read.ts'
import type { Results } from './results.ts'
import { type Asker, allowedTools } from './surface.ts'
import { timeNow } from './time/time.ts'
import { type Effect, type Outcome, refused, type Tool, type ToolContext, type ToolResult, type ToolSpec } from './tool.ts'

export type Tools = {
  /** Throws for a name that is taken: a bug of who registers. */
  register(tool: Tool): void
  /** Names that this agent may call there, sorted. */
  allowed(asker: Asker, roots: readonly string[]): readonly string[]
  /** What a model is told about them, sorted by name, so that a provider's cache holds. Unknown names are left out. */
  specs(names: readonly string[]): readonly ToolSpec[]
  /** null for an unknown one. */
  effectOf(name: string): Effect | null
  /**
   * Runs one call. Throws when it was stopped: what the signal says. A tool that must not happen twice also throws when it breaks
   * or takes too long, because nobody knows then whether it happened; NotDone when that is certain (T20).
   */
  call(call: Call, context: Omit<ToolContext, 'closed'> & { readonly permit?: Permit }): Promise<ToolResult>
  /**
   * Whether the call may run: arguments, surface, capability, policy. Looks only, so that an engine may record it (turn.read).
   * `call` checks again all the same: without a permit nothing runs that would have to be asked.
   */
  check(call: Call, context: Omit<ToolContext, 'closed'>): Promise<Checked>
  /** False for tools whose every call is R0 and not outward: they are checked inside their own step. */
  mayAsk(name: string): boolean
}
/** `allowed`: what `allowed()` gave when the turn began. */
export type Call = { readonly name: string; readonly input: JsonObject; readonly allowed: readonly string[] }

export type ToolRooms = {
  readonly clock: Clock
  readonly results: Results
  /** The data folder and whatever else no agent may see. */
  readonly closed: readonly string[]
  /** IANA name of the zone that the person lives in; UTC when it is not known. */
  readonly zone?: string
  readonly log?: Log
}

const defaultTimeoutMs = 30_000
const defaultOutputLimit = 30_000
/** A longer answer is not kept whole. */
const mostKept = 2_000_000

/** With the built-in families registered. */
export function openTools(rooms: ToolRooms): Tools {
  const registry = new Map<string, Tool>()
  const register = (tool: Tool) => {
    if (registry.has(tool.name)) throw new Error(`There are two tools named "${tool.name}".`)
    registry.set(tool.name, tool)
  }
  for (const tool of [...fileTools, timeNow(rooms.clock, rooms.zone ?? 'UTC'), resultRead(rooms.results)]) register(tool)
  return {
    register,
    allowed: (asker, roots) => allowedTools([...registry.values()], asker, roots),
    specs: (names) => [...names].sort().flatMap((name) => registry.get(name)?.spec ?? []),
    effectOf: (name) => registry.get(name)?.effect ?? null,
    mayAsk: (name) => (registry.get(name)?.risk ?? 'R0') !== 'R0' || registry.get(name)?.outward === true,
    check: async () => ({ effect: 'allow' }),
    async call(call, context) {
      const tool = call.allowed.includes(call.name) ? registry.get(call.name) : undefined
      if (!tool) return unknown(call)
      const outcome = await runLimited(rooms, tool, { call, context: { ...context, closed: rooms.closed } })
      return cut(rooms.results, outcome, { session: context.process.session, limit: tool.outputLimit ?? defaultOutputLimit })
    },
  }
}

function unknown(call: Call): ToolResult {
  const names = call.allowed.join(', ') || 'none'
  return { ok: false, code: 'unknown_tool', text: `There is no tool "${call.name.slice(0, 64)}" here. Tools are: ${names}.` }
}

type Running = { readonly call: Call; readonly context: ToolContext }

/** The tool's own answer, or why there is none. What it still does after its time is ignored. */
async function runLimited(rooms: ToolRooms, tool: Tool, { call, context }: Running): Promise<Outcome> {
  const { signal } = context
  signal.throwIfAborted()
  const inner = new AbortController()
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const over = Promise.withResolvers<Outcome>()
  const stop = () => {
    inner.abort(signal.reason)
    over.reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  const alarm = rooms.clock.after(timeoutMs, () => {
    const why = `${tool.name} did not end within ${timeoutMs / 1000} seconds and was given up.`
    if (tool.effect === 'once') over.reject(new Error(why))
    else over.resolve(refused('timeout', why))
    inner.abort()
  })
  try {
    return await Promise.race([attempt(rooms, tool, { call, context: { ...context, signal: inner.signal } }), over.promise])
  } finally {
    alarm.cancel()
    signal.removeEventListener('abort', stop)
  }
}

async function attempt({ log = silent }: ToolRooms, tool: Tool, { call, context }: Running): Promise<Outcome> {
  try {
    return await tool.run(call.input, context)
  } catch (thrown) {
    if (tool.effect === 'once') throw thrown
    log('warn', 'a tool broke', { tool: tool.name, session: context.process.session, error: messageOf(thrown) })
    return refused('broken', `${tool.name} broke: ${messageOf(thrown).slice(0, 300)}`)
  }
}

type Cutting = { readonly session: string; readonly limit: number }

async function cut(results: Results, outcome: Outcome, { session, limit }: Cutting): Promise<ToolResult> {
  const text = storable(outcome.text)
  const base = outcome.ok ? { ok: true } : { ok: false, code: outcome.code }
  if (text.length <= limit) return { ...base, text }
  const whole = text.slice(0, mostKept)
  const ref = await results.keep(session, whole)
  const shown = whole.slice(0, limit).toWellFormed()
  const lost = text.length > mostKept ? ` (of ${text.length}; the rest is not kept)` : ''
  const note = `[the first ${limit} of ${whole.length} characters${lost}; read on with result_read {"ref": "${ref}", "from": ${limit}}]`
  return { ...base, text: `${shown}\n${note}`, ref, size: whole.length }
}

/** No store keeps half characters or NUL. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
