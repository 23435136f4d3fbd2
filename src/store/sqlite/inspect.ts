// Looks at a database file that no hub has open, and changes nothing: for `steward doctor`.

import { existsSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { openDb, outsideFault } from './db.ts'

/** What is wrong in the file, at most ten sentences; [] when all is well; null when there is no such file. Must not throw. */
export function inspectFile(file: string): readonly string[] | null {
  if (!existsSync(file)) return null
  try {
    const db = openDb(file, { readOnly: true, waitMs: 1000 })
    try {
      const rows = db.all<{ integrity_check: string }>('PRAGMA integrity_check(10)')
      return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
    } finally {
      db.close()
    }
  } catch (thrown) {
    return [outsideFault(thrown) ?? messageOf(thrown)]
  }
}
