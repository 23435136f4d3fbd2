import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { ResourceRef } from '../../src/pipelines/configuration.ts'
import { uriOf } from '../../src/pipelines/configurations/uri.ts'
import { ada, openTalk, type Talk } from './talk.ts'

let talk: Talk
beforeEach(async () => {
  talk = await openTalk()
})
afterEach(() => talk?.close())

const store = () => talk.pipelines.configurations
const place = { user: 'ada' }

async function made(kind: ResourceRef['kind'], value: JsonObject, name = ''): Promise<ResourceRef> {
  const [ref] = await store().create([{ kind, value, name }], ada)
  if (!ref) throw new Error('nothing was made')
  return ref
}
const output = (text: string): JsonObject => ({
  outputSet: [{ action: 'say', outputs: [{ valueAlternatives: [{ type: 'text', text }] }] }],
})
const stepOf = (type: string, ref: ResourceRef): JsonObject => ({ type, config: { uri: uriOf(ref) }, extensions: {} })

/** An agent with an output, in one workflow. */
async function agent(name = 'Speaker') {
  const said = await made('output', output('one'), 'Words')
  const workflow = await made('workflow', { workflowSteps: [stepOf('eddi://ai.labs.output', said)] }, 'Flow')
  return { said, workflow, ref: await made('agent', { workflows: [uriOf(workflow)] }, name) }
}

