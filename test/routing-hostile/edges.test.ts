// Values at which a decision turns, in both modes, over tables of two or three members.
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import type { Member, RouteContext, RoutingTable, Signal } from '../../src/routing/table.ts'
import { memberOf, tableOf } from './work.ts'

function signal(id: string, boost: Readonly<Record<string, number>>): Signal {
  return { id, match: [id], boost, stakes: false, onlyQuestions: false, notWithPath: false, byContext: null }
}

function both(table: RoutingTable, text: string, context: RouteContext = {}) {
  const cortex = compileCortex(table)
  return { ours: cortex.decide(text, context), strict: cortex.strict(text, context) }
}

const table = (
  members: readonly Member[],
  signals: readonly Signal[] = [],
  more: Partial<RoutingTable['thresholds']> = {},
): RoutingTable => {
  const made = tableOf(members)
  return { ...made, signals, thresholds: { ...made.thresholds, ...more } }
}

const [one, two, three] = [
  memberOf('xanthe', { class: 'scout', triggers: ['map'] }),
  memberOf('yorick', { class: 'coder', triggers: ['build'] }),
  memberOf('zelda', { class: 'scriber', triggers: ['document', 'synthesize', 'summarize', 'chronicle'] }),
]

describe('thresholds', () => {
  test('[R5] a score that just reaches tau is enough, and one below is not', () => {
    for (const [boost, chosen] of [
      [0.6, ['xanthe']],
      [0.59, []],
    ] as const) {
      const { ours, strict } = both(table([one, two], [signal('zebra', { xanthe: boost })]), 'the zebra in src/a.ts')
      expect([ours.selected, strict.selected]).toEqual([chosen, chosen])
    }
  })

  test('[R5] good enough for a chain is not good enough to get it alone', () => {
    const { ours, strict } = both(table([one, two], [], { tauStandard: 0.85 }), 'map src/a.ts')
    expect([ours.selected, strict.selected]).toEqual([[], []])
  })

  test('[R3] a name adds 0.5, and is shown with 1 at most', () => {
    const scored = compileCortex(table([one, two])).decide('have Xanthe map it').scores
    expect(scored).toMatchObject([{ agent: 'xanthe', named: true, base: 0.9, score: 1.4 }])
    expect(both(table([one, two]), 'xanthe').strict.confidence).toBe(0.5)
    const { ours, strict } = both(table([one], [signal('zebra', { xanthe: 0.9 })]), 'map the zebra in src/a.ts')
    expect([ours.confidence, strict.confidence]).toEqual([1, 1])
  })

  test('[R3] the curve is 0.8, 0.9, 0.97 and no further', () => {
    const texts = [
      'document src/a.ts',
      'document and synthesize src/a.ts',
      'document, synthesize and summarize src/a.ts',
      'document, synthesize, summarize and chronicle src/a.ts',
    ]
    expect(texts.map((text) => both(table([three]), text).ours.confidence)).toEqual([0.8, 0.9, 0.97, 0.97])
    expect(texts.map((text) => both(table([three]), text).strict.confidence)).toEqual([0.8, 0.9, 0.97, 0.97])
  })
})

