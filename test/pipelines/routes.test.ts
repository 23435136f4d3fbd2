import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, dictionary, openClient, outputs, rules, stepsOf, textsOf } from './eddi-client.ts'

let client: Client
let greeter: string
beforeAll(async () => {
  client = await openClient()
  const steps = await stepsOf(client, {
    dictionary: dictionary(
      ['hello', 'greeting(hello)'],
      ['bye', 'goodbye(bye)'],
      ['delete', 'remove(all)'],
      ['colour', 'property(colour(red))'],
    ),
    rules: rules(
      ['start', 'welcome'],
      ['greeting(*)', 'greet'],
      ['goodbye(*)', 'farewell', 'CONVERSATION_END'],
      ['remove(*)', 'removed', 'PAUSE_CONVERSATION'],
    ),
    output: outputs(
      ['welcome', 'Welcome!'],
      ['greet', 'Hello {context.userInfo.username}!'],
      ['farewell', 'See you.'],
      ['removed', 'All is gone.'],
    ),
  })
  greeter = await client.agent('Greeter', steps)
})
afterAll(() => client?.close())

const token = async (...scopes: string[]) => {
  const { json } = await client.ask('POST', '/api/tokens', { name: scopes.join(' '), scopes })
  return { headers: { authorization: `Bearer ${json.secret}`, cookie: '' } }
}

