// A store that lets no registered secret through (V5). Texts are sealed where they come in; this is the net below: what a room
// forgot, or what came up in an error of a library, is not written down either.
import { isObject } from '../base/json.ts'
import type { Item } from '../journal/commit.ts'
import type { JournalStore } from '../journal/journal-store.ts'

/** `scrub` must give back the same string when there is nothing to take out. */
export function scrubbedStore(inner: JournalStore, scrub: (text: string) => string): JournalStore {
  const own: Pick<JournalStore, 'apply'> = { apply: (group) => inner.apply(group.map((item) => clean(item, scrub))) }
  return new Proxy(inner, { get: (target, key) => Reflect.get(key in own ? own : target, key) })
}

/** The item itself nearly always: it is rebuilt only when something in it changes. */
function clean(item: Item, scrub: (text: string) => string): Item {
  if (!holds(item, scrub)) return item
  return JSON.parse(JSON.stringify(item), (_, value: unknown) => {
    if (typeof value === 'string') return scrub(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [scrub(name), member]))
  })
}

/** Whether any text of it, names of members too, would change. Looked at as it is, without writing it down only for that. */
function holds(value: unknown, scrub: (text: string) => string): boolean {
  if (typeof value === 'string') return scrub(value) !== value
  if (Array.isArray(value)) return value.some((one) => holds(one, scrub))
  if (!isObject(value)) return false
  // What writes itself (a date) is looked at as it will be written.
  if (typeof value['toJSON'] === 'function') return holds(JSON.stringify(value), scrub)
  for (const name in value) if (holds(value[name], scrub) || scrub(name) !== name) return true
  return false
}
