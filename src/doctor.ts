// What `steward doctor` finds, beside what rooms say of themselves: looked at over all rooms, so part of the composition.

import { messageOf } from './base/errors.ts'
import type { Config } from './config.ts'
import { chooseModels } from './models/choice.ts'
import { reach } from './models/reach.ts'
import type { Finding } from './protocol/api.ts'
import { inspectFile } from './store/sqlite/inspect.ts'
import type { SqliteStore } from './store/sqlite/sqlite.ts'

const reachMs = 3_000
export const onlySqlite = 'STEWARD_DATABASE names PostgreSQL; this version keeps its journal in SQLite: allowed is sqlite:PATH.'

/** Of a hub that runs. */
export async function findings({ config, store }: { readonly config: Config; readonly store: SqliteStore }): Promise<readonly Finding[]> {
  const rows = store.db.all<{ quick_check: string }>('PRAGMA quick_check(1)')
  const faults = rows.map((row) => row.quick_check).filter((line) => line !== 'ok')
  return [databaseFinding(store.file, faults), ...(await modelFindings(config))]
}

/** What can be seen of a data folder on which no hub runs. Changes nothing. */
export async function inspectOffline(config: Config): Promise<readonly Finding[]> {
  const { database } = config
  const file: Finding =
    database.kind === 'sqlite'
      ? databaseFinding(database.path, inspectFile(database.path))
      : { name: 'database', status: 'fail', detail: onlySqlite, mend: 'Unset STEWARD_DATABASE.' }
  return [file, ...(await modelFindings(config))]
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

async function modelFindings(config: Config): Promise<readonly Finding[]> {
  const name = 'models'
  try {
    const chosen = Object.values(chooseModels(config)).filter((choice) => choice !== null)
    const different = [...new Map(chosen.map((choice) => [`${choice.provider}/${choice.model}`, choice])).values()]
    if (different.length === 0)
      return [{ name, status: 'warn', detail: 'none is chosen', mend: 'Set STEWARD_MODEL to <provider>/<model>.' }]
    const reached = await Promise.all(different.map((choice) => reach(choice, reachMs)))
    return reached.map(({ ok, detail }) =>
      ok
        ? { name, status: 'ok', detail }
        : { name, status: 'fail', detail, mend: 'Look at STEWARD_MODEL and the settings of its provider.' },
    )
  } catch (error) {
    return [{ name, status: 'fail', detail: messageOf(error), mend: 'Mend the setting and start Steward again.' }]
  }
}
