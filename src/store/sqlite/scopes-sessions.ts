// Sessions and processes: their tables, what each event does to them, and how they are read.
import { iso } from '../../base/clock.ts'
import { InvalidInput } from '../../base/errors.ts'
import type { ProcessId, SessionId } from '../../base/ids.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import type { LaneEvents } from '../../lanes/events.ts'
import type { Event } from '../../protocol/event.ts'
import type { ProcessStatus } from '../../protocol/process.ts'
import type { Session } from '../../protocol/shapes.ts'
import type { ProcessRow, SessionRow, SessionsWanted } from '../../scopes/conversation-store.ts'
import { dataOf, type ScopeEvents, type SessionLife } from '../../scopes/events.ts'
import type { Page } from '../../scopes/scopes.ts'
import { lifeOf } from '../../scopes/session-state.ts'
import { sessionStatus } from '../../scopes/session-status.ts'
import { autoTitle } from '../../scopes/title.ts'
import type { MessageReads, QuestionReads } from './conversation-messages.ts'
import type { Db, Value } from './db.ts'
import type { ProjectionSpec, TableNames } from './projection.ts'

export const sessionTables: ProjectionSpec['tables'] = {
  sessions: (t) => `
    CREATE TABLE ${t('sessions')} (
      id TEXT PRIMARY KEY, project TEXT NOT NULL, user TEXT NOT NULL, process TEXT NOT NULL, agent TEXT NOT NULL, title TEXT,
      auto_title TEXT, profile TEXT NOT NULL, life TEXT NOT NULL, pinned INTEGER NOT NULL, on_idle TEXT NOT NULL, on_suspend TEXT NOT NULL,
      idle_timeout_ms INTEGER NOT NULL, keep_ms INTEGER NOT NULL, suspended_at INTEGER, cause TEXT,
      created_at INTEGER NOT NULL, last_activity_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ${t('sessions')}_by_user ON ${t('sessions')} (user, last_activity_at, id);
    CREATE INDEX ${t('sessions')}_by_project ON ${t('sessions')} (project, last_activity_at);
    CREATE INDEX ${t('sessions')}_open ON ${t('sessions')} (last_activity_at) WHERE life = 'OPEN' AND on_idle = 'SUSPEND';
    CREATE INDEX ${t('sessions')}_kept ON ${t('sessions')} (suspended_at) WHERE life = 'SUSPENDED' AND on_suspend = 'CLOSE';`,
  processes: (t) => `
    CREATE TABLE ${t('processes')} (id TEXT PRIMARY KEY, session TEXT NOT NULL, info TEXT NOT NULL, status TEXT NOT NULL, leaf TEXT) STRICT;
    CREATE INDEX ${t('processes')}_by_session ON ${t('processes')} (session);`,
}

type On = ProjectionSpec['on'][string]

export const sessionHandlers: Record<string, On> = {
  'session-created': (db, event, t) => created(db, t, { event, data: dataOf('session-created', event) }),
  'session-updated': (db, event, t) => changed(db, t, { event, data: dataOf('session-updated', event) }),
  'process-created'(db, event, t) {
    const { process } = event.data as LaneEvents['process-created']
    const row = [process.id, process.session, JSON.stringify(process)]
    db.run(`INSERT OR IGNORE INTO ${t('processes')} (id, session, info, status) VALUES (?,?,?,'INIT')`, ...row)
  },
  'process-status-changed'(db, event, t) {
    const { status } = event.data as LaneEvents['process-status-changed']
    db.run(`UPDATE ${t('processes')} SET status = ? WHERE id = ? AND status <> 'CLOSED'`, status, event.lane)
  },
  'process-closed': (db, event, t) => void db.run(`UPDATE ${t('processes')} SET status = 'CLOSED' WHERE id = ?`, event.lane),
  'chat-message-appended'(db, event, t) {
    const { message } = event.data as LaneEvents['chat-message-appended']
    touch(db, event, t)
    if (message.role !== 'user') return
    const title = autoTitle(message.text)
    if (title === '') return
    const where = 'WHERE id = ? AND process = ? AND auto_title IS NULL'
    db.run(`UPDATE ${t('sessions')} SET auto_title = ? ${where}`, title, message.session, event.lane)
  },
  'turn-settled': touch,
  'question-answered': touch,
}

