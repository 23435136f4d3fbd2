// Which configurations name which: references are texts that are an eddi:// URI as a whole, wherever they stand.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Kind, ResourceRef } from '../configuration.ts'
import { type FoundRef, refIn, uriOf } from './uri.ts'

/** What names others by what it is made of: a store's address in it is a reference. Elsewhere it is what a call asks for. */
const naming: ReadonlySet<Kind> = new Set<Kind>(['agent', 'workflow', 'llm'])

/** The same with references where addresses of stores stand, as answers to a POST give them; the same object where there are none. */
export function withoutAddresses(kind: Kind, raw: JsonObject): JsonObject {
  if (!naming.has(kind) || !/"https?:/.test(JSON.stringify(raw))) return raw
  const changed = walk(raw, (text) => {
    const ref = /^https?:/.test(text) ? refIn(text) : null
    return ref !== null && ref.version !== null ? uriOf({ ...ref, version: ref.version }) : text
  })
  return isJsonObject(changed) ? changed : raw
}

/** In the order in which they stand, each once. */
export function referencesIn(raw: Json): readonly FoundRef[] {
  const found = new Map<string, FoundRef>()
  walk(raw, (text) => {
    const ref = referenceIn(text)
    if (ref) found.set(`${keyOf(ref)} ${ref.version}`, ref)
    return text
  })
  return [...found.values()]
}

/** The same object with other references. `change` gives the new one, or null: it stays. */
export function withReferences(raw: JsonObject, change: (ref: FoundRef) => ResourceRef | null): JsonObject {
  const changed = walk(raw, (text) => {
    const ref = referenceIn(text)
    const next = ref && change(ref)
    return next ? uriOf(next) : text
  })
  return isJsonObject(changed) ? changed : raw
}

/** Without its version. */
export function keyOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}/${id.toLowerCase()}`
}

function referenceIn(text: string): FoundRef | null {
  return text.startsWith('eddi://') ? refIn(text) : null
}

function walk(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => walk(one, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, change)]))
}

/**
 * Everything that can be reached from a start, children before who names them. Rings are left where they close; `ring` hears of them.
 * Depth first, without recursion over hostile depth: a chain is at most as long as there are configurations.
 */
export function childrenFirst<T>(
  start: T,
  options: {
    readonly keyOf: (one: T) => string
    readonly childrenOf: (one: T) => readonly T[]
    readonly ring?: (keys: readonly string[]) => void
  },
): readonly T[] {
  const done = new Map<string, T>()
  const open: { readonly one: T; readonly left: T[] }[] = []
  const enter = (one: T) => {
    const key = options.keyOf(one)
    if (done.has(key)) return
    const at = open.findIndex((each) => options.keyOf(each.one) === key)
    if (at >= 0) options.ring?.([...open.slice(at).map((each) => options.keyOf(each.one)), key])
    else open.push({ one, left: [...options.childrenOf(one)] })
  }
  enter(start)
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const next = top.left.shift()
    if (next !== undefined) enter(next)
    else {
      open.pop()
      done.set(options.keyOf(top.one), top.one)
    }
  }
  return [...done.values()]
}
