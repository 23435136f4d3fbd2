// Words that sound alike: refined soundex, and the alternate code of double metaphone, both as Apache's Commons Codec gives them.
import { doubleMetaphone } from 'double-metaphone'

/** Codes of A to Z; what sounds alike has one code. Source: the table of refined soundex, as published. */
const refined = '01360240043788015936020505'
/** Commons Codec keeps so many characters of a code. */
const metaphoneLength = 4
/** More words of the same sound are not told. */
const mostAlike = 20

/** The first letter, then the code of each letter, none twice in a row. What is no letter of A to Z is left out. '' when none is. */
export function refinedSoundex(word: string): string {
  const letters = word.toUpperCase().replace(/[^A-Z]/g, '')
  const codes = [...letters].map((letter) => refined[letter.charCodeAt(0) - 65] ?? '')
  return letters.slice(0, 1) + codes.filter((code, at) => code !== codes[at - 1]).join('')
}

export function alternateMetaphone(word: string): string {
  return doubleMetaphone(word.trim())[1].slice(0, metaphoneLength)
}

/** The terms that sound like a word: those of the same soundex code, then those of the same metaphone code, each by the alphabet. */
export function openSounds(terms: readonly string[]): (word: string) => readonly string[] {
  const [bySoundex, byMetaphone] = [new Map<string, string[]>(), new Map<string, string[]>()]
  for (const term of [...terms].sort()) {
    keep(bySoundex, refinedSoundex(term), term)
    keep(byMetaphone, alternateMetaphone(term), term)
  }
  return (word) => {
    const alike = [...(bySoundex.get(refinedSoundex(word)) ?? []), ...(byMetaphone.get(alternateMetaphone(word)) ?? [])]
    return [...new Set(alike)].slice(0, mostAlike)
  }
}

function keep(index: Map<string, string[]>, code: string, term: string): void {
  if (code === '') return
  const before = index.get(code)
  if (before === undefined) index.set(code, [term])
  else if (before.length < mostAlike) before.push(term)
}
