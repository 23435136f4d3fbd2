// The JSON of lines and tools, and its hashes. These objects never change, and the same ones go along with call after call: each is
// written down once.
import { sha256 } from '../base/hash.ts'

const texts = new WeakMap<object, string>()
const hashes = new WeakMap<object, string>()

/** JSON.stringify of the object. */
export function textOf(one: object): string {
  const known = texts.get(one)
  if (known !== undefined) return known
  const made = JSON.stringify(one)
  texts.set(one, made)
  return made
}

/** JSON.stringify of the list. */
export function textOfAll(list: readonly object[]): string {
  return `[${list.map(textOf).join(',')}]`
}

/** SHA-256 of `[one]` as JSON. */
export function hashOfOne(one: object): string {
  const known = hashes.get(one)
  if (known !== undefined) return known
  const made = sha256(`[${textOf(one)}]`)
  hashes.set(one, made)
  return made
}
