// The models: providers, tiers, and one port through which every engine asks.
// Owns: which models serve a tier, calling them, time limits, fallbacks, rests and retries, how many calls an account gets at once,
// what a model holds and costs, and the failures as data. Leaves what is asked to context and engines, what may be spent to
// policy, keys to secrets. Others also import message.ts, embed.ts, history.ts, repair.ts, choice.ts, catalogue.ts and inspect.ts; tests and
// benchmarks start scripted.ts.
//
// M1  `stream` never throws: each failure is a value with a code and a sentence for a person.
// M2  With no model the answer is one clear sentence, and nothing is called.
// M3  A provider that hangs ends as 'timeout', before the first part as well as between two.
// M4  A tool call with incomplete arguments is marked so, and can't be mistaken for one to execute.
// M5  What is sent has exactly one result for each tool call, and roles that alternate.
// M6  At most so many calls run at an account; person before agent before background, nobody waits for ever.
// M7  No key stands in a failure, and a setting that is wrong is named with what is allowed.
// M8  What fails before its first word goes on to the next model of the chain at once; after a word, nothing is asked again.
// M9  A request that is local-only reaches no model elsewhere, also not as a fallback.
// M10 The money for a call is reserved at its most before anything is sent, and settled once, however it ends.
// M11 A call with an account of its own is asked there and nowhere else; its key goes nowhere else, the hub's never there.
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { type Log, silent } from '../base/log.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Finding } from '../protocol/api.ts'
import { offeredProviders } from './access.ts'
import type { PaidBy, Room } from './attempt.ts'
import { openCatalogue, type Window } from './catalogue.ts'
import { askChain } from './chain.ts'
import { type Chains, choose, chooseModels, describeChoices, type ModelSettings } from './choice.ts'
import { openCooldowns } from './cooldown.ts'
import { type EmbedPort, type EmbedReply, embedTexts } from './embed.ts'
import { inspectModels } from './inspect.ts'
import { type Limit, openLimit } from './limit.ts'
import type { ModelReply, ModelRequest, StreamOptions, Tier } from './message.ts'
import { waysOf } from './named.ts'
import { openOutages } from './outage.ts'
import type { Limits } from './provider.ts'
import { keepChain, keepLearned, type ModelStore, nothingStored, readStored, type Stored } from './stored.ts'
import { timed } from './timed.ts'
import { type ModelsView, type Tested, testModel, viewOf } from './view.ts'

export type { StreamOptions } from './message.ts'
export { storeIn } from './stored.ts'

export type ModelPort = {
  /** Asks the models of the request's tier. Must not throw: a failure is data. */
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelReply>
}

export type { Embedded, EmbedOptions, EmbedPort, EmbedReply, EmbedRequest } from './embed.ts'

export type Models = ModelPort &
  EmbedPort & {
    /** `<provider>/<model>` of a tier, the first of its chain; null when it has none. */
    modelOf(tier: Tier): string | null
    /** How much fits into a model, and how long an answer may be: the one place that says so. Corrected by what providers say. */
    windowOf(model: string): Window
    /** Everything about providers, tiers, rests, prices, windows: for `steward models` and its page. */
    list(): ModelsView
    /** What is wrong with the chosen models and what to do. Asks only what costs nothing; takes at most a few seconds. */
    inspect(): Promise<readonly Finding[]>
    /** One tiny real call; never throws. Throws InvalidInput only for a name that can't be one. */
    test(model: string): Promise<Tested>
    /**
     * Sets the chain of a tier, the first choice first; empty takes it away. Holds at once and after a restart. Throws InvalidInput for
     * a wrong name, Conflict when a setting of the environment decides this tier.
     */
    choose(tier: Tier, chain: readonly string[], by: Actor): Promise<void>
    /** Reads the tenant's settings and the keys again. A value that can't be used counts as none and stands in `list().faults`. */
    reload(): Promise<void>
    /** Providers that are set up and not chosen by that alone. */
    readonly offered: readonly string[]
  }

export type ModelsOptions = {
  readonly clock: Clock
  /** 0 <= x < 1; spreads retries. */
  readonly random?: () => number
  readonly log?: Log
  readonly limits?: Partial<Limits>
  /** Calls at once per account. */
  readonly concurrency?: number
  /** How often a call that failed before its first word is made again when nothing else is in the chain. */
  readonly retries?: number
  readonly budgets?: PaidBy
  /** The value of a secret, for a provider's key; null when there is none. The environment wins. */
  readonly keyOf?: (name: string) => Promise<string | null>
  readonly store?: ModelStore
}

/** A model on this machine is first loaded and then reads the whole request; one that thinks says nothing for minutes. */
const defaults: Limits = { firstByteMs: 180_000, betweenChunksMs: 180_000, wholeMs: 1_200_000, maxCharacters: 2_000_000 }
const usualConcurrency = 8
const lookMs = 3_000
/** Accounts that agents bring are many; what nobody uses at the moment is forgotten from here on. */
const mostAccounts = 1_000

/** What may change while the hub runs. */
type State = { stored: Stored; chains: Chains }

/**
 * Throws InvalidInput for a wrong setting. A provider without its key is no wrong setting: it says so when it is asked. What is
 * stored is read by `reload`, which who opens it calls once.
 */
