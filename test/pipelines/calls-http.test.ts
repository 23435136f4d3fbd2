import { afterEach, describe, expect, it } from 'vitest'
import { httpCallsTask } from '../../src/engines/pipeline/tasks/http-calls.ts'
import type { HttpCall } from '../../src/pipelines/configuration.ts'
import {
  type Handler,
  httpCall,
  httpStep,
  json,
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
  const exempt = options.exempt ?? (URL.canParse(targetServerUrl) ? [new URL(targetServerUrl).origin] : [])
  const stage = await taskOn(httpCallsTask, httpStep({ targetServerUrl, httpCalls: calls }), { ...options, exempt })
  open.push(stage)
  return stage
}

/** A port on which nothing listens. */
async function deadOrigin(): Promise<string> {
  const dead = await site(() => {})
  await dead.close()
  return dead.origin
}

describe('HTTP calls', () => {
  it('[Y96] an answer is there for templates under its name, and as memory.current.httpCalls', async () => {
    const there = await serve((_, response) =>
      json(response, { main: { temp: 21 }, weather: [{ description: 'clear' }] }, 200, { 'x-left': '9' }),
    )
    const call = httpCall({
      responseHeaderObjectName: 'head',
      request: { path: '/data', queryParams: { q: '{properties.city}', units: 'metric' }, headers: { 'x-lang': '{properties.lang}' } },
      postResponse: post({ propertyInstructions: [property({ name: 'temp', fromObjectPath: 'weather.main.temp' })] }),
    })
    const stage = await staged(there.origin, [call], { properties: { city: 'New York & more', lang: 'de' } })
    const after = await stage.say()
    expect(there.asked[0]).toMatchObject({ method: 'GET', url: '/data?q=New%20York%20%26%20more&units=metric' })
    expect(there.asked[0]?.headers['x-lang']).toBe('de')
    expect(after?.objects['weather']).toEqual({ main: { temp: 21 }, weather: [{ description: 'clear' }] })
    expect(after?.step.output['httpCalls']).toMatchObject({ weather: { main: { temp: 21 } }, head: { 'X-Left': '9' } })
    expect(after?.properties['temp']).toBe(21)
  })

  it('[Y96] a call is fired by its actions, each once, and `*` by any', async () => {
    const there = await serve((_, response) => json(response, {}))
    const calls = ['a', 'b', 'c'].map((name) => httpCall({ name, actions: name === 'c' ? ['*'] : [name, 'x'], request: { path: name } }))
    const stage = await staged(there.origin, calls, { actions: ['x', 'a'] })
    await stage.say()
    expect(there.asked.map(({ url }) => url)).toEqual(['/a', '/b', '/c'])
    const silent = await staged(there.origin, calls, { actions: [] })
    await silent.say()
    expect(there.asked).toHaveLength(3)
  })

  it('[Y96] what fails is data: its code chooses what is done, its answer is no response object', async () => {
    const there = await serve((_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' })
      response.end('<h1>gone</h1>')
    })
    const on404 = { httpCodeValidator: { runOnHttpCode: [404], skipOnHttpCode: [] } }
    const propertyInstructions = [
      property({ name: 'good', valueString: 'yes' }),
      property({ name: 'bad', valueString: 'gone: {weather}', ...on404 }),
    ]
    const stage = await staged(there.origin, [httpCall({ postResponse: post({ propertyInstructions }) })])
    const after = await stage.say()
    expect(after?.failed).toBeNull()
    expect(after?.properties).toMatchObject({ bad: 'gone: <h1>gone</h1>' })
    expect(after?.properties['good']).toBeUndefined()
    expect(after?.objects['weather']).toBeUndefined()
    expect(after?.step.output['httpErrors']).toMatchObject({ weather: { httpCode: 404, response: '<h1>gone</h1>' } })
  })

  it('[Y96] no answer ends the turn with a sentence, unless code 0 is handled', async () => {
    const origin = await deadOrigin()
    const stage = await staged(origin, [httpCall()])
    expect((await stage.say())?.failed).toContain('The call "weather" got no answer')
    const on0 = { httpCodeValidator: { runOnHttpCode: [0], skipOnHttpCode: [] } }
    const handled = httpCall({ postResponse: post({ propertyInstructions: [property({ name: 'down', valueString: 'yes', ...on0 })] }) })
    const other = await staged(origin, [handled])
    expect(await other.say()).toMatchObject({ failed: null, properties: { down: 'yes' } })
  })

  it('[Y96] JSON that is none, or is nested without end, stays a text; too much is cut', async () => {
    const there = await serve(({ url }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(url === '/deep' ? '['.repeat(200_000) + ']'.repeat(200_000) : url === '/long' ? `"${'x'.repeat(100_000)}"` : '{"a": ')
    })
    const calls = ['deep', 'long', 'wrong'].map((name) =>
      httpCall({ name, responseObjectName: name, request: { path: name }, ...(name === 'long' ? { maxResponseSizeInBytes: 1000 } : {}) }),
    )
    const after = await (await staged(there.origin, calls)).say()
    expect(typeof after?.objects['deep']).toBe('string')
    expect(String(after?.objects['long'])).toHaveLength(1000)
    expect(after?.objects['wrong']).toBe('{"a": ')
  })

  it('[Y96] outputs and quick replies are built from arrays, filtered, for the codes they are meant for', async () => {
    const list = [
      { n: 'Ann', age: 20 },
      { n: 'Bob', age: 10 },
      { n: '"Eve', age: 40 },
    ]
    const there = await serve((_, response) => json(response, { list }))
    const each = { pathToTargetArray: 'weather.list', iterationObjectName: 'one', templateFilterExpression: 'one.age > 15' }
    const alone = { pathToTargetArray: '', iterationObjectName: '', templateFilterExpression: '' }
    const on500 = { httpCodeValidator: { runOnHttpCode: [500], skipOnHttpCode: [] } }
    const postResponse = post({
      outputBuildInstructions: [
        { ...each, outputType: 'text', outputValue: 'Hi {one.n}' },
        { ...alone, ...on500, outputType: 'text', outputValue: 'never' },
      ],
      qrBuildInstructions: [
        { ...each, templateFilterExpression: '', quickReplyValue: '{one.n}', quickReplyExpressions: 'pick({one.age})' },
      ],
    })
    const after = await (await staged(there.origin, [httpCall({ postResponse })])).say()
    expect(after?.step.output['output']).toEqual([
      { type: 'text', text: 'Hi Ann' },
      { type: 'text', text: 'Hi "Eve' },
    ])
    expect(after?.step.output['quickReplies']).toMatchObject([
      { value: 'Ann', expressions: 'pick(20)' },
      { value: 'Bob', expressions: 'pick(10)' },
      { value: '"Eve', expressions: 'pick(40)' },
    ])
    expect(after?.objects['one']).toBeUndefined()
  })
})

