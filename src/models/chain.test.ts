import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { handClock, seeded, settleLoop } from '../base/testing.ts'
import type { ModelReply, ModelRequest } from './message.ts'
import { type Models, type ModelsOptions, openModels } from './models.ts'
import { type ScriptedModel, type ScriptedReply, type ScriptedRequest, startScriptedModel } from './scripted.ts'

let servers: ScriptedModel[] = []
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

type Script = (model: string, request: ScriptedRequest) => string | ScriptedReply
type World = { readonly models: Models; readonly asked: string[]; readonly server: ScriptedModel }

/** One server that plays all providers; `asked`: the models that were asked, in order. */
async function world(chain: string, script: Script, options: Partial<ModelsOptions> & { anthropicUrl?: string } = {}): Promise<World> {
  const asked: string[] = []
  const server = await startScriptedModel({
    otherwise(request) {
      const model = request.body.model ?? /models\/([^:]+)/.exec(request.path)?.[1] ?? ''
      asked.push(model)
      return script(model, request)
    },
  })
  servers.push(server)
  const providers = {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: 'sk-one',
    ANTHROPIC_BASE_URL: options.anthropicUrl ?? server.url,
    ANTHROPIC_API_KEY: 'sk-two',
    OLLAMA_HOST: server.origin,
  }
  const models = openModels(
    { models: { light: chain, standard: chain, deep: chain }, providers },
    { clock: systemClock, random: () => 0.5, ...options },
  )
  return { models, asked, server }
}

function ask(models: Models, request: Partial<ModelRequest> = {}, onText = (_: string) => {}): Promise<ModelReply> {
  return models.stream(
    { tier: 'standard', messages: [{ role: 'user', text: 'hello' }], tools: [], ...request },
    { signal: new AbortController().signal, onText, priority: 'person' },
  )
}

/** Turns the clock until the reply is there. */
async function whileTurning<T>(clock: ReturnType<typeof handClock>, reply: Promise<T>, stepMs = 100): Promise<T> {
  let isOver = false
  void reply.finally(() => {
    isOver = true
  })
  for (let turns = 0; !isOver && turns < 5_000; turns++) {
    await settleLoop(20)
    if (!isOver) clock.advance(stepMs)
  }
  return reply
}

const answersOnly = (model: string) => (name: string) => (name === model ? 'here' : { status: 429, retryAfter: 60 })

