import { afterEach, describe, expect, it } from 'vitest'
import { httpCallsTask } from '../../src/engines/pipeline/tasks/http-calls.ts'
import { httpCallTools } from '../../src/engines/pipeline/tasks/http-tools.ts'
import { askOf } from '../../src/lanes/testing.ts'
import type { HttpCall } from '../../src/pipelines/configuration.ts'
import type { ToolResult } from '../../src/tools/tool.ts'
import {
  decision,
  type Handler,
  httpCall,
  httpStep,
  json,
  openStage,
  post,
  pre,
  property,
  type Site,
  type Stage,
  type StageOptions,
  site,
  taskOn,
} from './calls-stage.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function serve(handler: Handler): Promise<Site> {
  const one = await site(handler)
  open.push(one)
  return one
}

async function staged(targetServerUrl: string, calls: readonly HttpCall[], options: StageOptions = {}): Promise<Stage> {
  const stage = await taskOn(httpCallsTask, httpStep({ targetServerUrl, httpCalls: calls }), {
    exempt: [new URL(targetServerUrl).origin],
    ...options,
  })
  open.push(stage)
  return stage
}

const retry = (given: object = {}) =>
  post({
    retryApiCallInstruction: {
      ...{ maxRetries: 3, exponentialBackoffDelayInMillis: 1000, retryOnHttpCodes: [502, 503], responseValuePathMatchers: [] },
      ...given,
    },
  })

/** Resolves when the stage waits for a timer of the turn. */
async function timer(stage: Stage, name: string): Promise<void> {
  const set = await stage.heart().until(({ type, data }) => type === 'timer-set' && data['name'] === name)
  await stage.heart().until(({ type, seq }) => type === 'turn-parked' && seq > set.seq)
}

describe('attempts', () => {
  it('[Y95] again after the configured times, twice as long each time, each attempt a step of its own', async () => {
    let left = 2
    const there = await serve((_, response) => json(response, { left }, left-- > 0 ? 503 : 200))
    const stage = await staged(there.origin, [httpCall({ postResponse: retry() })])
    const said = stage.say()
    await timer(stage, 'workflow 1/step 3/weather-wait')
    stage.clock.advance(999)
    expect(there.asked).toHaveLength(1)
    stage.clock.advance(1)
    await timer(stage, 'workflow 1/step 3/weather#2-wait')
    stage.clock.advance(1_999)
    expect(there.asked).toHaveLength(2)
    stage.clock.advance(1)
    expect((await said)?.objects['weather']).toEqual({ left: 0 })
    const steps = (await stage.names('step-started')).filter((name) => String(name).includes('weather'))
    expect(steps).toEqual(['weather', 'weather#2', 'weather#3'].map((name) => `workflow 1/step 3/${name}`))
  })

  it('[Y95] a crash while it waits loses and repeats no attempt', async () => {
    let left = 1
    const there = await serve((_, response) => json(response, { fine: true }, left-- > 0 ? 503 : 200))
    const stage = await staged(there.origin, [httpCall({ request: { method: 'post', body: 'x' }, postResponse: retry() })])
    void stage.heart().say(stage.process, 'go')
    await timer(stage, 'workflow 1/step 3/weather-wait')
    await stage.crash()
    expect(there.asked).toHaveLength(1)
    stage.clock.advance(1_000)
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked).toHaveLength(2)
    expect(stage.results.at(-1)?.objects['weather']).toEqual({ fine: true })
  })

  it('[Y95] Retry-After counts, within the ceiling; when all failed the last answer is data', async () => {
    const there = await serve((_, response) => json(response, { slow: true }, 429, { 'retry-after': '7' }))
    const stage = await staged(there.origin, [
      httpCall({ postResponse: retry({ maxRetries: 2, retryOnHttpCodes: [429], maxBackoffDelayInMillis: 5_000 }) }),
    ])
    const said = stage.say()
    for (const name of ['weather-wait', 'weather#2-wait']) {
      await timer(stage, `workflow 1/step 3/${name}`)
      stage.clock.advance(5_000)
    }
    const after = await said
    expect(there.asked).toHaveLength(3)
    expect(after?.step.output['httpErrors']).toMatchObject({ weather: { httpCode: 429, response: { slow: true } } })
  })

  it('[Y95] a value that is not there yet is waited for; what never comes is a validation error', async () => {
    let state = 0
    const there = await serve((_, response) => json(response, { state: state++ < 1 ? 'pending' : 'done' }))
    const matchers = [{ valuePath: 'weather.state', equals: 'done', trueIfNoMatch: true }]
    const invalid = property({
      name: 'late',
      valueString: 'yes',
      runOnValidationError: true,
      httpCodeValidator: { runOnHttpCode: [], skipOnHttpCode: [] },
    })
    const configured = { ...retry({ responseValuePathMatchers: matchers, maxRetries: 1 }), propertyInstructions: [invalid] }
    const stage = await staged(there.origin, [httpCall({ postResponse: configured })])
    const said = stage.say()
    await timer(stage, 'workflow 1/step 3/weather-wait')
    stage.clock.advance(1_000)
    expect(await said).toMatchObject({ objects: { weather: { state: 'done' } }, properties: {} })
    state = -5
    const again = await staged(there.origin, [httpCall({ postResponse: configured })])
    const late = again.say()
    await timer(again, 'workflow 1/step 3/weather-wait')
    again.clock.advance(1_000)
    expect((await late)?.properties['late']).toBe('yes')
  })

  it('[Y95] a delay before the call is a timer of the turn', async () => {
    const there = await serve((_, response) => json(response, {}))
    const stage = await staged(there.origin, [httpCall({ preRequest: pre({ delayBeforeExecutingInMillis: 90_000 }) })])
    void stage.heart().say(stage.process, 'go')
    await timer(stage, 'workflow 1/step 3/weather-delay')
    await stage.crash()
    stage.clock.advance(89_999)
    expect(there.asked).toHaveLength(0)
    stage.clock.advance(1)
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked).toHaveLength(1)
  })

  it('[Y94] who hangs or drips is given up after the call’s own time', async () => {
    const there = await serve(({ url }, response) => {
      if (url === '/hang') return
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{')
    })
    for (const path of ['/hang', '/drip']) {
      const stage = await staged(there.origin, [httpCall({ timeoutInMillis: 2_000, request: { path } })])
      const said = stage.say()
      while (there.asked.at(-1)?.url !== path) await new Promise((next) => setImmediate(next))
      stage.clock.advance(2_000)
      expect((await said)?.failed).toContain('did not answer within 2 seconds')
    }
  })

  it('[Y94] a call that changes something and whose end nobody knows is asked about, not made again', async () => {
    const there = await serve((_, response) => response.destroy())
    const stage = await staged(there.origin, [httpCall({ request: { method: 'post', body: 'order' } })])
    void stage.heart().say(stage.process, 'go')
    const asked = await stage.heart().until(({ type, data }) => type === 'question-asked' && data['ask'] !== null)
    expect(String(asked.data['text'])).toContain(`POST ${there.origin}`)
    await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { option: 'Yes, it happened' } })
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked).toHaveLength(1)
    expect(stage.results.at(-1)).toMatchObject({ failed: null, step: { output: { httpErrors: { weather: { code: 'assumed' } } } } })
  })

  it('[Y94] a reset of what only reads is no answer', async () => {
    const there = await serve((_, response) => response.destroy())
    const stage = await staged(there.origin, [httpCall()])
    expect((await stage.say())?.failed).toContain('could not be reached')
  })
})

