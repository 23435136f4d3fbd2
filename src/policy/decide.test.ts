import { describe, expect, test } from 'vitest'
import { decide } from './decide.ts'
import type { Plan, Risk } from './decision.ts'
import { command, facts, grant, plan, rules, where } from './testing.ts'

const by = (what: Plan, given = {}) => {
  const { effect, rule } = decide(what, facts(given))
  return `${effect} ${rule.id}`
}

describe('copies of a deep run', () => {
  const given = {
    rules: rules(
      'project',
      'effect: deny, capability: fs.read, resource: /work/shop/private/**',
      'effect: allow, capability: fs.read, resource: /work/shop/**',
    ),
  }
  const reading = (target: string, also?: readonly string[]) =>
    by(plan({ capability: 'fs.read', risk: 'R0', target, ...(also ? { also } : {}) }), given)

  test('[D17] what is denied for a file is denied for its copies, and nothing else changes', () => {
    expect(reading('/work/shop/private/a')).toMatch(/^deny/)
    expect(reading('/work/shop/.steward/run_x-s2/1/private/a')).toMatch(/^deny/)
    expect(reading('/work/shop/.steward/run_x-s2/12/open', ['/work/shop/.steward/run_x/2/private'])).toMatch(/^deny/)
    expect(reading('/work/shop/.steward/run_x-s2/1/open')).toMatch(/^allow/)
    expect(reading('/work/shop/.steward/notes/1/private/a')).toMatch(/^allow/)
  })
})

describe('permission modes', () => {
  const other = (risk: Risk) => plan({ tool: 'x', capability: 'mail.send', target: 'x', risk })
  test.each([
    ['read-only', ['allow', 'deny', 'deny', 'deny', 'deny', 'deny']],
    ['ask', ['allow', 'allow', 'ask', 'ask', 'ask', 'ask']],
    ['auto', ['allow', 'allow', 'allow', 'ask', 'ask', 'ask']],
  ] as const)('[D4] %s', (mode, effects) => {
    const risks: Risk[] = ['R0', 'R1', 'R2', 'R3', 'R4', 'R5']
    expect(risks.map((risk) => decide(other(risk), facts({ mode })).effect)).toEqual(effects)
  })

  test('[D4] what is above R3 is asked each time: once is all that is offered', () => {
    expect(decide(other('R3'), facts()).scopes).toEqual(['once', 'step', 'run', 'project', 'always'])
    expect(decide(other('R4'), facts()).scopes).toEqual(['once'])
    expect(decide(other('R5'), facts()).scopes).toEqual(['once'])
  })

  test('[D4] in a read-only session no grant and no rule lets anything but looking pass', () => {
    const given = { mode: 'read-only', grants: [grant({ resource: '*' })], rules: rules('run', 'effect: allow, capability: "*"') } as const
    expect(by(plan(), given)).toBe('deny read-only')
    expect(by(plan({ capability: 'fs.read', risk: 'R0' }), given)).toMatch(/^allow/)
  })

  test('[D4] auto asks about what is lost for good', () => {
    expect(by(command('rm notes.txt'), { mode: 'auto' })).toBe('ask auto.R2')
    expect(by(command('npm test'), { mode: 'auto' })).toBe('allow auto.R2')
  })
})

