import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import { handClock } from '../base/testing.ts'
import type { Decision, Plan, Taint } from '../policy/decision.ts'
import type { Checked, Permit, ToolPolicy } from './checked.ts'
import { lookOnly } from './look-only.ts'
import { memoryResults } from './results.ts'
import { contextFor, policyThat } from './testing.ts'
import { type CallContext, defineTool, done, refused, type ToolDefinition } from './tool.ts'
import { openTools, type ToolRooms } from './tools.ts'

const shape = z.strictObject({ text: z.string().default('') })
type Probe = Partial<ToolDefinition<z.infer<typeof shape>>>

function withProbe(probe: Probe = {}, rooms: Partial<ToolRooms> = {}) {
  const clock = handClock()
  const results = memoryResults()
  const tools = openTools({ clock, results, closed: [], policy: policyThat('allow'), ...rooms })
  let runs = 0
  tools.register(
    defineTool({
      ...{ name: 'probe', description: 'Probes. Twice.', labels: ['test'], capability: 'fs.read', effect: 'replayable', input: shape },
      ...probe,
      async run(input, context) {
        runs++
        return probe.run ? probe.run(input, context) : done(`run ${runs}`)
      },
    }),
  )
  const call = (input: JsonObject = {}, given: Partial<CallContext> & { session?: string; permit?: Permit } = {}) =>
    tools.call(
      { name: 'probe', input, allowed: ['probe', 'result_read'] },
      { ...contextFor(given), ...(given.permit ? { permit: given.permit } : {}) },
    )
  const check = (input: JsonObject = {}, given: Partial<CallContext> = {}) =>
    tools.check({ name: 'probe', input, allowed: ['probe'] }, contextFor(given))
  return { tools, clock, results, call, check, runs: () => runs }
}

function asked(checked: Checked) {
  if (checked.effect !== 'ask') throw new Error(`${checked.effect} instead of ask`)
  return checked.request
}
const permit = (checked: Checked, decision: 'allow' | 'deny' = 'allow'): Permit => ({
  request: asked(checked),
  answer: { decision, scope: 'once' },
})

