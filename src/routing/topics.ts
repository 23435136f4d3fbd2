// Whether a text is about software or a project at all: "plan a trip to Rome" has a verb of the planner and is no work for one.
import { basesOf } from './inflect.ts'
import type { Scene } from './scene.ts'
import { german, otherGermanVerbs } from './verbs-de.ts'
import { determiners, functionWords, isVerb, negators, prepositions, pronouns } from './verbs-en.ts'
import { doubtfulWords, everydayWords, lifeWords, vagueWords, workWords } from './vocabulary.ts'
import { folded, gapNone, isDigit, kindPlain, shapeInner, type Words } from './words.ts'

export type Topic = {
  /** Words of a life beside the work; at most eight are told. */
  readonly life: readonly string[]
  /** It names a file, quotes code, or has a word of the work; one that may mean something else counts where nothing speaks of a life. */
  readonly work: boolean
  /** Words that are of neither, eight at most: what it is about, when it is about no work. */
  readonly other: readonly string[]
}

const mostTold = 8

/** Linear. */
export function topicOf({ words, german: isGerman, prepared }: Scene): Topic {
  const life = new Set<string>()
  const other = new Set<string>()
  let sure = false
  let maybe = false
  for (let at = 0; at < words.count; at += 1) {
    const word = words.word[at] ?? ''
    const kind = words.kind[at] !== kindPlain ? 'work' : isOrdered(words, at) || prepared.names.has(word) ? 'none' : kindOf(word, isGerman)
    if (kind === 'work' || (kind !== 'life' && isIdentifier(words, at))) sure = true
    else if (kind === 'maybe') maybe = true
    else if (kind === 'life' && life.size < mostTold) life.add(word)
    else if (kind === 'other' && other.size < mostTold) other.add(word)
  }
  return { life: [...life], work: sure || (maybe && life.size === 0), other: [...other] }
}

/** "Build a bird table", "plan a week": what is to be done, not what it is about. */
function isOrdered({ word, gap }: Words, at: number): boolean {
  const one = word[at] ?? ''
  if (!isVerb(one) || !doubtfulWords.has(one)) return false
  if (gap[at] !== gapNone) return true
  return !determiners.has(word[at - 1] ?? '') && !(gap[at - 1] === gapNone && determiners.has(word[at - 2] ?? ''))
}

/** A phrase by which somebody is known for a matter: "release notes", not "find out why". */
export function isTelling(phrase: string): boolean {
  return phrase.split(' ').some((raw) => {
    const word = folded(raw)
    return !everydayWords.has(word) && !isVerb(word) && kindOf(word, true) !== 'none'
  })
}

type Kind = 'work' | 'maybe' | 'life' | 'other' | 'none'

function kindOf(word: string, isGerman: boolean): Kind {
  const found = listed(word)
  if (found !== null) return found
  for (const { base } of basesOf(word)) {
    const kind = listed(base)
    if (kind !== null) return kind
  }
  if (isSmall(word)) return 'none'
  return isGerman && word.length >= shortestCompound ? compound(word) : 'other'
}

function listed(word: string): Kind | null {
  if (workWords.has(word)) return 'work'
  if (lifeWords.has(word)) return 'life'
  return doubtfulWords.has(word) ? 'maybe' : null
}

/** It says what is to be done or how, not about what. */
function isSmall(word: string): boolean {
  if (isDigit(word.charCodeAt(0))) return isNumber(word)
  return word.length < 2 || says(word) || basesOf(word).some(({ base }) => says(base))
}

function says(word: string): boolean {
  if (functionWords.has(word) || pronouns.has(word) || determiners.has(word) || prepositions.has(word) || negators.has(word)) return true
  return vagueWords.has(word) || isVerb(word) || otherGermanVerbs.has(word) || german.has(word) || smallDe.has(word)
}

const smallDe: ReadonlySet<string> = new Set(
  'und oder aber wenn ob dass weil mir mich dir dich uns euch ihm ihr ihnen man im am zum zur vom beim ins fuer mit von bei nach aus auf ist sind war kann koennen koennte koenntest kannst wuerdest soll sollte sollten wir ich du sie er es hallo hi hey ok okay was wie wo wer wann warum wird werden wurde wurden eigentlich seit gestern heute morgen schon noch immer nie doppelt laeuft laufen steckt welchem welcher welches welche welchen daran woran liegt irgendwo genau bloss denn doch etwa eben zwei drei vier fuenf sechs sieben acht neun zehn in an wenn jetzt hier dort unsere unser unserem unseren unserer allen alle jede jeder jedes pro letzte letzten letzter woche wochen monat sich lassen'.split(
    ' ',
  ),
)

const shortestCompound = 9
const shortestPart = 5

/** By its last part, which says what it is, else by its first: "datenbankschicht", "einkaufsliste". */
function compound(word: string): Kind {
  let found: Kind = 'other'
  for (let cut = shortestPart; cut <= word.length - 3; cut += 1) {
    const tail = word.length - cut < shortestPart ? null : listed(word.slice(cut))
    const head = listed(word.slice(0, cut)) ?? listed(word.slice(0, cut - 1))
    for (const kind of [tail, head]) {
      if (kind !== null && kind !== 'maybe') return kind
      if (kind === 'maybe') found = kind
    }
  }
  return found
}

/** A number is of a matter, and none itself. */
function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (!isDigit(word.charCodeAt(at))) return false
  return true
}

/** `v1`, `v12`. */
function isVersion(word: string): boolean {
  return word.length > 1 && word.length < 4 && word.startsWith('v') && isDigit(word.charCodeAt(1))
}

/** A name as code has them: `user_id`, `fetchJson`, `UserService`. */
function isIdentifier({ word, shape }: Words, at: number): boolean {
  const one = word[at] ?? ''
  return shape[at] === shapeInner || (one.includes('_') && one.length > 2) || isVersion(one)
}
