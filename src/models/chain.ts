// Asks the models of a chain, the first choice first. What fails before its first word goes on to the next at once (F05); with
// nothing else left, the call waits and is made again, a bounded time.
import type { Micros } from '../policy/budget.ts'
import { type Ask, attempt, type Room } from './attempt.ts'
import type { Choice } from './choice.ts'
import { meaning } from './fault.ts'
import { type FellBack, failure, type ModelAnswer, type ModelFailure, type ModelReply } from './message.ts'
import type { Ways } from './named.ts'
import { sleep } from './sleep.ts'

const longestWaitMs = 20_000
const longestWholeWaitMs = 60_000

type Way = {
  readonly ask: Ask
  /** Without what is not set up. Not empty. */
  readonly chain: readonly Choice[]
  readonly fellBack: FellBack[]
  readonly passed: Ways['passed']
  lost: Micros
  /** The last model that was counted without an answer. */
  lostBy: string | null
  last: ModelFailure | null
}

type Step = { readonly reply: ModelReply } | { readonly hasAsked: boolean }

/** Never throws. */
export async function askChain(room: Room, { chain, passed }: Ways, ask: Ask): Promise<ModelReply> {
  const ready = chain.filter((one) => one.missing === null)
  const missing = chain.flatMap(({ name, missing: message }) =>
    message === null ? [] : [{ model: name, code: 'no_model' as const, message }],
  )
  if (ready.length === 0) return failure('no_model', missing[0]?.message ?? 'No model is set up.')
  const fellBack = passed === null ? missing : [{ model: passed.model, code: 'no_model' as const, message: passed.message }, ...missing]
  const way: Way = { ask, chain: ready, fellBack, passed, lost: 0, lostBy: null, last: null }
  const deadline = room.clock.now() + longestWholeWaitMs
  const first = await tryAll(room, way)
  if ('reply' in first) return first.reply
  for (let again = first.hasAsked ? 1 : 0; ; ) {
    const next = await waitForOne(room, way, { again, deadline })
    if (next === null) return over(room, way)
    if (next === 'rests anew') continue
    if (next === 'stopped') return withLost(failure('aborted', 'The call was stopped.'), way)
    const step = await tryOne(room, way, { choice: next, evenResting: true })
    if ('reply' in step) return step.reply
    if (step.hasAsked) again++
  }
}

/** Each model that does not rest, once. */
async function tryAll(room: Room, way: Way): Promise<Step> {
  let hasAsked = false
  for (const choice of way.chain) {
    const step = await tryOne(room, way, { choice, evenResting: isAlone(room, way, choice) })
    if ('reply' in step) return step
    hasAsked ||= step.hasAsked
  }
  return { hasAsked }
}

/** With nothing else there, a model that rests for another reason than its load is asked all the same: a person may have put it right. */
function isAlone(room: Room, { chain, last }: Way, choice: Choice): boolean {
  if (last !== null || chain.some((one) => one !== choice && room.cooldowns.restOf(one) === null)) return false
  return room.retries === 0 || !isPassing(room.cooldowns.restOf(choice)?.code)
}

async function tryOne(room: Room, way: Way, given: { readonly choice: Choice; readonly evenResting: boolean }): Promise<Step> {
  const { choice, evenResting } = given
  const rest = room.cooldowns.restOf(choice)
  if (rest !== null && !evenResting) {
    passOver(way, { model: choice.name, code: rest.code, message: rest.message })
    return { hasAsked: false }
  }
  const made = await attempt(room, choice, { ask: way.ask, evenResting })
  if (made.was === 'answered') return { reply: answered(room, way, { choice, answer: made.answer }) }
  if (made.was === 'resting') return { hasAsked: false }
  way.lost += made.lost
  if (made.lost > 0) way.lostBy = choice.name
  way.last = made.failure
  if (made.isFinal) return { reply: withLost(made.failure, way) }
  passOver(way, { model: choice.name, code: made.failure.code, message: made.failure.message })
  room.log('warn', 'a model could not answer', { model: choice.name, code: made.failure.code })
  return { hasAsked: true }
}

function passOver({ fellBack }: Way, one: FellBack): void {
  const at = fellBack.findIndex(({ model }) => model === one.model)
  if (at < 0) fellBack.push(one)
  else fellBack[at] = one
}

function answered(room: Room, way: Way, { choice, answer }: { readonly choice: Choice; readonly answer: ModelAnswer }): ModelAnswer {
  const lost = way.lost > 0 ? { lost: way.lost } : {}
  const fellBack = way.fellBack.filter(({ model }) => model !== choice.name)
  const first = way.chain[0]
  if (fellBack.length === 0) return { ...answer, ...lost }
  if (way.passed !== null) return { ...answer, ...lost, fellBack, notice: `${way.passed.why}; answered by ${choice.name}.` }
  const isNew = first !== undefined && first !== choice && room.cooldowns.tell(first, way.ask.request.spender?.user ?? '')
  const notice = isNew ? { notice: `${first.name} ${meaning[fellBack[0]?.code ?? 'network']}; answered by ${choice.name}.` } : {}
  return { ...answer, ...lost, fellBack, ...notice }
}

function withLost(why: ModelFailure, { lost, lostBy }: Way): ModelFailure {
  return lost > 0 && lostBy !== null ? { ...why, lost, lostBy } : why
}

type Waiting = { readonly again: number; readonly deadline: number }

/** The one whose time comes first, when it has come. `rests anew`: others have tried it meanwhile. null: it is not worth it. */
async function waitForOne(
  room: Room,
  { chain, ask }: Way,
  { again, deadline }: Waiting,
): Promise<Choice | 'stopped' | 'rests anew' | null> {
  if (again > room.retries) return null
  const worth = chain.filter((one) => isPassing(room.cooldowns.restOf(one)?.code))
  const turns = worth.map((choice) => ({ choice, at: room.cooldowns.againAt(choice) })).toSorted((a, b) => a.at - b.at)
  const now = room.clock.now()
  const first = turns[0]
  if (first === undefined || first.at - now > longestWaitMs || first.at > deadline) return null
  const at = room.cooldowns.turn(first.choice)
  if (at - now > longestWaitMs) return null
  const since = room.cooldowns.restOf(first.choice)?.since
  if (!(await sleep(room.clock, at - now, ask.asked.signal))) return 'stopped'
  const rest = room.cooldowns.restOf(first.choice)
  return rest === null || rest.since === since ? first.choice : 'rests anew'
}

/** undefined: it does not rest any more. */
function isPassing(code: ModelFailure['code'] | undefined): boolean {
  return code === undefined || code === 'rate_limited' || code === 'overloaded' || code === 'network'
}

/** Nothing more to try: why the last one failed, or why the first one rests. */
function over(room: Room, way: Way): ModelFailure {
  if (way.last !== null) return withLost(way.last, way)
  const [first] = way.chain
  const rest = first === undefined ? null : room.cooldowns.restOf(first)
  if (rest === null) return failure('overloaded', 'The models of this tier take nothing more for the moment.')
  return failure(rest.code, rest.message, Math.max(1, rest.until - room.clock.now()))
}
