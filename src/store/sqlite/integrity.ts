// Whether the file is whole (S21). A small file is checked before it is used; a large one while the hub runs, on another thread,
// because SQLite reads every page for it: about 2 ms a megabyte.

import { Worker } from 'node:worker_threads'
import { CannotOpen, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Db } from './db.ts'

/** Up to this size the check at start takes less than about 70 ms. */
const checkedAtStart = 32 * 1024 * 1024

/**
 * Throws CannotOpen when a small file is damaged. Answers with what is found in a large one, later: [] when all is well. That
 * promise never rejects; what is found is also logged as an error.
 */
export function checkIntegrity(db: Db, { file, log }: { readonly file: string; readonly log: Log }): Promise<readonly string[]> {
  if (fileSize(db) > checkedAtStart) return checkAside(file, log)
  const found = faultsIn(db)
  if (found.length > 0) throw damaged(file, found.join('; '))
  return Promise.resolve([])
}

export function damaged(file: string, what: string, cause?: unknown): CannotOpen {
  return new CannotOpen(
    'damaged',
    `${file} is damaged (${what}). Nothing was changed. Move it away and restore a backup: steward restore FILE`,
    { path: file, cause },
  )
}

/** What SQLite finds wrong: broken pages, indexes that don't match; [] when all is well. At most ten. */
export function faultsIn(db: Db): readonly string[] {
  const rows = db.all<{ integrity_check: string }>('PRAGMA integrity_check(10)')
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
}

function fileSize(db: Db): number {
  const pages = db.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
  const bytes = db.get<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0
  return pages * bytes
}

const workerCode = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(workerData, { readOnly: true, timeout: 10000 })
  const rows = db.prepare('PRAGMA quick_check(10)').all()
  db.close()
  parentPort.postMessage(rows.map((row) => row.quick_check).filter((line) => line !== 'ok'))
`

function checkAside(file: string, log: Log): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>()
  const worker = new Worker(workerCode, { eval: true, workerData: file, execArgv: [] })
  worker.unref()
  worker.once('message', (found: readonly string[]) => {
    if (found.length > 0) log('error', 'the database file is damaged: make a copy of it now and restore a backup', { file, found })
    resolve(found)
  })
  worker.once('error', (thrown) => {
    log('warn', 'the database file could not be checked', { file, why: messageOf(thrown) })
    resolve([])
  })
  worker.once('exit', () => resolve([]))
  return promise
}
