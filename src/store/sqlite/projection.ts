// Projections over SQLite (journal/projection.ts): DDL and one function an event type; position, rebuild and switch are done here.

import type { Projection, Rebuilding } from '../../journal/projection.ts'
import type { Event } from '../../protocol/event.ts'
import type { Db } from './db.ts'
import type { SqliteStore } from './sqlite.ts'

/** The real name of a projection's table: `t('sessions')`. During a rebuild it names the table beside. */
export type TableNames = (name: string) => string

export type ProjectionSpec = {
  /** Its name in `projections` and in messages. */
  readonly name: string
  /** Raise it whenever tables or handlers change: the tables are then built anew from the journal. */
  readonly version: number
  /**
   * The tables, by the name that readers use, each with its DDL; `t` gives the name to write for a table, an index's name must
   * contain one: `CREATE TABLE ${t('sessions')} (...)`, `CREATE INDEX ${t('sessions')}_by_user ON ${t('sessions')} (...)`.
   */
  readonly tables: Readonly<Record<string, (t: TableNames) => string>>
  /** Must be a pure function of the event and of these tables, and synchronous. A throw stops the projection, not the lanes. */
  readonly on: Readonly<Record<string, (db: Db, event: Event, t: TableNames) => void>>
  /**
   * For frequent types: whether such an event changes anything here, by a cheap look at it and at the tables. Absent: yes. Without it
   * each of them would cost a transaction.
   */
  readonly matters?: Readonly<Record<string, (db: Db, event: Event) => boolean>>
}

/** So many events that change nothing may be read again at a start. */
const mostUnwritten = 1_000

export function sqliteProjection(store: SqliteStore, spec: ProjectionSpec): Projection {
  const { db } = store
  const present: TableNames = (name) => name
  let passedUnwritten = 0
  return {
    name: spec.name,
    version: spec.version,
    async position() {
      const row = db.get<{ version: number; position: number }>(sql.position, spec.name)
      if (!row) return makeEmpty(store, spec)
      return row.version === spec.version ? row.position : null
    },
    async apply(events, position, when = 'now') {
      // Events that change nothing here are passed without a transaction: after a restart they are read, and passed, once more.
      passedUnwritten += events.length
      if (passedUnwritten < mostUnwritten && !events.some((event) => changes(db, spec, event))) return
      const work = () => {
        play(db, spec, { events, t: present })
        db.run(sql.move, position, spec.name)
      }
      if (when === 'now') store.quickly(work)
      else await store.together(work)
      passedUnwritten = 0
    },
    rebuild: async () => rebuilding(store, spec),
  }
}

const sql = {
  position: 'SELECT version, position FROM projections WHERE name = ?',
  begin: 'INSERT OR REPLACE INTO projections (name, version, position) VALUES (?,?,?)',
  move: 'UPDATE projections SET position = ? WHERE name = ?',
  schema: `SELECT name, type FROM sqlite_schema WHERE name LIKE '%\\_\\_r%' ESCAPE '\\' ORDER BY rootpage = 0 DESC`,
}

function makeEmpty({ db }: SqliteStore, spec: ProjectionSpec): number {
  db.transaction(() => {
    for (const [name, ddl] of Object.entries(spec.tables)) {
      db.exec(`DROP TABLE IF EXISTS ${name}`)
      db.exec(ddl((table) => table))
    }
    db.run(sql.begin, spec.name, spec.version, 0)
  })
  return 0
}

function changes(db: Db, spec: ProjectionSpec, event: Event): boolean {
  return Object.hasOwn(spec.on, event.type) && (spec.matters?.[event.type]?.(db, event) ?? true)
}

function play(db: Db, spec: ProjectionSpec, { events, t }: { events: readonly Event[]; t: TableNames }): void {
  for (const event of events) spec.on[event.type]?.(db, event, t)
}

/** The tables beside have the name and `__r` and a number; indexes keep that number when the table takes the name over. */
function rebuilding(store: SqliteStore, spec: ProjectionSpec): Rebuilding {
  const { db } = store
  const names = Object.keys(spec.tables)
  const number = 1 + Math.max(0, ...namesBeside(db, names).map(({ number }) => number))
  const next: TableNames = (name) => `${name}__r${number}`
  let position = 0
  db.transaction(() => {
    dropBeside(db, names)
    for (const ddl of Object.values(spec.tables)) db.exec(ddl(next))
  })
  return {
    async apply(events, newPosition) {
      store.quickly(() => play(db, spec, { events, t: next }))
      position = newPosition
    },
    async replace() {
      db.transaction(() => {
        for (const name of names) db.exec(`DROP TABLE IF EXISTS ${name}; ALTER TABLE ${next(name)} RENAME TO ${name};`)
        db.run(sql.begin, spec.name, spec.version, position)
      })
    },
    async abandon() {
      db.transaction(() => dropBeside(db, names))
    },
  }
}

/** Tables and indexes of rebuilds that are under way, were cut short, or took over. */
function namesBeside(db: Db, names: readonly string[]): { name: string; type: string; number: number }[] {
  return db.all<{ name: string; type: string }>(sql.schema).flatMap(({ name, type }) => {
    const [, table, number] = /^(.+?)__r(\d+)/.exec(name) ?? []
    return table !== undefined && names.includes(table) ? [{ name, type, number: Number(number) }] : []
  })
}

function dropBeside(db: Db, names: readonly string[]): void {
  for (const { name, type } of namesBeside(db, names)) if (type === 'table') db.exec(`DROP TABLE IF EXISTS ${name}`)
}
