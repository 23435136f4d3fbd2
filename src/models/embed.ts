// Embeddings: texts become vectors, by the same accounts, limits, rests, budgets and rules of privacy as any call.
import type { Priority } from '../lanes/engine.ts'
import type { Micros, Spender } from '../policy/budget.ts'
import type { ProviderName } from './access.ts'
import type { Room } from './attempt.ts'
import { type Choice, choose, chooseOwn, type From } from './choice.ts'
import { costOf } from './cost.ts'
import { type Batch, batchesOf, type EmbedCall, embedOnce } from './embed-wire.ts'
import { failure, type ModelFailure, type OwnAccount } from './message.ts'
import { tried } from './named.ts'
import { sleep } from './sleep.ts'

export const embeddingProviders = ['openai', 'openai-compatible', 'ollama'] as const satisfies readonly ProviderName[]

export type EmbedRequest = {
  /** One of `embeddingProviders`. */
  readonly provider: string
  readonly model: string
  /** At least one; each at most `longestText` characters (embed-wire.ts). */
  readonly texts: readonly string[]
  readonly spender?: Spender
  readonly localOnly?: boolean
  readonly account?: OwnAccount
  /** For models that can be asked for fewer; others refuse it. */
  readonly dimensions?: number
}

export type Embedded = {
  readonly ok: true
  /** One for each text, in their order, all of the same length. */
  readonly vectors: readonly Float32Array[]
  /** `<provider>/<model>` */
  readonly model: string
  readonly usage: { readonly input: number | null; readonly output: number | null; readonly cached: number | null }
  /** null: it has no price in the table. */
  readonly cost: Micros | null
}

export type EmbedReply = Embedded | ModelFailure

export type EmbedOptions = { readonly signal: AbortSignal; readonly priority?: Priority }

export type EmbedPort = {
  /** Must not throw: a failure is data. The fact of what an answer cost is the caller's to keep. */
  embed(request: EmbedRequest, options: EmbedOptions): Promise<EmbedReply>
}

type Asking = { readonly request: EmbedRequest; readonly options: EmbedOptions }

/** Never throws. */
export async function embedTexts(room: Room, from: From, { request, options }: Asking): Promise<EmbedReply> {
  const choice = choiceFor(request, from)
  if ('ok' in choice) return choice
  const batches = batchesOf(request.texts)
  if ('ok' in batches) return batches
  const vectors: Float32Array[] = []
  const sum = { input: 0, cost: 0, isPriced: true }
  for (const texts of batches) {
    const made = await patiently(room, choice, { request, options, texts })
    const spent = sum.cost + (made.lost ?? 0)
    if (!made.ok) return spent > 0 ? { ...made, lost: spent, lostBy: choice.name } : made
    const width = vectors[0]?.length ?? made.vectors[0]?.length
    if (made.vectors.some((one) => one.length !== width)) {
      const why = failure('bad_reply', `${choice.name} gave vectors of different lengths.`)
      return { ...why, lost: spent + (made.cost ?? 0), lostBy: choice.name }
    }
    vectors.push(...made.vectors)
    sum.input += made.input ?? 0
    sum.cost = spent + (made.cost ?? 0)
    sum.isPriced &&= made.cost !== null
  }
  const usage = { input: sum.input, output: 0, cached: null }
  return { ok: true, vectors, model: choice.name, usage, cost: sum.isPriced ? sum.cost : null }
}

function choiceFor({ provider, model, account, localOnly }: EmbedRequest, from: From): Choice | ModelFailure {
  if (!embeddingProviders.some((one) => one === provider))
    return failure('no_model', `There are no embeddings of the provider "${provider}" here; there are of ${embeddingProviders.join(', ')}.`)
  const name = `${provider}/${model}`
  const found = tried(() => (account === undefined ? choose(name, from.settings, from.chosen) : chooseOwn(name, account, from)))
  if ('message' in found) return failure('no_model', found.message)
  if (found.missing !== null) return failure('no_model', found.missing)
  if (!localOnly || found.isLocal) return found
  return failure('no_model', `This project is local-only, and the embeddings of ${name} are not made on this machine.`)
}

type Part = { readonly texts: Batch; readonly request: EmbedRequest; readonly options: EmbedOptions }
type Made =
  | {
      readonly ok: true
      readonly vectors: readonly Float32Array[]
      readonly input: number | null
      readonly cost: Micros | null
      readonly lost?: Micros
    }
  | ModelFailure

