import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import { withoutKeys } from './fault.ts'
import type { ModelMessage, ModelReply, ModelRequest } from './message.ts'
import { type ModelsOptions, openModels } from './models.ts'
import { hold, type ScriptedModel, type ScriptedReply, startScriptedModel } from './scripted.ts'

let server: ScriptedModel
beforeEach(async () => {
  server = await startScriptedModel()
})
afterEach(() => server.close())

const key = 'sk-secret-abcdef123456'
const user = (text: string): ModelMessage => ({ role: 'user', text })

type Asking = { messages?: readonly ModelMessage[]; tools?: ModelRequest['tools']; signal?: AbortSignal; options?: Partial<ModelsOptions> }

async function ask(given: Asking = {}): Promise<{ reply: ModelReply; words: string[] }> {
  const name = 'openai-compatible/scripted'
  const settings = {
    models: { light: name, standard: name, deep: name },
    providers: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: key },
  }
  const models = openModels(settings, { clock: systemClock, retries: 0, ...given.options })
  const words: string[] = []
  const reply = await models.stream(
    { tier: 'standard', messages: given.messages ?? [user('hello')], tools: given.tools ?? [] },
    { signal: given.signal ?? new AbortController().signal, onText: (text) => words.push(text), priority: 'person' },
  )
  return { reply, words }
}

/** The failure's code, or 'ok'. */
async function codeFor(...replies: readonly ScriptedReply[]): Promise<string> {
  server.script(...replies)
  const { reply } = await ask()
  return reply.ok ? 'ok' : reply.code
}

describe('an answer', () => {
  test('streams word by word and ends with the whole text, usage and model', async () => {
    server.script({ text: ['Hel', 'lo ', 'you'], usage: { prompt_tokens: 12, completion_tokens: 3 } })
    const { reply, words } = await ask()
    expect(words.join('|')).toBe('Hel|lo |you')
    expect(reply).toEqual({
      ok: true,
      text: 'Hello you',
      toolCalls: [],
      finish: 'stop',
      usage: { input: 12, output: 3, cached: 0 },
      model: 'openai-compatible/scripted',
      cost: 0,
    })
  })

  test('words are there before the answer ends', async () => {
    const gate = hold()
    server.script({ text: ['first', gate, ' second'] })
    const asked = ask()
    await gate.reached
    gate.release()
    expect((await asked).words).toEqual(['first', ' second'])
  })

  test('a character that is cut in two halves is never shown in halves', async () => {
    server.script({ text: ['a\ud83d', '\ude00b'] })
    const { reply, words } = await ask()
    expect(words).toEqual(['a', '\u{1f600}b'])
    expect(reply).toMatchObject({ ok: true, text: 'a\u{1f600}b' })
  })

  test('a half character and NUL at the end do not reach a store', async () => {
    server.script({ text: ['x\0y\ud83d'] })
    const { reply, words } = await ask()
    expect(reply).toMatchObject({ text: 'x\ufffdy\ufffd' })
    expect(words.join('').isWellFormed()).toBe(true)
  })

  test('what is sent: the key, the history in wire form, tools by name', async () => {
    const tool = (name: string) => ({ name, description: `does ${name}`, schema: { type: 'object', properties: {} } })
    await ask({
      messages: [
        { role: 'system', text: 'You are terse.' },
        user('read it'),
        { role: 'assistant', text: '', toolCalls: [{ state: 'complete', id: 'c1', name: 'b', input: { path: 'x' } }] },
        { role: 'tool', callId: 'c1', name: 'b', text: 'content' },
      ],
      tools: [tool('b'), tool('a')],
    })
    const { body, headers } = server.requests[0] ?? { body: {}, headers: {} }
    expect(headers.authorization).toBe(`Bearer ${key}`)
    expect(body.tools?.map((one) => one.function.name)).toEqual(['a', 'b'])
    expect(body.messages).toEqual([
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: 'read it' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'b', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'content' },
    ])
  })
})

describe('[M4] tool calls', () => {
  test('whole arguments are complete, also none at all', async () => {
    server.script({
      calls: [
        { name: 'file_read', input: { path: 'a' } },
        { name: 'time_now', input: '' },
      ],
    })
    const { reply } = await ask()
    expect(reply).toMatchObject({
      finish: 'tool-calls',
      toolCalls: [
        { state: 'complete', name: 'file_read', input: { path: 'a' } },
        { state: 'complete', name: 'time_now', input: {} },
      ],
    })
  })

  test.each([
    ['cut although the model says it is done', '{"path":"README.md"', 'tool_calls'],
    ['cut at the length limit', '{"path":"READ', 'length'],
    ['nothing yet at the length limit', '', 'length'],
    ['no object', '["README.md"]', 'tool_calls'],
    ['no JSON', 'README.md', 'tool_calls'],
  ])('%s: marked incomplete', async (_, input, finish) => {
    server.script({ calls: [{ name: 'file_read', input }], finish })
    const { reply } = await ask()
    expect(reply).toMatchObject({ ok: true, toolCalls: [{ state: 'incomplete', name: 'file_read' }] })
  })

  test('two calls with one id get two', async () => {
    server.script({
      calls: [
        { name: 'a', input: {}, id: 'same' },
        { name: 'b', input: {}, id: 'same' },
      ],
    })
    const { reply } = await ask()
    const ids = reply.ok ? reply.toolCalls.map((call) => call.id) : []
    expect(new Set(ids).size).toBe(2)
  })
})

