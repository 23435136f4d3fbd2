import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { handClock } from '../base/testing.ts'
import { wokenBy } from './discovery.ts'
import { memoryResults } from './results.ts'
import { type Asker, callable, classify, type Described, selectorsOf } from './surface.ts'
import { contextFor, policyThat } from './testing.ts'
import { defineTool, done } from './tool.ts'
import { live, openTools } from './tools.ts'

const tool = (name: string, more: Partial<Described> = {}): Described => ({ name, labels: [], capability: null, ...more })
const asker = (tools: Partial<Asker['tools']> = {}, more: Partial<Asker> = {}): Asker => ({
  pledge: [],
  tools: { add: [], remove: [], defer: [], ...tools },
  ...more,
})
const floor = [tool('tool_list'), tool('tool_description')]
const two = ['tool_description', 'tool_list']

describe('[T9] a surface', () => {
  test('has its floor, whatever is removed, deferred, or not for this client', () => {
    const all = [...floor.map((one) => ({ ...one, profiles: ['web'], labels: ['x'] })), tool('doc_read')]
    for (const tools of [{ remove: two }, { defer: two }, { remove: ['@x'] }, {}]) {
      expect(classify(all, asker(tools), { roots: [], profile: 'mobile' }).primary).toEqual(['doc_read', ...two])
    }
  })

  test('names deferred tools, and gives schemas of those that were asked for', () => {
    const all = [tool('kit_install', { deferred: true }), tool('doc_read'), tool('doc_write')]
    const from = { roots: [], activated: ['gone', 'kit_install', 'doc_read'] }
    expect(classify(all, asker({ defer: ['doc_write'] }), from)).toEqual({
      primary: ['doc_read'],
      deferred: ['doc_write', 'kit_install'],
      activated: ['kit_install'],
    })
    expect(classify(all, asker({ add: ['kit_install', 'doc_write'], defer: ['doc_write'] }), { roots: [] }).primary).toEqual([
      'doc_read',
      'doc_write',
      'kit_install',
    ])
  })

  test('an engine may give less; what is added from outside of that keeps its own place', () => {
    const all = [...floor, tool('doc_read'), tool('web_get'), tool('kit', { deferred: true })]
    expect(classify(all, asker({}, { base: ['doc_read'] }), { roots: [] })).toMatchObject({ primary: ['doc_read', ...two], deferred: [] })
    expect(classify(all, asker({ add: ['web_get', 'kit'] }, { base: ['doc_read'] }), { roots: [] })).toMatchObject({
      primary: ['doc_read', ...two, 'web_get'],
      deferred: ['kit'],
    })
  })

  test('is cut by profile and role, and nothing adds what these do not give', () => {
    const all = [tool('cam', { profiles: ['mobile'] }), tool('heal', { roles: ['prober', 'writer'] })]
    const names = (given: Partial<Asker>, profile: string | null) =>
      callable(classify(all, asker({ add: ['cam', 'heal'] }, given), { roots: [], profile })).join()
    expect(names({}, 'web')).toBe('')
    expect(names({}, 'mobile')).toBe('cam')
    expect(names({ roles: ['prober'] }, null)).toBe('cam')
    expect(names({ roles: ['writer', 'prober'] }, 'web')).toBe('heal')
  })

  test('defers whole families when there are too many: dropFirst, then the largest, keep last', () => {
    const all = [...floor, ...['a_1', 'b_1', 'b_2', 'c__x', 'c__y', 'c__z', 'd_1'].map((name) => tool(name))]
    const kept = (limit: number, tools: Partial<Asker['tools']> = {}) =>
      classify(all, asker(tools), { roots: [], limit, reserve: 0 })
        .primary.filter((name) => !two.includes(name))
        .join()
    expect(kept(9)).toBe('a_1,b_1,b_2,c__x,c__y,c__z,d_1')
    expect(kept(8)).toBe('a_1,b_1,b_2,d_1')
    expect(kept(8, { dropFirst: ['d_*'] })).toBe('a_1,b_1,b_2,c__x,c__y,c__z')
    expect(kept(5, { keep: ['c_*'] })).toBe('c__x,c__y,c__z')
    expect(kept(2, { keep: ['c_*'] })).toBe('')
  })

  test('of any tools: sorted, each once, never over the limit, the same whatever the order of registration', () => {
    const name: fc.Arbitrary<string> = fc.constantFrom('a_1', 'a_2', 'b_1', 'b_2', 'c__x', 'd', 'e_9', 'tool_list', 'tool_description')
    const some = fc.uniqueArray(name)
    const any = fc.record({
      tools: some,
      deferred: some,
      add: some,
      remove: some,
      defer: some,
      activated: some,
      limit: fc.integer({ min: 2, max: 10 }),
    })
    fc.assert(
      fc.property(any, ({ tools, deferred, limit, activated, ...selectors }) => {
        const all = tools.map((one) => tool(one, { deferred: deferred.includes(one) }))
        const found = classify(all, asker(selectors), { roots: [], limit, activated })
        expect(classify(all.toReversed(), asker(selectors), { roots: [], limit, activated })).toEqual(found)
        const names = callable(found)
        expect([...new Set(names)].sort()).toEqual([...names])
        expect(found.primary.length + found.activated.length).toBeLessThanOrEqual(limit)
        expect(found.activated.every((one) => found.deferred.includes(one))).toBe(true)
        expect(names.some((one) => selectors.remove.includes(one) && !two.includes(one))).toBe(false)
      }),
    )
  })

  test('of several layers the most particular decides; what to keep and drop adds up', () => {
    const layers = [
      { remove: ['mode'], keep: ['a'] },
      { remove: ['base'], add: ['x'] },
      { keep: ['b'], dropFirst: ['c'] },
    ]
    expect(selectorsOf(layers)).toEqual({ remove: ['mode'], add: ['x'], defer: [], keep: ['a', 'b'], dropFirst: ['c'] })
  })
})

