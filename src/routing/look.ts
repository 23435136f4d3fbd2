// One look at a text: its words, its clauses, what stands in it, the scores that come of it. What decide.ts decides over.
import { type Called, calledIn } from './address.ts'
import { banIn } from './bans.ts'
import { type Said, saidIn } from './clarify.ts'
import { type Clause, clausesOf } from './clauses.ts'
import { type Hit, hitsOf, type Scene } from './evidence.ts'
import { basesOf } from './inflect.ts'
import { byObject } from './objects.ts'
import type { Prepared } from './prepared.ts'
import { hasPath } from './signals.ts'
import type { RouteContext } from './table.ts'
import { type Topic, topicOf } from './topics.ts'
import { withoutSlips } from './typos.ts'
import { german, isGerman, otherGermanVerbs } from './verbs-de.ts'
import { isVerb } from './verbs-en.ts'
import { type Weighed, weigh } from './weigh.ts'
import { lookedAt, type Words, wordsOf } from './words.ts'

export type Seen = {
  readonly prepared: Prepared
  readonly context: RouteContext
  readonly scene: Scene
  readonly hits: readonly Hit[]
  readonly called: Called
  readonly said: Said
  readonly weighed: Weighed
  readonly topic: Topic
  /** Words that forbid every change. */
  readonly ban: string | null
  /** Something is to be done, whatever it is. */
  readonly workAsked: boolean
  /** How much of a long text was looked at; null: all. */
  readonly looked: number | null
  /** The part that was looked at. */
  readonly text: string
}

export function look(prepared: Prepared, given: string, context: RouteContext): Seen {
  const { text, looked } = lookedAt(given)
  const { scene, hits: own } = readingOf(prepared, wordsOf(text))
  const { words, clauses } = scene
  const called = calledIn(scene)
  const topic = topicOf(scene)
  const said: Said = context.answered === true ? saidIn(words) : { classes: [], readOnly: false, nobody: false }
  const ban = banIn(words)
  const hits = [...own, ...said.classes.map(answerHit)]
  return {
    ...{ prepared, context, scene, hits, called, looked, text, said },
    weighed: weigh({ scene, hits, called, context, readOnly: said.readOnly, banned: ban !== null }),
    topic,
    ban,
    workAsked: hasPath(words) || ((topic.work || topic.other.length === 0) && clauses.some((clause) => isOrder(words, clause))),
  }
}

type Seeing = Pick<Seen, 'scene' | 'hits'>

/** A slip in a verb is looked for only where nothing speaks for anybody. */
function readingOf(prepared: Prepared, given: Words): Seeing {
  const first = read(prepared, given)
  if (first.hits.some(({ level }) => level === 'strong')) return first
  const mended = withoutSlips(given, first.scene.clauses)
  return mended === null ? first : read(prepared, mended)
}

function read(prepared: Prepared, words: Words): Seeing {
  const clauses = clausesOf(words, prepared.begins)
  const clauseOf = new Array<number>(words.count).fill(0)
  clauses.forEach(({ from, to }, number) => {
    clauseOf.fill(number, from, to)
  })
  const scene: Scene = { prepared, words, clauses, clauseOf, german: isGerman(words.word) }
  return { scene, hits: byObject(scene, hitsOf(scene)) }
}

/** "Yes please" has the form of an order, and asks for nothing. */
function isOrder({ word }: Words, { from, to, mood }: Clause): boolean {
  return mood === 'order' && word.slice(from, to).some(isAct)
}

function isAct(word: string): boolean {
  if (word === 'do' || isVerb(word) || basesOf(word).some(({ base, form }) => form !== 's' && isVerb(base))) return true
  return otherGermanVerbs.has(word) || german.get(word)?.some(({ orders }) => orders) === true
}

/** What the person chose among our own answers; it stands nowhere in the text. */
function answerHit(kind: string): Hit {
  return { phrase: -1, class: kind, says: 'the answer', start: -1, end: -1, size: 1, level: 'strong', asked: false, why: '' }
}
