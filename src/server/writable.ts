// What would have to wait for a disk without room, or a database that is gone, is refused at once, with the reason.
import { Unavailable } from '../base/errors.ts'
import type { Hub } from './hub.ts'

/** Throws Unavailable while nothing can be stored. */
export function writable({ journal }: Pick<Hub, 'journal'>): void {
  const why = journal.health().readOnly
  if (why !== null) throw nothingStored(why)
}

export function nothingStored(why: string): Unavailable {
  return new Unavailable(`nothing can be stored now: ${why}; nothing was changed`)
}