describe('precedence', () => {
  const allow = (level: Parameters<typeof rules>[0]) => rules(level, 'effect: allow, capability: fs.write')
  const deny = (level: Parameters<typeof rules>[0]) => rules(level, 'effect: deny, capability: fs.write')
  const ask = (level: Parameters<typeof rules>[0]) => rules(level, 'effect: ask, capability: fs.write')

  test('[D1] the stronger level decides: instruction, run, project, user, agent, system', () => {
    const order = ['instruction', 'run', 'project', 'user', 'agent', 'system'] as const
    for (const [at, strong] of order.entries()) {
      for (const weak of order.slice(at + 1)) {
        expect(by(plan(), { rules: [...deny(weak), ...allow(strong)] })).toBe(`allow ${strong}.r0`)
        expect(by(plan(), { rules: [...allow(weak), ...deny(strong)] })).toBe(`deny ${strong}.r0`)
      }
    }
  })

  test('[D1] at one level deny beats ask beats allow, then the more specific pattern, and the others are named', () => {
    expect(by(plan(), { rules: [...allow('user'), ...ask('user'), ...deny('user')] })).toBe('deny user.r0')
    expect(by(plan(), { rules: [...allow('user'), ...ask('user')] })).toBe('ask user.r0')
    const both = rules(
      'user',
      'effect: ask, capability: "fs.*"',
      'effect: ask, capability: fs.write, resource: /work/shop/**',
      'effect: ask, capability: fs.write, resource: /work/shop/src/a.ts',
    )
    const decision = decide(plan(), facts({ rules: both }))
    expect(decision.rule.id).toBe('user.r2')
    expect(decision.considered.map(({ id }) => id)).toEqual(['user.r1', 'user.r0', 'ask.R2'])
  })

  test('[D1] risk in a rule: an allow holds up to it, ask and deny from it on; agents are told apart', () => {
    expect(by(plan({ risk: 'R2' }), { rules: rules('user', 'effect: allow, capability: "*", risk: R1') })).toBe('ask ask.R2')
    expect(by(plan({ risk: 'R1' }), { rules: rules('user', 'effect: deny, capability: "*", risk: R2') })).toBe('allow ask.R1')
    expect(by(plan(), { rules: rules('user', 'effect: deny, capability: "*", agent: scout') })).toBe('ask ask.R2')
  })

  test('[D2] a document that can not be read allows nothing but what is harmless', () => {
    const faults = [{ place: 'policy.yaml (project shop)', line: 3, message: 'policy.yaml (project shop), line 3: wrong.' }]
    const look = plan({ capability: 'fs.read', risk: 'R0' })
    expect(by(look, { faults })).toBe('deny broken-policy')
    expect(decide(look, facts({ faults })).reason).toContain('line 3')
    expect(by(plan({ capability: 'none', target: '{}', risk: 'R0' }), { faults })).toMatch(/^allow/)
  })

  test('[D5] what the pledge does not hold is denied, whatever is granted', () => {
    const asker = where({ agent: { name: 'scout', pledge: ['fs.read'] } })
    expect(by(plan(), { where: asker, grants: [grant({ resource: '*' })] })).toBe('deny pledge')
    expect(
      by(command('curl https://x.org', { capability: 'exec.network' }), { where: where({ agent: { name: 'a', pledge: ['exec'] } }) }),
    ).toBe('deny pledge')
  })
})

describe('grants', () => {
  test('[D6] a grant turns an ask into an allow and names itself', () => {
    const decision = decide(plan(), facts({ grants: [grant()] }))
    expect(decision).toMatchObject({ effect: 'allow', grant: 'grt_1', rule: { id: 'grant.grt_1', level: 'grant' } })
  })

  test.each([
    ['another person', { user: 'bob' }],
    ['another agent', { subject: 'scout' }],
    ['another capability', { capability: 'exec' }],
    ['another folder', { resource: '/work/shop/srcs/**' }],
    ['a folder of the same beginning', { resource: '/work/sho/**' }],
    ['less risk', { maxRisk: 'R1' }],
    ['an end', { expiresAt: 1_000 }],
    ['taken back', { revokedAt: 500 }],
    ['another turn', { scope: 'step', within: 'trn_other' }],
    ['another run', { scope: 'run', within: 'ent_other' }],
    ['another project', { scope: 'project', within: 'garden' }],
    ['for one call only', { scope: 'once', within: where().turn }],
  ] as const)('[D6] %s does not cover it', (_what, given) => {
    expect(by(plan(), { grants: [grant(given)] })).toBe('ask ask.R2')
  })

  test('[D6] nothing above R3 is remembered', () => {
    for (const risk of ['R4', 'R5'] as const)
      expect(decide(plan({ risk }), facts({ grants: [grant({ maxRisk: 'R5' })] })).effect).toBe('ask')
  })

  test('[D6] a grant never lifts a denial, and answers a rule only from a stronger level', () => {
    const inProject = rules('project', 'effect: ask, capability: fs.write')
    expect(
      by(plan(), { rules: rules('user', 'effect: deny, capability: fs.write'), grants: [grant({ scope: 'run', within: 'ent_root' })] }),
    ).toMatch(/^deny/)
    expect(by(plan(), { rules: inProject, grants: [grant()] })).toBe('ask project.r0')
    expect(by(plan(), { rules: inProject, grants: [grant({ scope: 'project', within: 'shop' })] })).toBe('ask project.r0')
    expect(by(plan(), { rules: inProject, grants: [grant({ scope: 'run', within: 'ent_root' })] })).toBe('allow grant.grt_1')
    expect(decide(plan(), facts({ rules: inProject })).scopes).toEqual(['once', 'step', 'run'])
  })
})