describe('policy', () => {
  const ask =
    (level: string): NonNullable<StageOptions['decide']> =>
    (plan) =>
      decision(plan, { effect: 'ask', rule: { id: 'r', level, text: 'x' } })

  it('[Y90] a fixed address asks nobody, whatever the mode says; a denial holds', async () => {
    const there = await serve((_, response) => json(response, {}))
    const call = httpCall({ request: { method: 'delete', path: '/x/{properties.id}' } })
    const free = await staged(there.origin, [call], { decide: ask('preset'), properties: { id: '7' } })
    expect((await free.say())?.failed).toBeNull()
    expect(free.plans[0]).toMatchObject({
      tool: 'http_call',
      capability: 'web.send',
      target: `${there.origin}/x/7`,
      risk: 'R3',
      outward: true,
    })
    const denied = await staged(there.origin, [call], { decide: 'deny' })
    expect((await denied.say())?.failed).toContain('test.rule')
    expect(there.asked).toHaveLength(1)
  })

  it.each([
    ['a rule that a person wrote asks', { targetServer: 'fixed', level: 'project' }],
    ['a host that a property decides', { targetServer: '{properties.server}', level: 'preset' }],
  ])('[Y90] it is asked about: %s', async (_, { targetServer, level }) => {
    const there = await serve((_asked, response) => json(response, { fine: true }))
    const stage = await taskOn(
      httpCallsTask,
      httpStep({
        targetServerUrl: targetServer === 'fixed' ? there.origin : targetServer,
        httpCalls: [httpCall({ request: { method: 'post', body: 'x' } })],
      }),
      { exempt: [there.origin], decide: ask(level), properties: { server: there.origin } },
    )
    open.push(stage)
    void stage.heart().say(stage.process, 'go')
    const asked = await stage.heart().until(({ type, data }) => type === 'approval-requested' && data['ask'] !== null)
    expect(there.asked).toHaveLength(0)
    await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { decision: 'allow', scope: 'once' } })
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked).toHaveLength(1)
    expect(stage.results.at(-1)?.objects['weather']).toEqual({ fine: true })
  })

  it('[Y92] a key that stands in a property is in no question and in no record', async () => {
    const there = await serve((_, response) => json(response, {}, 200, { 'set-cookie': 'session=abc987' }))
    const request = { method: 'post', body: 'x', headers: { Authorization: 'Bearer {properties.key}' } }
    const call = httpCall({ responseHeaderObjectName: 'head', request })
    const stage = await staged(there.origin, [call], { decide: ask('project'), properties: { key: 'k-777-plain' } })
    void stage.heart().say(stage.process, 'go')
    const asked = await stage.heart().until(({ type }) => type === 'approval-requested')
    await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { decision: 'allow', scope: 'once' } })
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked[0]?.headers['authorization']).toBe('Bearer k-777-plain')
    const events = JSON.stringify(await stage.heart().events())
    expect(events).not.toContain('k-777')
    expect(events).not.toContain('abc987')
  })

  it('[Y90] a template that makes another host of a fixed one is asked about', async () => {
    const call = httpCall({ request: { path: '{properties.p}', method: 'post', body: 'x' } })
    const given = { exempt: [], decide: ask('preset'), properties: { p: 'http://evil.example/x' }, lookup: async () => ['93.184.216.34'] }
    const stage = await staged('https://good.example', [call], given)
    void stage.heart().say(stage.process, 'go')
    const asked = await stage.heart().until(({ type, data }) => type === 'approval-requested' && data['ask'] !== null)
    await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { decision: 'deny', scope: 'once' } })
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(stage.results.at(-1)?.failed).toContain('denied by the person')
  })

  it('[Y90] in a local-only project only what the person configured is reached; a narrower pledge holds', async () => {
    const there = await serve((_, response) => json(response, {}))
    const given = { exempt: [], lookup: async () => ['93.184.216.34'], localOnly: true }
    const stage = await staged('https://good.example', [httpCall()], given)
    expect((await stage.say())?.failed).toContain('stay on this machine')
    const narrow = await staged(there.origin, [httpCall()], { params: { pledge: ['fs.read'] } })
    expect((await narrow.say())?.failed).toContain('web.read')
    expect(there.asked).toHaveLength(0)
  })
})

