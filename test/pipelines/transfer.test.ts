import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { readConfiguration } from '../../src/pipelines/configurations/read.ts'
import { refIn } from '../../src/pipelines/configurations/uri.ts'
import type { Applied, Choice } from '../../src/pipelines/transfer/transfer.ts'
import { type Files, readZip, writeZip } from '../../src/pipelines/transfer/zip.ts'
import { ada, openTalk, type Talk } from './talk.ts'
import { transferOver } from './transferring.ts'

let talk: Talk
afterEach(() => talk?.close())

const id = (at: number) => at.toString(16).padStart(24, 'a')
const bytes = (value: Json) => new TextEncoder().encode(JSON.stringify(value))

type Given = {
  readonly greeting?: string
  readonly call?: JsonObject
  readonly extra?: Readonly<Record<string, Json>>
  readonly workflows?: readonly string[]
}

const rulesUri = `eddi://ai.labs.behavior/behaviorstore/behaviorsets/${id(3)}?version=4`
const outputUri = `eddi://ai.labs.output/outputstore/outputsets/${id(4)}?version=2`
const callsUri = `eddi://ai.labs.httpcalls/httpcallsstore/httpcalls/${id(5)}?version=1`
const packageUri = `eddi://ai.labs.package/packagestore/packages/${id(2)}?version=7`

/** A greeter in the names of the first generation. */
function greeter({ greeting = 'Good day!', call = {}, extra = {}, workflows = [packageUri] }: Given = {}): Files {
  const inner = `${id(2)}/7/`
  const steps = [
    { type: 'eddi://ai.labs.behavior', config: { uri: rulesUri }, extensions: {} },
    { type: 'eddi://ai.labs.httpcalls', config: { uri: callsUri }, extensions: {} },
    { type: 'eddi://ai.labs.output', config: { uri: outputUri }, extensions: {} },
  ]
  const rule = { name: 'greet', actions: ['greet'], children: [{ type: 'actionmatcher', values: { actions: 'CONVERSATION_START' } }] }
  const request = { path: '/who', method: 'get', headers: {}, queryParams: {}, body: '' }
  const given: Readonly<Record<string, Json>> = {
    [`${id(1)}.bot.json`]: { packages: [...workflows], channels: [] },
    [`${id(1)}.descriptor.json`]: {
      name: 'Greeter',
      description: 'It greets',
      resource: `eddi://ai.labs.bot/botstore/bots/${id(1)}?version=9`,
    },
    [`${inner}${id(2)}.package.json`]: { packageExtensions: steps },
    [`${inner}${id(3)}.behavior.json`]: { behaviorGroups: [{ name: 'all', behaviorRules: [rule] }] },
    [`${inner}${id(4)}.output.json`]: {
      outputSet: [{ action: 'greet', outputs: [{ valueAlternatives: [{ type: 'text', text: greeting }] }] }],
    },
    [`${inner}${id(5)}.httpcalls.json`]: {
      targetServer: 'https://names.example.org',
      httpCalls: [{ name: 'who', actions: ['ask'], request, ...call }],
    },
    ...extra,
  }
  return new Map(Object.entries(given).map(([name, value]) => [name, bytes(value)]))
}

async function open(more: Parameters<typeof transferOver>[1] = {}) {
  talk = await openTalk()
  return transferOver(talk, more)
}

const ofVault = (word: string, key: string) => `$\{${word}:${key}}`
const create: Choice = { strategy: 'create' }
const actionsOf = ({ items }: Pick<Applied, 'items'>) => Object.fromEntries(items.map(({ kind, action }) => [kind, action]))

async function rawOf(applied: Applied, kind: 'output' | 'workflow' | 'agent' | 'httpcalls'): Promise<JsonObject> {
  const target = applied.items.find((one) => one.kind === kind)?.target
  if (!target) throw new Error(`no ${kind}`)
  return (await talk.pipelines.configurations.read({ kind, id: target.id, version: target.version }, ada))?.raw ?? {}
}

async function everything(): Promise<number> {
  const { configurations } = talk.pipelines
  const all = await Promise.all(
    (['agent', 'workflow', 'rules', 'output', 'httpcalls'] as const).map((kind) => configurations.descriptors(kind, ada, { limit: 0 })),
  )
  return all.flat().length
}

