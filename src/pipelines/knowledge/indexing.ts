// One document taken into the index: its pieces are kept, embedded in batches, and shown all at once. Whatever of it is done already is
// not done again, so that a restart goes on where it stood.
import { sha256 } from '../../base/hash.ts'
import type { EmbedReply } from '../../models/embed.ts'
import { homeOf } from '../../scopes/names.ts'
import type { RagConfig } from '../configuration.ts'
import { chunksOf } from './chunk.ts'
import { type Embedder, embedderOf, ownAccountOf } from './embedder.ts'
import type { KnowledgeRooms } from './knowledge.ts'
import { pathOf, textIn } from './source.ts'
import type { DocumentRow } from './store.ts'

/** Pieces written in one go, and pieces embedded with one request. */
const written = 500
const embedded = 64

/** null: it was stopped, or the document is gone or has been given anew. Throws for what can't be done. */
export async function indexed(rooms: KnowledgeRooms, given: DocumentRow, signal: AbortSignal): Promise<DocumentRow | null> {
  const { store } = rooms
  const now = await store.document(given, given.document)
  if (now?.ingestion !== given.ingestion) return null
  const document = await rooms.documents.find(pathOf(given), { user: given.user })
  if (document === null) {
    await store.remove(given, given.document)
    return null
  }
  // It was being written when the machine ended, or somebody has changed it: what is there counts.
  const row: DocumentRow = { ...now, hash: sha256(document.text), state: 'processing' }
  const text = textIn(document.text)
  if (text === null) throw new Error(`The document ${given.id} holds no text any more.`)
  await store.put(row)
  const found = await rooms.configurations.read({ kind: 'rag', id: row.base, version: row.version }, { user: row.user })
  if (!found) throw new Error(`There is no version ${row.version} of this knowledge base any more.`)
  const texts = chunksOf(text, { size: found.value.chunkSize, overlap: found.value.chunkOverlap })
  await stage(rooms, row, texts)
  const done = await embedAll(rooms, row, { config: found.value, signal })
  if (done === null || signal.aborted) return null
  // Who takes the place of others is completed when they are gone.
  const state = row.supersedes ? 'processing' : 'completed'
  const finished: DocumentRow = { ...row, ...done, state, chunks: texts.length, at: rooms.clock.now() }
  return (await store.show(finished)) ? finished : null
}

async function stage({ store }: KnowledgeRooms, row: DocumentRow, texts: readonly string[]): Promise<void> {
  if ((await store.staged(row.ingestion)) === texts.length) return
  await store.unstage(row.ingestion)
  for (let at = 0; at < texts.length; at += written) {
    await store.stage(row, texts.slice(at, at + written), at)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

type Embedding = { readonly config: RagConfig; readonly signal: AbortSignal }
type Done = Pick<DocumentRow, 'embedder' | 'note'>

/** null: stopped. Without vectors it is found by its words, and says why. */
async function embedAll(rooms: KnowledgeRooms, row: DocumentRow, { config, signal }: Embedding): Promise<Done | null> {
  const embedder = embedderOf(config)
  if (embedder === null) return { embedder: null, note: byWords('its embedding provider is not supported.') }
  for (;;) {
    const bare = await rooms.store.bare(row.ingestion, embedded)
    if (bare.length === 0) return { embedder: embedder.name, note: null }
    const reply = await embed(rooms, row, { embedder, texts: bare.map(({ text }) => text), signal })
    if (signal.aborted) return null
    if (!reply.ok) return { embedder: null, note: byWords(reply.message) }
    const vectors = bare.flatMap(({ chunk }, at) => {
      const vector = reply.vectors[at]
      return vector === undefined ? [] : [{ chunk, vector }]
    })
    await rooms.store.embed(embedder.name, vectors)
  }
}

function byWords(why: string): string {
  return `It is found by its words only: ${why}`.slice(0, 500)
}

type Asking = { readonly embedder: Embedder; readonly texts: readonly string[]; readonly signal: AbortSignal }

async function embed(rooms: KnowledgeRooms, row: DocumentRow, { embedder, texts, signal }: Asking): Promise<EmbedReply> {
  const { user } = row
  const spender = { user, project: homeOf(user), session: '', run: row.ingestion }
  try {
    const account = await ownAccountOf(embedder, { reach: rooms.reach(), resolve: rooms.resolve })
    const localOnly = await rooms.localOnly(user)
    const { provider, model, dimensions } = embedder
    const asked = { provider, model, texts, spender, localOnly, ...(account ? { account } : {}), ...(dimensions ? { dimensions } : {}) }
    const reply = await rooms.embed(asked, { signal, priority: 'background' })
    // No turn says what it cost, so it is a fact of its own.
    if (reply.ok && reply.cost) await rooms.spent(spender, { model: reply.model, cost: reply.cost })
    return reply
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    return { ok: false, code: 'auth', message: thrown.message }
  }
}
