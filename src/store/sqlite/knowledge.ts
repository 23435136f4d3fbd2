// The index of knowledge bases in SQLite (pipelines/knowledge/store.ts). Words stand in a full-text table that keeps no text of its own.
import { sha256 } from '../../base/hash.ts'
import type { Base, DocumentRow, KnowledgeStore, Passage } from '../../pipelines/knowledge/store.ts'
import type { SqliteStore } from './sqlite.ts'

const history = [
  `create table knowledge_documents (
     user text not null, base text not null, document text not null, id text not null, name text not null, ingestion text not null unique,
     hash text not null, characters integer not null, version integer not null, supersedes integer not null, state text not null,
     note text, chunks integer not null, embedder text, at integer not null, primary key (user, base, document)
   ) strict;
   create index knowledge_documents_open on knowledge_documents (at) where state in ('pending', 'processing');
   create table knowledge_chunks (
     chunk integer primary key autoincrement, user text not null, base text not null, document text not null, ingestion text not null,
     seq integer not null, text text not null, embedder text, vector blob, shown integer not null
   ) strict;
   create index knowledge_chunks_by_document on knowledge_chunks (user, base, document);
   create index knowledge_chunks_by_ingestion on knowledge_chunks (ingestion, seq);
   create index knowledge_chunks_by_embedder on knowledge_chunks (user, base, embedder, chunk) where shown = 1;
   create virtual table knowledge_words using fts5(
     place, text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
   );`,
]

type Rooms = Pick<SqliteStore, 'db' | 'define' | 'transaction' | 'quickly'>

/** Makes its tables when they are missing. Writes throw Unavailable when the disk is full or gone. */
export function sqliteKnowledge(store: Rooms): KnowledgeStore {
  store.define('knowledge', history)
  return { ...rows(store), ...staging(store), ...showing(store), ...searching(store) }
}

type Row = Omit<DocumentRow, 'supersedes'> & { readonly supersedes: number }

