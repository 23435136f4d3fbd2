// Links of workers in SQLite (work/work-store.ts): a projection, and the place up to which reports are posted as a row of its own,
// because posting is an effect and no projection.
import { isId } from '../../base/ids.ts'
import { isObject } from '../../base/json.ts'
import type { Projection } from '../../journal/projection.ts'
import type { Chain } from '../../protocol/entry.ts'
import type { Event } from '../../protocol/event.ts'
import { type ChannelMode, channelModes, type Report, readReport } from '../../work/report.ts'
import type { Linked, WorkerLink, WorkStore } from '../../work/work-store.ts'
import type { Db } from './db.ts'
import { type ProjectionSpec, sqliteProjection, type TableNames } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const ownTables = ['create table work_reported (one integer primary key check (one = 1), cursor integer not null) strict;']

const spec: Omit<ProjectionSpec, 'matters'> = {
  name: 'work',
  version: 1,
  tables: {
    worker_links: (t) => `
      CREATE TABLE ${t('worker_links')} (
        worker TEXT PRIMARY KEY, owner TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL, agent TEXT NOT NULL,
        title TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL, cursor INTEGER NOT NULL,
        report_type TEXT, report_text TEXT, report_at INTEGER
      ) STRICT;
      CREATE INDEX ${t('worker_links')}_by_owner ON ${t('worker_links')} (owner, cursor);`,
    worker_turns: (t) => `CREATE TABLE ${t('worker_turns')} (turn TEXT PRIMARY KEY, worker TEXT NOT NULL, chain TEXT NOT NULL) STRICT`,
  },
  on: {
    'worker-linked': linked,
    'turn-started'(db, event, t) {
      if (!isOf(db, event, t)) return
      const { turn, chain } = event.data
      const row = [String(turn), event.lane, JSON.stringify(chain)]
      db.run(`INSERT OR REPLACE INTO ${t('worker_turns')} (turn, worker, chain) VALUES (?,?,?)`, ...row)
    },
    'process-status-changed'(db, event, t) {
      const status = String(event.data['status']).toLowerCase()
      db.run(`UPDATE ${t('worker_links')} SET status = ? WHERE worker = ?`, status, event.lane)
    },
    'entry-received': reported,
  },
}

/** Nearly every event is of a process that works for nobody: who does is kept in mind. */
function keptWorkers(db: Db) {
  let known: Set<string> | null = null
  return {
    has(process: string): boolean {
      known ??= new Set(db.all<{ worker: string }>('SELECT worker FROM worker_links').map(({ worker }) => worker))
      return known.has(process)
    },
    forget() {
      known = null
    },
  }
}
type KeptWorkers = ReturnType<typeof keptWorkers>

function mattersTo(workers: KeptWorkers): NonNullable<ProjectionSpec['matters']> {
  const isWorker = (_: Db, event: Event) => workers.has(event.lane)
  return { 'turn-started': isWorker, 'process-status-changed': isWorker, 'entry-received': (_, event) => reportIn(event) !== null }
}

/** Others are workers than before; nobody hears that the projection has passed before that is forgotten. */
function forgetting(projection: Projection, { forget }: KeptWorkers): Projection {
  return {
    ...projection,
    async apply(events, position, when) {
      await projection.apply(events, position, when)
      if (events.some(({ type }) => type === 'worker-linked')) forget()
    },
    async rebuild() {
      const aside = await projection.rebuild()
      return { ...aside, replace: () => aside.replace().finally(forget) }
    },
  }
}

export function sqliteWork(store: SqliteStore): WorkStore {
  const { db } = store
  store.define('work', ownTables)
  const workers = keptWorkers(db)
  return {
    projection: forgetting(sqliteProjection(store, { ...spec, matters: mattersTo(workers) }), workers),
    workers: async (owner) => db.all<LinkRow>(sql.workers, owner).flatMap((row) => linkedOf(row) ?? []),
    async owner(worker) {
      const row = workers.has(worker) ? db.get<LinkRow>(sql.owner, worker) : undefined
      return row ? linkOf(row) : null
    },
    async chain(turn) {
      const row = db.get<{ chain: string }>('SELECT chain FROM worker_turns WHERE turn = ?', turn)
      return row ? chainIn(row.chain) : null
    },
    reported: async () => db.get<{ cursor: number }>('SELECT cursor FROM work_reported')?.cursor ?? null,
    async setReported(cursor) {
      store.transaction(() => db.run('INSERT OR REPLACE INTO work_reported (one, cursor) VALUES (1, ?)', cursor))
    },
  }
}

const columns = 'worker, owner, session, project, agent, title, mode, status, report_type, report_text, report_at'
const sql = {
  workers: `SELECT ${columns} FROM worker_links WHERE owner = ? ORDER BY cursor DESC LIMIT 200`,
  owner: `SELECT ${columns} FROM worker_links WHERE worker = ?`,
}

function linked(db: Db, event: Event, t: TableNames): void {
  const link = linkOf(event.data)
  if (!link) return
  const { worker, owner, session, project, agent, title, mode } = link
  db.run(
    `INSERT INTO ${t('worker_links')} (worker, owner, session, project, agent, title, mode, status, cursor) VALUES (?,?,?,?,?,?,?,'idle',?)
     ON CONFLICT (worker) DO UPDATE SET owner = excluded.owner, title = excluded.title, mode = excluded.mode, cursor = excluded.cursor`,
    ...[worker, owner, session, project, agent, title, mode],
    event.cursor,
  )
}

function reported(db: Db, event: Event, t: TableNames): void {
  const report = reportIn(event)
  if (!report) return
  const set = `UPDATE ${t('worker_links')} SET report_type = ?, report_text = ?, report_at = ? WHERE worker = ? AND owner = ?`
  db.run(set, report.type, report.text.slice(0, 500), report.at, report.worker.process, event.lane)
}

/** null: it is another entry. */
function reportIn({ data }: Event): Report | null {
  const { entry } = data
  const body = isObject(entry) ? entry['body'] : null
  return isObject(body) && body['topic'] === 'worker-report' ? readReport(body['data']) : null
}

function isOf(db: Db, event: Event, t: TableNames): boolean {
  return db.get(`SELECT 1 FROM ${t('worker_links')} WHERE worker = ?`, event.lane) !== undefined
}

type LinkRow = {
  readonly worker: string
  readonly status: string
  readonly report_type: string | null
  readonly report_text: string | null
  readonly report_at: number | null
}

function linkedOf(row: LinkRow): Linked | null {
  const link = linkOf(row)
  if (!link) return null
  const { status, report_type: type, report_text: text, report_at: at } = row
  return { ...link, status, lastReport: type === null || text === null || at === null ? null : { type, text, at } }
}

/** Of a row, or of the fact's data, which an older or foreign journal may hold in another form: null then. */
function linkOf(given: object): WorkerLink | null {
  const text = (name: string): string => {
    const value: unknown = Reflect.get(given, name)
    return typeof value === 'string' ? value : ''
  }
  const [owner, worker, session] = [text('owner'), text('worker'), text('session')]
  const mode: ChannelMode = channelModes.find((one) => one === text('mode')) ?? 'milestones'
  if (!isId('prc', owner) || !isId('prc', worker) || !isId('ses', session)) return null
  return { owner, worker, session, project: text('project'), agent: text('agent'), title: text('title'), mode }
}

function chainIn(text: string): Chain {
  const chain: Chain = JSON.parse(text)
  return chain
}
