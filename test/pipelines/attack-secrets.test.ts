// Secrets that a server gives in the middle of a task, and words of servers that look like templates: the whole program against a stub.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, type Site, site } from './calls-stage.ts'
import { type Client, dictionary, openClient, outputs, rules, stepsOf, textsOf } from './eddi-client.ts'

let client: Client
let stub: Site
let logins = 0
beforeAll(async () => {
  stub = await site(({ url }, response) => {
    if (url === '/login') return json(response, { token: `tok-4711-abc${logins++ || ''}`, note: 'see {properties.token} and {vars.any}' })
    if (url === '/broken') return response.destroy()
    return json(response, { ok: true })
  })
  client = await openClient([stub.origin])
})
afterAll(async () => {
  await client?.close()
  await stub?.close()
})

const secret = { name: 'token', fromObjectPath: 'login.token', scope: 'secret' }
const login = {
  name: 'login',
  actions: ['go'],
  saveResponse: true,
  responseObjectName: 'login',
  request: { path: '/login', method: 'post' },
  postResponse: {
    propertyInstructions: [secret, { name: 'note', fromObjectPath: 'login.note', scope: 'conversation' }],
  },
}
const use = (path: string) => ({
  name: 'use',
  actions: ['go'],
  request: { path, method: 'post', headers: { Authorization: 'Bearer {properties.token}' }, body: '{"note": "{properties.note}"}' },
})

async function agentOf(name: string, ...calls: readonly object[]) {
  const http = await client.make('/httpcallsstore/httpcalls', { targetServerUrl: stub.origin, httpCalls: calls })
  const [parser, behavior, ...rest] = await stepsOf(client, {
    dictionary: dictionary(['go', 'go(now)']),
    rules: rules(['go(*)', 'go']),
    output: outputs(['go', 'Note: {properties.note}']),
  })
  const step = { type: 'eddi://ai.labs.httpcalls', config: { uri: `eddi://ai.labs.httpcalls/httpcallsstore/httpcalls/${http}?version=1` } }
  return client.agent(name, [parser, behavior, step, ...rest])
}

describe('what a server says', () => {
  test('[Y29, Y33] a token that a call brought is used by the next call of the same task; a template in its words stays words', async () => {
    const conversation = await client.start(await agentOf('Login', login, use('/use')))
    const said = await client.say(conversation, 'go')
    const sent = stub.asked.find(({ url }) => url === '/use')
    expect([sent?.headers['authorization'], sent?.body]).toEqual([
      'Bearer tok-4711-abc',
      '{"note": "see {properties.token} and {vars.any}"}',
    ])
    expect(textsOf(said)).toEqual(['Note: see {properties.token} and {vars.any}'])
    expect(said.text).not.toContain('tok-4711-abc')
  })

  test('[Y29, Y130] a task that fails behind a secret has kept it: what refers to it works in the next say', async () => {
    const agent = await agentOf('Broken', login, { ...use(''), request: { path: '/broken', method: 'get' } })
    const conversation = await client.start(agent)
    expect((await client.say(conversation, 'go')).json.conversationState).toBe('ERROR')
    const names = (await client.ask('GET', '/api/secrets')).json.items.map(({ name }: { name: string }) => name)
    expect(names).toContain(`pipeline.token.${conversation.slice(-12).toLowerCase()}`)
  })
})
