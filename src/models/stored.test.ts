import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { Conflict, InvalidInput, Unavailable } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import { settleLoop } from '../base/testing.ts'
import { type ModelsOptions, openModels } from './models.ts'
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from './scripted.ts'

let server: ScriptedModel
beforeEach(async () => {
  server = await startScriptedModel({ models: { 'llama3.2': { window: 8_192 } } })
})
afterEach(() => server.close())

function memory(initial: Record<string, Json> = {}) {
  const values = new Map(Object.entries(initial))
  return {
    values,
    get: async (key: string) => values.get(key) ?? null,
    set: async (key: string, value: Json) => void (value === null ? values.delete(key) : values.set(key, value)),
  }
}

function open(options: Partial<ModelsOptions> = {}, model: string | null = null, providers: Record<string, string> = {}) {
  const all = { OPENAI_BASE_URL: server.url, OLLAMA_HOST: server.origin, ANTHROPIC_BASE_URL: server.url, ...providers }
  return openModels(
    { models: { light: model, standard: model, deep: model }, providers: all },
    { clock: systemClock, retries: 0, ...options },
  )
}

const quiet = () => ({ signal: new AbortController().signal, onText: () => {}, priority: 'person' as const })
const hello = { tier: 'standard' as const, messages: [{ role: 'user' as const, text: 'hello' }], tools: [] }

describe('[M13] a person chooses', () => {
  test('while the hub runs, at once and for the next start', async () => {
    const store = memory()
    const models = open({ store })
    expect(await models.stream(hello, quiet())).toMatchObject({ code: 'no_model' })
    await models.choose('standard', ['openai/a', 'ollama/llama3.2'], 'user:ada')
    expect(await models.stream(hello, quiet())).toMatchObject({ ok: true, model: 'openai/a' })
    expect(models.modelOf('light')).toBeNull()
    const next = open({ store })
    await next.reload()
    expect(next.list().tiers[1]).toMatchObject({
      tier: 'standard',
      fixedBy: null,
      chain: [{ model: 'openai/a' }, { model: 'ollama/llama3.2' }],
    })
    await next.choose('standard', [], 'user:ada')
    expect(next.modelOf('standard')).toBeNull()
  })

  test('but a setting of the environment wins, and says so', async () => {
    const models = open({ store: memory({ 'models.deep': ['openai/b'] }) }, 'openai/a')
    await models.reload()
    expect(models.modelOf('deep')).toBe('openai/a')
    expect(models.list().tiers[2]?.fixedBy).toBe('STEWARD_MODEL')
    await expect(models.choose('deep', ['openai/b'], 'user:ada')).rejects.toThrow(Conflict)
    await expect(models.choose('deep', ['openai/b'], 'user:ada')).rejects.toThrow('STEWARD_MODEL decides the tier deep')
  })

  test('only what can be chosen', async () => {
    const models = open({ store: memory() })
    await expect(models.choose('deep', ['opnai/b'], 'user:ada')).rejects.toThrow(InvalidInput)
    await expect(models.choose('deep', ['openai/b', 'openai/b'], 'user:ada')).rejects.toThrow('names openai/b twice')
    await expect(models.test('gpt')).rejects.toThrow(InvalidInput)
  })

  test('a stored value that can not be used counts as none and is told', async () => {
    const models = open({
      store: memory({ 'models.light': 'nonsense', 'models.deep': ['openai/a'], 'models.prices': { 'openai/a': { input: -1 } } }),
    })
    await models.reload()
    expect(models.modelOf('deep')).toBe('openai/a')
    expect(models.list().faults).toEqual([
      expect.stringContaining('models.light is "nonsense"'),
      expect.stringContaining('models.prices is wrong at openai/a.input'),
    ])
  })

  test('prices and windows of their own', async () => {
    const store = memory({
      'models.prices': { 'anthropic/new': { input: 2, output: 4 } },
      'models.windows': { 'ollama/llama3.2': 16_384, 'openai/gpt-4o': 50_000, 'openai/gpt-4o-mini': 900_000 },
    })
    const models = open({ store }, 'anthropic/new', { ANTHROPIC_BASE_URL: 'https://api.example.org' })
    await models.reload()
    expect(models.list().tiers[0]?.chain[0]).toMatchObject({ price: { input: 2, output: 4 } })
    expect(models.windowOf('ollama/llama3.2')).toMatchObject({ window: 16_384, from: 'setting' })
    expect(models.windowOf('openai/gpt-4o')).toMatchObject({ window: 50_000, from: 'setting' })
    expect(models.windowOf('openai/gpt-4o-mini')).toMatchObject({ window: 128_000, from: 'table' })
    expect(models.windowOf('openai/nobody-knows')).toMatchObject({ from: 'default' })
  })
})

