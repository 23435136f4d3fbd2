import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import type { ModelReply, ModelRequest } from './message.ts'
import { type Models, type ModelsOptions, openModels } from './models.ts'
import { type ScriptedModel, type ScriptedOptions, startScriptedModel } from './scripted.ts'

const servers: ScriptedModel[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const server = await startScriptedModel(options)
  servers.push(server)
  return server
}

const hubKey = 'sk-hub-abcdef123456'
const ownKey = 'sk-own-abcdef123456'

function modelsOf(chain: string, hub: ScriptedModel, given: Partial<ModelsOptions> & { readonly openAiKey?: string } = {}): Models {
  const { openAiKey = hubKey, ...options } = given
  const providers = {
    OPENAI_BASE_URL: hub.url,
    ...(openAiKey === '' ? {} : { OPENAI_API_KEY: openAiKey }),
    OLLAMA_HOST: hub.origin,
  }
  return openModels({ models: { light: chain, standard: chain, deep: chain }, providers }, { clock: systemClock, retries: 0, ...options })
}

function ask(models: Models, request: Partial<ModelRequest> = {}, signal = new AbortController().signal): Promise<ModelReply> {
  return models.stream(
    { tier: 'standard', messages: [{ role: 'user', text: 'hello' }], tools: [], ...request },
    { signal, onText: () => {}, priority: 'person' },
  )
}

const askedModels = (server: ScriptedModel) => server.requests.map(({ body }) => body.model)

describe('[Y137] a named model', () => {
  test('is asked before the chain of the tier', async () => {
    const hub = await serve()
    const reply = await ask(modelsOf('openai-compatible/usual', hub), { model: 'openai-compatible/other' })
    expect(reply).toMatchObject({ ok: true, model: 'openai-compatible/other' })
    expect(reply).not.toHaveProperty('notice')
    expect(askedModels(hub)).toEqual(['other'])
  })

  test('that stands in the chain as well is asked once', async () => {
    const hub = await serve({ otherwise: ({ body }) => (body.model === 'b' ? { status: 500 } : 'hello') })
    const reply = await ask(modelsOf('openai-compatible/a,openai-compatible/b', hub), { model: 'openai-compatible/b' })
    expect(reply).toMatchObject({ ok: true, model: 'openai-compatible/a', fellBack: [{ model: 'openai-compatible/b' }] })
    expect(askedModels(hub)).toEqual(['b', 'a'])
  })

  test('works where the tier has none', async () => {
    const hub = await serve()
    expect(await ask(modelsOf('', hub), { model: 'ollama/scripted' })).toMatchObject({ ok: true, model: 'ollama/scripted' })
  })

  test.each([
    ['gpt-4o', 'gpt-4o is no model that this hub knows', /allowed is <provider>\/<model>/],
    ['jlama/tiny', 'jlama/tiny is no model that this hub knows', /there is no provider "jlama"/],
    ['anthropic/claude-x', 'anthropic/claude-x is not set up', /ANTHROPIC_API_KEY is not set/],
  ])('%s: the tier answers, and the answer says so each time', async (model, why, message) => {
    const hub = await serve()
    const models = modelsOf('openai-compatible/usual', hub)
    for (const reply of [await ask(models, { model }), await ask(models, { model })]) {
      expect(reply).toMatchObject({
        ok: true,
        model: 'openai-compatible/usual',
        notice: `${why}; answered by openai-compatible/usual.`,
        fellBack: [{ model, code: 'no_model', message: expect.stringMatching(message) }],
      })
    }
    expect(await ask(modelsOf('', hub), { model })).toMatchObject({ ok: false, code: 'no_model', message: expect.stringMatching(message) })
  })

  test('elsewhere is not asked for a local-only project, and nothing goes there', async () => {
    const hub = await serve()
    const reply = await ask(modelsOf('openai/away,ollama/scripted', hub), { model: 'openai/gpt-5', localOnly: true })
    expect(reply).toMatchObject({
      ok: true,
      model: 'ollama/scripted',
      notice: expect.stringMatching(/^openai\/gpt-5 is not on this machine/),
    })
    expect(await ask(modelsOf('openai/away', hub), { model: 'openai/gpt-5', localOnly: true })).toMatchObject({ code: 'no_model' })
    expect(askedModels(hub)).toEqual(['scripted'])
  })

  test('is paid for like any, at its own price', async () => {
    const hub = await serve()
    hub.script({ text: 'dear', usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 } })
    const wanted: number[] = []
    const budgets = {
      reserve: async (_: unknown, most: number) => {
        wanted.push(most)
        return { ok: true as const, id: 'r1' }
      },
      settle: () => {},
    }
    const spender = { user: 'ada', project: 'shop', session: 's', run: 'r' }
    const models = modelsOf('ollama/scripted', hub, { budgets })
    expect(await ask(models, { model: 'openai/gpt-5-mini', spender })).toMatchObject({ ok: true, cost: 2_250_000 })
    expect(wanted).toHaveLength(1)
  })
})

