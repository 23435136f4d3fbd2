// Budgets in the whole hub: the real program, a scripted model with a price.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from '../program.ts'

let place: Place
let model: ScriptedModel
let hub: Hub
beforeAll(async () => {
  model = await startScriptedModel()
  // A model on this machine costs nothing, so its address is written as one that is not known to be here.
  const elsewhere = { OPENAI_BASE_URL: `http://[::ffff:127.0.0.1]:${model.port}/v1`, STEWARD_MODEL: 'openai/gpt-4.1-nano' }
  place = newPlace({ ...modelEnv(model), ...elsewhere })
  hub = await place.start()
})
afterAll(async () => {
  await place.remove()
  await model.close()
})

const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 }
const json = async (args: readonly string[]) => JSON.parse((await place.run([...args, '--json'])).out)

test('[B2, B4] a call is paid by the price table, what was spent outlives a restart, and over the limit nothing is asked', async () => {
  model.script({ text: 'One.', usage })
  expect((await place.run(['ask', '--agent', 'quick', 'first'])).out).toBe('One.\n')
  const { spending } = await json(['budgets'])
  expect(spending).toMatchObject([{ model: 'openai/gpt-4.1-nano', calls: 1, cost: 0.0005 }])
  await json(['budgets', 'set', '0.001 USD a day'])
  await hub.stop()
  hub = await place.start()
  expect((await json(['budgets'])).budgets).toMatchObject([{ id: 'day', spent: 0.0005, limit: 0.001 }])
  const before = model.count
  const refused = await place.run(['ask', '--agent', 'quick', 'second'])
  expect(refused.code).not.toBe(0)
  expect(model.count).toBe(before)
  expect(refused.out + refused.err).toMatch(/0\.001 USD a day/)
  await json(['budgets', 'set', '100 USD a day'])
  model.script({ text: 'Three.', usage })
  expect((await place.run(['ask', '--agent', 'quick', 'third'])).out).toBe('Three.\n')
  expect((await json(['budgets'])).budgets).toMatchObject([{ spent: 0.001 }])
})
