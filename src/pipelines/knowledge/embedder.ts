// What a knowledge base's vectors are made by, as its configuration says; and what of it can't be had here.
import { InvalidInput } from '../../base/errors.ts'
import type { OwnAccount } from '../../models/message.ts'
import { openWay } from '../../tools/mcp/mcp.ts'
import { isExempt, parseUrl, type Reach } from '../../tools/web/web.ts'
import type { RagConfig } from '../configuration.ts'

export type Embedder = {
  readonly provider: string
  readonly model: string
  readonly dimensions?: number
  /** As configured: a reference to a secret, or a value. '': the hub's own account. */
  readonly apiKey: string
  readonly baseUrl: string
  /** What vectors are told apart by: those of two names can't be compared. */
  readonly name: string
}

/** By EDDI's names: which provider of ours makes them, and its model where none is named. */
const providers: Readonly<Record<string, { readonly provider: string; readonly model: string }>> = {
  openai: { provider: 'openai', model: 'text-embedding-3-small' },
  'openai-compatible': { provider: 'openai-compatible', model: 'text-embedding-3-small' },
  ollama: { provider: 'ollama', model: 'nomic-embed-text' },
}
const stores: readonly string[] = ['in-memory', 'inmemory', 'in_memory']
const mostWidth = 8_192

/** null: that provider is none here, which is said at deployment. */
export function embedderOf({ embeddingProvider, embeddingParameters: given }: RagConfig): Embedder | null {
  const kind = embeddingProvider.trim().toLowerCase() || 'openai'
  const found = Object.hasOwn(providers, kind) ? providers[kind] : undefined
  if (found === undefined) return null
  const of = (name: string) => (Object.hasOwn(given, name) ? (given[name] ?? '').trim() : '')
  const model = of('model') || of('modelName') || found.model
  const baseUrl = of('baseUrl').replace(/\/+$/, '')
  const width = Number(of('dimensions') || of('dimension'))
  const dimensions = Number.isSafeInteger(width) && width > 0 && width <= mostWidth ? width : undefined
  const name = [
    `${found.provider}/${model}`,
    ...(baseUrl === '' ? [] : [`at ${baseUrl}`]),
    ...(dimensions ? [`(${dimensions})`] : []),
  ].join(' ')
  return { ...found, model, baseUrl, apiKey: of('apiKey'), name, ...(dimensions === undefined ? {} : { dimensions }) }
}

/** Sentences about what a knowledge base asks for that can't be had here. Pure. */
export function knowledgeFaults(config: RagConfig): readonly string[] {
  const { embeddingProvider, storeType, chunkStrategy, chunkSize, chunkOverlap, minScore, maxResults } = config
  const named = (what: string, value: string, allowed: string) =>
    `the ${what} ${JSON.stringify(value.slice(0, 64))} is not supported; there is ${allowed}`
  return [
    ...(embedderOf(config) === null ? [named('embedding provider', embeddingProvider, Object.keys(providers).join(', '))] : []),
    ...(stores.includes(storeType.trim().toLowerCase()) ? [] : [named('vector store', storeType, 'in-memory, which is kept by the hub')]),
    ...(['', 'recursive'].includes(chunkStrategy.trim().toLowerCase()) ? [] : [named('chunkStrategy', chunkStrategy, 'recursive')]),
    ...(chunkSize >= smallest && chunkSize <= largest
      ? []
      : [`chunkSize is ${chunkSize}; allowed is ${smallest} to ${largest} characters`]),
    ...(chunkOverlap >= 0 && chunkOverlap < chunkSize ? [] : [`chunkOverlap is ${chunkOverlap}; allowed is 0 to less than chunkSize`]),
    ...(minScore >= 0 && minScore <= 1 ? [] : [`minScore is ${minScore}; allowed is 0 to 1`]),
    ...(maxResults >= 1 && maxResults <= mostResults ? [] : [`maxResults is ${maxResults}; allowed is 1 to ${mostResults}`]),
  ]
}

export const mostResults = 50
const smallest = 32
const largest = 8_000

export type Reaching = {
  readonly reach: Reach
  /** References to secrets become values, for that host. */
  readonly resolve: (text: string, host?: string) => Promise<string>
}

/** Where a key belongs when its configuration names no address. */
const usual: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  openrouter: 'https://openrouter.ai',
}

/**
 * An account that a configuration brings along, by the guard's way; null: it brings none. Throws InvalidInput for an address that
 * can't be one and for a key that would go unencrypted, and what `resolve` throws.
 */
export async function ownAccountOf(
  { provider, baseUrl, apiKey }: Pick<Embedder, 'provider' | 'baseUrl' | 'apiKey'>,
  { reach, resolve }: Reaching,
): Promise<OwnAccount | null> {
  if (baseUrl === '' && apiKey === '') return null
  const url = baseUrl === '' ? null : parseUrl(baseUrl)
  if (url !== null && !(url instanceof URL))
    throw new InvalidInput(`The address ${JSON.stringify(baseUrl.slice(0, 80))} is not used: ${url.why}`)
  const host = url?.origin ?? (Object.hasOwn(usual, provider) ? usual[provider] : undefined)
  const key = apiKey === '' ? '' : await resolve(apiKey, host)
  if (key !== '' && url !== null && url.protocol !== 'https:' && !isExempt(url, reach))
    throw new InvalidInput(`A key is sent over https only; ${url.origin} is not encrypted.`)
  const way = url === null ? null : openWay({ reach, target: () => ({ url: url.href, headersFor: async () => ({}) }), broken: () => {} })
  return { provider, ...(url === null ? {} : { baseUrl }), ...(key === '' ? {} : { key }), ...(way === null ? {} : { fetch: way.fetch }) }
}
