// A table made ready for the default mode: its phrases in one tree of words, members by class, what each signal speaks for. Done once a table.
import type { Member, RoutingTable, Signal, Template } from './table.ts'
import { separable } from './verbs-de.ts'
import { classOfVerb, functionWords, isVerb } from './verbs-en.ts'
import { wordsOf } from './words.ts'

export type Phrase = {
  readonly text: string
  readonly words: readonly string[]
  readonly triggers: number[]
  readonly refuses: number[]
  readonly signals: number[]
  /** One word, and a verb: it may also stand as a noun. */
  readonly verb: boolean
  /** Classes that it speaks for, by its members or by the boosts of its signals. */
  readonly speaksFor: Set<string>
  /** A class that has nobody here, whose verb it is. */
  readonly lacks: string | null
}

export type Names = {
  readonly lengths: ReadonlySet<number>
  readonly by: ReadonlyMap<string, readonly { readonly member: number; readonly ordinary: boolean }[]>
}

export type Node = { phrase: number; readonly next: Map<string, Node> }

export type Prepared = {
  readonly table: RoutingTable
  readonly phrases: readonly Phrase[]
  readonly root: Node
  /** First word of a phrase of two whose second is a German prefix, as "fasse ... zusammen". */
  readonly apart: ReadonlyMap<string, readonly { readonly tail: string; readonly phrase: number }[]>
  readonly vocabulary: ReadonlySet<string>
  /** Verbs among the triggers, which others of their kind stand for too. */
  readonly general: ReadonlySet<string>
  /** Words that triggers begin with. */
  readonly begins: (word: string) => boolean
  /** By the first word of a name: the numbers of words that names with it have, and who is called so by all of them. */
  readonly names: ReadonlyMap<string, Names>
  readonly byClass: ReadonlyMap<string, readonly number[]>
  /** Boosts of each signal by the member's number. */
  readonly boosts: readonly ReadonlyMap<number, number>[]
  /** Members that a question alone never sets to work. */
  readonly quiet: readonly boolean[]
  /** Signals that speak of work without bounds: by words of the whole, and by each of its parts. */
  readonly unbounded: { readonly whole: readonly number[]; readonly each: readonly number[] }
  readonly indexOf: ReadonlyMap<string, number>
  /** Numbers of the phrases that each member refuses. */
  readonly refused: readonly ReadonlySet<number>[]
  readonly templates: readonly PreparedTemplate[]
}

export type PreparedTemplate = {
  readonly template: Template
  /** Class of each step; the step itself where nobody is there for it. */
  readonly kinds: readonly string[]
}

/** Classes that change or write something. */
const writing: ReadonlySet<string> = new Set(['coder', 'executor', 'scriber'])

export function prepare(table: RoutingTable): Prepared {
  const indexOf = new Map(table.members.map(({ name }, index) => [name, index]))
  const byClass = new Map<string, number[]>()
  table.members.forEach((member, index) => {
    put(byClass, member.class, index)
  })
  const boosts = table.signals.map((signal) => boostsOf(signal, { indexOf, byClass }))
  const phrases = phrasesOf(table, boosts)
  const { root, apart, vocabulary } = treeOf(phrases)
  const first = new Set(phrases.flatMap(({ words, triggers }) => (triggers.length > 0 && words[0] !== undefined ? [words[0]] : [])))
  return {
    table,
    phrases,
    root,
    apart,
    vocabulary,
    general: new Set(phrases.flatMap(({ verb, words, triggers }) => (verb && triggers.length > 0 ? words : []))),
    begins: (word) => first.has(word) && !functionWords.has(word),
    names: namesOf(table.members, vocabulary),
    byClass,
    boosts,
    quiet: table.members.map((member, index) => writing.has(member.class) || isQuieted(table, boosts, index)),
    unbounded: unboundedOf(table, boosts),
    indexOf,
    refused: refusedOf(table, phrases),
    templates: table.templates.map((template) => ({
      template,
      kinds: template.steps.map((step) =>
        step.startsWith('class:') ? step.slice(6) : (table.members[indexOf.get(step) ?? -1]?.class ?? step),
      ),
    })),
  }
}

function isQuieted({ signals }: RoutingTable, boosts: readonly ReadonlyMap<number, number>[], member: number): boolean {
  return signals.some(({ onlyQuestions }, at) => onlyQuestions && (boosts[at]?.get(member) ?? 0) < 0)
}

function refusedOf({ members }: RoutingTable, phrases: readonly Phrase[]): readonly ReadonlySet<number>[] {
  const out = members.map(() => new Set<number>())
  phrases.forEach(({ refuses }, number) => {
    for (const member of refuses) out[member]?.add(number)
  })
  return out
}

type Seats = { readonly indexOf: ReadonlyMap<string, number>; readonly byClass: ReadonlyMap<string, readonly number[]> }

function boostsOf({ boost }: Signal, { indexOf, byClass }: Seats): ReadonlyMap<number, number> {
  const out = new Map<number, number>()
  const add = (index: number, value: number) => out.set(index, (out.get(index) ?? 0) + value)
  for (const [whom, value] of Object.entries(boost)) {
    if (whom.startsWith('class:')) for (const index of byClass.get(whom.slice(6)) ?? []) add(index, value)
    else if (indexOf.has(whom)) add(indexOf.get(whom) ?? 0, value)
  }
  return out
}

