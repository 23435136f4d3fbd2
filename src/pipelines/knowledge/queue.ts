// Documents that wait to be indexed, one after the other. In memory only: what waits stands in the index as well.
import type { DocumentRow } from './store.ts'

export type Queue = {
  add(row: DocumentRow): void
  /** When nothing waits any more. */
  idle(): Promise<void>
  /** The one at work is told to stop; resolves when it has. */
  close(): Promise<void>
}

/** `work` must not throw. */
export function openQueue(work: (row: DocumentRow, signal: AbortSignal) => Promise<void>): Queue {
  const ended = new AbortController()
  let waiting: DocumentRow[] = []
  let working: Promise<void> | null = null

  async function all(): Promise<void> {
    for (let at = 0; at < waiting.length && !ended.signal.aborted; at++) {
      const row = waiting[at]
      if (row) await work(row, ended.signal)
    }
    waiting = []
    working = null
  }
  return {
    add(row) {
      if (ended.signal.aborted) return
      waiting.push(row)
      working ??= all()
    },
    async idle() {
      while (working) await working
    },
    async close() {
      ended.abort()
      await working
    },
  }
}
