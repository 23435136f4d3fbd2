// A text cut into clauses, each with what its speaker wants by it: an order, a question, or to tell something. Grammar is guessed from
// function words, per clause: a question beside an order doesn't silence the order, and a polite request is one.

import { basesOf } from './inflect.ts'
import { german, otherGermanVerbs } from './verbs-de.ts'
import { functionWords, isVerb, negators, pronouns } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import { gapEnd, gapNone, kindPlain, type Words } from './words.ts'

/** `sub`: it depends on another clause, as "when the build fails". */
export type Mood = 'order' | 'ask' | 'tell' | 'sub'

export type Clause = {
  readonly from: number
  /** Not inside. */
  readonly to: number
  readonly mood: Mood
  /** Words from here on belong to a clause inside, as "what it does" in "tell me what it does"; `to`: none. */
  readonly inner: number
  /** It asks somebody to do something, by more than the verb: please, could you, we need to. */
  readonly request: boolean
}

const fillers = wordSet(
  'so and but ok okay well hey hi hello also hmm now then first firstly second finally next afterwards lastly plus und aber dann also danach anschliessend zuerst zuletzt schliesslich nun jetzt hallo please bitte just mal only even still again oder or sowie guten morgen tag dear',
)
const connectors = wordSet('and then und dann danach anschliessend but aber sowie afterwards plus or oder')
const firmConnectors = wordSet('then dann danach anschliessend afterwards but aber')
const modals = wordSet(
  "can could would will wont cant couldnt wouldnt can't couldn't won't wouldn't kannst koenntest wuerdest magst willst moechtest koennt koenntet",
)
const you = wordSet("you u ya y'all yall someone somebody anyone du ihr man jemand bitte")
const modalsWe = wordSet('can could will shall koennen koennten wollen wuerden')
const we = wordSet('we wir sie')
const auxes = wordSet(
  "is are was were am did does do has have had must should could can would will may might isn't aren't wasn't weren't didn't doesn't don't hasn't haven't shouldn't can't couldn't isnt arent didnt doesnt ist sind waren hat kann soll sollen sollte sollten darf duerfen muss gibt wird werden wurde wurden hast habt",
)
const openPronoun = wordSet("do have had don't haven't")
const conditional = wordSet(
  'if whether because since unless although while once wenn falls ob weil dass damit sobald obwohl after before nachdem bevor when',
)
const questionWords = wordSet(
  "what which where who whom whose why how when what's where's who's how's why's was wie wo wer wen wem wann warum wieso weshalb welche welcher welches welchen welchem wofuer wozu woran wovon",
)
export const innerWords: ReadonlySet<string> = wordSet(
  'what which who whose whom whether why how where when if because ob wie wo warum wer welche welcher welches welchen dass weil wenn',
)
const orders = ['any chance', 'would it be possible', 'is it possible', 'are you able', 'would you be able', 'how about', 'why not'].concat(
  [
    "why don't you",
    "why don't we",
    'may i ask',
    'do you think you',
    'mind if you',
    'would you mind',
    'waere es moeglich',
    'ist es moeglich',
  ],
  [
    'i wonder if you',
    'i was wondering if you',
    "i'd like",
    'i would like',
    'i want',
    'i need',
    'we need',
    'we should',
    'we must',
    'we have to',
  ],
  [
    "let's",
    'lets',
    'let us',
    'lass uns',
    'ich moechte',
    'ich will',
    'ich brauche',
    'ich haette gern',
    'wir muessen',
    'wir sollten',
    'wir wollen',
  ],
  [
    'wir brauchen',
    'you should',
    'you need',
    'you must',
    'du sollst',
    'make sure',
    'go ahead',
    'feel free',
    'it would be',
    'mind',
    'time to',
  ],
)
const orderWords: ReadonlyMap<string, readonly (readonly string[])[]> = byFirst(orders.map((order) => order.split(' ')))

/** At least one clause; in their order, without gaps. `begins` tells whether a word starts a phrase of the table. Linear. */
export function clausesOf(words: Words, begins: (word: string) => boolean): readonly Clause[] {
  const out: Clause[] = []
  const asked = questionMarks(words)
  let from = 0
  while (from < words.count) {
    let to = from + 1
    while (to < words.count && !startsClause(words, to, begins)) to += 1
    out.push(clauseOf(words, { from, to, asked: asked[from] === true, before: out.at(-1), begins }))
    from = to
  }
  return out
}

