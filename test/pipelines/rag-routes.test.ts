// Documents of knowledge bases given by EDDI's clients and by Steward's people, against a real hub that has no model.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScriptedModel } from '../../src/models/scripted.ts'
import { newPlace, type Place } from '../program.ts'
import { type Client, openClient } from './eddi-client.ts'

const base = { name: 'manual', embeddingProvider: 'openai-compatible', chunkSize: 200, chunkOverlap: 20 }

describe('over HTTP', () => {
  let client: Client
  let id: string
  beforeAll(async () => {
    client = await openClient()
    id = await client.make('/ragstore/rags', base)
  })
  afterAll(() => client.close())

  const statusOf = async (ingestion: string) => (await client.ask('GET', `/ragstore/rags/${id}/ingestion/${ingestion}/status`)).json
  const finished = async (ingestion: string) => {
    for (;;) {
      const { status, ...rest } = await statusOf(ingestion)
      if (status !== 'pending' && status !== 'processing') return { status, ...rest }
    }
  }

  test('[Y149] a document as text is kept, and its status says how far it is', async () => {
    const given = await client.ask('POST', `/ragstore/rags/${id}/ingest?version=1&documentName=readme.txt`, 'The door is red.')
    expect(given).toMatchObject({ status: 202, json: { kbId: 'manual', status: 'pending' } })
    const done = await finished(given.json.ingestionId)
    expect(done).toMatchObject({ status: 'completed', warning: expect.stringMatching(/found by its words only/) })
    const { json } = await client.ask('GET', `/api/pipelines/knowledge/${id}`)
    expect(json).toMatchObject({
      name: 'manual',
      documents: 1,
      chunks: 1,
      items: [{ id: 'readme.txt', state: 'completed', embedder: null }],
    })
  })

  test('[Y149] the same name again stays beside the first, and with replace takes the place of both', async () => {
    await client.ask('POST', `/ragstore/rags/${id}/ingest?documentName=prices`, 'One euro.')
    await client.ask('POST', `/ragstore/rags/${id}/ingest?documentName=prices`, 'Two euros.')
    const names = async () => (await client.ask('GET', `/api/pipelines/knowledge/${id}`)).json.items.map((one: { id: string }) => one.id)
    expect(await names()).toEqual(['prices', 'prices (2)', 'readme.txt'])
    const last = await client.ask('POST', `/ragstore/rags/${id}/ingest?documentName=prices&replace=true`, 'Three euros.')
    await finished(last.json.ingestionId)
    expect(await names()).toEqual(['prices', 'readme.txt'])
  })

  test.each([
    ['/ingest?replace=true', 'text', 400, /replace needs a documentName/],
    ['/ingest?kbId=other', 'text', 400, /allowed is "manual"/],
    ['/ingest?version=9', 'text', 404, /no rag/],
    ['/ingest', '   ', 400, /has no words/],
    ['/ingest', { a: 1 }, 400, /text\/plain/],
  ])('[Y149] %s is refused', async (path, body, status, why) => {
    const asked = await client.ask('POST', `/ragstore/rags/${id}${path}`, body)
    expect([asked.status, asked.json.detail]).toEqual([status, expect.stringMatching(why)])
  })

  test('[Y149] an ingestion that is none is not found', async () => {
    expect((await client.ask('GET', `/ragstore/rags/${id}/ingestion/nobody/status`)).status).toBe(404)
    expect((await client.ask('POST', `/ragstore/rags/${'0'.repeat(24)}/ingest`, 'text')).status).toBe(404)
  })

  test('[Y142] Steward gives, replaces, lists in pages and removes; what is given outlives a restart', async () => {
    const own = await client.make('/ragstore/rags', { ...base, name: 'second' })
    const path = `/api/pipelines/knowledge/${own}`
    for (const name of ['a', 'b', 'c', 'a']) {
      const given = await client.ask('POST', path, { id: name, text: `Text of ${name}.`, metadata: { page: 1 } })
      expect(given).toMatchObject({ status: 202, json: { id: name, name, state: expect.stringMatching(/pending|completed/) } })
    }
    await client.reopen()
    const page = await client.ask('GET', `${path}?limit=2`)
    expect(page.json).toMatchObject({ documents: 3, next: '2', items: [{ id: 'a' }, { id: 'b' }] })
    expect((await client.ask('GET', `${path}?limit=2&after=2`)).json).toMatchObject({ next: null, items: [{ id: 'c' }] })
    expect((await client.ask('POST', `${path}/remove`, { id: 'b' })).json).toEqual({ removed: true })
    expect((await client.ask('POST', `${path}/remove`, { id: 'b' })).json).toEqual({ removed: false })
    expect(await client.ask('POST', `${path}/refresh`, {})).toMatchObject({ status: 202, json: { documents: 2 } })
    const all = await client.ask('GET', '/api/pipelines/knowledge')
    expect(all.json.items).toContainEqual({ id: own, name: 'second', version: 1, documents: 2, chunks: 2 })
    expect((await client.ask('POST', path, { id: 'x', text: 'y', more: 1 })).status).toBe(400)
  })

  test('[Y70] what of a base is not here is named before anything is deployed, and takes no documents', async () => {
    for (const [wrong, why] of [
      [{ embeddingProvider: 'cohere' }, /embedding provider "cohere" is not supported; there is openai, openai-compatible, ollama/],
      [{ storeType: 'pgvector' }, /vector store "pgvector" is not supported/],
      [{ chunkStrategy: 'semantic' }, /chunkStrategy "semantic" is not supported/],
      [{ chunkSize: 10 }, /chunkSize is 10; allowed is 32 to 8000/],
      [{ chunkOverlap: 300 }, /chunkOverlap is 300/],
    ] as const) {
      const rag = await client.make('/ragstore/rags', { ...base, ...wrong })
      const uri = `eddi://ai.labs.rag/ragstore/rags/${rag}?version=1`
      const workflow = await client.make('/workflowstore/workflows', { workflowSteps: [{ type: 'eddi://ai.labs.rag', config: { uri } }] })
      const workflows = [`eddi://ai.labs.workflow/workflowstore/workflows/${workflow}?version=1`]
      const agent = await client.make('/agentstore/agents', { workflows })
      const { json } = await client.ask('GET', `/api/pipelines/${agent}/check`)
      expect(json.faults).toContainEqual(expect.objectContaining({ severity: 'error', message: expect.stringMatching(why) }))
      expect((await client.ask('POST', `/ragstore/rags/${rag}/ingest`, 'text')).json.detail).toMatch(why)
    }
  })
})

