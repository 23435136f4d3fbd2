import { afterEach, describe, expect, test } from 'vitest'
import { knowledgeLimits } from '../../src/pipelines/knowledge/knowledge.ts'
import { openRagStage, type RagStage, type StageOptions } from './rag-stage.ts'

let stage: RagStage
afterEach(() => stage?.close())

async function begin(options: StageOptions = {}): Promise<string> {
  stage = await openRagStage(options)
  return stage.base()
}

const garden = 'The garden door is red. It is locked at nine in the evening by the gardener.'
const tram = 'A ticket for the tram costs three euros. Children below six years travel free.'
const roof = 'The roof was mended in spring with new tiles of clay.'
const textsOf = ({ passages }: Awaited<ReturnType<RagStage['ask']>>) => passages.map(({ text }) => text)

describe('what is given is found', () => {
  test('[Y144] by the meaning of the question, the nearest first, above the least score', async () => {
    const base = await begin()
    for (const [id, text] of [
      ['garden', garden],
      ['tram', tram],
      ['roof', roof],
    ] as const)
      await stage.give(base, id, text)
    const found = await stage.ask(base, 'which colour is the door of the garden')
    expect(found).toMatchObject({ how: 'meaning', why: null, spent: { model: 'openai-compatible/embedder' } })
    expect(found.passages[0]).toMatchObject({ id: 'garden', name: 'garden', seq: 0, text: garden })
    expect(found.passages[0]?.score).toBeGreaterThan(found.passages[1]?.score ?? 0)
    expect(textsOf(await stage.ask(base, garden, { minScore: 0.99 }))).toEqual([garden])
    expect(await stage.ask(base, 'zzz', { minScore: 0.99 })).toMatchObject({ how: 'meaning', passages: [] })
    expect(textsOf(await stage.ask(base, 'door', { minScore: 0, maxResults: 2 }))).toHaveLength(2)
  })

  test('[Y144] by words where nothing can be embedded, and it says so', async () => {
    const base = await begin({ alone: true })
    await stage.give(base, 'garden', garden)
    await stage.give(base, 'tram', tram)
    const { items } = await stage.knowledge.list({ user: 'ada', base })
    expect(items.map(({ state, embedder }) => [state, embedder])).toEqual([
      ['completed', null],
      ['completed', null],
    ])
    expect(items[0]?.note).toMatch(/^It is found by its words only: .*OPENAI_BASE_URL is not set/)
    const found = await stage.ask(base, 'What does the TRAM cost?')
    expect(found).toMatchObject({ how: 'words', why: expect.stringMatching(/2 pieces are not embedded/) })
    expect(found.passages).toMatchObject([{ id: 'tram', score: null }])
    expect(textsOf(await stage.ask(base, 'the of and'))).not.toEqual([])
    expect(textsOf(await stage.ask(base, 'nothing like this: xylophone'))).toEqual([])
  })

  test('[Y144] by words when only the question can not be embedded', async () => {
    let isDown = false
    const base = await begin({ model: { embedding: () => (isDown ? { status: 500, message: 'down' } : null) } })
    await stage.give(base, 'garden', garden)
    isDown = true
    expect(await stage.ask(base, 'who locks the garden')).toMatchObject({
      how: 'words',
      why: expect.stringContaining('HTTP 500'),
      passages: [{ id: 'garden' }],
    })
  })

  test('nothing is asked of a model where there is nothing to find, and without a question', async () => {
    const base = await begin()
    expect(await stage.ask(base, 'anything')).toEqual({ how: 'none', why: 'there is nothing in it yet', passages: [] })
    await stage.give(base, 'garden', garden)
    const before = stage.server.count
    expect(await stage.ask(base, '   ')).toMatchObject({ how: 'none', passages: [] })
    expect(stage.server.count).toBe(before)
  })

  test('long texts come in pieces, and a question of any length is taken', async () => {
    const base = await begin()
    await stage.give(base, 'long', `${garden}\n\n${tram}\n\n${roof}`)
    expect(await stage.knowledge.list({ user: 'ada', base })).toMatchObject({ documents: 1, chunks: 3, items: [{ chunks: 3 }] })
    expect((await stage.ask(base, 'clay tiles of the roof')).passages[0]).toMatchObject({ seq: 2, text: expect.stringContaining(roof) })
    expect((await stage.ask(base, `${'roof tiles '.repeat(100_000)}`)).how).toBe('meaning')
  })
})

