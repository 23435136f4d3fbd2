// Recorded conversations of EDDI's own tests, through its routes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeShared, sharedFolder } from '../shared.ts'
import { type Answered, type Client, type Found, openClient, stepsOf, textsOf } from './eddi-client.ts'

const folder = join(sharedFolder, 'data/eddi-agents')
const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'))

async function agentOf(client: Client, name: string): Promise<string> {
  const parts = { dictionary: read(`${name}/dictionary.json`), rules: read(`${name}/rules.json`), output: read(`${name}/output.json`) }
  return client.agent(name, await stepsOf(client, parts))
}

describeShared('conversations of EDDI', 'eddi/conversations.json', ({ rows }) => {
  let client: Client
  let agent: string
  beforeAll(async () => {
    client = await openClient()
    agent = await agentOf(client, 'agentengine-it')
  })
  afterAll(() => client?.close())

  test.each(rows.map((row: Found) => [row.id, row]))('[Y158, Y159] %s', async (_, row) => {
    const conversation = await client.start(agent)
    for (const turn of row.turns) {
      const got = turn.start ? await client.ask('GET', `/agents/${conversation}`) : await client.say(conversation, turn.input, turn.context)
      check(turn, got)
    }
  })

  test('[Y161] an agent that asks a supervisor waits, and goes on after the decision', async () => {
    const conversation = await client.start(await agentOf(client, 'hitl-it'))
    const paused = await client.say(conversation, 'delete')
    expect([paused.json.conversationState, paused.json.conversationOutputs[0].actions]).toEqual([
      'AWAITING_HUMAN',
      expect.arrayContaining(['PAUSE_CONVERSATION']),
    ])
    const resumed = await client.ask('POST', `/agents/${conversation}/resume`, { verdict: 'APPROVED' })
    expect([resumed.json.conversationState, textsOf(resumed).length]).toEqual(['READY', 1])
    await client.say(conversation, 'delete')
    const refused = await client.ask('POST', `/agents/${conversation}/resume`, { verdict: 'REJECTED', note: 'no' })
    expect([refused.json.conversationState, textsOf(refused)]).toEqual(['READY', []])
  })
})

function check(turn: Found, { status, json, text }: Answered): void {
  expect(status).toBe(turn.httpStatus ?? 200)
  if (turn.body !== undefined) expect(text).toBe(turn.body)
  if (turn.output !== undefined) expect(json.conversationOutputs.at(-1).output.map((one: Found) => one.text)).toContain(turn.output)
  for (const action of turn.actionsContains ?? []) expect(json.conversationOutputs.at(-1).actions).toContain(action)
  if (turn.state !== undefined) expect(json.conversationState).toBe(turn.state)
  if (turn.ends) expect(json.conversationState).toBe('ENDED')
  if (turn.undoAvailable !== undefined) expect([json.undoAvailable, json.redoAvailable]).toEqual([turn.undoAvailable, turn.redoAvailable])
  for (const [name, value] of Object.entries(turn.properties ?? {})) expect(json.conversationProperties[name].valueString).toBe(value)
}