test('[Y146] what a model task names and its workflows do not have is a warning', async () => {
  const client = await openClient()
  const task = {
    actions: ['think'],
    knowledgeBases: [{ name: 'elsewhere' }],
    enableWorkflowRag: true,
    httpCallRag: 'find',
    maxRagContextChars: -1,
  }
  const llm = await client.make('/llmstore/llms', { tasks: [task] })
  const uri = `eddi://ai.labs.llm/llmstore/llms/${llm}?version=1`
  const workflow = await client.make('/workflowstore/workflows', { workflowSteps: [{ type: 'eddi://ai.labs.llm', config: { uri } }] })
  const agent = await client.make('/agentstore/agents', {
    workflows: [`eddi://ai.labs.workflow/workflowstore/workflows/${workflow}?version=1`],
  })
  const { json } = await client.ask('GET', `/api/pipelines/${agent}/check`)
  await client.close()
  const told = json.faults.map(({ severity, message }: { severity: string; message: string }) => `${severity}: ${message}`)
  expect(told).toEqual([
    expect.stringMatching(/^warning: .*has the knowledge base "elsewhere", so nothing is found in it$/),
    expect.stringMatching(/^warning: .*enableWorkflowRag is on, and no step/),
    expect.stringMatching(/^warning: .*there is no call "find" for httpCallRag$/),
  ])
})

