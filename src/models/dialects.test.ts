// The same script in every dialect: what holds for one provider holds for all.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { ModelMessage, ModelReply, ModelRequest } from './message.ts'
import { openModels } from './models.ts'
import { hold, type ScriptedModel, type ScriptedReply, startScriptedModel } from './scripted.ts'

let server: ScriptedModel
beforeEach(async () => {
  server = await startScriptedModel({ models: { scripted: { window: 32_768 } } })
})
afterEach(() => server.close())

const dialects = ['openai', 'anthropic', 'google', 'ollama'] as const
type Name = (typeof dialects)[number]
const user = (text: string): ModelMessage => ({ role: 'user', text })
const tool = (name: string) => ({ name, description: `does ${name}`, schema: { type: 'object', properties: { path: { type: 'string' } } } })

function modelsFor(dialect: Name) {
  const name = `${dialect}/scripted`
  const providers = {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: 'sk-openai-test',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    GOOGLE_GENERATIVE_AI_BASE_URL: `${server.origin}/v1beta`,
    GOOGLE_GENERATIVE_AI_API_KEY: 'AIzatest',
    OLLAMA_HOST: server.origin,
  }
  return openModels({ models: { light: name, standard: name, deep: name }, providers }, { clock: systemClock, retries: 0 })
}

const paths: Record<Name, string> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  google: '/v1beta/models/scripted:streamGenerateContent?alt=sse',
  ollama: '/api/chat',
}

type Asking = { readonly reply?: string | ScriptedReply; readonly request?: Partial<ModelRequest>; readonly signal?: AbortSignal }

async function ask(dialect: Name, { reply, request, signal }: Asking = {}): Promise<{ reply: ModelReply; words: string[] }> {
  if (reply !== undefined) server.script(reply)
  const words: string[] = []
  const made = await modelsFor(dialect).stream(
    { tier: 'standard', messages: [user('hello')], tools: [tool('file_read')], ...request },
    { signal: signal ?? new AbortController().signal, onText: (text) => words.push(text), priority: 'person' },
  )
  return { reply: made, words }
}

