// Which models serve which tier: a chain each, the first choice first. From plain settings, which win, or from what a person chose
// while the hub runs. Every wrong value is named with what is allowed.
import { InvalidInput } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import {
  type Access,
  accessOf,
  isSameAddress,
  originOf,
  ownAccess,
  type ProviderName,
  type ProviderSettings,
  providerNames,
} from './access.ts'
import { type OwnAccount, type Tier, tiers, type Way } from './message.ts'

/** `models`: `<provider>/<model>` a tier, or several with commas between; null for none. */
export type ModelSettings = {
  readonly models: Readonly<Record<Tier, string | null>>
  readonly providers: ProviderSettings
}

/** What a person chose while the hub runs, and keys of the secret store. */
export type Chosen = {
  readonly chains: Readonly<Partial<Record<Tier, readonly string[]>>>
  /** Origins (http://box:11434) that a person marked as their own. */
  readonly marked: readonly string[]
  readonly keys: Readonly<Partial<Record<ProviderName, string>>>
}

export const nothingChosen: Chosen = { chains: {}, marked: [], keys: {} }

/** `missing` is a sentence when it can't be called as it is set up; the hub starts all the same and says so when asked. */
export type Choice = Access & {
  readonly provider: ProviderName
  readonly model: string
  readonly name: string
  /** Reached with somebody's own account: nothing that is said there is believed of the model elsewhere. */
  readonly isOwn: boolean
  /** Another way there than straight. */
  readonly fetch?: Way
}

export type Chains = Readonly<Record<Tier, readonly Choice[]>>

export const noModel =
  "No model is configured, so I can't answer that myself. Set STEWARD_MODEL to <provider>/<model>, for example " +
  'openai/gpt-5-mini with OPENAI_API_KEY, or ollama/llama3.2 for a model on this machine, and start Steward again.'

const longestChain = 8

/** The chain of each tier; empty for a tier without a model. Throws InvalidInput (path: the setting) for a wrong value. */
export function chooseModels(settings: ModelSettings, chosen: Chosen = nothingChosen): Chains {
  const of = (tier: Tier): readonly Choice[] => {
    const value = settings.models[tier]?.trim()
    const setting = value ? settingOf(tier, settings) : `models.${tier}`
    const names = value ? value.split(',') : (chosen.chains[tier] ?? [])
    return checkChain(setting, names).map(({ provider, model }) => choiceOf(provider, model, { settings, chosen }))
  }
  return { light: of('light'), standard: of('standard'), deep: of('deep') }
}

/** One model by its name, whether a tier uses it or not. Throws InvalidInput. */
export function choose(name: string, settings: ModelSettings, chosen: Chosen = nothingChosen): Choice {
  const { provider, model } = parseName('the model', name)
  return choiceOf(provider, model, { settings, chosen })
}

/** One model at somebody's own account. Throws InvalidInput for a wrong name or address, and when the two don't belong together. */
export function chooseOwn(name: string, account: OwnAccount, { settings, chosen }: From): Choice {
  const { provider, model } = parseName('the model', name)
  if (provider !== account.provider) {
    throw new InvalidInput(`The model ${name} is not one of the account's provider, "${account.provider}".`, { path: 'account' })
  }
  const access = ownAccess(provider, account, { settings: settings.providers, marked: chosen.marked })
  // Where the hub goes by itself there is nothing to guard against.
  const isHubs = isSameAddress(access.baseUrl, choiceOf(provider, model, { settings, chosen }).baseUrl)
  return { ...made({ provider, model }, access, true), ...(account.fetch && !isHubs ? { fetch: account.fetch } : {}) }
}

export type From = { readonly settings: ModelSettings; readonly chosen: Chosen }

function choiceOf(provider: ProviderName, model: string, { settings, chosen }: From): Choice {
  const access = accessOf(provider, settings.providers, { stored: chosen.keys[provider] ?? null, marked: chosen.marked })
  return made({ provider, model }, access, false)
}

