// What `steward doctor` finds, beside what rooms say of themselves: looked at over all rooms, so part of the composition.

import type { Config } from './config.ts'
import { inspectModels } from './models/inspect.ts'
import type { Finding } from './protocol/api.ts'
import { inspectFile } from './store/sqlite/inspect.ts'
import type { SqliteStore } from './store/sqlite/sqlite.ts'

const reachMs = 3_000
export const onlySqlite = 'STEWARD_DATABASE names PostgreSQL; this version keeps its journal in SQLite: allowed is sqlite:PATH.'

/** Of a hub that runs, beside what its rooms say. */
export async function findings({ store }: { readonly store: SqliteStore }): Promise<readonly Finding[]> {
  const rows = store.db.all<{ quick_check: string }>('PRAGMA quick_check(1)')
  const faults = rows.map((row) => row.quick_check).filter((line) => line !== 'ok')
  return [databaseFinding(store.file, faults)]
}

/** What can be seen of a data folder on which no hub runs. Changes nothing. */
export async function inspectOffline(config: Config): Promise<readonly Finding[]> {
  const { database } = config
  const file: Finding =
    database.kind === 'sqlite'
      ? databaseFinding(database.path, inspectFile(database.path))
      : { name: 'database', status: 'fail', detail: onlySqlite, mend: 'Unset STEWARD_DATABASE.' }
  return [file, ...(await inspectModels(config, { timeoutMs: reachMs }))]
}

function databaseFinding(file: string, faults: readonly string[] | null): Finding {
  const name = 'database'
  if (faults === null) return { name, status: 'ok', detail: `${file} is made by the first start` }
  if (faults.length === 0) return { name, status: 'ok', detail: `${file} is whole` }
  return {
    name,
    status: 'fail',
    detail: `${file}: ${faults.join('; ')}`,
    mend: 'Stop the hub, move the file away, and put a backup in its place.',
  }
}
