// How large, how open and how risky the work is, as far as text and context tell: what the gates of a deep run are evaluated over.
import type { Hit, Scene } from './evidence.ts'
import type { RouteContext } from './table.ts'
import { wordSet } from './word-set.ts'
import { gapEnd, gapNone, isDigit, kindPath, type Words } from './words.ts'

export type Situation = {
  readonly files: number
  readonly modules: number
  /** Things to choose from: "X, Y or Z" are three. */
  readonly alternatives: number
  readonly hypotheses: number
  /** Pieces of work that don't depend on each other; 1 when nothing says so. */
  readonly stories: number
  readonly sources: number
  /** The text asks for an order of the parts. */
  readonly inOrder: boolean
  /** The person asked for a deep run, in the text or beside it. */
  readonly token: boolean
  /** Words or signals that speak of high stakes; null: none. */
  readonly stakes: string | null
  readonly large: boolean
  /** 0 to 12: files, modules, classes and open parts, three points each. */
  readonly complexity: number
}

export type Situating = {
  readonly context: RouteContext
  readonly hits: readonly Hit[]
  readonly classes: number
  /** What a signal says of the stakes. */
  readonly stakes: string | null
}

export function situationOf({ words, prepared }: Scene, { context, hits, classes, stakes }: Situating): Situation {
  const { surfaceFiles, surfaceModules } = prepared.table.thresholds
  const files = Math.max(context.surfaceFiles ?? 0, numberOf(words, fileNouns), pathsIn(words))
  const modules = Math.max(context.surfaceModules ?? 0, numberOf(words, moduleNouns))
  const alternatives = alternativesIn(words)
  const stories = storiesIn(words, hits)
  return {
    files,
    modules,
    alternatives,
    hypotheses: has(words, doubts) ? Math.max(alternatives, numberOf(words, causeNouns)) : numberOf(words, causeNouns),
    stories,
    sources: Math.max(numberOf(words, sourceNouns), pathsIn(words)),
    inOrder: has(words, sequences),
    token: context.tranceToken === true || has(words, tokens),
    stakes: stakes ?? words.word.find((word) => stakeWords.has(word)) ?? null,
    large: files > surfaceFiles || modules > surfaceModules,
    complexity:
      Math.min(3, Math.ceil(files / 10)) +
      Math.min(3, Math.ceil(modules / 2)) +
      Math.min(3, Math.max(0, classes - 1)) +
      Math.min(3, (alternatives > 1 ? 1 : 0) + (stories > 1 ? 1 : 0) + (stakes === null ? 0 : 1)),
  }
}

const fileNouns = wordSet('files file dateien datei')
const moduleNouns = wordSet('modules module packages package services components module pakete dienste komponenten')
const sourceNouns = wordSet(
  'docs documents document sources source papers reports pages adrs notes transcripts dokumente quellen berichte notizen',
)
const causeNouns = wordSet('hypotheses hypothesis causes suspects theories hypothesen ursachen vermutungen')
const storyNouns = wordSet('stories story features endpoints tasks tracks tickets parts geschichten funktionen endpunkte aufgaben teile')
const independent = wordSet('independent independently separate separately parallel unabhaengig unabhaengige getrennt getrennte')
const doubts = wordSet(
  'hypothesis hypotheses suspect either maybe perhaps possibly theory vielleicht vermutlich entweder vermute hypothese',
)
const sequences = wordSet('then sequentially afterwards chronological order dann danach nacheinander reihenfolge')
const tokens = wordSet('trance')
const stakeWords = wordSet(
  'production prod security vulnerability compliance irreversible outage billing payments customers gdpr produktion sicherheit unwiderruflich kunden datenverlust ausfall',
)
const numerals: Readonly<Record<string, number>> = {
  ...{ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, twenty: 20, dozens: 24, hundred: 100 },
  ...{
    hundreds: 200,
    zwei: 2,
    drei: 3,
    vier: 4,
    fuenf: 5,
    sechs: 6,
    sieben: 7,
    acht: 8,
    neun: 9,
    zehn: 10,
    zwoelf: 12,
    zwanzig: 20,
    hundert: 100,
  },
}

/** The largest number that stands within three words before one of the nouns. */
function numberOf(words: Words, nouns: ReadonlySet<string>): number {
  let most = 0
  for (let at = 1; at < words.count; at += 1) {
    if (!nouns.has(words.word[at] ?? '')) continue
    for (let back = 1; back <= 3 && at - back >= 0; back += 1) {
      if (words.gap[at - back + 1] !== gapNone) break
      most = Math.max(most, numeral(words.word[at - back] ?? ''))
    }
  }
  return most
}

function numeral(word: string): number {
  if (word.length > 7) return numerals[word] ?? 0
  for (let index = 0; index < word.length; index += 1)
    if (!isDigit(word.charCodeAt(index))) return Object.hasOwn(numerals, word) ? (numerals[word] ?? 0) : 0
  return Number(word)
}

function pathsIn({ word, kind, count }: Words): number {
  const paths = new Set<string>()
  for (let at = 0; at < count; at += 1) if (((kind[at] ?? 0) & kindPath) !== 0) paths.add(word[at] ?? '')
  return paths.size
}

/** Of the longest list that ends in "or": 2 for "X or Y", one more for each comma before. */
function alternativesIn(words: Words): number {
  let most = 0
  for (let at = 1; at < words.count; at += 1) {
    if (!ors.has(words.word[at] ?? '')) continue
    let items = 2
    let start = at - 1
    for (let back = start; back > 0 && back >= start - 4 && items < mostItems && words.gap[back] !== gapEnd; back -= 1) {
      if (words.gap[back] === gapNone) continue
      items += 1
      start = back - 1
      back = start + 1
    }
    most = Math.max(most, items)
  }
  return most
}

const mostItems = 6
const ors = wordSet('or versus vs oder')

function storiesIn(words: Words, hits: readonly Hit[]): number {
  const counted = numberOf(words, storyNouns)
  if (!has(words, independent)) return 1
  const verbs = new Set(hits.filter(({ level }) => level === 'strong').map(({ start }) => start))
  return Math.max(2, counted, Math.min(verbs.size, 5))
}

function has({ word }: Words, list: ReadonlySet<string>): boolean {
  return word.some((one) => list.has(one))
}
