// Recorded facts about HUE's permissions and its order of policies, over our own decisions. What differs stands in docs/compatibility.md.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decide } from '../../src/policy/decide.ts'
import { type Decision, type GrantScope, type Plan, type Risk, risks } from '../../src/policy/decision.ts'
import { covers } from '../../src/policy/grant.ts'
import { type Level, strongest } from '../../src/policy/levels.ts'
import { parseRules } from '../../src/policy/rule.ts'
import { command, facts, grant, plan, where } from '../../src/policy/testing.ts'
import { describeShared } from '../shared.ts'

const scopes: Readonly<Record<string, GrantScope>> = {
  once: 'once',
  current_step: 'step',
  current_run: 'run',
  project_rule: 'project',
  global_rule: 'always',
}
const permission = z.looseObject({
  id: z.string(),
  risk: z.string().optional(),
  resource: z.string().optional(),
  path: z.string().optional(),
  scope: z.string().optional(),
  when: z.string().optional(),
  worker: z.string().optional(),
  expect: z.string(),
})
type Permission = z.infer<typeof permission>

/** What is checked elsewhere, by a test of ours that names the same thing. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/secret/, 'secrets: references before the append'],
  [/^pa-acp-/, 'outside agents over ACP come later; approvals.test.ts: a stopped turn takes back what it asked, a restart does not'],
  [/clarify/, 'questions are checked at the edge'],
  [/stale/, 'approvals.test.ts: a yes holds for exactly that call'],
]

const by = (what: Plan, given = {}): Decision => decide(what, facts(given))
const atRisk = (risk: Risk) =>
  plan({ tool: 'x', capability: 'mail.send', target: 'bob@example.org', risk, outward: risk === 'R3', preview: 'Dear Bob' })
const isRisk = (text: string | undefined): text is Risk => risks.some((risk) => risk === text)

/** What would happen, in the words of the case. */
function outcome(one: Permission): string {
  const { effect } = seen(one)
  return effect
}

function seen(one: Permission): Pick<Decision, 'effect' | 'scopes'> {
  if (one.path !== undefined) return by(plan({ capability: 'fs.read', target: pathOf(one.path), risk: 'R0' }))
  if (one.resource === 'allowed_roots' && isRisk(one.risk))
    return by(plan({ capability: 'fs.read', target: '/work/shop/a', risk: one.risk }))
  if (isRisk(one.risk)) return by(atRisk(one.risk))
  const scope = one.scope === undefined ? undefined : scopes[one.scope]
  if (scope === 'once') return by(plan(), { grants: [grant({ scope, within: where().turn })] })
  if (scope === 'run') return by(plan(), { grants: [grant({ scope, within: 'ent_of_a_run_that_is_over' })] })
  return special(one)
}

function special({ id, worker }: Permission): Pick<Decision, 'effect' | 'scopes'> {
  if (/expired/.test(id)) return by(plan(), { grants: [grant({ expiresAt: 999 })] })
  if (/revoked/.test(id)) return by(plan(), { grants: [grant({ revokedAt: 999 })] })
  if (/missing-root/.test(id))
    return by(plan({ capability: 'fs.read', target: '/work/shop/a', risk: 'R0' }), { ground: { ...facts().ground, roots: [] } })
  if (/self-expand/.test(id))
    return by(plan({ capability: 'grants.add', target: 'exec *' }), { where: where({ agent: { name: 'coder', pledge: ['*'] } }) })
  if (/undeclared-net/.test(id))
    return by(command('curl https://x.org', { capability: 'exec.network' }), {
      where: where({ agent: { name: 'plugin', pledge: ['exec'] } }),
    })
  if (/injection/.test(id))
    return by(plan({ capability: 'web.read', target: 'https://x.org', risk: 'R0', outward: true }), {
      where: where({ taint: 'foreign' }),
      mode: 'auto',
    })
  if (worker === 'reviewer') return by(plan(), { where: where({ agent: { name: 'reviewer', pledge: ['fs.read'] } }) })
  return by(plan())
}

