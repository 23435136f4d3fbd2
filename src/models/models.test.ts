import { expect, test } from 'vitest'
import { InvalidInput } from '../base/errors.ts'
import { handClock } from '../base/testing.ts'
import { chooseModels, noModel } from './choice.ts'
import { openModels } from './models.ts'

const of = (model: string | null, providers: Record<string, string> = {}) => ({
  models: { light: model, standard: model, deep: model },
  providers,
})

test('[M2] with no model the answer is one sentence and how to add one', async () => {
  const models = openModels(of(null), { clock: handClock() })
  const reply = await models.stream(
    { tier: 'standard', messages: [], tools: [] },
    { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
  )
  expect(reply).toEqual({ ok: false, code: 'no_model', message: noModel })
  expect(noModel).toContain('STEWARD_MODEL')
})

test('[M2] a provider without its key starts, and says what is missing when asked', () => {
  const models = openModels(of('openai/gpt-5-mini'), { clock: handClock() })
  const [light] = models.list().tiers
  expect(light?.chain[0]).toMatchObject({
    model: 'openai/gpt-5-mini',
    why: 'The model provider "openai" is chosen, but OPENAI_API_KEY is not set. Set it and start Steward again, or keep the key in the secret store as openai-api-key.',
  })
})

test.each([
  [
    'gpt-5',
    'STEWARD_MODEL is "gpt-5"; allowed is <provider>/<model> with one of the providers openai, anthropic, google, openrouter, ollama, openai-compatible',
  ],
  ['opnai/gpt-5', 'there is no provider "opnai"; allowed is'],
  ['openai/', 'the model\'s name is missing behind "openai/"'],
  ['openai/gpt 5', "a model's name has no spaces"],
  ['ollama/a,ollama/a', 'names ollama/a twice'],
])('[M7] %s is refused with what is allowed', (value, words) => {
  expect(() => chooseModels(of(value))).toThrow(InvalidInput)
  expect(() => chooseModels(of(value))).toThrow(words)
})

test('[M7] the setting of one tier is named, an address without its password', () => {
  const settings = { models: { light: 'openai/a', standard: 'openai/a', deep: 'nope' }, providers: {} }
  expect(() => chooseModels(settings)).toThrow('STEWARD_MODEL_DEEP is "nope"')
  const given = of('openai-compatible/a', { OPENAI_BASE_URL: 'ftp://me:secret@host/v1' })
  expect(() => chooseModels(given)).toThrow('OPENAI_BASE_URL is "ftp://***@host/v1"; allowed is an http:// or https:// address')
})

test.each([
  ['openai/gpt-5-mini', {}, 'https://api.openai.com/v1'],
  ['openai/x', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/' }, 'http://127.0.0.1:9/v1'],
  ['openrouter/anthropic/claude', {}, 'https://openrouter.ai/api/v1'],
  ['ollama/llama3.2', {}, 'http://127.0.0.1:11434'],
  ['ollama/llama3.2', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434'],
  ['ollama/llama3.2', { OLLAMA_HOST: 'box:8000' }, 'http://box:8000'],
  ['ollama/llama3.2', { OLLAMA_HOST: 'https://box/v1' }, 'https://box'],
])('%s with %o is called at %s', (value, providers, address) => {
  expect(chooseModels(of(value, providers)).deep[0]?.baseUrl).toBe(address)
})

test('a model name may have slashes of its own', () => {
  expect(chooseModels(of('openrouter/meta/llama/3')).deep[0]?.model).toBe('meta/llama/3')
})

test('providers that are set up are offered, not chosen', () => {
  const models = openModels(of(null, { OPENAI_API_KEY: 'k', OLLAMA_HOST: 'x' }), { clock: handClock() })
  expect(models.offered).toEqual(['openai', 'ollama'])
  expect(models.modelOf('deep')).toBeNull()
})
