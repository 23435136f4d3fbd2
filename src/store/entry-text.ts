// An entry lies only in the event that recorded its arrival, as `data.entry` (T28).

import type { Entry } from '../protocol/entry.ts'
import type { MailState } from './rules.ts'

/** The entry inside the text of an event's data. `held` says what holds now, not what held at its arrival. */
export function entryIn(dataText: string, state: MailState): Entry {
  const data: { readonly entry: Entry } = JSON.parse(dataText)
  const { held: _, ...entry } = data.entry
  return state === 'held' ? { ...entry, held: true } : entry
}
