/**
 * The embedded store: one file, one owner process, `node:sqlite`.
 * Owns: the file, its schema, its lock, its backups; the journal's store over it; a door for other rooms' tables.
 * Leaves what the tables of other rooms mean to them: their interfaces are implemented beside this file (people.ts, ...).
 *
 * S15 WAL and synchronous=FULL: what was acknowledged survives SIGKILL and power loss.
 * S17 One owner process; the lock dies with it.
 * S18 An older schema is migrated after a backup, a newer one is refused; a failed step is undone and named.
 * S19 A full disk makes apply() answer 'unavailable', and nothing is half done.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup as copyDatabase } from 'node:sqlite'
import type { Closable } from '../../base/closable.ts'
import { CannotOpen, Conflict, messageOf, Unavailable } from '../../base/errors.ts'
import { type Log, silent } from '../../base/log.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { applier } from './apply.ts'
import { type Db, openDb, outsideFault, sqliteCode, translated } from './db.ts'
import { checkIntegrity, damaged } from './integrity.ts'
import { sqliteLeases } from './leases.ts'
import { makePrivate, takeLock } from './lock.ts'
import { migrate, refuseForeign } from './migrate.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'
import { sqliteReads } from './reads.ts'
import { openTogether } from './together.ts'

export type SqliteOptions = {
  /** Absolute path; made, with its folder, when missing. */
  readonly file: string
  /** The clock of leases and of backups' names, ms. */
  readonly now: () => number
  readonly log?: Log
  /** Where the copies before migrations go; default: `backups` beside the file. */
  readonly backups?: string
  /** For tests of migrations. */
  readonly steps?: readonly Migration[]
}

