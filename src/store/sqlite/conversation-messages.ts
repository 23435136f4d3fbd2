// Messages and questions: their tables, what each event does to them, and how they are read.
import { iso } from '../../base/clock.ts'
import { InvalidInput } from '../../base/errors.ts'
import type { LaneEvents, Taken } from '../../lanes/events.ts'
import { formatCursor } from '../../protocol/cursor.ts'
import type { Event } from '../../protocol/event.ts'
import type { Message } from '../../protocol/message.ts'
import type { Question } from '../../protocol/shapes.ts'
import type { Page, Paging, PastLine } from '../../scopes/scopes.ts'
import { ancestorAt, depthOf, placeBelow, placeMessage } from './conversation-tree.ts'
import type { Db, Value } from './db.ts'
import type { ProjectionSpec, TableNames } from './projection.ts'

export const messageTables: ProjectionSpec['tables'] = {
  messages: (t) => `
    CREATE TABLE ${t('messages')} (
      id TEXT PRIMARY KEY, session TEXT NOT NULL, lane TEXT NOT NULL, parent TEXT, role TEXT NOT NULL, actor TEXT NOT NULL, agent TEXT,
      text TEXT NOT NULL, info TEXT, options TEXT, attachments TEXT, client TEXT, status TEXT NOT NULL, turn TEXT,
      cursor INTEGER NOT NULL, at INTEGER NOT NULL, depth INTEGER, jump TEXT
    ) STRICT;
    CREATE INDEX ${t('messages')}_by_lane ON ${t('messages')} (lane, cursor);
    CREATE INDEX ${t('messages')}_unplaced ON ${t('messages')} (lane, cursor) WHERE depth IS NULL;`,
  questions: (t) => `
    CREATE TABLE ${t('questions')} (
      id TEXT PRIMARY KEY, session TEXT NOT NULL, lane TEXT NOT NULL, turn TEXT NOT NULL, text TEXT NOT NULL, options TEXT,
      status TEXT NOT NULL, cursor INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ${t('questions')}_by_session ON ${t('questions')} (session, status, cursor);
    CREATE INDEX ${t('questions')}_open ON ${t('questions')} (lane, turn) WHERE status = 'open';`,
}

type Data<T extends keyof LaneEvents> = LaneEvents[T]
type On = ProjectionSpec['on'][string]

export const messageHandlers: Record<string, On> = {
  'chat-message-appended': appended,
  'chat-message-updated': updated,
  'turn-started': (db, event, t) => taken(db, t, { event, taken: (event.data as Data<'turn-started'>).taken }),
  'arrivals-taken': (db, event, t) => taken(db, t, { event, taken: (event.data as Data<'arrivals-taken'>).taken }),
  'branch-selected': (db, event, t) => setLeaf(db, t, { lane: event.lane, leaf: (event.data as Data<'branch-selected'>).leaf }),
  'question-asked': asked,
  'question-answered'(db, event, t) {
    const { answer } = event.data as Data<'question-answered'>
    const status = answer.outcome === 'answered' ? 'answered' : 'withdrawn'
    db.run(`UPDATE ${t('questions')} SET status = ? WHERE id = ? AND status = 'open'`, status, answer.ask)
  },
  'turn-settled'(db, event, t) {
    const { turn } = event.data as Data<'turn-settled'>
    db.run(`UPDATE ${t('questions')} SET status = 'withdrawn' WHERE lane = ? AND turn = ? AND status = 'open'`, event.lane, turn)
  },
}

function appended(db: Db, event: Event, t: TableNames): void {
  const { message: m, turn } = event.data as Data<'chat-message-appended'>
  const texts = [m.id, m.session, event.lane, m.parent, m.role, m.actor, m.agent ?? null, m.text, m.info ?? null]
  const lists = [json(m.options), json(m.attachments), m.clientId ?? null, m.status, turn ?? null]
  const isPlaced = m.status !== 'queued'
  const insert = isPlaced ? insertPlaced : insertQueued
  const isNew = db.run(insert(t('messages')), ...texts, ...lists, event.cursor, event.at) > 0
  if (isPlaced && isNew) setLeaf(db, t, { lane: event.lane, leaf: m.id })
  else if (isPlaced) place(db, t, { lane: event.lane, id: m.id, parent: m.parent })
}

