import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileTable } from './compiled.ts'
import type { StrictArtifact, StrictOptions } from './cortex.ts'
import { strict } from './strict.ts'
import type { Member, RouteContext, RoutingTable, Signal, Template } from './table.ts'

const who = (name: string, fields: Partial<Member> = {}): Member => ({
  ...{ name, aliases: [], class: name, tier: 'standard', triggers: [], refuses: [], handsOff: [], isDefault: false, fallback: null },
  ...{ requiresHostTier: null, degradedMode: null, escalation: null },
  ...fields,
})
const signal = (id: string, fields: Partial<Signal>): Signal => ({
  ...{ id, match: [], boost: {}, stakes: false, onlyQuestions: false, notWithPath: false, byContext: null },
  ...fields,
})
const template = (name: string, steps: readonly string[], classes: readonly string[] = steps): Template => ({
  ...{ name, steps, classes, when: 'it fits' },
})
const tableOf = (members: readonly Member[], more: Partial<RoutingTable> = {}): RoutingTable => ({
  ...{ version: '1', members, signals: [], templates: [], trance: null, classTiers: {} },
  thresholds: { tauStandard: 0.6, tauTrance: 0.8, chainFloor: 0.6, maxReroutes: 2, maxParallel: 5, surfaceFiles: 25, surfaceModules: 5 },
  ...more,
})
const ask = (table: RoutingTable, text: string, context: RouteContext = {}, options: StrictOptions = {}): StrictArtifact =>
  strict(compileTable(table), text, { context, options })
const scoreOf = (table: RoutingTable, text: string): readonly [number, number] => {
  const [first] = ask(table, text, {}, { explain: true })._scores ?? []
  return [first?.raw ?? -1, first?.score ?? -1]
}

describe('scores', () => {
  const one = tableOf([who('ann', { triggers: ['mend', 'mend it', 'patch', 'solder'] })])

  test('[R3] count distinct phrases on a curve, and the name as a bonus that is not enough alone', () => {
    expect(scoreOf(one, 'nothing')).toEqual([0, 0])
    expect(scoreOf(one, 'patch, patch, patch')).toEqual([1, 0.8])
    expect(scoreOf(one, 'mend it')).toEqual([2, 0.9])
    expect(scoreOf(one, 'mend it, patch it')).toEqual([3, 0.97])
    expect(scoreOf(one, 'mend it, patch it, solder')).toEqual([4, 0.97])
    expect(ask(one, 'Ann!')).toMatchObject({ decision: 'clarify', confidence: 0.5 })
    expect(ask(one, 'ann, patch it')).toMatchObject({ decision: 'dispatch', confidence: 1 })
    expect(ask(one, 'annie')).toMatchObject({ confidence: 0 })
  })

  test('[R3] a signal adds once, also below nothing, and only in its form', () => {
    const table = tableOf([who('ann', { triggers: ['patch'] })], {
      signals: [
        signal('slow', { match: ['slow', 'late'], boost: { ann: -0.3 } }),
        signal('asks', { match: ['the'], boost: { ann: -0.5 }, onlyQuestions: true }),
        signal('wide', { match: ['every file'], boost: { 'class:ann': -0.2 }, notWithPath: true }),
        signal('again', { boost: { ann: 0.95 }, byContext: 'prior_failure' }),
      ],
    })
    expect(scoreOf(table, 'slow and late')).toEqual([0, -0.3])
    expect(scoreOf(table, 'patch the hole')).toEqual([1, 0.8])
    expect(scoreOf(table, 'is the patch late?')).toEqual([1, 0])
    expect(scoreOf(table, 'patch every file')).toEqual([1, 0.6])
    expect(scoreOf(table, 'patch every file in src/')).toEqual([1, 0.8])
    expect(ask(table, 'once more', { priorFailure: true })).toMatchObject({ decision: 'dispatch', confidence: 0.95 })
  })
})

