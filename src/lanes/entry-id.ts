// The key of what comes in from outside (L1): the same sender, session and client's id give the same entry id, on any node.
import { hash } from 'node:crypto'
import { crockford, type EntryId, type Id, type IdKind } from '../base/ids.ts'

export function entryIdOf(parts: readonly string[]): EntryId {
  return idFrom('ent', parts)
}

/** An id that is the same whenever the parts are: the kind's prefix and 26 characters (130 bits) of their hash; parts are kept apart. */
export function idFrom<K extends IdKind>(kind: K, parts: readonly string[]): Id<K> {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  let out = `${kind}_`
  let bits = 0
  let value = 0
  for (const byte of digest) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5 && out.length < 30) {
      bits -= 5
      out += crockford[(value >> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return out as Id<K>
}
