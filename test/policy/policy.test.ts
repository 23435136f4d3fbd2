import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { policyFinding } from '../../src/policy/finding.ts'
import { plan } from '../../src/policy/testing.ts'
import { type Bench, change, openPolicyBench, yes } from './bench.ts'

let bench: Bench
afterEach(() => bench.close())
const check = async (what = change(bench), where = bench.where()) => {
  const { effect, rule } = await bench.policy.check(what, where)
  return `${effect} ${rule.id}`
}
const set = (level: 'process' | 'home' | 'project' | 'tenant', scope: string, value: string | null) =>
  bench.inner.scopes.settings.set({ level, scope, key: 'policy.mode', value }, 'user:ada')
const write = (level: 'process' | 'home' | 'project' | 'group' | 'tenant', scope: string, text: string) =>
  bench.inner.scopes.documents.write({ path: 'policy.yaml', level, scope, text }, 'user:ada')
const rule = (id: string, effect: string, more = '') => `rules:\n  - {id: ${id}, effect: ${effect}, capability: fs.write${more}}\n`

describe('policy of a place', () => {
  beforeEach(async () => {
    bench = await openPolicyBench()
  })

  test('[D4] the mode: process, project, person, tenant; ask where none is set', async () => {
    const mode = () => bench.policy.mode(bench.where())
    expect(await mode()).toBe('ask')
    await set('tenant', '_tenant', 'read-only')
    expect(await mode()).toBe('read-only')
    await set('home', '_user_ada', 'auto')
    expect(await mode()).toBe('auto')
    await set('project', 'shop', 'ask')
    expect(await mode()).toBe('ask')
    await set('process', bench.process, 'read-only')
    expect(await mode()).toBe('read-only')
    expect(await check()).toBe('deny read-only')
    await set('process', bench.process, null)
    expect(await mode()).toBe('ask')
    await expect(set('project', 'shop', 'yolo')).rejects.toThrow('allowed is "read-only", "ask" or "auto"')
  })

  test('[D2] every level speaks, an inner document hides none, and a change is seen at the next check', async () => {
    await write('tenant', '_tenant', rule('t', 'deny'))
    expect(await check()).toBe('deny system.t')
    await write('home', '_user_ada', rule('u', 'ask'))
    expect(await check()).toBe('ask user.u')
    await write('project', 'shop', rule('p', 'allow'))
    expect(await check()).toBe('allow project.p')
    await write('process', bench.process, rule('r', 'deny'))
    expect(await check()).toBe('deny run.r')
    const decision = await bench.policy.check(change(bench), bench.where())
    expect(decision.considered.map(({ id }) => id)).toEqual(['project.p', 'user.u', 'system.t', 'ask.R2'])
    await bench.inner.scopes.documents.remove('policy.yaml', 'process', bench.process, 'user:ada')
    expect(await check()).toBe('allow project.p')
  })

  test('[D2] the policy of the project itself is read too', async () => {
    await bench.inner.scopes.projects.change(
      'shop',
      { policy: { rules: [{ id: 'x', effect: 'deny', capability: 'fs.write' }] } },
      'user:ada',
    )
    expect(await check()).toBe('deny project.x')
    await bench.inner.scopes.projects.change('shop', { policy: { rules: [{ id: 'x', effect: 'never' }] } }, 'user:ada')
    expect(await check()).toBe('deny broken-policy')
  })

  test('[D2] a broken document stops work there and nowhere else, and says where it is broken', async () => {
    await write('project', 'shop', 'rules:\n  - {id: a, effect: deny, capability: exec}\n  - {id: b, effect: perhaps, capability: exec}\n')
    expect(await check()).toBe('deny broken-policy')
    expect(await bench.policy.faults(bench.where())).toMatchObject([{ place: 'policy.yaml (project shop)', line: 3 }])
    expect((await bench.policy.check(change(bench), bench.where())).reason).toContain('policy.yaml (project shop), line 3: rule "b"')
    expect(
      (
        await bench.policy.check(
          plan({ capability: 'web.read', target: 'https://x.org', risk: 'R0' }),
          bench.where({ project: '_user_ada' }),
        )
      ).effect,
    ).toBe('allow')
    const finding = await policyFinding(bench.policy, [{ user: 'ada', project: 'shop' }])
    expect(finding).toMatchObject({ name: 'policy', status: 'fail', detail: expect.stringContaining('policy.yaml (project shop), line 3') })
    await write('project', 'shop', '')
    expect((await policyFinding(bench.policy, [{ user: 'ada', project: 'shop' }])).status).toBe('ok')
    expect(await check()).toBe('ask ask.R2')
  })

  test('[D3] roots are real folders: one that is gone is none, and a sibling is outside', async () => {
    const read = (target: string) => plan({ capability: 'fs.read', target, risk: 'R0' })
    expect(await check(read(join(bench.root, 'a')))).toMatch(/^allow/)
    expect(await check(read(`${bench.root}2/a`))).toBe('deny floor.roots')
    await bench.inner.scopes.projects.change('shop', { roots: [join(bench.root, 'missing')] }, 'user:ada')
    expect(await check(read(join(bench.root, 'missing/a')))).toBe('deny floor.roots')
    expect(await check(read(join(bench.root, 'a')), bench.where({ project: 'nowhere' }))).toBe('deny floor.roots')
  })

  test('[D9] what can not be judged is denied: a throw is a no', async () => {
    const broken = { ...bench.where(), user: null as never }
    expect((await bench.policy.check(change(bench), broken)).effect).not.toBe('allow')
  })
})

