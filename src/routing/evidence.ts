// What stands in a text that speaks for or against somebody: phrases of the table in any form, and German verbs of the classes. Each hit
// says how much it counts: as an order, or only when nothing better is there, or not at all.
import { innerWords } from './clauses.ts'
import { basesOf } from './inflect.ts'
import { isAsked, isMade, isModifier, isRuledOut, isWanted, type Judged, levelOf, ruledOut, strong, told, weak } from './level.ts'
import type { Node } from './prepared.ts'
import type { Hit, Scene } from './scene.ts'
import { alsoEnglish, type GermanEntry, german, germanPhrases } from './verbs-de.ts'
import { acts, determiners, type Form, generalVerb } from './verbs-en.ts'
import { gapEnd, gapNone, kindPlain, type Words } from './words.ts'

export type { Hit, Scene } from './scene.ts'

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
  const general = generalVerb.get(word)
  if (general !== undefined && prepared.general.has(general) && isOrdered(words, at)) known.push({ base: general, form: 'base' })
  return known
}

/** Where an order has its verb: at the start of a clause, or after what asks for it. */
function isOrdered({ word, gap }: Words, at: number): boolean {
  if (gap[at] !== gapNone || at === 0) return true
  const before = word[at - 1] ?? ''
  return before === 'to' ? askers.has(word[at - 2] ?? '') : leaders.has(before)
}

const leaders: ReadonlySet<string> = new Set(
  "and then please also just now you we or let's lets us kindly so simply first but finally afterwards someone".split(' '),
)
const askers: ReadonlySet<string> = new Set('want need like have you us possible able going needs has ought'.split(' '))

type Walk = {
  readonly scene: Scene
  readonly readings: readonly (readonly Reading[])[]
  readonly steps: { left: number }
  readonly out: Hit[]
  /** Where it begins, and in which form. */
  readonly at: number
  readonly form: Form
}

/** A phrase doesn't reach over the end of a sentence or a comma, but for the comma before a clause inside: "finde heraus, warum". */
function walk(from: Walk, node: Node, to: number): void {
  const { scene, readings, steps, out, at, form } = from
  if (node.phrase >= 0) out.push(phraseHit(scene, { at, to, form, phrase: node.phrase }))
  if (node.next.size === 0 || to >= scene.words.count || !goesOn(scene, to) || out.length >= mostHits) return
  for (const { base } of readings[to] ?? []) {
    const next = node.next.get(base)
    if (next === undefined || steps.left === 0) continue
    steps.left -= 1
    walk(from, next, to + 1)
  }
}

function goesOn({ words }: Scene, to: number): boolean {
  return words.gap[to] === gapNone || (words.after[to - 1] === ',' && words.gap[to] !== gapEnd && innerWords.has(words.word[to] ?? ''))
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
    if (had.has(words.word[index] ?? '') && clause.mood !== 'ask') return told
  for (let index = Math.max(clause.from, at - 4); index < at; index += 1) if (others.has(words.word[index] ?? '')) return told
  return weak('it is told, not asked for')
}

const others: ReadonlySet<string> = new Set(['er', 'sie', 'man'])
const had: ReadonlySet<string> = new Set([
  'habe',
  'hab',
  'haben',
  'hat',
  'hast',
  'habt',
  'wurde',
  'wurden',
  'ist',
  'sind',
  'hatte',
  'hatten',
])

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
  'ab an auf aus ein fest gegenueber heraus raus hinzu nach nieder um durch zusammen vor weg weiter zurueck her los'.split(' '),
)
