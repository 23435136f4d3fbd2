import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import type { Condition, Rule, RuleSet } from '../configuration.ts'
import type { Step } from '../conversation.ts'
import { type TestMemory, testMemory, testStep } from '../testing.ts'
import { checkRules, compileRules, RulesError, RulesFault, type RulesOptions, type RulesRooms, ruleLimits, rulesStep } from './rules.ts'

type Configs = { readonly [key: string]: string }

const condition = (type: string, configs: Configs = {}, conditions: readonly Condition[] = []): Condition => ({ type, configs, conditions })
const rule = (name: string, conditions: readonly Condition[] = [], actions: readonly string[] = [`do_${name}`]): Rule => ({
  name,
  actions,
  conditions,
})
const not = (...children: readonly Condition[]) => condition('negation', {}, children)
const setOf = (groups: readonly (readonly Rule[])[], more: Partial<RuleSet> & { readonly strategy?: 'executeAll' } = {}): RuleSet => ({
  behaviorGroups: groups.map((rules, at) => ({
    name: `group ${at}`,
    executionStrategy: more.strategy ?? 'executeUntilFirstSuccess',
    rules,
  })),
  appendActions: more.appendActions ?? true,
  expressionsAsActions: more.expressionsAsActions ?? false,
})

const rooms: RulesRooms = { data: () => ({}), capabilities: () => [], environment: 'production', tags: [], render: (text) => text }

type Running = TestMemory & { readonly rooms?: Partial<RulesRooms>; readonly options?: RulesOptions }

function run(set: RuleSet, given: Running = {}) {
  const memory = testMemory(given)
  rulesStep(compileRules(set), memory, { ...rooms, ...given.rooms }, given.options)
  const { current } = memory
  return {
    success: current.get('behavior_rules:success'),
    fail: current.get('behavior_rules:fail'),
    actions: current.get('actions'),
    current,
  }
}

const holds = (one: Condition, given: Running = {}): boolean => run(setOf([[rule('r', [one])]]), given).success !== undefined

const yes = condition('dynamicvaluematcher', { valuePath: 'yes' })
const no = condition('dynamicvaluematcher', { valuePath: 'no' })
const truth = { rooms: { data: () => ({ yes: true, no: false }) } }

describe('groups and actions', () => {
  test('[Y22] the first success ends its own group only; what failed before it is kept', () => {
    const set = setOf([[rule('a', [no]), rule('b', [yes]), rule('c')], [rule('d')]])
    expect(run(set, truth)).toMatchObject({ success: ['b', 'd'], fail: ['a'], actions: ['do_b', 'do_d'] })
  })

  test('[Y22] executeAll looks at every rule', () => {
    const set = setOf([[rule('a', [no]), rule('b'), rule('c', [yes])]], { strategy: 'executeAll' })
    expect(run(set, truth)).toMatchObject({ success: ['b', 'c'], fail: ['a'] })
  })

  test('[Y23] actions are appended, each once; they are public and templates see them', () => {
    const set = setOf([[rule('a', [], ['x', 'y', 'x'])]])
    const { current, actions } = run(set, { current: { actions: ['w', 'y'] } })
    expect(actions).toEqual(['w', 'y', 'x'])
    expect(current.output['actions']).toEqual(['w', 'y', 'x'])
    expect(current.data.find(({ key }) => key === 'actions')?.isPublic).toBe(true)
    expect(current.data.find(({ key }) => key === 'behavior_rules:success')?.isPublic).toBe(false)
  })

  test('[Y23] replaced, unless no rule gave any', () => {
    const before = { current: { actions: ['w'] } }
    expect(run(setOf([[rule('a')]], { appendActions: false }), before).actions).toEqual(['do_a'])
    expect(run(setOf([[rule('a', [no])]], { appendActions: false }), before).actions).toEqual(['w'])
    expect(run(setOf([[rule('a')]]), { ...before, options: { appendActions: false } }).actions).toEqual(['do_a'])
  })

  test('[Y23] expressions as actions are the outer names, behind those of rules', () => {
    const given = { current: { 'expressions:parsed': 'greeting(hello), unknown(foo), greeting(hi)' } }
    expect(run(setOf([[rule('a')]], { expressionsAsActions: true }), given).actions).toEqual(['do_a', 'greeting', 'unknown'])
    expect(run(setOf([[]]), { ...given, options: { expressionsAsActions: true } }).actions).toEqual(['greeting', 'unknown'])
    expect(run(setOf([[]]), given).actions).toBeUndefined()
  })

  test('[Y23] what an earlier set of the same step found stays', () => {
    const { success } = run(setOf([[rule('b')]]), { current: { 'behavior_rules:success': ['a'] } })
    expect(success).toEqual(['a', 'b'])
  })
})

