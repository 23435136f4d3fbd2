// What stands in a text that speaks for or against somebody: phrases of the table in any form, and German verbs of the classes. Each hit
// says how much it counts: as an order, or only when nothing better is there, or not at all.
import type { Clause } from './clauses.ts'
import { basesOf } from './inflect.ts'
import type { Node, Phrase, Prepared } from './prepared.ts'
import { alsoEnglish, type GermanEntry, german, germanPhrases } from './verbs-de.ts'
import {
  acts,
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

/**
 * `strong`: it asks for the work. `weak`: it may only speak of it, as "the fix". `faint`: it only says more of something else, as "for fixing".
 * `none`: it is ruled out, as in "don't fix".
 */
export type Level = 'strong' | 'weak' | 'faint' | 'none'

export type Hit = {
  /** Number of the table's phrase; -1: a word of a class. */
  readonly phrase: number
  /** Of a word of a class. */
  readonly class: string | null
  readonly says: string
  readonly start: number
  /** Not inside. */
  readonly end: number
  /** How telling it is against another hit at the same place. */
  readonly size: number
  readonly level: Level
  /** It stands in a question or in a clause that depends on another one. */
  readonly asked: boolean
  /** Why it is not strong. */
  readonly why: string
}

export type Scene = {
  readonly prepared: Prepared
  readonly words: Words
  readonly clauses: readonly Clause[]
  /** Number of the clause of each word. */
  readonly clauseOf: readonly number[]
  readonly german: boolean
}

const mostHits = 4_000

/** Steps along the phrases that begin at one word: more than any phrase is long, and far fewer than a table can have with one beginning. */
const mostSteps = 128

/** In their order in the text. Linear in the text, whatever the table. */
export function hitsOf(scene: Scene): readonly Hit[] {
  const { words, prepared } = scene
  const out: Hit[] = []
  const readings = words.word.map((_, at) => formsAt(scene, at))
  for (let at = 0; at < words.count && out.length < mostHits; at += 1) {
    const before = out.length
    const forms = readings[at] ?? []
    const steps = { left: mostSteps }
    for (const { base, form } of forms) {
      const node = prepared.root.next.get(base)
      if (node !== undefined) walk({ scene, readings, steps, out, at, form }, node, at + 1)
    }
    for (const { base } of forms) for (const { tail, phrase } of prepared.apart.get(base) ?? []) takeApart(scene, { at, tail, phrase }, out)
    takeAct(scene, at, out)
    takeGerman(scene, at, out, before)
  }
  return out
}

type Reading = { readonly base: string; readonly form: Form }

function formsAt({ words, prepared }: Scene, at: number): readonly Reading[] {
  const word = words.word[at] ?? ''
  const known: Reading[] = prepared.vocabulary.has(word) ? [{ base: word, form: 'base' }] : []
  for (const { base, form } of basesOf(word)) if (base !== word && prepared.vocabulary.has(base)) known.push({ base, form })
  return known
}

type Walk = {
  readonly scene: Scene
  readonly readings: readonly (readonly Reading[])[]
  readonly steps: { left: number }
  readonly out: Hit[]
  /** Where it begins, and in which form. */
  readonly at: number
  readonly form: Form
}

/** A phrase doesn't reach over the end of a sentence or a comma. */
function walk(from: Walk, node: Node, to: number): void {
  const { scene, readings, steps, out, at, form } = from
  if (node.phrase >= 0) out.push(phraseHit(scene, { at, to, form, phrase: node.phrase }))
  if (node.next.size === 0 || to >= scene.words.count || scene.words.gap[to] !== gapNone || out.length >= mostHits) return
  for (const { base } of readings[to] ?? []) {
    const next = node.next.get(base)
    if (next === undefined || steps.left === 0) continue
    steps.left -= 1
    walk(from, next, to + 1)
  }
}

type Found = { readonly at: number; readonly to: number; readonly form: Form; readonly phrase: number }

function phraseHit(scene: Scene, { at, to, form, phrase: index }: Found): Hit {
  const phrase = scene.prepared.phrases[index]
  const { level, why } = phrase === undefined ? weak('') : levelOf(scene, { at, to, form, phrase })
  return { phrase: index, class: null, says: phrase?.text ?? '', start: at, end: to, size: to - at, level, why, asked: isAsked(scene, at) }
}

function takeApart(scene: Scene, { at, tail, phrase }: { at: number; tail: string; phrase: number }, out: Hit[]): void {
  const found = tailAt(scene, at, new Set([tail]))
  if (found <= at + 1) return
  const hit = phraseHit(scene, { at, to: at + 1, form: 'base', phrase })
  out.push({ ...hit, size: 2 })
}

/** "do the migration": the noun of an act, when somebody is to do it. */
function takeAct(scene: Scene, at: number, out: Hit[]): void {
  const verb = acts.get(scene.words.word[at] ?? '')
  const node = verb === undefined ? undefined : scene.prepared.root.next.get(verb)
  if (node === undefined || node.phrase < 0 || !isMade(scene, at, true) || isModifier(scene, at + 1)) return
  const says = scene.prepared.phrases[node.phrase]?.text ?? ''
  const { level, why } = isRuledOut(scene, at) ? ruledOut : strong
  out.push({ phrase: node.phrase, class: null, says, start: at, end: at + 1, size: 1, level, why, asked: isAsked(scene, at) })
}

type Judged = { readonly level: Level; readonly why: string }
const strong: Judged = { level: 'strong', why: '' }
const ruledOut: Judged = { level: 'none', why: 'it is ruled out' }

function weak(why: string): Judged {
  return { level: 'weak', why }
}

type Judging = { readonly at: number; readonly to: number; readonly form: Form; readonly phrase: Phrase }

function levelOf(scene: Scene, { at, to, form, phrase }: Judging): Judged {
  const { words } = scene
  if (words.kind[at] !== kindPlain) return { level: 'none', why: 'it stands in a name or in code' }
  const acting = phrase.verb || (phrase.words.length > 1 && form !== 'base')
  if (acting || isOrderPhrase(phrase)) {
    if (isRuledOut(scene, at)) return ruledOut
    if (isDenied(scene, at)) return weak('somebody can or does not')
  }
  if (form === 'ed' && !isWanted(scene, at)) {
    return isTold(scene, at) ? { level: 'none', why: 'it is told, not asked for' } : weak('it is in the past')
  }
  if (phrase.verb) return verbLevel(scene, { at, to, form })
  if (isReadArtifact(scene, at, to)) return weak('it stands as the object of another act')
  return strong
}

function isOrderPhrase({ words }: Phrase): boolean {
  const [first = ''] = words
  return words.length > 1 && !functionWords.has(first)
}

function verbLevel(scene: Scene, { at, to, form }: { at: number; to: number; form: Form }): Judged {
  const { words } = scene
  const before = words.word[at - 1] ?? ''
  const tight = words.gap[at] === gapNone
  if (form === 's') return isMade(scene, at, false) ? strong : weak('it is no order in this form')
  if (form === 'ing' && tight && (prepositions.has(before) || progressive.has(before)))
    return { level: 'faint', why: 'it only says what something is for' }
  if (!isNoun(scene, at)) return strong
  if (isModifier(scene, to)) return { level: 'faint', why: 'it only describes another word' }
  return isMade(scene, at, false) ? strong : weak('it stands as a noun')
}

const progressive: ReadonlySet<string> = new Set(['is', 'are', 'was', 'were', 'been', "i'm", "we're", "it's", "they're", 'am'])

/** After a determiner, with one word between at most: "the fix", "our current code". */
function isNoun({ words }: Scene, at: number): boolean {
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
function isModifier({ words }: Scene, next: number): boolean {
  if (next >= words.count || words.gap[next] !== gapNone || words.kind[next] !== kindPlain) return false
  const word = words.word[next] ?? ''
  return !functionWords.has(word) && !prepositions.has(word) && !determiners.has(word) && word !== 'please' && word !== 'then'
}

/** A word before it makes it: "write a fix", "propose the plan". */
function isMade({ words, clauses, clauseOf }: Scene, at: number, any: boolean): boolean {
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 4)
  for (let index = at - 1; index >= from; index -= 1) {
    const word = words.word[index] ?? ''
    if (prepositions.has(word)) return false
    if (isForm(word, makers)) return true
    if (isForm(word, doers)) return any || indefinite.has(words.word[index + 1] ?? '')
  }
  return false
}

function isForm(word: string, list: ReadonlySet<string>): boolean {
  return list.has(word) || basesOf(word).some(({ base, form }) => form !== 'ed' && list.has(base))
}

/** "don't fix", "without building", "instead of fixing", "no need to fix", "implementiere nichts". */
function isRuledOut({ words, german: isDe }: Scene, at: number): boolean {
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
  if (!isDe) return false
  if (words.word[at - 1] === 'zu' || words.word[at - 1]?.startsWith('zu') === true)
    for (let back = 2; back < 6; back += 1) if (words.word[at - back] === 'ohne') return true
  const next = words.gap[at + 1] === gapNone ? words.word[at + 1] : ''
  return next === 'nicht' || next === 'nichts'
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
function isWanted({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 5)
  for (let index = from; index < at; index += 1) if (wanting.has(words.word[index] ?? '')) return true
  return false
}

/** "I fixed it", "we have already documented": somebody did. */
function isTold({ words }: Scene, at: number): boolean {
  for (let back = 1; back <= 2; back += 1) if (pronouns.has(words.word[at - back] ?? '') && words.gap[at] === gapNone) return true
  return false
}

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

function isAsked({ clauses, clauseOf }: Scene, at: number): boolean {
  const clause = clauses[clauseOf[at] ?? 0]
  return clause !== undefined && (clause.mood === 'ask' || clause.mood === 'sub' || at >= clause.inner)
}

/** German words of the classes; the table's own phrases at the same place go before them unless the word says more. */
function takeGerman(scene: Scene, at: number, out: Hit[], before: number): void {
  const { words } = scene
  const word = words.word[at] ?? ''
  if (words.kind[at] !== kindPlain) return
  for (const { class: kind, words: phrase } of germanPhrases.get(word) ?? []) {
    if (!scene.german || !phrase.every((one, index) => words.word[at + index] === one)) continue
    addGerman(scene, { class: kind, says: phrase.join(' '), at, size: phrase.length, orders: true }, { out, before })
  }
  const entries = german.get(word)
  if (entries === undefined || (!scene.german && alsoEnglish.has(word))) return
  const found = bestEntry(scene, at, entries)
  if (found === null) return
  addGerman(scene, { class: found.class, says: found.says, at, size: found.tails === null ? 1 : 2, orders: found.orders }, { out, before })
}

function bestEntry(scene: Scene, at: number, entries: readonly GermanEntry[]): GermanEntry | null {
  let best: GermanEntry | null = null
  let nearest = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    const where = entry.tails === null ? Number.MAX_SAFE_INTEGER : tailAt(scene, at, entry.tails)
    if (where > at && (where < nearest || (where === nearest && entry.orders && best?.orders !== true))) {
      best = entry
      nearest = where
    }
  }
  return best
}

type GermanFound = { readonly class: string; readonly says: string; readonly at: number; readonly size: number; readonly orders: boolean }

function addGerman(scene: Scene, found: GermanFound, { out, before }: { out: Hit[]; before: number }): void {
  const { at, size } = found
  for (let index = before; index < out.length; index += 1) {
    const hit = out[index]
    if (hit === undefined || hit.start !== at) continue
    const phrase = scene.prepared.phrases[hit.phrase]
    const sameClass = phrase?.speaksFor.has(found.class) === true || hit.class === found.class
    if ((sameClass && (phrase?.triggers.length ?? 1) > 0) || (hit.size >= size && (phrase?.triggers.length ?? 1) > 0)) return
  }
  const judged = isRuledOut(scene, at) && size < 3 ? ruledOut : germanLevel(scene, found)
  const level = judged === ruledOut && found.says.includes('nicht') ? strong : judged
  out.push({ phrase: -1, class: found.class, says: found.says, start: at, end: at + 1, size, ...level, asked: isAsked(scene, at) })
}

function germanLevel(scene: Scene, { at, orders }: GermanFound): Judged {
  const { words, clauses, clauseOf } = scene
  const clause = clauses[clauseOf[at] ?? 0]
  const inside = words.gap[at] === gapNone && at > 0
  if (inside && (words.shape[at] !== 0 || determiners.has(words.word[at - 1] ?? ''))) return weak('it stands as a noun')
  if (orders || clause === undefined || clause.from === at || isWanted(scene, at)) return strong
  for (let index = Math.max(clause.from, at - 8); index < at; index += 1)
    if (had.has(words.word[index] ?? '') && clause.mood !== 'ask') return isDone
  return weak('it is told, not asked for')
}

const isDone: Judged = { level: 'none', why: 'it is told, not asked for' }
const had: ReadonlySet<string> = new Set(['habe', 'haben', 'hat', 'hast', 'habt', 'wurde', 'wurden', 'ist', 'sind', 'hatte', 'hatten'])

const objectReach = 7
const prefixReach = 24

/** Where the rest of it comes in the same sentence; a prefix stands at the end of its clause. -1: nowhere. */
function tailAt({ words }: Scene, at: number, tails: ReadonlySet<string>): number {
  for (let index = at + 1; index < words.count && index <= at + prefixReach; index += 1) {
    if (words.gap[index] === gapEnd) return -1
    const word = words.word[index] ?? ''
    if (!tails.has(word)) continue
    if (!prefixes.has(word)) return index <= at + objectReach ? index : -1
    if (endsClause(words, index)) return index
  }
  return -1
}

function endsClause(words: Words, at: number): boolean {
  return at + 1 >= words.count || words.gap[at + 1] !== gapNone || joiners.has(words.word[at + 1] ?? '')
}

const joiners: ReadonlySet<string> = new Set(['und', 'oder', 'dann', 'damit', 'bitte', 'sowie', 'aber', 'and', 'then', 'or'])
const prefixes: ReadonlySet<string> = new Set(
  'ab an auf aus ein fest gegenueber heraus hinzu nach nieder um durch zusammen vor weg weiter zurueck her los'.split(' '),
)
