// What users of such hubs suffered with messages, turns and reconnects (field trials, group B), played against a whole hub.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyView, fold, type Incoming } from '../src/protocol/view.ts'
import { openHub, type TestHub } from './http-hub.ts'
import { connectTo } from './socket-client.ts'

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
const lines = async (session: string) => (await hub.ask('GET', `/api/sessions/${session}/messages`)).json.items
const events = async (session: string) => (await hub.ask('GET', `/api/sessions/${session}/events?limit=500`)).json.items
const pass = () => new Promise((resolve) => setTimeout(resolve, 10))

async function gatedSession<T>(play: (session: string) => Promise<T>): Promise<T> {
  hub.gate.always = false
  try {
    return await play(await hub.session())
  } finally {
    hub.gate.always = true
    hub.gate.open()
  }
}

async function untilStatus(session: string, status: string): Promise<void> {
  while ((await hub.ask('GET', `/api/sessions/${session}`)).json.processStatus !== status) await pass()
}

describe('B02: a duplicate is found before anything is done', () => {
  test('[H2] fifty copies at once: one message, one turn, one reply, 49 duplicates', async () => {
    const session = await hub.session()
    const copies = await Promise.all(Array.from({ length: 50 }, () => post(session, { id: 'copy', text: 'hello' }, { prefer: 'wait=20' })))
    expect(copies.filter((copy) => !copy.json.duplicate)).toHaveLength(1)
    expect(new Set(copies.map((copy) => copy.json.id)).size).toBe(1)
    expect(new Set(copies.map((copy) => copy.json.reply.id)).size).toBe(1)
    expect((await lines(session)).map((line: { text: string }) => line.text)).toEqual(['hello', 'echo: hello'])
    expect(
      (await hub.journal.read({ after: 0, limit: 5_000, session })).events.filter((event) => event.type === 'turn-started'),
    ).toHaveLength(1)
  })

  test('[H2] the copies may come over HTTP and over the socket', async () => {
    const session = await hub.session()
    const client = await connectTo(address, own)
    const [over, said] = await Promise.all([
      post(session, { id: 'both', text: 'hello' }),
      client.ask('say', { sessionId: session, id: 'both', text: 'hello' }),
    ])
    expect([over.json.duplicate, said.data['duplicate']].sort()).toEqual([false, true])
    expect(over.json.id).toBe(said.data['id'])
    client.drop()
  })
})

test('[H15] B05: a turn outlives its sockets, and a new client sees the text so far and the rest', async () => {
  await gatedSession(async (session) => {
    const clients = await Promise.all([connectTo(address, own), connectTo(address, own)])
    for (const client of clients) await client.ask('session-resume', { sessionId: session })
    const posted = await post(session, { text: 'stream 6' })
    await untilStatus(session, 'RUNNING')
    for (let i = 0; i < 3; i++) await pass().then(hub.gate.open)
    await clients[0].until((frame) => frame.type === 'chat-message-chunk' && String(frame.data['text']).includes('w2'))
    for (const client of clients) client.drop()
    for (let i = 0; i < 2; i++) await pass().then(hub.gate.open)
    await pass()
    const late = await connectTo(address, own)
    await late.ask('session-resume', { sessionId: session, after: posted.json.cursor })
    const soFar = await late.until((frame) => frame.type === 'chat-message-chunk')
    expect(soFar.data['text']).toBe('w0 w1 w2 w3 w4 ')
    await pass().then(hub.gate.open)
    await late.until((frame) => frame.type === 'chat-message-updated' && frame.data['status'] === 'settled')
    expect((await lines(session)).at(-1)).toMatchObject({ role: 'assistant', text: 'w0 w1 w2 w3 w4 w5 ', status: 'settled' })
    late.drop()
  })
})

test('[H2] B06: twenty dropped connections send no message, and blank ones are refused', async () => {
  const session = await hub.session()
  for (let i = 0; i < 20; i++) {
    const client = await connectTo(address, own)
    client.send(JSON.stringify({ type: 'session-resume', data: { sessionId: session } }))
    client.drop()
  }
  for (const text of ['', ' ', '\n\t', '\u00a0', '\u2003']) expect((await post(session, { text })).status).toBe(400)
  expect(await lines(session)).toEqual([])
})

test('[H7, H15] B07: a refresh in mid-stream shows all words, the follow-up waits on the same branch, the stored text is the streamed one', async () => {
  await gatedSession(async (session) => {
    const first = await post(session, { text: 'stream 40' })
    await untilStatus(session, 'RUNNING')
    for (let i = 0; i < 12; i++) await new Promise(setImmediate).then(hub.gate.open)
    const client = await connectTo(address, own)
    await client.ask('session-resume', { sessionId: session, after: first.json.cursor })
    const followUp = await post(session, { text: 'and then?' })
    const shown = (await events(session)).filter((event: { type: string }) => event.type === 'chat-message-appended')
    expect(shown.at(-1).data.message).toMatchObject({ id: followUp.json.id, status: 'queued' })
    hub.gate.always = true
    hub.gate.open()
    const settled = await client.until(
      (frame) => frame.type === 'chat-message-appended' && JSON.stringify(frame.data).includes('"assistant"'),
    )
    const words = client.frames.filter((frame) => frame.type === 'chat-message-chunk')
    expect(words[0]?.data['offset']).toBe(0)
    const streamed = words.map((frame) => frame.data['text']).join('')
    expect(settled.data).toMatchObject({ message: { text: streamed } })
    await post(session, { text: 'last' }, { prefer: 'wait=20' })
    const [one, reply, two] = await lines(session)
    expect([one.id, reply.parent, two.id, two.parent]).toEqual([first.json.id, first.json.id, followUp.json.id, reply.id])
    client.drop()
  })
})

