import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../base/root.ts'
import { firstThresholds, joinRouting } from './cascade.ts'
import { withoutRule, withRule } from './rule-document.ts'
import { parseRouting, ruleIdOf } from './rules.ts'

const bundled = readFileSync(join(packageRoot, 'bundled', 'routing.yaml'), 'utf8')
const messages = (text: string) => parseRouting(text, 'routing.yaml (project shop)').faults.map(({ message }) => message)

describe('reading', () => {
  test('the bundled document has no faults, and says the same thresholds as the code', () => {
    const { document, faults } = parseRouting(bundled, 'routing.yaml (bundled)')
    expect(faults).toEqual([])
    expect(document?.thresholds).toEqual(firstThresholds)
    expect(document?.mode).toBe('hint')
    expect([...(document?.keywords ?? [])]).toEqual([
      ['data', []],
      ['agenda', []],
      ['action', []],
    ])
  })

  test('an empty document says nothing', () => {
    expect(parseRouting('', 'x')).toEqual({
      document: { mode: null, thresholds: {}, deep: null, keywords: new Map(), signals: [], templates: [], rules: [] },
      faults: [],
    })
  })

  test('each fault has its line and what is allowed', () => {
    expect(messages('routing: hint\nthresholds:\n  tau: 0.5\n')).toEqual([
      expect.stringContaining('routing.yaml (project shop), line 3: thresholds has the unknown "tau"; allowed are keywords, tauStandard'),
    ])
    expect(messages('routing: maybe\n')).toEqual(['routing.yaml (project shop), line 1: routing is one of hint, direct.'])
    expect(messages('thresholds:\n  keywords: 1.5\n')[0]).toContain('line 2')
    expect(messages('keywords:\n  Data: [a]\n')[0]).toContain("allowed is an agent's name")
    expect(messages('rules:\n  - when: [a]\n    to: x\n  - to: y\n')[0]).toContain('line 4')
    expect(messages('rules:\n  - {when: [], to: x}\n')[0]).toContain('at least one phrase')
    expect(messages('rules:\n  - {when: [a], to: x, at: yesterday}\n')[0]).toContain('rules.0.at')
    expect(messages('signals:\n  - {id: a, boost: {coder: 9}}\n')[0]).toContain('signals.0.boost.coder')
    expect(messages('signals:\n  - {id: a}\n  - {id: a}\n')).toEqual(['routing.yaml (project shop), line 3: "a" is there twice.'])
    expect(messages('extra: 1\n')[0]).toContain('allowed are routing, thresholds, deep, keywords, signals, templates, rules')
    expect(messages('- a\n')[0]).toContain('the document is missing or of the wrong kind')
    expect(messages('routing: [\n')[0]).toContain("the YAML can't be read")
  })

  test('a rule without an id has one that follows from what it says', () => {
    const rules = parseRouting('rules:\n  - {when: [Invoice, "  Due   Date ", invoice], to: data}\n', 'x').document?.rules
    expect(rules).toEqual([
      { id: ruleIdOf(['invoice', 'due date'], 'data'), when: ['invoice', 'due date'], to: 'data', from: null, at: 0, by: 'system' },
    ])
    expect(ruleIdOf(['a', 'b'], 'x')).toBe(ruleIdOf(['b', 'a'], 'x'))
  })
})

describe('hostile documents', () => {
  const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *${at === 0 ? 'a' : `b${at - 1}`}]`).join('\n')}\n`
  test.each([
    ['aliases', bomb, "the YAML can't be read"],
    ['one alias', 'routing: &a hint\nkeywords: {x: [*a]}\n', "the YAML can't be read"],
    ['size', `# ${'x'.repeat(300_000)}`, 'longer than'],
    ['depth', `rules: ${'['.repeat(50_000)}`, "the YAML can't be read"],
    ['many rules', `rules:\n${Array.from({ length: 501 }, (_, at) => `  - {when: [w${at}], to: x}`).join('\n')}\n`, 'rules'],
    ['a prototype', '__proto__: {routing: direct}\n', 'unknown'],
    ['a prototype in a list', 'keywords:\n  __proto__: [a]\n', ''],
    ['a key twice', 'routing: hint\nrouting: direct\n', '"routing" is there twice'],
    ['thousands of keys', Array.from({ length: 12_000 }, (_, at) => `k${at}: 1`).join('\n'), 'the document has the unknown'],
    ['a tag', 'routing: !!js/function "x"\n', ''],
    ['two documents', 'routing: hint\n---\nrouting: direct\n', "the YAML can't be read"],
  ])('%s is one fault, and no more', (_, text, said) => {
    const { document, faults } = parseRouting(text, 'x')
    expect(document === null || document.mode !== 'direct').toBe(true)
    if (said !== '') expect(faults[0]?.message).toContain(said)
  })
})

