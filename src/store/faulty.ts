// Makes any store fail on command: disks that are full, answers that get lost.

import { Unavailable } from '../base/errors.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { allUnavailable } from './rules.ts'

export type Faults = {
  readonly store: JournalStore
  /** The next `times` groups are answered 'unavailable'. 'before': nothing was written. 'after': all was written, the answer is lost (T26). */
  failNext(when: 'before' | 'after', times?: number): void
  /** Nothing can be written, for that reason, until null is given; reads go on. */
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

  async function probe() {
    if (refusing !== null) throw new Unavailable(refusing)
    return inner.probe()
  }

  const own: Partial<JournalStore> = { apply, probe }
  return {
    store: new Proxy(inner, { get: (target, key) => Reflect.get(key in own ? own : target, key) }),
    failNext: (when, times = 1) => {
      failing = { when, left: times }
    },
    refuse: (why) => {
      refusing = why
    },
  }
}
