// A hub that goes down in the middle of a pipeline's turn, and a client that sends the same again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, type Site, site } from './calls-stage.ts'
import { type Client, dictionary, openClient, outputs, rules, stepsOf, textsOf } from './eddi-client.ts'

let client: Client
let stub: Site
/** Calls that wait to be answered; null: they are answered at once. */
let held: (() => void)[] | null = []
let heardOf: () => void = () => {}
beforeAll(async () => {
  stub = await site((_, response) => {
    const answer = () => json(response, { ok: true })
    if (held === null) return answer()
    held.push(answer)
    heardOf()
  })
  client = await openClient([stub.origin])
})
afterAll(async () => {
  await client?.close()
  await stub?.close()
})

describe('a hub that stops in the middle of a turn', () => {
  test('[Y94, Y158] the same say, sent again after the restart, is answered when its turn ends; it was one step', async () => {
    const http = await client.make('/httpcallsstore/httpcalls', {
      targetServerUrl: stub.origin,
      httpCalls: [
        { name: 'look', actions: ['go'], saveResponse: true, responseObjectName: 'seen', request: { path: '/look', method: 'get' } },
      ],
    })
    const [parser, behavior, ...rest] = await stepsOf(client, {
      dictionary: dictionary(['go', 'go(now)']),
      rules: rules(['go(*)', 'go']),
      output: outputs(['go', 'Looked: {seen.ok}']),
    })
    const step = {
      type: 'eddi://ai.labs.httpcalls',
      config: { uri: `eddi://ai.labs.httpcalls/httpcallsstore/httpcalls/${http}?version=1` },
    }
    const conversation = await client.start(await client.agent('Looker', [parser, behavior, step, ...rest]))
    const said = () => client.ask('POST', `/agents/${conversation}`, { input: 'go' }, { headers: { 'idempotency-key': 'one' } })
    const called = new Promise<void>((resolve) => {
      heardOf = resolve
    })
    const first = said().catch(() => null)
    await called
    await client.reopen()
    const again = said()
    await first
    for (const answer of held ?? []) answer()
    held = null
    const { status, json: shown } = await again
    expect([status, shown.conversationState]).toEqual([200, 'READY'])
    expect(textsOf(await client.ask('GET', `/agents/${conversation}`))).toEqual(['Looked: true'])
    const whole = await client.ask('GET', `/agents/${conversation}?returnCurrentStepOnly=false`)
    expect(whole.json.conversationOutputs.filter((one: object) => 'input' in one).length).toBe(1)
  })
})