describe('[M8] what can not answer before its first word hands on at once', () => {
  test.each([429, 500, 503, 529])('F05: HTTP %i reaches the next model without any wait, and the person is told once', async (status) => {
    const { models, asked } = await world('openai/a,anthropic/b', (model) => (model === 'a' ? { status, message: 'busy' } : 'from b'))
    const startedAt = Date.now()
    const reply = await ask(models)
    expect(Date.now() - startedAt).toBeLessThan(5_000)
    expect(reply).toMatchObject({
      ok: true,
      text: 'from b',
      model: 'anthropic/b',
      fellBack: [{ model: 'openai/a', code: status === 429 ? 'rate_limited' : 'overloaded' }],
      notice: expect.stringMatching(/^openai\/a .*; answered by anthropic\/b\.$/),
    })
    const second = await ask(models)
    expect(second).toMatchObject({ ok: true, model: 'anthropic/b', fellBack: [{ model: 'openai/a' }] })
    expect(second).not.toHaveProperty('notice')
    expect(asked).toEqual(['a', 'b', 'b'])
  })

  test('F05: it rests as long as the provider said, in seconds or as a date, then is the first choice again', async () => {
    for (const retryAfter of [30, 'Thu, 01 Jan 2026 00:00:30 GMT']) {
      const clock = handClock()
      let isBusy = true
      const { models, asked } = await world(
        'openai/a,anthropic/b',
        (model) => (model === 'a' && isBusy ? { status: 429, retryAfter } : 'ok'),
        {
          clock,
          random: () => 0,
        },
      )
      expect(await ask(models)).toMatchObject({ model: 'anthropic/b' })
      expect(models.list().tiers[0]?.chain[0]?.rest).toMatchObject({ until: clock.now() + 30_000, code: 'rate_limited' })
      isBusy = false
      clock.advance(29_000)
      expect(await ask(models)).toMatchObject({ model: 'anthropic/b' })
      clock.advance(1_001)
      expect(await ask(models)).toMatchObject({ model: 'openai/a' })
      expect(asked).toEqual(['a', 'b', 'b', 'a'])
      expect(models.list().tiers[0]?.chain[0]?.rest).toBeNull()
    }
  })

  test('two people are each told once', async () => {
    const { models } = await world('openai/a,anthropic/b', answersOnly('b'))
    const spender = (user: string) => ({ spender: { user, project: 'p', session: 's', run: 'r' } })
    const told: boolean[] = []
    for (const user of ['ada', 'ada', 'bob', 'ada']) told.push('notice' in (await ask(models, spender(user))))
    expect(told).toEqual([true, false, true, false])
  })

  test('F06: a limit of one model leaves the others of that account alone; an empty account leaves none', async () => {
    const limited = await world('openai/m1,openai/m2', answersOnly('m2'))
    expect(await ask(limited.models)).toMatchObject({ model: 'openai/m2' })
    expect(limited.asked).toEqual(['m1', 'm2'])

    const empty = await world('openai/m1,openai/m2,anthropic/b', (model) =>
      model === 'b'
        ? 'here'
        : { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota, please check your plan.' },
    )
    expect(await ask(empty.models)).toMatchObject({
      model: 'anthropic/b',
      fellBack: [{ model: 'openai/m1', code: 'quota' }, { model: 'openai/m2' }],
    })
    expect(empty.asked).toEqual(['m1', 'b'])
  })

  test.each<[string, ScriptedReply]>([
    ['OpenAI', { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' }],
    ['OpenAI, no billing', { status: 400, code: 'billing_hard_limit_reached', message: 'Billing hard limit has been reached' }],
    ['a router', { status: 402, message: 'Insufficient credits' }],
    ['Anthropic', { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' }],
  ])('an account without money (%s) is not asked again', async (_, reply) => {
    const { models, asked } = await world('openai/a', () => reply)
    expect(await ask(models)).toMatchObject({ ok: false, code: 'quota' })
    expect(asked).toEqual(['a'])
    // Only when a person comes again: they may have paid.
    expect(await ask(models)).toMatchObject({ ok: false, code: 'quota' })
    expect(asked).toEqual(['a', 'a'])
  })

  test("Google's limit by the minute is no empty account, its limit by the day is", async () => {
    const body = (id: string) =>
      JSON.stringify({
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota, please check your plan and billing details.',
          details: [{ violations: [{ quotaId: id }] }, { retryDelay: '34s' }],
        },
      })
    for (const [id, code] of [
      ['GenerateRequestsPerMinutePerProjectPerModel', 'rate_limited'],
      ['GenerateRequestsPerDayPerProjectPerModel', 'quota'],
    ] as const) {
      const server = await startScriptedModel({ otherwise: () => ({ status: 429, body: body(id) }) })
      servers.push(server)
      const providers = { GOOGLE_GENERATIVE_AI_BASE_URL: `${server.origin}/v1beta`, GOOGLE_GENERATIVE_AI_API_KEY: 'AIza' }
      const name = 'google/g'
      const models = openModels({ models: { light: name, standard: name, deep: name }, providers }, { clock: systemClock })
      expect(await ask(models)).toMatchObject({ ok: false, code, ...(code === 'quota' ? {} : { retryAfterMs: 34_000 }) })
    }
  })

  test('after a word was shown nothing else is asked', async () => {
    const { models, asked } = await world('openai/a,anthropic/b', () => ({ text: ['half'], end: 'cut' }))
    const words: string[] = []
    expect(await ask(models, {}, (text) => words.push(text))).toMatchObject({ ok: false, code: 'network' })
    expect([words, asked]).toEqual([['half'], ['a']])
  })

  test('a wrong request is wrong everywhere; a model that is gone is not', async () => {
    const wrong = await world('openai/a,anthropic/b', () => ({ status: 400, message: 'bad schema' }))
    expect(await ask(wrong.models)).toMatchObject({ code: 'invalid_request' })
    expect(wrong.asked).toEqual(['a'])
    const gone = await world('openai/a,anthropic/b', (model) => (model === 'b' ? 'here' : { status: 404, message: 'no such model' }))
    expect(await ask(gone.models)).toMatchObject({ model: 'anthropic/b' })
  })

  test('a model without its key is passed over and named', async () => {
    const { models } = await world('openrouter/x,anthropic/b', () => 'here')
    expect(await ask(models)).toMatchObject({ model: 'anthropic/b', fellBack: [{ model: 'openrouter/x', code: 'no_model' }] })
  })

  test('with all of them busy it waits for the one that comes back first, a bounded time', async () => {
    const clock = handClock()
    let asks = 0
    const { models, asked } = await world(
      'openai/a,anthropic/b',
      (model) => (++asks <= 2 ? { status: 429, retryAfter: model === 'a' ? 9 : 4 } : 'at last'),
      { clock, random: () => 0 },
    )
    expect(await whileTurning(clock, ask(models))).toMatchObject({ ok: true, model: 'anthropic/b' })
    expect(asked).toEqual(['a', 'b', 'b'])
  })

  test('what rests for minutes is not asked by anybody, and says until when', async () => {
    const { models, asked } = await world('openai/a', () => ({ status: 429, retryAfter: 600 }))
    expect(await ask(models)).toMatchObject({ code: 'rate_limited', retryAfterMs: 600_000 })
    expect(await ask(models)).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) })
    expect(asked).toEqual(['a'])
  })
})

test('[M6, M8] F07: twenty callers that meet a limit spread; no second sees more of them than the limiter allows', async () => {
  for (const seed of [1, 2, 3]) {
    const clock = handClock()
    const times: number[] = []
    const opensAt = clock.now() + 2_000
    const { models } = await world(
      'openai/a',
      () => {
        times.push(clock.now())
        return clock.now() < opensAt ? { status: 429, retryAfter: 2 } : 'ok'
      },
      { clock, concurrency: 8, random: seeded(seed).next },
    )
    const all = Array.from({ length: 20 }, () => ask(models))
    const replies = await whileTurning(clock, Promise.all(all), 20)
    expect(replies.filter((reply) => reply.ok)).toHaveLength(20)
    const busiest = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length))
    expect(busiest, `seed ${seed}: ${times.map((at) => at - opensAt).join(' ')}`).toBeLessThanOrEqual(8)
  }
})

