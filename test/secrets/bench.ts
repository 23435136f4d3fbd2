// The secret store over a real SQLite file, opened again and again as starts of the hub would.
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { type SecretsBench, secretsBench } from '../../src/secrets/testing.ts'
import { sqliteSecrets } from '../../src/store/sqlite/secrets.ts'
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

/** One a test; closed and removed after it. */
export function useBench(): () => SecretsBench {
  let opened: SqliteStore | null = null
  let bench: SecretsBench | null = null
  afterEach(async () => {
    await opened?.close()
    bench?.remove()
    opened = null
    bench = null
  })
  return () => {
    bench ??= secretsBench(async (folder) => {
      await opened?.close()
      opened = await openSqliteStore({ file: join(folder, 'steward.db'), now: () => 0 })
      return sqliteSecrets(opened)
    })
    return bench
  }
}