describe('taint', () => {
  const fetch = plan({ tool: 'web_fetch', capability: 'web.read', target: 'https://example.org/a', risk: 'R0', outward: true })
  const seen = (taint: 'content' | 'foreign') => ({ where: where({ taint }) })

  test('[D7] a page may be read while nothing was read; afterwards what leaves or destroys is asked', () => {
    expect(by(fetch)).toBe('allow ask.R1')
    expect(by(fetch, seen('content'))).toBe('ask taint.content')
    expect(by(fetch, seen('foreign'))).toBe('ask taint.foreign')
    expect(by(fetch, { ...seen('foreign'), mode: 'auto' })).toBe('ask taint.foreign')
    expect(by(fetch, { ...seen('foreign'), rules: rules('run', 'effect: allow, capability: web.read') })).toBe('ask taint.foreign')
  })

  test('[D7] what stays here and can be taken back is not touched by it', () => {
    const edit = plan({ risk: 'R1' })
    expect(by(edit, seen('foreign'))).toBe('allow ask.R1')
    expect(by(plan(), { ...seen('foreign'), grants: [grant()] })).toBe('allow grant.grt_1')
  })

  test("[D7] with the project's content any yes of the person counts; with foreign text only one given under it, and none for ever", () => {
    const web = (given: Parameters<typeof grant>[0]) => [grant({ capability: 'web.read', resource: 'https://example.org/**', ...given })]
    expect(by(fetch, { ...seen('content'), grants: web({}) })).toBe('allow grant.grt_1')
    expect(by(fetch, { ...seen('foreign'), grants: web({}) })).toBe('ask taint.foreign')
    expect(by(fetch, { ...seen('foreign'), grants: web({ taint: 'content', scope: 'run', within: 'ent_root' }) })).toBe('ask taint.foreign')
    expect(by(fetch, { ...seen('foreign'), grants: web({ taint: 'foreign', scope: 'run', within: 'ent_root' }) })).toBe('allow grant.grt_1')
    expect(by(fetch, { ...seen('foreign'), grants: web({ taint: 'foreign' }) })).toBe('ask taint.foreign')
    expect(decide(fetch, facts(seen('foreign'))).scopes).toEqual(['once', 'step', 'run', 'project'])
  })
})

describe('[D17] a call with several targets', () => {
  const move = (to: string, given: Partial<Plan> = {}) => plan({ tool: 'file_move', risk: 'R1', also: [to], ...given })
  const locked = rules('project', 'effect: deny, capability: fs.write, resource: /work/shop/locked/**')

  test('is judged by each of them, and the strictest word counts', () => {
    expect(by(move('/work/shop/b.ts'))).toBe('allow ask.R1')
    expect(by(move('/work/shop/locked/b.ts'), { rules: locked })).toMatch(/^deny project/)
    expect(by(move('/work/shop/b.ts', { target: '/work/shop/locked/a.ts' }), { rules: locked })).toMatch(/^deny project/)
    expect(by(move('/elsewhere/b.ts'))).toBe('deny floor.roots')
    expect(by(move('/work/shop/.env'))).toBe('deny floor.secret-files')
  })

  test('has the highest risk of them, names what else spoke, and a yes is for this call alone', () => {
    const ask = rules('user', 'effect: ask, capability: fs.write, resource: /work/shop/b/**')
    const decision = decide(move('/work/shop/b/x.ts'), facts({ rules: ask }))
    expect(decision).toMatchObject({ effect: 'ask', rule: { id: 'user.r0' }, scopes: ['once'] })
    expect(decision.considered.map(({ id }) => id)).toContain('ask.R1')
  })

  test('names the riskier one among equal words', () => {
    const ask = rules('user', 'effect: ask, capability: fs.read')
    const look = (target: string, also: string) => plan({ capability: 'fs.read', risk: 'R0', target, also: [also] })
    for (const both of [look('/work/shop/a', '/work/shop/.env'), look('/work/shop/.env', '/work/shop/a')])
      expect(decide(both, facts({ rules: ask }))).toMatchObject({ risk: 'R4', reason: expect.stringContaining('may hold passwords') })
  })

  test('needs a grant for each', () => {
    const given = (...resources: string[]) => ({ grants: resources.map((resource) => grant({ resource })) })
    const risky = move('/work/shop/b/x.ts', { risk: 'R2' })
    expect(by(risky, given('/work/shop/src/**'))).toMatch(/^ask/)
    expect(by(risky, given('/work/shop/b/**'))).toMatch(/^ask/)
    expect(by(risky, given('/work/shop/src/**', '/work/shop/b/**'))).toMatch(/^allow grant/)
  })
})