describe('taint follows data', () => {
  beforeEach(async () => {
    bench = await openPolicyBench()
  })
  const { taint } = { taint: () => bench.policy.taint }
  const page = plan({ capability: 'web.send', target: 'https://example.org/a', risk: 'R3', outward: true })

  test('[D11] a turn reads a page and writes a file; a second turn that reads the file is tainted by it, also after a restart', async () => {
    const notes = join(bench.root, 'notes.md')
    await bench.note('taint-raised', { process: bench.process, taint: 'foreign', sources: ['https://example.org'] })
    await bench.note('taint-written', { paths: [notes], taint: 'foreign', sources: ['https://example.org'] })
    bench = await bench.reopen()
    expect(await taint().ofProcess(bench.process)).toBe('foreign')
    expect(await taint().ofPath(notes)).toBe('foreign')
    expect(await taint().ofPath(join(bench.root, 'other.md'))).toBe('none')
    expect(await taint().ofPaths([join(bench.root, 'other.md'), notes])).toBe('foreign')
  })

  test('[D11] a folder taints what is below it, and what is below taints who reads the whole folder', async () => {
    const folder = join(bench.root, 'vendor')
    await bench.note('taint-written', { paths: [folder], taint: 'foreign', sources: ['import'] })
    expect(await taint().ofPath(join(folder, 'a/b.js'))).toBe('foreign')
    expect(await taint().ofPath(`${folder}ish/b.js`)).toBe('none')
    expect(await taint().ofPath(bench.root)).toBe('foreign')
    expect(await taint().ofPath('/')).toBe('foreign')
  })

  test('[D11] it only rises, whatever is noted later', async () => {
    await bench.note('taint-raised', { process: bench.process, taint: 'foreign', sources: [] })
    await bench.note('taint-raised', { process: bench.process, taint: 'none', sources: [] })
    expect(await taint().ofProcess(bench.process)).toBe('foreign')
    expect(await taint().ofProcess('prc_other')).toBe('none')
  })

  test('[D7] what is recorded counts, also where the caller says that there is none', async () => {
    await bench.policy.grants.add({ user: 'ada', capability: 'web.*', scope: 'always' }, 'user:ada')
    expect(await check(page)).toMatch(/^allow grant/)
    await bench.note('taint-raised', { process: bench.process, taint: 'foreign', sources: [] })
    expect(await check(page)).toBe('ask ask.R3')
  })

  test('[D7] a yes that was given under foreign taint counts under it', async () => {
    await bench.note('taint-raised', { process: bench.process, taint: 'foreign', sources: [] })
    const { approval, where } = await bench.ask(page, { where: { taint: 'foreign' } })
    expect(approval.scopes).toEqual(['once', 'step', 'run', 'project'])
    await bench.answer(approval, yes({ scope: 'run' }))
    expect(await check(page, where)).toMatch(/^allow grant/)
  })
})

describe('what only the mode auto allows', () => {
  beforeEach(async () => {
    bench = await openPolicyBench()
    await set('project', 'shop', 'auto')
  })

  test('[D15] a reviewer who wants it asked makes an approval of it, and the yes to that runs, also after a restart', async () => {
    expect((await bench.policy.check(change(bench), bench.where())).review).toBe(true)
    const { approval, request, where } = await bench.ask(change(bench), { why: 'It stops "a" service.' })
    expect(request.decision).toMatchObject({ effect: 'ask', rule: { id: 'reviewer' } })
    expect(approval.why).toContain('It says: "It stops \\"a\\" service."')
    await bench.answer(approval, yes())
    bench = await bench.reopen()
    expect((await bench.policy.holds(request, yes(), { plan: change(bench), where })).effect).toBe('allow')
    expect((await bench.policy.holds(request, yes(), { plan: change(bench, 'b.ts'), where })).effect).not.toBe('allow')
    expect(await bench.policy.mode(where)).toBe('auto')
  })

  test('[D15] nothing else is for a reviewer: not what is asked, denied, harmless, allowed by a rule or by a person', async () => {
    const forReview = async (what = change(bench)) => (await bench.policy.check(what, bench.where())).review ?? false
    expect(await forReview()).toBe(true)
    expect(await check(change(bench, 'a', { risk: 'R4' }))).toBe('ask auto.R4')
    expect(await check(change(bench, '.env'))).toBe('deny floor.secret-files')
    for (const what of [
      change(bench, 'a', { risk: 'R4' }),
      change(bench, '.env'),
      change(bench, 'a', { risk: 'R1' }),
      change(bench, 'a', { risk: 'R0' }),
    ])
      expect(await forReview(what)).toBe(false)
    await bench.policy.grants.add({ user: 'ada', capability: 'fs.write', scope: 'always' }, 'user:ada')
    expect(await forReview()).toBe(false)
    const [mine] = await bench.policy.grants.list({ user: 'ada' })
    await bench.policy.grants.revoke(mine?.id ?? '', 'ada', 'user:ada')
    expect(await forReview()).toBe(true)
    await write('home', '_user_ada', rule('mine', 'allow'))
    expect(await check()).toBe('allow user.mine')
    expect(await forReview()).toBe(false)
  })
})

test('[D3] the data folder of the hub stays closed where it lies in a root', async () => {
  bench = await openPolicyBench()
  await bench.inner.scopes.projects.change('shop', { roots: [bench.inner.home] }, 'user:ada')
  mkdirSync(join(bench.inner.home, 'hub'))
  writeFileSync(join(bench.inner.home, 'hub', 'steward.db'), '')
  expect(await check(plan({ capability: 'fs.read', target: join(bench.inner.home, 'hub', 'steward.db'), risk: 'R0' }))).toBe(
    'deny floor.hub-folder',
  )
})
