// What there is, for people: providers, tiers, rests, prices and windows; and one tiny call that shows whether a model answers.
import { type ProviderName, providerNames, secretOf } from './access.ts'
import { attempt, type Room } from './attempt.ts'
import { type Price, priceTable, type Window } from './catalogue.ts'
import { type Chains, type Choice, choose, fixedBy, type ModelSettings } from './choice.ts'
import type { FailureCode } from './message.ts'
import { type Tier, tiers } from './message.ts'
import type { Stored } from './stored.ts'

export type ModelView = {
  readonly model: string
  /** Why it can't be called; null: it can. */
  readonly why: string | null
  readonly isLocal: boolean
  readonly window: Window
  /** null: it has no price in the table, so budgets don't count it; 0 for one of this machine. */
  readonly price: Price | null
  /** Until when it rests, and why; null: it may be asked. */
  readonly rest: { readonly until: number; readonly code: FailureCode; readonly message: string } | null
}

export type TierView = {
  readonly tier: Tier
  /** The first choice first; empty: none. */
  readonly chain: readonly ModelView[]
  /** The variable that decides it; null: it can be chosen here (setting models.<tier>). */
  readonly fixedBy: string | null
}

export type ProviderView = {
  readonly provider: ProviderName
  /** Where the key is from; 'none needed' for Ollama. */
  readonly key: 'environment' | 'secret store' | 'missing' | 'none needed'
  readonly baseUrl: string
  readonly isLocal: boolean
  readonly why: string | null
}

export type ModelsView = {
  readonly tiers: readonly TierView[]
  readonly providers: readonly ProviderView[]
  readonly prices: { readonly date: string; readonly currency: string; readonly source: string }
  /** Settings that can't be used, in sentences. */
  readonly faults: readonly string[]
}

type State = { readonly chains: Chains; readonly stored: Stored }

export function viewOf(settings: ModelSettings, { chains, stored }: State, room: Room): ModelsView {
  return {
    tiers: tiers.map((tier) => ({ tier, chain: chains[tier].map((one) => modelView(one, room)), fixedBy: fixedBy(tier, settings) })),
    providers: providerNames.map((provider) => providerView(choose(`${provider}/-`, settings, stored.chosen), stored)),
    prices: priceTable,
    faults: stored.faults,
  }
}

const free: Price = { input: 0, output: 0 }

function modelView(choice: Choice, { catalogue, cooldowns }: Room): ModelView {
  const rest = cooldowns.restOf(choice)
  return {
    model: choice.name,
    why: choice.missing,
    isLocal: choice.isLocal,
    window: catalogue.windowOf(choice.name),
    price: choice.isLocal ? free : catalogue.priceOf(choice.name),
    rest: rest && { until: rest.until, code: rest.code, message: rest.message },
  }
}

function providerView({ provider, key, missing, baseUrl, isLocal }: Choice, { chosen }: Stored): ProviderView {
  const isStored = key !== null && chosen.keys[provider] === key
  const from = isStored
    ? 'secret store'
    : key !== null
      ? 'environment'
      : secretOf(provider) === null || missing === null
        ? 'none needed'
        : 'missing'
  return { provider, key: from, baseUrl: withoutPassword(baseUrl), isLocal, why: missing }
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//***@')
}

export type Tested =
  | { readonly ok: true; readonly model: string; readonly ms: number; readonly said: string }
  | { readonly ok: false; readonly model: string; readonly ms: number; readonly code: FailureCode; readonly message: string }

const testMs = 30_000

/** Asks for one word. Nobody's budget pays; when it answers, its rest is over. */
export async function testModel(room: Room, choice: Choice): Promise<Tested> {
  const { name: model, missing } = choice
  if (missing !== null) return { ok: false, model, ms: 0, code: 'no_model', message: missing }
  const startedAt = room.clock.now()
  const request = {
    tier: 'light' as const,
    messages: [{ role: 'user' as const, text: 'Answer with the one word: ready' }],
    tools: [],
    maxOutputTokens: 256,
  }
  const asked = { signal: AbortSignal.timeout(testMs), onText: () => {}, priority: 'person' as const }
  const made = await attempt(room, choice, { ask: { request, asked }, evenResting: true })
  const ms = room.clock.now() - startedAt
  if (made.was === 'answered') return { ok: true, model, ms, said: made.answer.text.slice(0, 200) }
  if (made.was === 'resting')
    return { ok: false, model, ms, code: 'rate_limited', message: `The model ${model} rests; try again in a moment.` }
  return { ok: false, model, ms, code: made.failure.code, message: made.failure.message }
}
