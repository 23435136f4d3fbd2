// One connection to one file, with its prepared statements. The only place that knows node:sqlite's rows and error numbers.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Unavailable } from '../../base/errors.ts'

export type Value = null | number | string | Uint8Array

/**
 * A limit that is a value is written `LIMIT 0 + ?`: SQLite plans by the number that stands alone behind LIMIT or OFFSET, so it would
 * compile the statement anew each time that a value is bound, which costs more than to run it.
 */
export type Db = {
  /** The first row, undefined when there is none. `Row` is what the columns of that statement are: it is not checked. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined
  all<Row>(sql: string, ...values: Value[]): readonly Row[]
  /** How many rows were changed. */
  run(sql: string, ...values: Value[]): number
  /** Several statements without values: DDL, pragmas. Not prepared. */
  exec(sql: string): void
  /** Runs `work` in one transaction, all or nothing. `work` must be synchronous; its throw is thrown again after the rollback. */
  transaction<T>(work: () => T): T
  readonly connection: DatabaseSync
  close(): void
}

export type DbOptions = {
  readonly readOnly?: boolean
  /** How long a statement waits for another connection's lock. */
  readonly waitMs?: number
}

/** Texts are meant to be constant; a caller that builds them must not fill the memory. */
const mostPrepared = 500

/** Opens or makes the file. Throws node:sqlite's error when it is no database. */
export function openDb(file: string, options: DbOptions = {}): Db {
  const connection = new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    timeout: options.waitMs ?? 0,
    enableForeignKeyConstraints: false,
  })
  const prepared = new Map<string, StatementSync>()
  function statement(sql: string): StatementSync {
    const known = prepared.get(sql)
    if (known) return known
    const made = connection.prepare(sql)
    const [oldest] = prepared.keys()
    if (oldest !== undefined && prepared.size >= mostPrepared) prepared.delete(oldest)
    prepared.set(sql, made)
    return made
  }
  const db: Db = {
    get: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
    exec: (sql) => connection.exec(sql),
    transaction: (work) => transaction(db, work),
    connection,
    close() {
      prepared.clear()
      connection.close()
    },
  }
  return db
}

function transaction<T>(db: Db, work: () => T): T {
  db.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.run('COMMIT')
    return result
  } catch (thrown) {
    if (db.connection.isTransaction) db.run('ROLLBACK')
    throw thrown
  }
}

/** SQLite's primary result codes of what lies outside: the disk, the file, memory, another process. */
const outside: Readonly<Record<number, string>> = {
  5: 'the database is locked by another process',
  7: 'out of memory',
  8: 'the database is read-only',
  10: 'the disk reports an error',
  11: 'the database file is damaged',
  13: 'the disk is full',
  14: 'the database file can no longer be opened',
  26: 'the file is not a database',
}

/** Why the store itself failed, in a sentence; null when the statement or its values were wrong. */
export function outsideFault(thrown: unknown): string | null {
  const code = sqliteCode(thrown)
  return code === null ? null : (outside[code] ?? null)
}

/** Runs `work`; a fault of the disk or file is thrown as Unavailable, anything else as it is. */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    const why = outsideFault(thrown)
    if (why === null) throw thrown
    throw new Unavailable(why, { cause: thrown })
  }
}

/** The primary result code; null when the error isn't SQLite's. */
export function sqliteCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null
  return thrown.errcode & 0xff
}
