import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, type PolicyFacts } from './decide.ts'
import { type Grant, grantScopes, type Plan, permissionModes, risks, taints } from './decision.ts'
import { covers } from './grant.ts'
import { effects, levels } from './levels.ts'
import { isWithin, matches, parsePattern } from './pattern.ts'
import { parseRules } from './rule.ts'
import { command, facts, grant, plan, rules, somewhere, where } from './testing.ts'

const path = fc
  .array(fc.constantFrom('src', 'a.ts', '.env', 'lib', 'x'), { minLength: 0, maxLength: 3 })
  .map((parts) => ['/work/shop', ...parts].join('/'))
const url = fc.array(fc.constantFrom('a', 'b', '?q=1'), { maxLength: 2 }).map((parts) => ['https://example.org', ...parts].join('/'))
const line = fc.constantFrom(
  'npm test',
  'npm test --watch',
  'rm -rf build',
  'rm a',
  'git push --force',
  'cat .env',
  'sudo ls',
  'curl https://x.org',
)
const plans: fc.Arbitrary<Plan> = fc
  .record({
    capability: fc.constantFrom('fs.read', 'fs.write', 'exec', 'exec.network', 'web.read', 'web.send', 'documents.write', 'none'),
    risk: fc.constantFrom(...risks),
    outward: fc.boolean(),
    destructive: fc.boolean(),
    target: fc.oneof(path, url, line),
  })
  .map((given) => plan(given))
const resources = fc.oneof(
  fc.constant('*'),
  path,
  url,
  line,
  path.map((text) => `${text}/**`),
  url.map((text) => `${text}/**`),
  fc.constant('npm **'),
)
const ruleLines = fc.record({
  id: fc.nat(1_000).map((at) => `r${at}`),
  effect: fc.constantFrom(...effects),
  capability: fc.constantFrom('*', 'fs.*', 'fs.write', 'exec', 'web.*', 'web.read'),
  resource: resources,
  agent: fc.constantFrom('*', 'coder', 'scout'),
})
const someRules = fc
  .array(fc.tuple(fc.constantFrom(...levels.slice(0, -1)), ruleLines), { maxLength: 6 })
  .map((all) => all.flatMap(([level, rule]) => parseRules(JSON.stringify({ rules: [rule] }), { level, place: 'p' }).rules))
const grants: fc.Arbitrary<Grant> = fc
  .record({
    capability: fc.constantFrom('fs.*', 'fs.write', 'exec', 'web.read', 'web.*'),
    resource: resources,
    scope: fc.constantFrom(...grantScopes),
    taint: fc.constantFrom(...taints),
    maxRisk: fc.constantFrom(...risks),
    subject: fc.constantFrom('*', 'coder', 'scout'),
  })
  .map((given) =>
    grant({
      ...given,
      within: { once: somewhere.turn, step: somewhere.turn, run: somewhere.run, project: 'shop', always: null }[given.scope],
    }),
  )
const someFacts: fc.Arbitrary<PolicyFacts> = fc
  .record({
    mode: fc.constantFrom(...permissionModes),
    rules: someRules,
    grants: fc.array(grants, { maxLength: 5 }),
    taint: fc.constantFrom(...taints),
  })
  .map(({ taint, ...given }) => facts({ ...given, where: where({ taint }) }))

const openness = { deny: 0, ask: 1, allow: 2 } as const
const open = (what: Plan, given: PolicyFacts) => openness[decide(what, given).effect]