describe('conditions', () => {
  const said = (text: Json): Running => ({ current: { 'expressions:parsed': text } })

  test('[Y21] inputmatcher finds expressions in one piece and in their order', () => {
    const find = (expressions: string) => condition('inputmatcher', { expressions })
    expect(holds(find('greeting(*)'), said('unknown(x), greeting(hi)'))).toBe(true)
    expect(holds(find('a, b'), said('x, a, b, y'))).toBe(true)
    expect(holds(find('a, b'), said('a, x, b'))).toBe(false)
    expect(holds(find('*'), said(null))).toBe(false)
    expect(holds(find('empty'), said(null))).toBe(true)
    expect(holds(find('empty'), said('a'))).toBe(false)
  })

  test('[Y21] actionmatcher is case-sensitive and knows steps that have no actions', () => {
    const find = (actions: string) => condition('actionmatcher', { actions })
    const done = (...actions: string[]): Running => ({ current: { actions } })
    expect(holds(find('b , c'), done('a', 'b', 'c'))).toBe(true)
    expect(holds(find('a, c'), done('a', 'b', 'c'))).toBe(false)
    expect(holds(find('A'), done('a'))).toBe(false)
    expect(holds(find('empty'), done())).toBe(true)
  })

  test('[Y21] occurrence of a match: this step, the last, any, none', () => {
    const find = (occurrence: string) => condition('actionmatcher', { actions: 'a', occurrence })
    const past = [testStep({ actions: ['a'] }), testStep({ actions: ['b'] })]
    expect([holds(find('lastStep'), { past }), holds(find('anyStep'), { past }), holds(find('never'), { past })]).toEqual([
      false,
      true,
      false,
    ])
    expect(holds(find('lastStep'), { past: past.slice(0, 1) })).toBe(true)
    expect(holds(find('lastStep'))).toBe(false)
    expect(holds(find('never'), { current: { actions: ['a'] } })).toBe(false)
    expect(holds(find('never'))).toBe(true)
  })

  test('[Y21] contextmatcher: type and value must fit', () => {
    const context = (type: string, value: Json): Running => ({ current: { 'context:k': { type, value } } })
    const find = (contextType: string, more: Configs) => condition('contextmatcher', { contextKey: 'k', contextType, ...more })
    expect(holds(find('string', { string: 'x' }), context('string', 'x'))).toBe(true)
    expect(holds(find('string', { string: 'x' }), context('expressions', 'x'))).toBe(false)
    expect(holds(find('expressions', { expressions: 'a(*)' }), context('expressions', 'b, a(c)'))).toBe(true)
    const user = context('object', { name: { first: 'Ann' }, age: 7, gone: null, ids: [1, 2] })
    expect(holds(find('object', { objectKeyPath: 'name.first' }), user)).toBe(true)
    expect(holds(find('object', { objectKeyPath: '$.age', objectValue: '7' }), user)).toBe(true)
    expect(holds(find('object', { objectKeyPath: '$.ids[*]', objectValue: '2' }), user)).toBe(true)
    expect(holds(find('object', { objectKeyPath: '$..first', objectValue: 'Bob' }), user)).toBe(false)
    expect(holds(find('object', { objectKeyPath: 'gone' }), user)).toBe(false)
    expect(holds(find('object', { objectKeyPath: 'constructor' }), user)).toBe(false)
    expect(holds(find('object', { objectKeyPath: 'name' }), context('array', [{ name: 'x' }]))).toBe(false)
  })

  test('[Y21] negation is the opposite of all together; connectors know AND and OR', () => {
    const or = (...children: Condition[]) => condition('connector', { operator: 'OR' }, children)
    const and = (...children: Condition[]) => condition('connector', {}, children)
    expect(holds(not(yes, no), truth)).toBe(true)
    expect(holds(not(yes, yes), truth)).toBe(false)
    expect([holds(or(no, yes), truth), holds(or(no, no), truth)]).toEqual([true, false])
    expect([holds(and(yes, yes), truth), holds(and(no, yes), truth)]).toEqual([true, false])
    expect(holds(condition('connector', { operator: 'xor' }, [no, yes]), truth)).toBe(true)
  })

  test('[Y21] occurrence counts successes of a rule over all steps', () => {
    const success = (...names: string[]): Step => testStep({ 'behavior_rules:success': names })
    const count = (configs: Configs) => condition('occurrence', { behaviorRuleName: 'g', ...configs })
    const past = [success('g'), success('g', 'x')]
    expect(holds(count({ maxTimesOccurred: '0' }))).toBe(true)
    expect(holds(count({ maxTimesOccurred: '1' }), { past })).toBe(false)
    expect(holds(count({ minTimesOccurred: '2', maxTimesOccurred: '2' }), { past })).toBe(true)
    expect(holds(count({ minTimesOccurred: '3' }), { past, current: { 'behavior_rules:success': ['g'] } })).toBe(true)
  })

  test('[Y21] dependency asks the rules of that name in the whole set; an unknown one fails', () => {
    const depends = (reference: string) => rule('r', [condition('dependency', { reference })])
    expect(run(setOf([[depends('other')], [rule('other', [yes])]]), truth).success).toEqual(['r', 'other'])
    expect(run(setOf([[depends('other')], [rule('other', [no])]]), truth).success).toBeUndefined()
    expect(run(setOf([[depends('nobody')]])).fail).toEqual(['r'])
  })

  test('[Y21] values and sizes by paths', () => {
    const data: Running = { rooms: { data: () => ({ name: 'Ann', n: '42', list: [1, 2, 3] }) } }
    expect(holds(condition('dynamicvaluematcher', { valuePath: 'name', contains: 'nn' }), data)).toBe(true)
    expect(holds(condition('dynamicvaluematcher', { valuePath: 'name', equals: 'Bob' }), data)).toBe(false)
    expect(holds(condition('sizematcher', { valuePath: 'list', equal: '3' }), data)).toBe(true)
    expect(holds(condition('sizematcher', { valuePath: 'n', min: '40', max: '41' }), data)).toBe(false)
    expect(holds(condition('sizematcher', { valuePath: 'nothing', max: '0' }), data)).toBe(true)
  })

  test('[Y26] older paths: the length of a text, and whether two values differ', () => {
    const data: Running = { rooms: { data: () => ({ a: { in: '123456' }, b: { in: '12345' }, c: { length: 2 } }) } }
    expect(holds(condition('sizematcher', { valuePath: 'a.in.length', equal: '6' }), data)).toBe(true)
    expect(holds(condition('sizematcher', { valuePath: 'c.length', equal: '2' }), data)).toBe(true)
    expect(holds(condition('dynamicvaluematcher', { valuePath: 'a.in != b.in', equals: 'true' }), data)).toBe(true)
    expect(holds(condition('dynamicvaluematcher', { valuePath: 'a.in == b.in' }), data)).toBe(false)
  })

  test('[Y21] attachments by their types', () => {
    const find = (mimeType: string, minCount = '') => condition('contentTypeMatcher', { mimeType, minCount })
    const attachments = ['image/png', 'image/jpeg', 'application/pdf']
    expect([holds(find('image/*', '2'), { attachments }), holds(find('image/*', '3'), { attachments })]).toEqual([true, false])
    expect([holds(find('*/*'), { attachments }), holds(find('image'), { attachments }), holds(find('IMAGE/*'), { attachments })]).toEqual([
      true,
      false,
      false,
    ])
    expect(holds(find('image/png', '0'))).toBe(false)
  })

  test('[Y26] capabilityMatch renders its skill, and keeps whom it found', () => {
    const asked: string[] = []
    const capabilities: RulesRooms['capabilities'] = (skill, strategy) => {
      asked.push(`${skill}/${strategy}`)
      return ['one', 'two']
    }
    const find = condition('capabilityMatch', { skill: '{properties.skill}', minResults: '2' })
    const given = { rooms: { capabilities, render: () => 'translation' } }
    const { success, current } = run(setOf([[rule('r', [find])]]), given)
    expect([success, asked]).toEqual([['r'], ['translation/highest_confidence']])
    expect(current.get('capabilityMatch.results')).toEqual(['one', 'two'])
    expect(holds(condition('capabilityMatch', { skill: 'x', minResults: '3' }), given)).toBe(false)
    expect(holds(find, { rooms: { capabilities, render: () => '  ' } })).toBe(false)
  })

  test('[Y21] deploymentContext compares without case', () => {
    const where = (configs: Configs) => condition('deploymentContext', configs)
    const given = { rooms: { environment: 'PRODUCTION', tags: ['high-risk'] } }
    expect(holds(where({ when: 'production', tagMatches: 'HIGH-RISK' }), given)).toBe(true)
    expect([holds(where({ when: 'test' }), given), holds(where({ tagMatches: 'low' }), given), holds(where({ when: ' ' }), given)]).toEqual(
      [false, false, true],
    )
  })
})