export type SqliteStore = Closable & {
  readonly file: string
  readonly journal: JournalStore
  /** The connection, for the tables of projections and other rooms. Every transaction ends in the tick that began it. */
  readonly db: Db
  /**
   * Makes or changes a part's own tables: `steps` are its history of DDL, step n brings it to version n. Runs what is missing,
   * each step in a transaction. Throws CannotOpen for a part of a newer program or a step that fails.
   */
  define(part: string, steps: readonly string[]): void
  /** A durable transaction: all or nothing. `work` must be synchronous. Throws Unavailable when the disk is full or gone. */
  transaction<T>(work: () => T): T
  /** Like `transaction`, but the last ones may be lost with the power: only for what is rebuilt from the journal. */
  quickly<T>(work: () => T): T
  /** Like `quickly`, in one transaction with what else comes in this tick. Rejects with what `work` threw; others are not touched by that. */
  together(work: () => void): Promise<void>
  /** What is wrong in the file, [] when all is well: known at once for a small file, after a while for a large one. Never rejects. */
  readonly checked: Promise<readonly string[]>
  /** The file was put in place of a newer one, and nobody has said yet that this was seen. */
  readonly restored: boolean
  /** What had to be held is held: the next start is an ordinary one. */
  restoreSeen(): void
  /** A whole copy of the committed state in one file, made while the store runs. Throws Conflict when the file exists, Unavailable otherwise. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** Opens or makes the file. Throws AlreadyOpen when another process has it, CannotOpen when it is damaged or of a newer program. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const { file, now, log = silent } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const lock = takeLock(file)
  try {
    makePrivate(file)
    const db = openOwn(file)
    try {
      const checked = checkIntegrity(db, { file, log })
      const backups = options.backups ?? join(dirname(file), 'backups')
      migrate(db, { file, steps: options.steps ?? migrations, backups, now, log })
      forgetNodes(db, log)
      return storeOver(db, { file, now, log, checked, release: lock.release })
    } catch (thrown) {
      db.close()
      throw thrown
    }
  } catch (thrown) {
    lock.release()
    throw thrown
  }
}

/** No other process is there, so no other node lives. On a full disk the hub still starts, to be read; leases then end by time. */
function forgetNodes(db: Db, log: Log): void {
  try {
    db.run('DELETE FROM nodes')
  } catch (thrown) {
    if (outsideFault(thrown) === null) throw thrown
    log('error', 'the store can be read only', { why: outsideFault(thrown) })
  }
}

type Opened = {
  readonly file: string
  readonly now: () => number
  readonly log: Log
  readonly checked: Promise<readonly string[]>
  readonly release: () => void
}

function storeOver(db: Db, { file, now, log, checked, release }: Opened): SqliteStore {
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<void>()
  let open = true
  async function close(): Promise<void> {
    if (!open) return closed
    open = false
    closeDb(db, log)
    release()
    tellClosed()
  }
  return {
    file,
    db,
    journal: journalOver(db, now),
    define: (part, steps) => definePart(db, { file, part, steps }),
    transaction: (work) => translated(() => db.transaction(work)),
    quickly: (work) => translated(() => quickly(db, work)),
    together: openTogether(db, (work) => translated(() => quickly(db, work))),
    checked,
    restored: db.get(`SELECT 1 FROM meta WHERE key = 'restored'`) !== undefined,
    restoreSeen: () => void translated(() => db.run(`DELETE FROM meta WHERE key = 'restored'`)),
    backup: (target) => backUp(file, target),
    close,
    closed,
    [Symbol.asyncDispose]: close,
  }
}

function journalOver(db: Db, now: () => number): JournalStore {
  const { apply, last } = applier(db)
  const generation = db.get<{ value: number }>(`SELECT value FROM meta WHERE key = 'generation'`)?.value ?? 1
  return {
    generation,
    apply: async (group) => apply(group),
    ...sqliteReads(db, last),
    ...sqliteLeases(db, now),
  }
}

function openOwn(file: string): Db {
  try {
    return connect(file, 'NORMAL')
  } catch (thrown) {
    if (thrown instanceof CannotOpen) throw thrown
    if (sqliteCode(thrown) === 26) throw damaged(file, 'it is not a SQLite database', thrown)
    if (sqliteCode(thrown) === 11) throw damaged(file, messageOf(thrown), thrown)
    return openOnFullDisk(file, thrown)
  }
}

/** Without room for the file that connections share, the log can still be read by one that is alone. */
function openOnFullDisk(file: string, first: unknown): Db {
  try {
    return connect(file, 'EXCLUSIVE')
  } catch {
    throw new Unavailable(`${file} can't be opened: ${outsideFault(first) ?? messageOf(first)}`, { cause: first })
  }
}

function connect(file: string, locking: 'NORMAL' | 'EXCLUSIVE'): Db {
  const db = openDb(file, { waitMs: 5000 })
  try {
    db.exec(`PRAGMA locking_mode = ${locking}`)
    refuseForeign(db, file)
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -8000;
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA trusted_schema = OFF;
    `)
    return db
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** SQLite's flush is a property of the connection, so it is lowered for one transaction inside one tick, and raised again. */
function quickly<T>(db: Db, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return db.transaction(work)
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

function definePart(db: Db, { file, part, steps }: { file: string; part: string; steps: readonly string[] }): void {
  const found = db.get<{ version: number }>('SELECT version FROM parts WHERE name = ?', part)?.version ?? 0
  if (found > steps.length) {
    const message = `the tables "${part}" in ${file} have version ${found} and this program knows up to ${steps.length}: they were written by a newer Steward`
    throw new CannotOpen('newer_schema', message, { path: file })
  }
  for (const [i, ddl] of steps.entries()) {
    if (i < found) continue
    try {
      db.transaction(() => {
        db.exec(ddl)
        db.run('INSERT OR REPLACE INTO parts (name, version) VALUES (?,?)', part, i + 1)
      })
    } catch (thrown) {
      const message = `step ${i + 1} of the tables "${part}" in ${file} failed and was undone: ${messageOf(thrown)}`
      throw new CannotOpen('migration_failed', message, { path: file, cause: thrown })
    }
  }
}

/** All pages in one step. */
const allPages = 2_000_000_000

/**
 * Read through a connection of its own and in one step, on another thread: one snapshot, which commits neither disturb nor wait for.
 * Through the connection that writes, or in several steps, a commit in between makes it start again or fail.
 */
async function backUp(file: string, target: string): Promise<void> {
  if (existsSync(target)) throw new Conflict(`${target} exists; a backup doesn't overwrite it`, { path: target })
  let reader: Db | undefined
  try {
    makePrivate(target)
    reader = openDb(file, { readOnly: true, waitMs: 1000 })
    await copyDatabase(reader.connection, target, { rate: allPages })
  } catch (thrown) {
    rmSync(target, { force: true })
    throw new Unavailable(`the backup to ${target} failed: ${outsideFault(thrown) ?? messageOf(thrown)}`, { cause: thrown })
  } finally {
    reader?.close()
  }
}

function closeDb(db: Db, log: Log): void {
  try {
    db.exec('PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);')
  } catch (thrown) {
    log('warn', 'the store could not be tidied at its end; it will be at the next start', { why: messageOf(thrown) })
  }
  db.close()
}