describe('create', () => {
  test('[Y178, Y181] older names become canonical, older templates are carried over, references lead to the new ones', async () => {
    const { transfer } = await open()
    const body = `{"uri": "${outputUri}", "other": "eddi://ai.labs.output/outputstore/outputsets/${id(99)}?version=1"}`
    const files = greeter({ greeting: `Hello [[$\{properties.name}]]!`, call: { request: { path: '/x', body } } })
    const applied = await transfer.apply({ files }, create, { writer: ada })
    expect(actionsOf(applied)).toEqual({ rules: 'CREATE', httpcalls: 'CREATE', output: 'CREATE', workflow: 'CREATE', agent: 'CREATE' })
    expect(await rawOf(applied, 'output')).toMatchObject({
      outputSet: [{ outputs: [{ valueAlternatives: [{ text: 'Hello {properties.name}!' }] }] }],
    })
    const made = Object.fromEntries(applied.items.map(({ kind, target }) => [kind, target?.id]))
    expect(await rawOf(applied, 'agent')).toMatchObject({
      workflows: [`eddi://ai.labs.workflow/workflowstore/workflows/${made['workflow']}?version=1`],
    })
    const { workflowSteps } = await rawOf(applied, 'workflow')
    expect(workflowSteps).toMatchObject([
      { type: 'eddi://ai.labs.rules', config: { uri: `eddi://ai.labs.rules/rulestore/rulesets/${made['rules']}?version=1` } },
      { type: 'eddi://ai.labs.httpcalls' },
      { type: 'eddi://ai.labs.output' },
    ])
    const calls = JSON.stringify(await rawOf(applied, 'httpcalls'))
    expect(calls).toContain(`outputsets/${made['output']}?version=1`)
    expect(calls).toContain(`outputsets/${id(99)}?version=1`)
    const agent = await talk.pipelines.configurations.read({ kind: 'agent', id: applied.agent.id }, ada)
    expect(agent?.descriptor).toMatchObject({ name: 'Greeter', description: 'It greets', originId: id(1) })
  })

  test('[Y182, Y183] a preview writes nothing, an import is one commit, and what does not match its preview is a conflict', async () => {
    const { transfer, kept } = await open()
    const files = greeter({ call: { request: { path: '/x', headers: { Authorization: 'Bearer sk-1234567890abcdef' } } } })
    const before = talk.bench.journal.head()
    const preview = await transfer.preview({ files }, create, ada)
    expect([await everything(), kept.size, talk.bench.journal.head()]).toEqual([0, 0, before])
    await expect(transfer.apply({ files: greeter() }, create, { writer: ada, mark: preview.mark })).rejects.toThrow(
      /changed since the preview/,
    )
    expect([await everything(), kept.size]).toEqual([0, 0])
    await transfer.apply({ files }, create, { writer: ada, mark: preview.mark })
    expect(await everything()).toBe(5)
  })

  test('[Y179] open secrets are kept by the store, by where they stand; references and templates stay', async () => {
    const { transfer, kept } = await open()
    const headers = {
      Authorization: 'Bearer abcdefgh12345678',
      'X-Api-Key': ofVault('eddivault', 'team/Names_Key'),
      Accept: 'application/json',
    }
    const queryParams = { appid: '0123456789abcdef', token: '{properties.token}', key: 'short' }
    const files = greeter({ call: { parameters: { token: 'the token of the page' }, request: { path: '/', headers, queryParams } } })
    const preview = await transfer.preview({ files }, create, ada)
    expect(preview.secrets).toEqual([
      { name: 'greeter-appid', state: 'taken' },
      { name: 'greeter-authorization', state: 'taken' },
      { name: 'names_key', state: 'missing' },
    ])
    expect(preview.hosts).toEqual(['https://names.example.org'])
    const applied = await transfer.apply({ files }, create, { writer: ada })
    expect([...kept]).toEqual([
      ['greeter-authorization', 'abcdefgh12345678'],
      ['greeter-appid', '0123456789abcdef'],
    ])
    expect(await rawOf(applied, 'httpcalls')).toMatchObject({
      httpCalls: [
        {
          parameters: { token: 'the token of the page' },
          request: {
            headers: { ...headers, Authorization: `Bearer ${ofVault('vault', 'greeter-authorization')}` },
            queryParams: { ...queryParams, appid: ofVault('vault', 'greeter-appid') },
          },
        },
      ],
    })
  })

  test('[Y179] a name that is taken by another value is left alone', async () => {
    const { transfer, kept } = await open()
    kept.set('greeter-appid', 'another value')
    const files = greeter({ call: { request: { path: '/', queryParams: { appid: '0123456789abcdef' } } } })
    await transfer.apply({ files }, create, { writer: ada })
    expect([...kept]).toEqual([
      ['greeter-appid', 'another value'],
      ['greeter-appid-2', '0123456789abcdef'],
    ])
  })

  test('[Y176, Y177] what is not clear is refused whole: no agent, two, a circle, doubles, what is no JSON object', async () => {
    const { transfer } = await open()
    const refused = async (files: Files, why: RegExp) => {
      await expect(transfer.apply({ files }, create, { writer: ada })).rejects.toThrow(why)
      expect(await everything()).toBe(0)
    }
    const without = new Map(greeter())
    without.delete(`${id(1)}.bot.json`)
    await refused(without, /no agent in it/)
    const two = greeter({ extra: { [`${id(8)}.agent.json`]: { workflows: [] } } })
    await refused(two, /more than one agent.*Greeter/)
    const named = await transfer.preview({ files: two }, { ...create, agentId: id(8) }, ada)
    expect(named.items.map(({ kind }) => kind)).toEqual(['agent'])
    await refused(
      greeter({
        extra: { [`${id(2)}/7/${id(2)}.package.json`]: { workflowSteps: [{ type: 'eddi://ai.labs.x', config: { uri: packageUri } }] } },
      }),
      /circle: workflow/,
    )
    await refused(greeter({ extra: { [`${id(6)}/1/${id(4)}.output.json`]: { outputSet: [] } } }), /twice with different contents/)
    await refused(greeter({ extra: { [`${id(6)}.output.json`]: [1] } }), /a JSON object is wanted/)
    await refused(new Map([...greeter(), [`${id(6)}.output.json`, Uint8Array.of(0xff, 0xfe, 0x7b, 0)]]), /UTF-16/)
    await refused(
      new Map([...greeter(), ['ev il.output.json', bytes({})], [`${id(7)}.rules.json`, bytes({ behaviorGroups: 'no' })]]),
      /can't be read/,
    )
  })

  test('[Y177] what is named and missing is told, and keeps the agent from being deployed', async () => {
    const { transfer } = await open()
    const files = new Map(greeter())
    files.delete(`${id(2)}/7/${id(4)}.output.json`)
    const applied = await transfer.apply({ files }, create, { writer: ada, deploy: 'production' })
    expect(applied.faults).toEqual([
      { where: `workflow ${id(2)}`, message: `output/${id(4)} is named and is not in the source`, stops: 'deploy' },
    ])
    expect([applied.deployed, applied.notDeployed]).toEqual([null, expect.stringContaining('does not exist')])
  })
})