describe('given again and taken away', () => {
  test('[Y142] a document that is given again takes the place of the one before', async () => {
    const base = await begin()
    await stage.give(base, 'door', 'The garden door is red.')
    await stage.give(base, 'door', 'The garden door is green now.')
    expect(textsOf(await stage.ask(base, 'colour of the garden door', { minScore: 0 }))).toEqual(['The garden door is green now.'])
    expect(await stage.knowledge.list({ user: 'ada', base })).toMatchObject({ documents: 1, chunks: 1 })
  })

  test('[Y142] until the new one is there as a whole, the old one is found', async () => {
    const wait = Promise.withResolvers<null>()
    let isSlow = false
    const asked = Promise.withResolvers<void>()
    const base = await begin({
      model: {
        embedding({ text }) {
          if (!isSlow || !text.includes('green')) return null
          asked.resolve()
          return wait.promise
        },
      },
    })
    await stage.give(base, 'door', 'The garden door is red.')
    isSlow = true
    const { ingestion } = await stage.knowledge.ingest({ user: 'ada', base, id: 'door', text: 'The garden door is green now.' }, 'user:ada')
    await asked.promise
    expect(await stage.knowledge.status('ada', ingestion)).toMatchObject({ state: 'processing' })
    expect(textsOf(await stage.ask(base, 'garden door', { minScore: 0 }))).toEqual(['The garden door is red.'])
    wait.resolve(null)
    await stage.knowledge.idle()
    expect(textsOf(await stage.ask(base, 'garden door', { minScore: 0 }))).toEqual(['The garden door is green now.'])
  })

  test('the same text again costs nothing', async () => {
    const base = await begin()
    await stage.give(base, 'door', garden)
    const before = stage.server.count
    await stage.give(base, 'door', garden)
    expect(stage.server.count).toBe(before)
  })

  test('[Y142] what is removed is found no more, and its source is gone', async () => {
    const base = await begin()
    await stage.give(base, 'garden', garden)
    await stage.give(base, 'tram', tram)
    expect(await stage.knowledge.remove({ user: 'ada', base }, 'garden', 'user:ada')).toBe(true)
    expect(await stage.knowledge.remove({ user: 'ada', base }, 'garden', 'user:ada')).toBe(false)
    expect(textsOf(await stage.ask(base, garden, { minScore: 0 }))).toEqual([tram])
    expect(await stage.bench.scopes.documents.list('pipelines/knowledge/', { user: 'ada' })).toHaveLength(1)
  })

  test('[Y142] what somebody has taken away or changed elsewhere is found no more', async () => {
    const base = await begin()
    await stage.give(base, 'garden', garden)
    const [kept] = await stage.bench.scopes.documents.list('pipelines/knowledge/', { user: 'ada' })
    await stage.bench.scopes.documents.purge(kept?.path ?? '', 'home', '_user_ada', 'user:ada')
    expect(textsOf(await stage.ask(base, garden, { minScore: 0 }))).toEqual([])
  })

  test('[Y142] what was given to a base that is removed for good goes with it', async () => {
    const base = await begin()
    const other = await stage.base({ name: 'other' })
    await stage.give(base, 'garden', garden)
    await stage.give(other, 'tram', tram)
    await stage.pipelines.configurations.remove({ kind: 'rag', id: base, version: 1 }, { permanent: true }, { user: 'ada', by: 'user:ada' })
    expect(await stage.bench.scopes.documents.list('pipelines/knowledge/', { user: 'ada' })).toHaveLength(1)
    await stage.reopen()
    await stage.knowledge.resume()
    const rows = (table: string) => stage.bench.store.db.get<{ n: number }>(`select count(*) n from ${table}`)?.n
    expect([rows('knowledge_documents'), rows('knowledge_chunks')]).toEqual([1, 1])
    expect((await stage.ask(other, 'tram')).passages).toHaveLength(1)
  })

  test('others of the same name stay, or go when the new one is there', async () => {
    const base = await begin()
    const give = (text: string, supersedes = false) =>
      stage.knowledge.ingest({ user: 'ada', base, id: 'prices', text, keepOthers: !supersedes, supersedes }, 'user:ada')
    expect([(await give('one euro')).id, (await give('two euros')).id]).toEqual(['prices', 'prices (2)'])
    await stage.knowledge.idle()
    expect(await stage.knowledge.list({ user: 'ada', base })).toMatchObject({ documents: 2 })
    await give('three euros', true)
    await stage.knowledge.idle()
    expect(textsOf(await stage.ask(base, 'euros', { minScore: 0 }))).toEqual(['three euros'])
  })
})