function startsClause(words: Words, at: number, begins: (word: string) => boolean): boolean {
  if ((words.gap[at] ?? 0) !== gapNone) return true
  if (!connectors.has(words.word[at] ?? '')) return false
  let next = at + 1
  while (next < words.count && next < at + 4 && fillers.has(words.word[next] ?? '')) next += 1
  const word = words.word[next] ?? ''
  return isVerbish(word, begins) || modals.has(word) || (questionWords.has(word) && firmConnectors.has(words.word[at] ?? ''))
}

type Stretch = {
  readonly from: number
  readonly to: number
  /** Its sentence ends with a question mark. */
  readonly asked: boolean
  readonly before: Clause | undefined
  readonly begins: (word: string) => boolean
}

function clauseOf(words: Words, stretch: Stretch): Clause {
  const { from, to } = stretch
  let start = from
  let please = false
  while (start < to && (fillers.has(words.word[start] ?? '') || isGreeted(words, start, to))) start += 1
  for (let at = from; at < to; at += 1) if (words.word[at] === 'please' || words.word[at] === 'bitte') please = true
  const request = please || isRequest(words, start, to)
  const mood = request ? 'order' : moodOf(words, start, stretch)
  return { from, to, mood, request, inner: innerOf(words, start, to) }
}

/** A name that is called: "Vivi: fix it" leaves the colon to the next clause, "hey Vivi fix it" not. */
function isGreeted(words: Words, at: number, to: number): boolean {
  return words.at[at] === true && at + 1 < to
}

function moodOf(words: Words, start: number, { from, to, asked, before, begins }: Stretch): Mood {
  const first = words.word[start] ?? ''
  const second = words.word[start + 1] ?? ''
  const fresh = (words.gap[from] ?? 0) === gapEnd
  if (questionWords.has(first) && first !== 'when') return fresh || before === undefined || asked ? 'ask' : 'sub'
  if (conditional.has(first)) return first === 'when' && asked ? 'ask' : 'sub'
  if (openPronoun.has(first) ? pronouns.has(second) : auxes.has(first)) return 'ask'
  const head = isVerbish(first, begins)
  if (head && !fresh && before !== undefined && carriesOn(words, from, before)) return 'ask'
  if (head || first === 'do') return 'order'
  if (!fresh && before !== undefined && start < to) return before.mood === 'sub' ? 'tell' : before.mood
  return asked ? 'ask' : 'tell'
}

/** "Should we stop and rebuild it": the second verb is asked about like the first. Not so after "then" or behind a comma. */
function carriesOn(words: Words, from: number, before: Clause): boolean {
  if (before.mood !== 'ask' || (words.gap[from] ?? 0) !== gapNone || firmConnectors.has(words.word[from] ?? '')) return false
  for (let at = before.from; at < Math.min(before.to, before.from + 4); at += 1) if (carriers.has(words.word[at] ?? '')) return true
  return false
}

const carriers = wordSet('can could should would will shall do does did must may soll sollen sollte sollten kann koennen muss')

function isRequest(words: Words, start: number, to: number): boolean {
  const first = words.word[start] ?? ''
  const second = words.word[start + 1] ?? ''
  if (modals.has(first) && you.has(second)) return true
  if (modalsWe.has(first) && we.has(second)) return true
  return (orderWords.get(first) ?? []).some(
    (order) => start + order.length <= to && order.every((word, index) => words.word[start + index] === word),
  )
}

/** Where a clause inside begins: a question word in its middle. */
function innerOf(words: Words, start: number, to: number): number {
  for (let at = start + 1; at < to; at += 1) if (innerWords.has(words.word[at] ?? '') && words.kind[at] === kindPlain) return at
  return to
}

export function isVerbish(word: string, begins: (word: string) => boolean): boolean {
  if (functionWords.has(word) || word === '') return false
  if (isVerb(word) || begins(word) || negators.has(word) || otherGermanVerbs.has(word)) return true
  if (german.get(word)?.some(({ orders }) => orders) === true) return true
  return basesOf(word).some(({ base, form }) => form === 'ing' && (isVerb(base) || begins(base)))
}

/** For each word whether its sentence ends with a question mark. */
function questionMarks(words: Words): readonly boolean[] {
  const out = new Array<boolean>(words.count).fill(false)
  let asked = false
  for (let at = words.count - 1; at >= 0; at -= 1) {
    if (at === words.count - 1 || words.gap[at + 1] === gapEnd) asked = words.after[at] === '?'
    out[at] = asked
  }
  return out
}

function byFirst(list: readonly (readonly string[])[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const out = new Map<string, (readonly string[])[]>()
  for (const words of list) {
    const [first = ''] = words
    out.set(first, [...(out.get(first) ?? []), words])
  }
  return out
}
