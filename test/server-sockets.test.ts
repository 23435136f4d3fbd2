import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { closeCodes } from '../src/protocol/frames.ts'
import { openHub, type TestHub } from './http-hub.ts'
import { clientOf, connectTo } from './socket-client.ts'

let hub: TestHub
let address: string
let own: Record<string, string>
beforeAll(async () => {
  hub = await openHub()
  address = (await hub.listen()).address
  own = { cookie: hub.cookie, origin: address }
})
afterAll(() => hub.close())

const post = (session: string, body: unknown, headers?: Record<string, string>) =>
  hub.ask('POST', `/api/sessions/${session}/messages`, body, headers)

describe('WebSocket', () => {
  test('[H2] says welcome, makes a session, takes a message, shows it queued and settled with its cursor', async () => {
    const client = await connectTo(address, own, '?profile=mobile')
    const welcome = await client.until((frame) => frame.type === 'welcome')
    expect(welcome.data).toMatchObject({ user: { name: 'ada', role: 'owner' }, tenant: '_tenant', server: { protocol: 1 } })
    const made = await client.ask('session-create', {})
    const session = made.data['id']
    expect(made.data).toMatchObject({ profile: 'mobile', project: '_user_ada' })
    const said = await client.ask('say', { sessionId: session, id: 'a', text: 'hello' })
    expect(said).toMatchObject({ type: 'say', data: { clientId: 'a', duplicate: false } })
    const appended = await client.until((frame) => frame.type === 'chat-message-appended')
    expect(appended).toMatchObject({ session, data: { message: { text: 'hello', status: 'queued', clientId: 'a', id: said.data['id'] } } })
    expect(appended.cursor).toBe(said.data['cursor'])
    const reply = await client.until((frame) => frame.type === 'chat-message-appended' && frame !== appended)
    expect(reply.data).toMatchObject({ message: { role: 'assistant', text: 'echo: hello' } })
    await client.until((frame) => frame.type === 'chat-message-updated' && frame.data['status'] === 'settled')
    const again = await client.ask('say', { sessionId: session, id: 'a', text: 'hello' })
    expect(again.data).toEqual({ ...said.data, duplicate: true })
    client.drop()
  })

  test('[H4] a wrong frame is answered with an error that names the field, and the connection goes on', async () => {
    const client = await connectTo(address, own)
    expect(await client.ask('say', { sessionId: 'x', id: 'a' })).toMatchObject({ type: 'error', data: { status: 400, path: '/data/text' } })
    expect(await client.ask('dance')).toMatchObject({ type: 'error', data: { path: '/type' } })
    expect(await client.ask('session-resume', { sessionId: 'ses_none' })).toMatchObject({ type: 'error', data: { status: 404 } })
    expect(await client.ask('session-resume', {})).toMatchObject({ type: 'error', data: { status: 400, path: '/data/sessionId' } })
    expect(await client.ask('hello', { profile: 'My Phone' })).toMatchObject({
      type: 'error',
      data: { status: 400, path: '/data/profile' },
    })
    client.send('{')
    await client.until((frame) => frame.type === 'error' && frame.replyTo === undefined)
    expect(await client.ask('ping', { at: 5 })).toMatchObject({ type: 'pong', data: { at: 5 } })
    client.drop()
  })

  test('[H7] a resumed session gets everything after the cursor once, in order, then what comes', async () => {
    const session = await hub.session()
    const first = await post(session, { text: 'one' }, { prefer: 'wait=10' })
    for (const text of ['two', 'three']) await post(session, { text }, { prefer: 'wait=10' })
    const all = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500&after=${first.json.cursor}`)).json.items
    const client = await connectTo(address, own)
    const resumed = await client.ask('session-resume', { sessionId: session, after: first.json.cursor })
    expect(resumed.data).toMatchObject({ session: { id: session }, binding: { mine: true } })
    const last = all.at(-1).cursor
    await client.until((frame) => frame.cursor === last)
    await client.ask('say', { sessionId: session, id: 'z', text: 'four' })
    await client.until(
      (frame) =>
        frame.type === 'turn-settled' ||
        (frame.type === 'chat-message-updated' &&
          frame.data['status'] === 'settled' &&
          Number(frame.cursor?.split('.')[1]) > Number(last.split('.')[1])),
    )
    const cursors = client.frames.filter((frame) => frame.cursor && frame.session === session).map((frame) => frame.cursor)
    expect(cursors.slice(0, all.length)).toEqual(all.map((event: { cursor: string }) => event.cursor))
    expect(new Set(cursors).size).toBe(cursors.length)
    client.drop()
  })

  test('[H7] what happens while a session is being resumed comes in its place, not before', async () => {
    const session = await hub.session()
    const first = await post(session, { text: 'one' }, { prefer: 'wait=10' })
    const client = await connectTo(address, own)
    const { connected } = hub.scopes.sessions
    const spy = vi.spyOn(hub.scopes.sessions, 'connected').mockImplementation(async (...given) => {
      await post(session, { text: 'two' }, { prefer: 'wait=10' })
      return connected(...given)
    })
    await client.ask('session-resume', { sessionId: session, after: first.json.cursor })
    spy.mockRestore()
    const all = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500&after=${first.json.cursor}`)).json.items
    await client.until((frame) => frame.cursor === all.at(-1).cursor)
    const cursors = client.frames.filter((frame) => frame.cursor && frame.session === session).map((frame) => frame.cursor)
    expect(cursors).toEqual(all.map((event: { cursor: string }) => event.cursor))
    client.drop()
  })

  test('[H17] more sessions than a connection may hear are refused, and it goes on', async () => {
    const client = await connectTo(address, own)
    const sessions = await Promise.all(Array.from({ length: 65 }, () => hub.session()))
    const resumed = []
    for (const session of sessions) resumed.push(await client.ask('session-resume', { sessionId: session }))
    expect(resumed.slice(0, 64).every((answer) => answer.type === 'session-resume')).toBe(true)
    const refused = { type: 'error', data: { status: 400, detail: expect.stringContaining('at most 64 sessions') } }
    expect(resumed[64]).toMatchObject(refused)
    const before = (await hub.ask('GET', '/api/sessions?limit=500')).json.items.length
    expect(await client.ask('session-create', {})).toMatchObject(refused)
    expect((await hub.ask('GET', '/api/sessions?limit=500')).json.items).toHaveLength(before)
    await client.ask('session-leave', { sessionId: sessions[0] })
    expect(await client.ask('session-resume', { sessionId: sessions[64] })).toMatchObject({ type: 'session-resume' })
    client.drop()
  })

  test('[H15] who comes again in mid-turn gets the text so far, the rest, and the settled event', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const posted = await post(session, { text: 'stream 4' })
    const one = await connectTo(address, own)
    await one.ask('session-resume', { sessionId: session, after: posted.json.cursor })
    await open(2)
    await one.until((frame) => frame.type === 'chat-message-chunk' && String(frame.data['text']).includes('w1'))
    one.drop()
    const two = await connectTo(address, own)
    await two.ask('session-resume', { sessionId: session, after: posted.json.cursor })
    const soFar = await two.until((frame) => frame.type === 'chat-message-chunk')
    expect(soFar.data).toMatchObject({ offset: 0, attempt: 1, text: 'w0 w1 ' })
    await open(2)
    const settled = await two.until((frame) => frame.type === 'chat-message-appended' && JSON.stringify(frame.data).includes('assistant'))
    const words = two.frames.filter((frame) => frame.type === 'chat-message-chunk')
    expect(words.map((frame) => frame.data['text']).join('')).toBe('w0 w1 w2 w3 ')
    expect(settled.data).toMatchObject({ message: { text: 'w0 w1 w2 w3 ' } })
    hub.gate.always = true
    two.drop()
  })

  test('many may watch; one holds the binding, and taking over moves it and says so', async () => {
    const session = await hub.session()
    const [one, two] = await Promise.all([connectTo(address, own), connectTo(address, own)])
    expect((await one.ask('session-resume', { sessionId: session })).data).toMatchObject({ binding: { mine: true } })
    expect((await two.ask('session-resume', { sessionId: session })).data).toMatchObject({ binding: { mine: false } })
    expect((await two.ask('session-resume', { sessionId: session, takeover: true })).data).toMatchObject({ binding: { mine: true } })
    expect(await one.until((frame) => frame.type === 'binding-moved')).toMatchObject({ data: { sessionId: session } })
    one.drop()
    two.drop()
  })

  test("a person's other connections learn of a new title without having resumed the session", async () => {
    const session = await hub.session()
    const client = await connectTo(address, own)
    await client.until((frame) => frame.type === 'welcome')
    await hub.ask('PATCH', `/api/sessions/${session}`, { title: 'Tea' })
    expect(await client.until((frame) => frame.type === 'session-updated' && frame.session === session)).toMatchObject({
      data: { title: 'Tea' },
    })
    client.drop()
  })

  test('stop over the socket ends the turn, and says which', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const client = await connectTo(address, own)
    await client.ask('session-resume', { sessionId: session })
    await client.ask('say', { sessionId: session, id: 'a', text: 'stream 5' })
    await client.until((frame) => frame.type === 'chat-message-updated')
    expect((await client.ask('stop', { sessionId: session })).data).toMatchObject({ outcome: 'done' })
    await client.until((frame) => frame.type === 'chat-message-updated' && frame.data['status'] === 'stopped')
    expect((await client.ask('stop', { sessionId: session })).data).toMatchObject({ outcome: 'nothing', turn: null })
    hub.gate.always = true
    client.drop()
  })

  test('pause lets no further step begin, resume goes on', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const client = await connectTo(address, own)
    await client.ask('session-resume', { sessionId: session })
    await client.ask('say', { sessionId: session, id: 'a', text: 'stream 1' })
    await client.until((frame) => frame.type === 'chat-message-updated')
    expect((await client.ask('pause', { sessionId: session })).data).toMatchObject({ outcome: 'done' })
    expect((await hub.ask('GET', `/api/sessions/${session}`)).json.processStatus).toBe('PAUSED')
    expect((await client.ask('resume', { sessionId: session })).data).toMatchObject({ outcome: 'done' })
    hub.gate.always = true
    await open(1)
    await client.until((frame) => frame.type === 'chat-message-updated' && frame.data['status'] === 'settled')
    client.drop()
  })

  test('[H14] a reader that is too slow is closed with a code to resume by', async () => {
    const small = await openHub({ limits: { readerBytes: 20_000 } })
    const at = (await small.listen()).address
    const client = await connectTo(at, { cookie: small.cookie, origin: at })
    const session = (await client.ask('session-create', {})).data['id']
    client.socket.pause()
    const text = 'x'.repeat(50_000)
    for (let i = 0; i < 200; i++) await small.ask('POST', `/api/sessions/${session}/messages`, { text })
    client.socket.resume()
    expect((await client.closed).code).toBe(closeCodes.slow)
    await small.close()
  })

  test('[H17] a frame over the limit closes the connection with 1009', async () => {
    const client = await connectTo(address, own)
    client.send(`"${'x'.repeat(1_100_000)}"`)
    expect((await client.closed).code).toBe(1009)
  })
})