describe.each(dialects)('%s', (dialect) => {
  test('streams, counts what was used, and what was in the cache', async () => {
    const usage = { prompt_tokens: 120, completion_tokens: 7, cached_tokens: 100 }
    const { reply, words } = await ask(dialect, { reply: { text: ['Hel', 'lo ', 'you'], usage } })
    expect(words.join('')).toBe('Hello you')
    const cached = dialect === 'ollama' ? null : 100
    expect(reply).toMatchObject({ ok: true, text: 'Hello you', finish: 'stop', usage: { input: 120, output: 7, cached } })
  })

  test('F03: characters that are split between chunks come out whole', async () => {
    const text = 'Grüße \u{1f600} 漢字'
    const calls = [{ name: 'file_read', input: '{"path":"a\\ud83d\\ude00b.md"}' }]
    const { reply, words } = await ask(dialect, { reply: { text, calls, byByte: true } })
    expect(words.join('')).toBe(text)
    expect(reply).toMatchObject({ text, toolCalls: [{ state: 'complete', input: { path: 'a\u{1f600}b.md' } }] })
  })

  test('calls, several at once, each with an id of its own', async () => {
    const calls = [
      { name: 'file_read', input: { path: 'a' } },
      { name: 'file_read', input: { path: 'b' } },
    ]
    const { reply } = await ask(dialect, { reply: { calls } })
    if (!reply.ok) throw new Error(reply.message)
    expect(reply.finish).toBe('tool-calls')
    expect(reply.toolCalls.map((call) => call.state === 'complete' && call.input)).toEqual([{ path: 'a' }, { path: 'b' }])
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2)
  })

  test('[M4] F01: arguments that are cut, and a stop that says it is done, make no call to execute', async () => {
    const { reply } = await ask(dialect, { reply: { calls: [{ name: 'file_read', input: '{"path":"README.md"' }] } })
    if (reply.ok) expect(reply.toolCalls).toMatchObject([{ state: 'incomplete', name: 'file_read' }])
    else expect(reply.code).toBe('bad_reply')
  })

  test.each(['a cut in the middle of the arguments', 'no end at all'])('[M4] F01: %s is a failure', async (what) => {
    const calls = [{ name: 'file_read', input: { path: 'README.md' } }]
    const reply: ScriptedReply = what.startsWith('a cut') ? { calls, argumentsSent: 10, end: 'cut' } : { text: 'half', finish: null }
    const made = (await ask(dialect, { reply })).reply
    expect(made).toMatchObject({ ok: false, code: expect.stringMatching(/^(network|bad_reply)$/) })
  })

  test('[M4] a call whose arguments had not begun at the length limit is incomplete', async () => {
    const { reply } = await ask(dialect, { reply: { calls: [{ name: 'file_read', input: {} }], finish: 'length' } })
    expect(reply).toMatchObject({ ok: true, finish: 'length', toolCalls: [{ state: 'incomplete' }] })
  })

  test('[M1] F01: a frame that can not be read is a failure, whatever comes behind it', async () => {
    const raw = dialect === 'ollama' ? '{"message": {"content": "x"\n' : 'data: {"choices": [\n\n'
    const { reply } = await ask(dialect, { reply: { text: 'x', raw } })
    expect(reply).toMatchObject({ ok: false, code: 'bad_reply' })
  })

  test.each([
    [401, 'auth'],
    [402, 'quota'],
    [404, 'invalid_request'],
    [429, 'rate_limited'],
    [500, 'overloaded'],
    [503, 'overloaded'],
  ])('[M1] HTTP %i is %s', async (status, code) => {
    const { reply } = await ask(dialect, { reply: { status, message: 'no' } })
    expect(reply).toMatchObject({ ok: false, code, message: expect.stringContaining(`${dialect}/scripted`) })
  })

  test('[M1] a stop in the middle of a call', async () => {
    const controller = new AbortController()
    const gate = hold()
    const asked = ask(dialect, {
      reply: { text: ['a', gate], calls: [{ name: 'file_read', input: {} }], end: 'hang' },
      signal: controller.signal,
    })
    await gate.reached
    controller.abort()
    expect((await asked).reply).toMatchObject({ ok: false, code: 'aborted' })
  })

  test('[M5] D07: a history with an unanswered call is sent with its result', async () => {
    const messages: readonly ModelMessage[] = [
      user('a'),
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { state: 'complete', id: 'c.1', name: 'file_read', input: { path: 'x' } },
          { state: 'complete', id: 'c2', name: 'file_read', input: { path: 'y' } },
        ],
      },
      { role: 'tool', callId: 'c2', name: 'file_read', text: 'found' },
      user('hi'),
    ]
    const { reply } = await ask(dialect, { reply: 'ok', request: { messages } })
    expect(reply.ok).toBe(true)
    const sent = server.requests[0]?.text ?? ''
    expect(sent.match(/interrupted: this call has no result/g)).toHaveLength(1)
    expect(sent).toContain('found')
    expect(sent.indexOf('interrupted')).toBeLessThan(sent.indexOf('found'))
    if (dialect === 'anthropic') expect(idsIn(server.requests[0]?.body)).toEqual(idsIn(server.requests[0]?.body, 'tool_use_id'))
  })

  test('[M5] F09: every line of the conversation is sent, in order, roles in turn', async () => {
    const says = (text: string): ModelMessage => ({ role: 'assistant', text, toolCalls: [] })
    const messages = [user('one'), says('two'), user('three'), says('four'), user('five')]
    await ask(dialect, { reply: 'ok', request: { messages: [{ role: 'system', text: 'Be terse.' }, ...messages] } })
    const sent = JSON.stringify(server.requests[0]?.body['messages'] ?? server.requests[0]?.body['contents'])
    const roles = [...sent.matchAll(/"role":"(user|assistant|model)"/g)].map(([, role]) => role === 'user')
    expect(roles).toEqual([true, false, true, false, true])
    expect(['one', 'two', 'three', 'four', 'five'].map((word) => sent.split(word).length)).toEqual([2, 2, 2, 2, 2])
  })

  test('[M11] a longer conversation begins with the bytes of the shorter one; tools are sorted', async () => {
    const first: readonly ModelMessage[] = [{ role: 'system', text: 'You are Eddie.' }, user('one')]
    const tools = [tool('b'), tool('a'), tool('c')]
    await ask(dialect, { reply: 'two', request: { messages: first, tools } })
    const longer: readonly ModelMessage[] = [...first, { role: 'assistant', text: 'two', toolCalls: [] }, user('three')]
    await ask(dialect, { reply: 'four', request: { messages: longer, tools: tools.toReversed() } })
    const [before, after] = server.requests.map(({ text }) => stableParts(text))
    expect(before?.tools).toBe(after?.tools)
    expect(before?.tools).toMatch(/"a".*"b".*"c"/)
    expect(before?.system).toBe(after?.system)
    expect(after?.messages.startsWith(before?.messages.slice(0, -1) ?? '?')).toBe(true)
    expect(before?.messages.length).toBeGreaterThan(20)
  })

  test('[M1] nobody listens', async () => {
    await server.close()
    expect((await ask(dialect)).reply).toMatchObject({ ok: false, code: 'network' })
  })

  test('[M9] a redirect is not followed', async () => {
    const elsewhere = await startScriptedModel()
    const { reply } = await ask(dialect, {
      reply: { status: 307, headers: { location: `${elsewhere.origin}${paths[dialect]}` } },
    })
    expect([reply.ok, elsewhere.count]).toEqual([false, 0])
    await elsewhere.close()
  })

  test('[M5] a conversation whose beginning is not shown begins with a line of a person', async () => {
    const messages: readonly ModelMessage[] = [{ role: 'assistant', text: 'two', toolCalls: [] }, user('')]
    await ask(dialect, { reply: 'ok', request: { messages } })
    const sent = JSON.stringify(server.requests[0]?.body['messages'] ?? server.requests[0]?.body['contents'])
    const roles = [...sent.matchAll(/"role":"(user|assistant|model)"/g)].map(([, role]) => role === 'user')
    expect(roles).toEqual([true, false, true])
    expect(sent).not.toMatch(/"(text|content)":""/)
  })
})