describe('HTTP calls as tools', () => {
  async function asTool(
    origin: string,
    call: HttpCall,
    options: StageOptions = {},
  ): Promise<{ readonly stage: Stage; readonly told: ToolResult[] }> {
    const told: ToolResult[] = []
    const stage = await openStage(
      async (rooms, scene) => {
        const [tool] = httpCallTools(rooms, scene, { at: 'workflow 1/step 4', calls: { targetServerUrl: origin, httpCalls: [call] } })
        expect(tool).toMatchObject({ name: 'find_it', schema: { type: 'object', required: ['what'], additionalProperties: false } })
        if (tool) told.push(...(await Promise.all([tool.run({ what: 'a b' }), tool.run({ what: 'c' })])))
      },
      { exempt: [origin], ...options },
    )
    open.push(stage)
    return { stage, told }
  }

  it('[Y99] what the model gives fills the templates; the answer is content between marks', async () => {
    const there = await serve(({ url }, response) => json(response, { url }))
    const call = httpCall({
      name: 'find it',
      parameters: { what: 'words' },
      actions: [],
      request: { path: '/s', queryParams: { q: '{what}' } },
    })
    const { stage, told } = await asTool(there.origin, call)
    const after = await stage.say()
    expect(there.asked.map(({ url }) => url)).toEqual(['/s?q=a%20b', '/s?q=c'])
    expect(told[0]).toMatchObject({ ok: true, taint: 'foreign' })
    expect(told[0]?.text).toContain('From outside')
    expect(after?.objects['what']).toBeUndefined()
    expect(await stage.names('step-started')).toEqual(['workflow 1/step 4/find it', 'workflow 1/step 4/find it~2'])
  })

  it('[Y99] a call that a model chose and that is no GET is asked about', async () => {
    const there = await serve((_, response) => json(response, {}))
    const call = httpCall({ name: 'find it', parameters: { what: 'words' }, actions: [], request: { method: 'post', body: '{what}' } })
    const decide: NonNullable<StageOptions['decide']> = (plan) => decision(plan, { effect: 'ask' })
    const { stage, told } = await asTool(there.origin, call, { decide })
    void stage.heart().say(stage.process, 'go')
    for (const step of ['find it', 'find it~2']) {
      const asked = await stage
        .heart()
        .until(({ type, data }) => type === 'approval-requested' && data['name'] === `approve-workflow 1/step 4/${step}`)
      await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { decision: 'deny', scope: 'once' } })
    }
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(there.asked).toHaveLength(0)
    expect(told.at(-1)).toMatchObject({ ok: false, code: 'denied' })
  })
})