const inserted = 'id, session, lane, parent, role, actor, agent, text, info, options, attachments, client, status, turn, cursor, at'
const insertQueued = (messages: string) => `INSERT OR IGNORE INTO ${messages} (${inserted}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
/** A new line and its place, at once. */
const insertPlaced = (messages: string) => `INSERT OR IGNORE INTO ${messages} (${inserted}, depth, jump)
  SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16, ${placeBelow(messages, '?4', '?1')}`

function updated(db: Db, event: Event, t: TableNames): void {
  const { id, status, parent, turn } = event.data as Data<'chat-message-updated'>
  const row = db.get<{ parent: string | null; depth: number | null }>(
    `UPDATE ${t('messages')} SET status = ?, turn = coalesce(?, turn) WHERE id = ? RETURNING parent, depth`,
    status,
    turn ?? null,
    id,
  )
  const isTaken = parent !== undefined || status === 'accepted' || status === 'writing' || status === 'settled'
  if (row && isTaken && row.depth === null) place(db, t, { lane: event.lane, id, parent: parent === undefined ? row.parent : parent })
}

/** A turn that took messages also says where they stand. */
function taken(db: Db, t: TableNames, what: { readonly event: Event; readonly taken: readonly Taken[] }): void {
  for (const one of what.taken) {
    if (one.message !== undefined && one.parent !== undefined) place(db, t, { lane: what.event.lane, id: one.message, parent: one.parent })
  }
}

function place(db: Db, t: TableNames, what: { readonly lane: string; readonly id: string; readonly parent: string | null }): void {
  if (placeMessage(db, t, what)) setLeaf(db, t, { lane: what.lane, leaf: what.id })
}

function setLeaf(db: Db, t: TableNames, what: { readonly lane: string; readonly leaf: string | null }): void {
  db.run(`UPDATE ${t('processes')} SET leaf = ? WHERE id = ?`, what.leaf, what.lane)
}

function asked(db: Db, event: Event, t: TableNames): void {
  const { ask, turn, text, options } = event.data as Data<'question-asked'>
  db.run(
    `INSERT OR IGNORE INTO ${t('questions')} (id, session, lane, turn, text, options, status, cursor) VALUES (?,?,?,?,?,?,'open',?)`,
    ask,
    event.session ?? '',
    event.lane,
    turn,
    text,
    json(options),
    event.cursor,
  )
}

function json(list: readonly unknown[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list)
}

type MessageColumns = {
  readonly id: string
  readonly session: string
  readonly parent: string | null
  readonly role: Message['role']
  readonly actor: string
  readonly agent: string | null
  readonly text: string
  readonly info: string | null
  readonly options: string | null
  readonly attachments: string | null
  readonly client: string | null
  readonly status: Message['status']
  readonly cursor: number
  readonly at: number
}
const columns = [
  'id',
  'session',
  'parent',
  'role',
  'actor',
  'agent',
  'text',
  'info',
  'options',
  'attachments',
  'client',
  'status',
  'cursor',
  'at',
]
const fields = columns.map((column) => `m.${column}`).join(', ')

const fewLines = 16

export type MessageReads = ReturnType<typeof messageReads>

export function messageReads(db: Db, generation: number) {
  const one = (sql: string, ...values: Value[]) => {
    const row = db.get<MessageColumns>(sql, ...values)
    return row === undefined ? null : messageOf(row, generation)
  }
  const many = (sql: string, ...values: Value[]) => db.all<MessageColumns>(sql, ...values).map((row) => messageOf(row, generation))
  const walk = (leaf: string, limit: number) => (limit <= fewLines ? climb(leaf, limit) : many(sql.walk, leaf, limit))
  /** The same for a few lines: one look each costs less than a recursive query. */
  const climb = (leaf: string, limit: number) => {
    const lines: Message[] = []
    for (let at: string | null = leaf; at !== null && lines.length < limit; ) {
      const line = one(sql.message, at)
      if (line === null) break
      lines.unshift(line)
      at = line.parent
    }
    return lines
  }
  const reads = {
    walk,
    message: (id: string) => one(sql.message, id),
    past: ({ user, project, limit }: { readonly user: string; readonly project: string; readonly limit: number }) =>
      db.all<PastLine>(sql.past, user, project, `user:${user}`, limit),
    /** The newest line of a process. */
    last: (lane: string) => one(sql.last, lane),
    /** From the leaf's branch, after that line; then what is queued. */
    branch(lane: string, leaf: string | null, paging: Paging): Page<Message> {
      const size = leaf === null ? 0 : (depthOf(db, leaf) ?? -1) + 1
      const from = startAfter(reads, db, paging.after)
      const count = Math.min(paging.limit, size - from.depth)
      const top = count > 0 && leaf !== null ? ancestorAt(db, leaf, from.depth + count - 1) : null
      const placed = top === null ? [] : walk(top, count)
      const room = paging.limit - placed.length
      const queued = many(sql.queued, lane, from.cursor, room + 1)
      const items = [...placed, ...queued.slice(0, room)]
      const isMore = from.depth + placed.length < size || queued.length > room
      return { items, next: isMore ? (items.at(-1)?.id ?? null) : null }
    },
  }
  return reads
}

/** Where a page starts: the depth on the branch, and the cursor among what is queued. Throws InvalidInput for an unknown line. */
function startAfter(reads: { message(id: string): Message | null }, db: Db, after: string | undefined): { depth: number; cursor: number } {
  if (after === undefined) return { depth: 0, cursor: 0 }
  const line = reads.message(after)
  if (line === null) throw new InvalidInput('There is no such place in this conversation.', { path: '/after' })
  const depth = depthOf(db, after)
  const cursor = Number(line.cursor.split('.')[1])
  return depth === null ? { depth: Number.MAX_SAFE_INTEGER, cursor } : { depth: depth + 1, cursor: 0 }
}

const sql = {
  message: `SELECT ${fields} FROM messages m WHERE m.id = ?`,
  last: `SELECT ${fields} FROM messages m WHERE m.lane = ? ORDER BY m.cursor DESC LIMIT 1`,
  queued: `SELECT ${fields} FROM messages m WHERE m.lane = ? AND m.cursor > ? AND m.depth IS NULL AND m.status = 'queued'
    ORDER BY m.cursor LIMIT 0 + ?`,
  past: `SELECT m.id, m.text FROM messages m JOIN sessions s ON s.process = m.lane
    WHERE s.user = ? AND s.project = ? AND m.actor = ? AND m.role = 'user' ORDER BY m.cursor DESC LIMIT 0 + ?`,
  walk: `WITH RECURSIVE up(id, parent, n) AS (
      SELECT id, parent, 1 FROM messages WHERE id = ?
      UNION ALL SELECT m.id, m.parent, n + 1 FROM up JOIN messages m ON m.id = up.parent WHERE n < ?
    ) SELECT ${fields} FROM up JOIN messages m ON m.id = up.id ORDER BY n DESC`,
}

function messageOf(row: MessageColumns, generation: number): Message {
  return {
    id: row.id,
    ...(row.client === null ? {} : { clientId: row.client }),
    session: row.session,
    parent: row.parent,
    role: row.role,
    actor: row.actor,
    ...(row.agent === null ? {} : { agent: row.agent }),
    text: row.text,
    ...(row.info === null ? {} : { info: row.info }),
    ...(row.options === null ? {} : { options: JSON.parse(row.options) }),
    ...(row.attachments === null ? {} : { attachments: JSON.parse(row.attachments) }),
    status: row.status,
    at: iso(row.at),
    cursor: formatCursor(generation, row.cursor),
  }
}

type QuestionColumns = Pick<Question, 'id' | 'session' | 'text' | 'status'> & { readonly lane: string; readonly options: string | null }

export function questionOf(row: QuestionColumns): Question {
  const { id, session, lane, text, options, status } = row
  return { id, session, process: lane, text, ...(options === null ? {} : { options: JSON.parse(options) }), status }
}

export type QuestionReads = ReturnType<typeof questionReads>

export function questionReads(db: Db) {
  const shown = 'q.id, q.session, q.lane, q.text, q.options, q.status'
  return {
    question(id: string) {
      const row = db.get<QuestionColumns>(`SELECT ${shown} FROM questions q WHERE q.id = ?`, id)
      return row === undefined ? null : { ...questionOf(row), lane: row.lane }
    },
    open: (session: string) =>
      db
        .all<QuestionColumns>(`SELECT ${shown} FROM questions q WHERE q.session = ? AND q.status = 'open' ORDER BY q.cursor`, session)
        .map(questionOf),
    questions(where: { readonly user: string; readonly session?: string; readonly status?: 'open' }) {
      const rows = db.all<QuestionColumns>(
        `SELECT ${shown} FROM questions q JOIN sessions s ON s.id = q.session
         WHERE s.user = ? AND (?2 IS NULL OR q.session = ?2) AND (?3 IS NULL OR q.status = ?3) ORDER BY q.cursor`,
        where.user,
        where.session ?? null,
        where.status ?? null,
      )
      return rows.map(questionOf)
    },
  }
}