describe('requests', () => {
  it('[Y91] values are filled into JSON as values: quotes end nothing and add nothing', async () => {
    const there = await serve((_, response) => json(response, {}))
    const body = '{"name": "{properties.name}", "n": 1}'
    const call = httpCall({ request: { method: 'post', contentType: 'application/json', body } })
    for (const name of ['plain', 'x", "admin": true, "y": "', 'two\nlines "quoted"', 'already \\" escaped']) {
      await (await staged(there.origin, [call], { properties: { name } })).say()
    }
    expect(there.asked.map((one) => JSON.parse(one.body))).toEqual([
      { name: 'plain', n: 1 },
      { name: 'x", "admin": true, "y": "', n: 1 },
      { name: 'two\nlines "quoted"', n: 1 },
      { name: 'already " escaped', n: 1 },
    ])
    expect(there.asked[0]?.body).toBe('{"name": "plain", "n": 1}')
  })

  it.each([
    ['a line break in a header', { headers: { 'x-a': 'a{properties.v}' } }, 'a\r\nx-evil: 1', 'one line'],
    ['a way up the path', { path: '/files/{properties.v}' }, '../../admin', '".."'],
    ['a way up, encoded', { path: '/files/{properties.v}' }, '%2e%2e/admin', '".."'],
    ['a method that is none', { method: '{properties.v}' }, 'BREW', 'no method'],
    ['a header of the connection', { headers: { '{properties.v}': 'x' } }, 'Host', 'belongs to the connection'],
  ])('[Y91] nothing leaves its place: %s', async (_, request, v, why) => {
    const there = await serve((_asked, response) => json(response, {}))
    const after = await (await staged(there.origin, [httpCall({ request })], { properties: { v } })).say()
    expect(after?.failed).toContain(why)
    expect(there.asked).toHaveLength(0)
  })

  it('[Y91] an absolute path replaces the server; signs that no path holds are encoded', async () => {
    const there = await serve((_, response) => json(response, {}))
    const call = httpCall({ request: { path: `${there.origin}/a b/ü` } })
    await (await staged('http://other.example', [call], { exempt: [there.origin] })).say()
    expect(there.asked[0]?.url).toBe('/a%20b/%C3%BC')
  })

  it('[Y92] a secret is in the request and nowhere else', async () => {
    const there = await serve((asked, response) => json(response, { echo: asked.url, key: asked.headers['x-key'] ?? '' }))
    const vault = (name: string) => `\${${name}}`
    for (const one of [vault('vault:api-key'), vault('eddivault:default/api-key'), '{{secret:api-key}}']) {
      const request = {
        method: 'post',
        headers: { 'X-Key': one },
        queryParams: { k: one },
        contentType: 'application/json',
        body: `{"k": "${one}"}`,
      }
      const stage = await staged(there.origin, [httpCall({ request })], { secrets: { 'api-key': 'va"lue+1' } })
      const after = await stage.say()
      const asked = there.asked.at(-1)
      expect(asked?.headers['x-key']).toBe('va"lue+1')
      expect(asked?.url).toBe('/?k=va%22lue%2B1')
      expect(JSON.parse(asked?.body ?? '')).toEqual({ k: 'va"lue+1' })
      expect(JSON.stringify(after)).not.toContain('lue+1')
      expect(JSON.stringify(await stage.heart().events())).not.toContain('lue+1')
    }
  })

  it('[Y92] over http a secret goes only to what the person configured', async () => {
    const call = httpCall({ request: { headers: { 'X-Key': '{{secret:api-key}}' } } })
    const options = { exempt: [], secrets: { 'api-key': 'v' }, lookup: async () => ['93.184.216.34'] }
    const stage = await staged('http://example.com', [call], options)
    expect((await stage.say())?.failed).toContain('over https only')
  })
})