describe('[T8] policy', () => {
  test('is asked in the call itself: what would have to be asked does not run without a yes', async () => {
    const probe = withProbe({}, { policy: policyThat('ask') })
    expect(await probe.call()).toMatchObject({
      ok: false,
      code: 'needs_approval',
      text: expect.stringContaining('test.rule (a rule of this test)'),
    })
    expect(probe.runs()).toBe(0)
    const checked = await probe.check()
    expect(asked(checked)).toMatchObject({
      plan: { tool: 'probe', capability: 'fs.read' },
      where: { user: 'ada', project: 'site', taint: 'none' },
      input: {},
    })
    expect(await probe.call({}, { permit: permit(checked) })).toMatchObject({ ok: true })
  })

  test('denies with the rule, and no yes passes that', async () => {
    const ask = withProbe({}, { policy: policyThat('ask') })
    const deny = withProbe({}, { policy: policyThat('deny') })
    const given = permit(await ask.check())
    expect(await deny.check()).toMatchObject({
      effect: 'deny',
      result: { ok: false, code: 'denied', text: expect.stringContaining('by the rule test.rule') },
    })
    expect(await deny.call({}, { permit: given })).toMatchObject({ ok: false, code: 'denied' })
    expect(deny.runs()).toBe(0)
  })

  test('a yes holds for the very call that was shown', async () => {
    const probe = withProbe({}, { policy: policyThat('ask') })
    const given = permit(await probe.check({ text: 'one' }))
    expect(await probe.call({ text: 'two' }, { permit: given })).toMatchObject({
      ok: false,
      code: 'needs_approval',
      text: expect.stringContaining('approval.stale'),
    })
    expect(await probe.call({ text: 'one' }, { permit: permit(await probe.check({ text: 'one' }), 'deny') })).toMatchObject({
      ok: false,
      code: 'rejected',
    })
    expect(probe.runs()).toBe(0)
    let binding = 'a'
    const bound = withProbe(
      { plan: async () => ({ target: 't', risk: 'R2', outward: false, destructive: false, consequences: 'x', binding }) },
      { policy: policyThat('ask') },
    )
    const old = permit(await bound.check())
    binding = 'b'
    expect(await bound.call({}, { permit: old })).toMatchObject({ ok: false, code: 'needs_approval' })
    expect(bound.runs()).toBe(0)
  })

  test('the tool is told what was let through', async () => {
    let told: string | undefined
    const probe = withProbe({
      plan: async () => ({ target: 't', risk: 'R0', outward: false, destructive: false, consequences: 'x', binding: 'state 1' }),
      run: async (_, context) => {
        told = context.binding
        return done('')
      },
    })
    await probe.call()
    expect(told).toBe('state 1')
  })

  test('what breaks while it is judged is a no, and nothing ran', async () => {
    const fail = async () => Promise.reject(new Error('store gone'))
    const broken: ToolPolicy = { check: fail, holds: fail, taint: { ofPaths: fail, writing: fail } }
    const probe = withProbe({ effect: 'once' }, { policy: broken })
    expect(await probe.call()).toMatchObject({ ok: false, code: 'broken', text: expect.stringContaining('store gone') })
    expect(await probe.check()).toMatchObject({ effect: 'deny' })
    const planless = withProbe({ plan: () => Promise.reject(new Error('disk gone')) })
    expect(await planless.call()).toMatchObject({ ok: false, code: 'broken' })
    expect([probe.runs(), planless.runs()]).toEqual([0, 0])
  })

  test('a capability that was not pledged is denied before policy is asked, also one that only this call needs', async () => {
    const probe = withProbe({ capability: 'exec' })
    expect(await probe.call()).toMatchObject({
      ok: false,
      code: 'denied',
      text: 'Refused: probe needs the capability exec here, and the agent quick pledged only: fs.read.',
    })
    const network = withProbe({
      plan: async () => ({ target: 't', capability: 'exec.network', risk: 'R3', outward: true, destructive: false, consequences: 'x' }),
    })
    expect(await network.call()).toMatchObject({ ok: false, code: 'denied', text: expect.stringContaining('exec.network') })
    expect(await network.call({}, { agent: { name: 'a', pledge: ['fs.read', 'exec.network'] } })).toMatchObject({ ok: true })
  })

  test('the order is: there, arguments, capability, policy', async () => {
    const seen: string[] = []
    const policy = policyThat((plan: Plan): Decision['effect'] => {
      seen.push(plan.tool)
      return 'deny'
    })
    const { tools } = withProbe({ capability: 'exec' }, { policy })
    const code = async (input: JsonObject, allowed: string[], pledge: string[]) =>
      (await tools.call({ name: 'probe', input, allowed }, contextFor({ agent: { name: 'a', pledge } }))).code
    expect(await code({ wrong: 1 }, [], [])).toBe('unknown_tool')
    expect(await code({ wrong: 1 }, ['probe'], [])).toBe('invalid')
    expect(await code({}, ['probe'], [])).toBe('denied')
    expect(seen).toEqual([])
    expect(await code({}, ['probe'], ['exec'])).toBe('denied')
    expect(seen).toEqual(['probe'])
  })

  test('where there is none, only looking is allowed', async () => {
    expect(await withProbe({}, { policy: lookOnly }).call()).toMatchObject({ ok: true })
    expect(await withProbe({ risk: 'R1' }, { policy: lookOnly }).call()).toMatchObject({ ok: false, code: 'denied' })
    expect(await withProbe({ outward: true }, { policy: lookOnly }).call()).toMatchObject({ ok: false, code: 'denied' })
  })

  test('who may have to ask is known before', () => {
    const { tools } = withProbe({ risk: 'R2' })
    expect(['probe', 'time_now', 'gone'].map(tools.mayAsk)).toEqual([true, false, false])
  })
})

