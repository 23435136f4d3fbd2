// Finds the words of a list that are few slips of the pen away from one that is looked for, without comparing it to all of them: two
// such words become the same when up to that many letters are left out of each. The list is kept by what its words become so, as
// numbers; whoever has one of the numbers of the word that is looked for is compared letter by letter.
import { distanceWithin } from './distance.ts'

export const nearbyLimits = {
  /** More slips than this count as this many. */
  distance: 3,
  /** Only so many letters of a word's beginning are varied; comparing is by all of them. */
  varied: 7,
  /** Longer words are found by nobody. */
  letters: 64,
} as const

export type Near = {
  /** Place in the list. */
  readonly at: number
  readonly distance: number
}

export type NearbyIndex = {
  readonly distance: number
  /** The `most` nearest, best first; of those equally near the first in the list. Upper and lower case are the same. */
  nearest(word: string, most: number): readonly Near[]
}

/** For up to 50,000 words of usual length and a distance of 2 about 10 MB. */
export function nearbyIndex(words: readonly string[], distance: number): NearbyIndex {
  const reach = Math.max(0, Math.min(nearbyLimits.distance, Math.floor(distance)))
  const texts = words.map((word) => word.toLowerCase())
  const letters = Int32Array.from(texts, lettersOf)
  const places = placesOf(texts, reach)
  const seen = new Uint32Array(texts.length)
  let round = 0
  return {
    distance: reach,
    nearest(word, most) {
      const text = word.toLowerCase()
      if (text.length > nearbyLimits.letters || text === '') return []
      round++
      const [found, own]: [Near[], number] = [[], lettersOf(text)]
      forEachVariant(text, reach, (variant) => places.forEach(variant, look))
      return found.sort((one, other) => one.distance - other.distance || one.at - other.at).slice(0, most)

      function look(at: number): void {
        if (seen[at] === round) return
        seen[at] = round
        const theirs = letters[at] ?? 0
        if (bits(own & ~theirs) > reach || bits(theirs & ~own) > reach) return
        const apart = distanceWithin(text, texts[at] ?? '', reach)
        if (apart >= 0) found.push({ at, distance: apart })
      }
    },
  }
}

type Places = { forEach(variant: number, look: (at: number) => void): void }

/** Where in the list each variant comes from: one long row of places, ordered by the variants' last bits. */
function placesOf(texts: readonly string[], reach: number): Places {
  const mask = maskFor(texts.length)
  const starts = new Uint32Array(mask + 2)
  const each = (act: (variant: number, at: number) => void) => {
    for (const [at, text] of texts.entries()) {
      if (text.length <= nearbyLimits.letters) forEachVariant(text, reach, (variant) => act(variant, at))
    }
  }
  each((variant) => addTo(starts, (variant & mask) + 1))
  for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const row = new Uint32Array(starts.at(-1) ?? 0)
  const next = starts.slice()
  each((variant, at) => {
    row[addTo(next, variant & mask)] = at
  })
  return {
    forEach(variant, look) {
      const slot = variant & mask
      const end = starts[slot + 1] ?? 0
      for (let at = starts[slot] ?? 0; at < end; at++) look(row[at] ?? 0)
    },
  }
}

/** Adds one and gives what was there before. */
function addTo(counts: Uint32Array, at: number): number {
  const before = counts[at] ?? 0
  counts[at] = before + 1
  return before
}

/** As many slots as there are variants, about. */
function maskFor(words: number): number {
  return 2 ** Math.min(20, Math.max(4, Math.ceil(Math.log2(words * 20 + 1)))) - 1
}

const codes = new Int32Array(nearbyLimits.varied)

/** Numbers of what the beginning of a text becomes when none to `reach` of its letters are left out. One may come more than once. */
function forEachVariant(text: string, reach: number, act: (variant: number) => void): void {
  const length = Math.min(text.length, nearbyLimits.varied)
  for (let at = 0; at < length; at++) codes[at] = text.charCodeAt(at)
  vary({ length, from: 0, without: 0, left: reach, act })
}

type Varying = {
  readonly length: number
  readonly from: number
  /** The letters that are left out, as bits. */
  readonly without: number
  readonly left: number
  readonly act: (variant: number) => void
}

function vary({ length, from, without, left, act }: Varying): void {
  act(numberOf(length, without))
  if (left === 0) return
  for (let at = from; at < length; at++) vary({ length, from: at + 1, without: without | (1 << at), left: left - 1, act })
}

function numberOf(length: number, without: number): number {
  let number = 0x811c9dc5
  for (let at = 0; at < length; at++) {
    if ((without & (1 << at)) === 0) number = Math.imul(number ^ (codes[at] ?? 0), 0x01000193)
  }
  return number ^ (number >>> 15)
}

/** Which letters a text has, as bits. A slip brings in at most one that wasn't there. */
function lettersOf(text: string): number {
  let found = 0
  for (let at = 0; at < text.length; at++) found |= 1 << (text.charCodeAt(at) & 31)
  return found
}

function bits(number: number): number {
  let left = number - ((number >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
