import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { EmbedReply, EmbedRequest } from './embed.ts'
import { type Models, type ModelsOptions, openModels } from './models.ts'
import { type ScriptedModel, type ScriptedOptions, startScriptedModel } from './scripted.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function serve(options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const server = await startScriptedModel(options)
  closing.push(() => server.close())
  return server
}

const key = 'sk-hub-abcdef123456'
const spender = { user: 'ada', project: 'shop', session: 's', run: 'r' }

function modelsOf({ url, origin }: Pick<ScriptedModel, 'url' | 'origin'>, options: Partial<ModelsOptions> = {}): Models {
  const providers = { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OLLAMA_HOST: origin }
  return openModels(
    { models: { light: '', standard: '', deep: '' }, providers },
    { clock: systemClock, retries: 0, random: () => 0.5, ...options },
  )
}

function embed(models: Models, request: Partial<EmbedRequest>, signal = new AbortController().signal): Promise<EmbedReply> {
  return models.embed({ provider: 'openai-compatible', model: 'embedder', texts: ['hello'], ...request }, { signal })
}

function near(reply: EmbedReply): (a: number, b: number) => number {
  if (!reply.ok) throw new Error(reply.message)
  return (a, b) => (reply.vectors[a] ?? new Float32Array()).reduce((sum, one, at) => sum + one * (reply.vectors[b]?.[at] ?? 0), 0)
}