describe('[Y143] nobody else', () => {
  test('sees it: another person, or another base of the same person', async () => {
    const base = await begin()
    const second = await stage.base({ name: 'second' })
    const ofBob = await stage.base({}, 'bob')
    await stage.give(base, 'garden', garden)
    await stage.give(ofBob, 'garden', 'Bob keeps the key of the garden door under a stone.', 'bob')
    expect(textsOf(await stage.ask(base, 'garden door key', { minScore: 0 }))).toEqual([garden])
    expect(await stage.ask(second, 'garden door', { minScore: 0 })).toMatchObject({ how: 'none' })
    await expect(stage.knowledge.ingest({ user: 'bob', base, id: 'x', text: 'x' }, 'user:bob')).rejects.toThrow(/no knowledge base/)
    expect((await stage.knowledge.list({ user: 'bob', base })).items).toEqual([])
    expect(await stage.knowledge.remove({ user: 'bob', base }, 'garden', 'user:bob')).toBe(false)
    expect(await stage.knowledge.status('bob', 'ing-1')).toBeNull()
  })

  test('also by words', async () => {
    const base = await begin({ alone: true })
    const ofBob = await stage.base({}, 'bob')
    await stage.give(base, 'garden', garden)
    await stage.give(ofBob, 'garden', `${garden} Bob has the key.`, 'bob')
    expect(textsOf(await stage.ask(base, 'garden key place'))).toEqual([garden])
  })
})

describe('another model', () => {
  test('[Y144] vectors of another model are not compared: words are looked for, until documents are given by the new one', async () => {
    const base = await begin()
    await stage.give(base, 'garden', garden)
    await stage.give(base, 'tram', tram)
    await stage.change(base, 1, { embeddingParameters: { model: 'newer' } })
    const found = await stage.ask(base, 'garden door')
    expect(found).toMatchObject({
      how: 'words',
      why: expect.stringMatching(/2 pieces are embedded by openai-compatible\/embedder, not by openai-compatible\/newer/),
    })
    await stage.give(base, 'roof', roof)
    await stage.knowledge.idle()
    expect(await stage.ask(base, 'garden door')).toMatchObject({ how: 'meaning', why: null, passages: [{ id: 'garden' }] })
    expect((await stage.ask(base, 'garden door', { version: 1 })).how).toBe('words')
    const { items } = await stage.knowledge.list({ user: 'ada', base })
    expect(new Set(items.map(({ embedder }) => embedder))).toEqual(new Set(['openai-compatible/newer']))
  })

  test('[Y144] a model that gives vectors of another length all at once is named, and nothing breaks', async () => {
    let width = 256
    const base = await begin({
      model: {
        get width() {
          return width
        },
      },
    })
    await stage.give(base, 'garden', garden)
    width = 64
    expect(await stage.ask(base, 'garden door')).toMatchObject({
      how: 'words',
      why: expect.stringMatching(/another length/),
      passages: [{ id: 'garden' }],
    })
    expect(await stage.knowledge.refresh({ user: 'ada', base })).toBe(1)
    await stage.knowledge.idle()
    expect((await stage.ask(base, 'garden door')).how).toBe('meaning')
  })

  test('[Y144] what had no vectors gets them with the next document that has', async () => {
    let isDown = true
    const base = await begin({ model: { embedding: () => (isDown ? { status: 400, message: 'down' } : null) } })
    await stage.give(base, 'garden', garden)
    expect((await stage.ask(base, 'garden door')).how).toBe('words')
    isDown = false
    await stage.give(base, 'tram', tram)
    await stage.knowledge.idle()
    expect(await stage.ask(base, 'garden door')).toMatchObject({ how: 'meaning', why: null, passages: [{ id: 'garden' }] })
  })
})

