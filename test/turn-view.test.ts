// A whole hub over HTTP: a risky call is asked, allowed, done; the turn then tells all of it. Only the model is a script.
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silent } from '../src/base/log.ts'
import { loadConfig } from '../src/config.ts'
import { type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { openSteward, type Steward } from '../src/steward.ts'

let folder: string
let model: ScriptedModel
let hub: Steward
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-turn-'))
  model = await startScriptedModel()
  const env = {
    STEWARD_HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: folder,
    STEWARD_PORT: '0',
    STEWARD_TRUST_LOOPBACK: '1',
    STEWARD_MODEL: 'openai-compatible/scripted',
    OPENAI_BASE_URL: model.url,
  }
  hub = await openSteward(await loadConfig({ env }), { log: silent, env })
})
afterAll(async () => {
  await hub.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = any

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Answer }> {
  const given = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(hub.address + path, { method, headers: { 'content-type': 'application/json', ...headers }, ...given })
  return { status: answer.status, json: await answer.json().catch(() => null) }
}

test('[H22, H23, H28] delete a file: asked with what would be done, allowed, done once; the turn says who, what, and what it cost', async () => {
  const project = join(folder, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'old.txt'), 'old\n')
  await call('POST', '/api/projects', { name: 'shop', roots: [project] })
  const text = '---\nname: mender\nengine: quick\npledge: [fs.read, fs.write]\n---\nYou tidy up.\n'
  expect((await call('PUT', '/api/documents/agents/mender.md?project=shop', { text })).status).toBe(200)
  const session = (await call('POST', '/api/sessions', { project: 'shop', agent: 'mender' })).json
  model.script({ calls: [{ name: 'file_delete', input: { path: 'old.txt' } }] })
  model.script({ text: 'It is gone.' })
  const wait = { prefer: 'wait=20' }
  const asked = (await call('POST', `/api/sessions/${session.id}/messages`, { id: 'a', text: 'Delete old.txt' }, wait)).json
  expect(asked).toMatchObject({ status: 'waiting', reply: null, approval: { tool: 'file_delete', capability: 'fs.write' } })
  expect(existsSync(join(project, 'old.txt'))).toBe(true)
  const { id } = asked.approval
  expect((await call('GET', '/api/inbox?status=PENDING')).json).toMatchObject({ items: [{ id, type: 'APPROVAL' }], counts: { pending: 1 } })
  const { turn } = (await call('GET', `/api/approvals/${id}`)).json
  expect((await call('GET', `/api/turns/${turn}`)).json).toMatchObject({ status: 'waiting', approvals: [{ id, status: 'requested' }] })
  expect((await call('POST', `/api/approvals/${id}`, { decision: 'allow' })).status).toBe(200)
  const reply = (await call('POST', `/api/sessions/${session.id}/messages`, { id: 'a', text: 'Delete old.txt' }, wait)).json
  expect(reply).toMatchObject({ status: 'settled', duplicate: true, reply: { text: 'It is gone.' } })
  expect(existsSync(join(project, 'old.txt'))).toBe(false)
  const view = (await call('GET', `/api/turns/${turn}`)).json
  expect(view).toMatchObject({
    ...{ status: 'done', session: session.id, approvals: [{ id, status: 'approved', scope: 'once' }] },
    cost: { calls: 2, currency: 'USD' },
    cause: { depth: 0, chain: [{ actor: expect.stringMatching(/^user:/), message: asked.id }] },
  })
  expect(view.run).toEqual(view.cost)
  const tool = view.steps.find((one: { tool?: unknown }) => one.tool)
  expect(tool).toMatchObject({
    state: 'done',
    approval: id,
    tool: { name: 'file_delete', input: { path: 'old.txt' }, result: { ok: true } },
  })
  const calls = view.steps.filter((one: { model?: unknown }) => one.model)
  expect(calls).toHaveLength(2)
  expect(calls[0].model).toMatchObject({ model: 'openai-compatible/scripted', manifest: { step: calls[0].name } })
  const metrics = await (await fetch(`${hub.address}/metrics`)).text()
  expect(metrics).toContain('steward_model_calls_total{model="openai-compatible/scripted"} 2')
  expect(metrics).toMatch(/^steward_approvals_waiting 0$/m)
})

test('[H29] models are shown, chosen only where the environment leaves it open, and tried', async () => {
  const { json } = await call('GET', '/api/models')
  expect(json.tiers.map((one: { tier: string }) => one.tier)).toEqual(['light', 'standard', 'deep'])
  expect(json.tiers[0]).toMatchObject({ chain: [{ model: 'openai-compatible/scripted', why: null, rest: null }], fixedBy: 'STEWARD_MODEL' })
  expect(JSON.stringify(json)).not.toContain('sk-')
  expect((await call('POST', '/api/models', { tier: 'light', chain: ['ollama/llama3'] })).status).toBe(409)
  expect((await call('POST', '/api/models', { tier: 'huge', chain: [] })).json).toMatchObject({ status: 400, path: '/tier' })
  model.script({ text: 'ready' })
  expect((await call('POST', '/api/models/test', { model: 'openai-compatible/scripted' })).json).toMatchObject({ ok: true, said: 'ready' })
  expect((await call('POST', '/api/models/test', { model: 'nonsense' })).json).toMatchObject({ status: 400, path: '/model' })
})

test('[C16, H29] doctor says of models, roots, sandbox and secrets whether they are well, and how to mend what is not', async () => {
  mkdirSync(join(folder, 'nowhere'))
  expect((await call('POST', '/api/projects', { name: 'lost', roots: [join(folder, 'nowhere')] })).status).toBe(201)
  rmdirSync(join(folder, 'nowhere'))
  const { items } = (await call('GET', '/api/doctor')).json
  const named = (name: string) => items.filter((one: { name: string }) => one.name === name)
  expect(named('folders of lost')).toMatchObject([{ status: 'fail', mend: expect.any(String), detail: expect.stringContaining('nowhere') }])
  expect(named('folders of shop')).toMatchObject([{ status: 'ok' }])
  expect(named('sandbox')).toHaveLength(1)
  expect(named('secrets')).toHaveLength(1)
  for (const one of items) if (one.status !== 'ok') expect(one.mend, one.name).toBeTruthy()
})
