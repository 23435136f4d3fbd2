// Which provider and model serve which tier, read from plain settings. Every wrong value is named with what is allowed.
import { InvalidInput } from '../base/errors.ts'
import { type Tier, tiers } from './message.ts'

/** `models`: `<provider>/<model>` a tier, null for none. `providers`: the variables of CONTRACT section 2 by their names. */
export type ModelSettings = {
  readonly models: Readonly<Record<Tier, string | null>>
  readonly providers: Readonly<Record<string, string>>
}

const providerNames = ['openai', 'openrouter', 'ollama', 'openai-compatible'] as const
export type ProviderName = (typeof providerNames)[number]

/** `missing` is a sentence when it can't be called as it is set up; the hub starts all the same and says so when asked. */
export type Choice = {
  readonly provider: ProviderName
  readonly model: string
  readonly baseUrl: string
  readonly key: string | null
  readonly missing: string | null
}

export const noModel =
  "No model is configured, so I can't answer that myself. Set STEWARD_MODEL to <provider>/<model>, for example " +
  'openai/gpt-5-mini with OPENAI_API_KEY, or ollama/llama3.2 for a model on this machine, and start Steward again.'

/** The choice of each tier; null for a tier without a model. Throws InvalidInput (path: the setting) for a wrong value. */
export function chooseModels(settings: ModelSettings): Readonly<Record<Tier, Choice | null>> {
  const of = (tier: Tier): Choice | null => {
    const value = settings.models[tier]?.trim()
    return value ? choose(settingOf(tier, settings), value, settings) : null
  }
  return { light: of('light'), standard: of('standard'), deep: of('deep') }
}

/** The variable that a person has to look at. */
function settingOf(tier: Tier, { models }: ModelSettings): string {
  const isOne = tiers.every((other) => models[other] === models[tier])
  return isOne ? 'STEWARD_MODEL' : `STEWARD_MODEL_${tier.toUpperCase()}`
}

/** Providers whose key or address is set: offered, never used until a person chooses one. */
export function offeredProviders(settings: ModelSettings): readonly ProviderName[] {
  return [
    ...(given(settings, 'OPENAI_API_KEY') ? (['openai'] as const) : []),
    ...(given(settings, 'OPENROUTER_API_KEY') ? (['openrouter'] as const) : []),
    ...(given(settings, 'OLLAMA_HOST') ? (['ollama'] as const) : []),
    ...(given(settings, 'OPENAI_BASE_URL') ? (['openai-compatible'] as const) : []),
  ]
}

/** The choices in words, one per tier that has one: `standard openai/gpt-5-mini`. */
export function describeChoices(choices: Readonly<Record<Tier, Choice | null>>): string {
  return tiers.flatMap((tier) => (choices[tier] ? [`${tier} ${nameOf(choices[tier])}`] : [])).join(', ')
}

export function nameOf(choice: Pick<Choice, 'provider' | 'model'>): string {
  return `${choice.provider}/${choice.model}`
}

function choose(setting: string, value: string, settings: ModelSettings): Choice {
  const slash = value.indexOf('/')
  const [name, model] = slash < 0 ? [value, ''] : [value.slice(0, slash), value.slice(slash + 1).trim()]
  const provider = providerNames.find((one) => one === name)
  if (slash < 0 || provider === undefined || model === '') {
    throw new InvalidInput(`${setting} is "${value}"; ${whyNot(name, slash < 0, provider !== undefined)}`, {
      path: setting,
    })
  }
  return { provider, model, ...access[provider](settings) }
}

function whyNot(name: string, isBare: boolean, isKnown: boolean): string {
  const allowed = `allowed is <provider>/<model> with one of the providers ${providerNames.join(', ')}`
  if (isBare) return `${allowed}, for example openai/gpt-5-mini.`
  if (isKnown) return `the model's name is missing behind "${name}/".`
  if (name === 'anthropic' || name === 'google')
    return `this version has no provider "${name}" of its own (openrouter/${name}/<model> reaches it); ${allowed}.`
  return `there is no provider "${name}"; ${allowed}.`
}

type Access = Pick<Choice, 'baseUrl' | 'key' | 'missing'>

const access: Record<ProviderName, (settings: ModelSettings) => Access> = {
  openai(settings) {
    const own = given(settings, 'OPENAI_BASE_URL')
    const key = given(settings, 'OPENAI_API_KEY')
    // Somebody else's server behind the OpenAI address may want no key; OpenAI itself always does.
    const missing = key === null && own === null ? needs('openai', 'OPENAI_API_KEY') : null
    return { baseUrl: address('OPENAI_BASE_URL', own ?? 'https://api.openai.com/v1'), key, missing }
  },
  openrouter(settings) {
    const key = given(settings, 'OPENROUTER_API_KEY')
    const missing = key === null ? needs('openrouter', 'OPENROUTER_API_KEY') : null
    return { baseUrl: 'https://openrouter.ai/api/v1', key, missing }
  },
  ollama(settings) {
    const host = given(settings, 'OLLAMA_HOST') ?? 'http://127.0.0.1:11434'
    const url = address('OLLAMA_HOST', ollamaAddress(host))
    return { baseUrl: url.endsWith('/v1') ? url : `${url}/v1`, key: null, missing: null }
  },
  'openai-compatible'(settings) {
    const own = given(settings, 'OPENAI_BASE_URL')
    const key = given(settings, 'OPENAI_API_KEY')
    if (own === null) return { baseUrl: '', key, missing: needs('openai-compatible', 'OPENAI_BASE_URL') }
    return { baseUrl: address('OPENAI_BASE_URL', own), key, missing: null }
  },
}

/** Ollama's own forms: `host`, `host:port`, a whole address; `0.0.0.0` is what it listens on, not where it is. */
function ollamaAddress(host: string): string {
  const whole = /^https?:\/\//.test(host) ? host : `http://${host}`
  const withPort = /^https?:\/\/(\[[^\]]*\]|[^/:]+)$/.test(whole) ? `${whole}:11434` : whole
  return withPort.replace(/^(https?:\/\/)0\.0\.0\.0(?=[:/])/, '$1127.0.0.1')
}

function address(setting: string, value: string): string {
  const url = URL.parse(value)
  const isHttp = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
  if (!isHttp || url.search !== '' || url.hash !== '') {
    throw new InvalidInput(`${setting} is "${hide(value)}"; allowed is an http:// or https:// address without a query.`, {
      path: setting,
    })
  }
  return value.replace(/\/+$/, '')
}

/** An address may carry a password. */
function hide(value: string): string {
  return value.replace(/\/\/[^@/]*@/, '//***@')
}

function needs(provider: ProviderName, setting: string): string {
  return `The model provider "${provider}" is chosen, but ${setting} is not set. Set it and start Steward again.`
}

function given(settings: ModelSettings, name: string): string | null {
  const value = settings.providers[name]?.trim()
  return value ? value : null
}