describe('[Y145] bounds', () => {
  test.each([
    ['', 'text', /id .* is missing/],
    ['x'.repeat(300), 'text', /id .* longer than 200/],
    ['empty', '  \n ', /has no words/],
    ['large', 'x'.repeat(knowledgeLimits.text + 1), /allowed are 1000000/],
    ['wide', '漢'.repeat(900_000), /at most 1 MB/],
  ])('a document that can not be is refused, and nothing of it stays: %s', async (id, text, why) => {
    const base = await begin()
    await expect(stage.knowledge.ingest({ user: 'ada', base, id, text }, 'user:ada')).rejects.toThrow(why)
    expect(await stage.knowledge.list({ user: 'ada', base })).toMatchObject({ documents: 0, chunks: 0 })
  })

  test('a base that is full says so', async () => {
    const base = await begin({
      wrap: (_, store) => ({ ...store, sizes: async () => ({ documents: knowledgeLimits.documents, chunks: 0, ofUser: 0 }) }),
    })
    await expect(stage.knowledge.ingest({ user: 'ada', base, id: 'a', text: 'b' }, 'user:ada')).rejects.toThrow(/allowed are 5000/)
  })

  test('hostile texts and questions are words like others', async () => {
    const base = await begin({ alone: true })
    const hostile = '" OR place : "x" NEAR(a b) * ^ {text} : - + ( ) \0 \ud800 garden { #if } {{secret:x}}'
    await stage.give(base, hostile.slice(0, 100), hostile)
    for (const question of [hostile, '"', '*', 'garden"', 'NEAR(', 'text : garden', 'place : k']) await stage.ask(base, question)
    expect((await stage.ask(base, 'garden" OR "')).passages).toHaveLength(1)
  })

  test('a huge document is taken in, a thousand pieces and more', async () => {
    const base = await begin()
    const text = Array.from({ length: 1_500 }, (_, at) => `Line ${at} speaks of thing number ${at} and nothing else but that.`).join('\n\n')
    await stage.give(base, 'huge', text)
    const { chunks } = await stage.knowledge.list({ user: 'ada', base })
    expect(chunks).toBeGreaterThan(900)
    expect((await stage.ask(base, 'Line 777 speaks of thing number 777')).passages[0]?.text).toContain('number 777')
  })
})

describe('[Y141] when the machine ends in the middle', () => {
  test('between two batches: it goes on where it stood, and nothing is embedded twice', async () => {
    const texts: string[] = []
    let most = 2
    const base = await begin({
      model: {
        embedding({ body }) {
          if (texts.length >= most * 64) return new Promise<null>(() => {})
          texts.push(...(Array.isArray(body['input']) ? body['input'].map(String) : []))
          return null
        },
      },
    })
    const text = Array.from(
      { length: 400 },
      (_, at) => `Paragraph ${at} with words enough to be a piece of its own, number ${at} of many.`,
    ).join('\n\n')
    const { ingestion } = await stage.knowledge.ingest({ user: 'ada', base, id: 'long', text }, 'user:ada')
    // The third request is there, so that the answers to the first two are kept.
    while (stage.server.count < 3) await new Promise((resolve) => setImmediate(resolve))
    await stage.reopen()
    expect(await stage.knowledge.status('ada', ingestion)).toMatchObject({ state: 'processing' })
    expect((await stage.ask(base, 'paragraph')).how).toBe('none')
    most = 1_000
    await stage.knowledge.resume()
    await stage.knowledge.idle()
    const done = await stage.knowledge.status('ada', ingestion)
    expect(done).toMatchObject({ state: 'completed', note: null })
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts).toHaveLength(done?.chunks ?? 0)
    expect((await stage.ask(base, 'Paragraph 333 number 333')).passages[0]?.text).toContain('333')
  })

  test('before the source was written: nobody was told that it is kept, and nothing of it stays', async () => {
    const base = await begin({
      wrap: (bench, store) => ({
        ...store,
        async put(row) {
          await store.put(row)
          bench.scopes.documents.write = () => new Promise(() => {})
        },
      }),
    })
    void stage.knowledge.ingest({ user: 'ada', base, id: 'lost', text: 'lost' }, 'user:ada')
    while ((await stage.knowledge.list({ user: 'ada', base })).documents === 0) await new Promise((resolve) => setImmediate(resolve))
    await stage.reopen()
    await stage.knowledge.resume()
    await stage.knowledge.idle()
    expect(await stage.knowledge.list({ user: 'ada', base })).toMatchObject({ documents: 0, chunks: 0 })
  })
})