function phrasesOf({ members, signals }: RoutingTable, boosts: readonly ReadonlyMap<number, number>[]): readonly Phrase[] {
  const known = new Map<string, Phrase>()
  const phraseOf = (text: string): Phrase => {
    const words = wordsOf(text).word
    const key = words.join(' ')
    const old = known.get(key)
    if (old !== undefined) return old
    const verb = words.length === 1 && isVerb(key)
    const made: Phrase = { text, words, triggers: [], refuses: [], signals: [], verb, speaksFor: new Set(), lacks: null }
    known.set(key, made)
    return made
  }
  members.forEach((member, index) => {
    for (const text of member.triggers) {
      const phrase = phraseOf(text)
      phrase.triggers.push(index)
      phrase.speaksFor.add(member.class)
    }
    for (const text of member.refuses) phraseOf(text).refuses.push(index)
  })
  signals.forEach(({ match }, at) => {
    for (const text of match) {
      const phrase = phraseOf(text)
      phrase.signals.push(at)
      for (const [index, value] of boosts[at] ?? []) if (value > 0) phrase.speaksFor.add(members[index]?.class ?? '')
    }
  })
  return [...known.values(), ...lacking(members, known)].filter(({ words }) => words.length > 0)
}

/** Verbs of the classes that have no member, so that what they would do is told as missing. */
function lacking(members: readonly Member[], known: ReadonlyMap<string, Phrase>): readonly Phrase[] {
  const there = new Set(members.map((member) => member.class))
  return [...classOfVerb].flatMap(([verb, kind]): readonly Phrase[] => {
    if (there.has(kind) || known.has(verb)) return []
    return [{ text: verb, words: [verb], triggers: [], refuses: [], signals: [], verb: true, speaksFor: new Set(), lacks: kind }]
  })
}

function treeOf(phrases: readonly Phrase[]): Pick<Prepared, 'root' | 'apart' | 'vocabulary'> {
  const root: Node = { phrase: -1, next: new Map() }
  const apart = new Map<string, { tail: string; phrase: number }[]>()
  const vocabulary = new Set<string>()
  phrases.forEach(({ words }, index) => {
    let node = root
    for (const word of words) {
      vocabulary.add(word)
      const next = node.next.get(word) ?? { phrase: -1, next: new Map() }
      node.next.set(word, next)
      node = next
    }
    node.phrase = index
    const [first, tail] = words
    if (words.length === 2 && first !== undefined && tail !== undefined && separable.has(tail)) {
      put(apart, first, { tail, phrase: index })
    }
  })
  return { root, apart, vocabulary }
}

/** Names that are words of the language too; a name in lower case then counts only where somebody is clearly called. */
const ordinaryNames: ReadonlySet<string> = new Set(
  'forge atlas vigil scout map chain hub assistant quick data agenda action pattern tree workflow council relay ford page line note mail plan test code review research search memory build deploy docs writer help home echo oracle sage scribe echo nova iris argus'.split(
    ' ',
  ),
)

function namesOf(members: readonly Member[], vocabulary: ReadonlySet<string>): Prepared['names'] {
  const out = new Map<string, { lengths: Set<number>; by: Map<string, { member: number; ordinary: boolean }[]> }>()
  members.forEach(({ name, aliases }, member) => {
    for (const called of new Set([name, ...aliases])) {
      const { word: words } = wordsOf(called)
      const [first] = words
      if (first === undefined) continue
      const ordinary = words.length === 1 && (ordinaryNames.has(first) || vocabulary.has(first) || isVerb(first) || endsLikeWork(first))
      const names = out.get(first) ?? { lengths: new Set(), by: new Map() }
      names.lengths.add(words.length)
      put(names.by, words.join(' '), { member, ordinary })
      out.set(first, names)
    }
  })
  return out
}

function put<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [one])
  else list.push(one)
}

/** Planner, executor, generalist: what people do for a living is a word before it is a name. */
function endsLikeWork(word: string): boolean {
  return word.endsWith('er') || word.endsWith('or') || word.endsWith('ist') || word.endsWith('ant') || functionWords.has(word)
}

const wholeWords: ReadonlySet<string> = new Set(['everywhere', 'globally', 'entire codebase', 'repo-wide', 'überall', 'im ganzen projekt'])
const eachWords: ReadonlySet<string> = new Set(['every file', 'in every module', 'all call sites', 'in allen dateien', 'all files'])

/** Found by what they hold back and by a word that no signal of another kind has. */
function unboundedOf({ signals }: RoutingTable, boosts: readonly ReadonlyMap<number, number>[]): Prepared['unbounded'] {
  const holding = signals.flatMap(({ match, notWithPath, onlyQuestions }, at) => {
    const holds = [...(boosts[at]?.values() ?? [])].some((value) => value < 0)
    const speaks = match.some((text) => wholeWords.has(text.toLowerCase()) || eachWords.has(text.toLowerCase()))
    return holds && speaks && !onlyQuestions ? [{ at, notWithPath }] : []
  })
  const whole = holding.filter(({ notWithPath }) => !notWithPath).map(({ at }) => at)
  const each = holding.filter(({ notWithPath }) => notWithPath).map(({ at }) => at)
  return { whole: whole.length > 0 ? whole : each, each: each.length > 0 ? each : whole }
}
