import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, change, no, openPolicyBench, stop, yes } from './bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openPolicyBench()
})
afterEach(() => bench.close())

const effect = async (what = change(bench), where = bench.where()) => (await bench.policy.check(what, where)).effect
const day = 86_400_000

describe('approvals', () => {
  test('[D9] a yes holds for exactly that call, in its turn', async () => {
    const { approval, where, request } = await bench.ask(change(bench))
    expect(approval).toMatchObject({
      user: 'ada',
      status: 'requested',
      risk: 'R2',
      tool: 'file_write',
      target: change(bench).target,
      scopes: ['once', 'step', 'run', 'project', 'always'],
    })
    const holds = (given = request, now = { plan: change(bench), where }) => bench.policy.holds(given, yes(), now)
    expect((await holds()).effect).toBe('deny')
    await bench.answer(approval, yes())
    expect(await holds()).toMatchObject({ effect: 'allow', rule: { level: 'grant' } })
    expect((await holds(request, { plan: change(bench, 'b.ts'), where })).reason).toContain('has changed')
    expect((await holds(request, { plan: change(bench, 'a.ts', { binding: 'b2' }), where })).effect).toBe('deny')
    expect((await holds({ ...request, input: { path: 'x' } })).reason).toContain('was changed')
    expect((await holds(request, { plan: change(bench), where: { ...where, turn: bench.where().turn } })).reason).toContain('another turn')
    expect((await holds(request, { plan: change(bench), where: { ...where, agent: { name: 'scout', pledge: ['fs.*'] } } })).effect).toBe(
      'deny',
    )
    expect((await bench.policy.holds(request, no, { plan: change(bench), where })).effect).toBe('deny')
    expect((await bench.policy.approvals.get(approval.id))?.status).toBe('approved')
  })

  test('[D9] once is once: the same call later is asked again', async () => {
    const { approval, where } = await bench.ask(change(bench))
    await bench.answer(approval, yes())
    expect(await effect(change(bench), where)).toBe('ask')
  })

  test('[D9] a denial that came meanwhile wins, and the approval can not be given any more', async () => {
    const { approval, where, request } = await bench.ask(change(bench))
    const deny = 'rules:\n  - {id: no, effect: deny, capability: fs.write}\n'
    await bench.inner.scopes.documents.write({ path: 'policy.yaml', level: 'home', scope: '_user_ada', text: deny }, 'user:ada')
    await expect(bench.policy.approvals.check(approval.id, yes())).rejects.toMatchObject({
      code: 'gone',
      message: expect.stringContaining('deny fs.write'),
    })
    await expect(bench.policy.approvals.check(approval.id, no)).resolves.toMatchObject({ id: approval.id })
    await bench.answer(approval, yes())
    expect(await bench.policy.holds(request, yes(), { plan: change(bench), where })).toMatchObject({
      effect: 'deny',
      rule: { id: 'user.no' },
    })
  })

  test('[D9] taken back while it runs: the next look says no', async () => {
    const { approval, where, request } = await bench.ask(change(bench))
    await bench.answer(approval, yes())
    const [grant] = await bench.policy.grants.list({ user: 'ada', ended: true })
    expect(await bench.policy.grants.revoke(grant?.id ?? '', 'ada', 'user:ada')).toBe(true)
    expect((await bench.policy.holds(request, yes(), { plan: change(bench), where })).effect).toBe('deny')
  })

  test('[D10] silence is a no, also after a restart; a late answer is told why', async () => {
    const { approval } = await bench.ask(change(bench))
    bench = await bench.reopen()
    expect((await bench.policy.approvals.get(approval.id))?.status).toBe('requested')
    bench.inner.clock.advance(day)
    await bench.inner.until('approval-decided')
    expect((await bench.policy.approvals.get(approval.id))?.status).toBe('expired')
    await expect(bench.policy.approvals.check(approval.id, yes())).rejects.toMatchObject({
      code: 'gone',
      message: expect.stringContaining('nobody answered it in time'),
    })
    expect(await bench.policy.grants.list({ user: 'ada', ended: true })).toEqual([])
  })

  test('[D10] a turn that is stopped takes back what it asked', async () => {
    const { approval, where } = await bench.ask(change(bench))
    await stop(bench, where.turn)
    expect((await bench.policy.approvals.get(approval.id))?.status).toBe('revoked')
    await expect(bench.policy.approvals.check(approval.id, yes())).rejects.toThrow('the turn that asked has ended or was stopped')
  })

  test('[D10] only the person who was asked says yes; what can not be read is a no', async () => {
    const first = await bench.ask(change(bench))
    await bench.answer(first.approval, yes({ scope: 'always' }), 'user:bob')
    expect((await bench.policy.approvals.get(first.approval.id))?.status).toBe('rejected')
    expect(await effect()).toBe('ask')
    await stop(bench, first.where.turn)
    const second = await bench.ask(change(bench))
    await bench.answer(second.approval, yes({ scope: 'always' }), `process:${bench.process}`)
    expect((await bench.policy.approvals.get(second.approval.id))?.status).toBe('rejected')
    await stop(bench, second.where.turn)
    const third = await bench.ask(change(bench))
    await bench.answer(third.approval, 'sure, go ahead')
    expect((await bench.policy.approvals.get(third.approval.id))?.status).toBe('rejected')
    expect(await bench.policy.grants.list({ user: 'ada', ended: true })).toEqual([])
  })

  test('[D6] step, run, project and always reach as far as they say', async () => {
    for (const scope of ['step', 'run', 'project', 'always'] as const) {
      const { approval, where } = await bench.ask(change(bench, `${scope}.ts`))
      await bench.policy.approvals.check(approval.id, yes({ scope }))
      await bench.answer(approval, yes({ scope }))
      const what = change(bench, `${scope}.ts`)
      const places = [
        where,
        bench.where({ run: where.run }),
        bench.where({ run: 'ent_other' }),
        bench.where({ run: 'ent_other', project: 'garden' }),
      ]
      const found = await Promise.all(places.map(async (place) => (await bench.policy.check(what, place)).effect))
      const reach = { step: 1, run: 2, project: 3, always: 3 }[scope]
      // In another project the file lies outside of its folders, whatever was granted.
      expect([scope, ...found]).toEqual([scope, ...['allow', 'allow', 'allow'].map((_, at) => (at < reach ? 'allow' : 'ask')), 'deny'])
      await stop(bench, where.turn)
      if (scope === 'step') expect(await effect(what, where)).toBe('ask')
    }
  })

  test('[D6] an approval is only narrowed', async () => {
    const { approval, where, request } = await bench.ask(change(bench))
    const check = (answer: Parameters<typeof bench.policy.approvals.check>[1]) => bench.policy.approvals.check(approval.id, answer)
    await expect(check(yes({ scope: 'run', narrow: { resource: `${bench.root}/**` } }))).rejects.toMatchObject({
      code: 'invalid',
      path: '/narrow/resource',
    })
    await expect(check(yes({ narrow: { expiresInMs: -1 } }))).rejects.toMatchObject({ code: 'invalid', path: '/narrow/expiresInMs' })
    await check(yes({ scope: 'run', narrow: { resource: change(bench).target, expiresInMs: 5_000 } }))
    await bench.answer(approval, yes({ scope: 'run', narrow: { expiresInMs: 5_000 } }))
    expect(await effect(change(bench), where)).toBe('allow')
    bench.inner.clock.advance(5_000)
    expect(await effect(change(bench), where)).toBe('ask')
    expect((await bench.policy.holds(request, yes({ scope: 'run' }), { plan: change(bench), where })).effect).toBe('deny')
  })

  test('[D6] a scope that was not offered gives nothing', async () => {
    const { approval } = await bench.ask(change(bench, 'a.ts', { risk: 'R5' }))
    expect(approval.scopes).toEqual(['once'])
    await expect(bench.policy.approvals.check(approval.id, yes({ scope: 'always' }))).rejects.toThrow('allowed are once')
    await bench.answer(approval, yes({ scope: 'always' }))
    expect((await bench.policy.approvals.get(approval.id))?.status).toBe('rejected')
  })

  test('[D10] fifty that wait are rows and nothing else, and cost no time until they are over', async () => {
    await bench.askMany(50)
    expect(await bench.policy.approvals.list({ user: 'ada', status: 'requested' })).toHaveLength(50)
    const before = process.cpuUsage()
    for (let hour = 0; hour < 23; hour++) bench.inner.clock.advance(3_600_000)
    await new Promise((next) => setImmediate(next))
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(50_000)
    bench.inner.clock.advance(3_600_000)
    await bench.inner.until('turn-settled')
    expect(await bench.policy.approvals.list({ user: 'ada', status: 'requested' })).toEqual([])
  })

  test('[D10] a note of an engine under the name of an approval or a grant gives nothing', async () => {
    const grant = {
      id: 'grt_x',
      user: 'ada',
      subject: '*',
      capability: 'fs.write',
      resource: '*',
      scope: 'always',
      within: null,
      taint: 'none',
      maxRisk: 'R3',
    }
    await bench.note('grant-added', { grant: { ...grant, createdAt: 0, expiresAt: null, revokedAt: null, approval: null } })
    expect(await bench.policy.grants.list({ user: 'ada', ended: true })).toEqual([])
    expect(await effect()).toBe('ask')
  })
})

