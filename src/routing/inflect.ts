// Base forms of English words: "implementing", "fixed", "rebuilt" are implement, fix, rebuild. By rule and by a list of the irregular.
import { type Base, type Form, irregular } from './verbs-en.ts'

const none: readonly Base[] = []
const vowels = 'aeiou'

/** What the word may be a form of, without itself; at most four, not all of them words. Takes a folded word. */
export function basesOf(word: string): readonly Base[] {
  const length = word.length
  if (length < 4 || length > 24) return irregular.get(word) ?? none
  const odd = irregular.get(word)
  if (odd !== undefined) return odd
  if (word.endsWith('ing')) return stems(word.slice(0, -3), 'ing')
  if (word.endsWith('ied')) return [{ base: `${word.slice(0, -3)}y`, form: 'ed' }]
  if (word.endsWith('ed')) return stems(word.slice(0, -2), 'ed')
  if (word.endsWith('ies')) return [{ base: `${word.slice(0, -3)}y`, form: 's' }]
  if (word.endsWith('s') && !word.endsWith('ss')) return plain(word)
  return none
}

function plain(word: string): readonly Base[] {
  const cut = word.slice(0, -1)
  return word.endsWith('es')
    ? [
        { base: cut, form: 's' },
        { base: word.slice(0, -2), form: 's' },
      ]
    : [{ base: cut, form: 's' }]
}

/** `implement`, `compil(e)`, `debug(g)`. */
function stems(stem: string, form: Form): readonly Base[] {
  if (stem.length < 2) return none
  const out: Base[] = [
    { base: stem, form },
    { base: `${stem}e`, form },
  ]
  const last = stem.charAt(stem.length - 1)
  if (stem.length > 2 && last === stem.charAt(stem.length - 2) && !vowels.includes(last)) out.push({ base: stem.slice(0, -1), form })
  return out
}
