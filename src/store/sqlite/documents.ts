// Documents in SQLite (scopes/document-store.ts): every version is a row, at most one of a path is the one that shows.
import type { Event } from '../../protocol/event.ts'
import type { DocumentRow, DocumentStore } from '../../scopes/document-store.ts'
import { type Place, scopeFact } from '../../scopes/events.ts'
import type { Db } from './db.ts'
import { type ProjectionSpec, sqliteProjection, type TableNames } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const documentsSpec: ProjectionSpec = {
  name: 'documents',
  version: 1,
  tables: {
    documents: (t) => `CREATE TABLE ${t('documents')} (
      level TEXT NOT NULL, scope TEXT NOT NULL, path TEXT NOT NULL, version INTEGER NOT NULL, mime TEXT NOT NULL, hash TEXT NOT NULL,
      text TEXT, ref TEXT, at INTEGER NOT NULL, by TEXT NOT NULL, shown INTEGER NOT NULL, PRIMARY KEY (level, scope, path, version)) STRICT;
      CREATE UNIQUE INDEX ${t('documents')}_shown ON ${t('documents')} (level, scope, path) WHERE shown = 1;`,
  },
  on: { 'document-written': play, 'document-removed': play, 'document-purged': play },
}

function play(db: Db, event: Event, t: TableNames): void {
  const fact = scopeFact(event)
  if (fact?.type !== 'document-written' && fact?.type !== 'document-removed' && fact?.type !== 'document-purged') return
  const { level, scope, path } = fact.data
  const where = 'WHERE level = ? AND scope = ? AND path = ?'
  if (fact.type === 'document-purged') {
    db.run(`DELETE FROM ${t('documents')} ${where}`, level, scope, path)
    return
  }
  db.run(`UPDATE ${t('documents')} SET shown = 0 ${where} AND shown = 1`, level, scope, path)
  if (fact.type === 'document-removed') return
  const { version, mime, hash, text, ref } = fact.data
  db.run(
    `INSERT OR REPLACE INTO ${t('documents')} (level, scope, path, version, mime, hash, text, ref, at, by, shown) VALUES (?,?,?,?,?,?,?,?,?,?,1)`,
    ...[level, scope, path, version, mime, hash, text ?? null, ref ?? null, event.at, event.actor],
  )
}

export function sqliteDocuments(store: SqliteStore): DocumentStore {
  const { db } = store
  return {
    projection: sqliteProjection(store, documentsSpec),
    async find(path, places) {
      for (const { level, scope } of places) {
        const row = db.get<DocumentRow>(sql.shown, level, scope, path)
        if (row !== undefined) return row
      }
      return null
    },
    async list(prefix, places) {
      const found = new Map<string, DocumentRow>()
      for (const { level, scope } of [...places].reverse()) {
        for (const row of db.all<DocumentRow>(sql.below, level, scope, prefix)) found.set(row.path, row)
      }
      return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    all: async () => db.all<Place & { path: string }>(sql.all).map(({ path, ...place }) => ({ place, path })),
    versions: async (path, { level, scope }) => db.all<DocumentRow>(sql.versions, level, scope, path),
  }
}

const fields = 'level, scope, path, version, mime, hash, text, ref, at, by'
const sql = {
  all: 'SELECT level, scope, path FROM documents WHERE shown = 1 ORDER BY scope, path',
  shown: `SELECT ${fields} FROM documents WHERE level = ? AND scope = ? AND path = ? AND shown = 1`,
  below: `SELECT ${fields} FROM documents WHERE level = ? AND scope = ? AND shown = 1 AND substr(path, 1, length(?3)) = ?3`,
  versions: `SELECT ${fields} FROM documents WHERE level = ? AND scope = ? AND path = ? ORDER BY version`,
}
