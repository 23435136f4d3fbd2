// Models over the real settings: what is chosen and learned outlives the hub, in SQLite.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import { openModels, storeIn } from '../src/models/models.ts'
import { type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { type Bench, openBench } from './scopes/bench.ts'

let bench: Bench
let server: ScriptedModel
beforeEach(async () => {
  bench = await openBench()
  server = await startScriptedModel()
})
afterEach(async () => {
  await bench.close()
  await server.close()
})

const by = 'user:ada'
const tenant = { level: 'tenant', scope: '_tenant' } as const

async function open() {
  const settings = {
    models: { light: null, standard: null, deep: null },
    providers: { OPENAI_BASE_URL: server.url, ANTHROPIC_BASE_URL: server.url },
  }
  const models = openModels(settings, { clock: systemClock, retries: 0, store: storeIn(bench.scopes.settings) })
  await models.reload()
  return models
}

function ask(models: Awaited<ReturnType<typeof open>>) {
  return models.stream(
    { tier: 'standard', messages: [{ role: 'user', text: 'hello' }], tools: [] },
    { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
  )
}

test('[M13] a chain that was chosen is a setting of the tenant, and there after a restart', async () => {
  await (await open()).choose('standard', ['openai/a', 'anthropic/b'], by)
  expect(await bench.scopes.settings.get('models.standard', {})).toEqual(['openai/a', 'anthropic/b'])
  bench = await bench.reopen()
  const models = await open()
  server.script({ status: 500 })
  expect(await ask(models)).toMatchObject({ ok: true, model: 'anthropic/b', fellBack: [{ model: 'openai/a', code: 'overloaded' }] })
  await bench.scopes.settings.set({ ...tenant, key: 'models.standard', value: ['anthropic/c'] }, by)
  await models.reload()
  expect(await ask(models)).toMatchObject({ ok: true, model: 'anthropic/c' })
})

test('[M12] D04: a window that a provider named is there after a restart', async () => {
  const models = await open()
  await models.choose('standard', ['anthropic/claude-sonnet-4-5'], by)
  server.script({ status: 400, message: 'prompt is too long: 150000 tokens > 128000 maximum' })
  expect(await ask(models)).toMatchObject({ code: 'context_length' })
  while ((await bench.scopes.settings.get('models.learned', {})) === null) await new Promise((resolve) => setImmediate(resolve))
  bench = await bench.reopen()
  expect((await open()).windowOf('anthropic/claude-sonnet-4-5')).toMatchObject({ window: 128_000, from: 'learned' })
})

test('[M13] a setting that can not be one is refused where it is written, with what is allowed', async () => {
  const set = (key: string, value: string | readonly string[] | { readonly [model: string]: number }) =>
    bench.scopes.settings.set({ ...tenant, key, value }, by)
  await expect(set('models.deep', 'openai/a')).rejects.toThrow('a list of up to 8 <provider>/<model>')
  await expect(set('models.deep', ['gpt'])).rejects.toThrow('a list of up to 8 <provider>/<model>')
  await expect(set('models.windows', { 'ollama/a': 3 })).rejects.toThrow('for each <provider>/<model> its tokens')
  await expect(set('models.local', ['my box'])).rejects.toThrow('a list of addresses')
})