describe('[Y138] an account of its own', () => {
  const account = (server: ScriptedModel, key?: string) => ({
    provider: 'openai-compatible',
    baseUrl: server.url,
    ...(key === undefined ? {} : { key }),
  })

  test('its address gets its key; the hub is not asked', async () => {
    const [hub, own] = [await serve(), await serve()]
    const reply = await ask(modelsOf('openai-compatible/usual', hub), { model: 'openai-compatible/mine', account: account(own, ownKey) })
    expect(reply).toMatchObject({ ok: true, model: 'openai-compatible/mine' })
    expect(own.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${ownKey}`])
    expect(hub.count).toBe(0)
  })

  test('it goes the way that it brings along', async () => {
    const own = await serve()
    for (const provider of ['openai', 'anthropic', 'google', 'ollama']) {
      const asked: string[] = []
      const way = (url: string, init?: RequestInit) => {
        const { hostname, pathname, search } = new URL(url)
        asked.push(hostname)
        return fetch(`${own.origin}${pathname}${search}`, init)
      }
      const path = provider === 'google' ? '/v1beta' : provider === 'ollama' ? '' : '/v1'
      const baseUrl = `http://models.example.org${path}`
      const request = { model: `${provider}/scripted`, account: { provider, baseUrl, key: ownKey, fetch: way } }
      expect(await ask(modelsOf('', own), request)).toMatchObject({ ok: true })
      expect(new Set(asked)).toEqual(new Set(['models.example.org']))
    }
  })

  test('where the hub goes by itself it goes straight', async () => {
    const hub = await serve()
    const baseUrl = hub.origin.replace('127.0.0.1', 'localhost')
    const refuses = async () => {
      throw new Error('closed')
    }
    const account = { provider: 'ollama', baseUrl, fetch: refuses }
    expect(await ask(modelsOf('', hub), { model: 'ollama/scripted', account })).toMatchObject({ ok: true })
    const elsewhere = { ...account, baseUrl: 'http://localhost:1' }
    expect(await ask(modelsOf('', hub), { model: 'ollama/scripted', account: elsewhere })).toMatchObject({ ok: false })
  })

  test("the hub's key never goes to an address that it was not given for", async () => {
    const [hub, own] = [await serve(), await serve()]
    for (const provider of ['openai-compatible', 'openai'])
      await ask(modelsOf('openai-compatible/usual', hub), { model: `${provider}/mine`, account: { provider, baseUrl: own.url } })
    expect(own.requests.map(({ headers }) => headers.authorization)).not.toContain(`Bearer ${hubKey}`)
    expect(own.count).toBe(2)
  })

  test('with a key alone it is asked at the address that the hub uses for this provider', async () => {
    const hub = await serve()
    await ask(modelsOf('', hub), { model: 'openai/gpt-5', account: { provider: 'openai', key: ownKey } })
    expect(hub.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${ownKey}`])
  })

  test('what fails there is not asked of the hub, and the failure does not show the key', async () => {
    const [hub, own] = [await serve(), await serve({ otherwise: () => ({ status: 401, message: `bad key ${ownKey}` }) })]
    const models = modelsOf('openai-compatible/usual', hub)
    const reply = await ask(models, { model: 'openai-compatible/mine', account: account(own, ownKey) })
    expect(reply).toMatchObject({ ok: false, code: 'auth' })
    expect(JSON.stringify([reply, models.list()])).not.toContain('abcdef123456')
    expect(hub.count).toBe(0)
  })

  test('its rests are its own: the hub and others go on', async () => {
    const own = await serve({ otherwise: ({ headers }) => (headers.authorization === `Bearer ${ownKey}` ? { status: 401 } : 'hello') })
    const models = modelsOf('openai-compatible/mine', own)
    const asked = { model: 'openai-compatible/mine' }
    expect(await ask(models, { ...asked, account: account(own, ownKey) })).toMatchObject({ code: 'auth' })
    expect(await ask(models, { ...asked, account: account(own, 'sk-third-abcdef1234') })).toMatchObject({ ok: true })
    expect(await ask(models)).toMatchObject({ ok: true })
  })

  test('what it says of a window changes nothing for the hub', async () => {
    const own = await serve({
      otherwise: () => ({ status: 400, message: "This model's maximum context length is 300 tokens.", code: 'context_length_exceeded' }),
    })
    const models = modelsOf('openai-compatible/mine', await serve())
    const before = models.windowOf('openai-compatible/mine')
    expect(await ask(models, { model: 'openai-compatible/mine', account: account(own) })).toMatchObject({ code: 'context_length' })
    expect(models.windowOf('openai-compatible/mine')).toEqual(before)
  })

  test('local-only is judged by its address', async () => {
    const own = await serve()
    const models = modelsOf('', own)
    const local = { model: 'openai-compatible/mine', account: account(own), localOnly: true }
    expect(await ask(models, local)).toMatchObject({ ok: true })
    for (const provider of ['openai-compatible', 'openai', 'ollama']) {
      const away = { provider, baseUrl: 'http://models.example.org/v1' }
      expect(await ask(models, { model: `${provider}/m`, account: away, localOnly: true })).toMatchObject({
        code: 'no_model',
        message: expect.stringContaining('not on this machine'),
      })
    }
  })

  test.each([
    [{ account: { provider: 'openai', key: ownKey } }, 'invalid_request', /has to name its model/],
    [{ model: 'ollama/m', account: { provider: 'openai', key: ownKey } }, 'no_model', /not one of the account's provider/],
    [{ model: 'openai/m', account: { provider: 'openai', baseUrl: 'ftp://x' } }, 'no_model', /allowed is an http/],
    [{ model: 'openai/m', account: { provider: 'openai', baseUrl: 'http://x/ -' } }, 'no_model', /without spaces/],
    [{ model: 'openai/m', account: { provider: 'openai', baseUrl: `http://x/${'y'.repeat(3_000)}` } }, 'no_model', /2000 characters/],
    [{ model: 'openrouter/m', account: { provider: 'openrouter' } }, 'no_model', /wants a key/],
  ])('%j is refused with a sentence', async (request, code, message) => {
    const hub = await serve()
    expect(await ask(modelsOf('openai-compatible/usual', hub), request)).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(message),
    })
    expect(hub.count).toBe(0)
  })
})

