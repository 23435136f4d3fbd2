// How much a word of somebody's work counts where it stands: as an order, as talk of the work, or not at all.
import { basesOf } from './inflect.ts'
import type { Phrase } from './prepared.ts'
import type { Level, Scene } from './scene.ts'
import {
  artifacts,
  determiners,
  doers,
  type Form,
  functionWords,
  indefinite,
  makers,
  negators,
  prepositions,
  pronouns,
  wanting,
} from './verbs-en.ts'
import { gapEnd, gapNone, kindPlain, type Words } from './words.ts'

export type Judged = { readonly level: Level; readonly why: string }
export const strong: Judged = { level: 'strong', why: '' }
export const told: Judged = { level: 'none', why: 'it is told, not asked for' }
const onlyFor: Judged = { level: 'faint', why: 'it only says what something is for' }
export const ruledOut: Judged = { level: 'none', why: 'it is ruled out' }

export function weak(why: string): Judged {
  return { level: 'weak', why }
}

type Judging = { readonly at: number; readonly to: number; readonly form: Form; readonly phrase: Phrase }

export function levelOf(scene: Scene, { at, to, form, phrase }: Judging): Judged {
  const { words } = scene
  if (words.kind[at] !== kindPlain) return { level: 'none', why: 'it stands in a name or in code' }
  if (isBareQuestion(phrase) && !opensQuestion(scene, at)) return { level: 'none', why: 'it only joins two clauses' }
  if (isRelative(words, at)) return { level: 'none', why: 'it only says which case is meant' }
  if (isMended(scene, at)) return told
  const acting = phrase.verb || (phrase.words.length > 1 && form !== 'base')
  if (acting || isOrderPhrase(phrase)) {
    if (isRuledOut(scene, at) || isMadeByNobody(scene, at)) return ruledOut
    if (isValue(scene, at, to)) return { level: 'none', why: 'it is the value of a setting' }
    if (isDenied(scene, at)) return weak('somebody can or does not')
    if (isOfOthers(scene, at)) return told
    if (isConsidered(scene, at)) return { level: 'none', why: 'it is only considered' }
  }
  if (form === 'ed' && !isWanted(scene, at)) {
    return isTold(scene, at) || hasSubject(scene, at) ? told : weak('it is in the past')
  }
  if (phrase.verb) return verbLevel(scene, { at, to, form })
  if (form === 'ing' && isOrderPhrase(phrase) && words.gap[at] === gapNone && prepositions.has(words.word[at - 1] ?? '')) return onlyFor
  if (isReadArtifact(scene, at, to)) return weak('it stands as the object of another act')
  return strong
}

const questions: ReadonlySet<string> = new Set(['which', 'where', 'who', 'welche', 'welcher', 'welches', 'wo', 'wer'])

function isBareQuestion({ words: [first = ''], text }: Phrase): boolean {
  return questions.has(first) && !text.includes(' ')
}

