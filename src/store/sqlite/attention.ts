// The inbox in SQLite (attention/attention-store.ts): items, and the approvals and questions that stand among them.

import type { AttentionItem, ItemAnswer, ItemStatus } from '../../attention/attention.ts'
import type { AttentionStore, ItemsWanted } from '../../attention/attention-store.ts'
import { approvalOver, type Derived, ofApproval, ofQuestion, questionOver, type Resolved } from '../../attention/derived.ts'
import { answeredBy, readAdded, readUndelivered, readUpdated } from '../../attention/inbox-events.ts'
import { InvalidInput } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Event } from '../../protocol/event.ts'
import type { Db, Value } from './db.ts'
import { type ProjectionSpec, sqliteProjection, type TableNames } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

type On = ProjectionSpec['on'][string]

const handlers: Record<string, On> = {
  'session-created'(db, event, t) {
    const { session } = event.data
    const { id, user } = Object(session)
    db.run(`INSERT OR IGNORE INTO ${t('inbox_sessions')} (session, user) VALUES (?,?)`, String(id), String(user))
  },
  'inbox-item-added'(db, event, t) {
    const { user, item } = readAdded(event)
    const { answer, session, process, resolvedBy, ...rest } = item
    const full: AttentionItem = {
      ...rest,
      at: event.at,
      ...(session === undefined ? {} : { session }),
      ...(process === undefined ? {} : { process }),
    }
    put(db, t, { user, item: full, turn: null })
  },
  'inbox-item-updated': updated,
  'inbox-answer-undelivered'(db, event, t) {
    const { user, id } = readUndelivered(event)
    delivered(db, t, user, id)
  },
  'entry-received'(db, event, t) {
    const note = answeredBy(event)
    if (note !== null) delivered(db, t, note.user, note.item)
  },
  'approval-requested': (db, event, t) => derived(db, t, ofApproval(event), event),
  'question-asked': (db, event, t) => derived(db, t, ofQuestion(event), event),
  'approval-decided': (db, event, t) => resolved(db, t, approvalOver(event)),
  'question-answered': (db, event, t) => resolved(db, t, questionOver(event)),
  'turn-settled'(db, event, t) {
    const over = `UPDATE ${t('inbox_items')} SET status = 'ARCHIVED', resolved_by = 'AUTO_ARCHIVE'`
    db.run(`${over} WHERE process = ? AND turn = ? AND status = 'PENDING'`, event.lane, String(event.data['turn']))
  },
}

/** Most turns settle with nothing open, and most entries are no answers of items. */
const matters: ProjectionSpec['matters'] = {
  'turn-settled': (db, event) => db.get(sql.openOf, event.lane, String(event.data['turn'])) !== undefined,
  'entry-received': (_db, event) => answeredBy(event) !== null,
}

type Row = { readonly user: string; readonly item: AttentionItem; readonly turn: string | null }