function touch(db: Db, event: Event, t: TableNames): void {
  if (event.session === null) return
  db.run(`UPDATE ${t('sessions')} SET last_activity_at = ?1 WHERE id = ?2 AND last_activity_at < ?1`, event.at, event.session)
}

type Of<T extends keyof ScopeEvents> = { readonly event: Event; readonly data: ScopeEvents[T] }

function created(db: Db, t: TableNames, { event, data: { session: s } }: Of<'session-created'>): void {
  const { onIdle, onSuspend, idleTimeoutMs, suspendKeepDurationMs } = s.policies
  db.run(
    `INSERT OR IGNORE INTO ${t('sessions')} (id, project, user, process, agent, title, profile, on_idle, on_suspend, idle_timeout_ms, keep_ms,
      life, pinned, created_at, last_activity_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,'OPEN',0,?,?)`,
    ...[s.id, s.project, s.user, s.process, s.agent, s.title, s.profile],
    ...[onIdle, onSuspend, idleTimeoutMs, suspendKeepDurationMs, event.at, event.at],
  )
}

function changed(db: Db, t: TableNames, { event, data }: Of<'session-updated'>): void {
  const set: [string, Value][] = []
  if (data.title !== undefined) set.push(['title', data.title])
  if (data.pinned !== undefined) set.push(['pinned', data.pinned ? 1 : 0])
  if (data.profile !== undefined) set.push(['profile', data.profile])
  if (data.status !== undefined) {
    set.push(['life', lifeOf(data.status)], ['suspended_at', data.status === 'SUSPENDED' ? event.at : null], ['cause', data.cause ?? null])
  }
  // Going on is an activity: else the next sweep would suspend it again at once.
  if (data.status === 'IDLE') touch(db, event, t)
  const names = set.map(([name]) => `${name} = ?`).join(', ')
  if (names !== '') db.run(`UPDATE ${t('sessions')} SET ${names} WHERE id = ?`, ...set.map(([, value]) => value), data.id)
  const word = data.status === 'SUSPENDED' ? 'SUSPENDED' : 'CLOSED'
  for (const process of data.unreached ?? []) {
    db.run(`UPDATE ${t('processes')} SET status = ? WHERE id = ? AND status <> 'CLOSED'`, word, process)
  }
}

type SessionColumns = {
  readonly id: SessionId
  readonly project: string
  readonly user: string
  readonly process: ProcessId
  readonly agent: string
  readonly title: string | null
  readonly auto_title: string | null
  readonly profile: string
  readonly life: SessionLife
  readonly pinned: number
  readonly created_at: number
  readonly last_activity_at: number
}

export function sessionReads(db: Db, rooms: { readonly messages: MessageReads; readonly questions: QuestionReads }) {
  const full = (row: SessionColumns): SessionRow => {
    const processes = db.all<{ id: string; status: ProcessStatus; leaf: string | null }>(sql.statuses, row.id)
    const own = processes.find((one) => one.id === row.process)
    const session: Session = {
      id: row.id,
      project: row.project,
      process: row.process,
      agent: row.agent,
      title: row.title ?? row.auto_title ?? '',
      profile: row.profile,
      status: sessionStatus(
        row.life,
        processes.map((one) => one.status),
      ),
      processStatus: own?.status ?? 'INIT',
      pinned: row.pinned === 1,
      leaf: own?.leaf ?? null,
      lastMessage: rooms.messages.last(row.process),
      openQuestions: rooms.questions.open(row.id),
      createdAt: iso(row.created_at),
      lastActivityAt: iso(row.last_activity_at),
    }
    return { session, user: row.user, life: row.life }
  }
  return {
    session(id: SessionId): SessionRow | null {
      const row = db.get<SessionColumns>(sql.session, id)
      return row === undefined ? null : full(row)
    },
    sessions: (wanted: SessionsWanted): Page<Session> => page(db, wanted, (row) => full(row).session),
    sessionsOf: (project: string) => ids(db, sql.ofProject, project),
    /** Where a session's conversation stands. */
    chosen: (id: SessionId) => db.get<{ process: string; leaf: string | null }>(sql.chosen, id) ?? null,
    process(id: ProcessId): ProcessRow | null {
      const row = db.get<ProcessColumns>(sql.process, id)
      return row === undefined ? null : processOf(row)
    },
    processes: (session: SessionId) => db.all<ProcessColumns>(sql.processes, session).map(processOf),
    asleep: () => ids(db, sql.asleep),
    idle: (now: number, limit: number) => ids(db, sql.idle, now, limit),
    overdue: (now: number, limit: number) => ids(db, sql.overdue, now, limit),
  }
}

