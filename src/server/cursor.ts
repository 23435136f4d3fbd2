// A client's cursor: where it wants to go on.
import { Gone, InvalidInput } from '../base/errors.ts'
import { parseCursor } from '../protocol/cursor.ts'
import type { Hub } from './hub.ts'

/** The number behind the cursor; null when none was given. Throws InvalidInput for what is none, Gone for another store's. */
export function cursorNumber(hub: Hub, text: string | null | undefined, path = '/after'): number | null {
  if (text === null || text === undefined || text === '') return null
  const position = parseCursor(text)
  if (position === null) throw new InvalidInput(`${path} must be a cursor as it was given out, like 1.42`, { path })
  if (position.generation === hub.journal.generation) return position.number
  throw new Gone('that cursor is of the time before a backup was restored: start anew, without a cursor', { path })
}