describe('the guard', () => {
  it.each([
    'http://127.0.0.1:9/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:9/',
    'http://10.0.0.1/',
    'http://localhost:7070/x',
    'http://0x7f000001/',
  ])('[Y92] nothing is sent to %s', async (url) => {
    const after = await (await staged(url, [httpCall()], { exempt: [] })).say()
    expect(after?.failed).toContain('got no answer')
  })

  it('[Y92] a redirect into a private network or to another site is not followed', async () => {
    const inner = await serve((_, response) => json(response, { secret: true }))
    const there = await serve(({ url }, response) => {
      const location = url === '/inner' ? `${inner.origin}/x` : url === '/site' ? 'https://elsewhere.example/' : '/end'
      if (url === '/end') return json(response, { at: 'end' })
      response.writeHead(302, { location })
      return response.end()
    })
    for (const path of ['/inner', '/site']) {
      const after = await (await staged(there.origin, [httpCall({ request: { path } })])).say()
      expect(after?.failed).toContain('got no answer')
    }
    expect(inner.asked).toHaveLength(0)
    const after = await (await staged(there.origin, [httpCall({ request: { path: '/own' } })])).say()
    expect(after?.objects['weather']).toEqual({ at: 'end' })
  })

  it('[Y92] a name that leads to a closed address is refused, whatever it is called', async () => {
    const stage = await staged('http://good.example', [httpCall()], { exempt: [], lookup: async () => ['192.168.1.1'] })
    expect((await stage.say())?.failed).toContain('a private network')
  })
})

