// EDDI's own agent that makes agents, over the routes of a whole hub: what it makes has tools and a key of its own, deploys, and answers.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { packageRoot } from '../../src/base/root.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { readFolder } from '../../src/pipelines/transfer/folder.ts'
import { writeZip } from '../../src/pipelines/transfer/zip.ts'
import { sharedFolder } from '../shared.ts'
import { type Client, openClient, textsOf } from './eddi-client.ts'
import type { Transcript } from './playing.ts'

let client: Client
let model: ScriptedModel
afterEach(async () => {
  await client?.close()
  await model?.close()
})

const name = 'agent-father-4.0.0'
const root = join(sharedFolder, 'data', 'eddi-agents', name)

describe('agents that EDDI’s agent makes', () => {
  if (!existsSync(root)) {
    process.stderr.write(`ABSENT: ${root} is not there; its agent makes none\n`)
    test(`${ABSENT} the agents of EDDI are not beside this clone`, () => {})
    return
  }

  test('[Y113, Y117, Y186] one with OpenAI, a key and tools is made, deployed, and works out', { timeout: 60_000 }, async () => {
    model = await startScriptedModel()
    client = await openClient([], { STEWARD_MODEL: 'openai-compatible/scripted', OPENAI_BASE_URL: model.url })
    const imported = await client.ask('POST', '/backup/import?strategy=create', await writeZip(await readFolder(root), 0))
    expect(imported.status).toBeLessThan(300)
    const father = new URL(imported.headers.get('location') ?? 'http://nowhere').pathname.split('/').at(-1) ?? ''
    await client.ask('POST', `/administration/production/deploy/${father}?version=1&waitForCompletion=true`)
    const { conversations }: Transcript = JSON.parse(readFileSync(join(packageRoot, 'test', 'data', 'pipelines', `${name}.json`), 'utf8'))
    const interview = await client.start(father)
    for (const { say, state } of conversations[0] ?? [])
      expect([say, (await client.say(interview, say)).json.conversationState]).toEqual([say, state])

    const deployed = await client.ask('GET', '/administration/production/deploymentstatus')
    const made = deployed.json.find((one: { descriptor: { name: string } }) => one.descriptor.name === 'Tide Table')
    expect(made?.status).toBe('READY')
    // The person gave the key to the agent that makes agents: the new one gets it when they say so.
    const { items } = (await client.ask('GET', '/api/secrets')).json
    const key = items.find((one: { name: string }) => one.name.startsWith('pipeline.apikey'))?.name
    const agents = (await client.ask('GET', '/api/agents')).json.items.map((one: { name: string }) => one.name)
    expect(agents).toContain('tide-table')
    expect((await client.ask('PATCH', `/api/secrets/${key}`, { agents: ['tide-table'] })).status).toBe(200)
    const conversation = await client.start(made.agentId)
    model.script({ calls: [{ name: 'calculate', input: { expression: '12.5*2' } }] }, 'Every 25 hours, twice.')
    expect(textsOf(await client.say(conversation, 'how long are two tides?'))).toEqual(['Every 25 hours, twice.'])
    const [first] = model.requests
    expect([first?.headers.authorization, first?.body.model, first?.body['temperature']]).toEqual(['Bearer a key of ours', 'gpt-4o', 0.7])
    expect(first?.body.tools?.map((tool) => tool.function.name)).toContain('calculate')
  })
})
