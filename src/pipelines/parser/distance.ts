// How far two words are from each other, and an index of the words that are near. Distance: optimal string alignment (letters put in,
// left out, exchanged, and neighbours swapped; none twice). Source: EDDI's digest, section 1.4.

/** Larger distances are refused: everything is near everything then. */
export const mostDistance = 4

/** `most`: farther ones are told as `most + 1`, and cost less. */
export function distanceOf(a: string, b: string, most: number = Math.max(a.length, b.length)): number {
  const far = most + 1
  if (Math.abs(a.length - b.length) > most) return far
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const line = rowOf({ a, b, row, most }, last, before)
    if (line === null) return far
    before = last
    last = line
  }
  return Math.min(last[b.length] ?? far, far)
}

type Row = { readonly a: string; readonly b: string; readonly row: number; readonly most: number }

/** One row within the band of `most` around the diagonal; null: all of it is farther. */
function rowOf({ a, b, row, most }: Row, last: readonly number[], before: readonly number[]): number[] | null {
  const far = most + 1
  const line = new Array<number>(b.length + 1).fill(far)
  if (row <= most) line[0] = row
  let least = line[0] ?? far
  const sign = a.charCodeAt(row - 1)
  for (let at = Math.max(1, row - most); at <= Math.min(b.length, row + most); at++) {
    const other = b.charCodeAt(at - 1)
    let value = Math.min((last[at - 1] ?? far) + (sign === other ? 0 : 1), (last[at] ?? far) + 1, (line[at - 1] ?? far) + 1)
    const isSwapped = row > 1 && at > 1 && sign === b.charCodeAt(at - 2) && a.charCodeAt(row - 2) === other
    if (isSwapped) value = Math.min(value, (before[at - 2] ?? far) + 1)
    line[at] = value
    if (value < least) least = value
  }
  return least > most ? null : line
}

export type Near = { readonly term: string; readonly distance: number }

/** Shorter lists are looked through. */
const fewTerms = 32
/** Signs at the beginning of a word that the index keeps. */
const prefixLength = 7

/**
 * Who is near in that list, the nearest first, else in the list's order. Two words within a distance d have a text in common that each
 * of their beginnings becomes when at most d signs are left out; the index holds the words under the hash of each such text.
 */
export function openDistances(terms: readonly string[], distance: number): (token: string) => readonly Near[] {
  const near = (token: string, candidates: Iterable<number>) => nearest(terms, { token, distance }, candidates)
  if (terms.length <= fewTerms) return (token) => near(token, terms.keys())
  const bits = Math.max(8, Math.ceil(Math.log2(terms.length * 8)))
  const { starts, members } = indexOf(terms, distance, bits)
  return (token) => {
    const candidates = new Set<number>()
    eachShorter(token, distance, (hash) => {
      const slot = hash >>> (32 - bits)
      for (let at = starts[slot] ?? 0; at < (starts[slot + 1] ?? 0); at++) candidates.add(members[at] ?? 0)
    })
    return near(token, candidates)
  }
}

function nearest(terms: readonly string[], asked: { readonly token: string; readonly distance: number }, candidates: Iterable<number>) {
  const found: (Near & { readonly at: number })[] = []
  for (const at of candidates) {
    const term = terms[at] ?? ''
    const distance = distanceOf(asked.token, term, asked.distance)
    if (distance <= asked.distance) found.push({ term, distance, at })
  }
  return found.sort((a, b) => a.distance - b.distance || a.at - b.at)
}

/** The words of slot n: members from starts[n] to starts[n + 1]. Counted first, then filled: no list a slot. */
function indexOf(terms: readonly string[], distance: number, bits: number) {
  const starts = new Uint32Array(2 ** bits + 1)
  for (const term of terms) eachShorter(term, distance, (hash) => count(starts, (hash >>> (32 - bits)) + 1, 1))
  for (let slot = 1; slot < starts.length; slot++) count(starts, slot, starts[slot - 1] ?? 0)
  const members = new Uint32Array(starts.at(-1) ?? 0)
  const free = starts.slice()
  for (const [at, term] of terms.entries()) {
    eachShorter(term, distance, (hash) => {
      members[count(free, hash >>> (32 - bits), 1)] = at
    })
  }
  return { starts, members }
}

/** What stood there before. */
function count(counts: Uint32Array, at: number, more: number): number {
  const before = counts[at] ?? 0
  counts[at] = before + more
  return before
}

/** The hash of the beginning of a word with up to `distance` signs left out; each choice of signs once. */
function eachShorter(word: string, distance: number, tell: (hash: number) => void): void {
  const length = Math.min(word.length, prefixLength)
  const from = (at: number, left: number, hash: number): void => {
    if (at === length) return tell(spread(hash))
    from(at + 1, left, Math.imul(hash ^ word.charCodeAt(at), 0x01000193))
    if (left > 0) from(at + 1, left - 1, hash)
  }
  from(0, distance, 0x811c9dc5 | 0)
}

/** Puts what the low bits know into the high ones, which name the slot. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16)
}