describe('[Y139] embeddings', () => {
  test.each(['openai', 'openai-compatible', 'ollama'])(
    '%s: one vector a text, in order; texts that share words are near',
    async (provider) => {
      const server = await serve()
      const reply = await embed(modelsOf(server), {
        provider,
        texts: ['the red garden door', 'a red door in the garden', 'price of a tram ticket'],
      })
      expect(reply).toMatchObject({ ok: true, model: `${provider}/embedder` })
      const likeness = near(reply)
      expect(likeness(0, 0)).toBeCloseTo(1, 4)
      expect(likeness(0, 1)).toBeGreaterThan(0.6)
      expect(likeness(0, 2)).toBeLessThan(0.3)
      expect(server.requests[0]?.path).toBe(provider === 'ollama' ? '/api/embed' : '/v1/embeddings')
      if (provider !== 'ollama') expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    },
  )

  test('many texts go in requests of a bounded size, and come back in order', async () => {
    const server = await serve()
    const texts = Array.from({ length: 150 }, (_, at) => `text number ${at}`)
    const reply = await embed(modelsOf(server), { texts })
    expect(server.requests.map(({ body }) => (Array.isArray(body['input']) ? body['input'].length : 0))).toEqual([64, 64, 22])
    expect(reply.ok && reply.vectors.length).toBe(150)
    const long = Array.from({ length: 20 }, () => 'x'.repeat(30_000))
    await embed(modelsOf(server), { texts: long })
    expect(Math.max(...server.requests.map(({ text }) => text.length))).toBeLessThan(202_000)
  })

  test('answers that come in another order are put in order', async () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ]
    const server = await serve({ embedding: () => ({ answer: { data } }) })
    const reply = await embed(modelsOf(server), { texts: ['a', 'b'] })
    expect(reply.ok && reply.vectors.map((one) => [...one])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test('fewer dimensions are asked for by name', async () => {
    const server = await serve()
    const reply = await embed(modelsOf(server), { dimensions: 8 })
    expect(reply.ok && reply.vectors[0]?.length).toBe(8)
  })

  test.each([
    ['nothing', {}],
    ['too few', { data: [] }],
    ['words in it', { data: [{ index: 0, embedding: [1, 'x'] }] }],
    ['no numbers', { data: [{ index: 0, embedding: [null] }] }],
    ['empty', { data: [{ index: 0, embedding: [] }] }],
    ['too wide', { data: [{ index: 0, embedding: new Array(9_000).fill(1) }] }],
    ['a number that is none', { data: [{ index: 0, embedding: [1e300] }] }],
  ])('an answer that can not be used is a failure: %s', async (_, answer) => {
    const server = await serve({ embedding: () => ({ answer }) })
    expect(await embed(modelsOf(server), {})).toMatchObject({ ok: false, code: 'bad_reply' })
  })

  test('what is no JSON, and what never ends, is a failure', async () => {
    let kind = 'text'
    const server = createServer((_, response) => {
      if (kind === 'text') return void response.end('<html>no</html>')
      const more = () => response.write('x'.repeat(1_000_000)) || true
      response.on('drain', more)
      while (response.writableLength < 4_000_000) more()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closing.push(
      () => server.close(),
      () => server.closeAllConnections(),
    )
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const models = modelsOf({ url: origin, origin })
    expect(await embed(models, {})).toMatchObject({ ok: false, code: 'bad_reply' })
    kind = 'endless'
    expect(await embed(models, {})).toMatchObject({ ok: false })
  })

  test('failures have their codes, and no key', async () => {
    const server = await serve({ embedding: () => ({ status: 401, message: `wrong key ${key}` }) })
    const reply = await embed(modelsOf(server), {})
    expect(reply).toMatchObject({ ok: false, code: 'auth' })
    expect(JSON.stringify(reply)).not.toContain(key)
  })

  test.each([
    [{ provider: 'cohere' }, 'no_model', /there are of openai, openai-compatible, ollama/],
    [{ provider: 'anthropic' }, 'no_model', /no embeddings of the provider "anthropic"/],
    [{ texts: [] }, 'invalid_request', /allowed are 1 to/],
    [{ texts: ['x'.repeat(40_000)] }, 'context_length', /longer than 32000/],
    [{ account: { provider: 'openai-compatible', baseUrl: 'http://away.example' }, localOnly: true }, 'no_model', /local-only/],
  ])('%j is refused unasked', async (request, code, message) => {
    const server = await serve()
    expect(await embed(modelsOf(server), request)).toMatchObject({ ok: false, code, message: expect.stringMatching(message) })
    expect(server.count).toBe(0)
  })

  test('[M9] a model that Ollama hands to another machine is not asked for a local-only project', async () => {
    const server = await serve({ models: { embedder: { remote: 'https://ollama.com' } } })
    expect(await embed(modelsOf(server), { provider: 'ollama', localOnly: true })).toMatchObject({ ok: false, code: 'no_model' })
    expect(server.count).toBe(0)
  })

  test('a busy provider is asked again a bounded number of times, and rests', async () => {
    const server = await serve({ embedding: () => ({ status: 503 }) })
    const models = modelsOf(server, { retries: 1, random: () => 0 })
    expect(await embed(models, {})).toMatchObject({ ok: false, code: 'overloaded' })
    expect(server.count).toBe(2)
  })

  test('who stops it stops it', async () => {
    const stop = new AbortController()
    const server = await serve({
      embedding: () => {
        stop.abort()
        return new Promise<null>(() => {})
      },
    })
    expect(await embed(modelsOf(server), {}, stop.signal)).toMatchObject({ ok: false, code: 'aborted' })
  })
})

describe('what embeddings cost', () => {
  function ledger(limit: number) {
    const book: (number | null)[] = []
    const lost: number[] = []
    const budget = { id: 'b', user: 'ada', scope: 'day' as const, of: null, limit, currency: 'USD', text: '1 cent a day' }
    let left = limit
    const budgets = {
      async reserve(_: unknown, most: number) {
        if (most > left) return { ok: false as const, budget, spent: limit - left, wanted: most }
        left -= most
        return { ok: true as const, id: 'r' }
      },
      settle: (_: string, cost: number | null) => void book.push(cost),
      lost: async (_: unknown, { cost }: { readonly cost: number }) => void lost.push(cost),
    }
    return { budgets, book, lost }
  }

  const asked = { provider: 'openai', model: 'text-embedding-3-small', spender }

  test('is what the provider counted, by the price table', async () => {
    const { budgets, book } = ledger(1_000_000)
    const server = await serve()
    const texts = ['x'.repeat(30_000), 'y'.repeat(10_000)]
    expect(await embed(modelsOf(server, { budgets }), { ...asked, texts })).toMatchObject({ ok: true, usage: { input: 10_000 }, cost: 200 })
    expect(book).toEqual([200])
  })

  test('a budget that is used up stops it before anything is sent', async () => {
    const { budgets } = ledger(1)
    const server = await serve()
    const reply = await embed(modelsOf(server, { budgets }), { ...asked, texts: ['x'.repeat(30_000)] })
    expect(reply).toMatchObject({ ok: false, code: 'budget', budget: { id: 'b' } })
    expect(server.count).toBe(0)
  })

  test('what was done before it broke off is counted as a fact', async () => {
    const { budgets, lost } = ledger(1_000_000)
    let calls = 0
    const server = await serve({ embedding: () => (++calls > 1 ? { status: 400, message: 'no' } : null) })
    const texts = Array.from({ length: 8 }, () => 'x'.repeat(30_000))
    expect(await embed(modelsOf(server, { budgets }), { ...asked, texts })).toMatchObject({ ok: false, lost: 900 })
    expect(lost).toEqual([900])
  })

  test('on this machine it costs nothing', async () => {
    const { budgets, book } = ledger(0)
    const server = await serve()
    expect(await embed(modelsOf(server, { budgets }), { provider: 'ollama', spender })).toMatchObject({ ok: true, cost: 0 })
    expect(book).toEqual([])
  })
})
