// The provider libraries, each loaded when it is first used: importing one takes longer than everything else at start-up.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ProviderName } from './access.ts'
import type { Choice } from './choice.ts'
import { speakPlainly } from './plain.ts'

/** One call; the parts of the answer. Rejects like the library does. */
export type Speak = (options: LanguageModelV4CallOptions) => Promise<AsyncIterable<LanguageModelV4StreamPart>>

const loaded = new Map<string, Promise<Speak>>()

/** How a model is spoken to. */
export function speakerOf(choice: Choice, window: number): Promise<Speak> {
  const name = JSON.stringify([choice.provider, choice.model, choice.baseUrl, choice.key, choice.provider === 'ollama' ? window : 0])
  const known = loaded.get(name)
  if (known) return known
  const made = loaders[choice.provider](choice, window)
  // Accounts of others come and go, with keys that are not for keeping.
  if (!choice.isOwn) loaded.set(name, made)
  return made
}

/**
 * A redirect would carry what was said to a place that nobody chose, so none is followed. A name and password in the address go
 * where fetch takes them: it refuses an address that has some, and repeats it aloud.
 */
export const direct: typeof fetch = (input, init) => {
  const url = URL.parse(input instanceof Request ? input.url : String(input))
  if (url === null || url.username === '') return fetch(input, { ...init, redirect: 'error' })
  const headers = new Headers(init?.headers)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  if (!headers.has('authorization')) headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`)
  url.username = ''
  url.password = ''
  return fetch(url, { ...init, headers, redirect: 'error' })
}

/** The way to a provider. */
export function wayTo({ fetch: own }: Pick<Choice, 'fetch'>): typeof fetch {
  return own === undefined ? direct : (input, init) => own(input instanceof Request ? input.url : String(input), init)
}

const loaders: Record<ProviderName, (choice: Choice, window: number) => Promise<Speak>> = {
  openai: compatible,
  openrouter: compatible,
  'openai-compatible': compatible,
  async anthropic(choice) {
    const { baseUrl, key, model } = choice
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const library = createAnthropic({ baseURL: baseUrl, apiKey: key ?? 'none', fetch: wayTo(choice) })
    // Arguments that stream word by word are not checked by the provider, and nobody here looks at half of them.
    return speak(library(model), { anthropic: { toolStreaming: false } })
  },
  async google(choice) {
    const { baseUrl, key, model } = choice
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return speak(createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: key ?? 'none', fetch: wayTo(choice) })(model))
  },
  async ollama(choice, window) {
    const { speakOllama } = await import('./ollama.ts')
    return speakOllama(choice, window)
  },
}

async function compatible(choice: Choice): Promise<Speak> {
  const { provider, baseUrl, key, model } = choice
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const isOpenAi = provider === 'openai' && new URL(baseUrl).host === 'api.openai.com'
  const way = wayTo(choice)
  // Answers that were begun to be read elsewhere, by the signal of their call.
  const answers = new WeakMap<AbortSignal, () => Promise<Response>>()
  const library = createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    fetch: (input, init) => (init?.signal ? answers.get(init.signal)?.() : undefined) ?? way(input, init),
    ...(key === null ? {} : { apiKey: key }),
    ...(isOpenAi ? { transformRequestBody: renameLimit } : {}),
  })
  const whole = speak(library.chatModel(model))
  return speakPlainly({
    ...{ url: `${baseUrl}/chat/completions`, model, key, fetch: way },
    limit: isOpenAi ? 'max_completion_tokens' : 'max_tokens',
    library(options, answer) {
      const { abortSignal = new AbortController().signal } = options
      if (answer !== undefined) answers.set(abortSignal, answer)
      return whole({ ...options, abortSignal })
    },
  })
}

/** OpenAI's own models that think refuse the older word; other servers know only that. */
function renameLimit({ max_tokens: most, ...body }: Record<string, unknown>): Record<string, unknown> {
  return most === undefined ? body : { ...body, max_completion_tokens: most }
}

function speak(model: LanguageModelV4, providerOptions?: NonNullable<LanguageModelV4CallOptions['providerOptions']>): Speak {
  return async (options) => (await model.doStream({ ...options, ...(providerOptions ? { providerOptions } : {}) })).stream
}
