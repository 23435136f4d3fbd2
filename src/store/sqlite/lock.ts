// One owner process. The lock is the operating system's: a second, empty SQLite file that stays locked exclusively as long as
// this process lives. Nothing is left behind that could be stale: a killed process holds nothing (trial B14).

import { closeSync, openSync } from 'node:fs'
import { AlreadyOpen } from '../../base/errors.ts'
import { type Db, openDb, sqliteCode } from './db.ts'

export type Lock = { release(): void }

/**
 * Takes the lock of `file`, or throws AlreadyOpen. No code of this process may open and close the lock file by other means: POSIX
 * gives up a process's locks on a file whenever any of its handles of that file is closed.
 */
export function takeLock(file: string): Lock {
  const lockFile = `${file}-lock`
  makePrivate(lockFile)
  const db = openDb(lockFile)
  try {
    // Nothing is ever written here, so it also works on a full disk.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;')
  } catch (thrown) {
    db.close()
    if (!isBusy(thrown)) throw thrown
    throw new AlreadyOpen(`${file} is in use by another process; stop the hub that runs on it, or use its command line`, {
      path: file,
      cause: thrown,
    })
  }
  return { release: () => release(db) }
}

/** Makes the file with mode 0600 when it is missing; SQLite gives the same mode to the files it puts beside it. */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  }
}

function release(db: Db): void {
  if (db.connection.isTransaction) db.exec('ROLLBACK')
  db.close()
}

function isBusy(thrown: unknown): boolean {
  return [5, 6].includes(sqliteCode(thrown) ?? 0)
}