const fields = `user, base, document, id, name, ingestion, hash, characters, version, supersedes, state, note, chunks, embedder, at`
const putRow = `insert or replace into knowledge_documents (${fields}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const ofBase = 'where user = ? and base = ?'

function rowOf(row: Row): DocumentRow {
  return { ...row, supersedes: row.supersedes === 1 }
}

function put(db: Rooms['db'], row: DocumentRow): void {
  const { user, base, document, id, name, ingestion, hash, characters, version, supersedes, state, note, chunks, embedder, at } = row
  db.run(
    putRow,
    user,
    base,
    document,
    id,
    name,
    ingestion,
    hash,
    characters,
    version,
    supersedes ? 1 : 0,
    state,
    note,
    chunks,
    embedder,
    at,
  )
}

type Rows = 'documents' | 'document' | 'ingestion' | 'unfinished' | 'bases' | 'sizes' | 'put' | 'remove'

function rows({ db, transaction }: Rooms): Pick<KnowledgeStore, Rows> {
  const all = `select ${fields} from knowledge_documents`
  const count = (sql: string, ...values: string[]) => db.get<{ n: number }>(sql, ...values)?.n ?? 0
  return {
    documents: async ({ user, base }, { offset, limit } = { offset: 0, limit: -1 }) =>
      db.all<Row>(`${all} ${ofBase} order by name, id limit ? offset ?`, user, base, limit, offset).map(rowOf),
    async document({ user, base }, document) {
      const row = db.get<Row>(`${all} ${ofBase} and document = ?`, user, base, document)
      return row ? rowOf(row) : null
    },
    async ingestion(user, ingestion) {
      const row = db.get<Row>(`${all} where ingestion = ? and user = ?`, ingestion, user)
      return row ? rowOf(row) : null
    },
    unfinished: async () => db.all<Row>(`${all} where state in ('pending', 'processing') order by at, ingestion`).map(rowOf),
    bases: async () => db.all<Base>('select distinct user, base from knowledge_documents order by user, base'),
    sizes: async ({ user, base }) => ({
      documents: count(`select count(*) n from knowledge_documents ${ofBase}`, user, base),
      chunks: count(`select count(*) n from knowledge_chunks ${ofBase}`, user, base),
      ofUser: count('select count(*) n from knowledge_chunks where user = ?', user),
    }),
    async put(row) {
      transaction(() => put(db, row))
    },
    remove: async ({ user, base }, document) =>
      transaction(() => {
        drop(db, { user, base, document }, null)
        return db.run(`delete from knowledge_documents ${ofBase} and document = ?`, user, base, document) > 0
      }),
  }
}

type Of = Base & { readonly document: string }

/** Pieces of a document but those of the ingestion `but`, with their words. */
function drop(db: Rooms['db'], { user, base, document }: Of, but: string | null): void {
  const which = `${ofBase} and document = ? and ingestion is not ?`
  db.run(
    `delete from knowledge_words where rowid in (select chunk from knowledge_chunks ${which} and shown = 1)`,
    user,
    base,
    document,
    but,
  )
  db.run(`delete from knowledge_chunks ${which}`, user, base, document, but)
}

function staging({ db, quickly }: Rooms): Pick<KnowledgeStore, 'staged' | 'stage' | 'unstage' | 'bare' | 'embed'> {
  const of = 'from knowledge_chunks where ingestion = ?'
  const add = 'insert into knowledge_chunks (user, base, document, ingestion, seq, text, shown) values (?, ?, ?, ?, ?, ?, 0)'
  return {
    staged: async (ingestion) => db.get<{ n: number }>(`select count(*) n ${of}`, ingestion)?.n ?? 0,
    async stage({ user, base, document, ingestion }, texts, from) {
      quickly(() => {
        for (const [at, text] of texts.entries()) db.run(add, user, base, document, ingestion, from + at, text)
      })
    },
    async unstage(ingestion) {
      quickly(() => db.run(`delete ${of} and shown = 0`, ingestion))
    },
    bare: async (ingestion, limit) =>
      db.all<{ chunk: number; text: string }>(`select chunk, text ${of} and vector is null order by seq limit ?`, ingestion, limit),
    async embed(embedder, vectors) {
      const set = 'update knowledge_chunks set embedder = ?, vector = ? where chunk = ?'
      quickly(() => {
        for (const { chunk, vector } of vectors) db.run(set, embedder, bytesOf(vector), chunk)
      })
    },
  }
}

function showing({ db, transaction }: Rooms): Pick<KnowledgeStore, 'show'> {
  const fresh = 'from knowledge_chunks where ingestion = ? and shown = 0'
  return {
    show: async (row) =>
      transaction(() => {
        const { user, base, document, ingestion } = row
        const now = db.get<{ ingestion: string }>(
          `select ingestion from knowledge_documents ${ofBase} and document = ?`,
          user,
          base,
          document,
        )
        if (now?.ingestion !== ingestion) {
          db.run(`delete ${fresh}`, ingestion)
          return false
        }
        drop(db, row, ingestion)
        db.run(`insert into knowledge_words (rowid, place, text) select chunk, ?, text ${fresh}`, placeOf(row), ingestion)
        db.run('update knowledge_chunks set shown = 1 where ingestion = ?', ingestion)
        put(db, row)
        return true
      }),
  }
}

function searching({ db }: Rooms): Pick<KnowledgeStore, 'embedders' | 'vectors' | 'words' | 'passages'> {
  return {
    embedders: async ({ user, base }) =>
      db.all<{ embedder: string | null; chunks: number }>(
        `select embedder, count(*) chunks from knowledge_chunks ${ofBase} and shown = 1 group by embedder order by 2 desc`,
        user,
        base,
      ),
    vectors: async ({ user, base }, embedder, { after, limit }) =>
      db
        .all<{ chunk: number; vector: Uint8Array }>(
          `select chunk, vector from knowledge_chunks ${ofBase} and embedder = ? and shown = 1 and chunk > ? order by chunk limit ?`,
          ...[user, base, embedder],
          after,
          limit,
        )
        .map(({ chunk, vector }) => ({ chunk, vector: vectorOf(vector) })),
    async words(base, words, limit) {
      const asked = words.map((word) => word.replaceAll('"', '').trim()).filter((word) => word !== '')
      if (asked.length === 0) return []
      const match = `place : "${placeOf(base)}" AND text : (${asked.map((word) => `"${word}"`).join(' OR ')})`
      const found =
        'select rowid as chunk from knowledge_words where knowledge_words match ? order by bm25(knowledge_words, 0, 1), rowid limit ?'
      return db.all<{ chunk: number }>(found, match, limit).map(({ chunk }) => chunk)
    },
    passages: async ({ user, base }, chunks) => chunks.flatMap((chunk) => db.get<Passage>(passage, chunk, user, base) ?? []),
  }
}

const passage = `select c.chunk, c.document, d.id, d.name, d.hash, c.seq, c.text from knowledge_chunks c
  join knowledge_documents d on d.user = c.user and d.base = c.base and d.document = c.document
  where c.chunk = ? and c.user = ? and c.base = ? and c.shown = 1`

/** One word for a base, which no word of a text is. */
function placeOf({ user, base }: Base): string {
  return `k${sha256(JSON.stringify([user, base])).slice(0, 32)}`
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** A copy of its own: what SQLite gives need not begin where numbers of four bytes may. */
function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer)
}