test('[H15] B08: stop, then send at once: the part that was written is kept, and the new message continues it', async () => {
  await gatedSession(async (session) => {
    await post(session, { text: 'stream 9' })
    await untilStatus(session, 'RUNNING')
    for (let i = 0; i < 3; i++) await pass().then(hub.gate.open)
    await pass()
    const stopped = await hub.ask('POST', `/api/sessions/${session}/stop`, {})
    expect(stopped.json).toMatchObject({ outcome: 'done' })
    const next = await post(session, { text: 'continue' }, { prefer: 'wait=20' })
    expect(next.json).toMatchObject({ status: 'settled', reply: { text: 'echo: continue' } })
    const all = await lines(session)
    expect(all.map((line: { text: string; status: string }) => [line.text, line.status])).toEqual([
      ['stream 9', 'stopped'],
      ['w0 w1 w2 ', 'stopped'],
      ['continue', 'settled'],
      ['echo: continue', 'settled'],
    ])
    expect(all[2].parent).toBe(all[1].id)
  })
})

test('[H2, H15] B09: what is said during a turn is shown as queued at once, and neither dropped nor reordered by a stop', async () => {
  await gatedSession(async (session) => {
    await post(session, { text: 'stream 5' })
    await untilStatus(session, 'RUNNING')
    const two = await post(session, { text: 'also do X' })
    const three = await post(session, { text: 'and Y' })
    const view = (await events(session)).reduce(
      (seen: ReturnType<typeof emptyView>, event: Incoming) => fold(seen, event),
      emptyView(session),
    )
    expect(JSON.stringify(view)).toContain(two.json.id)
    const queued = (await hub.ask('GET', `/api/processes/${(await hub.ask('GET', `/api/sessions/${session}`)).json.process}`)).json.queue
    expect(queued.map((one: { message: string }) => one.message)).toEqual([two.json.id, three.json.id])
    expect(queued[0].behind).toEqual(expect.any(String))
    await hub.ask('POST', `/api/sessions/${session}/stop`, {})
    const last = await post(session, { text: 'last' }, { prefer: 'wait=20' })
    expect(last.json.status).toBe('settled')
    const said = (await lines(session)).filter((line: { role: string }) => line.role === 'user').map((line: { text: string }) => line.text)
    expect(said).toEqual(['stream 5', 'also do X', 'and Y', 'last'])
  })
})

describe('a hub that dies', () => {
  let home: string
  let child: ChildProcess
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'steward-b14-'))
  })
  afterAll(() => {
    child?.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  test('[H2] B14: killed in mid-turn, the next message after the restart starts within two seconds, and nothing is lost', async () => {
    const before = await start(home, 'shut')
    child = before.child
    const key = { 'idempotency-key': 'the one' }
    const made = await call(before.address, 'POST', '/api/sessions', {}, key)
    const session = made.id
    const first = await call(before.address, 'POST', `/api/sessions/${session}/messages`, { id: 'a', text: 'stream 3' })
    while ((await call(before.address, 'GET', `/api/sessions/${session}`)).processStatus !== 'RUNNING') await pass()
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const after = await start(home, 'open')
    child = after.child
    const again = await call(after.address, 'POST', `/api/sessions/${session}/messages`, { id: 'a', text: 'stream 3' })
    expect(again).toEqual({ ...first, duplicate: true })
    expect(await call(after.address, 'POST', '/api/sessions', {}, key)).toEqual(made)
    expect((await call(after.address, 'GET', '/api/sessions')).items).toHaveLength(1)
    const begun = performance.now()
    const next = await call(after.address, 'POST', `/api/sessions/${session}/messages`, { id: 'b', text: 'hello' }, { prefer: 'wait=20' })
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect(next).toMatchObject({ status: 'settled', reply: { text: 'echo: hello' } })
    const { items } = await call(after.address, 'GET', `/api/sessions/${session}/messages`)
    expect(items.map((line: { text: string }) => line.text)).toEqual(['stream 3', 'w0 w1 w2 ', 'hello', 'echo: hello'])
  })

  test('[H18] B15: an idle hub uses less than 1 % of a processor', async () => {
    const before = cpuMs(child)
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    expect((cpuMs(child) - before) / 4_000).toBeLessThan(0.01)
  })
})

async function start(home: string, gate: string): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hub-process.ts'), home], {
    env: { ...process.env, GATE: gate },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const address = await new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text).trim())))
  return { child, address }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function call(address: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<any> {
  const given = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const response = await fetch(address + path, { method, headers: given, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return response.json()
}

/** User and system time of the process so far, from the kernel's own count (ticks of 10 ms). */
function cpuMs(child: ChildProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
