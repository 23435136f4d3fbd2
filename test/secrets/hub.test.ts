// Secrets through the whole hub: the real program, a real folder, a scripted model behind real HTTP. What was given is looked for in
// every file, in the log, and in all that the model was asked.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from '../program.ts'

const random = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(18)))
    .toString('base64url')
    .replace(/[-_]/g, 'x')
/** Each way in has its own value. */
const given = {
  cli: `cli ${random()} "quoted" & more`,
  http: `http-${random()}`,
  pasted: `ghp_${random()}${random().slice(0, 12)}`,
  header: `${random()}`,
  said: `said-by-the-model-${random()}`,
  provider: `sk-own-${random()}`,
  passphrase: `a passphrase ${random()}`,
  title: `glpat-${random()}`,
  failed: `in-an-error-${random()}`,
  read: `read-by-a-tool-${random()}`,
  readFound: `sk-ant-${random()}`,
}

let place: Place
let model: ScriptedModel
let hub: Hub
beforeAll(async () => {
  model = await startScriptedModel()
  place = newPlace({ ...modelEnv(model), OPENAI_API_KEY: given.provider, STEWARD_PASSPHRASE: given.passphrase, STEWARD_LOG: 'debug' })
  hub = await place.start()
})
afterAll(async () => {
  await place.remove()
  await model.close()
})

const json = async (args: readonly string[], input?: string) => {
  const ended = await place.run([...args, '--json'], input === undefined ? {} : { input })
  expect(ended.err).toBe('')
  return JSON.parse(ended.out)
}

const body = async (response: Promise<Response>) => JSON.parse(await (await response).text())