/** As they stand on the wire. What Anthropic is asked to keep is marked in the request and no part of what is kept. */
function stableParts(text: string): { tools: string; system: string; messages: string } {
  const plain = text.replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, '')
  const body = JSON.parse(plain)
  const part = (name: string): string => {
    const value = JSON.stringify(body[name])
    if (value === undefined) return ''
    expect(plain).toContain(value)
    return value
  }
  return { tools: part('tools'), system: part('system') + part('systemInstruction'), messages: part('messages') + part('contents') }
}

function idsIn(body: unknown, key = 'id'): string[] {
  return [...JSON.stringify(body).matchAll(new RegExp(`"${key}":"([^"]+)"`, 'g'))].map(([, id]) => id ?? '').toSorted()
}

test('[M11] Anthropic is told what to keep: tools, system and the ends of the conversation, four marks at most', async () => {
  const messages: readonly ModelMessage[] = [
    { role: 'system', text: 'You are Eddie.' },
    user('one'),
    { role: 'assistant', text: 'two', toolCalls: [] },
    user('three'),
  ]
  await ask('anthropic', { reply: 'ok', request: { messages, tools: [tool('b'), tool('a')] } })
  const body = JSON.stringify(server.requests[0]?.body)
  expect(body.match(/"cache_control"/g)).toHaveLength(4)
  expect(server.requests[0]?.body).toMatchObject({
    system: [{ text: 'You are Eddie.', cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'a' }, { name: 'b', cache_control: { type: 'ephemeral' } }],
    messages: [{ content: [{ text: 'one', cache_control: {} }] }, {}, { content: [{ text: 'three', cache_control: {} }] }],
  })
})