describe('the cascade', () => {
  const project = { level: 'project', scope: 'shop' } as const
  const home = { level: 'home', scope: '_user_ada' } as const
  const outer = { level: 'bundled', scope: 'bundled', text: bundled } as const

  test('thresholds one by one, a list as a whole, signals and templates by name, rules side by side', () => {
    const inner = `routing: direct\nthresholds: {keywords: 0.5}\nkeywords: {agenda: [calendar], data: [vault, note]}
signals: [{id: greenfield}, {id: mine, match: [hot], boost: {coder: 1}}]\ntemplates: [{name: explain}]\nrules: [{when: [a, b], to: data}]\n`
    const joined = joinRouting([outer, { ...project, text: inner }, { ...home, text: 'rules: [{when: [c], to: scout}]\n' }])
    expect(joined.mode).toBe('direct')
    expect(joined.thresholds).toEqual({ ...firstThresholds, keywords: 0.5 })
    expect([...joined.keywords]).toEqual([
      ['data', ['vault', 'note']],
      ['agenda', ['calendar']],
      ['action', []],
    ])
    const ids = joined.signals.map(({ id }) => id)
    expect(ids).toContain('mine')
    expect(ids).not.toContain('greenfield')
    expect(joined.templates.map(({ name }) => name)).not.toContain('explain')
    expect(joined.rules.map(({ when, level }) => [when, level])).toEqual([
      [['c'], 'home'],
      [['a', 'b'], 'project'],
    ])
  })

  test('a wrong document counts as if it were not there, and is named', () => {
    const joined = joinRouting([outer, { ...project, text: 'routing: direct\nthreshold: 1\n' }])
    expect(joined.mode).toBe('hint')
    expect(joined.faults).toHaveLength(1)
    expect(joined.faults[0]).toMatchObject({ place: 'routing.yaml (project shop)', line: 2 })
    expect(joined.version).toBe(joinRouting([outer]).version)
  })

  test('at one level the rule of more phrases is asked first, then the newest', () => {
    const text = `rules:
  - {id: old, when: [a], to: x, at: 2026-01-01T00:00:00Z}
  - {id: new, when: [b], to: x, at: 2026-02-01T00:00:00Z}
  - {id: long, when: [a, b], to: x, at: 2025-01-01T00:00:00Z}\n`
    expect(joinRouting([{ ...project, text }]).rules.map(({ id }) => id)).toEqual(['long', 'new', 'old'])
  })
})

describe('a rule in a document', () => {
  const rule = { id: 'rule-1', when: ['invoice', 'due date'], to: 'data', from: null, at: 0, by: 'user:ada' } as const
  test('is added and taken out, and all else stays', () => {
    const mine = '# my own words\nrouting: direct # because\n\nkeywords:\n  data: [vault]   # few\n'
    const added = withRule(mine, rule)
    expect(added).toContain('# my own words\nrouting: direct # because')
    expect(parseRouting(added, 'x').document?.rules).toEqual([rule])
    const two = withRule(added, { ...rule, id: 'rule-2', to: 'scout' })
    expect(parseRouting(two, 'x').document?.rules.map(({ id }) => id)).toEqual(['rule-1', 'rule-2'])
    const without = withoutRule(two, 'rule-1')
    expect(parseRouting(without ?? '', 'x').document?.rules.map(({ id }) => id)).toEqual(['rule-2'])
    expect(without).toContain('# few')
    expect(withoutRule(two, 'rule-3')).toBeNull()
  })
  test.each([
    ['nothing', null],
    ['an empty text', ''],
    ['a comment alone', '# only words\n'],
    ['an empty list', 'rules: []\n'],
  ])('is added to %s', (_, text) => {
    const added = withRule(text, rule)
    expect(parseRouting(added, 'x').document?.rules).toEqual([rule])
    if (text?.startsWith('#')) expect(added).toContain('# only words')
  })
})
