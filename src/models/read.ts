// Reads an answer part by part, in the parts of the provider library, whatever the dialect: words live, the rest collected.
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Tokens } from './cost.ts'
import { type Finish, finishes, type ToolCall } from './message.ts'
import { clean, parseArguments, toolCall } from './repair.ts'

export type Reading = {
  /** An answer that is longer (characters of text and arguments) is cut off. */
  readonly maxCharacters: number
  /** Words as they come; never half of a character. */
  readonly onText: (words: string) => void
  /** Something came. */
  readonly alive: () => void
}

export type Read =
  | { readonly ok: true; readonly text: string; readonly toolCalls: readonly ToolCall[]; readonly finish: Finish; readonly tokens: Tokens }
  /** `thrown`: what the stream itself reported. */
  | { readonly ok: false; readonly why: 'thrown' | 'too long' | 'no end'; readonly thrown?: unknown }

type Raw = { readonly id: string; readonly name: string; readonly raw: string; readonly mark?: string }
type Parts = { text: string; held: string; size: number; calls: Raw[]; error: unknown; end: End | null }
type End = { readonly finish: LanguageModelV4FinishReason; readonly usage: LanguageModelV4Usage }

/** Rejects when the stream breaks. */
export async function readAnswer(stream: AsyncIterable<LanguageModelV4StreamPart>, reading: Reading): Promise<Read> {
  const parts: Parts = { text: '', held: '', size: 0, calls: [], error: undefined, end: null }
  for await (const part of stream) {
    if (part.type !== 'stream-start') reading.alive()
    takers[part.type]?.(part, parts, reading)
    if (parts.size > reading.maxCharacters) return { ok: false, why: 'too long' }
  }
  return conclude(parts, reading)
}

function conclude({ error, end, held, text, calls }: Parts, { onText }: Reading): Read {
  if (error !== undefined) return { ok: false, why: 'thrown', thrown: error }
  // Some libraries make up an end when the provider sent none; then it has no reason of the provider's own.
  if (end === null || end.finish.raw === undefined || end.finish.unified === 'error') return { ok: false, why: 'no end' }
  if (held !== '') onText(held.toWellFormed())
  const finish = finishes.find((one) => one === end.finish.unified) ?? 'other'
  const made = calls.map((one, at) => toolCall({ ...one, cut: finish === 'length' && isCut(one.raw, at === calls.length - 1) }))
  return { ok: true, text: clean(text), toolCalls: distinct(made), finish, tokens: tokensOf(end.usage) }
}

/** At the length limit only whole arguments count; none at all may be ones that had not begun (a library writes them as `{}`). */
function isCut(raw: string, isLast: boolean): boolean {
  return raw.trim() === '' || (isLast && raw.trim() === '{}') || parseArguments(raw) === null
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
    if (part.type !== 'tool-call') return
    const mark = part.providerMetadata?.['google']?.['thoughtSignature']
    parts.calls.push({ id: part.toolCallId, name: part.toolName, raw: part.input, ...(typeof mark === 'string' ? { mark } : {}) })
  },
  error(part, parts) {
    if (part.type === 'error') parts.error ??= part.error ?? 'unknown error'
  },
  finish(part, parts) {
    if (part.type === 'finish') parts.end = { finish: part.finishReason, usage: part.usage }
  },
}

/** A character outside the basic plane may be cut in two by the provider: its first half waits for the second (F03). */
function splitSurrogate(text: string): { whole: string; held: string } {
  const last = text.charCodeAt(text.length - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return isHalf ? { whole: text.slice(0, -1), held: text.slice(-1) } : { whole: text, held: '' }
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

function tokensOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Tokens {
  return {
    input: inputTokens.total ?? null,
    output: outputTokens.total ?? null,
    cached: inputTokens.cacheRead ?? null,
    written: inputTokens.cacheWrite ?? null,
  }
}
