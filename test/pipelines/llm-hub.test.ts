// The model task in a whole hub, over EDDI's routes: real policy, real tools, a scripted model behind HTTP.
import { afterEach, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { json, type Site, site } from './calls-stage.ts'
import { type Client, openClient, rules, textsOf } from './eddi-client.ts'

let client: Client
let model: ScriptedModel
let shop: Site
afterEach(async () => {
  await client?.close()
  await model?.close()
  await shop?.close()
})

async function begin(): Promise<void> {
  model = await startScriptedModel()
  shop = await site((_, response) => json(response, { price: 12 }))
  client = await openClient([shop.origin], { STEWARD_MODEL: 'openai-compatible/scripted', OPENAI_BASE_URL: model.url })
}

async function agent(task: object, more: object = {}): Promise<string> {
  const set = rules(['unknown(*)', 'think'])
  const parser = { type: 'eddi://ai.labs.parser', config: {}, extensions: {} }
  const call = (name: string, method: string) => ({
    ...{ name, description: name, parameters: { what: 'What' }, actions: ['never'] },
    request: { path: '/{what}', method, contentType: 'application/json', body: method === 'get' ? '' : '{"what":"{what}"}' },
  })
  const calls = { targetServerUrl: shop.origin, httpCalls: [call('price', 'get'), call('order', 'post')] }
  const step = async (type: string, path: string, plural: string, value: object) => {
    const id = await client.make(`/${path}/${plural}`, value)
    return { type: `eddi://${type}`, config: { uri: `eddi://${type}/${path}/${plural}/${id}?version=1` }, extensions: {} }
  }
  return client.agent(
    'Seller',
    [
      parser,
      await step('ai.labs.rules', 'rulestore', 'rulesets', set),
      await step('ai.labs.httpcalls', 'apicallstore', 'apicalls', calls),
      await step('ai.labs.llm', 'llmstore', 'llms', {
        tasks: [{ actions: ['think'], id: 'sell', type: 'openai', parameters: { addToOutput: 'true' }, ...task }],
      }),
    ],
    more,
  )
}

test('[Y117, Y118] an agent with EDDI’s tools: it works out, reads a price, and orders only after a yes', { timeout: 60_000 }, async () => {
  await begin()
  const id = await agent({ enableBuiltInTools: true, builtInToolsWhitelist: ['calculator', 'websearch', 'datetime'] })
  const conversation = await client.start(id)
  model.script(
    {
      calls: [
        { name: 'price', input: { what: 'tea' } },
        { name: 'calculate', input: { expression: '12*3' } },
      ],
    },
    '36 in all.',
  )
  expect(textsOf(await client.say(conversation, 'three teas?'))).toEqual(['36 in all.'])
  const offered = model.requests[0]?.body.tools?.map((tool) => tool.function.name) ?? []
  expect(offered).toEqual(expect.arrayContaining(['calculate', 'time_now', 'price', 'order']))
  expect(offered).not.toContain('file_read')
  expect(shop.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /tea'])

  model.script({ calls: [{ name: 'order', input: { what: 'tea' } }] }, 'Not ordered.')
  const waiting = await client.say(conversation, 'order it')
  expect(waiting.json.conversationState).toBe('AWAITING_HUMAN')
  await client.ask('POST', `/agents/${conversation}/resume`, { verdict: 'REJECTED' })
  await expect.poll(async () => textsOf(await client.ask('GET', `/agents/${conversation}`))).toContain('Not ordered.')
  expect(shop.asked).toHaveLength(1)
})

test('[Y64, Y70] references that are addresses of stores, as answers to a POST give them, lead to what they name', async () => {
  await begin()
  const posted = async (path: string, value: object) => (await client.ask('POST', path, value)).headers.get('location') ?? ''
  const models = await posted('/llmstore/llms', {
    tasks: [{ actions: ['think'], id: 'sell', type: 'openai', parameters: { addToOutput: 'true' } }],
  })
  const set = await posted('/rulestore/rulesets', rules(['unknown(*)', 'think']))
  expect(models).toMatch(/^https?:/)
  const workflow = await posted('/workflowstore/workflows', {
    workflowSteps: [
      { type: 'eddi://ai.labs.parser', config: {}, extensions: {} },
      { type: 'eddi://ai.labs.rules', config: { uri: set }, extensions: {} },
      { type: 'eddi://ai.labs.llm', config: { uri: models }, extensions: {} },
    ],
  })
  const id = await client.make('/agentstore/agents', { workflows: [workflow] })
  expect((await client.ask('POST', `/administration/production/deploy/${id}?version=1&waitForCompletion=true`)).status).toBe(200)
  model.script('Yes.')
  expect(textsOf(await client.say(await client.start(id), 'are you there?'))).toEqual(['Yes.'])
  const broken = await client.make('/agentstore/agents', { workflows: [workflow.replace(/[0-9a-f]{24}/, 'f'.repeat(24))] })
  const refused = await client.ask('POST', `/administration/production/deploy/${broken}?version=1&waitForCompletion=true`)
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('does not exist')])
})