describe('[M1] failures are values', () => {
  test.each([
    ['auth', { status: 401, message: 'bad key' }],
    ['auth', { status: 403 }],
    ['rate_limited', { status: 429, retryAfter: 2 }],
    ['overloaded', { status: 500 }],
    ['overloaded', { status: 503 }],
    ['invalid_request', { status: 404, message: 'no such model' }],
    ['context_length', { status: 400, code: 'context_length_exceeded' }],
    ['context_length', { status: 400, message: "This model's maximum context length is 8192 tokens" }],
    ['bad_reply', { text: 'half', finish: null }],
    ['bad_reply', { text: 'x', raw: 'data: {"choices": [\n\n' }],
    ['bad_reply', { text: 'x', raw: 'data: {"choices": 7}\n\n' }],
    ['overloaded', { text: 'x', raw: 'data: {"error":{"message":"busy","type":"server_error"}}\n\n' }],
  ] as const)('%s', async (code, reply) => {
    expect(await codeFor(reply)).toBe(code)
  })

  test('a connection that is cut in the middle is a network failure, and what came is not an answer', async () => {
    server.script({ text: ['half an ans'], end: 'cut' })
    const message = 'The model openai-compatible/scripted broke off in the middle of its answer.'
    expect((await ask()).reply).toEqual({ ok: false, code: 'network', message })
  })

  test('nobody listens', async () => {
    await server.close()
    const { reply } = await ask()
    expect(reply).toMatchObject({ ok: false, code: 'network' })
  })

  test('a stop ends a call that hangs', async () => {
    const controller = new AbortController()
    const gate = hold()
    server.script({ text: ['a', gate], end: 'hang' })
    const asked = ask({ signal: controller.signal })
    await gate.reached
    controller.abort()
    expect((await asked).reply).toMatchObject({ ok: false, code: 'aborted' })
  })

  test('a call that was stopped before it began', async () => {
    expect((await ask({ signal: AbortSignal.abort() })).reply).toMatchObject({ code: 'aborted' })
    expect(server.count).toBe(0)
  })

  test('an endless answer is cut off', async () => {
    server.script({ text: ['x'.repeat(5000)] })
    const { reply } = await ask({ options: { limits: { maxCharacters: 1000 } } })
    expect(reply).toMatchObject({ code: 'bad_reply', message: expect.stringContaining('1000 characters') })
  })
})

test('[M7] the refused key is in no failure', async () => {
  server.script({ status: 401, message: `Incorrect API key provided: ${key}. Or sk-proj-abcdefghijkl.` })
  const { reply } = await ask()
  expect(JSON.stringify(reply)).not.toMatch(/abcdef/)
  expect(reply).toMatchObject({ code: 'auth', message: expect.stringContaining('refused the key (HTTP 401)') })
})

test('[M7] a login that stands in the address is used, and shown nowhere', async () => {
  const name = 'openai-compatible/scripted'
  const OPENAI_BASE_URL = server.url.replace('//', '//me:secret-pass@')
  const models = openModels(
    { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL } },
    { clock: systemClock, retries: 0 },
  )
  const stream = () =>
    models.stream(
      { tier: 'light', messages: [user('x')], tools: [] },
      { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
    )
  expect(await stream()).toMatchObject({ ok: true })
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:secret-pass')}`)
  await server.close()
  expect(JSON.stringify([await stream(), models.list()])).not.toContain('secret-pass')
})

test("[M1, M7] a provider's words stay whole beside a placeholder for a key, and steer no terminal", async () => {
  expect(withoutKeys('no such model: llama3', 'm')).toBe('no such model: llama3')
  expect(withoutKeys(`the key ${key}`, key)).toBe('the key ***')
  server.script({ status: 404, message: 'not\u001b[31m found\r\n\u009bhere' })
  const message = 'The model openai-compatible/scripted did not accept the request (HTTP 404): not [31m found here'
  expect((await ask()).reply).toEqual({ ok: false, code: 'invalid_request', message })
})