describe('configurations', () => {
  test('[Y60, Y64] all that is wrong is named at once, and nothing is kept', async () => {
    const wrong = { behaviorGroups: [{ executionStrategy: 'sometimes', rules: [{ name: 'R', actions: 'x', condition: [] }] }], colour: 1 }
    await expect(
      store().create(
        [
          { kind: 'output', value: output('x') },
          { kind: 'rules', value: wrong },
        ],
        ada,
      ),
    ).rejects.toThrow(/behaviorGroups\/0\/executionStrategy.*\n.*behaviorGroups\/0\/rules\/0\/actions/)
    expect(await store().descriptors('output', place)).toEqual([])
    const never = { behaviorGroups: [{ rules: [{ name: 'R', actions: [], conditions: [{ type: 'actionmatcher', configs: {} }] }] }] }
    await expect(store().create([{ kind: 'rules', value: never }], ada)).rejects.toThrow(/R.*actionmatcher/)
    await expect(store().create([{ kind: 'output', value: { ...output('x'), color: 'red' } }], ada)).rejects.toThrow(/\/color/)
    await expect(store().create([{ kind: 'dictionary', value: { regExs: [{ regEx: '(a+)+$', expressions: 'x' }] } }], ada)).rejects.toThrow(
      /\(a\+\)\+/,
    )
    await expect(store().create([{ kind: 'output', value: [] }], ada)).rejects.toThrow(/JSON object/)
  })

  test('[Y61] a version never changes, and a stale write is a conflict that names both', async () => {
    const first = await made('output', output('one'))
    const second = await store().update(first, output('two'), ada)
    expect([first.version, second.version]).toEqual([1, 2])
    await expect(store().update(first, output('three'), ada)).rejects.toThrow(/version=1 is not the newest version: that is 2/)
    const [a, b] = await Promise.allSettled([store().update(second, output('a'), ada), store().update(second, output('b'), ada)])
    expect([a.status, b.status].sort()).toEqual(['fulfilled', 'rejected'])
    const read = async (version: number) => JSON.stringify((await store().read({ ...first, version }, place))?.raw)
    expect(await read(1)).toContain('one')
    expect(await read(2)).toContain('two')
    expect((await store().read({ kind: 'output', id: first.id }, place))?.newest).toBe(3)
    expect(await store().read({ ...first, version: 9 }, place)).toBeNull()
  })

  test('[Y62] a change of a child is carried up to the agent and deployed, in one call', async () => {
    const { said, workflow, ref } = await agent()
    const { deployments } = talk.pipelines
    await deployments.deploy(ref, 'production', ada)
    const { agent: to, changed } = await store().apply(ref, [{ ref: said, value: output('two') }], ada)
    expect(changed.map(({ kind, version }) => [kind, version])).toEqual([
      ['output', 2],
      ['workflow', 2],
      ['agent', 2],
    ])
    expect((await store().read(to, place))?.raw['workflows']).toEqual([uriOf({ ...workflow, version: 2 })])
    expect((await deployments.current(ref.id, 'production', place))?.agentVersion).toBe(2)
    await expect(store().apply(ref, [{ ref: { ...said, version: 2 }, value: output('three') }], ada)).rejects.toThrow(/newest version/)
    const stray = await made('output', output('x'))
    await expect(store().apply(to, [{ ref: stray, value: output('y') }], ada)).rejects.toThrow(/no part of the agent Speaker/)
    const swapped = await store().updateReference({ ...workflow, version: 2 }, uriOf({ ...said, version: 1 }), ada)
    expect(JSON.stringify((await store().read(swapped, place))?.raw)).toContain('version=1')
  })

  test('[Y63] deleted is hidden, purged is gone, a cascade takes only what nobody else uses', async () => {
    const { said, workflow, ref } = await agent()
    const other = await made('workflow', { workflowSteps: [stepOf('eddi://ai.labs.output', said)] })
    expect((await store().usages(said, place)).map((one) => one.ref.id).sort()).toEqual([workflow.id, other.id].sort())
    await store().remove(ref, { cascade: true }, ada)
    expect(await store().read({ kind: 'agent', id: ref.id }, place)).toBeNull()
    expect(await store().read({ kind: 'workflow', id: workflow.id }, place)).toBeNull()
    expect(await store().read({ kind: 'output', id: said.id }, place)).not.toBeNull()
    expect(await store().read(ref, place)).not.toBeNull()
    expect((await store().descriptors('agent', place, { deleted: true })).map(({ name }) => name)).toEqual(['Speaker'])
    await store().remove(ref, { permanent: true }, ada)
    expect(await store().read(ref, place)).toBeNull()
    await expect(store().remove(ref, {}, ada)).rejects.toThrow(/there is no agent/)
  })

  test('copies, descriptions and lists', async () => {
    const { said, ref } = await agent('Speaker')
    const copy = await store().duplicate(ref, { deep: true }, ada)
    const stored = await store().read(copy, place)
    expect(stored?.descriptor.name).toBe('Copy of Speaker')
    expect(JSON.stringify(stored?.raw)).not.toContain(ref.id)
    expect((await store().usages(said, place)).length).toBe(1)
    await store().describe(ref, { name: 'Loud speaker', description: 'It talks.' }, ada)
    expect((await store().read(ref, place))?.ref.version).toBe(1)
    expect((await store().descriptors('agent', place, { filter: 'loud' })).map(({ description }) => description)).toEqual(['It talks.'])
    expect((await store().descriptors('agent', place, { limit: 1, index: 1 })).length).toBe(1)
    expect(await store().descriptors('agent', { user: 'bob' })).toEqual([])
  })

  test('a dictionary of 50,000 words is kept and read again, also as an older version', async () => {
    const words = Array.from({ length: 50_000 }, (_, at) => ({ word: `word${at}`, expressions: `w(number_${at})`, frequency: 0 }))
    const first = await made('dictionary', { words })
    const second = await store().update(first, { words: [...words, { word: 'one', expressions: 'more' }] }, ada)
    expect((await store().read(first, place))?.value).toMatchObject({ lang: 'en' })
    for (const [ref, count] of [
      [first, 50_000],
      [second, 50_001],
    ] as const) {
      const stored = await store().read({ ...ref, kind: 'dictionary' }, place)
      expect(stored?.value.words.length).toBe(count)
    }
    await store().remove(second, { permanent: true }, ada)
    expect(await talk.bench.scopes.documents.list('pipelines/', { user: 'ada', project: '_user_ada' })).toEqual([])
  })
})