describe('calls to EDDI itself', () => {
  it('[Y93] they are made in this process, with the rights of the person, and references stay references', async () => {
    const calls: unknown[] = []
    const own: NonNullable<StageOptions['own']> = {
      isOwn: (url) => url.startsWith('http://localhost:7070/'),
      async call(request, { user }) {
        calls.push({ ...request, user })
        return { status: 201, headers: { Location: 'eddi://x' }, body: '' }
      },
    }
    const body = `{"k": "${'$'}{vault:x}"}`
    const request = { path: '/agentstore/agents', queryParams: { version: '1' }, method: 'post', contentType: 'application/json', body }
    const call = httpCall({ responseHeaderObjectName: 'head', request })
    const stage = await staged('http://localhost:7070', [call], { own, exempt: [], secrets: { x: 'hidden' } })
    const after = await stage.say()
    const headers = { 'content-type': 'application/json' }
    expect(calls).toEqual([{ method: 'POST', path: '/agentstore/agents?version=1', headers, body: '{"k": "{{secret:x}}"}', user: 'ada' }])
    expect(after?.objects['head']).toMatchObject({ location: 'eddi://x', Location: 'eddi://x' })
    expect(stage.plans[0]).toMatchObject({ target: 'eddi:/agentstore/agents', outward: false })
  })
})

describe('batches and calls that nobody waits for', () => {
  const batch = { pathToTargetArray: 'properties.list', iterationObjectName: 'one', templateFilterExpression: 'one.ok' }
  const list = Array.from({ length: 7 }, (_, at) => ({ n: at, ok: at !== 3 }))

  it.each([true, false])('[Y98] one call for each element that passes, in order of the array (sequential: %s)', async (isInOrder) => {
    let [now, most] = [0, 0]
    const there = await serve(async ({ url }, response) => {
      most = Math.max(most, ++now)
      await new Promise((next) => setImmediate(next))
      now--
      json(response, { url })
    })
    const preRequest = pre({ batchRequests: { ...batch, executeCallsSequentially: isInOrder } })
    const call = httpCall({ preRequest, request: { path: '/{one.n}' } })
    const after = await (await staged(there.origin, [call], { properties: { list } })).say()
    expect(after?.objects['weather']).toEqual(['/0', '/1', '/2', '/4', '/5', '/6'].map((url) => ({ url })))
    expect(most).toBeLessThanOrEqual(isInOrder ? 1 : 5)
  })

  it('[Y98] more elements than are allowed are said, and no call is made', async () => {
    const there = await serve((_, response) => json(response, {}))
    const many = { list: Array.from({ length: 101 }, () => ({ ok: true })) }
    const call = httpCall({ preRequest: pre({ batchRequests: { ...batch, executeCallsSequentially: true } }) })
    const after = await (await staged(there.origin, [call], { properties: many })).say()
    expect(after?.failed).toContain('101 elements at once; at most 100')
    expect(there.asked).toHaveLength(0)
  })

  it('[Y97] a failure of what nobody waits for is noted and changes nothing', async () => {
    const dead = await deadOrigin()
    const there = await serve((_, response) => json(response, { fine: true }))
    const calls = [
      httpCall({ name: 'log', fireAndForget: true, request: { path: `${dead}/log`, method: 'post', body: 'x' } }),
      httpCall({ request: { path: '/ok' } }),
    ]
    const stage = await staged(there.origin, calls, { exempt: [there.origin, dead] })
    const after = await stage.say()
    expect(after?.failed).toBeNull()
    expect(after?.objects['weather']).toEqual({ fine: true })
    expect(after?.step.output['httpErrors']).toMatchObject({ log: { httpCode: 0 } })
    expect(await stage.names('step-started')).toEqual(expect.arrayContaining(['workflow 1/step 3/log', 'workflow 1/step 3/weather']))
  })
})