/** As tools hand it over: links and `..` are resolved by then. */
function pathOf(path: string): string {
  if (path.includes('->')) return path.split('->')[1] ?? '/'
  return path.replace(/^root\/\.\.\//, '/work/').replace(/^root\//, '/work/shop/')
}

describeShared('[D4] HUE: permissions and approvals', 'hue/permissions-approvals.json', ({ rows, file }) => {
  const head = z.object({ risk_defaults: z.record(z.string(), z.string()), grant_scopes: z.array(z.string()) }).parse(file)

  test.each(Object.entries(head.risk_defaults))('[D4] %s by default: %s', (risk, said) => {
    if (!isRisk(risk)) throw new Error(`${risk} is no risk`)
    const { effect, scopes: may } = by(atRisk(risk))
    expect([/^allow/.test(said), effect === 'allow']).toEqual([effect === 'allow', /^allow/.test(said)])
    if (/strong|exceptional/.test(said)) expect(may).toEqual(['once'])
  })

  test('[D6] its scopes are ours', () => {
    expect(head.grant_scopes.map((one) => scopes[one])).toEqual(['once', 'step', 'run', 'project', 'always'])
  })

  test.each(rows.map((row) => permission.parse(row)).map((row) => [row.id, row] as const))('[D6] %s', (id, one) => {
    if (elsewhere.some(([pattern]) => pattern.test(id))) return
    const found = outcome(one)
    if (/^allow/.test(one.expect)) return expect(found).toBe('allow')
    // Asked each time, once only: docs/compatibility.md.
    if (one.risk === 'R5') return expect(seen(one)).toMatchObject({ effect: 'ask', scopes: ['once'] })
    if (/approval|confirmation/.test(one.expect)) return expect(found).toBe('ask')
    if (/preselected/.test(one.expect)) {
      const { scopes: may } = seen(one)
      return expect(may[0]).toBe('once')
    }
    // A yes that is over leaves the question: nothing runs without a new one.
    if (/^(second denied|deny, approval\.expired|next use denied)/.test(one.expect) || one.scope === 'current_run')
      return expect(found).not.toBe('allow')
    expect(found).toBe('deny')
  })
})

const levelNames: Readonly<Record<string, Level>> = {
  user_instruction: 'instruction',
  task_run_override: 'run',
  project_policy: 'project',
  global_user_policy: 'user',
  worker_class_default: 'agent',
  system_fallback: 'system',
}
const precedence = z.looseObject({ id: z.string(), expect: z.unknown() })

describeShared('[D1] HUE: precedence of policies', 'hue/policy-precedence.json', ({ rows, file }) => {
  const { routing_levels_high_to_low: levels } = z.looseObject({ routing_levels_high_to_low: z.array(z.string()) }).parse(file)

  test('[D1] the levels are ours, and safety stands above them all', () => {
    expect(levels[0]).toBe('safety_legal')
    expect(levels.slice(1).map((name) => levelNames[name])).toEqual(['instruction', 'run', 'project', 'user', 'agent', 'system'])
  })

  test.each(rows.map((row) => precedence.parse(row)).map((row) => [row.id, row] as const))('[D1] %s', (id, row) => {
    const values: Partial<Record<Level, string>> = {}
    for (const [name, level] of Object.entries(levelNames)) {
      const said = row[name]
      if (typeof said === 'string') values[level] = said.split('=').at(-1) ?? ''
    }
    if (Object.values(values).includes('<invalid>')) {
      const { faults, rules } = parseRules('rules: <invalid>', { level: 'project', place: 'policy.yaml' })
      expect(rules).toEqual([])
      return expect(by(plan({ capability: 'fs.read', risk: 'R0' }), { faults }).effect).toBe('deny')
    }
    if (Object.keys(values).length > 0) return expect(strongest(values)).toBe(row.expect)
    // Providers, their health and privacy are models' matter and tested there.
    expect(
      ['pp-fallback-keeps-privacy', 'pp-all-exhausted', 'pp-user-part-override'].includes(id) ||
        'primary' in row ||
        'fallbacks' in row ||
        'user' in row,
    ).toBe(true)
  })
})

describe('[D6] a yes reaches no further than it says', () => {
  test('[D6] in another project the grant of a project is none', () => {
    const asked = { capability: 'fs.write', target: '/work/shop/a', risk: 'R2', grave: false, now: 0 } as const
    const inShop = grant({ scope: 'project', within: 'shop' })
    expect(covers(inShop, { ...asked, where: where() })).toBe(true)
    expect(covers(inShop, { ...asked, where: where({ project: 'garden' }) })).toBe(false)
  })
})
