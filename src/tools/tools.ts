// The tools: what agents can do, and the one way in which it is done.
// Owns: the registry, which tools an agent is given, the pipeline of a call, long answers by reference, and the families files/,
// exec/ and time/. Leaves what may happen to policy, recording to the lanes' steps. Others also import tool.ts, checked.ts,
// surface.ts, look-only.ts, gate.ts, fence.ts and results.ts; a room that has tools of its own makes them with tool.ts and steward.ts registers them.
//
// T1  A call runs only when its tool is among those its agent was given; nothing else about the call can change that.
// T2  Arguments are checked before anything runs: `""`, null and {} are none where optional, and what is wrong is named.
// T3  A tool ends within its time; a throw, a timeout and a refusal are answers to the model, not the end of a turn. Where a tool must
//     not happen twice, a throw and a timeout are no answer: nobody knows whether it happened.
// T4  A long answer is cut, says so, and its rest can be read by reference, in the same session only.
// T5  A file is read only inside the project's folders, whatever the path, the links, and who changes them meanwhile.
// T6  Binary, special and huge files are named, not poured out; invalid text is shown as such.
// T7  A search ends whatever its pattern, and says what it left out.
// T8  Nothing runs without policy having been asked at that moment; a yes holds for the very call that was shown.
// T9  A deferred tool is named, can be described, and can be called; the floor of two is always there.
// T10 A file is changed only inside the project's folders, whole or not at all, and not when it is another than was looked at.
// T11 What was there before a change is kept; the change can be undone, also after a restart, and is done once.
// T12 A command sees only the project's folders and the system; it has no network, ends with all that it started, and is bounded.
// T13 An answer says what it brings: taint, sources, what was written. Secrets are taken out before it is kept or cut.
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { NotDone } from '../lanes/engine.ts'
import type { ZoneOf } from '../scopes/zone.ts'
import { type AnswerRooms, answerOf } from './answer.ts'
import { type Answers, openAnswers } from './answers.ts'
import { openAwake } from './awake.ts'
import type { Checked, Permit } from './checked.ts'
import { toolDescription, toolList, wokenBy } from './discovery.ts'
import { type ExecMeans, execTools } from './exec/exec.ts'
import { changingFileTools, fileTools, type Past } from './files/files.ts'
import { type Gate, look, pass } from './gate.ts'
import { marking } from './marking.ts'
import { openPace, type Pace } from './pace.ts'
import { resultRead } from './result-read.ts'
import { retrying } from './retrying.ts'
import { runLimited } from './running.ts'
import type { AskedFrom, Asker, Classified } from './surface.ts'
import { openSurfaceMemo } from './surface-memo.ts'
import { timeNow } from './time/time.ts'
import type { Call, CallContext, Effect, Tool, ToolContext, ToolResult, ToolSpec } from './tool.ts'

export type Tools = {
  /** Throws for a name that is taken: a bug of who registers. */
  register(tool: Tool): void
  /** Which tools an agent is given, and how. Read it once a turn and record it: within a turn it stays. */
  surface(asker: Asker, from: Omit<AskedFrom, 'activated'> & { readonly session?: string }): Surface
  /** What a recorded choice of tools means: names that may be called, and the text about those without schemas. */
  shaped(classified: Classified): Surface
  /** `surface().callable` of who asks from nowhere in particular. */
  allowed(asker: Asker, roots: readonly string[]): readonly string[]
  /** What a model is told about them, sorted by name, so that a provider's cache holds. Unknown names are left out. */
  specs(names: readonly string[]): readonly ToolSpec[]
  /** null for an unknown one. */
  effectOf(name: string): Effect | null
  /**
   * Runs one call. Throws when it was stopped: what the signal says. A tool that must not happen twice also throws when it breaks
   * or takes too long, because nobody knows then whether it happened; NotDone when that is certain (T20).
   */
  call(call: Call, context: CallContext & { readonly permit?: Permit }): Promise<ToolResult>
  /**
   * Whether the call may run: arguments, surface, capability, policy. Looks only, so that an engine may record it (turn.read).
   * `call` checks again all the same: without a permit nothing runs that would have to be asked.
   */
  check(call: Call, context: CallContext): Promise<Checked>
  /**
   * False for tools whose every call is R0 and not outward: they are checked inside their own step. Should a rule ask about one all
   * the same, its answer has the code `needs_approval`.
   */
  mayAsk(name: string): boolean
}

/**
 * JSON. What a model is given with its calls is `specs(primary)` followed by `specs(live(surface, calls so far))`; `discovery` is
 * text for its system prompt; `callable` is what a call is checked against.
 */
export type Surface = Classified & { readonly callable: readonly string[]; readonly discovery: string }

