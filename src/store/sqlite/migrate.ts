// Brings a file to the present schema, one step a transaction, after a copy of it was put aside.

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CannotOpen, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type Db, outsideFault } from './db.ts'
import type { Migration } from './migrations.ts'

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
  const newest = steps.at(-1)?.version ?? 0
  if (found > newest) {
    throw new CannotOpen(
      'newer_schema',
      `${file} has schema ${found} and this program knows up to ${newest}: it was written by a newer Steward. Use that one, or restore a backup made before the update`,
      { path: file },
    )
  }
  const missing = steps.filter((step) => step.version > found)
  if (missing.length === 0) return
  const copy = found > 0 ? putAside(db, found, options) : null
  for (const step of missing) runStep(db, step, { file, copy })
  options.log('info', 'store migrated', { from: found, to: newest, backup: copy })
}

export function schemaVersion(db: Db): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

function runStep(db: Db, step: Migration, { file, copy }: { file: string; copy: string | null }): void {
  try {
    db.transaction(() => {
      step.up(db)
      db.exec(`PRAGMA user_version = ${step.version}`)
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
export function putAside(db: Db, version: number, options: Pick<MigrateOptions, 'file' | 'backups' | 'now'>): string {
  const { file, backups, now } = options
  const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-')
  const copy = freeName(join(backups, `${basename(file)}-schema${version}-${time}`))
  try {
    mkdirSync(backups, { recursive: true, mode: 0o700 })
    db.run('VACUUM INTO ?', copy)
    return copy
  } catch (thrown) {
    rmSync(copy, { force: true })
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
