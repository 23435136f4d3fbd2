// Words that sound alike in English: those with the same refined soundex code, or the same alternate code of double metaphone (at most
// four characters of it, as EDDI's library has them). Words without a letter sound like nothing.
import { doubleMetaphone } from 'double-metaphone'

/** Of each letter from A to Z. The figures are those of the refined soundex algorithm. */
const soundOf = '01360240043788015936020505'
const mostCode = 4
/** A longer word is cut before its sound is looked for. */
const mostLetters = 64

/** The first letter, then the sound of each letter unless it is that of the letter before: `testing` is T6036084. */
export function refinedSoundex(word: string): string {
  const letters = word
    .slice(0, mostLetters)
    .toUpperCase()
    .replace(/\P{L}+/gu, '')
  let [code, before] = [letters.slice(0, 1), '*']
  for (const letter of letters) {
    const sound = soundOf[letter.charCodeAt(0) - 65] ?? ''
    if (sound !== before) code += sound
    before = sound
  }
  return code
}

/** The alternate code of double metaphone; '' for what has none. */
export function metaphone(word: string): string {
  return doubleMetaphone(word.slice(0, mostLetters).trim())[1].slice(0, mostCode)
}

export type SoundIndex = {
  /** Places in the list, each once: first those of the same soundex code, then those of the same metaphone code. */
  alike(word: string): readonly number[]
}

export function soundIndex(words: readonly string[]): SoundIndex {
  const [bySoundex, byMetaphone] = [new Map<string, number[]>(), new Map<string, number[]>()]
  for (const [at, word] of words.entries()) {
    add(bySoundex, refinedSoundex(word), at)
    add(byMetaphone, metaphone(word), at)
  }
  return {
    alike(word) {
      const found = [...(bySoundex.get(refinedSoundex(word)) ?? []), ...(byMetaphone.get(metaphone(word)) ?? [])]
      return [...new Set(found)]
    },
  }
}

function add(places: Map<string, number[]>, code: string, at: number): void {
  if (code === '') return
  const known = places.get(code)
  if (known) known.push(at)
  else places.set(code, [at])
}
