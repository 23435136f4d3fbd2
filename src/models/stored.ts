// What a person chose while the hub runs, and what was learned: settings of the tenant, kept by whoever keeps settings.
import { Conflict, InvalidInput, StewardError } from '../base/errors.ts'
import { isObject, type Json } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import { tenantProject } from '../scopes/names.ts'
import type { Settings } from '../scopes/scopes.ts'
import { type ProviderName, providerNames, secretOf } from './access.ts'
import { type Corrections, readPrices, readWindows } from './catalogue.ts'
import { type Chosen, checkChain, fixedBy, type ModelSettings, readChain, readMarked } from './choice.ts'
import { type Tier, tiers } from './message.ts'

/** The tenant's settings. `set` with null takes one away. Both may reject. */
export type ModelStore = {
  get(key: string): Promise<Json>
  set(key: string, value: Json, by: Actor): Promise<void>
}

/** Kept in the tenant's settings, where a person can change them with any other setting. */
export function storeIn(settings: Pick<Settings, 'get' | 'set'>): ModelStore {
  return {
    get: (key) => settings.get(key, {}),
    async set(key, value, by) {
      await settings.set({ level: 'tenant', scope: tenantProject, key, value }, by)
    },
  }
}

export type Stored = { readonly chosen: Chosen; readonly corrections: Corrections; readonly faults: readonly string[] }

export const nothingStored: Stored = {
  chosen: { chains: {}, marked: [], keys: {} },
  corrections: { prices: new Map(), windows: new Map(), learned: new Map() },
  faults: [],
}

type KeyOf = (name: string) => Promise<string | null>

/** A value that can't be used counts as none and is told among the faults: a wrong setting must not stop what works. */
export async function readStored(store: ModelStore | null, keyOf: KeyOf | null): Promise<Stored> {
  const faults: string[] = []
  const of = async <T>(key: string, { read, none }: { readonly read: (value: Json) => T; readonly none: T }): Promise<T> => {
    const value = store === null ? null : await store.get(key)
    try {
      return value === null ? none : read(value)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      faults.push(error.message)
      return none
    }
  }
  const chain = (tier: Tier) => of<readonly string[]>(`models.${tier}`, { read: (value) => readChain(`models.${tier}`, value), none: [] })
  const windows = (key: string) => of<ReadonlyMap<string, number>>(key, { read: (value) => readWindows(key, value), none: new Map() })
  const [light, standard, deep] = await Promise.all(tiers.map(chain))
  const corrections = {
    prices: await of<Corrections['prices']>('models.prices', { read: readPrices, none: new Map() }),
    windows: await windows('models.windows'),
    learned: await windows('models.learned'),
  }
  const chains = { light: light ?? [], standard: standard ?? [], deep: deep ?? [] }
  const marked = await of<readonly string[]>('models.local', { read: readMarked, none: [] })
  return { chosen: { chains, marked, keys: await keysOf(keyOf, faults) }, corrections, faults }
}

/** A store that is locked has no keys for us, and says why; models that need none go on. */
async function keysOf(keyOf: KeyOf | null, faults: string[]): Promise<Chosen['keys']> {
  const keys: Partial<Record<ProviderName, string>> = {}
  if (keyOf === null) return keys
  try {
    for (const provider of providerNames) {
      const name = secretOf(provider)
      const key = name === null ? null : await keyOf(name)
      if (key) keys[provider] = key
    }
  } catch (error) {
    if (!(error instanceof StewardError)) throw error
    faults.push(`Keys of the secret store can't be read: ${error.message}`)
  }
  return keys
}

/** Keeps that a provider named a smaller window than was thought. */
export async function keepLearned(store: ModelStore, model: string, window: number): Promise<void> {
  const before = await store.get('models.learned')
  await store.set('models.learned', { ...(isObject(before) ? before : {}), [model]: window }, 'system')
}

type Keeping = { readonly settings: ModelSettings; readonly tier: Tier; readonly chain: readonly string[]; readonly by: Actor }

/** Keeps a person's choice. Throws InvalidInput and Conflict like Models.choose. */
export async function keepChain(store: ModelStore | null, { settings, tier, chain, by }: Keeping): Promise<void> {
  const setting = `models.${tier}`
  if (!tiers.includes(tier)) throw new InvalidInput(`There is no tier "${tier}"; tiers are ${tiers.join(', ')}.`, { path: 'tier' })
  checkChain(setting, chain)
  const fixed = fixedBy(tier, settings)
  if (fixed !== null) {
    const message = `${fixed} decides the tier ${tier}, in the environment or in steward.yaml. Unset it there and start Steward again, then it can be chosen here.`
    throw new Conflict(message, { path: fixed })
  }
  if (store === null) throw new Conflict('Nothing keeps settings here, so no choice can be kept.')
  await store.set(setting, chain.length === 0 ? null : chain.map((name) => name.trim()), by)
}
