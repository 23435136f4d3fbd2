// The table of attachments in SQLite (scopes/attachments/attachments-store.ts), a projection of the journal.

import type { Event } from '../../protocol/event.ts'
import type { AttachmentStore, KnownAttachment } from '../../scopes/attachments/attachments-store.ts'
import { factIn } from '../../scopes/attachments/facts.ts'
import type { Db } from './db.ts'
import { type ProjectionSpec, sqliteProjection, type TableNames } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const spec: ProjectionSpec = {
  name: 'attachments',
  version: 1,
  tables: {
    attachment_sessions: (t) => `
      CREATE TABLE ${t('attachment_sessions')} (session TEXT PRIMARY KEY, project TEXT NOT NULL) STRICT;
      CREATE INDEX ${t('attachment_sessions')}_by_project ON ${t('attachment_sessions')} (project);`,
    attachments: (t) => `
      CREATE TABLE ${t('attachments')} (
        id TEXT PRIMARY KEY, user TEXT NOT NULL, name TEXT NOT NULL, mime TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
        session TEXT, client TEXT, at INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX ${t('attachments')}_by_session ON ${t('attachments')} (session, at, id);
      CREATE INDEX ${t('attachments')}_by_client ON ${t('attachments')} (user, client) WHERE client IS NOT NULL;
      CREATE INDEX ${t('attachments')}_free ON ${t('attachments')} (user, at) WHERE session IS NULL AND removed = 0;
      CREATE INDEX ${t('attachments')}_by_bytes ON ${t('attachments')} (sha256) WHERE removed = 0;`,
  },
  on: {
    'session-created'(db, event, t) {
      const { id, project } = Object(event.data['session'])
      db.run(`INSERT OR IGNORE INTO ${t('attachment_sessions')} (session, project) VALUES (?,?)`, String(id), String(project))
    },
    'project-purged'(db, event, t) {
      const project = String(event.data['name'])
      const of = `(SELECT session FROM ${t('attachment_sessions')} WHERE project = ?)`
      db.run(`DELETE FROM ${t('attachments')} WHERE session IN ${of}`, project)
      db.run(`DELETE FROM ${t('attachment_sessions')} WHERE project = ?`, project)
    },
    'attachment-added': written,
    'attachment-placed': written,
    'attachment-removed': written,
  },
}

function written(db: Db, event: Event, t: TableNames): void {
  const fact = factIn(event)
  if (fact === null) return
  if (fact.type === 'attachment-removed') {
    db.run(`UPDATE ${t('attachments')} SET removed = 1 WHERE id = ? AND user = ?`, fact.id, fact.user)
  } else if (fact.type === 'attachment-placed') {
    db.run(`UPDATE ${t('attachments')} SET session = ? WHERE id = ? AND user = ?`, fact.session, fact.id, fact.user)
  } else {
    const { id, name, mime, size, sha256, session, clientId, at } = fact.attachment
    const into = `INSERT OR IGNORE INTO ${t('attachments')} (id, user, name, mime, size, sha256, session, client, at)`
    db.run(`${into} VALUES (?,?,?,?,?,?,?,?,?)`, id, fact.user, name, mime, size, sha256, ...[session, clientId], at)
  }
}

type Row = Omit<KnownAttachment, 'removed'> & { readonly removed: number }

const fields = 'id, name, mime, size, sha256, session, client AS clientId, at, removed'
const all = `SELECT ${fields} FROM attachments`

function known(row: Row): KnownAttachment {
  return { ...row, removed: row.removed === 1 }
}

export function sqliteAttachments(store: SqliteStore): AttachmentStore {
  const { db } = store
  const one = (sql: string, ...values: string[]) => {
    const row = db.get<Row>(sql, ...values)
    return row ? known(row) : null
  }
  return {
    projection: sqliteProjection(store, spec),
    get: async (user, id) => one(`${all} WHERE id = ? AND user = ?`, id, user),
    byClientId: async (user, client) => one(`${all} WHERE user = ? AND client = ? AND removed = 0`, user, client),
    ofSession: async (user, session) =>
      db.all<Row>(`${all} WHERE session = ? AND user = ? AND removed = 0 ORDER BY at, id`, session, user).map(known),
    free: async (user) => db.all<Row>(`${all} WHERE user = ? AND session IS NULL AND removed = 0 ORDER BY at, id`, user).map(known),
    unused: async (before, limit) =>
      db
        .all<Row & { user: string }>(
          `SELECT user, ${fields} FROM attachments WHERE session IS NULL AND removed = 0 AND at < ? ORDER BY at LIMIT 0 + ?`,
          before,
          limit,
        )
        .map((row) => ({ ...known(row), user: row.user })),
    refers: async (sha256) => db.get(`SELECT 1 FROM attachments WHERE sha256 = ? AND removed = 0 LIMIT 1`, sha256) !== undefined,
  }
}
