import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { byHand } from '../../src/pipelines/transfer/testing.ts'
import { readZip, writeZip } from '../../src/pipelines/transfer/zip.ts'
import { openHub, type TestHub } from '../http-hub.ts'

let hub: TestHub
afterEach(() => hub?.close())

const id = (at: number) => at.toString(16).padStart(24, '0')
const workflow = `eddi://ai.labs.workflow/workflowstore/workflows/${id(2)}?version=1`
const files = new Map(
  Object.entries({
    [`${id(1)}.agent.json`]: { workflows: [workflow] },
    [`${id(1)}.descriptor.json`]: { name: 'Opening Hours', description: 'It knows when the shop is open' },
    [`${id(2)}/1/${id(2)}.workflow.json`]: {
      workflowSteps: [
        {
          type: 'eddi://ai.labs.output',
          config: { uri: `eddi://ai.labs.output/outputstore/outputsets/${id(3)}?version=1` },
          extensions: {},
        },
      ],
    },
    [`${id(2)}/1/${id(3)}.output.json`]: {
      outputSet: [{ action: 'CONVERSATION_START', outputs: [{ valueAlternatives: ['Open 9 to 5.'] }] }],
    },
  }).map(([name, value]) => [name, new TextEncoder().encode(JSON.stringify(value))]),
)

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Found = any

async function send(path: string, bytes: Uint8Array, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { host: 'localhost', cookie: hub.cookie, 'content-type': 'application/zip', ...headers },
    body: new Uint8Array(bytes),
  })
  const response = await hub.inside.handle(request, { unix: false, remote: '127.0.0.1' })
  const json: Found = await response.json()
  return { status: response.status, json }
}

