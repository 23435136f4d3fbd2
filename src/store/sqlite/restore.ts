// Puts a backup in the place of the file (S16). Cursors that were given out before are then recognised as foreign: the generation
// is one more than that of both files (T32).

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CannotOpen, Conflict, messageOf, NotFound } from '../../base/errors.ts'
import { type Db, openDb, sqliteCode } from './db.ts'
import { damaged, faultsIn } from './integrity.ts'
import { takeLock } from './lock.ts'
import { refuseForeign, refuseNewer, schemaVersion } from './migrate.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'

export type RestoreOptions = {
  /** The backup; it is only read. */
  readonly from: string
  /** The store's file. */
  readonly file: string
  /** Whether a store that is there may be replaced. It is then kept in `backups`. */
  readonly replace: 'replace' | 'keep'
  readonly backups: string
  readonly now: () => number
  readonly steps?: readonly Migration[]
}

export type Restored = {
  readonly generation: number
  /** Where the replaced store is now; null when there was none. */
  readonly replaced: string | null
}

/**
 * Throws NotFound without a backup, Conflict when a store is there and may not be replaced, AlreadyOpen while a hub runs on it,
 * CannotOpen for a backup that is damaged, no store, or of a newer schema. Until the last step the store is as it was.
 */
export function restoreSqlite(options: RestoreOptions): Restored {
  const { from, file, replace } = options
  if (!existsSync(from)) throw new NotFound(`there is no backup ${from}`, { path: from })
  if (existsSync(file) && replace === 'keep') {
    throw new Conflict(`${file} exists; a restore replaces it only when told so (--yes)`, { path: file })
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const lock = takeLock(file)
  try {
    const copy = `${file}-restoring`
    rmSync(copy, { force: true })
    const generation = 1 + Math.max(copyChecked(from, copy, options.steps ?? migrations), generationOf(file))
    mark(copy, generation)
    const replaced = existsSync(file) ? putAway(options) : null
    renameSync(copy, file)
    flushFolder(dirname(file))
    return { generation, replaced }
  } finally {
    lock.release()
  }
}

/** Copies the backup with what its own log holds; answers with its generation. */
function copyChecked(from: string, copy: string, steps: readonly Migration[]): number {
  const db = openBackup(from)
  try {
    const found = faultsIn(db)
    if (found.length > 0) throw damaged(from, found.join('; '))
    refuseForeign(db, from)
    if (schemaVersion(db) === 0) throw new CannotOpen('no_database', `${from} is an empty database, no backup`, { path: from })
    refuseNewer({ file: from, found: schemaVersion(db), steps })
    db.run('VACUUM INTO ?', copy)
    return generationIn(db)
  } catch (thrown) {
    if (sqliteCode(thrown) === 26 || sqliteCode(thrown) === 11) throw damaged(from, messageOf(thrown), thrown)
    throw thrown
  } finally {
    db.close()
  }
}

function openBackup(from: string): Db {
  try {
    return openDb(from, { readOnly: true, waitMs: 1000 })
  } catch (thrown) {
    throw damaged(from, messageOf(thrown), thrown)
  }
}

function mark(copy: string, generation: number): void {
  const db = openDb(copy)
  try {
    db.exec('PRAGMA synchronous = FULL')
    db.transaction(() => {
      db.run(`UPDATE meta SET value = ? WHERE key = 'generation'`, generation)
      db.run(`INSERT OR REPLACE INTO meta (key, value) VALUES ('restored', 1)`)
      db.run('DELETE FROM nodes')
    })
  } finally {
    db.close()
  }
}

/** 0 when there is no store or it can't be read: a damaged one is what a restore is for. */
function generationOf(file: string): number {
  if (!existsSync(file)) return 0
  try {
    const db = openDb(file, { readOnly: true })
    try {
      return generationIn(db)
    } finally {
      db.close()
    }
  } catch {
    return 0
  }
}

function generationIn(db: Db): number {
  return db.get<{ value: number }>(`SELECT value FROM meta WHERE key = 'generation'`)?.value ?? 0
}

/** The store and the log beside it belong together. */
function putAway({ file, backups, now }: RestoreOptions): string {
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-')
  const away = join(backups, `${basename(file)}-replaced-${time}.db`)
  for (const suffix of ['-wal', '']) if (existsSync(file + suffix)) renameSync(file + suffix, away + suffix)
  rmSync(`${file}-shm`, { force: true })
  return away
}

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
