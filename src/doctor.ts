// What `steward doctor` finds, beside what rooms say of themselves: looked at over all rooms, so part of the composition.

import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { messageOf } from './base/errors.ts'
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

/** Whether the folders of projects are there, can be read, and lie apart from the hub's own. `home`: the data folder. */
export async function folderFindings(
  projects: readonly { readonly name: string; readonly roots: readonly string[] }[],
  home: string,
): Promise<readonly Finding[]> {
  const own = await realpath(home).catch(() => home)
  const withFolders = projects.filter((project) => project.roots.length > 0)
  return Promise.all(
    withFolders.map(async ({ name, roots }): Promise<Finding> => {
      const faults = (await Promise.all(roots.map((root) => folderFault(root, own)))).filter((fault) => fault !== null)
      if (faults.length === 0) return { name: `folders of ${name}`, status: 'ok', detail: `${roots.join(', ')}: there, and can be read` }
      const mend = `Bring the folder back, or change the project's folders: steward projects change ${name} --root FOLDER`
      return { name: `folders of ${name}`, status: 'fail', detail: faults.join('; '), mend }
    }),
  )
}

/** What is wrong with it, null when nothing is. */
async function folderFault(root: string, home: string): Promise<string | null> {
  try {
    const real = await realpath(root)
    if (!(await stat(real)).isDirectory()) return `${root} is no folder`
    await access(real, constants.R_OK | constants.X_OK)
    if (real === home || real.startsWith(`${home}/`)) return `${root} is the hub's own data folder, which no agent sees`
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${root} is not there`
    return code === 'EACCES' ? `${root} can't be read by this user` : `${root}: ${messageOf(error)}`
  }
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