async function exported(path: string): Promise<Uint8Array> {
  const request = new Request(`http://localhost${path}`, { headers: { host: 'localhost', cookie: hub.cookie } })
  const response = await hub.inside.handle(request, { unix: false, remote: '127.0.0.1' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  return new Uint8Array(await response.arrayBuffer())
}

describe('pipelines over the API', () => {
  test('[Y182, Y184] bytes are previewed, imported, shown, checked, exported', async () => {
    hub = await openHub()
    const zip = await writeZip(files, 0)
    const preview = await send('/api/pipelines/import', zip)
    expect([preview.status, preview.json.applied, preview.json.items.length, preview.json.agent]).toEqual([200, false, 3, null])
    expect((await hub.ask('GET', '/api/pipelines')).json.items).toEqual([])
    const done = await send(`/api/pipelines/import?apply=true&mark=${preview.json.mark}`, zip)
    expect([done.status, done.json.applied]).toEqual([200, true])
    const { items } = (await hub.ask('GET', '/api/pipelines?filter=hours')).json
    expect(items).toMatchObject([{ name: 'Opening Hours', version: 1, deployed: { production: null, test: null }, agent: null }])
    const path = `/api/pipelines/${done.json.agent.id}`
    expect((await hub.ask('GET', path)).json).toMatchObject({ shown: 1, steps: [{ task: 'ai.labs.output' }], faults: [] })
    expect((await hub.ask('GET', `${path}/check?version=1`)).json).toEqual({ name: 'Opening Hours', version: 1, faults: [] })
    const back = await exported(`${path}/export`)
    expect([...(await readZip(back)).keys()].filter((name) => name.endsWith('.agent.json'))).toEqual([`${done.json.agent.id}.agent.json`])
    const merged = await send('/api/pipelines/import?strategy=merge', back)
    expect(new Set(merged.json.items.map((one: { action: string }) => one.action))).toEqual(new Set(['SKIP']))
  })

  test('[Y71, Y73] it is deployed, listed with the name that it is asked by, and taken back', async () => {
    hub = await openHub()
    const done = await send('/api/pipelines/import?apply=true&deploy=production', await writeZip(files, 0))
    expect(done.json.deployed).toMatchObject({ environment: 'production', version: 1, agent: 'opening-hours' })
    const path = `/api/pipelines/${done.json.agent.id}`
    expect((await hub.ask('POST', `${path}/deploy`, { environment: 'test' })).json).toMatchObject({ environment: 'test', agent: null })
    expect((await hub.ask('GET', '/api/pipelines')).json.items[0]).toMatchObject({
      deployed: { production: 1, test: 1 },
      agent: 'opening-hours',
    })
    expect((await hub.ask('POST', `${path}/undeploy`, {})).json).toEqual({ undeployed: true })
    expect((await hub.ask('POST', `${path}/undeploy`, {})).json).toEqual({ undeployed: false })
    expect((await hub.ask('POST', `${path}/deploy`, { version: 7 })).status).toBe(404)
  })

  test('[Y175] hostile bytes are a 400 with the reason, and nothing of them is anywhere', async () => {
    hub = await openHub()
    const before = readdirSync(hub.home)
    const text = (value: string) => new TextEncoder().encode(value)
    const hostile: readonly (readonly [Uint8Array, RegExp])[] = [
      [text('no archive'), /no ZIP archive/],
      [byHand([{ name: '../a.agent.json', content: text('{}') }]), /lead out/],
      [byHand([{ name: 'a.agent.json', content: text('{}'), mode: 0o120777 }]), /symbolic links/],
      [(await writeZip(files, 0)).slice(0, 200), /no ZIP archive/],
      [await writeZip(new Map([[`${id(1)}.agent.json`, text('['.repeat(1_000))]]), 0), /more than 64 deep/],
      [await writeZip(new Map([['a.txt', text('words')]]), 0), /no agent in it/],
    ]
    for (const [bytes, why] of hostile) {
      const { status, json } = await send('/api/pipelines/import?apply=true', bytes)
      expect([status, json.detail]).toEqual([400, expect.stringMatching(why)])
    }
    expect((await send('/api/pipelines/import', new Uint8Array())).status).toBe(400)
    expect((await send('/api/pipelines/import?strategy=other', text('x'))).json.detail).toMatch(/strategy/)
    expect((await send('/api/pipelines/import', text('x'), { cookie: '' })).status).toBe(401)
    expect((await hub.ask('GET', '/api/pipelines')).json.items).toEqual([])
    expect(readdirSync(hub.home)).toEqual(before)
  })

  test('[Y185] addresses inside the network are not read', async () => {
    hub = await openHub()
    const url = `http://127.0.0.1:9/agentstore/agents/${id(1)}?version=1`
    const { status, json } = await hub.ask('POST', '/api/pipelines/import-from', { url })
    expect([status, json.detail]).toEqual([400, expect.stringContaining('127.0.0.1')])
    expect((await hub.ask('POST', '/api/pipelines/import-from', { url: 'https://example.org' })).json.detail).toMatch(/address of an agent/)
  })

  test('[Y188] a template becomes a new agent under its own name', async () => {
    hub = await openHub()
    for (const [name, content] of files) {
      const file = join(hub.home, 'bundled', 'pipelines', 'templates', 'hours', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    const { items } = (await hub.ask('GET', '/api/pipelines/templates')).json
    expect(items).toEqual([{ template: 'hours', title: 'Opening Hours', description: 'It knows when the shop is open' }])
    const made = await hub.ask('POST', '/api/pipelines/new', { template: 'hours', name: 'Bakery Hours', deploy: 'production' })
    expect([made.status, made.json.deployed.agent]).toEqual([201, 'bakery-hours'])
    const again = await hub.ask('POST', '/api/pipelines/new', { template: 'hours', name: 'Bakery Hours', deploy: 'production' })
    expect(again.json.deployed.agent).toBe('bakery-hours-2')
    const unknown = await hub.ask('POST', '/api/pipelines/new', { template: '../hours', name: 'x' })
    expect([unknown.status, unknown.json.detail]).toEqual([404, expect.stringContaining('there is hours')])
    expect((await hub.ask('POST', '/api/pipelines/new', { template: 'hours', name: '***' })).status).toBe(400)
  })
})