function made({ provider, model }: { provider: ProviderName; model: string }, access: Access, isOwn: boolean): Choice {
  // Ollama hands models of this name on to its maker's servers.
  const isLocal = access.isLocal && !(provider === 'ollama' && /[:-]cloud$/.test(model))
  return { provider, model, name: `${provider}/${model}`, ...access, isLocal, isOwn }
}

/** The setting of the environment (or steward.yaml) that decides a tier; null: none, so a person may choose. */
export function fixedBy(tier: Tier, settings: ModelSettings): string | null {
  return settings.models[tier]?.trim() ? settingOf(tier, settings) : null
}

/** The variable that a person has to look at. */
function settingOf(tier: Tier, { models }: ModelSettings): string {
  const isOne = tiers.every((other) => models[other] === models[tier])
  return isOne ? 'STEWARD_MODEL' : `STEWARD_MODEL_${tier.toUpperCase()}`
}

/** The chains in words, one per tier that has one: `standard openai/gpt-5-mini, then ollama/llama3.2`. */
export function describeChoices(chains: Chains): string {
  const used = tiers.filter((tier) => chains[tier].length > 0)
  return used.map((tier) => `${tier} ${chains[tier].map((one) => one.name).join(', then ')}`).join('; ')
}

/** Each name taken apart. Throws InvalidInput for a wrong one, one that comes twice, and for too many. */
export function checkChain(setting: string, names: readonly string[]): readonly { provider: ProviderName; model: string }[] {
  const parsed = names.map((name) => parseName(setting, name.trim()))
  const said = names.map((name) => name.trim())
  const twice = said.find((name, at) => said.indexOf(name) !== at)
  if (twice !== undefined) throw new InvalidInput(`${setting} names ${twice} twice; allowed is each model once.`, { path: setting })
  if (names.length > longestChain) {
    throw new InvalidInput(`${setting} has ${names.length} models; allowed are at most ${longestChain}.`, { path: setting })
  }
  return parsed
}

function parseName(setting: string, value: string): { readonly provider: ProviderName; readonly model: string } {
  const slash = value.indexOf('/')
  const [name, model] = slash < 0 ? [value, ''] : [value.slice(0, slash), value.slice(slash + 1).trim()]
  const provider = providerNames.find((one) => one === name)
  if (slash < 0 || provider === undefined || model === '' || /[\s,\p{Cc}]/u.test(model)) {
    throw new InvalidInput(`${setting} is "${value}"; ${whyNot(name, slash < 0, { isKnown: provider !== undefined, model })}`, {
      path: setting,
    })
  }
  return { provider, model }
}

function whyNot(name: string, isBare: boolean, { isKnown, model }: { readonly isKnown: boolean; readonly model: string }): string {
  const allowed = `allowed is <provider>/<model> with one of the providers ${providerNames.join(', ')}`
  if (isBare) return `${allowed}, for example openai/gpt-5-mini.`
  if (!isKnown) return `there is no provider "${name}"; ${allowed}.`
  return model === '' ? `the model's name is missing behind "${name}/".` : "a model's name has no spaces, commas or control characters."
}

/** Of a setting of the tenant: a list of names, or one text with commas. Throws InvalidInput. */
export function readChain(setting: string, value: Json): readonly string[] {
  const names = typeof value === 'string' ? value.split(',') : value
  if (names === null) return []
  if (!isTexts(names)) {
    throw new InvalidInput(`${setting} is ${JSON.stringify(value).slice(0, 80)}; allowed is a list of <provider>/<model>.`, {
      path: setting,
    })
  }
  checkChain(setting, names)
  return names.map((name) => name.trim())
}

/** Of the setting models.local. Throws InvalidInput. */
export function readMarked(value: Json): readonly string[] {
  if (value === null) return []
  if (!isTexts(value) || value.some((one) => originOf(one) === '' || originOf(one) === 'null')) {
    throw new InvalidInput('models.local is wrong; allowed is a list of addresses like http://192.168.1.5:11434.', { path: 'models.local' })
  }
  return value.map(originOf)
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
