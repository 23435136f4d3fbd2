// Brings a file to the present schema, one step a transaction, after a copy of it was put aside.

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CannotOpen, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type Db, outsideFault } from './db.ts'
import type { Migration } from './migration.ts'

export type MigrateOptions = {
  readonly file: string
  readonly steps: readonly Migration[]
  /** Where the copy goes, as `<file's name>-schema<version>-<time>.db`. */
  readonly backups: string
  readonly now: () => number
  readonly log: Log
}

/**
 * Runs the steps that the file lacks. Throws CannotOpen: 'newer_schema' for a file of a newer program (untouched),
 * 'migration_failed' with the step's number and name; what the steps before it did stays, what it did itself is undone, and the
 * copy of the old file stays in `backups`.
 */
export function migrate(db: Db, options: MigrateOptions): void {
  const { steps, file } = options
  const found = schemaVersion(db)
  refuseNewer({ file, found, steps })
  const missing = steps.filter((step) => step.version > found)
  if (missing.length === 0) return
  const copy = found > 0 ? putAside(db, found, options) : null
  for (const step of missing) runStep(db, step, { file, copy })
  options.log('info', 'store migrated', { from: found, to: missing.at(-1)?.version, backup: copy })
}

/** Throws CannotOpen for a file whose schema this program doesn't know. */
export function refuseNewer({ file, found, steps }: { file: string; found: number; steps: readonly Migration[] }): void {
  const newest = steps.at(-1)?.version ?? 0
  if (found <= newest) return
  throw new CannotOpen(
    'newer_schema',
    `${file} has schema ${found} and this program knows up to ${newest}: it was written by a newer Steward. Use that one, or restore a backup made before the update`,
    { path: file },
  )
}

/** In the header of every file of ours: 'Stwd'. */
const applicationId = 0x53747764

/** Throws CannotOpen for a database of another program. An empty one is taken. */
export function refuseForeign(db: Db, file: string): void {
  const tables = db.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')?.n ?? 0
  const id = db.get<{ application_id: number }>('PRAGMA application_id')?.application_id
  if (tables === 0 || id === applicationId) return
  throw new CannotOpen('no_database', `${file} is a database of another program; it was not changed`, { path: file })
}

export function schemaVersion(db: Db): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

function runStep(db: Db, step: Migration, { file, copy }: { file: string; copy: string | null }): void {
  try {
    db.transaction(() => {
      step.up(db)
      db.exec(`PRAGMA user_version = ${step.version}; PRAGMA application_id = ${applicationId};`)
    })
  } catch (thrown) {
    const kept = copy ? ` The file as it was before is kept at ${copy}.` : ''
    throw new CannotOpen(
      'migration_failed',
      `step ${step.version} (${step.name}) of the migration of ${file} failed and was undone: ${outsideFault(thrown) ?? messageOf(thrown)}.${kept}`,
      { path: file, cause: thrown },
    )
  }
}

/** A whole copy in one file, of the state that was committed. Throws CannotOpen when it can't be made: then nothing is migrated. */
function putAside(db: Db, version: number, options: Pick<MigrateOptions, 'file' | 'backups' | 'now'>): string {
  const { file, backups, now } = options
  const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-')
  const copy = freeName(join(backups, `${basename(file)}-schema${version}-${time}`))
  try {
    mkdirSync(backups, { recursive: true, mode: 0o700 })
    db.run('VACUUM INTO ?', copy)
    return copy
  } catch (thrown) {
    if (existsSync(copy)) rmSync(copy)
    throw new CannotOpen(
      'migration_failed',
      `${file} must be migrated from schema ${version}, but no backup could be written to ${copy}: ${outsideFault(thrown) ?? messageOf(thrown)}`,
      { path: copy, cause: thrown },
    )
  }
}

function freeName(stem: string): string {
  let name = `${stem}.db`
  for (let i = 2; existsSync(name); i++) name = `${stem}-${i}.db`
  return name
}
