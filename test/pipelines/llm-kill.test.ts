// The real program, killed hard in the middle of a tool loop.
import { afterEach, expect, test } from 'vitest'
import { hold, type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from '../program.ts'
import { json, type Site, site } from './calls-stage.ts'

let place: Place
let model: ScriptedModel
let shop: Site
afterEach(async () => {
  await place?.remove()
  await model?.close()
  await shop?.close()
})

async function loggedIn({ address, code }: Hub) {
  const headers = { 'content-type': 'application/json' }
  const login = await fetch(`${address}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code }) })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async (method: string, path: string, body?: unknown) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${address}${path}`, { method, headers: { ...headers, cookie }, ...given })
    return { location: response.headers.get('location') ?? '', text: await response.text() }
  }
}

async function killed(hub: Hub): Promise<void> {
  hub.child.kill('SIGKILL')
  await hub.ended
}

test('[Y120] killed between a tool and the answer, it goes on after the restart: the tool ran once, the answer is one', {
  timeout: 120_000,
}, async () => {
  model = await startScriptedModel()
  shop = await site((_, response) => json(response, { ordered: true }))
  place = newPlace(modelEnv(model))
  const first = await place.start()
  await (await loggedIn(first))('PUT', '/api/settings/web.exempt', { value: [shop.origin] })
  await killed(first)

  const second = await place.start()
  const ask = await loggedIn(second)
  const condition = { type: 'negation', conditions: [{ type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }] }
  const set = { behaviorGroups: [{ rules: [{ name: 'ask', actions: ['think'], conditions: [condition] }] }] }
  const call = { name: 'look', parameters: { what: 'What' }, actions: ['never'], request: { path: '/{what}', method: 'get' } }
  const tasks = [{ actions: ['think'], id: 'chat', type: 'openai', parameters: { addToOutput: 'true' } }]
  const parts = [
    ['ai.labs.rules', '/rulestore/rulesets', set],
    ['ai.labs.httpcalls', '/apicallstore/apicalls', { targetServerUrl: shop.origin, httpCalls: [call] }],
    ['ai.labs.llm', '/llmstore/llms', { tasks }],
  ] as const
  const workflowSteps: object[] = []
  for (const [type, path, value] of parts)
    workflowSteps.push({ type: `eddi://${type}`, config: { uri: (await ask('POST', `/eddi${path}`, value)).location }, extensions: {} })
  const workflow = await ask('POST', '/eddi/workflowstore/workflows', { workflowSteps })
  const agent = await ask('POST', '/eddi/agentstore/agents', { workflows: [workflow.location] })
  const id = /agents\/([^?]+)/.exec(agent.location)?.[1]
  await ask('POST', `/eddi/administration/production/deploy/${id}?version=1&waitForCompletion=true`)
  const started = await ask('POST', `/eddi/agents/${id}/start?environment=production`)
  const conversation = started.location.split('/').at(-1)

  const waiting = hold()
  model.script({ calls: [{ name: 'look', input: { what: 'tea' } }] }, { text: ['half an ans', waiting] })
  const lost = ask('POST', `/eddi/agents/${conversation}`, { input: 'look for tea' }).catch(() => null)
  await waiting.reached
  model.script('There is tea.')
  await killed(second)
  waiting.release()
  await lost

  const again = await loggedIn(await place.start())
  await expect
    .poll(async () => (await again('GET', `/eddi/agents/${conversation}`)).text, { timeout: 30_000, interval: 100 })
    .toContain('There is tea.')
  expect(shop.asked.map(({ url }) => url)).toEqual(['/tea'])
  expect(model.count).toBe(3)
  const told = (at: number) => JSON.stringify(model.requests[at]?.body.messages)
  expect(told(2)).toBe(told(1))
})