describe('conversations of EDDI clients', () => {
  test('[Y157, Y158] a conversation begins with its first step, takes text and JSON, and is read as EDDI shows it', async () => {
    const begun = await client.ask('POST', `/agents/${greeter}/start?environment=unrestricted`)
    expect([begun.status, begun.headers.get('location')]).toEqual([201, expect.stringMatching(/^http:\/\/[^/]+\/eddi\/agents\/ses_\w+$/)])
    const id = begun.json.conversationId
    const first = await client.ask('GET', `/agents/${id}`)
    expect(first.json).toEqual({
      ...{ conversationId: id, agentId: greeter, agentVersion: 1, userId: 'owner', environment: 'production' },
      ...{ conversationState: 'READY', undoAvailable: false, redoAvailable: false, conversationProperties: {} },
      conversationOutputs: [{ actions: ['CONVERSATION_START', 'welcome'], output: [{ type: 'text', text: 'Welcome!' }] }],
      conversationSteps: [
        {
          conversationStep: [
            { key: 'actions', value: ['CONVERSATION_START', 'welcome'], timestamp: null, originWorkflowId: null },
            { key: 'output:text:welcome', value: { type: 'text', text: 'Welcome!' }, timestamp: null, originWorkflowId: null },
          ],
          timestamp: null,
        },
      ],
    })
    expect(textsOf(await client.ask('POST', `/agents/${id}`, 'hello'))).toEqual(['Hello !'])
    const named = await client.say(id, 'hello', { userInfo: { type: 'object', value: { username: 'Ada' } } })
    expect(textsOf(named)).toEqual(['Hello Ada!'])
    expect(named.json.conversationSteps[0].conversationStep.map((one: { key: string }) => one.key)).toEqual([
      'context:userInfo',
      'input:initial',
      'actions',
      'output:text:greet',
    ])
    const some = await client.ask('GET', `/agents/${id}?returnDetailed=true&returnCurrentStepOnly=false&returningFields=conversationSteps`)
    expect([Object.keys(some.json), some.json.conversationSteps.length]).toEqual([['conversationSteps'], 3])
    expect(some.text).toContain('"expressions:parsed"')
    expect((await client.ask('GET', `/agents/${id}/log?outputType=text&logSize=1`)).text).toBe('user: hello\nassistant: Hello Ada!')
    expect((await client.ask('GET', `/agents/${id}/status`)).json).toBe('READY')
  })

  test('[Y157] without a deployed version none begins, and what is no conversation of the caller is none', async () => {
    expect((await client.ask('POST', `/agents/${'0'.repeat(24)}/start`)).status).toBe(404)
    expect((await client.ask('POST', `/agents/${greeter}/start?environment=test`)).status).toBe(404)
    expect((await client.ask('POST', `/agents/${greeter}/start?environment=moon`)).json.detail).toMatch(/production, test/)
    const { json } = await client.ask('POST', '/api/sessions', { agent: 'quick' })
    expect((await client.ask('GET', `/agents/${json.id}`)).status).toBe(404)
    expect((await client.ask('GET', '/agents/ses_00000000000000000000000000')).status).toBe(404)
    expect((await client.ask('GET', '/agents/x', undefined, { headers: { cookie: '' } })).status).toBe(401)
  })

  test('[Y157] a version that is deployed for trying is talked with', async () => {
    await client.ask('POST', `/administration/test/deploy/${greeter}?version=1`)
    const begun = await client.ask('POST', `/agents/${greeter}/start?environment=test`)
    const said = await client.say(begun.json.conversationId, 'hello')
    expect([said.json.environment, textsOf(said)]).toEqual(['test', ['Hello !']])
  })

  test('[Y158] says at once are answered in order, each with its own step; a key makes the second sending none', async () => {
    const id = await client.start(greeter)
    const all = await Promise.all(['hello', 'colour', 'hello', 'colour'].map((word) => client.say(id, word)))
    const inputs = all.map(({ json }) => json.conversationOutputs[0].input)
    expect(inputs).toEqual(expect.arrayContaining(['hello', 'colour']))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(inputs).toEqual(['hello', 'colour', 'hello', 'colour'])
    const keyed = { headers: { 'idempotency-key': 'once' } }
    const first = await client.ask('POST', `/agents/${id}`, { input: 'hello' }, keyed)
    const again = await client.ask('POST', `/agents/${id}`, { input: 'hello' }, keyed)
    expect(again.json).toEqual(first.json)
    const { json } = await client.ask('GET', `/agents/${id}?returnCurrentStepOnly=false`)
    expect(json.conversationSteps.length).toBe(6)
  })

  test('[Y158] undo, redo, rerun and the state', async () => {
    const id = await client.start(greeter)
    expect([(await client.ask('GET', `/agents/${id}/undo`)).json, (await client.ask('POST', `/agents/${id}/undo`)).status]).toEqual([
      false,
      409,
    ])
    await client.say(id, 'colour')
    const undone = await client.ask('POST', `/agents/${id}/undo`)
    expect([undone.json.undoAvailable, undone.json.redoAvailable, undone.json.conversationProperties]).toEqual([false, true, {}])
    const redone = await client.ask('POST', `/agents/${id}/redo`)
    expect(redone.json.conversationProperties.colour).toEqual({ name: 'colour', valueString: 'red', scope: 'conversation' })
    await client.say(id, 'hello')
    expect(textsOf(await client.ask('POST', `/agents/${id}/rerun`))).toEqual(['Hello !'])
    expect((await client.ask('PATCH', `/agents/${id}/state?state=ERROR`)).json.conversationState).toBe('ERROR')
    expect((await client.ask('PATCH', `/agents/${id}/state?state=GONE`)).status).toBe(400)
  })

  test('[Y159] an ended conversation is gone', async () => {
    const id = await client.start(greeter)
    expect((await client.say(id, 'bye')).json.conversationState).toBe('ENDED')
    const gone = await client.say(id, 'bye')
    expect([gone.status, gone.text]).toEqual([410, 'Conversation has ended'])
    const other = await client.start(greeter)
    expect((await client.ask('POST', `/agents/${other}/endConversation`)).json.conversationState).toBe('ENDED')
    expect((await client.ask('POST', `/agents/${other}`, 'hello')).status).toBe(410)
  })

  test('[Y159, Y161] one that waits for a person takes no say; who may decide lets it go on', async () => {
    const id = await client.start(greeter)
    const paused = await client.say(id, 'delete')
    expect([paused.json.conversationState, textsOf(paused)]).toEqual(['AWAITING_HUMAN', []])
    expect((await client.say(id, 'hello')).status).toBe(409)
    const status = (await client.ask('GET', `/agents/${id}/approval-status?detail=true`)).json
    expect(status).toMatchObject({ conversationId: id, conversationState: 'AWAITING_HUMAN', isPending: true, toolCalls: [] })
    expect(
      (await client.ask('GET', '/agents/pending-approvals')).json.map((one: { conversationId: string }) => one.conversationId),
    ).toContain(id)
    const approved = { verdict: 'APPROVED', note: 'so be it' }
    expect((await client.ask('POST', `/agents/${id}/resume`, approved, await token('chat', 'read'))).status).toBe(403)
    expect((await client.ask('POST', `/agents/${id}/resume`, { verdict: 'perhaps' })).status).toBe(400)
    const resumed = await client.ask('POST', `/agents/${id}/resume`, approved)
    expect([resumed.json.conversationState, textsOf(resumed)]).toEqual(['READY', ['All is gone.']])
    expect((await client.ask('POST', `/agents/${id}/resume`, approved)).status).toBe(409)
  })

  test('[Y159] a pause that is cancelled is no step that counts', async () => {
    const id = await client.start(greeter)
    await client.say(id, 'delete')
    expect((await client.ask('POST', `/agents/${id}/cancel`)).json.conversationState).toBe('EXECUTION_INTERRUPTED')
    expect(textsOf(await client.say(id, 'hello'))).toEqual(['Hello !'])
  })

  test('[Y160] a secret that was typed is kept as one, and stands nowhere else', async () => {
    const id = await client.start(greeter)
    const said = await client.say(id, 'open sesame 4711', { secretInput: { type: 'string', value: 'true' } })
    expect(said.text).not.toContain('sesame')
    const { text } = await client.ask('GET', `/api/sessions/${id}/messages`)
    expect(text).toMatch(/\{\{secret:told-[0-9a-f]{12}\}\}/)
    expect(text).not.toContain('sesame')
  })

  test('[Y162] a stream tells the tasks and ends with the conversation', async () => {
    const id = await client.start(greeter)
    const { text, headers } = await client.ask('POST', `/agents/${id}/stream`, { input: 'hello' })
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
    const types = [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type)
    expect([types[0], types[1], types.at(-1)]).toEqual(['task_start', 'task_complete', 'done'])
    expect(text).toContain('"text":"Hello !"')
    const paused = await client.ask('POST', `/agents/${id}/stream`, 'delete')
    expect(paused.text).toContain('event: awaiting_approval')
    expect((await client.ask('POST', `/agents/${id}/stream`, 'hello')).text).toContain('"code":"agent_not_ready"')
    await client.ask('POST', `/agents/${id}/endConversation`)
    expect((await client.ask('POST', `/agents/${id}/stream`, 'hello')).text).toContain('"code":"conversation_ended"')
  })

  test('[Y165] an intent has one conversation for a person, which begins anew when it has ended', async () => {
    const trigger = { intent: 'shop', agentDeployments: [{ environment: 'unrestricted', agentId: greeter }] }
    expect((await client.ask('POST', '/bottriggerstore/bottriggers', trigger)).status).toBe(200)
    expect((await client.ask('POST', '/AgentTriggerStore/agenttriggers', trigger)).status).toBe(409)
    const first = await client.ask('POST', '/agents/managed/shop/bob', 'hello')
    expect(textsOf(first)).toEqual(['Hello !'])
    expect((await client.ask('GET', '/agents/managed/shop/bob')).json.conversationId).toBe(first.json.conversationId)
    expect((await client.ask('GET', '/agents/managed/shop/carol')).json.conversationId).not.toBe(first.json.conversationId)
    expect((await client.ask('POST', '/agents/managed/shop/bob/undo')).status).toBe(200)
    await client.ask('POST', '/agents/managed/shop/bob/endConversation')
    expect((await client.ask('GET', '/agents/managed/shop/bob')).json.conversationId).not.toBe(first.json.conversationId)
    expect((await client.ask('GET', '/agents/managed/none/bob')).status).toBe(404)
  })
})
