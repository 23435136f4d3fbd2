// A model server for tests and benchmarks: speaks OpenAI chat completions over real HTTP and plays what the test scripts.
// Replies come from a queue, then from `otherwise`, which by default echoes the last user line at once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ScriptedRequest = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: ScriptedBody
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

/** `input` is sent as JSON, a text as it is: so broken arguments can be scripted. */
export type ScriptedCall = { readonly name: string; readonly input: unknown; readonly id?: string }

export type ScriptedReply =
  | {
      /** Each text is one chunk; at a Hold the answer stands still until the test releases it. */
      readonly text?: string | readonly (string | Hold)[]
      readonly calls?: readonly ScriptedCall[]
      /** finish_reason; default 'tool_calls' with calls, else 'stop'. null: none is sent. */
      readonly finish?: string | null
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
      /** How it ends: 'cut' breaks the connection, 'hang' sends nothing more and stays open. */
      readonly end?: 'done' | 'cut' | 'hang'
      /** Sent as it is, in front of the end: a broken frame, a comment. */
      readonly raw?: string
    }
  | { readonly status: number; readonly message?: string; readonly code?: string; readonly retryAfter?: number }
  /** No answer at all, not even headers. */
  | { readonly silent: true }

/** A place in an answer where it waits for the test. */
export type Hold = {
  /** Resolves when an answer stands there. */
  readonly reached: Promise<void>
  release(): void
  /** Used by the server. */
  readonly wait: () => Promise<void>
}

export function hold(): Hold {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    release: () => released.resolve(),
    wait() {
      reached.resolve()
      return released.promise
    },
  }
}

export type ScriptedModel = {
  readonly port: number
  /** `http://127.0.0.1:PORT/v1`: the value for OPENAI_BASE_URL. */
  readonly url: string
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
}

type Room = { readonly options: ScriptedOptions; readonly queue: (string | ScriptedReply)[]; requests: ScriptedRequest[]; count: number }

/** Listens on 127.0.0.1. */
export async function startScriptedModel(options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const room: Room = { options, queue: [], requests: [], count: 0 }
  const server = createServer((request, response) => {
    // What is thrown here is a fault of the script: the client sees it as a server error, the test in its message.
    serve(room, request, response).catch((error: unknown) => refuse(response, 500, { message: String(error) }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const port = (server.address() as AddressInfo).port
  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
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
  if (path === '/v1/models') return json(response, { object: 'list', data: [{ id: 'scripted', object: 'model' }] })
  if (path !== '/v1/chat/completions') return refuse(response, 404, { message: `no such route: ${path}` })
  const asked: ScriptedRequest = { path, headers: request.headers, body: JSON.parse(await bodyOf(request)) }
  room.count++
  room.requests.push(asked)
  if (room.requests.length > (room.options.keep ?? 1000)) room.requests.shift()
  const reply = room.queue.shift() ?? (await (room.options.otherwise ?? echo)(asked))
  await play(typeof reply === 'string' ? { text: reply } : reply, asked, response)
}

function echo({ body }: ScriptedRequest): string {
  const content = body.messages?.findLast((message) => message.role === 'user')?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

async function play(reply: ScriptedReply, { body }: ScriptedRequest, response: ServerResponse): Promise<void> {
  if ('silent' in reply) return
  if ('status' in reply) return refuse(response, reply.status, reply)
  if (body.stream) return stream(reply, body.model ?? 'scripted', response)
  json(response, whole(reply, body.model ?? 'scripted'))
}

type Spoken = Exclude<ScriptedReply, { status: number } | { silent: true }>

async function stream(reply: Spoken, model: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  let pending = ''
  for (const chunk of chunksOf(reply)) {
    if (typeof chunk === 'string') {
      pending += frame(model, { role: 'assistant', content: chunk }, null)
      continue
    }
    response.write(pending)
    pending = ''
    await chunk.wait()
  }
  pending += callFrames(reply, model) + (reply.raw ?? '')
  finish(reply, model, { response, pending })
}

/** Without a hold all of it is one write. */
function finish(reply: Spoken, model: string, out: { response: ServerResponse; pending: string }): void {
  const { response, pending } = out
  if (reply.end === 'hang') return void response.write(pending)
  if (reply.end === 'cut') return void response.write(pending, () => response.destroy())
  const reason = finishOf(reply)
  const last = reason === null ? '' : frame(model, {}, reason)
  response.end(`${pending}${last}${usageFrame(reply, model)}data: [DONE]\n\n`)
}

function chunksOf(reply: Spoken): readonly (string | Hold)[] {
  if (reply.text === undefined) return []
  return typeof reply.text === 'string' ? [reply.text] : reply.text
}

function finishOf(reply: Spoken): string | null {
  return reply.finish === undefined ? (reply.calls?.length ? 'tool_calls' : 'stop') : reply.finish
}

function frame(model: string, delta: object, reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model, choices })}\n\n`
}

function usageFrame(reply: Spoken, model: string): string {
  if (!reply.usage) return ''
  return `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model, choices: [], usage: reply.usage })}\n\n`
}

/** Arguments come in two halves, like a real provider sends them. */
function callFrames(reply: Spoken, model: string): string {
  return wireCalls(reply)
    .map(({ id, function: { name, arguments: text } }, index) => {
      const half = Math.ceil(text.length / 2)
      const head = { index, id, type: 'function', function: { name, arguments: text.slice(0, half) } }
      const rest = { index, function: { arguments: text.slice(half) } }
      return frame(model, { tool_calls: [head] }, null) + frame(model, { tool_calls: [rest] }, null)
    })
    .join('')
}

function wireCalls(reply: Spoken) {
  return (reply.calls ?? []).map((call, at) => ({
    id: call.id ?? `call_${at + 1}_${call.name}`,
    type: 'function',
    function: { name: call.name, arguments: typeof call.input === 'string' ? call.input : JSON.stringify(call.input) },
  }))
}

function whole(reply: Spoken, model: string): object {
  const calls = wireCalls(reply)
  const content = chunksOf(reply)
    .filter((chunk) => typeof chunk === 'string')
    .join('')
  const message = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
  const choices = [{ index: 0, message, finish_reason: finishOf(reply) ?? 'stop' }]
  const usage = reply.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  return { id: 'scripted', object: 'chat.completion', created: 0, model, choices, usage }
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function refuse(response: ServerResponse, status: number, why: { message?: string; code?: string; retryAfter?: number }): void {
  if (response.headersSent) return void response.destroy()
  const headers = { 'content-type': 'application/json', ...(why.retryAfter ? { 'retry-after': String(why.retryAfter) } : {}) }
  const error = { message: why.message ?? `scripted ${status}`, type: 'scripted', code: why.code ?? null }
  response.writeHead(status, headers).end(JSON.stringify({ error }))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
