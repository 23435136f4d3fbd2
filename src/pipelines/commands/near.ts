// A word as it was meant: known, or with one typing error in it. Short words are taken as they stand.
import { distanceOf } from '../parser/parser.ts'
import { everything, type Known, small, type Table, things, verbs } from './vocabulary.ts'

const shortest = 4
const longForTwo = 9

/** The entry for that word. A word that is known as something else is no typing error. */
export function nearIn<Value>(table: Table<Value>, word: string): Known<Value> | null {
  const exact = table.get(word)
  if (exact) return exact
  if (word.length < shortest || word.length > 24 || isKnown(word)) return null
  const most = word.length >= longForTwo ? 2 : 1
  let best: { readonly known: Known<Value>; readonly distance: number } | null = null
  for (const [term, known] of table) {
    if (term.length < shortest || Math.abs(term.length - word.length) > most) continue
    const distance = distanceOf(word, term, most)
    if (distance <= most && (best === null || distance < best.distance)) best = { known, distance }
  }
  return best?.known ?? null
}

export function isKnown(word: string): boolean {
  return small.has(word) || verbs.has(word) || things.has(word) || everything.has(word)
}

/** Whether two words are the same, or one of them with a typing error. */
export function isNear(word: string, term: string): boolean {
  if (word === term) return true
  if (word.length < shortest || term.length < shortest || Math.abs(word.length - term.length) > 1 || isKnown(word)) return false
  return distanceOf(word, term, 1) <= 1
}
