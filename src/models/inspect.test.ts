import { afterEach, expect, test } from 'vitest'
import { inspectModels } from './inspect.ts'
import { type ScriptedModel, startScriptedModel } from './scripted.ts'

let server: ScriptedModel | null = null
afterEach(() => server?.close())

async function found(model: string | null, given: { providers?: Record<string, string>; models?: Record<string, object> } = {}) {
  server = await startScriptedModel({ models: given.models ?? { scripted: {} } })
  const providers = {
    OPENAI_BASE_URL: server.url,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    GOOGLE_GENERATIVE_AI_BASE_URL: `${server.origin}/v1beta`,
    GOOGLE_GENERATIVE_AI_API_KEY: 'k',
    OLLAMA_HOST: server.origin,
    ...given.providers,
  }
  return inspectModels({ models: { light: model, standard: model, deep: model }, providers }, { timeoutMs: 2_000 })
}

test('none is chosen', async () => {
  expect(await found(null)).toMatchObject([{ status: 'warn', mend: 'Set STEWARD_MODEL to <provider>/<model>.' }])
})

test.each(['openai/scripted', 'anthropic/scripted', 'google/scripted', 'ollama/scripted', 'openai-compatible/scripted'])(
  '%s answers',
  async (model) => {
    expect(await found(model)).toEqual([{ name: 'models', status: 'ok', detail: `${model} answers` }])
  },
)

test.each([
  ['openai/gone', /knows no such model/, /Choose another/],
  ['anthropic/gone', /knows no such model/, /Choose another/],
  ['google/gone', /knows no such model/, /Choose another/],
  ['ollama/gone', /gone is not there: it has scripted/, /ollama pull gone/],
  ['openrouter/x', /OPENROUTER_API_KEY is not set/, /Set the key/],
])('%s: what is wrong, and what to do', async (model, detail, mend) => {
  expect(await found(model)).toMatchObject([{ status: 'fail', detail: expect.stringMatching(detail), mend: expect.stringMatching(mend) }])
})

test('Ollama without any model', async () => {
  expect(await found('ollama/llama3.2', { models: {} })).toMatchObject([
    { detail: expect.stringContaining('it has none yet'), mend: expect.stringContaining('ollama pull llama3.2') },
  ])
})

test('nobody listens: where, and how to start it', async () => {
  const gone = await startScriptedModel()
  await gone.close()
  const providers = { OLLAMA_HOST: gone.origin, OPENAI_BASE_URL: gone.url.replace('//', '//me:pass@') }
  const [local] = await found('ollama/a', { providers })
  expect(local).toMatchObject({ detail: expect.stringContaining('ECONNREFUSED'), mend: expect.stringContaining('ollama serve') })
  await server?.close()
  const [finding] = await found('openai/a', { providers })
  expect(finding).toMatchObject({ status: 'fail', detail: expect.stringMatching(/does not answer at http:\/\/\*\*\*@.*ECONNREFUSED/) })
})

test('each model of a chain is looked at once; a wrong setting is named', async () => {
  expect(await found('openai/scripted,ollama/gone')).toMatchObject([{ status: 'ok' }, { status: 'fail' }])
  await server?.close()
  expect(await found('opnai/x')).toMatchObject([{ status: 'fail', detail: expect.stringContaining('there is no provider "opnai"') }])
})
