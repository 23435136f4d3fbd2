// The plain way to a server that speaks as OpenAI does: a conversation of texts, answered in words. The provider library takes three
// times as long for that as the call itself, so what is surely plain is written and read here. Everything else is the library's: calls
// of tools, what was thought, errors, whatever looks unusual; it is handed over where it begins.
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { messageOf } from '../base/errors.ts'
import { isObject } from '../base/json.ts'

type Parts = AsyncIterable<LanguageModelV4StreamPart>

export type PlainOptions = {
  readonly url: string
  readonly model: string
  readonly key: string | null
  readonly fetch: typeof fetch
  /** How the longest answer is named. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** The library; `answer` is what it gets in the place of its own request. */
  readonly library: (options: LanguageModelV4CallOptions, answer?: () => Promise<Response>) => Promise<Parts>
}

export function speakPlainly(given: PlainOptions): (options: LanguageModelV4CallOptions) => Promise<Parts> {
  const authorization: Record<string, string> = given.key === null ? {} : { authorization: `Bearer ${given.key}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  return async (options) => {
    const body = bodyOf(given, options)
    if (body === null) return given.library(options)
    let response: Response
    try {
      response = await given.fetch(given.url, { method: 'POST', headers, body, signal: options.abortSignal ?? null })
    } catch (thrown) {
      return given.library(options, () => Promise.reject(thrown))
    }
    if (!response.ok || response.body === null) return given.library(options, async () => response)
    const { status, headers: heads } = response
    const rest = (stream: ReadableStream<Uint8Array>) =>
      given.library(options, async () => new Response(stream, { status, headers: heads }))
    return read({ reader: response.body.getReader(), status }, rest)
  }
}

// ---- what is asked

const texts = new WeakMap<object, string | null>()

/** The text of one that never changes; the same ones come with call after call. null: it is not plain. */
function known<T extends object>(one: T, write: (one: T) => string | null): string | null {
  const present = texts.get(one)
  if (present !== undefined) return present
  const made = write(one)
  texts.set(one, made)
  return made
}

/** In the order of the library, so that both give equal bytes. null: not plain. */
function bodyOf({ model, limit }: PlainOptions, options: LanguageModelV4CallOptions): string | null {
  const { prompt, tools = [], toolChoice, maxOutputTokens, temperature, topP } = options
  const messages = prompt.map((one) => known(one, messageText))
  const named = tools.map((one) => (one.type === 'function' ? known(one, toolText) : null))
  if (messages.includes(null) || named.includes(null) || toolChoice?.type === 'tool') return null
  const most = maxOutputTokens === undefined ? '' : `"${limit}":${maxOutputTokens}`
  return `{${[
    `"model":${JSON.stringify(model)}`,
    limit === 'max_tokens' ? most : '',
    temperature === undefined ? '' : `"temperature":${temperature}`,
    topP === undefined ? '' : `"top_p":${topP}`,
    `"messages":[${messages.join()}]`,
    named.length === 0 ? '' : `"tools":[${named.join()}]`,
    named.length === 0 || toolChoice === undefined ? '' : `"tool_choice":"${toolChoice.type}"`,
    '"stream":true,"stream_options":{"include_usage":true}',
    limit === 'max_tokens' ? '' : most,
  ]
    .filter((part) => part !== '')
    .join()}}`
}

function messageText(message: LanguageModelV4Message): string | null {
  const { role, content } = message
  if (message.providerOptions !== undefined || role === 'tool') return null
  if (typeof content === 'string') return JSON.stringify({ role, content })
  const said = content.map((part) => (part.type === 'text' && part.providerOptions === undefined ? part.text : null))
  if (said.includes(null) || (role === 'user' && said.length !== 1)) return null
  return JSON.stringify({ role, content: said.join('') })
}

function toolText({ name, description, inputSchema: parameters, strict, providerOptions }: LanguageModelV4FunctionTool): string | null {
  if (strict !== undefined || providerOptions !== undefined) return null
  return JSON.stringify({ type: 'function', function: { name, description, parameters } })
}

// ---- what is answered

type End = { finish: string | null; usage: Usage | null }
type Rest = (stream: ReadableStream<Uint8Array>) => Promise<Parts>

type From = { readonly reader: ReadableStreamDefaultReader<Uint8Array>; readonly status: number }

async function* read({ reader, status }: From, handOver: Rest): AsyncGenerator<LanguageModelV4StreamPart> {
  const decoder = new TextDecoder()
  const end: End = { finish: null, usage: null }
  let text = ''
  let isOver = false
  try {
    while (!isOver) {
      const { done, value } = await next(reader, status)
      text += done ? decoder.decode() : decoder.decode(value, { stream: true })
      isOver = done
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        const event = plainEvent(text.slice(0, at))
        if (event === null) break
        text = text.slice(at + 2)
        end.finish = event.finish ?? end.finish
        end.usage = event.usage ?? end.usage
        yield event.words === '' ? { type: 'response-metadata' } : { type: 'text-delta', id: '0', delta: event.words }
      }
      // A whole event that is left is not plain, and nothing that has other ends of lines ever looks whole.
      if (!isOver && (text.includes('\n\n') || text.includes('\r')))
        return yield* await handOver(remainder(reader, decoder, begun(end) + text))
    }
    if (text !== '' || end.finish === null) return yield* await handOver(remainder(reader, decoder, begun(end) + text))
    yield { type: 'finish', finishReason: { unified: unified[end.finish] ?? 'other', raw: end.finish }, usage: usageOf(end.usage) }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** What breaks here is a connection, in the shape of the library's errors. */
function next(reader: From['reader'], statusCode: number): ReturnType<From['reader']['read']> {
  return reader.read().catch((cause: unknown) => {
    throw Object.assign(new Error(messageOf(cause), { cause }), { name: 'APICallError', statusCode })
  })
}

const unified: Readonly<Record<string, 'stop' | 'length' | 'content-filter' | 'tool-calls'>> = {
  ...{ stop: 'stop', length: 'length', content_filter: 'content-filter', function_call: 'tool-calls', tool_calls: 'tool-calls' },
}

/** What the library has to know of what it did not see. */
function begun({ finish, usage }: End): string {
  const events = [
    ...(finish === null ? [] : [{ choices: [{ delta: {}, finish_reason: finish }] }]),
    ...(usage === null ? [] : [{ choices: [], usage }]),
  ]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

type Decoder = { decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string }

/** What was decoded and not understood, and all that comes behind it. */
function remainder(reader: ReadableStreamDefaultReader<Uint8Array>, decoder: Decoder, text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start(out) {
      if (text !== '') out.enqueue(encoder.encode(text))
    },
    async pull(out) {
      const { done, value } = await reader.read()
      const more = done ? decoder.decode() : decoder.decode(value, { stream: true })
      if (more !== '' || !done) out.enqueue(encoder.encode(more))
      if (done) out.close()
    },
    cancel: (why) => reader.cancel(why),
  })
}

type Plain = { readonly words: string; readonly finish: string | null; readonly usage: Usage | null }
type Fields = { readonly [name: string]: unknown }

const nothingSaid: Plain = { words: '', finish: null, usage: null }

/** One event of the stream; null: not plain. */
function plainEvent(text: string): Plain | null {
  if (!text.startsWith('data: ') || text.includes('\n') || text.includes('\r')) return null
  const data = text.slice(6)
  if (data === '[DONE]') return nothingSaid
  const said = parsed(data)
  if (said === null || 'error' in said || !isAbsentOr(said['id'], 'string') || !isAbsentOr(said['model'], 'string')) return null
  const { choices, usage = null } = said
  if (!isAbsentOr(said['created'], 'number') || !Array.isArray(choices) || choices.length > 1 || !isUsage(usage)) return null
  if (choices.length === 0) return { ...nothingSaid, usage }
  const choice: unknown = choices[0]
  if (!isObject(choice) || !isAbsentOr(choice['finish_reason'], 'string')) return null
  const words = wordsOf(choice['delta'] ?? {})
  const { finish_reason: finish } = choice
  return words === null ? null : { words, finish: typeof finish === 'string' ? finish : null, usage }
}

function parsed(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const said = new Set(['role', 'content'])

/** null: there is more in it than words. */
function wordsOf(delta: unknown): string | null {
  if (!isObject(delta) || !isAbsentOr(delta['content'], 'string')) return null
  const { role, content } = delta
  if (role !== undefined && role !== null && role !== 'assistant' && role !== '') return null
  for (const name in delta) if (!said.has(name) && delta[name] !== null) return null
  return typeof content === 'string' ? content : ''
}

function isAbsentOr(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || value === null || (type === 'string' ? typeof value === 'string' : typeof value === 'number')
}

type Usage = {
  readonly prompt_tokens?: number | null
  readonly completion_tokens?: number | null
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}

/** Also null, where nothing was counted yet. */
function isUsage(value: unknown): value is Usage | null {
  if (value === null) return true
  if (!isObject(value)) return false
  const { prompt_tokens_details: input = null, completion_tokens_details: output = null } = value
  const counts = [value['prompt_tokens'], value['completion_tokens'], value['total_tokens']]
  if (input !== null) counts.push(isObject(input) ? input['cached_tokens'] : '')
  if (output !== null) counts.push(isObject(output) ? output['reasoning_tokens'] : '')
  return counts.every((count) => isAbsentOr(count, 'number'))
}

function usageOf(usage: Usage | null): LanguageModelV4Usage {
  const [input, output] = [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0]
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? 0
  const none = { cacheRead: undefined, cacheWrite: undefined }
  if (usage === null)
    return {
      inputTokens: { total: undefined, noCache: undefined, ...none },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    }
  return {
    inputTokens: { ...none, total: input, noCache: input - cached, cacheRead: cached },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}