describe('[D14] properties of every decision', () => {
  test('one more deny never allows more', () => {
    fc.assert(
      fc.property(plans, someFacts, fc.constantFrom(...levels.slice(0, -1)), ruleLines, (what, given, level, rule) => {
        const more = parseRules(JSON.stringify({ rules: [{ ...rule, id: 'more', effect: 'deny' }] }), { level, place: 'p' }).rules
        expect(more).toHaveLength(1)
        expect(open(what, { ...given, rules: [...given.rules, ...more] })).toBeLessThanOrEqual(open(what, given))
      }),
      { numRuns: 800 },
    )
  })

  test('more taint never allows more', () => {
    fc.assert(
      fc.property(plans, someFacts, (what, given) => {
        const by = taints.map((taint) => open(what, { ...given, where: where({ taint }) }))
        expect(by[0]).toBeGreaterThanOrEqual(by[1] ?? 0)
        expect(by[1]).toBeGreaterThanOrEqual(by[2] ?? 0)
      }),
      { numRuns: 800 },
    )
  })

  test('a narrower grant never allows more', () => {
    const narrowings: fc.Arbitrary<(one: Grant) => Grant> = fc.oneof(
      resources.map(
        (resource) => (one: Grant) => (isWithin(parsePattern(resource), parsePattern(one.resource)) ? { ...one, resource } : one),
      ),
      fc.constantFrom(...risks).map((maxRisk) => (one: Grant) => (maxRisk <= one.maxRisk ? { ...one, maxRisk } : one)),
      fc.constant((one: Grant) => ({ ...one, expiresAt: 1 })),
      fc.constant((one: Grant) => ({ ...one, revokedAt: 1 })),
      fc.constant((one: Grant) => ({ ...one, scope: 'once' as const, within: somewhere.turn })),
      fc.constant((one: Grant) => ({ ...one, taint: 'none' as const })),
    )
    fc.assert(
      fc.property(plans, someFacts, grants, narrowings, (what, given, one, narrow) => {
        expect(open(what, { ...given, grants: [...given.grants, narrow(one)] })).toBeLessThanOrEqual(
          open(what, { ...given, grants: [...given.grants, one] }),
        )
      }),
      { numRuns: 800 },
    )
  })

  test('the floor beats every combination of rules and grants', () => {
    const below: readonly Plan[] = [
      plan({ capability: 'fs.read', target: '/home/ada/.steward/steward.db', risk: 'R0' }),
      plan({ target: '/work/shop/.git/hooks/x', risk: 'R0' }),
      command('rm -rf /', { risk: 'R0' }),
      command('curl localhost:4180', { risk: 'R0' }),
    ]
    fc.assert(
      fc.property(fc.constantFrom(...below), someFacts, (what, given) => {
        const all = [...given.rules, ...rules('instruction', 'effect: allow, capability: "*"')]
        const decision = decide(what, {
          ...given,
          rules: all,
          grants: [...given.grants, grant({ capability: what.capability, resource: '*' })],
        })
        expect(decision).toMatchObject({ effect: 'deny', rule: { level: 'floor' } })
      }),
    )
  })

  test('a broken document never allows more than any whole one', () => {
    const faults = [{ place: 'p', line: 1, message: 'broken' }]
    fc.assert(
      fc.property(plans, someFacts, (what, given) => {
        expect(open(what, { ...given, faults })).toBeLessThanOrEqual(open(what, given))
      }),
    )
  })

  test('the order of rules and grants makes no difference, and nothing is kept between two decisions', () => {
    fc.assert(
      fc.property(plans, someFacts, (what, given) => {
        const once = decide(what, given)
        expect(decide(what, { ...given, rules: [...given.rules].reverse() })).toMatchObject({ effect: once.effect, rule: once.rule })
        expect(decide(what, given)).toEqual(once)
      }),
    )
  })

  test('nothing above R3 runs by a rule or a grant; what is outward and tainted by foreign text only by a yes of that time', () => {
    fc.assert(
      fc.property(plans, someFacts, (what, given) => {
        const { effect, risk, grant: by } = decide(what, given)
        if (risk > 'R3') expect(effect).not.toBe('allow')
        if (given.where.taint !== 'foreign' || !(what.outward || what.destructive) || effect !== 'allow') return
        expect(given.grants.find(({ id }) => id === by)).toBeDefined()
        expect(given.grants.some((one) => one.taint === 'foreign' && one.scope !== 'always')).toBe(true)
      }),
      { numRuns: 800 },
    )
  })
})

describe('patterns', () => {
  test('what is within a pattern matches no more than it', () => {
    fc.assert(
      fc.property(resources, resources, fc.oneof(path, url, line), (inner, outer, target) => {
        if (isWithin(parsePattern(inner), parsePattern(outer)) && matches(parsePattern(inner), target))
          expect(matches(parsePattern(outer), target)).toBe(true)
      }),
      { numRuns: 800 },
    )
  })

  test.each([
    ['/work/shop/**', '/work/shop', true],
    ['/work/shop/**', '/work/shop/a', true],
    ['/work/shop/**', '/work/shopping', false],
    ['/work/shop/**', '/work/shop/../x', false],
    ['https://example.org/**', 'https://example.org', true],
    ['https://example.org/**', 'https://example.org?x=1', true],
    ['https://example.org/**', 'https://example.org.evil.net/', false],
    ['https://example.org/**', 'https://example.org/%2e%2e/x', false],
    ['https://example.org/a/**', 'https://example.org/ab', false],
    ['npm run **', 'npm run build', true],
    ['npm run **', 'npm running', false],
    ['npm test', 'npm test', true],
    ['npm test', 'npm test x', false],
    ['=rm /a/**', 'rm /a/**', true],
    ['=rm /a/**', 'rm /a/b', false],
    ['*', 'anything', true],
  ])('%s and %s: %s', (pattern, target, expected) => {
    expect(matches(parsePattern(pattern), target)).toBe(expected)
  })
})

test('[D14] a decision takes less than 50 microseconds', () => {
  const many = Array.from({ length: 60 }, (_, at) => rules('user', `effect: allow, capability: exec, resource: npm run task${at}`)).flat()
  const given = facts({
    rules: many,
    grants: Array.from({ length: 50 }, (_, at) => grant({ id: `g${at}`, resource: `/work/shop/${at}/**` })),
  })
  const all = [
    plan(),
    command('npm test'),
    command('rm -rf build && git push --force'),
    plan({ capability: 'web.read', target: 'https://example.org/a', outward: true }),
  ]
  for (let i = 0; i < 2_000; i++) for (const one of all) decide(one, given)
  const taken = Array.from({ length: 20 }, () => {
    const start = performance.now()
    for (let i = 0; i < 250; i++) for (const one of all) decide(one, given)
    return ((performance.now() - start) * 1_000) / (250 * all.length)
  }).sort((a, b) => a - b)
  process.stderr.write(`a decision: ${taken[0]?.toFixed(1)} µs at best, ${taken[10]?.toFixed(1)} µs in the middle\n`)
  expect(taken[0]).toBeLessThan(50)
  expect(covers(grant(), { capability: 'x', target: 'x', risk: 'R0', grave: false, where: somewhere, now: 0 })).toBe(false)
})