describe('keys', () => {
  test('come from the secret store, and the environment wins', async () => {
    const keyOf = async (name: string) => (name === 'anthropic-api-key' || name === 'openai-api-key' ? `stored-${name}` : null)
    const models = open({ keyOf }, 'anthropic/a,openai/b', { OPENAI_API_KEY: 'of-the-environment' })
    await models.reload()
    await models.stream(hello, quiet())
    expect(server.requests[0]?.headers['x-api-key']).toBe('stored-anthropic-api-key')
    const keys = new Map(models.list().providers.map(({ provider, key }) => [provider, key]))
    expect(Object.fromEntries(keys)).toEqual({
      openai: 'environment',
      anthropic: 'secret store',
      google: 'missing',
      openrouter: 'missing',
      ollama: 'none needed',
      'openai-compatible': 'environment',
    })
    expect(JSON.stringify(models.list())).not.toMatch(/stored-|of-the-environment/)
  })
})

test('a secret store that is locked stops nothing, and is told', async () => {
  const keyOf = async () => {
    throw new Unavailable('the store is locked')
  }
  const models = open({ keyOf }, 'ollama/llama3.2')
  await models.reload()
  expect(await models.stream(hello, quiet())).toMatchObject({ ok: true })
  expect(models.list().faults).toEqual(["Keys of the secret store can't be read: the store is locked"])
})

describe('[M12] D04: how much fits comes from one place', () => {
  test.each<[string, ScriptedReply, number]>([
    ['anthropic', { status: 400, message: 'prompt is too long: 210000 tokens > 100000 maximum' }, 100_000],
    ['openai', { status: 400, code: 'context_length_exceeded', message: "This model's maximum context length is 8,192 tokens." }, 8_192],
    ['openai', { status: 400, message: 'the request exceeds the available context size (4096 tokens), try increasing it' }, 4_096],
  ])('%s says less than was thought: known from then on, also after a restart', async (provider, reply, window) => {
    const store = memory()
    const name = `${provider}/some-model`
    const models = open({ store }, name)
    server.script(reply)
    expect(await models.stream(hello, quiet())).toMatchObject({ ok: false, code: 'context_length' })
    const expected = window < 64_000 ? { window, from: 'learned' } : { window: 64_000, from: 'default' }
    expect(models.windowOf(name)).toMatchObject(expected)
    await settleLoop()
    const next = open({ store }, name)
    await next.reload()
    expect(next.windowOf(name)).toMatchObject(expected)
  })

  test('a known model whose real limit is lower than the table', async () => {
    const models = open({ store: memory() }, 'anthropic/claude-sonnet-4-5')
    expect(models.windowOf('anthropic/claude-sonnet-4-5')).toMatchObject({ window: 200_000, maxOutput: 64_000, from: 'table' })
    server.script({ status: 400, message: 'prompt is too long: 150000 tokens > 128000 maximum' })
    await models.stream(hello, quiet())
    expect(models.windowOf('anthropic/claude-sonnet-4-5')).toMatchObject({ window: 128_000, from: 'learned' })
  })

  test('two that are learned at once are both kept, and a person can take one back', async () => {
    const store = memory()
    const models = open({ store }, 'openai/a,anthropic/b')
    server.script({ status: 400, message: 'maximum context length is 8192 tokens' })
    await models.stream(hello, quiet())
    server.script({ status: 400, message: 'maximum context length is 4096 tokens' })
    await models.test('anthropic/b')
    await settleLoop()
    expect(store.values.get('models.learned')).toEqual({ 'openai/a': 8_192, 'anthropic/b': 4_096 })
    await store.set('models.learned', { 'anthropic/b': 4_096 })
    await models.reload()
    expect(models.windowOf('openai/a').from).toBe('default')
  })

  test('Ollama says what a model holds', async () => {
    const models = open({}, 'ollama/llama3.2')
    expect(models.windowOf('ollama/llama3.2').window).toBe(32_768)
    await models.stream(hello, quiet())
    expect(models.windowOf('ollama/llama3.2')).toMatchObject({ window: 8_192, from: 'learned' })
    expect(server.requests[0]?.body).toMatchObject({ options: { num_ctx: 8_192 } })
  })
})

describe('one tiny call', () => {
  test('shows that a model answers, or why not; a rest is over then', async () => {
    const models = open({}, 'openai/a')
    server.script({ status: 429, retryAfter: 60, message: 'slow down' })
    expect(await models.test('openai/a')).toMatchObject({
      ok: false,
      model: 'openai/a',
      code: 'rate_limited',
      message: expect.stringContaining('slow down'),
    })
    expect(models.list().tiers[0]?.chain[0]?.rest).not.toBeNull()
    server.script('ready')
    expect(await models.test('openai/a')).toMatchObject({ ok: true, said: 'ready', ms: expect.any(Number) })
    expect(models.list().tiers[0]?.chain[0]?.rest).toBeNull()
    expect(await models.test('openrouter/x')).toMatchObject({
      ok: false,
      code: 'no_model',
      message: expect.stringContaining('OPENROUTER_API_KEY'),
    })
  })
})
