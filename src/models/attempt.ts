// One attempt: a slot at the provider, the money, the call, and what is learned from it.
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Budgets, Micros } from '../policy/budget.ts'
import type { Catalogue, Price } from './catalogue.ts'
import type { Choice } from './choice.ts'
import type { Cooldowns } from './cooldown.ts'
import { costOf, estimate, mostOf, outputLimit } from './cost.ts'
import type { Limit } from './limit.ts'
import { failure, type ModelAnswer, type ModelFailure, type ModelRequest, type StreamOptions } from './message.ts'
import type { Called, Limits } from './provider.ts'

export type Room = {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  /** How often a call that failed before its first word is made again when the chain has nothing else. */
  readonly retries: number
  readonly limits: Limits
  readonly limitOf: (account: string) => Limit
  readonly cooldowns: Cooldowns
  readonly catalogue: Catalogue
  readonly budgets: PaidBy | null
  /** A provider named its window. */
  readonly learn: (model: string, window: number) => void
  /** What Ollama says of a model, asked once. */
  readonly look: (choice: Choice, signal: AbortSignal) => Promise<{ readonly isElsewhere: boolean }>
}

/** Reserves and settles; `lost` where what gave no answer is to outlive the machine. */
export type PaidBy = Pick<Budgets, 'reserve' | 'settle'> & Partial<Pick<Budgets, 'lost'>>

export type Ask = { readonly request: ModelRequest; readonly asked: StreamOptions }

export type Attempt =
  | { readonly was: 'answered'; readonly answer: ModelAnswer }
  /** Others found out while this one waited for its slot; nothing was sent. */
  | { readonly was: 'resting' }
  /** `lost`: what it is counted with although it gave no answer. `isFinal`: no other model and no other time mends it. */
  | { readonly was: 'failed'; readonly failure: ModelFailure; readonly lost: Micros; readonly isFinal: boolean }

/** Never throws. `evenResting`: it is asked although it rests, because its time has come or there is nothing else. */
export async function attempt(room: Room, choice: Choice, { ask, evenResting }: { ask: Ask; evenResting: boolean }): Promise<Attempt> {
  const { request, asked } = ask
  const before = evenResting ? room.cooldowns.restOf(choice) : null
  const release = await room.limitOf(choice.account).acquire(asked.priority, asked.signal)
  if (release === null) return failed(failure('aborted', 'The call was stopped.'))
  try {
    const rest = room.cooldowns.restOf(choice)
    if (rest !== null && rest.since !== before?.since) return { was: 'resting' }
    const refused = await unfit(room, choice, { request, asked })
    return refused === null ? await paid(room, choice, ask) : failed(refused, { isFinal: refused.code !== 'no_model' })
  } finally {
    release()
  }
}

function failed(why: ModelFailure, { lost = 0, isFinal = true } = {}): Attempt {
  return { was: 'failed', failure: why, lost, isFinal }
}

/** What Ollama would do without a word: hand it to another machine, or cut what is too long. */
async function unfit(room: Room, choice: Choice, { request, asked }: Ask): Promise<ModelFailure | null> {
  if (choice.provider !== 'ollama') return null
  const { isElsewhere } = await room.look(choice, asked.signal)
  if (isElsewhere && request.localOnly)
    return failure('no_model', `The model ${choice.name} runs on another machine; this project is local-only.`)
  const { window } = room.catalogue.windowOf(choice.name)
  // A quarter less than the careful estimate: only what is surely too long is refused unasked.
  const least = Math.floor(estimate(request) * 0.75)
  return least > window
    ? failure('context_length', `The model ${choice.name} holds ${window} tokens, and about ${least} were given.`)
    : null
}

async function paid(room: Room, choice: Choice, ask: Ask): Promise<Attempt> {
  const { request } = ask
  const price = choice.isLocal ? null : room.catalogue.priceOf(choice.name)
  const isPaid = price !== null
  const input = isPaid || request.maxOutputTokens !== undefined ? estimate(request) : 0
  const maxOutput = outputLimit({ asked: request.maxOutputTokens, input, isPaid }, room.catalogue.windowOf(choice.name))
  const most = price === null ? 0 : mostOf(price, { input, output: maxOutput ?? 0 })
  if (room.budgets === null || request.spender === undefined || most === 0)
    return (await call(room, choice, { ask, price, maxOutput, most })).attempt
  const reserved = await room.budgets.reserve(request.spender, most).catch((error: unknown) => broken(room.log, error))
  if (reserved === null) return failed(failure('budget', 'The budget could not be looked at, so nothing was asked.'))
  if (!reserved.ok) return failed(refusedBy(reserved))
  const { attempt: made, cost } = await call(room, choice, { ask, price, maxOutput, most })
  room.budgets.settle(reserved.id, cost)
  return made
}

function broken(log: Log, error: unknown): null {
  log('error', 'a budget could not be looked at', { error: String(error) })
  return null
}

function refusedBy({ budget, spent, wanted }: Extract<Awaited<ReturnType<Budgets['reserve']>>, { ok: false }>): ModelFailure {
  const message = `The budget "${budget.text}" is used up, or this call could pass it. Raise it, or stop here.`
  return { ...failure('budget', message), budget: { id: budget.id, text: budget.text, spent, wanted } }
}

type Paying = { readonly ask: Ask; readonly price: Price | null; readonly maxOutput: number | null; readonly most: Micros }

/** `cost` null: it broke off after it began, nobody knows. */
async function call(
  room: Room,
  choice: Choice,
  { ask, price, maxOutput, most }: Paying,
): Promise<{ attempt: Attempt; cost: Micros | null }> {
  const { request, asked } = ask
  let hasSpoken = false
  const onText = (words: string) => {
    hasSpoken = true
    asked.onText(words)
  }
  const startedAt = room.clock.now()
  const { window } = room.catalogue.windowOf(choice.name)
  const { callModel } = await theProvider()
  const { signal } = asked
  const called = await callModel(choice, request, { clock: room.clock, limits: room.limits, signal, onText, window, maxOutput })
  if (called.ok) {
    room.cooldowns.clear(choice)
    const cost = choice.isLocal ? 0 : costOf(price, called.tokens)
    // The provider did not say what it used: what was reserved is what it is counted with, here and in the fact of it.
    const counted = cost ?? (price === null ? null : most)
    return { attempt: { was: 'answered', answer: { ...called.answer, cost: counted } }, cost }
  }
  learn(room, choice, { called, startedAt })
  const isFinal = hasSpoken || !canGoOn(called)
  const lost = called.mayCost ? most : 0
  return { attempt: failed(called.failure, { lost, isFinal }), cost: called.mayCost ? null : 0 }
}

/** Loaded at the first call, and looked up no more: that alone would cost each call as much as its history. */
let loading: ReturnType<typeof loadProvider> | null = null
const loadProvider = () => import('./provider.ts')
const theProvider = () => (loading ??= loadProvider())

type Failed = Extract<Called, { ok: false }>

function learn(room: Room, choice: Choice, { called, startedAt }: { readonly called: Failed; readonly startedAt: number }): void {
  const { failure: why, isWide, window } = called
  if (window !== null && !choice.isOwn) room.learn(choice.name, window)
  if (canGoOn(called)) room.cooldowns.note(choice, why, { isWide, startedAt })
}

/** Whether another model may do what this one could not. A request that is wrong or too long is so everywhere; a missing model is not. */
function canGoOn({ failure: { code, message } }: Failed): boolean {
  if (code === 'invalid_request') return /\(HTTP 404\)/.test(message)
  return code !== 'aborted' && code !== 'context_length' && code !== 'budget'
}
