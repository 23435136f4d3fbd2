// One group, one transaction, one flush of the disk; each item behind its own savepoint (T8).

import { messageOf } from '../../base/errors.ts'
import type { Applied, Item, ItemResult } from '../../journal/commit.ts'
import type { Event } from '../../protocol/event.ts'
import { allUnavailable, applyItem, type Tables } from '../rules.ts'
import { type Db, outsideFault } from './db.ts'
import { sqliteTables } from './tables.ts'

export type Applier = {
  apply(group: readonly Item[]): Applied
  /** The newest committed cursor. */
  last(): number
}

/** Never throws. After a failed transaction the file is as before it, and the same group may be given again. */
export function applier(db: Db): Applier {
  const tables = sqliteTables(db)
  let last = lastCursor(db)

  function apply(group: readonly Item[]): Applied {
    if (group.length === 0) return { results: [], events: [] }
    tables.cursor = last
    try {
      db.run('BEGIN IMMEDIATE')
      const events: Event[] = []
      const results = group.map((item) => guarded(db, tables, { item, events }))
      db.run('COMMIT')
      last = tables.cursor
      return { results, events }
    } catch (thrown) {
      return { results: allUnavailable(group, abandon(thrown)), events: [] }
    }
  }

  /** SQLite has often rolled back by itself when the disk was full; what it has not, is rolled back here. */
  function abandon(thrown: unknown): string {
    try {
      if (db.connection.isTransaction) db.run('ROLLBACK')
      last = lastCursor(db)
    } catch {
      // The next group finds out for itself; BEGIN fails until the connection is usable.
    }
    return outsideFault(thrown) ?? messageOf(thrown)
  }

  return { apply, last: () => last }
}

/** A throw that is no fault of the store is a fault of the item: it is undone alone and answered as invalid. */
function guarded(db: Db, tables: Tables, { item, events }: { item: Item; events: Event[] }): ItemResult {
  const before = { cursor: tables.cursor, events: events.length }
  db.run('SAVEPOINT item')
  try {
    const result = applyItem(tables, item, events)
    db.run('RELEASE item')
    return result
  } catch (thrown) {
    if (outsideFault(thrown) !== null || !db.connection.isTransaction) throw thrown
    db.run('ROLLBACK TO item')
    db.run('RELEASE item')
    tables.cursor = before.cursor
    events.length = before.events
    const why = messageOf(thrown)
    return 'commit' in item ? { commit: { ok: false, reason: 'invalid', why } } : { post: { ok: false, reason: 'unavailable', why } }
  }
}

function lastCursor(db: Db): number {
  return db.get<{ last: number | null }>('SELECT max(cursor) AS last FROM events')?.last ?? 0
}