describe('merge', () => {
  test('[Y180, Y187] only what differs makes a version, and carries up to the agent', async () => {
    const { transfer } = await open()
    const first = await transfer.apply({ files: greeter() }, create, { writer: ada })
    const same = await transfer.apply({ files: greeter() }, { strategy: 'merge' }, { writer: ada })
    expect(new Set(Object.values(actionsOf(same)))).toEqual(new Set(['SKIP']))
    const changed = await transfer.apply({ files: greeter({ greeting: 'Welcome!' }) }, { strategy: 'merge' }, { writer: ada })
    expect(actionsOf(changed)).toEqual({ rules: 'SKIP', httpcalls: 'SKIP', output: 'UPDATE', workflow: 'UPDATE', agent: 'UPDATE' })
    expect(changed.items.find(({ kind }) => kind === 'output')?.differs).toEqual(['/outputSet/0/outputs/0/valueAlternatives/0/text'])
    expect(changed.agent).toEqual({ kind: 'agent', id: first.agent.id, version: 2 })
    const { workflows } = await rawOf(changed, 'agent')
    expect(refIn(String(Array.isArray(workflows) ? workflows[0] : ''))).toMatchObject({ version: 2 })
    expect(await rawOf(first, 'output')).toMatchObject({ outputSet: [{ outputs: [{ valueAlternatives: [{ text: 'Good day!' }] }] }] })
  })

  test('[Y187] what was not selected keeps what it has; what is new and left out is named', async () => {
    const { transfer } = await open()
    await transfer.apply({ files: greeter() }, create, { writer: ada })
    const files = greeter({ greeting: 'Welcome!', call: { description: 'who it is' } })
    const some = await transfer.apply({ files }, { strategy: 'merge', selectedResources: [id(5)] }, { writer: ada })
    expect(actionsOf(some)).toEqual({ rules: 'SKIP', httpcalls: 'UPDATE', output: 'SKIP', workflow: 'UPDATE', agent: 'UPDATE' })
    const none = transfer.apply({ files }, { strategy: 'create', selectedResources: [id(2)] }, { writer: ada })
    await expect(none).rejects.toThrow(/was not selected, is named by it/)
  })

  test('[Y182] what somebody changed here since the preview is a conflict', async () => {
    const { transfer } = await open()
    const first = await transfer.apply({ files: greeter() }, create, { writer: ada })
    const files = greeter({ greeting: 'Welcome!' })
    const preview = await transfer.preview({ files }, { strategy: 'merge' }, ada)
    const output = first.items.find(({ kind }) => kind === 'output')?.target
    if (output) await talk.pipelines.configurations.update(output, { outputSet: [] }, ada)
    const late = transfer.apply({ files }, { strategy: 'merge' }, { writer: ada, mark: preview.mark })
    await expect(late).rejects.toThrow(/changed since the preview/)
  })
})