describe('[T14] the rate', () => {
  test('is so many calls a session and minute, and the refusal says so', async () => {
    const probe = withProbe({ perMinute: 3 })
    for (let at = 0; at < 3; at++) {
      expect((await probe.call()).ok).toBe(true)
      probe.clock.advance(10_000)
    }
    expect(await probe.call()).toEqual({
      ok: false,
      code: 'rate_limited',
      text: 'Not run: probe may be called 3 times a minute in one session. Again in 30 seconds.',
    })
    expect((await probe.call({}, { session: 'ses_2' })).ok).toBe(true)
    probe.clock.advance(30_001)
    expect((await probe.call()).ok).toBe(true)
  })

  test('is 120 when a tool says nothing', async () => {
    const probe = withProbe()
    for (let at = 0; at < 120; at++) await probe.call()
    expect((await probe.call()).code).toBe('rate_limited')
  })
})

describe('[T15] an answer is given again', () => {
  test('to the same call of the same session with the same on its mind, within its time', async () => {
    const probe = withProbe({ cacheMs: 1000 })
    const text = async (input?: JsonObject, given?: Parameters<typeof probe.call>[1]) => (await probe.call(input, given)).text
    expect([await text(), await text({ text: '' }), await text({ text: 'x' })]).toEqual(['run 1', 'run 2', 'run 3'])
    expect(await text()).toBe('run 1')
    expect(await text({}, { taint: 'foreign' })).toBe('run 4')
    expect(await text({}, { session: 'ses_2' })).toBe('run 5')
    expect(await text({}, { agent: { name: 'other', pledge: ['fs.read'] } })).toBe('run 6')
    probe.clock.advance(1000)
    expect(await text()).toBe('run 7')
  })

  test('never when it was a refusal, when something may have changed it, or when policy says no', async () => {
    let ok = false
    const probe = withProbe({ cacheMs: 1000, run: async () => (ok ? done('yes') : refused('no', 'no')) })
    await probe.call()
    ok = true
    expect((await probe.call()).text).toBe('yes')
    probe.tools.register(
      defineTool({
        name: 'change',
        description: '',
        labels: [],
        capability: null,
        effect: 'idempotent',
        input: z.strictObject({}),
        run: async () => done(''),
      }),
    )
    const before = probe.runs()
    await probe.tools.call({ name: 'change', input: {}, allowed: ['change'] }, contextFor())
    await probe.call()
    expect(probe.runs()).toBe(before + 1)
    let effect: Decision['effect'] = 'allow'
    const judged = withProbe({ cacheMs: 1000 }, { policy: policyThat(() => effect) })
    await judged.call()
    effect = 'deny'
    expect((await judged.call()).code).toBe('denied')
  })

  test('not by tools that do something', async () => {
    const probe = withProbe({ cacheMs: 1000, effect: 'idempotent' })
    expect([(await probe.call()).text, (await probe.call()).text]).toEqual(['run 1', 'run 2'])
  })
})

