// How far two words are from each other, and an index of the words that are near. Distance: optimal string alignment (letters put in,
// left out, exchanged, and neighbours swapped; none twice). Source: EDDI's digest, section 1.4.
import { costs, type Effort, spend } from './effort.ts'

/** Larger distances are refused: everything is near everything then. */
export const mostDistance = 4

/** `most`: farther ones are told as `most + 1`, and cost less. */
export function distanceOf(a: string, b: string, most: number = Math.max(a.length, b.length)): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  if (b.length >= spare[0].length) return rowsOver(a, b, { most, rows: [newRow(b), newRow(b), newRow(b)] })
  return rowsOver(a, b, { most, rows: spare })
}

type Rows = readonly [Uint32Array, Uint32Array, Uint32Array]
const newRow = (word: string) => new Uint32Array(word.length + 1)
/** Rows for words of usual length, used again and again. */
const spare: Rows = [new Uint32Array(130), new Uint32Array(130), new Uint32Array(130)]

/** Row by row, of each only what is within `most` of the diagonal. */
function rowsOver(a: string, b: string, { most, rows }: { readonly most: number; readonly rows: Rows }): number {
  let [before, above, line] = rows
  for (let at = 0; at <= b.length; at++) above[at] = at
  for (let row = 1; row <= a.length; row++) {
    if (fillRow({ a, b, row, most, before, above, line }) > most) return most + 1
    ;[before, above, line] = [above, line, before]
  }
  return Math.min(above[b.length] ?? 0, most + 1)
}

type Filling = {
  readonly a: string
  readonly b: string
  readonly row: number
  readonly most: number
  readonly before: Uint32Array
  readonly above: Uint32Array
  readonly line: Uint32Array
}

/** Fills one row and gives its least. What is outside of the band in the rows above is never read. */
function fillRow({ a, b, row, most, before, above, line }: Filling): number {
  const start = Math.max(1, row - most)
  const end = Math.min(b.length, row + most)
  const sign = a.charCodeAt(row - 1)
  const signBefore = row > 1 ? a.charCodeAt(row - 2) : -1
  let least = start === 1 ? row : most + 1
  line[start - 1] = least
  for (let at = start; at <= end; at++) {
    const other = b.charCodeAt(at - 1)
    let value = (above[at - 1] ?? 0) + (sign === other ? 0 : 1)
    value = Math.min(value, (line[at - 1] ?? 0) + 1)
    if (at < row + most) value = Math.min(value, (above[at] ?? 0) + 1)
    if (at > 1 && signBefore === other && sign === b.charCodeAt(at - 2)) value = Math.min(value, (before[at - 2] ?? 0) + 1)
    line[at] = value
    if (value < least) least = value
  }
  return least
}

export type Near = { readonly term: string; readonly distance: number }

/** Signs of a word that the index keeps: its first ones, or its last ones. */
const keptLength = 7

/**
 * Who is near in that list, the nearest first, else by the alphabet. Two words within a distance d have a text in common that each
 * of their beginnings becomes when at most d signs are left out; the index holds the words under the hash of each such text. Words
 * that begin alike, as numbers of orders do, are kept by their ends: it is the same for those.
 */
export function openDistances(terms: readonly string[], distance: number): (token: string, effort: Effort) => readonly Near[] {
  const bits = Math.max(8, Math.ceil(Math.log2(terms.length * 16 + 1)))
  const eachShorter = shortening(distance, endsDifferMore(terms))
  const { starts, members } = indexOf(terms, bits, eachShorter)
  const signs = Int32Array.from(terms, signsOf)
  const askedIn = new Uint32Array(terms.length)
  let round = 0
  return (token, effort) => {
    const own = signsOf(token)
    const found: Near[] = []
    round++
    eachShorter(token, (hash) => {
      const slot = hash >>> (32 - bits)
      const [start, end] = [starts[slot] ?? 0, starts[slot + 1] ?? 0]
      if (spend(effort, end - start)) for (let place = start; place < end; place++) look(members[place] ?? 0)
    })
    return found.sort((a, b) => a.distance - b.distance || (a.term < b.term ? -1 : 1))

    function look(at: number): void {
      if (askedIn[at] === round) return
      askedIn[at] = round
      const theirs = signs[at] ?? 0
      if (bitsOf(own & ~theirs) > distance || bitsOf(theirs & ~own) > distance) return
      if (!spend(effort, costs.compared)) return
      const term = terms[at] ?? ''
      const apart = distanceOf(token, term, distance)
      if (apart <= distance) found.push({ term, distance: apart })
    }
  }
}

/** Which signs a word has, in 32 bits. One step of distance brings in at most one that wasn't there. */
function signsOf(word: string): number {
  let found = 0
  for (let at = 0; at < word.length; at++) found |= 1 << (word.charCodeAt(at) & 31)
  return found
}

function bitsOf(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The words of slot n: members from starts[n] to starts[n + 1]. Counted first, then filled: no list a slot. */
function indexOf(terms: readonly string[], bits: number, eachShorter: EachShorter) {
  const starts = new Uint32Array(2 ** bits + 1)
  for (const term of terms) eachShorter(term, (hash) => count(starts, (hash >>> (32 - bits)) + 1, 1))
  for (let slot = 1; slot < starts.length; slot++) count(starts, slot, starts[slot - 1] ?? 0)
  const members = new Uint32Array(starts.at(-1) ?? 0)
  const free = starts.slice()
  for (const [at, term] of terms.entries()) {
    eachShorter(term, (hash) => {
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

type EachShorter = (word: string, tell: (hash: number) => void) => void

/** The hash of the beginning (or end) of a word with up to `distance` signs left out; each choice of signs once. */
function shortening(distance: number, isFromEnd: boolean): EachShorter {
  return (word, tell) => {
    const length = Math.min(word.length, keptLength)
    const from = (at: number, left: number, hash: number): void => {
      if (at === length) return tell(spread(hash))
      const sign = word.charCodeAt(isFromEnd ? word.length - 1 - at : at)
      from(at + 1, left, Math.imul(hash ^ sign, 0x01000193))
      if (left > 0) from(at + 1, left - 1, hash)
    }
    from(0, distance, 0x811c9dc5 | 0)
  }
}

function endsDifferMore(terms: readonly string[]): boolean {
  const beginnings = new Set(terms.map((term) => term.slice(0, keptLength)))
  const ends = new Set(terms.map((term) => term.slice(-keptLength)))
  return ends.size > beginnings.size
}

/** Puts what the low bits know into the high ones, which name the slot. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16)
}
