// One call of one model over an OpenAI-compatible address. The library reads the wire; the loop over its parts is ours.
// Loaded late: importing the library takes longer than everything else at start-up.
import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { Clock } from '../base/clock.ts'
import { type Choice, nameOf } from './choice.ts'
import { faultOf } from './fault.ts'
import { repairHistory } from './history.ts'
import {
  type Finish,
  failure,
  finishes,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ToolCall,
  toolCall,
  type Usage,
} from './message.ts'
import { type Watch, watch } from './watch.ts'

export type Limits = {
  /** How long the first part of an answer, and each further one, may take. */
  readonly firstByteMs: number
  readonly betweenChunksMs: number
  /** How long the whole call may take. */
  readonly wholeMs: number
  /** An answer that is longer (characters of text and arguments) is cut off as unreadable. */
  readonly maxCharacters: number
}

export type CallOptions = {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly limits: Limits
  readonly onText: (words: string) => void
}

/** Asks the model once. Never throws. */
export async function callModel(choice: Choice, request: ModelRequest, options: CallOptions): Promise<ModelReply> {
  const watched = watch(options)
  try {
    const model = await load(choice)
    const tools = request.tools.map(toolOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const { stream } = await model.doStream({
      prompt: repairHistory(request.messages).map(messageOf),
      abortSignal: watched.signal,
      ...(tools.length > 0 ? { tools } : {}),
      ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    })
    return await read(stream, choice, { ...options, watched })
  } catch (thrown) {
    return watched.ended(nameOf(choice)) ?? faultOf(thrown, choice)
  } finally {
    watched.stop()
  }
}

const loaded = new Map<string, Promise<LanguageModelV4>>()

function load(choice: Choice): Promise<LanguageModelV4> {
  const name = JSON.stringify([choice.provider, choice.model, choice.baseUrl, choice.key])
  const known = loaded.get(name)
  if (known) return known
  const made = import('@ai-sdk/openai-compatible').then(({ createOpenAICompatible }) =>
    createOpenAICompatible({
      name: choice.provider,
      baseURL: choice.baseUrl,
      includeUsage: true,
      ...(choice.key === null ? {} : { apiKey: choice.key }),
    }).chatModel(choice.model),
  )
  loaded.set(name, made)
  return made
}

type Reading = CallOptions & { readonly watched: Watch }
type Raw = { readonly id: string; readonly name: string; readonly raw: string }
type Parts = { text: string; held: string; size: number; calls: Raw[]; error: unknown; end: End | null }
type End = { readonly finish: string; readonly usage: LanguageModelV4Usage }

async function read(stream: ReadableStream<LanguageModelV4StreamPart>, choice: Choice, reading: Reading): Promise<ModelReply> {
  const parts: Parts = { text: '', held: '', size: 0, calls: [], error: undefined, end: null }
  for await (const part of stream) {
    if (part.type !== 'stream-start') reading.watched.alive()
    takers[part.type]?.(part, parts, reading)
    if (parts.size > reading.limits.maxCharacters) {
      return failure('bad_reply', `The answer of ${nameOf(choice)} is longer than ${reading.limits.maxCharacters} characters.`)
    }
  }
  // A stream that was aborted may end without an error of its own.
  return reading.watched.ended(nameOf(choice)) ?? conclude(parts, choice, reading)
}

function conclude(parts: Parts, choice: Choice, { onText }: Reading): ModelReply {
  if (parts.error !== undefined) return faultOf(parts.error, choice)
  if (parts.end === null) return failure('bad_reply', `The answer of ${nameOf(choice)} ended in the middle.`)
  if (parts.held !== '') onText(parts.held.toWellFormed())
  const finish = finishOf(parts.end.finish)
  const calls = parts.calls.map((one) => toolCall({ ...one, cut: finish === 'length' && !isWhole(one.raw) }))
  return {
    ok: true,
    text: clean(parts.text),
    toolCalls: distinct(calls),
    finish,
    usage: usageOf(parts.end.usage),
    model: nameOf(choice),
  }
}

type Taker = (part: LanguageModelV4StreamPart, parts: Parts, reading: Reading) => void

const takers: Partial<Record<LanguageModelV4StreamPart['type'], Taker>> = {
  'text-delta'(part, parts, { onText }) {
    if (part.type !== 'text-delta') return
    parts.text += part.delta
    parts.size += part.delta.length
    const { whole, held } = splitSurrogate(parts.held + part.delta)
    parts.held = held
    if (whole !== '') onText(whole)
  },
  'reasoning-delta'(part, parts) {
    if (part.type === 'reasoning-delta') parts.size += part.delta.length
  },
  'tool-input-delta'(part, parts) {
    if (part.type === 'tool-input-delta') parts.size += part.delta.length
  },
  'tool-call'(part, parts) {
    if (part.type === 'tool-call') parts.calls.push({ id: part.toolCallId, name: part.toolName, raw: part.input })
  },
  error(part, parts) {
    if (part.type === 'error') parts.error ??= part.error ?? 'unknown error'
  },
  finish(part, parts) {
    if (part.type === 'finish') parts.end = { finish: part.finishReason.unified, usage: part.usage }
  },
}

/** A character outside the basic plane may be cut in two by the provider: its first half waits for the second (F03). */
function splitSurrogate(text: string): { whole: string; held: string } {
  const last = text.charCodeAt(text.length - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return isHalf ? { whole: text.slice(0, -1), held: text.slice(-1) } : { whole: text, held: '' }
}

/** No store keeps half characters or NUL. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function isWhole(raw: string): boolean {
  return raw.trim() !== '' && toolCall({ id: '', name: '', raw, cut: false }).state === 'complete'
}

/** Some servers give every call the same id or none; results must be told apart. */
function distinct(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>()
  return calls.map((call, at) => {
    const id = call.id === '' || seen.has(call.id) ? `${call.id || 'call'}_${at + 1}` : call.id
    seen.add(id)
    return { ...call, id }
  })
}

function finishOf(unified: string): Finish {
  return finishes.find((one) => one === unified) ?? 'other'
}

function usageOf(usage: LanguageModelV4Usage): Usage {
  return {
    input: usage.inputTokens.total ?? null,
    output: usage.outputTokens.total ?? null,
    cached: usage.inputTokens.cacheRead ?? null,
  }
}

function toolOf(tool: ModelRequest['tools'][number]): LanguageModelV4FunctionTool {
  return { type: 'function', name: tool.name, description: tool.description, inputSchema: { ...tool.schema } }
}

function messageOf(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message) }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: message.name,
            output: { type: 'text', value: message.text },
          },
        ],
      }
  }
}

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** Arguments that were incomplete are sent back as none: no provider takes broken ones in a history. */
function assistantParts(message: Extract<ModelMessage, { role: 'assistant' }>): AssistantParts {
  const text: AssistantParts = message.text === '' ? [] : [{ type: 'text', text: message.text }]
  const calls = message.toolCalls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: call.state === 'complete' ? call.input : {},
  }))
  return [...text, ...calls]
}