describe('steward pipelines knowledge', () => {
  let place: Place
  beforeAll(async () => {
    place = newPlace()
    await place.start()
  })
  afterAll(() => place.remove())
  const run = (...args: readonly string[]) => place.run(['pipelines', 'knowledge', ...args])

  test('[C4, Y142, Y186] an import with a knowledge base deploys; add, list, remove, refresh', async () => {
    expect((await run('list')).out).toContain('No knowledge bases.')
    const folder = dirname(place.home)
    const at = (name: string) => join(folder, name)
    writeFileSync(at('garden.md'), 'The garden door is red.')
    writeFileSync(at('picture.png'), Buffer.from([0x89, 0x50, 0xff, 0xfe]))
    expect(await run('add', 'manual', at('garden.md'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no knowledge base "manual"'),
    })
    writeAgent(at('agent'))
    expect(JSON.parse((await place.run(['pipelines', 'import', at('agent'), '--deploy', '--json'])).out)).toMatchObject({
      applied: true,
      notDeployed: null,
    })
    expect(await run('add', 'manual', at('picture.png'))).toMatchObject({ code: 2, err: expect.stringContaining('no text in UTF-8') })
    expect(await run('add', 'manual', at('none.md'))).toMatchObject({ code: 2, err: expect.stringContaining("can't be read") })
    expect((await run('add', 'Manual', at('garden.md'))).out).toContain('"garden.md" is kept')
    expect((await run('list', 'manual')).out).toMatch(/garden\.md/)
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([{ name: 'manual', documents: 1 }])
    expect((await run('refresh', 'manual')).out).toContain('1 documents are indexed anew')
    expect((await run('remove', 'manual', 'garden.md')).out).toContain('is gone')
    expect((await run('remove', 'manual', 'garden.md')).code).toBe(1)
    expect((await run('list', 'manual')).out).toContain('No documents.')
  })
})

describe('kill -9', () => {
  test('[Y141] in the middle of a long document: it is taken in to its end, and what was embedded is not embedded again', async () => {
    const texts: string[] = []
    let isSlow = true
    const model = await startScriptedModel({
      embedding({ body }) {
        if (isSlow && texts.length >= 128) return new Promise<null>(() => {})
        texts.push(...(Array.isArray(body['input']) ? body['input'].map(String) : []))
        return null
      },
    })
    const place = newPlace({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test-abcdef123456' })
    try {
      const hub = await place.start()
      const folder = dirname(place.home)
      writeAgent(join(folder, 'agent'))
      await place.run(['pipelines', 'import', join(folder, 'agent')])
      const line = (at: number) =>
        `Paragraph ${at} has words enough to be a piece of its own, for it is number ${at} of very many that stand here.`
      writeFileSync(join(folder, 'long.txt'), Array.from({ length: 300 }, (_, at) => `${line(at)} ${line(at)}`).join('\n\n'))
      const given = await place.run(['pipelines', 'knowledge', 'add', 'manual', join(folder, 'long.txt')])
      expect(given.code).toBe(0)
      // The third request is there, so that the answers to the first two are kept.
      await expect.poll(() => model.count, { timeout: 20_000 }).toBe(3)
      hub.child.kill('SIGKILL')
      await hub.ended
      isSlow = false
      await place.start()
      const documents = async () => JSON.parse((await place.run(['pipelines', 'knowledge', 'list', 'manual', '--json'])).out)
      await expect
        .poll(documents, { timeout: 20_000 })
        .toMatchObject([{ state: 'completed', note: null, embedder: 'openai-compatible/text-embedding-3-small' }])
      expect(new Set(texts).size).toBe(texts.length)
      expect((await documents())[0].chunks).toBe(texts.length)
    } finally {
      await place.remove()
      await model.close()
    }
  }, 60_000)
})

function writeAgent(folder: string): void {
  const id = (at: number) => at.toString(16).padStart(24, '0')
  const files = {
    [`${id(1)}.agent.json`]: { workflows: [`eddi://ai.labs.workflow/workflowstore/workflows/${id(2)}?version=1`] },
    [`${id(1)}.descriptor.json`]: { name: 'Gardener' },
    [`${id(2)}/1/${id(2)}.workflow.json`]: {
      workflowSteps: [
        { type: 'eddi://ai.labs.rag', config: { uri: `eddi://ai.labs.rag/ragstore/rags/${id(3)}?version=1` }, extensions: {} },
      ],
    },
    [`${id(2)}/1/${id(3)}.rag.json`]: base,
  }
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(value))
  }
}