export function openModels(settings: ModelSettings, options: ModelsOptions): Models {
  const state: State = { stored: nothingStored, chains: chooseModels(settings) }
  const room = roomOf(state, options)
  const outages = openOutages(options.clock)
  if (describeChoices(state.chains) !== '') room.log('info', 'models chosen', { models: describeChoices(state.chains) })
  const reload = async () => {
    const stored = await readStored(options.store ?? null, options.keyOf ?? null)
    state.chains = chooseModels(settings, stored.chosen)
    state.stored = stored
  }
  return {
    stream: async (request, asked) => {
      const ways = waysOf(request, { settings, chosen: state.stored.chosen, chains: state.chains })
      if ('ok' in ways) return ways
      const reply = await timed(room, { request, asked }, (ask) => askChain(room, ways, ask))
      await keepLost(room, request, reply)
      // How somebody's own account is says nothing about the hub's models.
      return asked.priority === 'person' && !request.account ? outages.after(reply, request.spender?.user ?? '') : reply
    },
    async embed(request, asked) {
      const reply = await embedTexts(room, { settings, chosen: state.stored.chosen }, { request, options: asked })
      await keepLost(room, request, reply)
      return reply
    },
    modelOf: (tier) => state.chains[tier][0]?.name ?? null,
    windowOf: (model) => room.catalogue.windowOf(model),
    list: () => viewOf(settings, state, room),
    inspect: () => inspectModels(settings, { chosen: state.stored.chosen, timeoutMs: lookMs }),
    test: async (model) => testModel(room, choose(model, settings, state.stored.chosen)),
    async choose(tier, chain, by) {
      await keepChain(options.store ?? null, { settings, tier, chain, by })
      await reload()
    },
    reload,
    offered: offeredProviders(settings.providers),
  }
}

/** A call that failed after it began is paid for all the same; no answer carries that into the journal. */
async function keepLost({ budgets, log }: Room, { spender }: Pick<ModelRequest, 'spender'>, reply: ModelReply | EmbedReply): Promise<void> {
  if (reply.ok || !reply.lost || reply.lostBy === undefined || spender === undefined) return
  const { lost: cost, lostBy: model } = reply
  await budgets?.lost?.(spender, { model, cost }).catch((error: unknown) => {
    log('error', 'what a broken call is counted with could not be noted', { model, error: messageOf(error) })
  })
}

function roomOf(state: State, options: ModelsOptions): Room {
  const { clock, store } = options
  const [random, log, concurrency] = [options.random ?? Math.random, options.log ?? silent, options.concurrency ?? usualConcurrency]
  const learned = new Map<string, number>()
  const cooldowns = openCooldowns({ clock, random, perSecond: concurrency })
  let keeping = Promise.resolve()
  const keep = async (model: string, window: number) => {
    if (!store) return
    await keepLearned(store, model, window)
    // From here on the setting says it, so that a person can take it back.
    const { corrections } = state.stored
    state.stored = { ...state.stored, corrections: { ...corrections, learned: both(corrections.learned, new Map([[model, window]])) } }
    learned.delete(model)
  }
  const learn = (model: string, window: number) => {
    if (window >= room.catalogue.windowOf(model).window) return
    learned.set(model, window)
    log('warn', 'a model holds less than was thought', { model, window })
    const failed = (error: unknown) => log('warn', 'what a model holds could not be kept', { model, error: messageOf(error) })
    keeping = keeping.then(() => keep(model, window)).catch(failed)
  }
  const room: Room = {
    ...{ clock, random, log, cooldowns, learn },
    retries: options.retries ?? 2,
    limits: { ...defaults, ...options.limits },
    limitOf: limits(concurrency, clock),
    catalogue: openCatalogue(() => ({ ...state.stored.corrections, learned: both(state.stored.corrections.learned, learned) })),
    budgets: options.budgets ?? null,
    look: looks(learn),
  }
  return room
}

function both(kept: ReadonlyMap<string, number>, own: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return own.size === 0 ? kept : new Map([...kept, ...own])
}

function limits(concurrency: number, clock: Clock): (account: string) => Limit {
  const made = new Map<string, Limit>()
  return (account) => {
    const limit = made.get(account) ?? openLimit(concurrency, clock)
    if (made.size >= mostAccounts) for (const [name, one] of made) if (one.running === 0 && one.waiting === 0) made.delete(name)
    made.set(account, limit)
    return limit
  }
}

/** Asks Ollama once about each model; a look that failed is tried again with the next call. */
function looks(learn: Room['learn']): Room['look'] {
  const seen = new Map<string, { readonly isElsewhere: boolean }>()
  return async (choice, signal) => {
    const known = seen.get(`${choice.account} ${choice.model}`)
    if (known) return known
    try {
      const { showOllama } = await import('./ollama.ts')
      const shown = await showOllama(choice, AbortSignal.any([signal, AbortSignal.timeout(lookMs)]))
      if (shown?.window && !choice.isOwn) learn(choice.name, shown.window)
      if (shown && !choice.isOwn) seen.set(`${choice.account} ${choice.model}`, shown)
      return { isElsewhere: shown?.isElsewhere ?? false }
    } catch {
      // What is wrong is said by the call itself, which comes next.
      return { isElsewhere: false }
    }
  }
}
