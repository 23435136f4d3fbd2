// Which signals of the table fire, by phrases, by form and by the context; and what speaks of work without bounds in other words than theirs.
import type { Hit, Scene } from './evidence.ts'
import type { RouteContext } from './table.ts'
import { functionWords } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import { gapNone, kindPath, kindPlain, type Words } from './words.ts'

export type Fired = { readonly id: string; readonly boost: number; readonly questions: boolean }

export type Signals = {
  /** Those that fired, in the table's order, with the phrases that did it. */
  readonly fired: readonly { readonly id: string; readonly matched: readonly string[]; readonly stakes: boolean }[]
  /** Members that one of them lifts. */
  readonly boosted: ReadonlySet<number>
  /** What they give to a member; those for questions only where it is asked about and nothing else. */
  of(member: number, onlyAsked: boolean): readonly Fired[]
  readonly unbounded: boolean
}

type Firing = { readonly hits: readonly Hit[]; readonly context: RouteContext }

export function firedOf(scene: Scene, { hits, context }: Firing): Signals {
  const { prepared, words } = scene
  const path = hasPath(words)
  const wide = unboundedIn(words)
  const matched = matchedOf(scene, hits)
  const told = [...prepared.unbounded.whole, ...prepared.unbounded.each].some((at) => matched.has(at))
  if (!told) for (const { kind, says } of wide.slice(0, 1)) for (const at of prepared.unbounded[kind]) push(matched, at, says)
  const asks = scene.clauses.some(({ mood, inner, to }) => mood === 'ask' || mood === 'sub' || inner < to)
  const numbers = prepared.table.signals.flatMap((signal, at) => {
    if (signal.notWithPath && path) return []
    if (signal.byContext === 'prior_failure' && context.priorFailure === true) return [at]
    if (signal.onlyQuestions) return asks && (matched.has(at) || isGeneral(signal.match)) ? [at] : []
    return matched.has(at) ? [at] : []
  })
  const signalAt = (at: number) => prepared.table.signals[at]
  return {
    fired: numbers.map((at) => ({ id: signalAt(at)?.id ?? '', matched: matched.get(at) ?? [], stakes: signalAt(at)?.stakes ?? false })),
    boosted: new Set(numbers.flatMap((at) => [...(prepared.boosts[at] ?? [])].flatMap(([member, boost]) => (boost > 0 ? [member] : [])))),
    unbounded: wide.some(({ kind }) => kind === 'whole' || !path),
    of: (member, onlyAsked) =>
      numbers.flatMap((at) => {
        const boost = prepared.boosts[at]?.get(member)
        const questions = signalAt(at)?.onlyQuestions ?? false
        return boost === undefined || (questions && !onlyAsked) ? [] : [{ id: signalAt(at)?.id ?? '', boost, questions }]
      }),
  }
}

function matchedOf({ prepared, words }: Scene, hits: readonly Hit[]): Map<number, string[]> {
  const out = new Map<number, string[]>()
  for (const hit of hits) {
    const phrase = prepared.phrases[hit.phrase]
    if (phrase === undefined || phrase.signals.length === 0) continue
    if (hit.level === 'none' && words.kind[hit.start] === kindPlain) continue
    for (const at of phrase.signals) push(out, at, hit.says)
  }
  return out
}

function push(map: Map<number, string[]>, at: number, says: string): void {
  const known = map.get(at) ?? []
  if (!known.includes(says) && known.length < 20) known.push(says)
  map.set(at, known)
}

/** It has many function words among its phrases: the form of a question is what it means. */
function isGeneral(match: readonly string[]): boolean {
  return match.filter((phrase) => functionWords.has(phrase)).length >= 5
}

export function hasPath({ kind, count }: Words): boolean {
  for (let at = 0; at < count; at += 1) if (((kind[at] ?? 0) & kindPath) !== 0) return true
  return false
}

type Wide = { readonly kind: 'whole' | 'each'; readonly says: string }

/** "throughout the project", "in every single file", "org-wide", "wherever it appears": the whole, or each of its parts. */
function unboundedIn(words: Words): readonly Wide[] {
  const out: Wide[] = []
  for (let at = 0; at < words.count; at += 1) {
    const word = words.word[at] ?? ''
    if (words.kind[at] !== kindPlain) continue
    if (alone.has(word) || word.endsWith('weit') || (word === 'wide' && wholes.has(words.word[at - 1] ?? ''))) {
      if (alone.has(word) || word === 'wide' || wholes.has(word.slice(0, -4))) out.push({ kind: 'whole', says: word })
    } else if (openers.has(word)) {
      const end = nounAt(words, at + 1, wholes)
      if (end >= 0) out.push({ kind: 'whole', says: words.word.slice(at, end + 1).join(' ') })
    } else if (quantifiers.has(word)) {
      const end = nounAt(words, at + 1, parts)
      if (end >= 0) out.push({ kind: 'each', says: words.word.slice(at, end + 1).join(' ') })
    }
  }
  return out
}

/** One of these nouns, with articles and such before it only. */
function nounAt(words: Words, from: number, nouns: ReadonlySet<string>): number {
  for (let at = from; at < Math.min(words.count, from + 4); at += 1) {
    const word = words.word[at] ?? ''
    if (words.gap[at] !== gapNone) return -1
    if (nouns.has(word)) return at
    if (!links.has(word)) return -1
  }
  return -1
}

const alone = wordSet('everywhere globally wherever ueberall')
const openers = wordSet('throughout across entire whole ganzen gesamten ganze gesamte')
const wholes = wordSet(
  'project projects codebase repo repos repository repositories monorepo app application system org organisation organization company workspace tree projekt code quelltext anwendung',
)
const quantifiers = wordSet('every each all any alle allen jeder jede jedes jedem')
const parts = wordSet(
  'file files module modules package packages component components class classes folder folders directory directories service services page pages datei dateien modul module modulen stelle stellen paket paketen ordner klassen',
)
const links = wordSet('the of our your single source this these those whole entire last one existing der den die im in aller ts js')
