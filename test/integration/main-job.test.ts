// The hub's main job over the public surface, with the real program: a person says one sentence in a terminal; the hub makes a project
// with that folder, the assistant reads the real files, asks before it changes one, and the hub relays what was found. The hub is
// killed twice on the way, and each thing is done once.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Hold,
  hold,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedModel,
} from '../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from '../program.ts'

let place: Place
let model: ScriptedModel
let shop: string
/** Where the assistant's model stands still until the test lets it. */
let reading: Hold
/** How often each stage was asked of the model, over all lives of the hub. */
let stages: Map<string, number>

beforeEach(async () => {
  place = newPlace()
  shop = join(dirname(place.home), 'shop')
  mkdirSync(shop)
  writeFileSync(join(shop, 'db.js'), 'db.query("SELECT * FROM users WHERE id = " + id)\n')
  writeFileSync(join(shop, 'old.txt'), 'not needed any more\n')
  reading = hold()
  stages = new Map()
  model = await startScriptedModel({ keep: 1_000, otherwise: (request) => answer(request) })
})
afterEach(async () => {
  await place.remove()
  await model.close()
})

const sentence = 'Eddie, analyze the software in ./shop for security vulnerabilities and create a plan to eliminate them.'
const plan = 'SQL injection in db.js:1. Plan: use a prepared statement.'
const act = (input: object): ScriptedReply => ({ calls: [{ name: 'act', input: { reason: 'r', ...input } }] })

function answer(request: ScriptedRequest): ScriptedReply {
  const messages = request.body.messages ?? []
  const isHub = JSON.stringify(messages[0] ?? '').includes('You are Eddie')
  const results = messages.filter((one) => one.role === 'tool').length
  const stage = isHub ? `hub-${results}` : `assistant-${results}`
  stages.set(stage, (stages.get(stage) ?? 0) + 1)
  if (isHub) {
    const work = { projectName: 'shop-audit', projectTitle: 'Shop audit', projectGoal: sentence, roots: ['./shop'] }
    return act({ type: 'DELEGATE_PROJECT', ...work, message: 'I look into it.' })
  }
  if (results === 0) return { text: ['I read the files. ', reading], calls: [{ name: 'file_read', input: { path: 'db.js' } }] }
  if (results === 1) return { calls: [{ name: 'file_delete', input: { path: 'old.txt' } }] }
  return act({ type: 'ANSWER', message: plan })
}

type Json = { readonly [key: string]: Json } & { readonly items: readonly Json[] }

/** The owner's own client: logs in with the printed code. */
async function owner(hub: Hub) {
  const headers = { 'content-type': 'application/json' }
  const login = await fetch(`${hub.address}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code: hub.code }) })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  return async (method: string, path: string, body?: object): Promise<Json> => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const got = await fetch(hub.address + path, { method, headers: { ...headers, cookie }, ...given })
    if (!got.ok) throw new Error(`${method} ${path}: ${got.status} ${await got.text()}`)
    const value: Json = JSON.parse(await got.text())
    return value
  }
}
type Client = Awaited<ReturnType<typeof owner>>

/** Looks until there is something. */
async function seen<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function killed(hub: Hub): Promise<Hub> {
  hub.child.kill('SIGKILL')
  await hub.ended
  return place.start(modelEnv(model))
}

const textsOf = async (client: Client, session: string) =>
  (await client('GET', `/api/sessions/${session}/messages?limit=100`)).items.map((line) => String(line['text']))

test('[E1, E6, E8, K1] one sentence in a terminal, two kills: project, files, yes, plan, each once', async () => {
  let hub = await place.start(modelEnv(model))
  const asked = await place.run(['ask', '--json', '--wait', '60', sentence], { env: modelEnv(model) })
  expect(asked.code).toBe(0)
  const said: Json = JSON.parse(asked.out)
  const session = String(said['session'])
  expect(said['reply']).toMatchObject({ text: 'I look into it.' })

  // In the middle of the assistant's first words.
  await reading.reached
  hub = await killed(hub)
  reading.release()

  let client = await owner(hub)
  const open = async (from: Client) => (await from('GET', '/api/approvals?status=requested')).items[0]
  const first = await seen(() => open(client))
  expect(first).toMatchObject({ tool: 'file_delete', target: join(shop, 'old.txt') })
  expect(existsSync(join(shop, 'old.txt'))).toBe(true)

  // While it waits for a yes.
  hub = await killed(hub)
  client = await owner(hub)
  const again = await seen(() => open(client))
  expect(again['id']).toBe(first['id'])
  await client('POST', `/api/approvals/${String(first['id'])}`, { decision: 'allow' })

  const told = await seen(async () => (await textsOf(client, session)).find((text) => text.includes(plan)))
  expect(told).toBe(`**[Worker assistant → reply]**\n\n${plan}`)
  expect(existsSync(join(shop, 'old.txt'))).toBe(false)
  expect(readFileSync(join(shop, 'db.js'), 'utf8')).toContain('SELECT')

  const { items: projects } = await client('GET', '/api/projects?limit=50')
  expect(projects).toMatchObject([{ name: 'shop-audit', title: 'Shop audit', roots: [shop] }])
  const { items: sessions } = await client('GET', '/api/sessions?limit=50&project=shop-audit')
  expect(sessions).toHaveLength(1)
  expect(await textsOf(client, String(sessions[0]?.['id']))).toEqual([sentence, 'I read the files. ', plan])
  const lines = await textsOf(client, session)
  expect(lines.filter((text) => text === 'I look into it.')).toHaveLength(1)
  expect(lines.filter((text) => text.includes(plan))).toHaveLength(1)
  expect((await client('GET', '/api/approvals')).items).toHaveLength(1)
  expect(stages.get('hub-0')).toBe(1)

  // The relay itself asked no model: what it is about cost something elsewhere.
  const chat = await place.run(['chat', '--session', session], { env: modelEnv(model), input: '/cost\n/steps\n' })
  expect(chat.err).toMatch(/Cost: 0\.00 USD for 0 calls of models\nAll that came of the same request, .*for [4-9] calls of models/)
  expect(chat.err).toContain(`Shop audit (assistant in shop-audit, IDLE): steward sessions turns ${String(sessions[0]?.['id'])}`)
  await hub.stop()
})
