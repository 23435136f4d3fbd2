// The life of a conversation when two clients speak at once, requests come twice, and its agent is taken away under it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, dictionary, openClient, outputs, rules, stepsOf, textsOf } from './eddi-client.ts'

let client: Client
let agent: string
beforeAll(async () => {
  client = await openClient()
  const given = { rules: rules(['go(*)', 'go']), output: outputs(['go', 'Heard {memory.current.input}']) }
  const words = Array.from({ length: 20 }, (_, at): readonly [string, string] => [`w${at}`, 'go(now)'])
  agent = await client.agent('Life', await stepsOf(client, { dictionary: dictionary(...words), ...given }))
})
afterAll(() => client?.close())

const inputsOf = async (conversation: string): Promise<readonly string[]> => {
  const { json } = await client.ask('GET', `/agents/${conversation}?returnCurrentStepOnly=false`)
  return json.conversationOutputs.flatMap(({ input }: { input?: string }) => input ?? [])
}

describe('a conversation', () => {
  test('[Y158] two clients at once, over both ways in: each say is one step, and each is answered with its own', async () => {
    const conversation = await client.start(agent)
    const pairs = Array.from({ length: 10 }, (_, at) => at)
    const says = pairs.map((at) => client.say(conversation, `w${at}`))
    await Promise.all(pairs.map((at) => client.ask('POST', `/api/sessions/${conversation}/messages`, { text: `w${10 + at}` })))
    for (const [at, said] of (await Promise.all(says)).entries()) expect(textsOf(said)).toContain(`Heard w${at}`)
    await client.say(conversation, 'last')
    expect(new Set(await inputsOf(conversation))).toEqual(new Set([...pairs.flatMap((at) => [`w${at}`, `w${10 + at}`]), 'last']))
    expect((await inputsOf(conversation)).length).toBe(21)
  })

  test('[Y132] an undo that is sent twice under one key, also over a restart, takes back one step', async () => {
    const conversation = await client.start(agent)
    await client.say(conversation, 'w1')
    const undo = () => client.ask('POST', `/agents/${conversation}/undo`, undefined, { headers: { 'idempotency-key': 'back' } })
    expect((await undo()).status).toBe(200)
    await client.reopen()
    expect([(await undo()).status, await inputsOf(conversation)]).toEqual([200, []])
    expect((await client.ask('POST', `/agents/${conversation}/undo`)).json.code).toBe('no_undo')
  })

  test('[Y62] one call saves a change, carries it up and deploys it again; open conversations keep theirs, a stale one is refused whole', async () => {
    const before = await client.start(agent)
    const steps = JSON.stringify((await client.ask('GET', `/api/pipelines/${agent}`)).json)
    const resource = /eddi:[^"]*\/outputsets\/\w+\?version=1/.exec(steps)?.[0] ?? ''
    const value = outputs(['go', 'Now {memory.current.input}'])
    const change = () => client.ask('POST', `/api/pipelines/${agent}/change`, { changes: [{ resource, value }] })
    const done = await change()
    expect([done.status, done.json.version, done.json.changed.length]).toEqual([200, 2, 3])
    expect(textsOf(await client.say(before, 'w1'))).toEqual(['Heard w1'])
    expect(textsOf(await client.say(await client.start(agent), 'w1'))).toEqual(['Now w1'])
    const stale = await change()
    expect([stale.status, (await client.ask('GET', `/api/pipelines/${agent}`)).json.version]).toEqual([409, 2])
  })

  test('[Y164] a dictionary of a whole language is written by its store', async () => {
    const words = Array.from({ length: 40_000 }, (_, at) => ({ word: `word${at}`, expressions: `word(number${at})`, frequency: 0 }))
    expect((await client.ask('POST', '/dictionarystore/dictionaries', { words })).status).toBe(201)
  })

  test('[Y221] what comes of a say whose agent was removed for good is an error, never the step before', async () => {
    const conversation = await client.start(agent)
    await client.say(conversation, 'w1')
    await client.ask('DELETE', `/agentstore/agents/${agent}?version=2`)
    expect(textsOf(await client.say(conversation, 'w2'))).toEqual(['Now w2'])
    await client.ask('DELETE', `/agentstore/agents/${agent}?version=2&permanent=true`)
    const { status, json } = await client.say(conversation, 'w3')
    expect([status, json.code, json.detail]).toEqual([409, 'turn_failed', expect.stringContaining('there is no version 2 of an agent')])
    expect(await inputsOf(conversation)).toEqual(['w1', 'w2'])
  })
})
