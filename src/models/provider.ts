// One call of one model, in any dialect. The libraries read the wire; the loop over the parts of an answer is ours.
import type { Clock } from '../base/clock.ts'
import type { Choice } from './choice.ts'
import type { Tokens } from './cost.ts'
import { type Fault, faultOf } from './fault.ts'
import { speakerOf } from './library.ts'
import { failure, type ModelAnswer, type ModelFailure, type ModelRequest } from './message.ts'
import { promptOf } from './prompt.ts'
import { type Read, readAnswer } from './read.ts'
import { watch } from './watch.ts'

export type Limits = {
  /** How long the first part of an answer, and each further one, may take. */
  readonly firstByteMs: number
  readonly betweenChunksMs: number
  /** How long the whole call may take. */
  readonly wholeMs: number
  /** An answer that is longer (characters of text and arguments) is cut off as unreadable. */
  readonly maxCharacters: number
}

export type CallOptions = {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly limits: Limits
  readonly onText: (words: string) => void
  /** Tokens that the model holds. */
  readonly window: number
  /** The longest answer, in tokens; null: the provider's own limit. */
  readonly maxOutput: number | null
}

export type Called = { readonly ok: true; readonly answer: ModelAnswer; readonly tokens: Tokens } | ({ readonly ok: false } & Fault)

/** Asks the model once, and once more when it takes no temperature and was given one. Never throws. */
export async function callModel(choice: Choice, request: ModelRequest, options: CallOptions): Promise<Called> {
  const called = await callOnce(choice, request, options)
  if (called.ok || !refusesSampling(called.failure, request)) return called
  const { temperature: _, topP: __, ...plain } = request
  return callOnce(choice, plain, options)
}

/** Models that think take neither; a configuration that sets one is made for others. */
function refusesSampling({ code, message }: ModelFailure, { temperature, topP }: ModelRequest): boolean {
  return code === 'invalid_request' && (temperature ?? topP) !== undefined && /temperature|top_?p/i.test(message)
}

async function callOnce(choice: Choice, request: ModelRequest, options: CallOptions): Promise<Called> {
  const watched = watch(options)
  try {
    const speak = await speakerOf(choice, options.window)
    if (watched.signal.aborted) return never(watched.ended(choice.name))
    const stream = await speak({
      ...promptOf(request, choice.provider),
      abortSignal: watched.signal,
      ...(options.maxOutput === null ? {} : { maxOutputTokens: options.maxOutput }),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.topP === undefined ? {} : { topP: request.topP }),
    })
    const { onText, limits } = options
    const read = await readAnswer(stream, { onText, maxCharacters: limits.maxCharacters, alive: watched.alive })
    // A stream that was aborted may end without an error of its own.
    const ended = watched.ended(choice.name)
    return ended === null ? concluded(read, choice, options) : begun(ended)
  } catch (thrown) {
    const ended = watched.ended(choice.name)
    return ended === null ? { ok: false, ...faultOf(thrown, choice, options.clock.now()) } : begun(ended)
  } finally {
    watched.stop()
  }
}

function concluded(read: Read, choice: Choice, { limits, clock }: CallOptions): Called {
  if (read.ok) {
    const { text, toolCalls, finish, tokens } = read
    const { input, output, cached } = tokens
    return { ok: true, tokens, answer: { ok: true, text, toolCalls, finish, usage: { input, output, cached }, model: choice.name } }
  }
  // An error in the middle of an answer: the provider had begun, and counts it.
  if (read.why === 'thrown') return { ok: false, ...faultOf(read.thrown, choice, clock.now()), mayCost: true }
  if (read.why === 'no end') return begun(failure('bad_reply', `The answer of ${choice.name} ended in the middle.`))
  return begun(failure('bad_reply', `The answer of ${choice.name} is longer than ${limits.maxCharacters} characters.`))
}

function begun(why: ModelFailure): Called {
  return { ok: false, failure: why, isWide: false, window: null, mayCost: true }
}

function never(why: ModelFailure | null): Called {
  return { ok: false, failure: why ?? failure('aborted', 'The call was stopped.'), isWide: false, window: null, mayCost: false }
}