function ids(db: Db, statement: string, ...values: Value[]): readonly SessionId[] {
  return db.all<{ id: SessionId }>(statement, ...values).map((row) => row.id)
}

type ProcessColumns = { readonly info: string; readonly status: ProcessStatus }

function processOf(row: ProcessColumns): ProcessRow {
  const info: ProcessInfo = JSON.parse(row.info)
  return { info, status: row.status }
}

const sql = {
  session: 'SELECT * FROM sessions WHERE id = ?',
  statuses: 'SELECT id, status, leaf FROM processes WHERE session = ?',
  chosen: 'SELECT s.process, p.leaf FROM sessions s LEFT JOIN processes p ON p.id = s.process WHERE s.id = ?',
  ofProject: `SELECT id FROM sessions WHERE project = ? AND life IN ('OPEN', 'SUSPENDED') ORDER BY id`,
  process: 'SELECT info, status FROM processes WHERE id = ?',
  processes: 'SELECT info, status FROM processes WHERE session = ? ORDER BY id',
  asleep: `SELECT id FROM sessions WHERE life = 'SUSPENDED' OR (life = 'OPEN' AND id IN (SELECT session FROM processes WHERE status = 'SUSPENDED'))`,
  idle: `SELECT id FROM sessions s WHERE life = 'OPEN' AND on_idle = 'SUSPEND' AND last_activity_at <= ?1 AND last_activity_at + idle_timeout_ms <= ?1
    AND EXISTS (SELECT 1 FROM processes p WHERE p.session = s.id AND p.status NOT IN ('SUSPENDED', 'CLOSED'))
    AND NOT EXISTS (SELECT 1 FROM processes p WHERE p.session = s.id AND p.status IN ('RUNNING', 'BLOCKED'))
    AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.session = s.id AND q.status = 'open')
    ORDER BY last_activity_at LIMIT 0 + ?2`,
  overdue: `SELECT id FROM sessions WHERE life = 'SUSPENDED' AND on_suspend = 'CLOSE' AND suspended_at + keep_ms <= ?1
    ORDER BY suspended_at LIMIT 0 + ?2`,
  list: `SELECT * FROM sessions WHERE user = ?1 AND (?2 IS NULL OR project = ?2) AND (?3 = 1 OR life IN ('OPEN', 'SUSPENDED'))
    AND (?4 IS NULL OR (last_activity_at, id) < (?4, ?5)) ORDER BY last_activity_at DESC, id DESC LIMIT 0 + ?6`,
}

function page(db: Db, wanted: SessionsWanted, full: (row: SessionColumns) => Session): Page<Session> {
  const from = wanted.after === undefined ? [null, null] : placeOf(wanted.after)
  const where = [wanted.user, wanted.project ?? null, wanted.archived ? 1 : 0, ...from]
  const rows = db.all<SessionColumns>(sql.list, ...where, wanted.limit + 1)
  const items = rows.slice(0, wanted.limit)
  const last = items.at(-1)
  const next = rows.length > wanted.limit && last ? `${last.last_activity_at}.${last.id}` : null
  return { items: items.map(full), next }
}

function placeOf(after: string): [number, string] {
  const match = /^(\d{1,15})\.(ses_\w{26})$/.exec(after)
  if (match) return [Number(match[1]), match[2] ?? '']
  throw new InvalidInput('There is no such place in this list.', { path: '/after' })
}