describe('upgrade', () => {
  test('[Y187] an agent of other ids is changed by its structure', async () => {
    const { transfer } = await open()
    const first = await transfer.apply({ files: greeter() }, create, { writer: ada })
    const other = new Map(
      [...greeter({ greeting: 'Welcome!' })].map(([name, content]) => {
        const text = new TextDecoder().decode(content)
        return [name.replaceAll('aaaa', 'bbbb'), new TextEncoder().encode(text.replaceAll('aaaa', 'bbbb'))] as const
      }),
    )
    await expect(transfer.preview({ files: other }, { strategy: 'upgrade' }, ada)).rejects.toThrow(/targetAgentId/)
    const choice: Choice = { strategy: 'upgrade', targetAgentId: first.agent.id }
    const upgraded = await transfer.apply({ files: other }, choice, { writer: ada, deploy: 'production' })
    expect(actionsOf(upgraded)).toEqual({ rules: 'SKIP', httpcalls: 'SKIP', output: 'UPDATE', workflow: 'UPDATE', agent: 'UPDATE' })
    expect(upgraded.agent).toEqual({ kind: 'agent', id: first.agent.id, version: 2 })
    expect(upgraded.deployed?.agentVersion).toBe(2)
    expect(await everything()).toBe(5)
  })

  test('[Y187] the order of workflows says which takes which place', async () => {
    const { transfer } = await open()
    const second = `eddi://ai.labs.package/packagestore/packages/${id(20)}?version=1`
    const extra = { [`${id(20)}/1/${id(20)}.package.json`]: { packageExtensions: [{ type: 'eddi://ai.labs.templating', config: {} }] } }
    const files = greeter({ workflows: [packageUri, second], extra })
    const first = await transfer.apply({ files }, create, { writer: ada })
    const choice: Choice = { strategy: 'upgrade', targetAgentId: first.agent.id, workflowOrder: [id(20), id(2)] }
    const turned = await transfer.preview({ files }, choice, ada)
    expect(turned.items.filter(({ kind }) => kind === 'workflow').map(({ action }) => action)).toEqual(['UPDATE', 'UPDATE'])
    const wrong = transfer.preview({ files }, { ...choice, workflowOrder: [id(77)] }, ada)
    await expect(wrong).rejects.toThrow(/workflowOrder names/)
  })

  test('[Y187] snippets are found by their name', async () => {
    const { transfer } = await open()
    const snippet = (content: string) => ({ [`snippets/${id(30)}.snippet.json`]: { name: 'tone', content } })
    const greeting = 'Hello in a {snippets.tone} voice'
    const first = await transfer.apply({ files: greeter({ greeting, extra: snippet('calm') }) }, create, { writer: ada })
    const again = await transfer.preview({ files: greeter({ greeting, extra: snippet('calm') }) }, create, ada)
    expect(again.items.find(({ kind }) => kind === 'snippet')?.action).toBe('SKIP')
    const choice: Choice = { strategy: 'upgrade', targetAgentId: first.agent.id }
    const louder = await transfer.apply({ files: greeter({ greeting, extra: snippet('loud') }) }, choice, { writer: ada })
    expect(actionsOf(louder)).toMatchObject({ snippet: 'UPDATE', output: 'SKIP', agent: 'SKIP' })
    const { files } = await transfer.exportAgent({ id: louder.agent.id }, ada)
    expect([...files.keys()].filter((name) => name.startsWith('snippets/'))).toHaveLength(2)
  })
})