describe('[T9] a deferred tool', () => {
  function opened() {
    const clock = handClock()
    const tools = openTools({ clock, results: memoryResults(), closed: [], policy: policyThat('allow') })
    const input = z.strictObject({ mark: z.string() })
    tools.register(
      defineTool({
        name: 'kit_install',
        description: 'Installs a kit. Slowly.',
        labels: ['kits'],
        capability: null,
        effect: 'replayable',
        deferred: true,
        input,
        run: async () => done('installed'),
      }),
    )
    const surface = (session = 'ses_1') => tools.surface(asker(), { roots: [], session })
    const call = (name: string, given: Record<string, string | string[]>, session?: string) =>
      tools.call({ name, input: given, allowed: surface().callable }, contextFor(session ? { session } : {}))
    return { clock, tools, surface, call }
  }

  test('stands in the discovery block, is listed and described, and can simply be called', async () => {
    const { surface, call } = opened()
    expect(surface().discovery).toContain('\n- kit_install: Installs a kit.')
    expect(surface().primary).toEqual(['result_read', 'time_now', ...two])
    expect((await call('tool_list', { label: 'kits' })).text).toBe('kit_install: Installs a kit. [kits]')
    expect((await call('tool_list', { text: 'nothing like it' })).text).toContain('No tool')
    expect((await call('tool_description', { names: ['kit_install', 'gone'] })).text).toMatch(
      /^kit_install: Installs a kit\. Slowly\.\nArguments: \{.*"mark".*\n\nThere is no tool "gone" here/s,
    )
    expect(await call('tool_description', { names: ['gone'] })).toMatchObject({ ok: false, code: 'unknown_tool' })
    expect(await call('kit_install', { mark: 'x' })).toMatchObject({ ok: true, text: 'installed' })
  })

  test('is live from then on: in the turn by what the turn recorded, later while it is used', async () => {
    const { clock, surface, call } = opened()
    const begun = surface()
    expect(begun.activated).toEqual([])
    expect(live(begun, [{ name: 'tool_description', input: { names: ['kit_install', 'time_now', 7] } }])).toEqual(['kit_install'])
    expect(wokenBy({ name: 'kit_install', input: {} })).toEqual(['kit_install'])
    await call('tool_description', { names: ['kit_install'] })
    expect(surface().activated).toEqual(['kit_install'])
    expect(surface('ses_2').activated).toEqual([])
    clock.advance(20 * 60_000)
    await call('kit_install', { mark: 'x' })
    clock.advance(20 * 60_000)
    expect(surface().activated).toEqual(['kit_install'])
    clock.advance(10 * 60_000)
    expect(surface().activated).toEqual([])
  })
})
