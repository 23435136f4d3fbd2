import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalStoreContract } from '../../journal/journal-store.contract.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { delayed, seededPause } from '../delayed.ts'
import { openSqliteStore } from './sqlite.ts'

async function fresh(wrap: (store: JournalStore) => JournalStore = (store) => store) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-store-'))
  const opened = await openSqliteStore({ file: join(folder, 'steward.db'), now: Date.now })
  return {
    store: wrap(opened.journal),
    async close() {
      await opened.close()
      rmSync(folder, { recursive: true })
    },
  }
}

journalStoreContract('sqlite', () => fresh())
journalStoreContract('sqlite, late', () => fresh((store) => delayed(store, seededPause(7))))
