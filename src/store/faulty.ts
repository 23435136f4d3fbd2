// Makes any store fail on command: disks that are full, answers that get lost.

import type { JournalStore } from '../journal/journal-store.ts'
import { allUnavailable } from './rules.ts'

export type Faults = {
  readonly store: JournalStore
  /** The next `times` groups are answered 'unavailable'. 'before': nothing was written. 'after': all was written, the answer is lost (T26). */
  failNext(when: 'before' | 'after', times?: number): void
  /** Every group is answered 'unavailable' with that reason until null is given. */
  refuse(why: string | null): void
}

export function faulty(inner: JournalStore): Faults {
  let failing: { when: 'before' | 'after'; left: number } | null = null
  let refusing: string | null = null

  async function apply(group: Parameters<JournalStore['apply']>[0]) {
    if (refusing !== null) return { results: allUnavailable(group, refusing), events: [] }
    if (!failing) return inner.apply(group)
    const { when } = failing
    failing.left -= 1
    if (failing.left <= 0) failing = null
    if (when === 'after') await inner.apply(group)
    return { results: allUnavailable(group, `made to fail ${when} writing`), events: [] }
  }

  return {
    store: new Proxy(inner, { get: (target, key) => (key === 'apply' ? apply : Reflect.get(target, key)) }),
    failNext: (when, times = 1) => {
      failing = { when, left: times }
    },
    refuse: (why) => {
      refusing = why
    },
  }
}
