/**
 * The store of many nodes: one PostgreSQL database (15 or newer), with the same tables and rules as the embedded one.
 * Owns: the connections, the schema, the journal's store over it. Leaves wake-ups between nodes to who composes them: they are hints.
 *
 * S8  Cursors are numbered behind one advisory lock that a transaction holds to its end, so no reader skips an event.
 * S11 Leases run by the clock of the database.
 * S23 A lost connection is 'unavailable': whether its last COMMIT was done is unknown, and the next group uses a new connection.
 */
import type { Closable } from '../../base/closable.ts'
import { type Log, silent } from '../../base/log.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { applier } from './apply.ts'
import { type Connections, openConnections } from './db.ts'
import { postgresLeases } from './leases.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'
import { postgresReads } from './reads.ts'

export type PostgresOptions = {
  /** postgres://user:password@host:port/database; a socket's folder as ?host=/folder. */
  readonly url: string
  /** How many groups may be in flight at once, 1 to 16; default 4. */
  readonly connections?: number
  readonly log?: Log
  /** For tests of migrations. */
  readonly steps?: readonly Migration[]
}

export type PostgresStore = Closable & {
  readonly journal: JournalStore
  /** For other rooms' tables. */
  readonly connections: Connections
  close(): Promise<void>
}

/** Throws Unavailable when the database can't be reached, CannotOpen when its schema is newer or can't be migrated. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, log = silent } = options
  const connections = openConnections({ url, connections: options.connections ?? 4, log })
  try {
    await connections.alone((db) => migrate(db, { steps: options.steps ?? migrations, log }))
    const [row] = await connections.shared.all<{ value: number }>(`SELECT value FROM meta WHERE key = 'generation'`)
    return storeOver(connections, row?.value ?? 1)
  } catch (thrown) {
    await connections.close()
    throw thrown
  }
}

function storeOver(connections: Connections, generation: number): PostgresStore {
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<void>()
  async function close(): Promise<void> {
    await connections.close()
    tellClosed()
  }
  const journal = { generation, apply: applier(connections), ...postgresReads(connections), ...postgresLeases(connections) }
  return { journal, connections, close, closed, [Symbol.asyncDispose]: close }
}