test('F07: when the first who comes back is refused again, the others do not come', async () => {
  const clock = handClock()
  const times: number[] = []
  const { models } = await world(
    'openai/a',
    () => {
      times.push(clock.now())
      return clock.now() < start + 4_000 ? { status: 429, retryAfter: 2 } : 'ok'
    },
    { clock, concurrency: 4, random: () => 0 },
  )
  const start = clock.now()
  const replies = await whileTurning(clock, Promise.all(Array.from({ length: 12 }, () => ask(models))), 20)
  const after = times.map((at) => at - start)
  expect(
    after.filter((at) => at > 0 && at < 4_000),
    after.join(' '),
  ).toHaveLength(1)
  expect(replies.filter((reply) => reply.ok)).toHaveLength(12)
})

test('F07: without a word of the provider, retries come later and later, spread', async () => {
  const clock = handClock()
  const times: number[] = []
  const { models } = await world(
    'openai/a',
    () => {
      times.push(clock.now())
      return { status: 503 }
    },
    { clock, random: () => 0.5 },
  )
  expect(await whileTurning(clock, ask(models), 50)).toMatchObject({ code: 'overloaded' })
  const [first = 0, second = 0, third = 0] = times
  expect(times).toHaveLength(3)
  expect(second - first).toBeGreaterThanOrEqual(1_000)
  expect(third - second).toBeGreaterThanOrEqual(3_000)
})

test('a stop ends a wait', async () => {
  const controller = new AbortController()
  const { models, asked } = await world('openai/a', () => ({ status: 429, retryAfter: 15 }))
  const reply = models.stream(
    { tier: 'light', messages: [{ role: 'user', text: 'x' }], tools: [] },
    { signal: controller.signal, onText: () => {}, priority: 'person' },
  )
  while (asked.length === 0) await settleLoop(1)
  await settleLoop(200)
  controller.abort()
  expect(await reply).toMatchObject({ code: 'aborted' })
})

