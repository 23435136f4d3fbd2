// A client's cursor: where it wants to go on.
import { Gone, InvalidInput } from '../base/errors.ts'
import { parseCursor } from '../protocol/cursor.ts'
import type { Hub } from './hub.ts'

/**
 * The number behind the cursor; null when none was given. Throws InvalidInput for what is none, Gone for another store's: an
 * earlier life's, or one that is further on than anything that ever happened here.
 */
export function cursorNumber(hub: Hub, text: string | null | undefined, path = '/after'): number | null {
  if (text === null || text === undefined || text === '') return null
  const position = parseCursor(text)
  if (position === null) throw new InvalidInput(`${path} must be a cursor as it was given out, like 1.42`, { path })
  if (position.generation !== hub.journal.generation)
    throw new Gone('that cursor is of the time before a backup was restored: start anew, without a cursor', { path })
  if (position.number > hub.journal.head())
    throw new Gone('that cursor is of another data folder, nothing here is that far on: start anew, without a cursor', { path })
  return position.number
}
