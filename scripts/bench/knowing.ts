// Knowledge of pipelines, in this process: a question to a base of 10,000 pieces, its vectors in real SQLite.
import { sha256 } from '../../src/base/hash.ts'
import { openKnowledge } from '../../src/pipelines/knowledge/open-knowledge.ts'
import { keyOf, pathOf, sourceOf } from '../../src/pipelines/knowledge/source.ts'
import { homeOf } from '../../src/scopes/names.ts'
import { sqliteKnowledge } from '../../src/store/sqlite/knowledge.ts'
import { reachOf } from '../../src/tools/web/web.ts'
import type { Figure } from './figure.ts'
import type { At } from './part.ts'
import { microsOfEach } from './repeat.ts'
import { openRooms } from './rooms.ts'

const [pieces, width, inOneGo] = [10_000, 1_536, 500]
const config = {
  ...{ name: 'bench', embeddingProvider: 'openai', embeddingParameters: {}, storeType: 'in-memory', storeParameters: {} },
  ...{ chunkStrategy: 'recursive', chunkSize: 512, chunkOverlap: 64, maxResults: 5, minScore: 0 },
}

export async function knowing(at: At): Promise<readonly Figure[]> {
  at.tell('looking for knowledge')
  const rooms = await openRooms(at.place.folder('knowing'))
  const { store, clock, log, scopes, people } = rooms
  const user = people.owner.name
  const index = sqliteKnowledge(store)
  const embed = async () => ({
    ok: true as const,
    vectors: [vectorOf(7)],
    model: 'bench',
    usage: { input: 1, output: 0, cached: null },
    cost: 0,
  })
  const knowledge = openKnowledge({
    ...{ store: index, documents: scopes.documents, configurations: { read: async () => null }, embed, clock, log },
    ...{ reach: () => reachOf({ exempt: () => [], ownPorts: () => [] }), resolve: async (text: string) => text },
    ...{ localOnly: async () => false, spent: async () => {}, newIngestion: () => 'bench' },
  })
  const base = { user, base: 'bench' }
  const source = sourceOf({ id: 'bench', name: 'bench', text: 'bench', metadata: {} })
  const row = {
    ...{
      ...base,
      document: keyOf('bench'),
      id: 'bench',
      name: 'bench',
      ingestion: 'bench',
      hash: sha256(source),
      characters: 5,
      version: 1,
    },
    ...{
      supersedes: false,
      state: 'completed' as const,
      note: null,
      chunks: pieces,
      embedder: 'openai/text-embedding-3-small',
      at: clock.now(),
    },
  }
  await scopes.documents.write({ path: pathOf(row), level: 'home', scope: homeOf(user), text: source }, 'system')
  await index.put(row)
  for (let from = 0; from < pieces; from += inOneGo) {
    await index.stage(
      row,
      Array.from({ length: inOneGo }, (_, place) => `Piece ${from + place} of the base, with some words of its own.`),
      from,
    )
    const bare = await index.bare('bench', inOneGo)
    await index.embed(
      row.embedder,
      bare.map(({ chunk }) => ({ chunk, vector: vectorOf(chunk) })),
    )
  }
  await index.show(row)
  const signal = new AbortController().signal
  const ask = (question: string) => knowledge.search({ ...base, config, question, maxResults: 5, minScore: 0 }, { signal })
  const started = performance.now()
  await ask('the first question')
  const first = performance.now() - started
  const ours = (await microsOfEach(at.quick ? 3 : 10, () => ask('a question'))) / 1_000
  // What is embedded by another model is looked for by words.
  const other = { ...config, embeddingParameters: { model: 'other' } }
  const byWords = () => knowledge.search({ ...base, config: other, question: 'piece 777 words', maxResults: 5, minScore: 0 }, { signal })
  const words = (await microsOfEach(at.quick ? 3 : 10, byWords)) / 1_000
  await knowledge.close()
  await rooms.close()
  const name = 'knowledge: a question, 10,000 pieces of 1,536'
  return [
    { name, unit: 'ms', ours, floor: null, hold: { most: 50 }, note: `the first, which reads them, ${first.toFixed(0)} ms` },
    { name: 'the same by words', unit: 'ms', ours: words, floor: null, hold: { most: 50 }, note: 'each word stands in every piece' },
  ]
}

function vectorOf(seed: number): Float32Array {
  let a = seed >>> 0
  return Float32Array.from({ length: width }, () => {
    a = (Math.imul(a, 1_664_525) + 1_013_904_223) >>> 0
    return a / 4_294_967_296 - 0.5
  })
}
