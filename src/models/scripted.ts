// A model server for tests and benchmarks: speaks the dialects of OpenAI, Anthropic, Google and Ollama over real HTTP and plays
// what the test scripts, the same script in each. Replies come from a queue, then from `otherwise`, which by default echoes the
// last user line at once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { anthropic } from './scripted-anthropic.ts'
import { embeddingsAt } from './scripted-embed.ts'
import { google } from './scripted-google.ts'
import { ollama } from './scripted-ollama.ts'
import { openAi } from './scripted-openai.ts'
import { chunksOf, type Dialect, type ScriptedRefusal, type ScriptedReply, type Spoken } from './scripted-reply.ts'

export { type Hold, hold, type ScriptedCall, type ScriptedReply } from './scripted-reply.ts'

export type ScriptedRequest = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: ScriptedBody
  /** The body as it came. */
  readonly text: string
}

export type ScriptedBody = {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: readonly ScriptedMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: unknown } }[]
  readonly [key: string]: unknown
}

export type ScriptedMessage = {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
}

export type ScriptedModel = {
  readonly port: number
  /** `http://127.0.0.1:PORT/v1`: the value for OPENAI_BASE_URL and ANTHROPIC_BASE_URL. */
  readonly url: string
  /** `http://127.0.0.1:PORT`: the value for OLLAMA_HOST; with `/v1beta` for GOOGLE_GENERATIVE_AI_BASE_URL. */
  readonly origin: string
  /** What it was asked, oldest first; only the newest `keep`. */
  readonly requests: readonly ScriptedRequest[]
  /** How many requests came in all. */
  readonly count: number
  /** Adds replies to the queue. */
  script(...replies: readonly (string | ScriptedReply)[]): void
  close(): Promise<void>
}

export type ScriptedOptions = {
  readonly port?: number
  readonly otherwise?: (request: ScriptedRequest) => string | ScriptedReply | Promise<string | ScriptedReply>
  readonly keep?: number
  /** What is there, by name, for the lists of each dialect; with the window that Ollama says. Default: `scripted`. */
  readonly models?: Readonly<Record<string, { readonly window?: number; readonly remote?: string }>>
  /** How wide the vectors of its embeddings are; default 256. */
  readonly width?: number
  /** What is answered instead of embeddings; null: embeddings. */
  readonly embedding?: (request: ScriptedRequest) => ScriptedRefusal | { readonly answer: object } | null | Promise<null>
}

type Room = { readonly options: ScriptedOptions; readonly queue: (string | ScriptedReply)[]; requests: ScriptedRequest[]; count: number }

