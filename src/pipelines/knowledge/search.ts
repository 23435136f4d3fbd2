// What a knowledge base has about a question: by the meaning of its words where there are vectors of the same model, else by the words
// themselves, and which of the two it was.
import { sha256 } from '../../base/hash.ts'
import type { EmbedReply } from '../../models/embed.ts'
import { type Embedder, embedderOf, mostResults } from './embedder.ts'
import type { Asked, Found, FoundPassage, KnowledgeRooms, SearchOptions } from './knowledge.ts'
import { metadataIn, pathOf } from './source.ts'
import type { Base, Passage } from './store.ts'
import type { Vectors } from './vectors.ts'
import { wordsIn } from './words.ts'

/** Characters of a question that are looked at. */
const longestQuestion = 8_000

type SearchRooms = Pick<KnowledgeRooms, 'store' | 'documents' | 'embed'> & { readonly vectors: Vectors }

export async function search(rooms: SearchRooms, asked: Asked, options: SearchOptions): Promise<Found> {
  const most = Math.min(Math.max(1, Math.trunc(asked.maxResults)), mostResults)
  const question = asked.question.slice(0, longestQuestion).toWellFormed().trim()
  const embedders = await rooms.store.embedders(asked)
  if (question === '') return nothing('there was no question')
  if (embedders.length === 0) return nothing('there is nothing in it yet')
  const embedder = embedderOf(asked.config)
  const same = embedders.find((one) => one.embedder !== null && one.embedder === embedder?.name)
  if (embedder === null || same === undefined) return byWords(rooms, asked, { question, most, why: whyNot(embedders, embedder) })
  const reply = await questionIn(rooms, embedder, { question, options })
  if (!reply.ok) return byWords(rooms, asked, { question, most, why: reply.message })
  const spent = { model: reply.model, usage: reply.usage, cost: reply.cost }
  const [vector] = reply.vectors
  const near = vector === undefined ? [] : await rooms.vectors.near(asked, embedder.name, { vector, most })
  if (near.length === 0) {
    const why = `${embedder.name} gives vectors of another length than before; ingest the documents again`
    return { ...(await byWords(rooms, asked, { question, most, why })), spent }
  }
  const scores = new Map(near.map(({ chunk, cosine }) => [chunk, (1 + cosine) / 2]))
  const good = near.filter(({ chunk }) => (scores.get(chunk) ?? 0) >= asked.minScore).map(({ chunk }) => chunk)
  const passages = await present(rooms, asked, { chunks: good, scores })
  return { how: 'meaning', why: embedders.length > 1 ? whyNot(embedders, embedder) : null, passages, spent }
}

function nothing(why: string): Found {
  return { how: 'none', why, passages: [] }
}

type Questioning = { readonly question: string; readonly options: SearchOptions }

async function questionIn({ embed }: SearchRooms, embedder: Embedder, { question, options }: Questioning): Promise<EmbedReply> {
  if (options.blocked !== undefined) return { ok: false, code: 'auth', message: options.blocked }
  const { provider, model, dimensions } = embedder
  const { spender, localOnly, account, signal, priority } = options
  const asked = {
    ...{ provider, model, texts: [question] },
    ...(spender ? { spender } : {}),
    ...(localOnly ? { localOnly } : {}),
    ...(account ? { account } : {}),
    ...(dimensions ? { dimensions } : {}),
  }
  return embed(asked, { signal, ...(priority ? { priority } : {}) })
}

/** In a sentence for who keeps the base. */
function whyNot(embedders: readonly { readonly embedder: string | null; readonly chunks: number }[], wanted: Embedder | null): string {
  const others = embedders.filter(({ embedder }) => embedder !== wanted?.name)
  const count = others.reduce((sum, { chunks }) => sum + chunks, 0)
  const named = others.flatMap(({ embedder }) => (embedder === null ? [] : [embedder]))
  const by =
    named.length === 0 ? 'are not embedded' : `are embedded by ${named.join(', ')}, not by ${wanted?.name ?? 'a model that is here'}`
  return `${count} pieces ${by}; ingest their documents again`
}

type ByWords = { readonly question: string; readonly most: number; readonly why: string }

async function byWords(rooms: SearchRooms, base: Asked, { question, most, why }: ByWords): Promise<Found> {
  const chunks = await rooms.store.words(base, wordsIn(question), most)
  return { how: 'words', why, passages: await present(rooms, base, { chunks, scores: new Map() }) }
}

type Presenting = { readonly chunks: readonly number[]; readonly scores: ReadonlyMap<number, number> }

/** A passage counts while its document is there as it was indexed: what somebody has taken away elsewhere is found no more. */
async function present(rooms: SearchRooms, base: Base, { chunks, scores }: Presenting): Promise<readonly FoundPassage[]> {
  const sources = new Map<string, string | null>()
  const sourceOf = async ({ document }: Passage) => {
    const known = sources.get(document)
    if (known !== undefined) return known
    const found = (await rooms.documents.find(pathOf({ base: base.base, document }), { user: base.user }))?.text ?? null
    sources.set(document, found)
    return found
  }
  const found: FoundPassage[] = []
  for (const passage of await rooms.store.passages(base, chunks)) {
    const source = await sourceOf(passage)
    if (source === null || sha256(source) !== passage.hash) continue
    const { id, name, seq, text, chunk } = passage
    found.push({ id, name, seq, text, score: scores.get(chunk) ?? null, metadata: metadataIn(source) })
  }
  return found
}
