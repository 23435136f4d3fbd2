// Brings a database to the present schema, one step a transaction; of several nodes that start at once, one does it.

import { CannotOpen, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Db } from './db.ts'
import type { Migration } from './migration.ts'

/** Held while a node migrates. */
const migrationLock = 7_305_812_847

/**
 * Runs the steps that the database lacks. Throws CannotOpen: 'newer_schema' for a database of a newer program, 'migration_failed'
 * with the step's number and name. Backups of the database are its operator's; nothing is copied here.
 */
export async function migrate(db: Db, { steps, log }: { readonly steps: readonly Migration[]; readonly log: Log }): Promise<void> {
  await db.run('SELECT pg_advisory_lock($1)', [migrationLock])
  try {
    await db.exec(`
      CREATE TABLE IF NOT EXISTS meta (key text PRIMARY KEY, value bigint NOT NULL);
      INSERT INTO meta (key, value) VALUES ('schema', 0), ('generation', 1) ON CONFLICT DO NOTHING;
    `)
    const [row] = await db.all<{ value: number }>(`SELECT value FROM meta WHERE key = 'schema'`)
    const found = row?.value ?? 0
    refuseNewer(found, steps.at(-1)?.version ?? 0)
    const missing = steps.filter((step) => step.version > found)
    for (const step of missing) await runStep(db, step)
    if (missing.length > 0) log('info', 'store migrated', { from: found, to: missing.at(-1)?.version })
  } finally {
    await db.run('SELECT pg_advisory_unlock($1)', [migrationLock])
  }
}

function refuseNewer(found: number, newest: number): void {
  if (found <= newest) return
  throw new CannotOpen(
    'newer_schema',
    `the database has schema ${found} and this program knows up to ${newest}: it was written by a newer Steward. Use that one, or restore a backup made before the update`,
  )
}

async function runStep(db: Db, step: Migration): Promise<void> {
  try {
    await db.exec('BEGIN')
    await step.up(db)
    await db.run(`UPDATE meta SET value = $1 WHERE key = 'schema'`, [step.version])
    await db.exec('COMMIT')
  } catch (thrown) {
    await db.exec('ROLLBACK')
    const message = `step ${step.version} (${step.name}) of the database's migration failed and was undone: ${messageOf(thrown)}`
    throw new CannotOpen('migration_failed', message, { cause: thrown })
  }
}