function opensQuestion({ clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  return clause?.mood === 'ask' && at <= clause.from + 1
}

function isOrderPhrase({ words }: Phrase): boolean {
  const [first = ''] = words
  return words.length > 1 && !functionWords.has(first)
}

function verbLevel(scene: Scene, { at, to, form }: { at: number; to: number; form: Form }): Judged {
  const { words } = scene
  const before = words.word[at - 1] ?? ''
  const tight = words.gap[at] === gapNone
  if (isPlace(scene, at)) return { level: 'none', why: 'it stands as a noun' }
  if (form === 's') return isMade(scene, at, false) ? strong : weak('it is no order in this form')
  if (form === 'ing' && tight && (prepositions.has(before) || progressive.has(before))) return onlyFor
  if (!isNoun(scene, at)) return strong
  const made = isMade(scene, at, false)
  if (!made && isStated(scene, at)) return told
  if (isModifier(scene, to)) return { level: 'faint', why: 'it only describes another word' }
  return made ? strong : weak('it stands as a noun')
}

/** "The design is gorgeous", "we shipped the build": a sentence that says something of it, and asks for nothing. */
function isStated({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  if (clause === undefined || clause.mood !== 'tell') return false
  for (let index = clause.from; index < clause.to; index += 1) {
    const word = words.word[index] ?? ''
    const past = index < at && basesOf(word).some(({ form }) => form === 'ed') && pronouns.has(words.word[index - 1] ?? '')
    if (past || (index > at && praised.has(word) && !failing.has(words.word[index + 1] ?? ''))) return true
  }
  return false
}

const praised: ReadonlySet<string> = new Set(['is', 'was', 'looks', 'looked', 'ist', 'war', 'gefaellt'])
const failing: ReadonlySet<string> = new Set(['broken', 'missing', 'wrong', 'red', 'slow', 'failing', 'not', 'kaputt', 'falsch'])

/** "Handle the case where the file is missing". */
function isRelative({ word, gap }: Words, at: number): boolean {
  return word[at] === 'where' && gap[at] === gapNone && cases.has(word[at - 1] ?? '')
}

const cases: ReadonlySet<string> = new Set('case cases situation situations scenario scenarios state states point'.split(' '))

/** "I fixed the flaky test myself": what was wrong is right again. */
function isMended({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  if (clause === undefined || clause.mood !== 'tell') return false
  for (let index = clause.from + 1; index < at; index += 1)
    if (mended.has(words.word[index] ?? '') && speakers.has(words.word[index - 1] ?? '')) return true
  return false
}

const mended: ReadonlySet<string> = new Set(['fixed', 'solved', 'repaired', 'resolved', 'mended'])

/** "Set the level to debug", "auf debug stellen": what a setting is to be. */
function isValue({ words, clauses, clauseOf }: Scene, at: number, to: number): boolean {
  if (!valueSigns.has(words.word[at - 1] ?? '') || words.gap[at] !== gapNone) return false
  if (to < words.count && words.gap[to] === gapNone && determiners.has(words.word[to] ?? '')) return false
  const from = clauses[clauseOf[at] ?? 0]?.from ?? 0
  for (let index = from; index < at - 2; index += 1) if (setters.has(words.word[index] ?? '')) return true
  return false
}

const valueSigns: ReadonlySet<string> = new Set(['to', 'auf'])
const setters: ReadonlySet<string> = new Set(
  'set change switch raise lower reset turn flip setze setz stelle stell aendere aender schalte schalt'.split(' '),
)

/** "Don't write a plan": who would make it is told not to. */
function isMadeByNobody(scene: Scene, at: number): boolean {
  const maker = makerOf(scene, at, false)
  return maker >= 0 && isRuledOut(scene, maker)
}

/** "Point me to the code", "TODOs im Code", "exit code 137": what is spoken of, not what is to be done. */
function isPlace({ words, clauses, clauseOf }: Scene, at: number): boolean {
  if (words.gap[at] !== gapNone || words.word[at] !== 'code') return false
  const before = words.word[at - 1] ?? ''
  if (before === 'exit' || before === 'im') return true
  const from = clauses[clauseOf[at] ?? 0]?.from ?? 0
  return (before === 'the' || before === 'our') && at - 2 >= from && places.has(words.word[at - 2] ?? '')
}

const places: ReadonlySet<string> = new Set(['to', 'in', 'of', 'through', 'from', 'inside'])

const progressive: ReadonlySet<string> = new Set(['is', 'are', 'was', 'were', 'been', "i'm", "we're", "it's", "they're", 'am'])

/** After a determiner, with one word between at most: "the fix", "our current code". */
function isNoun({ words }: Pick<Scene, 'words'>, at: number): boolean {
  if (words.gap[at] !== gapNone) return false
  const before = words.word[at - 1] ?? ''
  if (determiners.has(before)) return !relative(words, at - 1)
  const two = words.word[at - 2] ?? ''
  return words.gap[at - 1] === gapNone && determiners.has(two) && !relative(words, at - 2) && isDescribing(before)
}

/** "that" after a noun and "which" begin a clause; a question word makes no noun of a verb. */
function relative(words: Words, at: number): boolean {
  const word = words.word[at] ?? ''
  return (word === 'that' || word === 'which' || word === 'what') && words.gap[at] === gapNone && at > 0
}

function isDescribing(word: string): boolean {
  return !functionWords.has(word) && !pronouns.has(word) && word !== 'then' && word !== 'und' && word !== 'please'
}

/** Another content word follows at once: "a refactor plan". */
export function isModifier({ words }: Scene, next: number): boolean {
  if (next >= words.count || words.gap[next] !== gapNone || words.kind[next] !== kindPlain) return false
  const word = words.word[next] ?? ''
  return !functionWords.has(word) && !prepositions.has(word) && !determiners.has(word) && word !== 'please' && word !== 'then'
}

/** A word before it makes it: "write a fix", "propose the plan". */
export function isMade(scene: Scene, at: number, any: boolean): boolean {
  return makerOf(scene, at, any) >= 0
}

/** Where that word stands; -1: nowhere. */
function makerOf({ words, clauses, clauseOf }: Scene, at: number, any: boolean): number {
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 4)
  for (let index = at - 1; index >= from; index -= 1) {
    const word = words.word[index] ?? ''
    if (prepositions.has(word)) return -1
    if (isForm(word, makers)) return index
    if (isForm(word, doers)) return any || indefinite.has(words.word[index + 1] ?? '') ? index : -1
  }
  return -1
}

function isForm(word: string, list: ReadonlySet<string>): boolean {
  return list.has(word) || basesOf(word).some(({ base, form }) => form !== 'ed' && list.has(base))
}

/** "don't fix", "without building", "instead of fixing", "no need to fix", "implementiere nichts". */
export function isRuledOut({ words, german: isDe }: Scene, at: number): boolean {
  for (let back = 1; back <= 2 && at - back >= 0; back += 1) {
    if (words.gap[at - back + 1] !== gapNone) break
    const word = words.word[at - back] ?? ''
    const before = words.word[at - back - 1] ?? ''
    if (hardNegators.has(word) && (back === 1 || !pronouns.has(words.word[at - 1] ?? ''))) return true
    if (word === 'of' && before === 'instead') return true
    if (word === 'than' && before === 'rather') return true
    if (word === 'to' && before === 'need' && words.word[at - back - 2] === 'no') return true
  }
  if (words.gap[at + 1] === gapNone && words.word[at + 1] === 'nothing') return true
  if (words.gap[at] === gapNone && words.word[at - 1] === 'no') return true
  if (isUnwanted(words, at)) return true
  if (!isDe) return false
  if (words.word[at - 1] === 'zu' || words.word[at - 1]?.startsWith('zu') === true)
    for (let back = 2; back < 6; back += 1) if (words.word[at - back] === 'ohne') return true
  const next = words.gap[at + 1] === gapNone ? words.word[at + 1] : ''
  return next === 'nicht' || next === 'nichts'
}

/** "I don't want you to change it", "you don't need to add tests". */
function isUnwanted({ word, gap }: Words, at: number): boolean {
  if (word[at - 1] !== 'to' || gap[at] !== gapNone) return false
  for (let back = at - 2; back >= at - 4; back -= 1)
    if ((word[back] === 'want' || word[back] === 'need' || word[back] === 'have') && negators.has(word[back - 1] ?? '')) return true
  return false
}

const hardNegators: ReadonlySet<string> = new Set([
  "don't",
  'dont',
  'never',
  'not',
  'without',
  "mustn't",
  "shouldn't",
  'nicht',
  'nie',
  'niemals',
  'nichts',
  'kein',
  'keine',
  'keinen',
])

/** "we can't build": it fails, and that is no order and no ban. */
function isDenied({ words }: Scene, at: number): boolean {
  return words.gap[at] === gapNone && negators.has(words.word[at - 1] ?? '')
}

/** "should be fixed", "get it documented". */
export function isWanted({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 5)
  for (let index = from; index < at; index += 1) if (wanting.has(words.word[index] ?? '')) return true
  return false
}

/** "I fixed it", "we have already documented": somebody did. */
function isTold({ words }: Scene, at: number): boolean {
  for (let back = 1; back <= 2; back += 1) if (pronouns.has(words.word[at - back] ?? '') && words.gap[at] === gapNone) return true
  return false
}

/** "My colleague refactored the module": a noun before it is who did it, unless it opens the clause as in "login fixed". */
function hasSubject({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const from = clauses[clauseOf[at] ?? 0]?.from ?? 0
  if (at < from + 2 || words.gap[at] !== gapNone || at + 1 >= words.count || words.gap[at + 1] === gapEnd) return false
  return isDescribing(words.word[at - 1] ?? '') && !determiners.has(words.word[at - 1] ?? '') && isNoun({ words }, at)
}

/** "Tom would review it", "my boss wants to build one": what others mean to do is no order. */
export function isOfOthers({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  if (clause === undefined || clause.request || at >= clause.inner) return false
  if (isOpinion(words, clause.from, at)) return true
  for (let index = at - 1; index > clause.from && index >= at - 4; index -= 1) {
    const word = words.word[index] ?? ''
    if (!intends.has(word) || words.gap[index] !== gapNone) continue
    const who = words.word[index - 1] ?? ''
    return others.has(who) || (!speakers.has(who) && !functionWords.has(who) && isDescribing(who))
  }
  return false
}

/** "Tom thinks we should rewrite it": what somebody else holds is not yet what is wanted. */
function isOpinion({ word }: Words, from: number, at: number): boolean {
  for (let index = from + 1; index < Math.min(at, from + 4); index += 1)
    if (opines.has(word[index] ?? '') && !speakers.has(word[index - 1] ?? '')) return true
  return false
}

const opines: ReadonlySet<string> = new Set(['thinks', 'believes', 'reckons', 'meint', 'glaubt', 'denkt'])

/** "We could shard it or add replicas": a way that is thought of. */
function isConsidered({ words, clauses, clauseOf }: Scene, at: number): boolean {
  if (clauses[clauseOf[at] ?? 0]?.request === true) return false
  for (let index = at; index > 0 && index > at - 9 && words.gap[index] !== gapEnd; index -= 1) {
    const word = words.word[index] ?? ''
    if ((word === 'could' || word === 'might') && considering.has(words.word[index - 1] ?? '')) return true
  }
  return false
}

const considering: ReadonlySet<string> = new Set(['we', 'i', 'one', 'they', 'he', 'she'])
const intends: ReadonlySet<string> = new Set([
  'would',
  'will',
  'wants',
  'wanted',
  'plans',
  'planned',
  'tries',
  'tried',
  'promised',
  'intends',
])
const speakers: ReadonlySet<string> = new Set(['i', 'we', 'you', 'it', 'that', 'this'])
const others: ReadonlySet<string> = new Set(['he', 'she', 'they'])

/** "fix the runbook": what another verb of the clause works on. */
function isReadArtifact({ words, prepared, clauses, clauseOf }: Scene, at: number, to: number): boolean {
  if (!artifacts.has(words.word[to - 1] ?? '') || indefinite.has(words.word[at - 1] ?? '')) return false
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 3)
  if (!determiners.has(words.word[at - 1] ?? '')) return false
  for (let index = at - 2; index >= from; index -= 1) {
    const word = words.word[index] ?? ''
    if (isForm(word, makers)) return false
    const node = prepared.root.next.get(word)
    const other = node === undefined || node.phrase < 0 ? undefined : prepared.phrases[node.phrase]
    const own = prepared.phrases[prepared.root.next.get(words.word[at] ?? '')?.phrase ?? -1]
    if (other?.verb === true && other.triggers.length > 0 && !shares(other.speaksFor, own?.speaksFor)) return true
  }
  return false
}

function shares(one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean {
  for (const name of one) if (other?.has(name) === true) return true
  return false
}

export function isAsked({ clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  return clause !== undefined && (clause.mood === 'ask' || clause.mood === 'sub' || at >= clause.inner)
}
