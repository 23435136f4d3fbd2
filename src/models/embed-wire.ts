// One request for embeddings, in the two dialects there are: OpenAI's `/embeddings`, which many servers speak, and Ollama's own.
import type { Clock } from '../base/clock.ts'
import { isObject } from '../base/json.ts'
import type { Choice } from './choice.ts'
import { type Fault, faultOf } from './fault.ts'
import { wayTo } from './library.ts'
import { failure, type ModelFailure } from './message.ts'
import { watch } from './watch.ts'

/** Characters of one text, and of one request; texts of one request; numbers of a vector; bytes of an answer. */
export const longestText = 32_000
const mostCharacters = 200_000
const mostTexts = 64
const widest = 8_192
const mostBytes = 24_000_000
const mostOfAll = 100_000
const limits = { firstByteMs: 120_000, betweenChunksMs: 60_000, wholeMs: 300_000 }

/** `tokens`: on the high side. */
export type Batch = { readonly texts: readonly string[]; readonly tokens: number }

export function batchesOf(texts: readonly string[]): readonly Batch[] | ModelFailure {
  if (texts.length === 0 || texts.length > mostOfAll)
    return failure('invalid_request', `${texts.length} texts were given; allowed are 1 to ${mostOfAll}.`)
  const tooLong = texts.findIndex((text) => text.length > longestText)
  if (tooLong >= 0) return failure('context_length', `Text ${tooLong + 1} is longer than ${longestText} characters.`)
  const batches: { texts: string[]; size: number }[] = []
  for (const text of texts) {
    const last = batches.at(-1)
    if (last === undefined || last.texts.length >= mostTexts || last.size + text.length > mostCharacters)
      batches.push({ texts: [text], size: text.length })
    else {
      last.texts.push(text)
      last.size += text.length
    }
  }
  return batches.map(({ texts: some, size }) => ({ texts: some, tokens: Math.ceil(size / 3) + some.length * 4 }))
}

export type EmbedCall = {
  readonly texts: readonly string[]
  readonly dimensions?: number | undefined
  readonly signal: AbortSignal
  readonly clock: Clock
}

type Read = { readonly ok: true; readonly vectors: readonly Float32Array[]; readonly input: number | null }

/** Never throws. */
export async function embedOnce(choice: Choice, call: EmbedCall): Promise<Read | ({ readonly ok: false } & Fault)> {
  const watched = watch({ signal: call.signal, clock: call.clock, limits })
  try {
    const { path, body } = questionOf(choice, call)
    const authorization: Record<string, string> = choice.key === null ? {} : { authorization: `Bearer ${choice.key}` }
    const headers = { 'content-type': 'application/json', ...authorization }
    const response = await wayTo(choice)(`${choice.baseUrl}${path}`, {
      method: 'POST',
      signal: watched.signal,
      headers,
      body: JSON.stringify(body),
    })
    const said = await jsonIn(response, watched.alive)
    if (!response.ok) throw refused(response, said)
    return read(said, choice, call.texts.length)
  } catch (thrown) {
    const ended = watched.ended(choice.name)
    if (ended !== null) return { ok: false, failure: ended, isWide: false, window: null, mayCost: true }
    return { ok: false, ...faultOf(thrown, choice, call.clock.now()) }
  } finally {
    watched.stop()
  }
}

function questionOf({ provider, model }: Choice, { texts, dimensions }: EmbedCall): { readonly path: string; readonly body: object } {
  const narrow = dimensions === undefined ? {} : { dimensions }
  // An empty text is refused by both; a space has no meaning either.
  const input = texts.map((text) => (text.trim() === '' ? ' ' : text))
  return provider === 'ollama'
    ? { path: '/api/embed', body: { model, input, truncate: true, ...narrow } }
    : { path: '/embeddings', body: { model, input, encoding_format: 'float', ...narrow } }
}

async function jsonIn(response: Response, alive: () => void): Promise<unknown> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    alive()
    size += part.byteLength
    if (size > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`)
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 2_000)
  }
}

/** In the shape of the provider library's errors, so that one reader understands all. */
function refused(response: Response, said: unknown): Error {
  const message = isObject(said) && typeof said['error'] === 'string' ? said['error'] : response.statusText
  const responseBody = typeof said === 'string' ? said : JSON.stringify(said).slice(0, 20_000)
  const responseHeaders = Object.fromEntries(response.headers)
  return Object.assign(new Error(message), {
    name: 'EmbeddingError',
    statusCode: response.status,
    responseHeaders,
    responseBody,
    data: said,
  })
}

/** `{data: [{index, embedding}], usage: {prompt_tokens}}`, or `{embeddings: [...], prompt_eval_count}`. */
function read(said: unknown, { name }: Choice, count: number): Read | ({ readonly ok: false } & Fault) {
  const whole = isObject(said) ? said : {}
  const data = Array.isArray(whole['data']) ? inOrder(whole['data']) : whole['embeddings']
  const vectors = Array.isArray(data) ? data.flatMap((one: unknown) => vectorOf(one) ?? []) : []
  const isWhole = vectors.length === count && vectors.every((one) => one.length === vectors[0]?.length)
  if (!isWhole) {
    const why = failure('bad_reply', `The model ${name} sent no embeddings that can be read for the ${count} texts.`)
    return { ok: false, failure: why, isWide: false, window: null, mayCost: true }
  }
  const usage = isObject(whole['usage']) ? whole['usage'] : {}
  return { ok: true, vectors, input: tokensIn(usage['prompt_tokens']) ?? tokensIn(whole['prompt_eval_count']) }
}

function inOrder(data: readonly unknown[]): readonly unknown[] {
  const at = (one: unknown, place: number) => (isObject(one) && typeof one['index'] === 'number' ? one['index'] : place)
  const placed = data.map((one, place) => ({ at: at(one, place), embedding: isObject(one) ? one['embedding'] : null }))
  const isEach = new Set(placed.map((one) => one.at)).size === placed.length
  return isEach ? placed.toSorted((a, b) => a.at - b.at).map((one) => one.embedding) : []
}

function vectorOf(value: unknown): Float32Array | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > widest) return null
  const vector = new Float32Array(value.length)
  for (const [at, one] of value.entries()) {
    if (typeof one !== 'number' || !Number.isFinite(Math.fround(one))) return null
    vector[at] = one
  }
  return vector
}

function tokensIn(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null
}
