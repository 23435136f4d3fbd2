// The stores, deployment, transfer and secrets of EDDI's clients, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, openClient } from './eddi-client.ts'

let client: Client
beforeAll(async () => {
  client = await openClient()
})
afterAll(() => client?.close())

const words = (text: string) => ({
  outputSet: [{ action: 'CONVERSATION_START', outputs: [{ valueAlternatives: [{ type: 'text', text }] }] }],
})
const stepOf = (type: string, uri: string) => ({ type: `eddi://${type}`, config: { uri }, extensions: {} })
const outputStep = (id: string) => stepOf('ai.labs.output', `eddi://ai.labs.output/outputstore/outputsets/${id}?version=1`)
const textsOf = ({ json }: { json: { conversationOutputs?: { output?: { text: string }[] }[] } }) =>
  (json.conversationOutputs ?? []).flatMap(({ output = [] }) => output.map(({ text }) => text))

describe('stores of EDDI clients', () => {
  test('[Y164] the same verbs for every store, in older paths too; a stale version is a conflict, a wrong member a 400', async () => {
    const id = await client.make('/outputstore/outputsets', words('one'))
    expect((await client.ask('GET', `/outputstore/outputsets/${id}?version=1`)).json).toMatchObject(words('one'))
    const put = await client.ask('PUT', `/outputstore/outputsets/${id}?version=1`, words('two'))
    expect([put.status, put.headers.get('location')]).toEqual([200, expect.stringContaining(`${id}?version=2`)])
    expect((await client.ask('PUT', `/outputstore/outputsets/${id}?version=1`, words('three'))).status).toBe(409)
    expect((await client.ask('PUT', `/outputstore/outputsets/${id}?version=2`, { ...words('x'), colour: 1 })).status).toBe(400)
    expect((await client.ask('GET', '/outputstore/outputsets/descriptors?limit=5')).json.length).toBeGreaterThan(0)
    expect((await client.ask('GET', '/outputstore/outputsets/jsonSchema')).status).toBe(200)
    const rules = await client.make('/behaviorstore/behaviorsets', { behaviorGroups: [] })
    expect((await client.ask('GET', `/rulestore/rulesets/${rules}?version=1`)).status).toBe(200)
    expect((await client.ask('DELETE', `/outputstore/outputsets/${id}?version=2`)).status).toBeLessThan(300)
    expect((await client.ask('GET', `/outputstore/outputsets/${'f'.repeat(24)}?version=1`)).status).toBe(404)
  })

  test('[Y163] what can not run is not deployed, and the status says what is', async () => {
    const workflow = await client.make('/workflowstore/workflows', { workflowSteps: [outputStep('e'.repeat(24))] })
    const uri = `eddi://ai.labs.workflow/workflowstore/workflows/${workflow}?version=1`
    const agent = await client.make('/agentstore/agents', { workflows: [uri] })
    const refused = await client.ask('POST', `/administration/production/deploy/${agent}?version=1`)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('does not exist')])
    expect((await client.ask('GET', `/administration/production/deploymentstatus/${agent}?version=1&format=text`)).text).toBe('NOT_FOUND')
    const good = await client.agent('Good', [outputStep(await client.make('/outputstore/outputsets', words('hi')))])
    expect((await client.ask('GET', `/administration/production/deploymentstatus/${good}?version=1&format=text`)).text).toBe('READY')
  })

  test('[Y166] an agent is exported, previewed and imported again', async () => {
    const agent = await client.agent('Traveller', [outputStep(await client.make('/outputstore/outputsets', words('from afar')))])
    const exported = await client.ask('POST', `/backup/export/${agent}?agentVersion=1`)
    const file = new URL(exported.headers.get('location') ?? '').pathname.replace('/eddi', '')
    const { bytes } = await client.ask('GET', file)
    const preview = await client.ask('POST', '/backup/import/preview?strategy=create', bytes)
    expect([preview.status, preview.text]).toEqual([200, expect.stringContaining('CREATE')])
    expect((await client.ask('POST', '/backup/import?strategy=create', bytes)).status).toBeLessThan(300)
    expect((await client.ask('POST', '/backup/import?strategy=create', new TextEncoder().encode('no zip'))).status).toBe(400)
  })

  test('[Y167] an agent is set up in one call, and its key stands nowhere', async () => {
    const key = 'sk-setup-0123456789abcdefghij'
    const given = { agentName: 'Helper', systemPrompt: 'You help.', provider: 'openai', model: 'gpt-5-mini', apiKey: key, deploy: false }
    const made = await client.ask('POST', '/administration/agents/setup', given)
    expect(made.status).toBeLessThan(300)
    const all = await client.ask('GET', '/llmstore/llms/descriptors?limit=5')
    const uri = String(all.json[0]?.resource)
    const stored = await client.ask('GET', `/llmstore/llms/${/llms\/([0-9a-f]+)/.exec(uri)?.[1]}?version=1`)
    expect(stored.text).toContain('{{secret:')
    expect(stored.text).not.toContain(key)
  })

  test('[Y168] of a secret only what is known about it is shown, and what is not offered says so', async () => {
    const put = await client.ask('PUT', '/secretstore/secrets/default/weather', { value: 'a-long-secret-value-42' })
    expect(put.status).toBeLessThan(300)
    const shown = await client.ask('GET', '/secretstore/secrets/default/weather')
    expect([shown.status, shown.text.includes('a-long-secret-value-42')]).toEqual([200, false])
    const none = await client.ask('GET', '/groupstore/groups')
    expect([none.status, none.text]).toEqual([404, expect.stringMatching(/not offered/)])
  })

  test('[Y155, Y156] an agent that calls EDDI reaches the routes of its person in this process, and nothing else', async () => {
    const call = (name: string, method: string, path: string, body = '') => ({
      name,
      actions: ['CONVERSATION_START'],
      saveResponse: true,
      responseObjectName: name,
      request: { path, method, contentType: 'application/json', body },
    })
    const calls = {
      targetServerUrl: 'http://localhost:7070',
      httpCalls: [
        call(
          'made',
          'POST',
          '/outputstore/outputsets',
          JSON.stringify(words('made by an agent')).replaceAll('"', '\\"').replaceAll('\\"', '"'),
        ),
        call('listed', 'GET', '/outputstore/outputsets/descriptors?limit=50'),
        call('secret', 'GET', '/secretstore/secrets/default/weather'),
        call('outside', 'GET', '/../api/tokens'),
      ],
    }
    const id = await client.make('/apicallstore/apicalls', calls)
    const before = (await client.ask('GET', '/outputstore/outputsets/descriptors?limit=0')).json.length
    const said = await client.make('/outputstore/outputsets', words('Done: {listed.size}'))
    const agent = await client.agent('Maker', [
      stepOf('ai.labs.httpcalls', `eddi://ai.labs.httpcalls/apicallstore/apicalls/${id}?version=1`),
      outputStep(said),
      { type: 'eddi://ai.labs.templating', config: {}, extensions: {} },
    ])
    const conversation = await client.start(agent)
    const read = await client.ask('GET', `/agents/${conversation}?returnDetailed=true`)
    expect(textsOf(read)[0]).toMatch(/^Done: \d+$/)
    expect((await client.ask('GET', '/outputstore/outputsets/descriptors?limit=0')).json.length).toBe(before + 2)
    expect(read.text).not.toContain('a-long-secret-value-42')
    expect(JSON.stringify(read.json.conversationOutputs)).toMatch(/httpErrors/)
  })
})