test('what stands in a system line later on is still the hub speaking', async () => {
  const messages: readonly ModelMessage[] = [{ role: 'system', text: 'First.' }, user('one'), { role: 'system', text: 'Then.' }]
  for (const dialect of dialects) await ask(dialect, { reply: 'ok', request: { messages } })
  const [openai, anthropic, google, ollama] = server.requests.map(({ body }) => body)
  for (const body of [openai, ollama]) expect(body?.messages?.map((message) => message.role)).toEqual(['system', 'system', 'user'])
  expect(anthropic).toMatchObject({ system: [{ text: 'First.' }, { text: 'Then.' }] })
  expect(google).toMatchObject({ systemInstruction: { parts: [{ text: 'First.' }, { text: 'Then.' }] } })
})

test('a model must call a tool when that is asked', async () => {
  for (const dialect of dialects) await ask(dialect, { reply: 'ok', request: { toolChoice: 'required' } })
  const [openai, anthropic, google] = server.requests.map(({ body }) => body)
  expect(openai).toMatchObject({ tool_choice: 'required' })
  expect(anthropic).toMatchObject({ tool_choice: { type: 'any' } })
  expect(google).toMatchObject({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } })
})

test('[M5] a conversation with calls goes through without tools, and one that ends with the model goes on', async () => {
  const messages: readonly ModelMessage[] = [
    user('a\ud83d'),
    { role: 'assistant', text: ' ', toolCalls: [{ state: 'complete', id: 'c1', name: 'file_read', input: { path: 'x' } }] },
    { role: 'tool', callId: 'c1', name: 'file_read', text: 'found' },
    { role: 'assistant', text: 'It says', toolCalls: [] },
  ]
  for (const dialect of dialects) {
    expect((await ask(dialect, { reply: 'ok', request: { messages, tools: [] } })).reply.ok).toBe(true)
    const sent = server.requests.at(-1)?.text ?? ''
    expect(sent).toContain('(go on)')
    expect(sent).not.toContain('ud83d')
    expect(sent.includes('Not to be had')).toBe(dialect === 'anthropic')
    expect(sent.includes('"tool_choice":{"type":"none"}')).toBe(dialect === 'anthropic')
  }
})

test("Google's mark on a call is given back to it", async () => {
  const part = { functionCall: { name: 'file_read', args: { path: 'x' } }, thoughtSignature: 'c2ln' }
  const raw = `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [part] } }] })}\n\n`
  const { reply } = await ask('google', { reply: { raw } })
  if (!reply.ok) throw new Error(reply.message)
  expect(reply.toolCalls).toMatchObject([{ state: 'complete', mark: 'c2ln' }])
  const messages: readonly ModelMessage[] = [user('a'), { role: 'assistant', text: '', toolCalls: reply.toolCalls }]
  await ask('google', { reply: 'ok', request: { messages } })
  expect(server.requests[1]?.text).toContain('"thoughtSignature":"c2ln"')
})

describe('ollama', () => {
  test('is asked for the window that it holds, always the same', async () => {
    await ask('ollama', { reply: 'ok' })
    expect(server.requests[0]).toMatchObject({ path: '/api/chat', body: { options: { num_ctx: 32_768 }, stream: true } })
  })

  test('[M12] what it would cut without a word is refused before', async () => {
    const { reply } = await ask('ollama', { request: { messages: [user('x'.repeat(200_000))] } })
    expect(reply).toMatchObject({ ok: false, code: 'context_length', message: expect.stringContaining('32768') })
    expect(server.count).toBe(0)
  })

  test('F01: nothing behind a broken line is taken', async () => {
    const raw = '{"message": {"content": "x"\n{"message":{"role":"assistant","content":"behind"},"done":false}\n'
    const { reply, words } = await ask('ollama', { reply: { text: 'before', raw } })
    expect([reply.ok, words]).toEqual([false, ['before']])
  })

  test('an error in the middle is a failure', async () => {
    const { reply } = await ask('ollama', { reply: { text: 'x', raw: '{"error":"the model runner has stopped"}\n' } })
    expect(reply).toMatchObject({ ok: false, message: expect.stringContaining('the model runner has stopped') })
  })
})