describe('who is best', () => {
  const twin = (name: string, fields: Partial<Member> = {}): Member => who(name, { class: 'coder', triggers: ['mend'], ...fields })

  test('[R4] a tie goes to the first default seat, else to the first of the table', () => {
    expect(ask(tableOf([twin('ann'), twin('bob')]), 'mend').selected).toEqual(['ann'])
    expect(ask(tableOf([twin('ann'), twin('bob', { isDefault: true })]), 'mend').selected).toEqual(['bob'])
    expect(ask(tableOf([twin('ann'), twin('bob', { isDefault: true })]), 'ann, mend').selected).toEqual(['ann'])
  })

  test('[R4] who needs another host gives way to its peer, else to the next that is as good, unless it was called by name', () => {
    const needy = { isDefault: true, requiresHostTier: 'thinking' }
    const plain = tableOf([twin('ann', needy), twin('bob')])
    expect(ask(plain, 'mend')).toMatchObject({ selected: ['bob'], fallthrough_reason: 'host-tier-fallthrough' })
    expect(ask(plain, 'mend', { hostTier: 'thinking' })).toMatchObject({ selected: ['ann'], fallthrough_reason: null })
    expect(ask(plain, 'ann, mend', { hostTier: 'other' })).toMatchObject({ selected: ['ann'], fallthrough_reason: null })
    const peers = tableOf([twin('ann', { ...needy, fallback: 'cat' }), twin('bob'), twin('cat', { refuses: ['gold'] })])
    expect(ask(peers, 'mend')).toMatchObject({ selected: ['cat'], fallthrough_reason: 'declared-fallback' })
    expect(ask(peers, 'mend the gold')).toMatchObject({ selected: ['bob'], fallthrough_reason: 'host-tier-fallthrough' })
    const lost = tableOf([twin('ann', { ...needy, fallback: 'who' }), twin('bob', { triggers: [] })])
    expect(ask(lost, 'mend')).toMatchObject({ selected: ['ann'], fallthrough_reason: 'host-tier-fallthrough' })
    const weak = tableOf([twin('ann', { ...needy, fallback: 'cat' }), twin('cat', { triggers: [] })])
    expect(ask(weak, 'mend')).toMatchObject({ decision: 'clarify', confidence: 0, fallthrough_reason: 'declared-fallback' })
  })
})

describe('the ladder', () => {
  const members = [
    who('map', { triggers: ['look'], refuses: ['repair'], escalation: { onFail: 'reroute', to: 'mend', most: 1 } }),
    who('mend', { triggers: ['repair'], refuses: ['from nothing'], tier: 'deep', degradedMode: 'fanout' }),
    who('tell', { triggers: ['explain'], statedTier: 'slow-class' }),
  ]
  const table = tableOf(members, {
    templates: [
      template('two', ['map', 'mend']),
      template('other two', ['mend', 'map']),
      template('three', ['map', 'mend', 'tell', 'map'], ['tell', 'map', 'mend']),
    ],
  })

  test('[R5] two classes take the template with most classes, the first of equals, with what its steps say', () => {
    const answer = ask(table, 'look and repair')
    expect(answer).toMatchObject({
      ...{ decision: 'chain', selected: ['map', 'mend'], model_tier_per_step: ['standard', 'deep'], confidence: 0.8 },
      ...{ degraded_mode_per_step: [null, 'fanout'], escalation: { on_fail: 'reroute', reroute_to: 'mend', max_escalations: 1 } },
      chain: [
        { eidolon: 'map', role: 'map', edge_origin: 'routing', template: 'two' },
        { eidolon: 'mend', role: 'mend', edge_origin: 'routing', template: 'two' },
      ],
    })
    expect(answer).not.toHaveProperty('degraded_mode')
    expect(ask(table, 'look, repair, explain')).toMatchObject({ selected: ['map', 'mend', 'tell', 'map'], confidence: 0.8 })
    expect(ask(table, 'look, repair, explain').model_tier_per_step[2]).toBe('slow-class')
  })

  test('[R5] where no template holds, the best is sent alone and the rest is lost', () => {
    expect(ask(table, 'look and explain')).toMatchObject({ decision: 'dispatch', selected: ['map'], degraded_mode: null })
  })

  test('[R5] a chain stands above a refusal, a refusal above a dispatch', () => {
    const alone = tableOf(members)
    expect(ask(table, 'map: look and repair').decision).toBe('chain')
    expect(ask(alone, 'look and repair it')).toMatchObject({ decision: 'refusal_reroute', selected: ['mend'], refusal_rerouting: true })
    expect(ask(alone, 'map, repair it').assumptions).toEqual(['[DECISION] map refuses such work, so it goes to mend'])
    expect(ask(alone, 'repair it from nothing')).toMatchObject({ decision: 'refusal_reroute', selected: ['tell'], confidence: 0 })
  })

  test('[R5] where everybody refuses, the best is sent all the same', () => {
    expect(ask(tableOf([who('map', { triggers: ['look'], refuses: ['look'] })]), 'look')).toMatchObject({
      decision: 'dispatch',
      selected: ['map'],
    })
  })

  test('[R5] nobody is good enough: a question, and nobody is chosen', () => {
    const answer = ask(table, 'hm')
    expect(answer).toMatchObject({
      decision: 'clarify',
      selected: [],
      chain: [],
      model_tier_per_step: [],
      escalation: null,
      tier: 'standard',
    })
    expect(answer.clarification_request).toMatch(/^Nobody reaches 0\.6\./)
    expect(ask(tableOf([]), 'hm')).toMatchObject({ decision: 'clarify', confidence: 0 })
  })

  test('[R6] what says enough goes to the generalist, who is called the same in every table', () => {
    const text = 'Append a line to `notes/today.md` so that the check passes.'
    expect(ask(table, text)).toMatchObject({
      ...{ decision: 'dispatch', selected: ['gilgamesh'], fallthrough_reason: 'actionable-fallthrough', clarification_request: null },
      ...{ confidence: 0, tier: 'standard', model_tier_per_step: ['standard'] },
      chain: [{ eidolon: 'gilgamesh', role: 'generalist', edge_origin: 'routing' }],
    })
    expect(ask(tableOf([who('all', { aliases: ['gilgamesh'] })]), text).selected).toEqual(['all'])
    expect(ask(table, `${text} Explain.`).selected).toEqual(['tell'])
  })
})

