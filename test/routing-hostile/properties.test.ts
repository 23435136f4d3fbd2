// What holds for every text and every roster, over many that are made from a seed.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import { parseRoutingTable } from '../../src/routing/foreign.ts'
import { routeAt } from '../../src/routing/ladder.ts'
import { placeOfTable } from '../../src/routing/place.ts'
import type { Member, RouteContext, RoutingTable } from '../../src/routing/table.ts'
import { bundledTable } from '../routing/tables.ts'
import { memberOf } from './work.ts'

const seed = 20_261_130
const runs = 400
const bundled = bundledTable()

const classes = ['scout', 'debugger', 'reasoner', 'planner', 'coder', 'executor', 'scriber', 'generalist', 'tuner']
const phrases = [
  'fix',
  'map',
  'plan',
  'weigh',
  'document',
  'root cause',
  'bump the version',
  'build',
  'tune',
  'write up',
  'greenfield',
  'wo ist',
  'deploy',
]
const fillers = [
  'the',
  'login',
  'and',
  'then',
  'please',
  'do not',
  '.',
  ',',
  '?',
  'in src/a.ts',
  '`fix`',
  'everywhere',
  'why does',
  'und',
  'nicht',
  'a0',
  '@a1',
  'a2:',
  'fixing',
  'implementiere',
  'stack trace',
  '\n- ',
  'ß',
  '\u0000',
  '\ud800',
]

const text = fc.array(fc.constantFrom(...phrases, ...fillers), { maxLength: 14 }).map((parts) => parts.join(' '))
const context: fc.Arbitrary<RouteContext> = fc.record(
  {
    surfaceFiles: fc.integer({ min: 0, max: 60 }),
    tranceToken: fc.boolean(),
    priorFailure: fc.boolean(),
    hostTier: fc.constantFrom('big', null),
    answered: fc.boolean(),
  },
  { requiredKeys: [] },
)
const some = (most: number) => fc.uniqueArray(fc.constantFrom(...phrases), { maxLength: most })
const member = fc.record({
  class: fc.constantFrom(...classes),
  triggers: some(4),
  refuses: some(2),
  isDefault: fc.boolean(),
  tier: fc.constantFrom('light', 'standard', 'deep'),
})
const table: fc.Arbitrary<RoutingTable> = fc.oneof(
  fc.constant(bundled),
  fc
    .array(member, { maxLength: 8 })
    .map((members) => ({ ...bundled, templates: [], members: members.map((one, at) => memberOf(`a${at}`, one)) })),
)

function check(property: fc.IProperty<[RoutingTable, string, RouteContext]>): void {
  fc.assert(property, { seed, numRuns: runs })
}

describe('for every text, roster and context', () => {
  test('[R36] confidence is 0 to 1, whoever is chosen is there, once, and is in the scores or told why not; JSON gives it back', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const answer = compileCortex(given).decide(said, about)
        const names = new Set(given.members.map(({ name }) => name))
        expect(answer.confidence).toBeGreaterThanOrEqual(0)
        expect(answer.confidence).toBeLessThanOrEqual(1)
        expect(answer.selected.filter((name) => !names.has(name))).toEqual([])
        expect(new Set(answer.selected).size).toBe(answer.selected.length)
        expect(answer.chain.map(({ agent }) => agent)).toEqual(answer.decision === 'chain' ? answer.selected : [])
        expect(answer.selected.length > 0).toBe(answer.decision !== 'clarify' && answer.decision !== 'leave')
        expect(answer.clarification !== null).toBe(answer.decision === 'clarify')
        const count = answer.clarification?.questions.length ?? 1
        expect(count >= 1 && count <= 3).toBe(true)
        expect(answer.decision === 'clarify' && about.answered === true).toBe(false)
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
        const strict = compileCortex(given).strict(said, about, { explain: true })
        expect(strict.confidence >= 0 && strict.confidence <= 1).toBe(true)
        expect(strict.selected.filter((name) => !names.has(name))).toEqual([])
        expect(strict.model_tier_per_step).toHaveLength(strict.selected.length)
      }),
    )
  })

  test('[R36] the same is the same bytes, also from a table that is made ready anew and after other texts', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const [one, two] = [compileCortex(given), compileCortex(structuredClone(given))]
        two.decide('fix the other thing', { priorFailure: true })
        two.strict('@a0 map it')
        expect(JSON.stringify(two.decide(said, about))).toBe(JSON.stringify(one.decide(said, about)))
        expect(JSON.stringify(two.strict(said, about))).toBe(JSON.stringify(one.strict(said, about)))
      }),
    )
  })

  test('[R36] the order of the members only settles ties', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const turned = { ...given, members: [...given.members].reverse() }
        const [one, two] = [compileCortex(given).decide(said, about), compileCortex(turned).decide(said, about)]
        const byName = (scores: typeof one.scores) => [...scores].sort((a, b) => (a.agent < b.agent ? -1 : 1))
        expect(byName(two.scores)).toEqual(byName(one.scores))
        if (new Set(one.scores.map(({ score }) => score)).size < one.scores.length || hasIdle(given)) return
        expect([two.decision, two.selected, two.confidence]).toEqual([one.decision, one.selected, one.confidence])
      }),
    )
  })

  /** Strict mode, as the source, sends what is refused to members that nothing speaks for (R5). */
  test('[R36] somebody more who has nothing to do with the text changes nothing', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const idle = memberOf('bystander', { class: 'weaver', triggers: ['zebra crossing'], refuses: ['quagga'] })
        const more = { ...given, members: [...given.members, idle] }
        expect(JSON.stringify(compileCortex(more).decide(said, about))).toBe(JSON.stringify(compileCortex(given).decide(said, about)))
        const [strict, wider] = [compileCortex(given).strict(said, about), compileCortex(more).strict(said, about)]
        if (!wider.refusal_rerouting) expect(JSON.stringify(wider)).toBe(JSON.stringify(strict))
      }),
    )
  })

  test('[R36] nobody gets alone what they refuse, unless they were called by name', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const answer = compileCortex(given).decide(said, about)
        for (const { agent, refused, named } of answer.scores) {
          if (refused.length > 0 && !named && answer.decision === 'dispatch' && about.answered !== true)
            expect([said, answer.selected]).not.toEqual([said, [agent]])
        }
      }),
    )
  })

  test('[R36] at a place too: who is chosen can be found by that name, and every loser is told', () => {
    check(
      fc.property(table, text, context, (given, said, about) => {
        const place = placeOfTable(given)
        const route = routeAt(place, { text: said, context: about })
        for (const name of route.selected) expect(place.find(name)).toBe(name)
        expect(route.by === null).toBe(route.selected.length === 0 && route.decision === 'leave')
        expect(JSON.parse(JSON.stringify(route))).toEqual(route)
      }),
    )
  })
})

/** Members of a class without phrases may be asked by its verbs in German, or as the generalist. */
function hasIdle({ members }: RoutingTable): boolean {
  return members.some((one: Member) => one.triggers.length === 0)
}

test('[R8] whatever stands in a table from elsewhere, it is read, or refused with a sentence', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const odd = fc.record(
    { routing_version: value, thresholds: value, eidolons: fc.dictionary(fc.constantFrom('a', '__proto__', 'b'), value), signals: value },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(odd, value), (given) => {
      try {
        compileCortex(parseRoutingTable(given)).decide('fix it')
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'invalid' })
      }
    }),
    { seed, numRuns: 1_000 },
  )
})
