// Ollama in its own tongue: its OpenAI-like address cuts what is longer than its default window without a word, takes no window,
// and hides lines that are broken. Here the window is asked for, and a line that can't be read is an error (F01).
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { isObject } from '../base/json.ts'
import type { Choice } from './choice.ts'
import { type Speak, wayTo } from './library.ts'

/** What Ollama says of a model. `isElsewhere`: it is handed on to another machine. */
export type Shown = { readonly window: number | null; readonly isElsewhere: boolean; readonly canCallTools: boolean | null }

/** null: it does not know the model. Rejects when it does not answer. */
export async function showOllama(asked: Pick<Choice, 'baseUrl' | 'model' | 'fetch'>, signal: AbortSignal): Promise<Shown | null> {
  const { baseUrl, model } = asked
  const response = await wayTo(asked)(`${baseUrl}/api/show`, { method: 'POST', signal, ...json({ model }) })
  if (response.status === 404) return null
  if (!response.ok) throw await failed(response)
  const said: unknown = await response.json()
  if (!isObject(said)) return { window: null, isElsewhere: false, canCallTools: null }
  const facts = isObject(said['model_info']) ? Object.entries(said['model_info']) : []
  const window = facts.find(([key, value]) => key.endsWith('.context_length') && typeof value === 'number')?.[1]
  return {
    window: typeof window === 'number' ? window : null,
    isElsewhere: typeof said['remote_host'] === 'string' && said['remote_host'] !== '',
    canCallTools: Array.isArray(said['capabilities']) ? said['capabilities'].includes('tools') : null,
  }
}

/** `window`: tokens that the model is loaded with; always the same, because another one loads it anew. */
export function speakOllama(choice: Choice, window: number): Speak {
  const { baseUrl, model, key } = choice
  return async (options) => {
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const { headers, body } = json(bodyOf(model, window, options))
    const signal = options.abortSignal ?? null
    const response = await wayTo(choice)(`${baseUrl}/api/chat`, { method: 'POST', signal, headers: { ...headers, ...authorization }, body })
    if (!response.ok || response.body === null) throw await failed(response)
    return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(linesToParts())
  }
}

function json(value: object): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** In the shape of the provider library's errors, so that one reader understands all. */
async function failed(response: Response): Promise<Error> {
  const responseBody = (await response.text()).slice(0, 20_000)
  const said = parse(responseBody)
  const message = isObject(said) && typeof said['error'] === 'string' ? said['error'] : response.statusText
  const responseHeaders = Object.fromEntries(response.headers)
  return Object.assign(new Error(message), { name: 'OllamaError', statusCode: response.status, responseHeaders, responseBody })
}

function bodyOf(model: string, window: number, options: LanguageModelV4CallOptions): object {
  const { prompt, tools, maxOutputTokens, temperature, topP } = options
  const named = (tools ?? []).flatMap((tool) =>
    tool.type === 'function'
      ? [{ type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.inputSchema } }]
      : [],
  )
  return {
    model,
    messages: prompt.flatMap(messageOf),
    ...(named.length > 0 ? { tools: named } : {}),
    stream: true,
    options: {
      num_ctx: window,
      ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
    },
  }
}

function messageOf(message: LanguageModelV4Message): object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [{ role: 'user', content: textOf(message.content) }]
    case 'assistant': {
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
      )
      return [{ role: 'assistant', content: textOf(message.content), ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
    }
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result' && part.output.type === 'text'
          ? [{ role: 'tool', tool_name: part.toolName, content: part.output.value }]
          : [],
      )
  }
}

function textOf(parts: Exclude<LanguageModelV4Message['content'], string>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

type Out = TransformStreamDefaultController<LanguageModelV4StreamPart>

/** Lines of JSON become parts. The first that can't be read ends it as an error, whatever comes behind. */
function linesToParts(): TransformStream<string, LanguageModelV4StreamPart> {
  let rest = ''
  let isBroken = false
  const seen = { calls: 0 }
  const take = (line: string, out: Out) => {
    if (line.trim() === '' || isBroken) return
    const said = parse(line)
    const why = isObject(said) ? partsOf(said, out, seen) : 'a line of the answer is no JSON object'
    if (why === null) return
    isBroken = true
    out.enqueue({ type: 'error', error: { message: why, name: 'OllamaError' } })
  }
  return new TransformStream({
    transform(chunk, out) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line, out)
    },
    flush: (out) => take(rest, out),
  })
}

type Line = { readonly [key: string]: unknown }

/** null: taken. Otherwise why it can't be. */
function partsOf(line: Line, out: Out, seen: { calls: number }): string | null {
  if (typeof line['error'] === 'string') return line['error']
  const message = isObject(line['message']) ? line['message'] : {}
  if (typeof message['thinking'] === 'string' && message['thinking'] !== '') {
    out.enqueue({ type: 'reasoning-delta', id: '0', delta: message['thinking'] })
  }
  if (typeof message['content'] === 'string' && message['content'] !== '')
    out.enqueue({ type: 'text-delta', id: '0', delta: message['content'] })
  for (const call of Array.isArray(message['tool_calls']) ? message['tool_calls'] : []) {
    const wrong = callOf(call, out, seen)
    if (wrong !== null) return wrong
  }
  if (line['done'] === true) end(line, out, seen)
  return null
}

function callOf(call: unknown, out: Out, seen: { calls: number }): string | null {
  const asked = isObject(call) && isObject(call['function']) ? call['function'] : {}
  const { name, arguments: given } = asked
  if (typeof name !== 'string') return 'a tool call of the answer has no name'
  const id = isObject(call) && typeof call['id'] === 'string' ? call['id'] : ''
  // Its calls have no ids of their own in older versions; a result is told apart by this one.
  const toolCallId = id || `call_${++seen.calls}_${name}`
  out.enqueue({ type: 'tool-call', toolCallId, toolName: name, input: typeof given === 'string' ? given : JSON.stringify(given ?? {}) })
  seen.calls++
  return null
}

function end(line: Line, out: Out, { calls }: { readonly calls: number }): void {
  const reason = typeof line['done_reason'] === 'string' ? line['done_reason'] : 'stop'
  const unified: LanguageModelV4FinishReason['unified'] =
    reason === 'length' ? 'length' : calls > 0 ? 'tool-calls' : reason === 'stop' ? 'stop' : 'other'
  const input = count(line['prompt_eval_count'])
  const output = count(line['eval_count'])
  out.enqueue({
    type: 'finish',
    finishReason: { unified, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  })
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