describe('[H1] upgrades', () => {
  const refused: readonly [string, Record<string, string>, number][] = [
    ['no credential', { origin: 'SELF' }, 401],
    ['a foreign origin', { cookie: 'OWN', origin: 'http://evil.test' }, 403],
    ['the origin null', { cookie: 'OWN', origin: 'null' }, 403],
    ['no origin', { cookie: 'OWN' }, 403],
    ['another port of this machine', { cookie: 'OWN', origin: 'http://127.0.0.1:1' }, 403],
    ['a foreign host', { cookie: 'OWN', host: 'evil.test', origin: 'http://evil.test' }, 403],
  ]
  for (const [what, headers, status] of refused) {
    test(`with ${what}: ${status}`, async () => {
      const given = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('SELF', address).replace('OWN', hub.cookie)]),
      )
      await expect(connectTo(address, given)).rejects.toThrow(`status ${status}`)
    })
  }

  test('[H4] with a profile that can be none: 400', async () => {
    await expect(connectTo(address, own, '?profile=My%20Phone')).rejects.toThrow('status 400')
    const client = await connectTo(address, own, '?profile=my_phone-2&zone=Europe/Berlin')
    expect((await client.ask('hello', {})).data).toEqual({ profile: 'my_phone-2', zone: 'Europe/Berlin' })
    client.drop()
  })

  test('with a token and no origin: it is a program', async () => {
    const made = await hub.ask('POST', '/api/tokens', { name: 't', scopes: ['read'] })
    const client = await connectTo(address, { authorization: `Bearer ${made.json.secret}` })
    expect(await client.ask('session-create', {})).toMatchObject({ type: 'error', data: { status: 403 } })
    client.drop()
  })
})