describe('work', () => {
  test('[Y21] equal conditions are looked at once a run, and data is made once, only when it is asked for', () => {
    let [made, asked] = [0, 0]
    const counted: Running = {
      rooms: {
        data: () => ({ yes: made++ >= 0 }),
        capabilities: () => {
          asked++
          return []
        },
      },
    }
    const find = condition('capabilityMatch', { skill: 'x' })
    run(setOf([Array.from({ length: 50 }, (_, at) => rule(`r${at}`, [yes, find]))]), counted)
    expect([made, asked]).toEqual([1, 1])
    run(setOf([[rule('plain')]]), counted)
    expect(made).toBe(1)
  })

  test('[Y21] 500 rules are read and run in a few milliseconds', () => {
    const rules = Array.from({ length: 500 }, (_, at) =>
      rule(`r${at}`, [
        condition('actionmatcher', { actions: `a${at}`, occurrence: 'lastStep' }),
        not(condition('inputmatcher', { expressions: `e${at}(*)` })),
      ]),
    )
    const set = setOf([rules], { strategy: 'executeAll' })
    const start = performance.now()
    const compiled = compileRules(set)
    rulesStep(compiled, testMemory({ past: [testStep({ actions: ['a7'] })] }), rooms)
    expect(performance.now() - start).toBeLessThan(100)
  })
})