describe('[M3] a provider that hangs', () => {
  /** Turns the clock as soon as the server has the request. */
  async function hanging(reply: ScriptedReply, advanceMs: number, gate?: { reached: Promise<void> }) {
    const clock = handClock()
    server.script(reply)
    const asked = ask({ options: { clock } })
    while (server.count === 0) await settleLoop(1)
    await gate?.reached
    if (gate) await settleLoop(200)
    clock.advance(advanceMs)
    return { reply: (await asked).reply, clock }
  }

  test('before its first part ends as timeout, and leaves no alarm behind', async () => {
    const { reply, clock } = await hanging({ silent: true }, 180_000)
    expect(reply).toMatchObject({ code: 'timeout', message: expect.stringContaining('for 180 seconds') })
    expect(clock.pending).toBe(0)
  })

  test('between two parts too', async () => {
    const gate = hold()
    const { reply } = await hanging({ text: ['a', gate, 'b'] }, 180_000, gate)
    expect(reply).toMatchObject({ code: 'timeout' })
  })
})

describe('[M3] what is no answer at all', () => {
  /** A server of its own that answers every request so. */
  async function askAt(answer: (response: ServerResponse) => void, advanceMs?: number) {
    const other = createServer((_, response) => answer(response))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const clock = handClock()
    const name = 'openai-compatible/scripted'
    const settings = { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` } }
    const models = openModels(settings, { clock, retries: 0 })
    const request = { tier: 'light' as const, messages: [user('x')], tools: [] }
    const asked = models.stream(request, { signal: new AbortController().signal, onText: () => {}, priority: 'person' })
    if (advanceMs !== undefined) {
      await new Promise((resolve) => other.once('request', resolve))
      await settleLoop(20)
      for (let left = advanceMs; left > 0; left -= 20_000) {
        clock.advance(Math.min(left, 20_000))
        await settleLoop(20)
      }
    }
    const reply = await asked
    other.close()
    other.closeAllConnections()
    return reply
  }

  test('a web page', async () => {
    const reply = await askAt((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'))
    expect(reply).toMatchObject({ ok: false, code: 'bad_reply' })
  })

  test('nothing, with status 200', async () => {
    expect(await askAt((response) => response.writeHead(200).end())).toMatchObject({ ok: false })
  })

  test('an error that is a web page', async () => {
    const reply = await askAt((response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad gateway</html>'))
    expect(reply).toMatchObject({ ok: false, code: 'overloaded', message: expect.not.stringContaining('<html>') })
  })

  test('signs of life for ever', async () => {
    const reply = await askAt((response) => {
      const timer = setInterval(() => response.write(': still here\n\n'), 2)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).on('close', () => clearInterval(timer))
    }, 180_000)
    expect(reply).toMatchObject({ code: 'timeout' })
  })
})

describe('retries', () => {
  test('a call that failed before its first word is made again, at the time the provider asked for', async () => {
    const clock = handClock()
    server.script({ status: 429, retryAfter: 3 }, 'there')
    const asked = ask({ options: { clock, retries: 2, random: () => 0 } })
    while (clock.pending === 0 || server.count === 0) await settleLoop(1)
    // The alarm of the first call's watch goes when its answer is there; then the one for the retry stands.
    while (server.count < 2) {
      clock.advance(1500)
      await settleLoop(5)
    }
    expect((await asked).reply).toMatchObject({ ok: true, text: 'there' })
  })

  test('not after words were shown, not for a wrong key, not for a wait of minutes', async () => {
    server.script({ text: ['a'], end: 'cut' }, { status: 401 }, { status: 429, retryAfter: 600 })
    for (const code of ['network', 'auth', 'rate_limited']) {
      expect((await ask({ options: { retries: 2 } })).reply).toMatchObject({ code })
    }
    expect(server.count).toBe(3)
  })
})

test('[M6] no more calls at once than allowed, a person first', async () => {
  const gates = [hold(), hold(), hold()]
  const name = 'openai-compatible/scripted'
  const settings = { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: server.url } }
  const models = openModels(settings, { clock: systemClock, concurrency: 1 })
  server.script(...gates.map((gate) => ({ text: ['x', gate] })))
  const order: string[] = []
  const start = (who: 'person' | 'agent' | 'background') =>
    models
      .stream({ tier: 'deep', messages: [user(who)], tools: [] }, { signal: new AbortController().signal, onText: () => {}, priority: who })
      .then(() => order.push(who))
  const all = [start('background'), start('agent'), start('person')]
  for (const gate of gates) {
    await gate.reached
    expect(server.count).toBe(gates.indexOf(gate) + 1)
    gate.release()
  }
  await Promise.all(all)
  expect(order).toEqual(['background', 'person', 'agent'])
})