export type ToolRooms = AnswerRooms & {
  readonly clock: Clock
  /** 0 <= x < 1; spreads retries. */
  readonly random?: () => number
  /** The data folder and whatever else no agent may see. */
  readonly closed: readonly string[]
  /** What files were before they are changed; absent: no tool changes any. */
  readonly past?: Past
  /** How commands are run; absent: none are. `clock` is the one of above. */
  readonly exec?: Omit<ExecMeans, 'clock'>
  /** Where the person of a call lives; UTC when it is not known. */
  readonly zoneOf?: ZoneOf
  readonly log?: Log
}

const defaultPerMinute = 120

/** With the built-in families registered. */
export function openTools(rooms: ToolRooms): Tools {
  const { clock, closed, policy, seal } = rooms
  const registry = new Map<string, Tool>()
  const memo = openSurfaceMemo(registry)
  const register = (tool: Tool) => {
    if (registry.has(tool.name)) throw new Error(`There are two tools named "${tool.name}".`)
    registry.set(tool.name, tool)
    memo.forget()
  }
  const find = (name: string) => registry.get(name)
  const floor = [toolList(find), toolDescription(find)]
  for (const tool of [...floor, ...fileTools, timeNow({ clock, zoneOf: rooms.zoneOf ?? (async () => 'UTC') }), resultRead(rooms.results)])
    register(tool)
  for (const tool of rooms.past ? changingFileTools({ past: rooms.past, now: clock.now, ...(seal ? { seal } : {}) }) : []) register(tool)
  for (const tool of rooms.exec ? execTools({ ...rooms.exec, clock }) : []) register(tool)
  const awake = openAwake(clock)
  const line: Line = { rooms, gate: { find, policy, ...(seal ? { seal } : {}) }, pace: openPace(clock), answers: openAnswers(clock) }
  const shaped = (classified: Classified): Surface => {
    return { ...classified, ...memo.words(classified) }
  }
  const surface: Tools['surface'] = (asker, { session, ...from }) => {
    const activated = session === undefined ? [] : awake.of(session)
    return shaped(memo.classify(asker, { ...from, activated }))
  }
  return {
    register,
    surface,
    shaped,
    allowed: (asker, roots) => surface(asker, { roots }).callable,
    specs: (names) => [...names].sort().flatMap((name) => find(name)?.spec ?? []),
    effectOf: (name) => find(name)?.effect ?? null,
    mayAsk: (name) => (find(name)?.risk ?? 'R0') !== 'R0' || find(name)?.outward === true,
    check: (call, context) => look(line.gate, call, { ...context, closed, allowed: call.allowed }),
    async call(call, { permit, ...context }) {
      context.signal.throwIfAborted()
      const result = await run(line, call, { context: { ...context, closed, allowed: call.allowed }, ...(permit ? { permit } : {}) })
      if (result.ok)
        awake.wake(
          context.process.session,
          wokenBy(call).filter((name) => call.allowed.includes(name)),
        )
      return result
    },
  }
}

/** Deferred tools that became live in a turn: at its beginning or by a call since. Pure. `calls` as the turn recorded them. */
export function live(surface: Pick<Surface, 'deferred' | 'activated'>, calls: readonly Pick<Call, 'name' | 'input'>[]): readonly string[] {
  const woken = new Set([...surface.activated, ...calls.flatMap(wokenBy)])
  return surface.deferred.filter((name) => woken.has(name))
}

type Line = { readonly rooms: ToolRooms; readonly gate: Gate; readonly pace: Pace; readonly answers: Answers }

/** The pipeline: gate, rate, answers that are known, the run, its words. Until the run nothing has happened. */
async function run(line: Line, call: Call, given: { context: ToolContext; permit?: Permit }): Promise<ToolResult> {
  const { rooms, gate, pace, answers } = line
  const { session } = given.context.process
  const passed = await pass(gate, call, given)
  if (!('tool' in passed)) return passed
  const { plan, touches } = passed
  const { clock, random = Math.random, log } = rooms
  const tool = retrying({ clock, random, ...(log ? { log } : {}) }, marking(rooms, passed.tool, touches))
  // Stopped before it ran: that is known for certain.
  if (tool.effect === 'once' && given.context.signal.aborted) throw new NotDone('It was stopped before it ran.')
  const most = tool.perMinute ?? defaultPerMinute
  const waitMs = pace.take(session, tool.name, most)
  if (waitMs !== null) return tooOften(tool, most, waitMs)
  const context = plan.binding === undefined ? given.context : { ...given.context, binding: plan.binding }
  const known = answers.get(tool, call, context)
  if (known !== null) return known
  const outcome = await runLimited(rooms, tool, { call, context })
  if (tool.effect !== 'replayable') answers.forget(session)
  const result = await answerOf(rooms, tool, { outcome, session })
  answers.keep(tool, call, { context, result })
  return result
}

function tooOften({ name }: Tool, most: number, waitMs: number): ToolResult {
  const text = `Not run: ${name} may be called ${most} times a minute in one session. Again in ${Math.ceil(waitMs / 1000)} seconds.`
  return { ok: false, code: 'rate_limited', text }
}