describe('who it is', () => {
  test('[R10] a chain is as sure as its least sure step', () => {
    const { ours } = both(table([one, two, three]), 'map the parser, then document and synthesize and summarize src/a.ts')
    expect([ours.selected, ours.confidence]).toEqual([['xanthe', 'zelda'], 0.8])
  })

  test('[R4] among equals the default seat of a class, else the first', () => {
    const same = (name: string, isDefault: boolean) => memberOf(name, { class: 'scout', triggers: ['map'], isDefault })
    expect(both(table([same('anna', false), same('bela', true)]), 'map src/a.ts').ours.selected).toEqual(['bela'])
    expect(both(table([same('anna', false), same('bela', true)]), 'map src/a.ts').strict.selected).toEqual(['bela'])
    expect(both(table([same('anna', false), same('bela', false)]), 'map src/a.ts').ours.selected).toEqual(['anna'])
    expect(both(table([same('anna', false), same('bela', false)]), 'map src/a.ts').strict.selected).toEqual(['anna'])
  })

  test('[R14] what is refused goes to somebody with a score of tau, never to one who has less', () => {
    const refuser = memberOf('rita', { class: 'coder', triggers: ['build'], refuses: ['from scratch'] })
    const near = (boost: number) => table([refuser, one], [signal('zebra', { xanthe: boost })], { chainFloor: 0.7 })
    expect(both(near(0.65), 'build the zebra in src/a.ts from scratch').ours).toMatchObject({
      decision: 'refusal_reroute',
      selected: ['xanthe'],
    })
    expect(both(near(0.5), 'build the zebra in src/a.ts from scratch').ours).toMatchObject({ selected: [] })
  })

  test('[R14] it is passed on as often as the table says, and then asked about', () => {
    const refusing = Array.from({ length: 5 }, (_, at) =>
      memberOf(`r${at}`, { class: `kind${at}`, triggers: ['build'], refuses: ['from scratch'] }),
    )
    const { ours } = both(
      table([...refusing, one], [signal('zebra', { xanthe: 0.65 })], { chainFloor: 0.7, maxReroutes: 2 }),
      'build the zebra in src/a.ts from scratch',
    )
    expect(ours).toMatchObject({ decision: 'clarify', selected: [] })
    expect(ours.marks.map(({ mark }) => mark)).toContain('BLOCKED')
  })

  test('[R14] those who are asked next and refuse too count as well', () => {
    const near = (name: string) => memberOf(name, { class: name, triggers: [], refuses: ['from scratch'] })
    const refuser = memberOf('rita', { class: 'coder', triggers: ['build'], refuses: ['from scratch'] })
    const boosts = { nina: 0.66, nora: 0.65, nelly: 0.64, xanthe: 0.62 }
    const passing = (maxReroutes: number) =>
      both(
        table([refuser, near('nina'), near('nora'), near('nelly'), one], [signal('zebra', boosts)], { chainFloor: 0.7, maxReroutes }),
        'build the zebra in src/a.ts from scratch',
      ).ours
    expect(passing(4)).toMatchObject({ decision: 'refusal_reroute', selected: ['xanthe'] })
    expect(passing(3)).toMatchObject({ decision: 'clarify', selected: [] })
  })

  test('[R9] equal scores are told in the order of the table', () => {
    const members = ['anna', 'bela', 'carl'].map((name) => memberOf(name, { class: 'scout', triggers: ['map'] }))
    const told = both(table(members), 'map src/a.ts').ours.scores
    expect(told.map(({ agent }) => agent)).toEqual(['anna', 'bela', 'carl'])
  })

  test('[R5] a template needs two classes that came up', () => {
    const alone = { ...table([one, two]), templates: [{ name: 'lone', steps: ['xanthe', 'yorick'], classes: ['scout'], when: 'it fits' }] }
    expect(both(alone, 'map src/a.ts').strict.decision).toBe('dispatch')
    expect(both(alone, 'map src/a.ts').ours.decision).toBe('dispatch')
  })

  test('[R4] a step for a class goes to its default seat, wherever that stands', () => {
    const scout = (name: string, isDefault: boolean) => memberOf(name, { class: 'scout', triggers: ['map'], isDefault })
    const made = table([scout('anna', false), two, scout('bela', true)])
    const given = {
      ...made,
      templates: [{ name: 'pair', steps: ['class:scout', 'class:coder'], classes: ['scout', 'coder'], when: 'it fits' }],
    }
    expect(both(given, 'map src/a.ts and build it').strict.selected).toEqual(['bela', 'yorick'])
    expect(both(given, 'map src/a.ts and build it').ours.selected).toEqual(['bela', 'yorick'])
  })

  test('names of several words call, and only when all of them stand there', () => {
    const named = table([memberOf('night-owl', { class: 'scout', triggers: ['map'] }), two])
    expect(compileCortex(named).decide('ask night-owl to look').selected).toEqual(['night-owl'])
    expect(compileCortex(named).decide('ask night to look').selected).toEqual([])
  })
})

describe('deep runs', () => {
  const stakes: Signal = { ...signal('payroll', {}), stakes: true }

  test('[R15] neither the token alone nor size alone is enough, and both are', () => {
    const deep = (context: RouteContext, text = 'map src/a.ts') => both(table([one], [stakes]), text, context).ours.tier
    expect(deep({ tranceToken: true })).toBe('standard')
    expect(deep({ surfaceFiles: 26 })).toBe('standard')
    expect(deep({}, 'map the payroll in src/a.ts')).toBe('standard')
    expect(deep({ tranceToken: true, surfaceFiles: 26 })).toBe('trance')
    expect(deep({ surfaceFiles: 26 }, 'map the payroll in src/a.ts')).toBe('trance')
    expect(deep({ surfaceFiles: 25 }, 'map the payroll in src/a.ts')).toBe('standard')
  })
})