describe('export', () => {
  test('[Y184] what is exported and imported again is the same agent, and no value leaves', async () => {
    const word = fc.stringMatching(/^[A-Za-z0-9 {}.,!?äöü"\\[\]-]{0,30}$/)
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 5 }), word, async (texts, path) => {
        const { transfer, kept } = await open()
        const outputSet = texts.map((text, at) => ({
          action: `action ${at}`,
          timesOccurred: at,
          outputs: [
            {
              valueAlternatives: [
                { type: 'text', text },
                { type: 'image', uri: path },
              ],
            },
          ],
          quickReplies: [{ value: text, expressions: `said(${at})`, isDefault: at === 0 }],
        }))
        const request = { path: `/${path}`, headers: { 'X-Api-Key': 'a very secret value' } }
        const files = greeter({ call: { request }, extra: { [`${id(2)}/7/${id(4)}.output.json`]: { outputSet } } })
        const first = await transfer.apply({ files }, create, { writer: ada })
        const exported = await transfer.exportAgent({ id: first.agent.id }, ada)
        const zip = await writeZip(exported.files, 0)
        for (const content of (await readZip(zip)).values()) expect(new TextDecoder().decode(content)).not.toContain([...kept.values()][0])
        const merged = await transfer.preview({ zip }, { strategy: 'merge' }, ada)
        expect(new Set(merged.items.map(({ action }) => action))).toEqual(new Set(['SKIP']))
        const second = await transfer.apply({ zip }, create, { writer: ada })
        for (const kind of ['output', 'httpcalls'] as const) {
          const value = async (one: Applied) => readConfiguration(kind, await rawOf(one, kind), 'strict')
          expect(await value(second)).toEqual(await value(first))
        }
        await talk.close()
      }),
      { numRuns: 12 },
    )
  })
})

describe('another instance', () => {
  const served = (files: Files) => async (url: string) => {
    const { pathname, searchParams } = new URL(url)
    const [, store = '', plural = '', one = '', more = ''] = pathname.replace('/eddi', '').split('/')
    if (more === 'currentversion') return { status: 200, bytes: bytes(9) }
    const ending = store === 'descriptorstore' ? 'descriptor' : plural === 'bots' ? 'bot' : plural.replace(/sets$|s$/, '')
    const names: Readonly<Record<string, string>> = { package: 'package', httpcall: 'httpcalls' }
    const found = [...files].find(([name]) => name.endsWith(`${one}.${names[ending] ?? ending}.json`))
    if (!found || !searchParams.has('version')) return { status: 404, bytes: bytes({}) }
    return { status: 200, bytes: found[1] }
  }

  test('[Y185] an agent is read by its stores, and imported like an archive', async () => {
    const { transfer } = await open({ fetch: served(greeter()) })
    const url = `https://eddi.example.org/eddi/botstore/bots/${id(1)}`
    const applied = await transfer.apply({ url }, create, { writer: ada, deploy: 'production' })
    expect([applied.name, applied.items.length, applied.deployed?.agentName]).toEqual(['Greeter', 5, 'greeter'])
  })

  test('[Y185] what it does not answer is named, and other addresses are refused', async () => {
    const files = new Map(greeter())
    files.delete(`${id(2)}/7/${id(4)}.output.json`)
    const { transfer } = await open({ fetch: served(files) })
    const url = `https://eddi.example.org/botstore/bots/${id(1)}?version=9`
    await expect(transfer.preview({ url }, create, ada)).rejects.toThrow(/outputsets\/.* answered 404/)
    for (const wrong of ['https://eddi.example.org/', `https://eddi.example.org/outputstore/outputsets/${id(4)}`, 'file:///etc/passwd'])
      await expect(transfer.preview({ url: wrong }, create, ada)).rejects.toThrow(/the address of an agent is wanted/)
    const silent = transferOver(talk)
    await expect(silent.transfer.preview({ url }, create, ada)).rejects.toThrow(/can't be read: nobody answers/)
  })
})