describe('how it shall answer', () => {
  const bodies = {
    'openai-compatible': { temperature: 0.2, top_p: 0.9 },
    anthropic: { temperature: 0.2 },
    google: { generationConfig: { temperature: 0.2, topP: 0.9 } },
    ollama: { options: { temperature: 0.2, top_p: 0.9 } },
  }
  test.each(Object.entries(bodies))('%s is told', async (provider, body) => {
    const server = await serve()
    const baseUrl = provider === 'google' ? `${server.origin}/v1beta` : provider === 'ollama' ? server.origin : server.url
    const topP = provider === 'anthropic' ? {} : { topP: 0.9 }
    const request = { model: `${provider}/scripted`, account: { provider, baseUrl, key: ownKey }, temperature: 0.2, ...topP }
    expect(await ask(modelsOf('', server), request)).toMatchObject({ ok: true })
    expect(server.requests[0]?.body).toMatchObject(body)
  })

  test('a model that takes none is asked again without', async () => {
    const server = await serve({
      otherwise: ({ body }) =>
        body['temperature'] === undefined ? 'hello' : { status: 400, message: "Unsupported value: 'temperature' does not support 0.2." },
    })
    const models = modelsOf('openai-compatible/m', server)
    expect(await ask(models, { temperature: 0.2, topP: 0.5 })).toMatchObject({ ok: true })
    expect(server.requests.map(({ body }) => body['temperature'])).toEqual([0.2, undefined])
  })

  test.each([{ temperature: 3 }, { temperature: -1 }, { temperature: Number.NaN }, { topP: 0 }, { topP: 2 }, { timeoutMs: 0 }])(
    '%j is refused with what is allowed',
    async (wrong) => {
      const server = await serve()
      const reply = await ask(modelsOf('openai-compatible/m', server), wrong)
      expect(reply).toMatchObject({ ok: false, code: 'invalid_request', message: expect.stringContaining('allowed is') })
      expect(server.count).toBe(0)
    },
  )

  test('the time of a request covers all of it, and nobody rests for it', async () => {
    const clock = handClock()
    const server = await serve()
    server.script({ silent: true })
    const models = modelsOf('openai-compatible/m', server, { clock })
    const asked = ask(models, { timeoutMs: 5_000 })
    for (let turns = 0; server.count === 0 && turns < 1_000; turns++) await settleLoop(20)
    clock.advance(4_999)
    await settleLoop(20)
    clock.advance(1)
    expect(await asked).toMatchObject({ ok: false, code: 'timeout', message: 'No answer came within 5 seconds.' })
    expect(await ask(models)).toMatchObject({ ok: true })
  })

  test('who stops a call with a time stops it', async () => {
    const server = await serve()
    const stop = new AbortController()
    server.script({ silent: true })
    const asked = ask(modelsOf('openai-compatible/m', server), { timeoutMs: 60_000 }, stop.signal)
    stop.abort()
    expect(await asked).toMatchObject({ ok: false, code: 'aborted' })
  })
})