describe('the tier', () => {
  const deep = tableOf([who('map', { triggers: ['look'] })], {
    signals: [signal('huge', { match: ['all of it'], stakes: true })],
    trance: { lead: 'deep', workers: 'light' },
  })

  test('[R7] deep needs size and stakes; the token is both; the thresholds themselves are large', () => {
    const tier = (text: string, context: RouteContext): string => ask(deep, text, context).tier
    expect(tier('look', { surfaceFiles: 100, surfaceModules: 100 })).toBe('standard')
    expect(tier('look at all of it', {})).toBe('standard')
    expect(tier('look at all of it', { surfaceFiles: 25 })).toBe('trance')
    expect(tier('look at all of it', { surfaceFiles: 24, surfaceModules: 4 })).toBe('standard')
    expect(tier('look at all of it', { surfaceModules: 5 })).toBe('trance')
    expect(tier('look', { tranceToken: true })).toBe('trance')
    expect(tier('hm', { tranceToken: true })).toBe('standard')
  })

  test('[R7] who leads and who works is said only where the table says it', () => {
    expect(ask(deep, 'look', { tranceToken: true })).toMatchObject({ model_tier_lead: 'deep', model_tier_workers: 'light' })
    expect(ask({ ...deep, trance: null }, 'look', { tranceToken: true })).not.toHaveProperty('model_tier_lead')
    expect(ask(deep, 'look')).not.toHaveProperty('model_tier_lead')
  })
})

describe('the artifact', () => {
  const table = tableOf([who('map', { triggers: ['look'] }), who('mend', { triggers: ['mend'] })], {
    templates: [template('t', ['map', 'mend'])],
  })

  test('[R5] carries what was found out about an envelope, and scores only when asked', () => {
    const verdict = { verdict: 'tamper', mode: 'warn', envelope: 'a.envelope.json' }
    expect(ask(table, 'look', {}, { incomingVerify: verdict }).incoming_verify).toEqual(verdict)
    expect(ask(table, 'look')).not.toHaveProperty('incoming_verify')
    expect(ask(table, 'look')).not.toHaveProperty('_scores')
    expect(ask(table, 'mend, map', {}, { explain: true })._scores).toEqual([
      { name: 'mend', class: 'mend', score: 1, raw: 1, named: true },
      { name: 'map', class: 'map', score: 0.5, raw: 0, named: true },
    ])
  })

  test('[R9] the same is the same, byte by byte, for any text and context', () => {
    const words = fc.array(fc.constantFrom('look', 'mend', 'map', 'the', '?', '. ', 'a/b', '\n', 'é', '`x`', '3', 'until', 'add'), {
      maxLength: 12,
    })
    const some = fc.record({ surfaceFiles: fc.nat(50), tranceToken: fc.boolean(), priorFailure: fc.boolean() })
    const twice = [compileTable(table), compileTable(structuredClone(table))]
    fc.assert(
      fc.property(words, some, (pieces, context) => {
        const [first, second] = twice.map((one) => JSON.stringify(strict(one, pieces.join(' '), { context, options: { explain: true } })))
        expect(first).toBe(second)
      }),
      { numRuns: 300, seed: 3 },
    )
  })

  test('[R9] of a very long text the beginning is looked at, and that is said', () => {
    const text = `look ${'x '.repeat(500_000)} mend`
    const answer = ask(table, text)
    expect(answer).toMatchObject({ decision: 'dispatch', selected: ['map'] })
    expect(answer.assumptions).toEqual([`[GAP] only the first 16384 of ${text.length} characters were looked at`])
  })

  test('[R9] a thousand members and hostile phrases take no time', () => {
    const members = Array.from({ length: 1_000 }, (_, at) =>
      who(`m${at}`, { triggers: [`a ${'a '.repeat(at % 60)}b`, `(a+)+${at}`, 'a a a a'] }),
    )
    const compiled = compileTable(tableOf(members))
    const text = 'a '.repeat(500_000)
    const run = (): number => {
      const started = performance.now()
      strict(compiled, text, { context: {}, options: {} })
      return performance.now() - started
    }
    run()
    expect(Math.min(run(), run(), run())).toBeLessThan(50)
  })
})
