// What the bundled agents are given in a real turn of the whole program: their tools, the size of a greeting, and the person's zone.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from './program.ts'

let place: Place
let model: ScriptedModel
let hub: Hub
beforeAll(async () => {
  model = await startScriptedModel({ otherwise: () => 'Fine.' })
  place = newPlace(modelEnv(model))
  hub = await place.start()
  const root = join(dirname(place.home), 'shop')
  mkdirSync(root)
  expect((await place.run(['projects', 'create', 'shop', '--root', root])).code).toBe(0)
})
afterAll(async () => {
  await place.remove()
  await model.close()
})

async function asked(agent: string, ...more: readonly string[]): Promise<ScriptedRequest> {
  const before = model.count
  expect(await place.run(['ask', '--agent', agent, ...more, 'hello'])).toMatchObject({ code: 0 })
  const request = model.requests[before]
  if (!request) throw new Error('the model was not asked')
  return request
}
const given = ({ body }: ScriptedRequest) => (body.tools ?? []).map((tool) => tool.function.name).sort()
const named = ({ text }: ScriptedRequest) => [...text.matchAll(/\\n- ([a-z_]+): /g)].map(([, name]) => name)

test('[A4] the assistant has what its work needs: files, commands, web, documents, projects, processes', async () => {
  const request = await asked('assistant', '--project', 'shop')
  expect(given(request)).toEqual(
    expect.arrayContaining([
      ...['file_read', 'file_list', 'file_search', 'file_write', 'file_edit', 'file_move', 'file_delete', 'file_undo', 'exec_run'],
      ...['web_fetch', 'document_list', 'document_read', 'document_write', 'project_list', 'project_get', 'project_create'],
      ...['process_list', 'process_status', 'process_stop', 'calculate', 'time_now', 'time_when', 'result_read', 'act'],
    ]),
  )
  expect(named(request)).toEqual(expect.arrayContaining(['list_add', 'tree_get', 'records_query', 'scratchpad_set', 'unit_convert']))
})

test('[A4] the quick agent looks and reckons, and changes nothing', async () => {
  const request = await asked('quick', '--project', 'shop')
  expect(given(request)).toEqual(
    expect.arrayContaining(['file_read', 'file_search', 'web_fetch', 'document_read', 'project_get', 'calculate', 'time_now']),
  )
  const changing = /^(file_(write|edit|move|delete|undo)|exec_run|document_write|project_create|process_stop)$/
  expect([...given(request), ...named(request)].filter((name) => changing.test(name ?? ''))).toEqual([])
})

test('[E11] a greeting costs the hub less than 4 kB on the wire, with all that the whole program has', async () => {
  const request = await asked('hub')
  expect(given(request)).toContain('act')
  expect(Buffer.byteLength(request.text)).toBeLessThan(4096)
})

test('[T9] what was only named and is asked for has its schema in the next round', async () => {
  model.script({ calls: [{ name: 'tool_description', input: { names: ['list_add'] } }] }, { calls: [{ name: 'tree_get', input: {} }] })
  const before = model.count
  expect(given(await asked('assistant', '--project', 'shop'))).not.toContain('list_add')
  const [second, third] = model.requests.slice(before + 1).map(given)
  expect(second).toContain('list_add')
  expect(second).not.toContain('tree_get')
  expect(third).toEqual(expect.arrayContaining(['list_add', 'tree_get']))
})

test("[T50] the person's own zone holds for what a model is told and for time_now", async () => {
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: hub.code }) }
  const cookie = (await fetch(`${hub.address}/api/login`, login)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const put = { method: 'PUT', headers: { ...login.headers, cookie }, body: JSON.stringify({ value: 'Asia/Kolkata' }) }
  expect((await fetch(`${hub.address}/api/settings/time.zone`, put)).status).toBe(200)
  model.script({ calls: [{ name: 'time_now', input: {} }] })
  const first = await asked('quick')
  expect(first.text).toMatch(/It is \w+day, [\d-]+, [\d:]+ \(Asia\/Kolkata\)/)
  expect(model.requests.at(-1)?.text).toMatch(/\+05:30 in Asia\/Kolkata; /)
})