const longestWaitMs = 20_000

/** Waits a bounded time when the provider is busy, like a call of a model with nothing else in its chain. */
async function patiently(room: Room, choice: Choice, part: Part): Promise<Made> {
  let lost = 0
  const counted = (made: Made): Made => (lost > 0 ? { ...made, lost } : made)
  for (let again = 0; ; again++) {
    const rest = await rested(room, choice, part.options.signal)
    if (rest !== null) return counted(rest)
    const made = await attemptOnce(room, choice, part)
    lost += made.lost ?? 0
    if (made.ok || again >= room.retries || !isPassing(made)) return counted(made)
  }
}

/** null: it may be asked now. */
async function rested({ cooldowns, clock, retries }: Room, choice: Choice, signal: AbortSignal): Promise<ModelFailure | null> {
  const rest = cooldowns.restOf(choice)
  // What only a person can put right may be right again.
  if (rest === null || retries === 0 || !isPassing(rest)) return null
  const waitMs = cooldowns.turn(choice) - clock.now()
  if (waitMs > longestWaitMs) return failure(rest.code, rest.message, Math.max(1, rest.until - clock.now()))
  return (await sleep(clock, Math.max(0, waitMs), signal)) ? null : failure('aborted', 'The call was stopped.')
}

function isPassing({ code }: Pick<ModelFailure, 'code'>): boolean {
  return code === 'rate_limited' || code === 'overloaded' || code === 'network'
}

async function attemptOnce(room: Room, choice: Choice, part: Part): Promise<Made> {
  const { signal, priority = 'background' } = part.options
  const release = await room.limitOf(choice.account).acquire(priority, signal)
  if (release === null) return failure('aborted', 'The call was stopped.')
  try {
    if (part.request.localOnly && choice.provider === 'ollama' && (await room.look(choice, signal)).isElsewhere)
      return failure('no_model', `The model ${choice.name} runs on another machine; this project is local-only.`)
    return await paid(room, choice, part)
  } finally {
    release()
  }
}

async function paid(room: Room, choice: Choice, { texts, request, options }: Part): Promise<Made> {
  const price = choice.isLocal ? null : room.catalogue.priceOf(choice.name)
  const most = price === null ? 0 : Math.ceil(texts.tokens * price.input)
  const reserved = await reservedFor(room, request.spender, most)
  if (reserved !== null && 'code' in reserved) return reserved
  const startedAt = room.clock.now()
  const call: EmbedCall = { texts: texts.texts, dimensions: request.dimensions, signal: options.signal, clock: room.clock }
  const called = await embedOnce(choice, call)
  if (called.ok) {
    room.cooldowns.clear(choice)
    const counted = costOf(price, { input: called.input, output: 0, cached: null, written: null })
    const cost = choice.isLocal ? 0 : (counted ?? (price === null ? null : most))
    if (reserved !== null) room.budgets?.settle(reserved.id, cost)
    return { ok: true, vectors: called.vectors, input: called.input, cost }
  }
  if (reserved !== null) room.budgets?.settle(reserved.id, called.mayCost ? null : 0)
  if (called.failure.code !== 'aborted' && called.failure.code !== 'context_length')
    room.cooldowns.note(choice, called.failure, { isWide: called.isWide, startedAt })
  return called.mayCost && most > 0 ? { ...called.failure, lost: most } : called.failure
}

/** null: nobody pays, or it costs nothing. */
async function reservedFor(
  { budgets, log }: Room,
  spender: Spender | undefined,
  most: Micros,
): Promise<{ readonly id: string } | ModelFailure | null> {
  if (budgets === null || spender === undefined || most === 0) return null
  try {
    const reserved = await budgets.reserve(spender, most)
    if (reserved.ok) return reserved
    const { id, text } = reserved.budget
    const why = failure('budget', `The budget "${text}" is used up, or this call could pass it. Raise it, or stop here.`)
    return { ...why, budget: { id, text, spent: reserved.spent, wanted: reserved.wanted } }
  } catch (error) {
    log('error', 'a budget could not be looked at', { error: String(error) })
    return failure('budget', 'The budget could not be looked at, so nothing was asked.')
  }
}
