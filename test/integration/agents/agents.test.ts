// Agents as files in the whole program: real hub, real folder of documents, the command line and HTTP.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from '../../program.ts'

let place: Place
let model: ScriptedModel
let hub: Hub
let cookie = ''
beforeAll(async () => {
  model = await startScriptedModel({ otherwise: () => 'Fine.' })
  place = newPlace(modelEnv(model))
  hub = await place.start()
  const root = join(dirname(place.home), 'shop')
  mkdirSync(root)
  expect((await place.run(['projects', 'create', 'shop', '--root', root])).code).toBe(0)
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: hub.code }) }
  cookie = (await fetch(`${hub.address}/api/login`, login)).headers.get('set-cookie')?.split(';')[0] ?? ''
})
afterAll(async () => {
  await place.remove()
  await model.close()
})

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type Found = any
async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: Found }> {
  const headers = { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const answer = await fetch(`${hub.address}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return { status: answer.status, json: await answer.json() }
}
const run = (...args: string[]) => place.run(args)
const json = async (...args: string[]) => {
  const ended = await place.run([...args, '--json'])
  return { code: ended.code, value: JSON.parse(ended.out) as Found }
}
const fileOf = (...parts: string[]) => join(place.home, 'documents', ...parts)
const lay = (text: string, ...parts: string[]) => {
  mkdirSync(dirname(fileOf(...parts)), { recursive: true })
  writeFileSync(fileOf(...parts), text)
}
/** The hub hears of the folder from the operating system: it is asked until it holds. */
async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (const end = performance.now() + 20_000; ; ) {
    const value = await look()
    if (holds(value)) return value
    if (performance.now() > end) throw new Error(`it did not come to that: ${JSON.stringify(value)}`)
  }
}
const inShop = async () => (await ask('GET', '/api/agents?project=shop')).json
const faultsOf = (list: Found): Found[] => list.faults.filter(({ path }: Found) => path === 'agents/gardener.md')
const names = (list: Found): string[] => list.items.map((one: Found) => one.name)

describe('files in the folder of documents', () => {
  test('[A15] are agents at once, others when they change, none when they go; a broken one is told and hurts nobody', async () => {
    expect(names(await inShop())).not.toContain('gardener')
    lay('---\nname: gardener\ntriggers: [mow the lawn]\n---\nYou garden.\n', 'shop', 'agents', 'gardener.md')
    await until(inShop, (list) => names(list).includes('gardener'))
    expect((await run('ask', '--project', 'shop', '--agent', 'gardener', 'hello')).out).toBe('Fine.\n')
    expect(model.requests.at(-1)?.text).toContain('You garden.')

    lay('---\nname: gardener\naliases: [mower]\ntier: deep\n---\nYou garden deeply.\n', 'shop', 'agents', 'gardener.md')
    await until(inShop, (list) => list.items.some((one: Found) => one.name === 'gardener' && one.tier === 'deep'))
    expect((await ask('GET', '/api/agents/mower?project=shop')).json).toMatchObject({ name: 'gardener', persona: 'You garden deeply.' })

    lay('---\nname: gardener\ntier: huge\n---\n', 'shop', 'agents', 'gardener.md')
    const broken = await until(inShop, (list) => faultsOf(list).length > 0)
    expect(names(broken)).not.toContain('gardener')
    expect(names(broken)).toContain('scout')
    expect(faultsOf(broken)).toMatchObject([{ severity: 'error', path: 'agents/gardener.md', line: 3, field: 'tier' }])
    const checked = await run('agents', 'check', '--project', 'shop')
    expect(checked.code).toBe(1)
    expect(checked.out).toContain('FAIL  agents/gardener.md:3 (project shop): tier: is "huge"; allowed: light, standard, deep.\n')
    expect((await run('agents', 'list', '--project', 'shop')).out).toMatch(/! \d+ faults? in the agents' files./)
    expect((await run('doctor')).out).toContain('agents/gardener.md:3 (project shop)')

    rmSync(fileOf('shop', 'agents', 'gardener.md'))
    await until(inShop, (list) => faultsOf(list).length === 0 && !names(list).includes('gardener'))
  })

  test('[A15] hide the bundled ones of their name, through the API too', async () => {
    const text = '---\nname: scout\ntitle: My Scout\nclass: scout\ntriggers: [sniff]\n---\nYou sniff.\n'
    expect((await ask('PUT', '/api/documents/agents/scout.md?project=shop', { text })).status).toBe(200)
    expect((await ask('GET', '/api/agents/scout?project=shop')).json).toMatchObject({
      title: 'My Scout',
      level: 'project',
      triggers: ['sniff'],
    })
    expect((await ask('GET', '/api/agents/scout')).json).toMatchObject({ title: 'Scout', level: 'bundled' })
    rmSync(fileOf('shop', 'agents', 'scout.md'))
    await until(
      async () => (await ask('GET', '/api/agents/scout?project=shop')).json,
      (one) => one.level === 'bundled',
    )
  })
})

describe('who can be asked', () => {
  test('[A14] is listed and shown with all that matters', async () => {
    const { json: list } = await ask('GET', '/api/agents')
    const scout = list.items.find((one: Found) => one.name === 'scout')
    expect(scout).toMatchObject({
      ...{ class: 'scout', engine: 'quick', tier: 'standard', level: 'bundled', aliases: ['atlas'], faults: [] },
      source: { path: 'agents/scout.md', level: 'bundled', scope: 'bundled', version: 1 },
    })
    for (const key of ['triggers', 'refuses', 'handsOff', 'pledge']) expect(scout[key].length).toBeGreaterThan(2)
    const shown = (await run('agents', 'show', 'atlas')).out
    for (const part of ['scout (Scout)', 'map, trace', 'debugger, reasoner', 'fs.read', 'agents/scout.md, bundled', 'You are Scout.']) {
      expect(shown).toContain(part)
    }
    expect((await run('agents')).out).toMatch(/spectra +planner +quick +deep +bundled +\(by name\)/)
    expect(await run('agents', 'show', 'nobody')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no agent "nobody" here; there is'),
    })
    expect((await ask('GET', '/api/agents/x?project=nowhere')).status).toBe(404)
  })

  test('[A14] is told for each tier by `models`', async () => {
    expect((await run('models')).out).toMatch(/light +openai\/scripted +executor, scriber\n/)
    const { value } = await json('models')
    expect(value.agents).toContainEqual({ agent: 'planner', tier: 'deep', model: 'openai/scripted' })
    expect(value.tiers).toHaveLength(3)
  })

  test('[A14] can be checked before it is put there, and that writes nothing', async () => {
    const file = join(dirname(place.home), 'gardener.md')
    writeFileSync(file, '---\nname: gardener\ntriggers: [plan]\nhandsOff: [nobody]\n---\n')
    const ended = await run('agents', 'check', file, '--project', 'shop')
    expect(ended.code).toBe(0)
    expect(ended.out.split('\n')).toEqual([
      expect.stringMatching(/^warn {2}agents\/gardener.md:4 \(project shop\): handsOff.0: there is no agent "nobody" here/),
      expect.stringMatching(/^warn {2}agents\/gardener.md:3 \(project shop\): triggers.0: "plan" is a trigger of planner/),
      '',
    ])
    writeFileSync(file, '---\nname: 7\n---\n')
    expect(await json('agents', 'check', file)).toMatchObject({ code: 1, value: [{ severity: 'error', field: 'name', line: 2 }] })
    expect((await run('agents', 'check', join(place.home, 'none.md'))).code).toBe(2)
    expect((await ask('POST', '/api/agents/check', { path: '../x.md', text: '' })).status).toBe(400)
    expect(names(await inShop())).not.toContain('gardener')
  })
})

describe('the bundled specialists', () => {
  const tools = async (agent: string): Promise<string[]> => {
    const before = model.requests.length
    expect((await run('ask', '--project', 'shop', '--agent', agent, 'hello')).code).toBe(0)
    const { body, text } = model.requests[before] ?? { body: { tools: [] }, text: '' }
    const live = (body.tools ?? []).map((tool) => tool.function.name)
    return [...live, ...[...text.matchAll(/\\n- ([a-z_]+): /g)].map(([, name]) => name ?? '')]
  }
  const writes = /^(file_(write|edit|move|delete|undo))$/

  test.each(['scout', 'planner', 'spectra', 'reasoner', 'debugger', 'generalist'])(
    '[A4] %s can look at files and change none',
    async (agent) => {
      const given = await tools(agent)
      expect(given).toEqual(expect.arrayContaining(['file_read', 'file_search', 'document_read']))
      expect(given.filter((name) => writes.test(name))).toEqual([])
      expect(given.includes('exec_run')).toBe(agent === 'debugger' || agent === 'generalist')
    },
  )

  test.each(['coder', 'apivr', 'executor'])('[A4] %s can write and run commands', async (agent) => {
    expect(await tools(agent)).toEqual(expect.arrayContaining(['file_write', 'file_edit', 'exec_run']))
  })

  test('[A4] scriber writes texts, runs nothing and removes nothing', async () => {
    const given = await tools('scriber')
    expect(given).toEqual(expect.arrayContaining(['file_write', 'document_write']))
    expect(given.filter((name) => /^(exec_run|file_(move|delete))$/.test(name))).toEqual([])
  })
})

describe('a roster from elsewhere', () => {
  const folder = () => join(dirname(place.home), 'roster')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder(), path)), { recursive: true })
    writeFileSync(join(folder(), path), text)
  }
  const table = `eidolons:
  mapper: {capability_class: scout, trigger_verbs: [chart], downstream: [mender]}
  mender: {capability_class: coder, trigger_verbs: [solder], suggested_tier: light}
  ghost: {capability_class: wizard}
signals:
  - {id: hot, match: [burning], boost: {mender: 0.2}}
`

  test('[A11, A12] is shown by the command line, then taken with --yes, once', async () => {
    put('routing.yaml', table)
    put('contracts/mapper-to-mender.yaml', 'from: mapper\nto: mender\n')
    put('notes/readme.txt', 'x')
    const shown = await run('agents', 'import', folder(), '--project', 'shop')
    expect(shown.code).toBe(0)
    for (const part of [
      'Into the project shop:',
      'new agent mapper',
      'new routing.yaml',
      'new contract mapper-to-mender',
      'its class "wizard" is unknown',
      '--project shop --yes',
    ]) {
      expect(shown.out.replace(/ +/g, ' ')).toContain(part.replace(/ +/g, ' '))
    }
    expect(names(await inShop())).not.toContain('mapper')
    expect((await json('agents', 'import', folder())).value).toMatchObject({ applied: false, place: { level: 'home' } })
    expect((await run('agents', 'import', folder(), '--project', 'shop', '--yes')).out).toContain('4 documents were written.')
    expect(names(await inShop())).toEqual(expect.arrayContaining(['mapper', 'mender', 'scout']))
    expect(names((await ask('GET', '/api/agents')).json)).not.toContain('mapper')
    expect(readFileSync(fileOf('shop', 'agents', 'mapper.md'), 'utf8')).toContain('triggers: [chart]')
    const again = await json('agents', 'import', folder(), '--project', 'shop', '--yes')
    expect(again.value.items.map((one: Found) => one.action)).toEqual(['same', 'same', 'same', 'same'])
  })

  test('[A12] over HTTP is a preview without apply, and all or nothing with it', async () => {
    const files = [{ path: 'routing.yaml', text: table.replaceAll('mapper', 'charter') }]
    const preview = await ask('POST', '/api/agents/import', { files, project: 'shop' })
    expect(preview).toMatchObject({ status: 200, json: { applied: false, place: { level: 'project', scope: 'shop' } } })
    expect(preview.json.items.map((one: Found) => `${one.action} ${one.name}`)).toEqual([
      'create charter',
      'same mender',
      'same routing.yaml',
    ])
    const refused = await ask('POST', '/api/agents/import', {
      files: [{ path: '../routing.yaml', text: table }],
      project: 'shop',
      apply: true,
    })
    expect(refused).toMatchObject({
      status: 400,
      json: { path: '/files', detail: expect.stringContaining('"../routing.yaml" is not possible') },
    })
    expect(names(await inShop())).not.toContain('charter')
    expect((await ask('POST', '/api/agents/import', { files, project: 'shop', apply: true })).json.applied).toBe(true)
    expect(names(await inShop())).toContain('charter')
  })

  test('[A13] a link, a huge file, and a folder without a roster are refused by the command line', async () => {
    writeFileSync(join(dirname(place.home), 'secret.yaml'), table)
    rmSync(join(folder(), 'routing.yaml'))
    expect((await run('agents', 'import', folder())).err).toContain('There is no routing.yaml in')
    symlinkSync(join(dirname(place.home), 'secret.yaml'), join(folder(), 'routing.yaml'))
    expect(await run('agents', 'import', folder(), '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a symbolic link is not followed'),
    })
    rmSync(join(folder(), 'routing.yaml'))
    put('routing.yaml', `${table}#${'x'.repeat(600_000)}`)
    expect((await run('agents', 'import', folder(), '--yes')).err).toContain('and 512000 are allowed')
    expect(await run('agents', 'import', join(folder(), 'routing.yaml'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('is no folder'),
    })
    expect((await run('agents', 'import', join(folder(), 'none'))).code).toBe(2)
  })
})