/** Listens on 127.0.0.1. */
export async function startScriptedModel(options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const room: Room = { options, queue: [], requests: [], count: 0 }
  const server = createServer((request, response) => {
    // What is thrown here is a fault of the script: the client sees it as a server error, the test in its message.
    serve(room, request, response).catch((error: unknown) => refuse(openAi, response, { status: 500, message: String(error) }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port')
  const origin = `http://127.0.0.1:${address.port}`
  return {
    port: address.port,
    url: `${origin}/v1`,
    origin,
    get requests() {
      return room.requests
    },
    get count() {
      return room.count
    },
    script: (...replies) => void room.queue.push(...replies),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/'
  const text = await bodyOf(request)
  const facts = factsAt(path, text, room.options.models ?? { scripted: {} })
  if (facts !== null)
    return facts === 'missing' ? refuse(openAi, response, { status: 404, message: 'no such model' }) : json(response, facts)
  const vectors = embeddingsAt(path, text, room.options.width ?? 256)
  if (vectors !== null) return embed(room, response, { asked: { path, headers: request.headers, body: JSON.parse(text), text }, vectors })
  const dialect = dialectAt(path)
  if (dialect === null) return refuse(openAi, response, { status: 404, message: `no such route: ${path}` })
  const asked: ScriptedRequest = { path, headers: request.headers, body: JSON.parse(text), text }
  note(room, asked)
  const reply = room.queue.shift() ?? (await (room.options.otherwise ?? echo)(asked))
  await play(typeof reply === 'string' ? { text: reply } : reply, { dialect, asked, response })
}

function note(room: Room, asked: ScriptedRequest): void {
  room.count++
  room.requests.push(asked)
  if (room.requests.length > (room.options.keep ?? 1000)) room.requests.shift()
}

type Embedding = { readonly asked: ScriptedRequest; readonly vectors: object }

async function embed(room: Room, response: ServerResponse, { asked, vectors }: Embedding): Promise<void> {
  note(room, asked)
  const instead = (await room.options.embedding?.(asked)) ?? null
  if (instead !== null && 'status' in instead) return refuse(asked.path === '/api/embed' ? ollama : openAi, response, instead)
  json(response, instead?.answer ?? vectors)
}

function dialectAt(path: string): Dialect | null {
  if (path === '/v1/chat/completions') return openAi
  if (path === '/v1/messages') return anthropic
  if (/^\/v1beta\/models\/[^/]+:(streamGenerateContent|generateContent)/.test(path)) return google
  return path === '/api/chat' ? ollama : null
}

type Models = NonNullable<ScriptedOptions['models']>

/** Lists of models, and what Ollama says of one. null: no such question. */
function factsAt(path: string, text: string, models: Models): object | 'missing' | null {
  const names = Object.keys(models)
  if (path === '/v1/models') return { object: 'list', data: names.map((id) => ({ id, object: 'model' })) }
  if (path === '/api/tags') return { models: names.map((name) => ({ name })) }
  const one = /^\/v1(?:beta)?\/models\/([^/:]+)$/.exec(path)?.[1]
  if (one !== undefined) return names.includes(one) ? { id: one, name: `models/${one}` } : 'missing'
  if (path !== '/api/show') return null
  const found = models[JSON.parse(text).model]
  if (found === undefined) return 'missing'
  const window = found.window === undefined ? {} : { 'llama.context_length': found.window }
  return { model_info: window, capabilities: ['completion', 'tools'], ...(found.remote ? { remote_host: found.remote } : {}) }
}

function echo({ body }: ScriptedRequest): string {
  const content = body.messages?.findLast((message) => message.role === 'user')?.content ?? lastOfGoogle(body)
  const text = Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : content
  return typeof text === 'string' ? withoutNotices(text) : ''
}

/** What somebody else than the hub wrote: its own notices stand in frames (context/frame.ts). */
export function withoutNotices(text: string): string {
  return text.replace(/<(hub-[0-9a-f]{8}) [^>]*>[\s\S]*?<\/\1>\n*/g, '').trim()
}

function lastOfGoogle({ contents }: ScriptedBody): unknown {
  return Array.isArray(contents) ? contents.findLast((one: { role?: string }) => one.role === 'user')?.parts : undefined
}

type Playing = { readonly dialect: Dialect; readonly asked: ScriptedRequest; readonly response: ServerResponse }

async function play(reply: ScriptedReply, playing: Playing): Promise<void> {
  const { dialect, asked, response } = playing
  if ('silent' in reply) return
  if ('status' in reply) return refuse(dialect, response, reply)
  if (isStreamed(dialect, asked)) return stream(reply, playing)
  json(response, dialect.whole(reply, modelOf(asked)))
}

/** Ollama streams unless told not to, Google by its address. */
function isStreamed(dialect: Dialect, { body, path }: ScriptedRequest): boolean {
  if (dialect === google) return path.includes(':streamGenerateContent')
  return dialect === ollama ? body.stream !== false : body.stream === true
}

function modelOf({ body }: ScriptedRequest): string {
  return body.model ?? 'scripted'
}

async function stream(reply: Spoken, { dialect, asked, response }: Playing): Promise<void> {
  const model = modelOf(asked)
  response.writeHead(200, { 'content-type': dialect.contentType, 'cache-control': 'no-cache' })
  let pending = dialect.start(model, reply)
  for (const chunk of chunksOf(reply)) {
    if (typeof chunk === 'string') {
      pending += dialect.text(chunk, model)
      continue
    }
    await write(response, pending, reply)
    pending = ''
    await chunk.wait()
  }
  const sent = reply.argumentsSent ?? Number.POSITIVE_INFINITY
  pending += dialect.calls(reply, model, sent) + (reply.raw ?? '')
  await finish(reply, response, { pending, end: dialect.end(reply, model) })
}

/** Without a hold all of it is one write. */
async function finish(reply: Spoken, response: ServerResponse, { pending, end }: { pending: string; end: string }): Promise<void> {
  if (reply.end === 'hang') return write(response, pending, reply)
  if (reply.end === 'cut') return void response.write(pending, () => response.destroy())
  if (!reply.byByte) return void response.end(pending + end)
  await write(response, pending + end, reply)
  response.end()
}

async function write(response: ServerResponse, text: string, { byByte }: Spoken): Promise<void> {
  if (!byByte) return void response.write(text)
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.of(byte))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function refuse(dialect: Dialect, response: ServerResponse, why: ScriptedRefusal): void {
  if (response.headersSent) return void response.destroy()
  const retry = why.retryAfter === undefined ? {} : { 'retry-after': String(why.retryAfter) }
  response.writeHead(why.status, { 'content-type': 'application/json', ...retry, ...why.headers })
  response.end(why.body ?? JSON.stringify(dialect.refusal(why)))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
