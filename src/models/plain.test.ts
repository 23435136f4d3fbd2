import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { speakPlainly } from './plain.ts'

const url = 'http://127.0.0.1:1/v1/chat/completions'
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, more: object = {}) => event({ id: 'x', model: 'm', created: 1, choices: [{ index: 0, delta, ...more }] })
const done = 'data: [DONE]\n\n'
const options: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'You are "one".' },
    { role: 'user', content: [{ type: 'text', text: 'äö' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
    { role: 'user', content: [{ type: 'text', text: 'and?' }] },
  ],
}

/** The same call by the plain way and by the library alone: what each sent, and what each heard. `sizes`: of the pieces of the answer. */
async function both(
  answer: string,
  given: Partial<LanguageModelV4CallOptions> = {},
  sizes = 7,
  limit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens',
) {
  const bytes = new TextEncoder().encode(answer)
  const bodies: string[] = []
  const way: typeof fetch = async (_, init) => {
    bodies.push(String(init?.body))
    const pieces = Array.from({ length: Math.ceil(bytes.length / sizes) }, (_, at) => bytes.slice(at * sizes, (at + 1) * sizes))
    return new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } })
  }
  const calls: string[] = []
  const over = (one: typeof fetch) => {
    const library = createOpenAICompatible({
      name: 'openai',
      baseURL: 'http://127.0.0.1:1/v1',
      includeUsage: true,
      apiKey: 'k',
      fetch: one,
    })
    return async (asked: LanguageModelV4CallOptions) => (await library.chatModel('m').doStream(asked)).stream
  }
  const plain = speakPlainly({
    ...{ url, model: 'm', key: 'k', fetch: way, limit },
    library(asked, handed) {
      calls.push(handed === undefined ? 'asks' : 'reads')
      return over(handed ?? way)(asked)
    },
  })
  const told = async (stream: AsyncIterable<object>) => {
    const heard = { text: '', calls: [] as unknown[], end: null as unknown, errors: 0 }
    for await (const part of stream as AsyncIterable<{
      type: string
      delta?: string
      toolName?: string
      input?: string
      finishReason?: { unified: string; raw?: string }
      usage?: { inputTokens: object; outputTokens: object }
    }>) {
      if (part.type === 'text-delta') heard.text += part.delta
      if (part.type === 'tool-call') heard.calls.push([part.toolName, part.input])
      if (part.type === 'error') heard.errors++
      if (part.type === 'finish') heard.end = [part.finishReason, part.usage?.inputTokens, part.usage?.outputTokens]
    }
    return heard
  }
  const [one, other] = [await told(await plain({ ...options, ...given })), await told(await over(way)({ ...options, ...given }))]
  return { one, other, bodies, calls }
}

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: { cached_tokens: 4 } }
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }
const words = chunk({ role: 'assistant', content: 'ha' }) + chunk({ content: 'lf 🚀' })
const stop = chunk({}, { finish_reason: 'stop' })

test.each([
  ['words', words + stop + done, []],
  ['words and their count', `${words}${stop}${event({ choices: [], usage })}${done}`, []],
  ['words that end with their last', words + chunk({ content: '!' }, { finish_reason: 'length' }), []],
  ['a count with each piece', chunk({ content: 'a' }).replace('"choices"', '"usage":null,"choices"') + stop, []],
  ['words, then a call', words + chunk({ tool_calls: [call] }) + chunk({}, { finish_reason: 'tool_calls' }) + done, ['reads']],
  ['a call alone', chunk({ role: 'assistant', content: null, tool_calls: [call] }) + chunk({}, { finish_reason: 'tool_calls' }), ['reads']],
  ['what was thought', chunk({ reasoning_content: 'hm' }) + words + stop, ['reads']],
  ['an end before what is odd', words + stop + event({ choices: [], usage, error: { message: 'no' } }), ['reads']],
  ['other ends of lines', (words + stop).replaceAll('\n', '\r\n'), ['reads']],
  ['a remark', `: wait\n\n${words}${stop}`, ['reads']],
  ['no end', words, ['reads']],
  ['an end in the middle of a line', `${words}${stop}data: {"cho`, ['reads']],
  ['a line that is no JSON', `${words}data: {oops}\n\n${stop}`, ['reads']],
  ['a list of parts', chunk({ content: [{ type: 'text', text: 'x' }] }) + stop, ['reads']],
  ['a refusal', chunk({ refusal: 'never' }) + stop, ['reads']],
  ['an error', event({ error: { message: 'broken' } }), ['reads']],
  ['nothing', '', ['reads']],
])('[M1] the plain way hears what the library hears: %s', async (_, answer, calls) => {
  for (const sizes of [1, 5, 4_000]) {
    const heard = await both(answer, {}, sizes)
    expect(heard.one).toEqual(heard.other)
    expect(heard.calls).toEqual(calls)
  }
})

const tool = { type: 'function' as const, name: 'look', description: 'Looks', inputSchema: { type: 'object' as const, properties: {} } }

test.each([
  ['words', {}, true],
  ['limits', { maxOutputTokens: 5, temperature: 0.5, topP: 0.9 }, true],
  ['tools', { tools: [tool], toolChoice: { type: 'required' } }, true],
  ['tools without a choice', { tools: [tool] }, true],
  [
    'a result of a tool',
    {
      prompt: [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: 'x' } }] },
      ],
    },
    false,
  ],
] as const)('[M1] the plain way asks in the bytes of the library: %s', async (_, given, isPlain) => {
  const { bodies, calls } = await both(words + stop, given as Partial<LanguageModelV4CallOptions>)
  expect(bodies[0]).toBe(bodies[1])
  expect(calls).toEqual(isPlain ? [] : ['asks'])
})
