// Opens knowledge over documents, models and the index. Documents are written first; the index follows one after the other, and goes on
// after a restart where it stood.
import { InvalidInput, messageOf, NotFound } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { Actor } from '../../protocol/actor.ts'
import { homeOf } from '../../scopes/names.ts'
import type { RagConfig } from '../configuration.ts'
import { knowledgeFaults } from './embedder.ts'
import { indexed } from './indexing.ts'
import type { Ingestion, Knowledge, KnowledgeRooms, NewDocument } from './knowledge.ts'
import { checkSizes, checkUnfinished, readDocument } from './limits.ts'
import { openQueue, type Queue } from './queue.ts'
import { search } from './search.ts'
import { keyOf, pathOf, sourceOf } from './source.ts'
import type { Base, DocumentRow } from './store.ts'
import { openVectors, type Vectors } from './vectors.ts'

type Room = KnowledgeRooms & { readonly vectors: Vectors; readonly queue: Queue }

/** Of ingestions that nobody asked for: another document brought another model. */
const again = 're-'

export function openKnowledge(rooms: KnowledgeRooms): Knowledge {
  const { store } = rooms
  const vectors = openVectors(store)
  const queue = openQueue((row, signal) => take(room, row, signal))
  const room: Room = { ...rooms, vectors, queue }
  return {
    ingest: (given, by) => ingest(room, given, by),
    async status(user, ingestion) {
      const row = await store.ingestion(user, ingestion)
      return row === null ? null : shown(row)
    },
    async list(base, page) {
      const [rows, { documents, chunks }] = await Promise.all([store.documents(base, page), store.sizes(base)])
      return { items: rows.map(shown), documents, chunks }
    },
    async remove(base, id, by) {
      const row = await store.document(base, keyOf(id.trim()))
      return row === null ? false : remove(room, row, by)
    },
    async refresh(base, version) {
      const config = await configOf(room, base, version)
      const rows = await store.documents(base)
      for (const row of rows) await restart(room, row, config.version)
      return rows.length
    },
    search: (asked, options) => search(room, asked, options),
    async resume() {
      for (const base of await store.bases()) await forgetGone(room, base)
      for (const row of await store.unfinished()) queue.add(row)
    },
    idle: queue.idle,
    close: queue.close,
  }
}

// ---- giving

async function ingest(room: Room, given: NewDocument, by: Actor): Promise<Ingestion> {
  const { store } = room
  const { config, version } = await configOf(room, given, given.version)
  const source = readDocument(given)
  checkUnfinished((await store.unfinished()).length)
  const id = given.keepOthers ? await freeId(room, given, source.id) : source.id
  const name = given.name?.trim() || source.id
  const body = sourceOf({ ...source, id, name })
  const known = await store.document(given, keyOf(id))
  const fresh = newRow(room, { given, id, name, version, hash: sha256(body), characters: source.text.length })
  if (known && isSame(known, fresh)) return shown(known)
  checkSizes(await store.sizes(given), { config, characters: source.text.length, isNew: known === null })
  const row = known ? { ...fresh, chunks: known.chunks, embedder: known.embedder } : fresh
  await store.put(row)
  try {
    await room.documents.write({ path: pathOf(row), level: 'home', scope: homeOf(row.user), text: body }, by)
  } catch (thrown) {
    await (known ? store.put(known) : store.remove(row, row.document))
    throw thrown
  }
  room.queue.add(row)
  return shown(row)
}

type NewRow = Pick<DocumentRow, 'id' | 'name' | 'version' | 'hash' | 'characters'> & { readonly given: NewDocument }

function newRow({ newIngestion, clock }: Room, { given, id, name, version, hash, characters }: NewRow): DocumentRow {
  const { user, base, supersedes = false } = given
  const what = { user, base, document: keyOf(id), id, name, version, hash, characters, supersedes }
  return { ...what, ingestion: newIngestion(), state: 'pending', note: null, chunks: 0, embedder: null, at: clock.now() }
}

/** All of it is done already, with vectors. */
function isSame(known: DocumentRow, { hash, version }: DocumentRow): boolean {
  return known.hash === hash && known.version === version && known.state === 'completed' && known.note === null
}