describe('[M9] local-only', () => {
  /** The server of a vendor stands for elsewhere, wherever it is: what it is asked must never come. */
  test('nothing is sent elsewhere, not even when every local model fails', async () => {
    const elsewhere = await startScriptedModel()
    servers.push(elsewhere)
    const anthropicUrl = elsewhere.url
    const replies: Record<string, ScriptedReply> = { l1: { status: 500 }, l2: { status: 429, retryAfter: 100 } }
    const { models, asked } = await world('anthropic/far,ollama/l1,openai-compatible/l2', (model) => replies[model] ?? 'no', {
      anthropicUrl,
      retries: 0,
    })
    expect((await ask(models, { localOnly: true })).ok).toBe(false)
    expect((await ask(models, { localOnly: true })).ok).toBe(false)
    expect([elsewhere.count, asked.slice(0, 2)]).toEqual([0, ['l1', 'l2']])
    expect(await ask(models)).toMatchObject({ ok: true, model: 'anthropic/far' })
    expect(elsewhere.count).toBe(1)
  })

  test('a chain without a local model says what to do', async () => {
    const anthropicUrl = 'http://api.example.org/v1'
    const { models } = await world('anthropic/far', () => 'no', { anthropicUrl })
    const reply = await ask(models, { localOnly: true })
    expect(reply).toMatchObject({ ok: false, code: 'no_model', message: expect.stringContaining('anthropic/far') })
  })

  test('an address of this machine behind a vendor is a way to the vendor, unless a person says otherwise', async () => {
    const near = await world('openai/l', () => 'no')
    expect(await ask(near.models, { localOnly: true })).toMatchObject({ code: 'no_model' })
    expect(near.asked).toEqual([])
    const store = { get: async (key: string) => (key === 'models.local' ? [near.server.origin] : null), set: async () => {} }
    const marked = openModels(
      { models: { light: 'openai/l', standard: 'openai/l', deep: 'openai/l' }, providers: { OPENAI_BASE_URL: near.server.url } },
      { clock: systemClock, store },
    )
    await marked.reload()
    expect(await ask(marked, { localOnly: true })).toMatchObject({ ok: true, cost: 0 })
  })

  test("a model that Ollama hands on to another machine is none of this machine's", async () => {
    const server = await startScriptedModel({
      models: { 'big:cloud': {}, handed: { remote: 'https://ollama.com' }, own: { window: 8_192 } },
    })
    servers.push(server)
    const models = (name: string) =>
      openModels({ models: { light: name, standard: name, deep: name }, providers: { OLLAMA_HOST: server.origin } }, { clock: systemClock })
    for (const name of ['ollama/big:cloud', 'ollama/handed']) {
      expect(await ask(models(name), { localOnly: true })).toMatchObject({ ok: false, code: 'no_model' })
    }
    expect(server.count).toBe(0)
    expect(await ask(models('ollama/handed,ollama/own'), { localOnly: true })).toMatchObject({ ok: true, model: 'ollama/own' })
  })
})

test('F08: a call costs one request and nothing that is made anew; the bench measures its time', async () => {
  const { models, asked, server } = await world('ollama/a,openai/b', () => 'ok')
  for (let call = 0; call < 100; call++) expect(await ask(models)).toMatchObject({ ok: true, model: 'ollama/a' })
  expect([asked.length, server.count]).toEqual([100, 100])
})

describe('when nothing answers', () => {
  test('[D13] the first answer afterwards says that it is over, once, to whom it had failed', async () => {
    let isDown = true
    const { models } = await world('openai/a', () => (isDown ? { status: 503 } : { text: 'here' }), { retries: 0 })
    const of = (user: string) => ask(models, { spender: { user, project: 'p', session: 's', run: 'r' } })
    expect(await of('ada')).toMatchObject({ ok: false, code: 'overloaded' })
    isDown = false
    const notices = []
    for (const user of ['bob', 'ada', 'ada']) {
      const reply = await of(user)
      notices.push(reply.ok ? (reply.notice ?? null) : reply.code)
    }
    expect(notices).toEqual([null, 'The models answer again.', null])
  })

  test('[D13] what is wrong with the request or the account is no outage', async () => {
    let status = 400
    const { models } = await world('openai/a', () => (status === 200 ? { text: 'here' } : { status, message: 'no' }), { retries: 0 })
    const replies = []
    for (status of [400, 402, 200]) replies.push(await ask(models))
    expect(replies.map(({ ok }) => ok)).toEqual([false, false, true])
    expect(replies.at(-1)).not.toHaveProperty('notice')
  })
})