describe('grants in advance', () => {
  test('[D6] given, listed, taken back; the next check knows, also after a restart', async () => {
    const grant = await bench.policy.grants.add(
      { user: 'ada', capability: 'fs.write', resource: `${bench.root}/**`, scope: 'project', project: 'shop' },
      'user:ada',
    )
    expect(await effect()).toBe('allow')
    bench = await bench.reopen()
    expect((await bench.policy.check(change(bench), bench.where())).grant).toBe(grant.id)
    expect(await bench.policy.grants.list({ user: 'ada' })).toEqual([grant])
    expect(await bench.policy.grants.revoke(grant.id, 'ada', 'user:ada')).toBe(true)
    expect(await bench.policy.grants.revoke(grant.id, 'ada', 'user:ada')).toBe(false)
    expect(await effect()).toBe('ask')
    expect(await bench.policy.grants.list({ user: 'ada' })).toEqual([])
    expect(await bench.policy.grants.list({ user: 'ada', ended: true })).toHaveLength(1)
  })

  test('[D6] nobody gives in another name, and an agent gives nothing', async () => {
    const given = { user: 'ada', capability: 'exec', scope: 'always' } as const
    await expect(bench.policy.grants.add(given, `process:${bench.process}`)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(bench.policy.grants.add(given, 'user:bob')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(bench.policy.grants.add(given, 'system')).rejects.toMatchObject({ code: 'forbidden' })
  })

  test.each([
    [{ capability: 'Exec it' }, '/capability'],
    [{ capability: 'exec', subject: 'Bob Smith' }, '/subject'],
    [{ capability: 'exec', resource: '/a/*/b' }, '/resource'],
    [{ capability: 'exec', maxRisk: 'R4' }, '/maxRisk'],
    [{ capability: 'exec', expiresAt: 5 }, '/expiresAt'],
    [{ capability: 'exec', scope: 'project' }, '/project'],
  ] as const)('[D6] a wrong one is named: %j', async (given, path) => {
    await expect(bench.policy.grants.add({ user: 'ada', scope: 'always', ...given }, 'user:ada')).rejects.toMatchObject({
      code: 'invalid',
      path,
    })
  })
})
