import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../base/errors.ts'
import { parseRoutingTable, readRoutingTable } from './foreign.ts'

const member = { capability_class: 'coder', trigger_verbs: ['mend'] }
const small = { routing_version: '1.1', thresholds: { tau_standard: 0.6, chain_floor: 0.6 }, eidolons: { cy: member } }
const withMember = (fields: object): object => ({ ...small, eidolons: { cy: { ...member, ...fields } } })

const refusal = (given: unknown): string => {
  try {
    parseRoutingTable(given)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(InvalidInput)
    return thrown instanceof Error ? thrown.message : ''
  }
  return 'was read'
}

describe('a routing table from elsewhere', () => {
  test('[R8] is read from YAML, from JSON and from a value, and what is not said has its default', () => {
    const table = parseRoutingTable(small)
    expect(parseRoutingTable(JSON.stringify(small))).toEqual(table)
    const yaml =
      'routing_version: 1.1\nthresholds: {tau_standard: 0.6, chain_floor: 0.6}\neidolons:\n  cy: {capability_class: coder, trigger_verbs: [mend]}\n'
    expect(parseRoutingTable(yaml)).toEqual(table)
    expect(table.thresholds).toEqual({
      tauStandard: 0.6,
      tauTrance: 0.8,
      chainFloor: 0.6,
      maxReroutes: 2,
      maxParallel: 5,
      surfaceFiles: 25,
      surfaceModules: 5,
    })
    expect(table.members).toEqual([
      {
        ...{ name: 'cy', aliases: [], class: 'coder', tier: 'standard', triggers: ['mend'], refuses: [], handsOff: [], isDefault: false },
        ...{ fallback: null, requiresHostTier: null, degradedMode: null, escalation: null },
      },
    ])
    expect([table.signals, table.templates, table.trance, table.classTiers]).toEqual([[], [], null, {}])
  })

  test('[R8] keeps the order of members, an old word for a tier, and what a signal asks for', () => {
    const table = parseRoutingTable({
      ...small,
      eidolons: { zed: { ...member, model_tier: 'speed-class' }, cy: { ...member, default_for_class: 'coder', model_tier: 'deep' } },
      signals: [{ id: 'prior_apivr_failure', match: [], boost: { cy: 1 }, skip_if_path: true, requires_question_form: true, stakes: true }],
      trance: { lead_tier: 'deep', workers_tier: 'light' },
      classes: { default: { suggested_tier: 'light' } },
    })
    expect(table.members.map(({ name, tier, statedTier, isDefault }) => [name, tier, statedTier, isDefault])).toEqual([
      ['zed', 'standard', 'speed-class', false],
      ['cy', 'deep', undefined, true],
    ])
    expect(table.signals[0]).toMatchObject({ byContext: 'prior_failure', notWithPath: true, onlyQuestions: true, stakes: true })
    expect([table.trance, table.classTiers]).toEqual([{ lead: 'deep', workers: 'light' }, { default: 'light' }])
  })

  test.each([
    [withMember({ trigger_verb: [] }), 'eidolons.cy has the unknown "trigger_verb"; allowed are capability_class'],
    [{ ...small, eidolon: {} }, 'the table has the unknown "eidolon"; allowed are $schema, routing_version'],
    [withMember({ escalation: { on_fail: 'reroute', to: 'x' } }), 'eidolons.cy.escalation has the unknown "to"; allowed are on_fail'],
    [withMember({ trigger_verbs: ['a', 5] }), 'eidolons.cy.trigger_verbs.1 is 5; allowed is a text'],
    [withMember({ trigger_verbs: [' '] }), 'eidolons.cy.trigger_verbs.0 is " ": an empty phrase is not allowed'],
    [withMember({ suggested_tier: 'huge' }), 'eidolons.cy.suggested_tier is "huge"; allowed are light, standard, deep'],
    [{ ...small, thresholds: { tau_standard: 2, chain_floor: 0.6 } }, 'thresholds.tau_standard is 2: allowed is 0 to 1'],
    [{ ...small, thresholds: { tau_standard: 0.6 } }, 'thresholds.chain_floor is missing'],
    [{ ...small, eidolons: {} }, 'eidolons is wrong: at least one member is needed'],
    [{ ...small, eidolons: { 'a b': member } }, 'eidolons.a b is no allowed name'],
    [
      { ...small, chains: [{ name: 'x', steps: ['who'], requires_classes: [] }] },
      'chains.0.steps.0 is wrong: nobody is called "who"; there are cy',
    ],
    [{ ...small, signals: [1, 2].map(() => ({ id: 'x', match: [], boost: {} })) }, 'signals.1.id is wrong: "x" is there twice'],
    [
      { ...small, chains: [1, 2].map(() => ({ name: 'x', steps: ['cy'], requires_classes: [] })) },
      'chains.1.name is wrong: "x" is there twice',
    ],
    [null, 'the table is null; allowed is a group of "key: value"'],
    ['- 1', 'line 1: the table is [1]; allowed is a group of "key: value"'],
    ['a: [', "The routing table can't be read: line 1"],
    ['eidolons: {a: 1}\neidolons: {b: 1}', "The routing table can't be read: line 2"],
    ['['.repeat(100_000), "The routing table can't be read"],
    ['x'.repeat(256_001), 'it is longer than 256000 characters'],
  ])('[R8] refuses %j', (given, expected) => expect(refusal(given)).toContain(expected))

  test('[R8] names the line and, for programs, the place', () => {
    const yaml =
      'routing_version: "1"\nthresholds: {tau_standard: 0.6, chain_floor: 0.6}\neidolons:\n  cy:\n    capability_class: coder\n    trigger_verbs: mend\n'
    expect(refusal(yaml)).toContain('line 6: eidolons.cy.trigger_verbs is "mend"; allowed is a list')
    expect(() => parseRoutingTable(yaml)).toThrow(expect.objectContaining({ path: '/eidolons/cy/trigger_verbs' }))
  })

  test('[R8] whatever it is given, it reads it or says what is wrong', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.anything(),
          fc.json(),
          fc.anything().map((eidolons) => ({ ...small, eidolons })),
        ),
        (given) => {
          expect(refusal(given)).not.toBe('')
        },
      ),
      { numRuns: 400, seed: 11 },
    )
  })

  test('[R8] what the program ignores too is a warning', () => {
    const { table, warnings } = readRoutingTable({
      ...small,
      eidolons: {
        cy: {
          ...{ ...member, trigger_verbs: ['mend', 'mend', 'ADR'], refuse_verbs: ['mend'], downstream: ['dee', 'who'], fallback: 'none' },
          ...{ default_for_class: 'scout', escalation: { on_fail: 'reroute', reroute_to: 'gone' } },
        },
        dee: { ...member, downstream: ['cy'] },
      },
      signals: [{ id: 'x', match: ['y'], boost: { lost: 1 } }],
    })
    expect(table.members).toHaveLength(2)
    expect(warnings).toEqual([
      'eidolons.cy.downstream: nobody is called "who", so it has no effect.',
      'eidolons.cy.fallback: nobody is called "none", so it has no effect.',
      'eidolons.cy.escalation.reroute_to: nobody is called "gone", so it has no effect.',
      'eidolons.cy.default_for_class is "scout", but its class is "coder", so it has no effect.',
      'eidolons.cy refuses its own trigger "mend".',
      'eidolons.cy.trigger_verbs has "mend" twice; in strict mode it counts twice.',
      'eidolons.cy: "ADR" has a capital letter and never matches in strict mode.',
      'Hand-offs go in a circle: cy > dee > cy.',
      'signals.x.boost: nobody is called "lost", so this boost has no effect.',
    ])
  })

  test('[R8] a large table with many hand-offs is looked through at once', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `m${at}`)
    const eidolons = Object.fromEntries(names.map((name, at) => [name, { ...member, downstream: names.slice(at + 1, at + 200) }]))
    const started = performance.now()
    expect(readRoutingTable({ ...small, eidolons }).warnings).toEqual([])
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