describe('a credential that ends', () => {
  test('[H8] logging out closes the sockets and streams of that login, and no others', async () => {
    const { code } = await hub.people.newCode('ada')
    const login = await hub.ask('POST', '/api/login', { code }, { cookie: '' })
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const [mine, other] = await Promise.all([connectTo(address, { cookie, origin: address }), connectTo(address, own)])
    const stream = await fetch(`${address}/api/sessions/${await hub.session()}/stream`, { headers: { cookie } })
    await fetch(`${address}/api/logout`, { method: 'POST', headers: { cookie } })
    expect((await mine.closed).code).toBe(closeCodes.loggedOut)
    await stream.text()
    expect((await other.ask('ping')).type).toBe('pong')
    other.drop()
  })

  test('[H12] ending a token closes its sockets', async () => {
    const made = await hub.ask('POST', '/api/tokens', { name: 't', scopes: ['read'] })
    const client = await connectTo(address, { authorization: `Bearer ${made.json.secret}` })
    await fetch(`${address}/api/tokens/${made.json.id}`, { method: 'DELETE', headers: { cookie: hub.cookie } })
    expect((await client.closed).code).toBe(closeCodes.loggedOut)
  })
})

describe('clients that go', () => {
  /** Event streams and waiting calls that the server knows of. */
  async function open(): Promise<string> {
    const text = await (await fetch(`${address}/metrics`, { headers: { cookie: hub.cookie } })).text()
    return ['streams', 'waiting_calls'].map((name) => new RegExp(`^steward_${name} (\\d+)$`, 'm').exec(text)?.[1]).join(' ')
  }

  test('[H11] a stream and a waiting call whose client went are forgotten; HEAD opens none', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const abort = new AbortController()
    const headers = { cookie: hub.cookie, 'content-type': 'application/json', prefer: 'wait=600' }
    await fetch(`${address}/api/sessions/${session}/stream`, { headers, signal: abort.signal })
    const body = '{"text":"stream 1"}'
    const waiting = fetch(`${address}/api/sessions/${session}/messages`, { method: 'POST', headers, body, signal: abort.signal })
    waiting.catch(() => {})
    await until(async () => (await open()) === '1 1')
    abort.abort()
    await until(async () => (await open()) === '0 0')
    expect((await fetch(`${address}/api/sessions/${session}/stream`, { method: 'HEAD', headers })).status).toBe(200)
    expect(await open()).toBe('0 0')
    hub.gate.always = true
    hub.gate.open()
  })

  test('[H11] rubbish on the wire gets a refusal or an end, and the hub goes on', async () => {
    const wild = [
      'GET / HTTP/1.1\r\n\r\n',
      'GET http://evil.test/api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'GET //evil.test/api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'GET /api/%zz%ff%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'GET /api/me HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
      'GET /api/me HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      'BREW /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'GET /api/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'GET /api/socket HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      '\u0000\u0001\u0002\r\n\r\n',
    ]
    for (const text of wild) {
      const answer = await wire(text)
      expect(answer.slice(0, 12)).toMatch(/^(HTTP\/1.1 4\d\d)?$/)
    }
    expect((await fetch(`${address}/health/live`)).status).toBe(200)
  })
})