describe('deployment', () => {
  test('[Y70, Y71] what can not run is named with its place, and nothing is changed', async () => {
    const llm = await made('llm', { tasks: [{ actions: ['*'], id: 'chat', type: 'jlama', parameters: {} }] }, 'Mind')
    const rag = await made('rag', { name: 'docs', storeType: 'qdrant', embeddingProvider: 'cohere' })
    const gone: ResourceRef = { kind: 'output', id: 'a'.repeat(24), version: 1 }
    const workflow = await made('workflow', {
      workflowSteps: [
        stepOf('eddi://ai.labs.langchain', llm),
        stepOf('eddi://ai.labs.rag', rag),
        stepOf('eddi://ai.labs.output', gone),
        { type: 'eddi://ai.labs.mystery', config: {}, extensions: {} },
        { type: 'eddi://ai.labs.behavior', config: {}, extensions: {} },
        {
          type: 'eddi://ai.labs.parser',
          config: {},
          extensions: { dictionaries: [{ type: 'eddi://ai.labs.parser.dictionaries.klingon' }] },
        },
      ],
    })
    const ref = await made('agent', { workflows: [uriOf(workflow)] }, 'Broken')
    const refused = talk.pipelines.deployments.deploy(ref, 'production', ada)
    for (const why of [
      /"jlama" is not supported/,
      /"qdrant" is not supported/,
      /"cohere" is not supported/,
      /does not exist/,
      /ai\.labs\.mystery/,
      /workflow 1\/step 5/,
      /klingon/,
    ]) {
      await expect(refused).rejects.toThrow(why)
    }
    expect(await talk.pipelines.deployments.list('production', place)).toEqual([])
    expect(await talk.bench.scopes.documents.list('agents/', { user: 'ada', project: '_user_ada' })).toEqual([])
  })

  test('[Y70] references that go in a circle are named', async () => {
    const one = await made('workflow', { workflowSteps: [] })
    const two = await made('workflow', {
      workflowSteps: [{ type: 'eddi://ai.labs.templating', config: { uri: uriOf({ ...one, version: 2 }) }, extensions: {} }],
    })
    await store().update(one, { workflowSteps: [{ type: 'eddi://ai.labs.templating', config: { uri: uriOf(two) }, extensions: {} }] }, ada)
    const ref = await made('agent', { workflows: [uriOf({ ...one, version: 2 })] }, 'Ring')
    await expect(talk.pipelines.deployments.deploy(ref, 'test', ada)).rejects.toThrow(/circle/)
  })

  test('[Y72, Y73] a deployed pipeline is an agent under a free name; undeployed, only its conversations go on', async () => {
    const text = '---\nname: speaker\nengine: pipeline\n---\nSomebody else.\n'
    await talk.bench.scopes.documents.write({ path: 'agents/speaker.md', level: 'home', scope: '_user_ada', text }, 'user:ada')
    const { ref } = await agent('Spéaker!')
    const { deployments } = talk.pipelines
    const deployed = await deployments.deploy(ref, 'production', ada)
    expect([deployed.agentName, deployed.status, deployed.agentVersion]).toEqual(['speaker-2', 'READY', 1])
    expect((await deployments.deploy(ref, 'production', ada)).agentName).toBe('speaker-2')
    expect((await deployments.deploy(ref, 'test', ada)).agentName).toBeNull()
    const { session } = await talk.open('speaker-2')
    await talk.say(session, 'hello')
    expect(await deployments.undeploy({ id: ref.id }, 'production', {}, ada)).toBe(true)
    expect(await deployments.undeploy({ id: ref.id }, 'production', {}, ada)).toBe(false)
    expect((await deployments.list('test', place)).length).toBe(1)
    expect((await talk.say(session, 'hello')).data['outcome']).toBe('done')
    await expect(talk.open('speaker-2')).rejects.toThrow()
    const found = await talk.bench.scopes.documents.find('agents/speaker.md', { user: 'ada', project: '_user_ada' })
    expect(found?.text).toBe(text)
  })
})
