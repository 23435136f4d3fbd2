// "Don't change anything": a text that forbids changes altogether. What is forbidden of one thing ("without changing the API") is none.
import { classOfVerb } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import type { Words } from './words.ts'
import { gapNone } from './words.ts'

const changing = wordSet(
  'change touch modify edit write alter changing touching modifying editing writing altering aendern veraendern anfassen bearbeiten',
)
const changingDe = wordSet('aendere aender aendert veraendere fasse fass bearbeite bearbeiten')
const all = wordSet('anything any code files file nothing it stuff something yet')
const no = wordSet("don't dont not never without")
const noDe = wordSet('nichts')
const changes = wordSet('changes change edits modifications writes aenderung aenderungen')

/** The words that forbid it; null: nothing does. Linear. */
export function banIn(words: Words): string | null {
  for (let at = 0; at < words.count; at += 1) {
    const end = endOf(words, at)
    if (end >= 0) return words.word.slice(at, end + 1).join(' ')
  }
  return null
}

function endOf({ word, gap, count }: Words, at: number): number {
  const [one, two, three, four] = [word[at] ?? '', word[at + 1] ?? '', word[at + 2] ?? '', word[at + 3] ?? '']
  if (one === 'read' && two === 'only') return at + 1
  if (one === 'nur' && (two === 'lesen' || two === 'ansehen' || two === 'lesend')) return at + 1
  if ((one === 'no' || one === 'keine' || one === 'keinerlei') && changes.has(two)) return at + 1
  if (noDe.has(two) && changingDe.has(one)) return at + 1
  if (noDe.has(one) && (changing.has(two) || (two === 'zu' && changing.has(three)))) return at + 1
  if (one === 'ohne' && (two === 'etwas' || two === 'irgendetwas') && changing.has(four)) return at + 3
  if (two === 'nothing' && isChange(one)) return at + 1
  if (!no.has(one) || !isChange(two)) return -1
  if (!changing.has(two)) return three === 'anything' ? at + 2 : -1
  const ends = at + 2 >= count || gap[at + 2] !== gapNone
  return ends ? at + 1 : all.has(three) ? at + 2 : -1
}

/** Also a verb of those who change things: "do not fix anything". */
function isChange(word: string): boolean {
  const kind = classOfVerb.get(word)
  return changing.has(word) || kind === 'coder' || kind === 'executor'
}