describe('event stream', () => {
  test('[H7, H15] events have their cursor as id, words have none, and Last-Event-ID goes on', async () => {
    const session = await hub.session()
    const posted = await post(session, { text: 'stream 3' }, { prefer: 'wait=10' })
    const blocks = await readStream(`${address}/api/sessions/${session}/stream`, { 'last-event-id': posted.json.cursor }, (all) =>
      all.some((block) => block.includes('settled')),
    )
    const all = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500&after=${posted.json.cursor}`)).json.items
    const ids = blocks.flatMap((block) => /^id: (.*)$/m.exec(block)?.[1] ?? [])
    expect(ids).toEqual(all.map((event: { cursor: string }) => event.cursor).slice(0, ids.length))
    const data = blocks.find((block) => block.includes('event: chat-message-updated'))?.match(/^data: (.*)$/m)?.[1]
    expect(JSON.parse(data ?? '{}')).toMatchObject({ type: 'chat-message-updated', session })
  })
})

describe('listening', () => {
  test("[H16] the command line's socket has mode 0600, is the owner's, and replaces what a crash left", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-sock-'))
    const path = join(folder, 's')
    const server = await hub.listen({ socketPath: path })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const made = await overSocket(path, 'POST', '/api/codes')
    expect(made).toMatchObject({ address: expect.stringContaining('/#code=') })
    expect(await overSocket(path, 'GET', '/api/me')).toMatchObject({ user: { role: 'owner' }, via: 'socket' })
    await expect(hub.listen({ socketPath: path })).rejects.toMatchObject({ code: 'in_use' })
    const client = await clientOf(new WebSocket(`ws+unix://${path}:/api/socket`))
    await client.until((frame) => frame.type === 'welcome')
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('[H16] a bind beyond this machine is refused without a declared proxy', async () => {
    await expect(hub.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'invalid', path: 'STEWARD_HOST' })
  })

  test('a taken port is named', async () => {
    const port = Number(new URL(address).port)
    await expect(hub.listen({ port })).rejects.toMatchObject({
      code: 'in_use',
      message: `port ${port} on 127.0.0.1 is in use by another program`,
    })
  })

  test('[H18] closing takes less than five seconds with sockets, streams, waiting calls and half requests open', async () => {
    const busy = await openHub()
    const server = await busy.listen()
    const headers = { cookie: busy.cookie, origin: server.address }
    const client = await connectTo(server.address, headers)
    const session = (await client.ask('session-create', {})).data['id']
    busy.gate.always = false
    const waiting = fetch(`${server.address}/api/sessions/${session}/messages`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'wait=600' },
      body: '{"text":"stream 1"}',
    }).catch(() => null)
    const stream = await fetch(`${server.address}/api/sessions/${session}/stream`, { headers })
    const half = connect(Number(new URL(server.address).port), '127.0.0.1')
    half.on('error', () => {})
    half.write('POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    await client.until((frame) => frame.type === 'chat-message-updated')
    const begun = performance.now()
    await server.close()
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect((await client.closed).code).toBe(1001)
    await stream.text().catch(() => '')
    await waiting
    await busy.close()
  })

  test('[H17] the rate of a token is limited, with when to come again', async () => {
    const slow = await openHub({ limits: { tokenRate: 5 } })
    const made = await slow.ask('POST', '/api/tokens', { name: 't', scopes: ['read'] })
    const bearer = { cookie: '', authorization: `Bearer ${made.json.secret}` }
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await slow.ask('GET', '/api/me', undefined, bearer)).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
    const limited = await slow.ask('GET', '/api/me', undefined, bearer)
    expect([limited.status, limited.headers.get('retry-after'), limited.json.code]).toEqual([429, '1', 'too_fast'])
    await slow.close()
  })

  test('[H17] a full mailbox answers 429', async () => {
    const full = await openHub({ limits: { mailbox: 3 } })
    full.gate.always = false
    const session = await full.session()
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push((await full.ask('POST', `/api/sessions/${session}/messages`, { text: 'stream 1' })).status)
    expect(statuses.at(-1)).toBe(429)
    await full.close()
  })

  test('[H4, H21] a bug is a 500 with an id that is in the log, and no stack; no credential is in the log', async () => {
    const broken = await openHub()
    Object.assign(broken.scopes.sessions, { list: () => Promise.reject(new Error('boom at /secret/place')) })
    const asked = await broken.ask('GET', '/api/sessions')
    expect(asked.json).toMatchObject({ status: 500, code: 'internal', id: expect.stringMatching(/^req_/) })
    expect(asked.text).not.toContain('boom')
    expect(broken.lines.find((line) => line.fields['id'] === asked.json.id)).toMatchObject({ level: 'error' })
    expect(JSON.stringify(broken.lines)).not.toContain(broken.cookie.slice(8))
    await broken.close()
  })
})

