// Where each provider is reached and with which key, and whether what is sent to it leaves the machine.
import { InvalidInput } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'

export const providerNames = ['openai', 'anthropic', 'google', 'openrouter', 'ollama', 'openai-compatible'] as const
export type ProviderName = (typeof providerNames)[number]

/** The variables of CONTRACT section 2 by their names; only those that are set. */
export type ProviderSettings = Readonly<Record<string, string>>

export type Access = {
  readonly baseUrl: string
  readonly key: string | null
  /** A sentence, when it can't be called as it is set up. */
  readonly missing: string | null
  /** Names the account: provider, address and a mark of the key. Limits and cool-downs belong to it. */
  readonly account: string
  /** Nothing that is sent there leaves the machine (or the person marked the address as their own). */
  readonly isLocal: boolean
}

type Variables = {
  readonly key: string | null
  readonly url: string | null
  /** The name of the key in the secret store. */
  readonly secret: string | null
  readonly usual: string | null
}

const variables: Record<ProviderName, Variables> = {
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', secret: 'openai-api-key', usual: 'https://api.openai.com/v1' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL', secret: 'anthropic-api-key', usual: 'https://api.anthropic.com/v1' },
  google: {
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    url: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    secret: 'google-api-key',
    usual: 'https://generativelanguage.googleapis.com/v1beta',
  },
  openrouter: { key: 'OPENROUTER_API_KEY', url: null, secret: 'openrouter-api-key', usual: 'https://openrouter.ai/api/v1' },
  ollama: { key: null, url: 'OLLAMA_HOST', secret: null, usual: 'http://127.0.0.1:11434' },
  'openai-compatible': { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', secret: 'openai-compatible-api-key', usual: null },
}

/** Behind these an address of this machine is a model of this machine; behind a vendor's name it is a way to the vendor. */
const ownServers: readonly ProviderName[] = ['ollama', 'openai-compatible']

/** The name under which the secret store may have its key; null: it wants none. */
export function secretOf(provider: ProviderName): string | null {
  return variables[provider].secret
}

/** `stored`: the key of the secret store; one of the environment wins. `marked`: addresses that a person calls their own. */
export function accessOf(
  provider: ProviderName,
  settings: ProviderSettings,
  { stored, marked }: { readonly stored: string | null; readonly marked: readonly string[] },
): Access {
  const { key: keyName, url: urlName, usual } = variables[provider]
  const own = urlName === null ? null : given(settings, urlName)
  const key = (keyName === null ? null : given(settings, keyName)) ?? stored
  const baseUrl = own === null ? usual : addressOf(provider, urlName ?? '', own)
  return {
    baseUrl: baseUrl ?? '',
    key,
    missing: whatIsMissing(provider, { hasKey: key !== null, hasOwnAddress: own !== null }),
    account: `${provider} ${baseUrl} ${markOf(key)}`,
    isLocal: baseUrl !== null && staysHere(provider, baseUrl, marked),
  }
}

export type OwnAddress = { readonly baseUrl?: string; readonly key?: string }

/**
 * Somebody's own account at a provider. The hub's key goes to the hub's addresses only, so it is not used here. Throws InvalidInput
 * for an address that can't be one.
 */
export function ownAccess(
  provider: ProviderName,
  { baseUrl, key }: OwnAddress,
  { settings, marked }: { readonly settings: ProviderSettings; readonly marked: readonly string[] },
): Access {
  const hub = accessOf(provider, settings, { stored: null, marked })
  const address = baseUrl?.trim() ? addressOf(provider, 'baseUrl', plainAddress(baseUrl.trim())) : hub.baseUrl
  const own = key?.trim() ? key.trim() : null
  const needsKey = variables[provider].key !== null && provider !== 'openai-compatible' && !baseUrl?.trim()
  return {
    baseUrl: address,
    key: own,
    missing:
      address === '' ? 'It has no address of its own.' : needsKey && own === null ? `${provider} wants a key, and none is given.` : null,
    account: `${provider} ${address} ${markOf(own)}`,
    isLocal: staysHere(provider, address, marked),
  }
}

/** No white space: names of accounts are told apart by it. */
function plainAddress(value: string): string {
  if (value.length <= longestAddress && !/[\s\p{Cc}]/u.test(value)) return value
  throw new InvalidInput(
    `baseUrl is "${hide(value.slice(0, 80))}"; allowed is an address of up to ${longestAddress} characters, without spaces.`,
    {
      path: 'baseUrl',
    },
  )
}

const longestAddress = 2_000

function staysHere(provider: ProviderName, baseUrl: string, marked: readonly string[]): boolean {
  return (ownServers.includes(provider) && isLoopback(baseUrl)) || marked.includes(originOf(baseUrl))
}

function markOf(key: string | null): string {
  return key === null ? '-' : sha256(key).slice(0, 12)
}

function whatIsMissing(provider: ProviderName, { hasKey, hasOwnAddress }: { readonly hasKey: boolean; readonly hasOwnAddress: boolean }) {
  const { key, url, secret } = variables[provider]
  if (provider === 'openai-compatible')
    return hasOwnAddress ? null : `${chosen(provider)} ${url} is not set. Set it and start Steward again.`
  // Somebody else's server behind the address may want no key; the provider itself always does.
  if (key === null || hasKey || hasOwnAddress) return null
  return `${chosen(provider)} ${key} is not set. Set it and start Steward again, or keep the key in the secret store as ${secret}.`
}

function chosen(provider: ProviderName): string {
  return `The model provider "${provider}" is chosen, but`
}

/** Providers whose key or address is set: offered, never used until a person chooses one. */
export function offeredProviders(settings: ProviderSettings): readonly ProviderName[] {
  return providerNames.filter((provider) => {
    const { key, url } = variables[provider]
    const name = provider === 'openai-compatible' ? url : (key ?? url)
    return name !== null && given(settings, name) !== null
  })
}

function addressOf(provider: ProviderName, setting: string, value: string): string {
  if (provider !== 'ollama') return address(setting, value)
  return address(setting, ollamaAddress(value)).replace(/\/v1$/, '')
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

function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? ''
  return /^(127(\.\d{1,3}){3}|\[::1\]|localhost|[a-z0-9-]+\.localhost)$/.test(host)
}

/** `localhost` is the same as the number that it stands for. */
export function isSameAddress(one: string, other: string): boolean {
  const plain = (address: string) => address.replace(/^(https?:\/\/)localhost(?=[:/]|$)/i, '$1127.0.0.1')
  return plain(one) === plain(other)
}

export function originOf(address: string): string {
  return URL.parse(address)?.origin ?? ''
}

function given(settings: ProviderSettings, name: string): string | null {
  const value = settings[name]?.trim()
  return value ? value : null
}
