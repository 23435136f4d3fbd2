// The models: providers, tiers, and one port through which every engine asks.
// Owns: which model serves a tier, calling it, time limits, retries, how many calls a provider gets at once, and the failures as
// data. Leaves what is asked to context and engines, what a call costs to policy. Others also import message.ts, history.ts
// and choice.ts; tests and benchmarks start scripted.ts.
//
// M1  `stream` never throws: each failure is a value with a code and a sentence for a person.
// M2  With no model the answer is one clear sentence, and nothing is called.
// M3  A provider that hangs ends as 'timeout', before the first part as well as between two.
// M4  A tool call with incomplete arguments is marked so, and can't be mistaken for one to execute.
// M5  What is sent has exactly one result for each tool call, and roles that alternate.
// M6  At most so many calls run at a provider; person before agent before background, nobody waits for ever.
// M7  No key stands in a failure, and a setting that is wrong is named with what is allowed.
import type { Clock } from '../base/clock.ts'
import { type Log, silent } from '../base/log.ts'
import type { Priority } from '../lanes/engine.ts'
import { type Choice, chooseModels, describeChoices, type ModelSettings, nameOf, noModel, offeredProviders } from './choice.ts'
import { type Limit, openLimit } from './limit.ts'
import { failure, type ModelFailure, type ModelReply, type ModelRequest, type Tier, tiers } from './message.ts'
import type { Limits } from './provider.ts'

export type StreamOptions = {
  readonly signal: AbortSignal
  /** Words as they come; never half of a character. Not called again after the reply. */
  readonly onText: (words: string) => void
  readonly priority: Priority
}

export type ModelPort = {
  /** Asks the model of the request's tier. Must not throw: a failure is data. */
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelReply>
}

export type Models = ModelPort & {
  /** `<provider>/<model>` of a tier; null when it has none. */
  modelOf(tier: Tier): string | null
  /** Per tier what is chosen, and `why` it can't be called. For `steward models` and doctor. */
  list(): readonly { readonly tier: Tier; readonly model: string | null; readonly why: string | null }[]
  /** Providers that are set up and not chosen by that alone. */
  readonly offered: readonly string[]
}

export type ModelsOptions = {
  readonly clock: Clock
  /** 0 <= x < 1; spreads retries. */
  readonly random?: () => number
  readonly log?: Log
  readonly limits?: Partial<Limits>
  /** Calls at once per provider. */
  readonly concurrency?: number
  /** How often a call that failed before its first word is made again. */
  readonly retries?: number
}

/** A model on this machine is first loaded and then reads the whole request; one that thinks says nothing for minutes. */
const defaults: Limits = { firstByteMs: 180_000, betweenChunksMs: 180_000, wholeMs: 1_200_000, maxCharacters: 2_000_000 }
const longestRetryAfterMs = 20_000

type Room = Required<Omit<ModelsOptions, 'limits' | 'concurrency'>> & {
  readonly limits: Limits
  readonly limitOf: (provider: string) => Limit
}

/** Throws InvalidInput for a wrong setting. A provider without its key is no wrong setting: it says so when it is asked. */
export function openModels(settings: ModelSettings, options: ModelsOptions): Models {
  const choices = chooseModels(settings)
  const limits = new Map<string, Limit>()
  const room: Room = {
    clock: options.clock,
    random: options.random ?? Math.random,
    log: options.log ?? silent,
    retries: options.retries ?? 2,
    limits: { ...defaults, ...options.limits },
    limitOf(provider) {
      const limit = limits.get(provider) ?? openLimit(options.concurrency ?? 8, options.clock)
      limits.set(provider, limit)
      return limit
    },
  }
  if (describeChoices(choices) !== '') room.log('info', 'models chosen', { models: describeChoices(choices) })
  return {
    async stream(request, asked) {
      const choice = choices[request.tier]
      const why = whyNot(choice)
      return choice === null || why ? failure('no_model', why ?? noModel) : streamWithin(room, choice, { request, asked })
    },
    modelOf: (tier) => (choices[tier] ? nameOf(choices[tier]) : null),
    list: () =>
      tiers.map((tier) => {
        const choice = choices[tier]
        return { tier, model: choice && nameOf(choice), why: whyNot(choice) }
      }),
    offered: offeredProviders(settings),
  }
}

function whyNot(choice: Choice | null): string | null {
  return choice === null ? noModel : choice.missing
}

type Ask = { readonly request: ModelRequest; readonly asked: StreamOptions }

async function streamWithin(room: Room, choice: Choice, ask: Ask): Promise<ModelReply> {
  for (let attempt = 1; ; attempt++) {
    const { reply, hasSpoken } = await once(room, choice, ask)
    const delayMs = reply.ok || hasSpoken || attempt > room.retries ? null : retryDelay(reply, attempt, room.random)
    if (reply.ok || delayMs === null) return reply
    room.log('warn', 'model call is made again', { model: nameOf(choice), code: reply.code, attempt, delayMs })
    if (!(await sleep(room.clock, delayMs, ask.asked.signal))) return failure('aborted', 'The call was stopped.')
  }
}

async function once(room: Room, choice: Choice, { request, asked }: Ask): Promise<{ reply: ModelReply; hasSpoken: boolean }> {
  const release = await room.limitOf(choice.provider).acquire(asked.priority, asked.signal)
  if (release === null) return { reply: failure('aborted', 'The call was stopped.'), hasSpoken: false }
  let hasSpoken = false
  const onText = (words: string) => {
    hasSpoken = true
    asked.onText(words)
  }
  try {
    const { callModel } = await import('./provider.ts')
    const reply = await callModel(choice, request, { ...room, signal: asked.signal, onText })
    return { reply, hasSpoken }
  } finally {
    release()
  }
}

/** null: not worth it. Otherwise the provider's own wish, or about a second, then three, with a spread so that not all come at once. */
function retryDelay(reply: ModelFailure, attempt: number, random: () => number): number | null {
  if (reply.code !== 'rate_limited' && reply.code !== 'overloaded' && reply.code !== 'network') return null
  if (reply.retryAfterMs !== undefined) {
    return reply.retryAfterMs > longestRetryAfterMs ? null : reply.retryAfterMs * (1 + random() / 4)
  }
  return 1000 * 3 ** (attempt - 1) * (0.5 + random())
}

/** False when the signal aborted first. */
function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    const end = () => {
      alarm.cancel()
      resolve(false)
    }
    const alarm = clock.after(ms, () => {
      signal.removeEventListener('abort', end)
      resolve(true)
    })
    signal.addEventListener('abort', end, { once: true })
  })
}