function put(db: Db, t: TableNames, { user, item, turn }: Row): void {
  const texts = [item.id, user, item.type, item.criticality, item.title, item.body, JSON.stringify(item.tags), JSON.stringify(item.payload)]
  const rest = [item.session ?? null, item.process ?? null, turn, item.requiresAction ? 1 : 0, item.status, item.read ? 1 : 0, item.at]
  db.run(
    `INSERT OR IGNORE INTO ${t('inbox_items')} (id, user, type, criticality, title, body, tags, payload, session, process, turn,
      requires_action, status, read, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    ...texts,
    ...rest,
  )
}

function updated(db: Db, event: Event, t: TableNames): void {
  const { user, id, status, read, answer, resolvedBy, delegatedTo } = readUpdated(event)
  const set: [string, Value][] = []
  if (status !== undefined) set.push(['status = ?', status])
  if (read !== undefined) set.push(['read = ?', read ? 1 : 0])
  if (answer !== undefined) set.push(['answer = ?', JSON.stringify(answer)], ['note_due = (process IS NOT NULL) AND ?', 1])
  if (resolvedBy !== undefined) set.push(['resolved_by = ?', resolvedBy])
  if (delegatedTo !== undefined) set.push(['delegated_to = ?', delegatedTo])
  if (set.length === 0) return
  const names = set.map(([name]) => name).join(', ')
  db.run(`UPDATE ${t('inbox_items')} SET ${names} WHERE id = ? AND user = ?`, ...set.map(([, value]) => value), id, user)
}

function delivered(db: Db, t: TableNames, user: string, id: string): void {
  db.run(`UPDATE ${t('inbox_items')} SET note_due = 0 WHERE id = ? AND user = ?`, id, user)
}

function derived(db: Db, t: TableNames, found: Derived | null, event: Event): void {
  if (found === null) return
  const owner = db.get<{ user: string }>(`SELECT user FROM ${t('inbox_sessions')} WHERE session = ?`, event.session ?? '')
  const user = found.user ?? owner?.user
  if (user !== undefined) put(db, t, { user, item: found.item, turn: found.turn })
}

function resolved(db: Db, t: TableNames, over: Resolved | null): void {
  if (over === null) return
  const [status, by] = over.answer === null ? ['ARCHIVED', 'AUTO_ARCHIVE'] : ['ANSWERED', 'USER']
  const row = db.get<{ type: string }>(`SELECT type FROM ${t('inbox_items')} WHERE id = ?`, over.id)
  const answer = over.answer === null ? null : JSON.stringify(row?.type === 'DECISION' ? chosen(over.answer) : over.answer)
  const set = `UPDATE ${t('inbox_items')} SET status = ?, resolved_by = ?, answer = ?, read = 1`
  db.run(`${set} WHERE id = ? AND status = 'PENDING'`, status, by, answer, over.id)
}

/** Of a question with options, the words are the choice. */
function chosen(answer: ItemAnswer): ItemAnswer {
  const text = isObject(answer.value) ? answer.value['text'] : undefined
  return typeof text === 'string' ? { ...answer, value: { chosen: text } } : answer
}

const inboxSpec: ProjectionSpec = {
  name: 'inbox',
  version: 1,
  tables: {
    inbox_sessions: (t) => `CREATE TABLE ${t('inbox_sessions')} (session TEXT PRIMARY KEY, user TEXT NOT NULL) STRICT`,
    inbox_items: (t) => `
      CREATE TABLE ${t('inbox_items')} (
        id TEXT PRIMARY KEY, user TEXT NOT NULL, type TEXT NOT NULL, criticality TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
        tags TEXT NOT NULL, payload TEXT NOT NULL, session TEXT, process TEXT, turn TEXT, requires_action INTEGER NOT NULL,
        status TEXT NOT NULL, read INTEGER NOT NULL, answer TEXT, resolved_by TEXT, delegated_to TEXT, note_due INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX ${t('inbox_items')}_by_user ON ${t('inbox_items')} (user, at, id);
      CREATE INDEX ${t('inbox_items')}_pending ON ${t('inbox_items')} (user, at, id) WHERE status = 'PENDING';
      CREATE INDEX ${t('inbox_items')}_open ON ${t('inbox_items')} (process, turn) WHERE status = 'PENDING';
      CREATE INDEX ${t('inbox_items')}_due ON ${t('inbox_items')} (id) WHERE note_due = 1;`,
  },
  on: handlers,
  matters,
}

const sql = {
  openOf: `SELECT 1 FROM inbox_items WHERE process = ? AND turn = ? AND status = 'PENDING' LIMIT 1`,
  item: 'SELECT * FROM inbox_items WHERE user = ? AND id = ?',
  list: `SELECT * FROM inbox_items WHERE user = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR (at, id) < (?3, ?4))
    ORDER BY at DESC, id DESC LIMIT 0 + ?5`,
  counts: `SELECT count(*) AS pending, coalesce(sum(requires_action), 0) AS requiresAction FROM inbox_items WHERE user = ? AND status = 'PENDING'`,
  due: 'SELECT * FROM inbox_items WHERE note_due = 1 ORDER BY at LIMIT 0 + ?',
}

export function sqliteAttention(store: SqliteStore): AttentionStore {
  const { db } = store
  return {
    projection: sqliteProjection(store, inboxSpec),
    async item(user, id) {
      const row = db.get<ItemColumns>(sql.item, user, id)
      return row === undefined ? null : itemOf(row)
    },
    items: async (wanted) => page(db, wanted),
    counts: async (user) => db.get<{ pending: number; requiresAction: number }>(sql.counts, user) ?? { pending: 0, requiresAction: 0 },
    undelivered: async (limit) => db.all<ItemColumns>(sql.due, limit).map((row) => ({ user: row.user, item: itemOf(row) })),
  }
}

function page(db: Db, { user, status, after, limit }: ItemsWanted) {
  const from = after === undefined ? [null, null] : placeOf(after)
  const rows = db.all<ItemColumns>(sql.list, user, status ?? null, ...from, limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(itemOf), next: rows.length > limit && last ? `${last.at}.${last.id}` : null }
}

function placeOf(after: string): [number, string] {
  const match = /^(\d{1,15})\.([a-z]{3}_\w{26})$/.exec(after)
  if (match) return [Number(match[1]), match[2] ?? '']
  throw new InvalidInput('There is no such place in this list.', { path: '/after' })
}

type ItemColumns = Pick<AttentionItem, 'id' | 'type' | 'criticality' | 'title' | 'body' | 'at'> & {
  readonly user: string
  readonly tags: string
  readonly payload: string
  readonly session: string | null
  readonly process: string | null
  readonly requires_action: number
  readonly status: ItemStatus
  readonly read: number
  readonly answer: string | null
  readonly resolved_by: NonNullable<AttentionItem['resolvedBy']> | null
}

function itemOf(row: ItemColumns): AttentionItem {
  const { id, type, criticality, title, body, status, at, session, process } = row
  const tags: readonly string[] = JSON.parse(row.tags)
  const payload: JsonObject = JSON.parse(row.payload)
  return {
    ...{ id, type, criticality, title, body, tags, payload, status, at },
    ...(session === null ? {} : { session }),
    ...(process === null ? {} : { process }),
    requiresAction: row.requires_action === 1,
    read: row.read === 1,
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) }),
    ...(row.resolved_by === null ? {} : { resolvedBy: row.resolved_by }),
  }
}
