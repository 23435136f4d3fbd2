// The pure pieces: forms of a correction, the fact's bound, the hint's bound.
import { describe, expect, test } from 'vitest'
import { entryIdOf } from '../../lanes/entry-id.ts'
import type { Route } from '../../routing/route.ts'
import type { Decided } from './route-case.ts'
import { calledIn } from './route-correction.ts'
import { briefFact, routeFact } from './route-fact.ts'
import { alternatives, firstReason, hintOf } from './route-hint.ts'
import { shortWhy, told } from './route-words.ts'

describe('the form of a correction', () => {
  test.each([
    'that should have gone to scout',
    'No, that should’ve gone to the @Scout, please.',
    'this question should have been given to scout instead',
    'that should have been handled by scout',
    '@scout should have done that',
    'Scout should have answered this one!',
    'that was meant for scout',
    'Das hätte Scout machen sollen.',
    'Nein, das hätte eigentlich der Scout beantworten müssen',
    'die Frage hätte an @scout gehen sollen',
    'Scout hätte das machen sollen, bitte',
    'das wäre was für scout gewesen',
    'das haette scout uebernehmen muessen',
  ])('%s', (text) => {
    expect(calledIn(text)).toBe('scout')
  })

  test.each([
    '',
    'scout should have done that by Friday, but the tests are red',
    'should that have gone to scout?',
    '@scout do that',
    'that should go to scout',
    'he said that should have gone to scout',
    'das hätte ich gern',
    `that should have gone to scout ${'please '.repeat(60)}`,
  ])('no correction: %s', (text) => {
    expect(calledIn(text)).toBeNull()
  })

  test('no text makes the look slow', () => {
    const hostile = ['no, '.repeat(50), 'das hätte '.repeat(20), `that was ${'for '.repeat(45)}`, `${'a'.repeat(199)}!`]
    expect(hostile.map(calledIn)).toEqual([null, null, null, null])
  })
})

const plain: Route = {
  ...{ decision: 'dispatch', by: 'cortex', selected: ['scout'], chain: [], tier: 'standard', models: null, confidence: 0.8 },
  ...{ reasons: ['because'], marks: [], clarification: null, scores: [], signals: [], template: null, gates: [], dropped: [] },
  ...{ thresholds: {}, context: {}, looked: null, rosterVersion: 'a'.repeat(16), rulesVersion: 'b'.repeat(16) },
}
const long = 'x'.repeat(5_000)
const score = (at: number): Route['scores'][number] => ({
  ...{ agent: `agent-${at}`, class: 'scout', matched: Array(50).fill(long), named: false, base: 1, score: 100 - at, refused: [long] },
  signals: Array(50).fill({ id: long, boost: 1 }),
})
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('the fact', () => {
  test('[E41] a usual route is whole', () => {
    expect(routeFact(plain)).toEqual({ ...plain, left: {} })
  })

  test('[E41] the best twelve scores stand in it, the rest is counted', () => {
    const scores = Array.from({ length: 40 }, (_, at) => ({ ...score(at), matched: ['map'], refused: [], signals: [] }))
    const fact = routeFact({ ...plain, scores })
    expect(fact['scores']).toHaveLength(12)
    expect(fact['left']).toEqual({ scores: 28 })
  })

  test('[E41] no roster and no text makes it longer than 8 kB, and its form stays', () => {
    const many = <T>(one: T): T[] => Array(300).fill(one)
    const huge: Route = {
      ...plain,
      ...{ selected: many(long), reasons: many(`${long}ü😀`), scores: Array.from({ length: 300 }, (_, at) => score(at)) },
      chain: many({ agent: long, class: long, tier: 'light', edgeOrigin: 'roster', template: long }),
      gates: many({ id: long, holds: true, text: long }),
      dropped: many({ what: long, why: long }),
      signals: many({ id: long, matched: many(long) }),
      marks: many({ mark: 'GAP', text: long }),
      clarification: { questions: many({ text: long, options: many(long) }) },
      thresholds: Object.fromEntries(many(0).map((_, at) => [`${long}${at}`, at])),
    }
    const fact = routeFact(huge)
    expect(size(fact)).toBeLessThanOrEqual(8_000)
    expect(Object.keys(fact).sort()).toEqual([...Object.keys(plain), 'left'].sort())
    expect(Object.keys(briefFact(plain)).sort()).toEqual([...Object.keys(plain), 'left'].sort())
  })
})

describe('the hint', () => {
  const decided: Decided = {
    ...{
      entry: entryIdOf(['one']),
      decision: 'dispatch',
      by: 'cortex',
      agents: ['scout'],
      why: 'because',
      others: ['coder 0.4'],
      confidence: 0.8,
    },
    ...{ goes: { to: 'leader' }, alone: false, would: null, chain: null, questions: [], corrected: null },
  }

  test('[E45] who, why, who else, within 400 characters', () => {
    expect(hintOf(decided, 'You decide.')).toBe('scout fits (confidence 0.80). because. Others: coder 0.4. You decide.')
    expect(hintOf({ ...decided, why: long, others: Array(4).fill('n'.repeat(64)) }, 'You decide.')?.length).toBeLessThanOrEqual(400)
  })

  test('[E45] none where the person decided, where nobody was found, and where it went elsewhere', () => {
    for (const by of ['address', 'mention', 'question', 'rule'] as const) expect(hintOf({ ...decided, by }, '')).toBeNull()
    for (const decision of ['leave', 'clarify'] as const) expect(hintOf({ ...decided, decision }, '')).toBeNull()
    expect(hintOf({ ...decided, goes: { to: 'nobody', plain: 'x' } }, '')).toBeNull()
    expect(hintOf({ ...decided, agents: [] }, '')).toBeNull()
  })

  test('what it is made of is one line without marks', () => {
    expect(firstReason({ reasons: ['a </hub-1>\nnew <line>'] })).toBe('a /hub-1 new line')
    expect(alternatives({ selected: ['agent-0'], scores: [score(0), score(1), { ...score(2), score: 0 }] })).toEqual(['agent-1 99'])
  })
})

describe('what a person is told of the way', () => {
  test('who has it is not named again in the reason', () => {
    expect(shortWhy({ agents: ['scout'], why: 'scout does it: "map".' })).toBe('"map".')
    expect(shortWhy({ agents: ['scout'], why: 'The text mentions @scout.' })).toBe('The text mentions @scout.')
    expect(told.en.has('Scout', '"map".')).toBe('Scout has it ("map").')
    expect(told.de.has('Scout', null)).toBe('Scout hat es.')
  })
})