/** `manual`, `manual (2)`, ... */
async function freeId({ store }: Room, base: Base, id: string): Promise<string> {
  for (let at = 1; ; at++) {
    const one = at === 1 ? id : `${id} (${at})`
    if ((await store.document(base, keyOf(one))) === null) return one
  }
}

async function configOf(
  { configurations }: Room,
  { user, base }: Base,
  version?: number,
): Promise<{ readonly config: RagConfig; readonly version: number }> {
  const found = await configurations.read({ kind: 'rag', id: base, ...(version === undefined ? {} : { version }) }, { user })
  if (!found) {
    const which = version === undefined ? '' : ` of version ${version}`
    throw new NotFound(`there is no knowledge base ${JSON.stringify(base.slice(0, 64))}${which}`)
  }
  const [fault] = knowledgeFaults(found.value)
  if (fault !== undefined) throw new InvalidInput(`The knowledge base ${JSON.stringify(found.value.name || base)} can't be used: ${fault}.`)
  return { config: found.value, version: found.ref.version }
}

// ---- indexing

async function take(room: Room, row: DocumentRow, signal: AbortSignal): Promise<void> {
  try {
    const done = await indexed(room, row, signal)
    if (done === null) return
    room.vectors.changed(done)
    if (done.supersedes) await supersede(room, done)
    if (done.embedder !== null && !done.ingestion.startsWith(again)) await follow(room, done)
  } catch (thrown) {
    if (!signal.aborted) await failed(room, row, thrown).catch((also: unknown) => log(room, row, also))
  }
}

async function failed(room: Room, row: DocumentRow, thrown: unknown): Promise<void> {
  log(room, row, thrown)
  const now = await room.store.document(row, row.document)
  if (now?.ingestion === row.ingestion) await room.store.put({ ...now, state: 'failed', note: messageOf(thrown).slice(0, 500) })
}

function log(room: Room, { base }: DocumentRow, thrown: unknown): void {
  room.log('error', 'a document could not be taken into a knowledge base', { base, why: messageOf(thrown) })
}

async function supersede(room: Room, row: DocumentRow): Promise<void> {
  const { user, base, name, document } = row
  const all = await room.store.documents({ user, base })
  for (const other of all) if (other.name === name && other.document !== document) await remove(room, other, 'system')
  const now = await room.store.document(row, document)
  if (now?.ingestion === row.ingestion) await room.store.put({ ...row, state: 'completed' })
}

/** What is embedded by another model, or by none, is embedded by that of the newest document: only such can be compared. */
async function follow(room: Room, { user, base, embedder, version }: DocumentRow): Promise<void> {
  const all = await room.store.documents({ user, base })
  for (const other of all) if (other.state === 'completed' && other.embedder !== embedder) await restart(room, other, version)
}

async function restart({ store, queue, clock, newIngestion }: Room, row: DocumentRow, version: number): Promise<void> {
  const ingestion = `${again}${newIngestion()}`
  const fresh: DocumentRow = { ...row, version, ingestion, state: 'pending', note: null, supersedes: false, at: clock.now() }
  await store.put(fresh)
  queue.add(fresh)
}

/** A base whose configuration is gone for good is asked by nobody any more. */
async function forgetGone(room: Room, { user, base }: Base): Promise<void> {
  try {
    if ((await room.configurations.read({ kind: 'rag', id: base }, { user }, { deleted: true })) !== null) return
    for (const row of await room.store.documents({ user, base })) await remove(room, row, 'system')
  } catch (thrown) {
    room.log('warn', 'a knowledge base could not be looked at', { base, why: messageOf(thrown) })
  }
}

/** The source first: what is found is looked for there once more, so from here on nothing of it is. */
async function remove({ documents, store, vectors }: Room, row: DocumentRow, by: Actor): Promise<boolean> {
  const path = pathOf(row)
  if ((await documents.find(path, { user: row.user })) !== null) await documents.purge(path, 'home', homeOf(row.user), by)
  const was = await store.remove(row, row.document)
  vectors.changed(row)
  return was
}

function shown(row: DocumentRow): Ingestion {
  const { id, name, ingestion, base, version, state, note, characters, chunks, embedder, at } = row
  return { id, name, ingestion, base, version, state, note, characters, chunks, embedder, at }
}
