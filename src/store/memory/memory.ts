/**
 * The store for tests: the same rules over plain maps, nothing on disk. Its behaviour is pinned by the contract suite, so what
 * holds over it holds over the others. To make it late or broken wrap it: store/delayed.ts, store/faulty.ts.
 */
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'
import { applyItem } from '../rules.ts'
import { memoryLeases } from './leases.ts'
import { memoryReads } from './reads.ts'
import { memoryTables } from './tables.ts'

export type MemoryStore = JournalStore & {
  /** What a restart of the machine does to leases: every node that had one is gone. */
  forgetNodes(): void
}

/** `now` is the clock of the leases, in milliseconds. */
export function memoryStore(options: { readonly now: () => number; readonly generation?: number }): MemoryStore {
  const tables = memoryTables()
  return {
    generation: options.generation ?? 1,
    async apply(group) {
      const events: Event[] = []
      return { results: group.map((item) => applyItem(tables, item, events)), events }
    },
    ...memoryReads(tables),
    ...memoryLeases(tables, options.now),
    forgetNodes: () => tables.leases.clear(),
  }
}