async function login(): Promise<(method: string, path: string, body?: unknown) => Promise<Response>> {
  const headers = { 'content-type': 'application/json', origin: hub.address }
  const made = await fetch(`${hub.address}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code: hub.code }) })
  const cookie = (made.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return (method, path, body) =>
    fetch(`${hub.address}${path}`, {
      method,
      headers: { ...headers, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

/** Every file below the folder that holds the value in a form that can be read. */
function filesWith(value: string): readonly string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), Buffer.from(value).toString('base64')]
  const files = readdirSync(place.home, { recursive: true, encoding: 'utf8' }).map((name) => join(place.home, name))
  const plain = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  return plain.filter((file) => {
    const bytes = readFileSync(file)
    return forms.some((form) => bytes.includes(form))
  })
}

test('[V5] a value given to the hub is found nowhere: not in the data folder, the log, an answer or a request to the model', async () => {
  const request = await login()
  await json(['secrets', 'set', 'shell', '--agent', 'quick'], `${given.cli}\n`)
  expect((await request('POST', '/api/secrets', { name: 'over-http', value: given.http, agents: ['*'] })).status).toBe(201)
  expect((await request('POST', '/api/secrets', { name: 'model', value: given.said })).status).toBe(201)
  expect((await request('POST', '/api/secrets', { name: 'failed', value: given.failed })).status).toBe(201)

  const root = join(place.home, '..', `${basename(place.home)}-root`)
  mkdirSync(root)
  writeFileSync(join(root, 'notes.txt'), `one: ${given.read}\ntwo: ${given.readFound}\n`)
  await json(['secrets', 'set', 'read'], given.read)
  await json(['projects', 'create', 'notes', '--root', root])
  model.script({ calls: [{ name: 'file_read', input: { path: 'notes.txt' } }] }, 'It is read.')
  expect((await json(['ask', '--agent', 'quick', '--project', 'notes', 'read it'])).reply.text).toBe('It is read.')
  expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/one: \{\{secret:read\}\}.*two: \{\{secret:anthropic-[0-9a-f]{12}\}\}/)
  rmSync(root, { recursive: true })

  model.script(`Here it is: ${given.said}, and ${given.provider} too.`, { status: 400, message: `no such key ${given.failed}` })
  const marker = `no-secret-${random()}`
  const text = `${marker} use ${given.pasted} with ${given.cli} and ${given.http}\nAuthorization: Bearer ${given.header}\nand ${given.passphrase}`
  const { session, reply } = await json(['ask', '--agent', 'quick', '-'], text)
  expect(reply.text).toBe('Here it is: {{secret:model}}, and {{secret:env.openai_api_key}} too.')
  await request('PATCH', `/api/sessions/${session}`, { title: `about ${given.title}` })
  await place.run(['ask', '--session', session, `and in base64: ${Buffer.from(`user:${given.http}`).toString('base64')}`])

  const shown = await place.run(['sessions', 'show', session])
  expect(shown.out).toMatch(/use \{\{secret:github-[0-9a-f]{12}\}\} with \{\{secret:shell\}\} and \{\{secret:over-http\}\}/)
  const outputs = [shown.out, (await place.run(['secrets'])).out, (await place.run(['journal'])).out, (await place.run(['doctor'])).out]
  const asked = model.requests.map((one) => JSON.stringify(one.body))
  expect(asked.length).toBeGreaterThan(1)
  await hub.stop()
  expect(filesWith(marker).length).toBeGreaterThan(0)
  for (const [way, value] of Object.entries(given)) {
    const inOutput = [...outputs, hub.out(), hub.err(), ...asked].filter(
      (one) => one.includes(value) || one.includes(JSON.stringify(value).slice(1, -1)),
    )
    expect({ way, files: filesWith(value), inOutput: inOutput.length }).toEqual({ way, files: [], inOutput: 0 })
  }
  hub = await place.start()
  for (const [way, value] of Object.entries(given)) expect({ way, files: filesWith(value) }).toEqual({ way, files: [] })
  expect((await place.run(['ask', '--session', session, `again ${given.cli}`])).out).toContain('{{secret:shell}}')
})

test('[V2] the same message with a secret, sent twice under its id, is one', async () => {
  const request = await login()
  const session = (await body(request('POST', '/api/sessions', { agent: 'quick' }))).id
  const send = async () => body(request('POST', `/api/sessions/${session}/messages`, { id: 'm1', text: `mine is ghp_${'b2C3'.repeat(9)}` }))
  expect([(await send()).duplicate, (await send()).duplicate]).toEqual([false, true])
})

test('[V1] with another passphrase the hub starts, says so, and takes no secret', async () => {
  await hub.stop()
  const other = { STEWARD_PASSPHRASE: 'quite another one' }
  hub = await place.start(other)
  const doctor = await json(['doctor'])
  expect(JSON.stringify(doctor)).toContain('is not the passphrase that they were kept under')
  const refused = await place.run(['ask', '--agent', 'quick', `a key: ghp_${'c3D4'.repeat(9)}`])
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('looks like a secret (github)')])
  expect((await place.run(['ask', '--agent', 'quick', 'plain words'])).code).toBe(0)
  expect((await place.run(['secrets', 'set', 'x'], { input: 'some other value' })).code).toBe(1)
  await hub.stop()
  hub = await place.start()
  expect((await json(['secrets'])).length).toBeGreaterThan(4)
})

test('[V3] the command line grants, revokes, rotates and removes', async () => {
  const named = async (name: string) => (await json(['secrets'])).find((one: { name: string }) => one.name === name)
  expect(await place.run(['secrets', 'set', 'tool'], { input: '' })).toMatchObject({ code: 2 })
  expect((await place.run(['secrets', 'set', 'Tool'], { input: 'a value of mine' })).err).toMatch(/allowed are 1 to 64 of a-z/)
  expect((await place.run(['secrets', 'set', 'tool'], { input: 'a value of mine' })).out).toMatch(/No agent may use it yet/)
  await json(['secrets', 'grant', 'tool', '--agent', 'scout', '--host', 'api.example.org'])
  await json(['secrets', 'grant', 'tool', '--agent', 'quick'])
  expect(await named('tool')).toMatchObject({ agents: ['quick', 'scout'], hosts: ['https://api.example.org'] })
  await json(['secrets', 'revoke', 'tool', '--agent', 'scout', '--host', 'api.example.org'])
  expect(await named('tool')).toMatchObject({ agents: ['quick'], hosts: [] })
  expect(await json(['secrets', 'rotate-key'])).toEqual({ rotated: true })
  expect((await json(['secrets', 'set', 'tool'], 'a second value of mine')).version).toBe(2)
  expect(await json(['secrets', 'remove', 'tool'])).toEqual({ name: 'tool', removed: true })
  expect((await place.run(['secrets', 'remove', 'tool'])).err).toContain('there is no secret "tool"')
})

test('[V3] a token reaches secrets and budgets only with exactly these scopes', async () => {
  const request = await login()
  const tokenOf = async (...scopes: string[]) => (await body(request('POST', '/api/tokens', { name: 'test', scopes }))).secret
  const status = async (token: string, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await fetch(`${hub.address}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })).status
  }
  const plain = await tokenOf('read', 'chat', 'projects', 'documents', 'tokens')
  for (const [method, path] of [
    ['GET', '/api/secrets'],
    ['POST', '/api/secrets'],
    ['PATCH', '/api/secrets/shell'],
    ['DELETE', '/api/secrets/shell'],
    ['POST', '/api/secrets/rotate-key'],
    ['POST', '/api/budgets'],
    ['DELETE', '/api/budgets/day'],
  ] as const)
    expect([path, await status(plain, method, path, method === 'GET' ? undefined : {})]).toEqual([path, 403])
  expect(await status(plain, 'POST', '/api/tokens', { name: 'more', scopes: ['secrets'] })).toBe(403)
  const exact = await tokenOf('secrets', 'budgets')
  expect(await status(exact, 'GET', '/api/secrets')).toBe(200)
  expect(await status(exact, 'POST', '/api/budgets', { text: '5 USD a day' })).toBe(201)
})

test('[B1] budgets are set, listed and removed in plain words', async () => {
  expect(await json(['budgets', 'set', '3', 'USD', 'a', 'day'])).toMatchObject({
    id: 'day',
    limit: 3,
    currency: 'USD',
    text: '3 USD a day',
  })
  expect(await json(['budgets', 'set', '20 EUR for each session'])).toMatchObject({ id: 'session', limit: 20, currency: 'EUR' })
  expect(await json(['budgets', 'remove', 'session'])).toMatchObject({ removed: true })
  expect((await place.run(['budgets', 'set', '3000 JPY a day'])).err).toContain('set budget.rates to')
  expect((await place.run(['budgets', 'set', '3 USD for project nowhere'])).err).toContain('there is no project "nowhere"')
  expect((await place.run(['budgets', 'set', 'much'])).err).toContain('Say it like "3 EUR a day"')
  const { budgets } = await json(['budgets'])
  expect(budgets).toMatchObject([{ id: 'day', spent: expect.any(Number), limit: 3 }])
  expect((await place.run(['budgets'])).out).toMatch(/day\s+3 USD a day\s+[\d.]+ of 3 USD/)
  expect(await json(['budgets', 'remove', 'day'])).toEqual({ id: 'day', removed: true })
  expect((await place.run(['budgets', 'remove', 'day'])).err).toContain('There is no budget "day"')
})