describe('[T13] an answer brings along', () => {
  const brings = async (probe: Probe, tainted: Record<string, Taint> = {}) =>
    withProbe(probe, { policy: policyThat('allow', tainted) }).call()

  test('the highest taint of tool, answer and files, its sources, and what was written', async () => {
    expect(await brings({})).toEqual({ ok: true, text: 'run 1' })
    expect(await brings({ taint: 'content' })).toMatchObject({ taint: 'content' })
    expect(
      await brings({ taint: 'content', run: async () => done('x', { taint: 'foreign', sources: ['https://a.example'], wrote: ['/p/a'] }) }),
    ).toEqual({
      ...{ ok: true, text: 'x', taint: 'foreign', sources: ['https://a.example'], wrote: ['/p/a'] },
    })
    expect(await brings({ taint: 'content', run: async () => done('x', { read: ['/p/page.md'] }) }, { '/p/page.md': 'foreign' })).toEqual({
      ok: true,
      text: 'x',
      taint: 'foreign',
    })
  })

  test('foreign when nobody can say what lies on its files', async () => {
    const allowing = policyThat('allow')
    const policy: ToolPolicy = { ...allowing, taint: { ...allowing.taint, ofPaths: () => Promise.reject(new Error('gone')) } }
    expect(await withProbe({ run: async () => done('x', { read: ['/p/a'] }) }, { policy }).call()).toMatchObject({ taint: 'foreign' })
  })

  test('its taint also when its rest is read on', async () => {
    const probe = withProbe({ outputLimit: 10, taint: 'foreign', run: async () => done('x'.repeat(100)) })
    const { ref } = await probe.call()
    const rest = await probe.tools.call(
      { name: 'result_read', input: { ref: ref ?? '', from: 10 }, allowed: ['result_read'] },
      contextFor(),
    )
    expect(rest).toMatchObject({ ok: true, taint: 'foreign' })
  })

  test('no secret, neither in what is shown nor in what is kept', async () => {
    const seal = async (text: string) => text.replaceAll('sk-live-123456', '{{secret:key}}')
    const probe = withProbe({ outputLimit: 20, run: async () => done(`${'x'.repeat(12)}sk-live-123456 ${'y'.repeat(50)}`) }, { seal })
    const { text, ref } = await probe.call()
    expect(text.startsWith(`${'x'.repeat(12)}{{secret`)).toBe(true)
    expect((await probe.results.read('ses_1', ref ?? ''))?.text).toContain('{{secret:key}}')
    const broken = withProbe(
      { effect: 'once', run: async () => done('sk-live-123456') },
      { seal: () => Promise.reject(new Error('no key')) },
    )
    expect(await broken.call()).toMatchObject({ ok: true, text: expect.not.stringContaining('sk-live') })
  })

  test('no secret in what a person is asked', async () => {
    const seal = async (text: string) => text.replaceAll('sk-live-123456', '{{secret:key}}')
    const plan = async () => ({
      target: 'run sk-live-123456',
      risk: 'R2' as const,
      outward: false,
      destructive: false,
      consequences: 'x',
      preview: '+KEY=sk-live-123456',
    })
    const probe = withProbe({ plan }, { seal, policy: policyThat('ask') })
    const checked = await probe.check()
    expect(JSON.stringify(checked)).not.toContain('sk-live')
    expect(await probe.call({}, { permit: permit(checked) })).toMatchObject({ ok: true })
  })

  test('policy judges the call as it is, with what is taken out of it for others', async () => {
    const seal = async (text: string) => text.replaceAll('rm', '{{secret:key}}')
    const plan = async () => ({ target: 'KEY=rm; $KEY -r x', risk: 'R2' as const, outward: false, destructive: false, consequences: 'x' })
    const probe = withProbe({ plan }, { seal, policy: policyThat(({ target }) => (target.includes('rm') ? 'deny' : 'allow')) })
    expect(await probe.check()).toMatchObject({ effect: 'deny' })
    expect(await probe.call()).toMatchObject({ ok: false, code: 'denied' })
  })

  test('beginning and end of what is long, where a tool wants both', async () => {
    const probe = withProbe({ outputLimit: 20, outputTail: 8, run: async () => done(`${'a'.repeat(1000)}the end!`) })
    const { text } = await probe.call()
    expect(text).toMatch(/^a{12}\n\[the first 12 of 1008 characters; read on with result_read .*"from": 12}; the end follows]\nthe end!$/)
  })

  test('33 megabytes, whole by reference', async () => {
    const probe = withProbe({ run: async () => done(`${'x'.repeat(33_000_000)}!`) })
    const { ref, size, text } = await probe.call()
    expect([size, text.length < 31_000]).toEqual([33_000_001, true])
    const last = await probe.tools.call(
      { name: 'result_read', input: { ref: ref ?? '', from: 32_999_999 }, allowed: ['result_read'] },
      contextFor(),
    )
    expect(last.text.startsWith('x!\n')).toBe(true)
  })
})