async function open(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    hub.gate.open()
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** What comes back for those bytes until the end. */
function wire(text: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.end(text)
  return new Promise((resolve) => socket.on('close', () => resolve(answer)))
}

function overSocket(socketPath: string, method: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, headers: { host: 'localhost' } }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(JSON.parse(text))
    })
    asked.on('error', reject).end()
  })
}

async function readStream(url: string, headers: Record<string, string>, enough: (blocks: string[]) => boolean): Promise<string[]> {
  const response = await fetch(url, { headers: { ...headers, cookie: hub.cookie } })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (enough(text.split('\n\n'))) break
  }
  return text.split('\n\n').filter((block) => block.includes('event:'))
}

test('[H11] a request that breaks off in its body is nobody’s fault and no error in the log', async () => {
  const { port } = new URL(address)
  const before = hub.lines.length
  const socket = connect(Number(port), '127.0.0.1')
  const head = `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${hub.cookie}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  const figures = async () => (await fetch(`${address}/metrics`, { headers: own })).text()
  const counted = async () => (await figures()).match(/path="\/api\/sessions",status="400"\S* (\d+)/)?.[1] ?? '0'
  const earlier = await counted()
  socket.destroy()
  await expect.poll(counted).not.toBe(earlier)
  expect(hub.lines.slice(before).filter((line) => line.level === 'error')).toEqual([])
})