describe('faults', () => {
  const faultsOf = (...conditions: readonly Condition[]) => checkRules(setOf([[rule('R', conditions)]]))

  test.each([
    [condition('actionmatcher', { action: 'x' }), ['actionmatcher needs "actions"', '"action" is not known']],
    [condition('actionmatcher', { actions: 'x', occurrence: 'lastSteps' }), ['lastSteps', 'currentStep, lastStep, anyStep, never']],
    [condition('inputmatcher'), ['"expressions"']],
    [condition('negation'), ['negation needs "conditions"']],
    [condition('connector', { operator: 'AND' }), ['connector needs "conditions"']],
    [condition('occurrence', { maxTimesOccurred: '3' }), ['behaviorRuleName']],
    [condition('occurrence', { behaviorRuleName: 'g' }), ['minTimesOccurred', 'maxTimesOccurred']],
    [condition('occurrence', { behaviorRuleName: 'g', minTimesOccurred: 'often' }), ['"often"', 'whole number']],
    [condition('contextmatcher', { contextType: 'string', string: 'x' }), ['"contextKey"']],
    [condition('contextmatcher', { contextKey: 'k' }), ['"contextType"', 'expressions, object, string']],
    [condition('contextmatcher', { contextKey: 'k', contextType: 'array' }), ['"array"', 'expressions, object, string']],
    [condition('contextmatcher', { contextKey: 'k', contextType: 'string' }), ['"string"']],
    [condition('contextmatcher', { contextKey: 'k', contextType: 'object', objectKeyPath: '$.a[?(@.b)]' }), ['a filter, "[?(@.b)]"']],
    [condition('dynamicvaluematcher'), ['valuePath']],
    [condition('sizematcher', { valuePath: 'a' }), ['"min", "max" or "equal"']],
    [condition('contentTypeMatcher'), ['mimeType']],
    [condition('capabilityMatch', { skill: 'x', strategy: 'best' }), ['highest_confidence, round_robin, all']],
    [condition('dependency'), ['reference']],
    [condition('nosuchmatcher'), ['nosuchmatcher', 'inputmatcher']],
    [not(condition('nosuchmatcher')), ['in negation', 'nosuchmatcher']],
    [condition('inputmatcher', { expressions: '('.repeat(5000) }), ["can't be read"]],
  ])('[Y20] %o is refused, naming the rule and what is missing or allowed', (one, parts) => {
    const faults = faultsOf(one)
    expect(faults.length).toBeGreaterThan(0)
    for (const part of ['Rule "R"', one.type, ...parts]) expect(faults.join(' ')).toContain(part)
    expect(() => compileRules(setOf([[rule('R', [one])]]))).toThrow(RulesFault)
  })

  test('[Y20] all faults of all rules are told at once; equal conditions are named in each rule', () => {
    const bad = condition('negation')
    const faults = checkRules(setOf([[rule('a', [bad]), rule('b', [bad, condition('inputmatcher')])]]))
    expect(faults.map((fault) => fault.slice(0, 8))).toEqual(['Rule "a"', 'Rule "b"', 'Rule "b"'])
  })

  test('[Y20] a rule without a name is named by its number', () => {
    expect(checkRules(setOf([[rule('a'), rule('', [condition('negation')])]]))).toEqual([expect.stringContaining('Rule 2 of the group')])
    expect(run(setOf([[rule('', [], ['x'])]]))).toMatchObject({ success: undefined, actions: ['x'] })
  })

  test('[Y20] rules that depend on each other in a circle, or in too long a chain, are named', () => {
    const asks = (name: string, reference: string) => rule(name, [not(condition('dependency', { reference }))])
    expect(checkRules(setOf([[asks('a', 'b'), asks('b', 'c'), asks('c', 'b')]]))).toEqual([
      expect.stringMatching(/"b" -> "c" -> "b"|"c" -> "b" -> "c"/),
    ])
    const chain = Array.from({ length: 3000 }, (_, at) => asks(`r${at}`, `r${at + 1}`))
    expect(checkRules(setOf([chain]))).toEqual([expect.stringContaining('more than 100 rules')])
  })

  test('[Y20] what is too deep or too much is refused before it is read', () => {
    let deep = yes
    for (let at = 0; at < 20_000; at++) deep = not(deep)
    expect(checkRules(setOf([[rule('R', [deep])]]))).toEqual([expect.stringContaining('deep')])
    const many = Array.from({ length: ruleLimits.rules + 1 }, (_, at) => rule(`r${at}`))
    expect(checkRules(setOf([many]))).toEqual([expect.stringContaining('too large')])
    const wrong = Array.from({ length: 200 }, (_, at) => rule(`r${at}`, [condition('negation')]))
    expect(checkRules(setOf([wrong]))).toHaveLength(ruleLimits.faults)
  })

  test('[Y24] a condition that can not be looked at ends the run, naming rule and condition; the step stays as it was', () => {
    const capabilities = (): never => {
      throw new Error('the registry is away')
    }
    const memory = testMemory({ current: { actions: ['w'] } })
    const set = setOf(
      [
        [
          rule('fine', [], ['x']),
          rule('R', [condition('connector', { operator: 'OR' }, [condition('capabilityMatch', { skill: 's' }), yes])]),
        ],
      ],
      {
        strategy: 'executeAll',
      },
    )
    const step = () => rulesStep(compileRules(set), memory, { ...rooms, capabilities })
    expect(step).toThrow(RulesError)
    expect(step).toThrow(/"R".*capabilityMatch.*the registry is away\./)
    expect(memory.current.get('actions')).toEqual(['w'])
  })
})
