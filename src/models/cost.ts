// What a call costs, in micros, and what it can cost at most. Pure.
import type { Micros } from '../policy/budget.ts'
import type { Price, Window } from './catalogue.ts'
import type { ModelRequest } from './message.ts'

/** What was counted, in tokens. `written`: put into the provider's cache; part of `input`, like `cached`. */
export type Tokens = {
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly written: number | null
}

/** Dollars per million tokens are micros per token. null: the provider did not say what it used, or the model has no price. */
export function costOf(price: Price | null, { input, output, cached, written }: Tokens): Micros | null {
  if (price === null || input === null || output === null) return null
  const rate = price.above && input > price.above.tokens ? price.above : price
  const plain = Math.max(0, input - (cached ?? 0) - (written ?? 0))
  const read = (cached ?? 0) * (rate.cached ?? rate.input)
  const put = (written ?? 0) * (rate.written ?? rate.input)
  return Math.ceil(plain * rate.input + read + put + output * rate.output)
}

/** Nothing is found in a cache, all of it is put there, and the answer is as long as it may be. */
export function mostOf(price: Price, given: { readonly input: number; readonly output: number }): Micros {
  const rate = price.above && given.input > price.above.tokens ? price.above : price
  return Math.ceil(given.input * Math.max(rate.input, rate.written ?? 0) + given.output * rate.output)
}

/** Tokens of what is sent, on the high side: a token has rarely less than three characters. */
export function estimate({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  let characters = 0
  for (const message of messages) {
    characters += message.text.length + 16
    if (message.role === 'assistant') for (const call of message.toolCalls) characters += sizeOf(call)
  }
  for (const tool of tools) characters += tool.name.length + tool.description.length + JSON.stringify(tool.schema).length + 48
  return Math.ceil(characters / 3)
}

function sizeOf(call: Extract<ModelRequest['messages'][number], { role: 'assistant' }>['toolCalls'][number]): number {
  return call.name.length + 48 + (call.state === 'complete' ? JSON.stringify(call.input).length : 2)
}

/** So long may an answer become that somebody pays for, when who asks sets no length: enough for a file, not for a book. */
const usualOutput = 16_384
const leastOutput = 1_024

type Asked = { readonly asked: number | undefined; readonly input: number; readonly isPaid: boolean }

/**
 * What is sent as the longest answer; null: nothing is said about it, because nobody pays by its length. What is given and the
 * answer must fit together: providers refuse a call whose sum is over the window.
 */
export function outputLimit({ asked, input, isPaid }: Asked, { maxOutput, window, from }: Window): number | null {
  const room = Math.max(leastOutput, window - input)
  if (asked !== undefined) return from === 'default' ? asked : Math.min(asked, maxOutput, room)
  return isPaid ? Math.min(usualOutput, maxOutput, room) : null
}
