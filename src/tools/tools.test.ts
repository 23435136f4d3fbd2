import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import { folderResults, memoryResults } from './results.ts'
import { callable, classify } from './surface.ts'
import { contextFor, policyThat } from './testing.ts'
import { defineTool, done, refused, type ToolDefinition } from './tool.ts'
import { openTools } from './tools.ts'

const shape = z.strictObject({
  path: z.string(),
  depth: z.int().min(1).max(5).default(2),
  filter: z.string().optional(),
  options: z.object({ deep: z.boolean() }).optional(),
})

/** Tools with one more, `probe`, and what that was called with. */
function withProbe(given: Partial<ToolDefinition<z.infer<typeof shape>>> = {}) {
  const clock = handClock()
  const tools = openTools({ clock, results: memoryResults(), closed: [], policy: policyThat('allow') })
  const inputs: unknown[] = []
  tools.register(
    defineTool({
      name: 'probe',
      description: 'For tests.',
      labels: ['test'],
      capability: null,
      effect: 'replayable',
      input: shape,
      async run(input) {
        inputs.push(input)
        return done('ran')
      },
      ...given,
    }),
  )
  const call = (input: JsonObject, allowed = ['probe'], context = contextFor()) => tools.call({ name: 'probe', input, allowed }, context)
  return { tools, clock, inputs, call }
}

describe('[T1] the surface', () => {
  const tool = (name: string, capability: string | null, labels: string[] = [], needsRoots = false) => ({
    name,
    capability,
    labels,
    needsRoots,
  })
  const all = [
    tool('read', 'fs.read', ['files'], true),
    tool('write', 'fs.write', ['files', 'write'], true),
    tool('time', null),
    tool('fetch', 'web.read'),
  ]
  const none = { add: [], remove: [], defer: [] }
  const of = (pledge: string[] | null, tools: Partial<typeof none> = {}, roots = ['/p']) =>
    callable(classify(all, { pledge, tools: { ...none, ...tools } }, { roots })).join()

  test('is what the pledge holds, and what needs none', () => {
    expect(of(['fs.read'])).toBe('read,time')
    expect(of(['fs.*', 'web.read'])).toBe('fetch,read,time,write')
    expect(of([])).toBe('time')
    expect(of(null)).toBe('read,time')
  })

  test('is narrowed by name and label; remove wins over add, and add gives nothing that was not pledged', () => {
    expect(of(['fs.*'], { remove: ['@write'] as never[] })).toBe('read,time')
    expect(of(['fs.read'], { add: ['write', 'read'] as never[], remove: ['read'] as never[] })).toBe('time')
    expect(of(['fs.*'], { defer: ['@files'] as never[], add: ['read'] as never[] })).toBe('read,time,write')
  })

  test('has no file tools where there are no folders', () => {
    expect(of(['fs.*'], {}, [])).toBe('time')
  })

  test('a call of a tool that is there but was not given is answered like one of a tool that is not there', async () => {
    const { call, inputs } = withProbe()
    expect(await call({ path: 'x' }, ['time_now'])).toEqual({
      ok: false,
      code: 'unknown_tool',
      text: 'There is no tool "probe" here. Tools are: time_now.',
    })
    expect(inputs).toEqual([])
  })

  test('names are taken once', () => {
    const { tools } = withProbe()
    expect(() =>
      tools.register(
        defineTool({
          name: 'probe',
          description: '',
          labels: [],
          capability: null,
          effect: 'once',
          input: shape,
          run: async () => done(''),
        }),
      ),
    ).toThrow('two tools named "probe"')
  })
})

describe('[T2] arguments', () => {
  test.each<[JsonObject, unknown]>([
    [{ path: 'x' }, { path: 'x', depth: 2 }],
    [
      { path: 'x', depth: null, filter: '', options: {} },
      { path: 'x', depth: 2 },
    ],
    [
      { path: 'x', depth: '3' },
      { path: 'x', depth: 3 },
    ],
    [{ path: '' }, { path: '', depth: 2 }],
    [
      { path: 'x', options: '{"deep": true}' },
      { path: 'x', depth: 2, options: { deep: true } },
    ],
    [{ path: '["x"]' }, { path: '["x"]', depth: 2 }],
    [
      { path: 'x', options: { deep: true } },
      { path: 'x', depth: 2, options: { deep: true } },
    ],
  ])('%j', async (given, expected) => {
    const { call, inputs } = withProbe()
    expect(await call(given)).toEqual({ ok: true, text: 'ran' })
    expect(inputs).toEqual([expected])
  })

  test.each<[JsonObject, string]>([
    [{}, 'probe: "path" is missing. Arguments are: path, depth, filter, options.'],
    [{ path: null }, 'probe: "path" is null;'],
    [{ path: 'x', depth: 9 }, 'probe: "depth" is 9;'],
    [{ path: 'x', depth: 'three' }, 'probe: "depth" is "three";'],
    [{ path: 'x', dept: 1 }, 'probe: there is no argument "dept".'],
    [{ path: 'x', options: '{"deep": tru' }, 'probe: "options" is "{'],
    [{ path: ['x'] }, 'probe: "path" is ["x"];'],
  ])('%j does not run', async (given, words) => {
    const { call, inputs } = withProbe()
    expect(await call(given)).toMatchObject({ ok: false, code: 'invalid', text: expect.stringContaining(words) })
    expect(inputs).toEqual([])
  })

  test('a model is given JSON schemas, sorted by name', () => {
    const { tools } = withProbe()
    const specs = tools.specs(['time_now', 'probe', 'gone'])
    expect(specs.map((one) => one.name)).toEqual(['probe', 'time_now'])
    expect(specs[0]?.schema).toMatchObject({ type: 'object', required: ['path'], additionalProperties: false })
    expect(JSON.stringify(specs)).not.toContain('$schema')
  })
})

describe('[T3] a call ends', () => {
  test('after its time, and its tool is told to stop', async () => {
    let stopped = false
    const { call, clock } = withProbe({
      timeoutMs: 5000,
      run: (_, { signal }) => {
        signal.addEventListener('abort', () => {
          stopped = true
        })
        return new Promise(() => {})
      },
    })
    const called = call({ path: 'x' })
    await settleLoop()
    clock.advance(5000)
    expect(await called).toEqual({ ok: false, code: 'timeout', text: 'probe did not end within 5 seconds and was given up.' })
    expect([stopped, clock.pending]).toEqual([true, 0])
  })

  test('with a throw and a refusal as answers', async () => {
    const broken = withProbe({ run: () => Promise.reject(new Error('disk on fire')) })
    expect(await broken.call({ path: 'x' })).toEqual({ ok: false, code: 'broken', text: 'probe broke: disk on fire' })
    const no = withProbe({ run: async () => refused('outside', 'not there') })
    expect(await no.call({ path: 'x' })).toEqual({ ok: false, code: 'outside', text: 'not there' })
  })

  test('and one that must not happen twice throws when nobody knows whether it happened', async () => {
    const broken = withProbe({ effect: 'once', run: () => Promise.reject(new Error('line cut')) })
    await expect(broken.call({ path: 'x' })).rejects.toThrow('line cut')
    const slow = withProbe({ effect: 'once', timeoutMs: 1000, run: () => new Promise(() => {}) })
    const called = slow.call({ path: 'x' })
    await settleLoop()
    slow.clock.advance(1000)
    await expect(called).rejects.toThrow('did not end within 1 seconds')
    const no = withProbe({ effect: 'once', run: async () => refused('full', 'nothing was sent') })
    expect(await no.call({ path: 'x' })).toMatchObject({ ok: false, code: 'full' })
  })

  test('by a stop, at once, with what the stop says', async () => {
    const controller = new AbortController()
    const { call } = withProbe({ run: () => new Promise(() => {}) })
    const called = call({ path: 'x' }, ['probe'], contextFor({ signal: controller.signal }))
    controller.abort(new Error('stopped by ada'))
    await expect(called).rejects.toThrow('stopped by ada')
    await expect(call({ path: 'x' }, ['probe'], contextFor({ signal: controller.signal }))).rejects.toThrow('stopped by ada')
  })
})

describe('[T4] long answers', () => {
  const long = 'abcdefghij'.repeat(1000)

  test('are cut with a reference that reads on, to the end', async () => {
    const { tools, call } = withProbe({ outputLimit: 100, run: async () => done(long) })
    const first = await call({ path: 'x' })
    expect(first.text).toMatch(/^(abcdefghij){10}\n\[the first 100 of 10000 characters; read on with result_read/)
    expect(first.size).toBe(10_000)
    const read = (from: number, session = 'ses_1') =>
      tools.call({ name: 'result_read', input: { ref: first.ref ?? '', from }, allowed: ['result_read'] }, contextFor({ session }))
    expect((await read(100)).text).toBe(`${long.slice(100)}\n[characters 100 to 10000 of 10000; that is the end]`)
    expect(await read(10_000)).toMatchObject({ ok: false, code: 'invalid' })
    expect(await read(0, 'ses_2')).toMatchObject({ ok: false, code: 'not_found' })
  })

  test('no half character and no NUL reaches a store', async () => {
    const { call } = withProbe({ outputLimit: 3, run: async () => done('a\0b\u{1f600}c') })
    const { text } = await call({ path: 'x' })
    expect(text.startsWith('a\ufffdb\n')).toBe(true)
    expect(text.isWellFormed()).toBe(true)
  })

  test('are files of the session that only their owner may read, and no reference leads elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-results-'))
    try {
      const results = folderResults(join(folder, 'results'))
      expect(await results.read('ses_1', '0'.repeat(32))).toBeNull()
      const ref = await results.keep('ses_1', { text: long, taint: 'content' })
      expect(await results.keep('ses_1', { text: long, taint: 'content' })).toBe(ref)
      expect(await results.read('ses_1', ref)).toEqual({ text: long, taint: 'content' })
      expect(await results.read('ses_2', ref)).toBeNull()
      expect(await results.read('ses_1', `../ses_1/${ref}`)).toBeNull()
      await expect(results.keep('../up', { text: 'x', taint: 'none' })).rejects.toThrow()
      const files = readdirSync(join(folder, 'results/ses_1'))
      expect(files).toEqual([`${ref}.content.txt`])
      expect(statSync(join(folder, 'results/ses_1', `${ref}.content.txt`)).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, 'results/ses_1')).mode & 0o777).toBe(0o700)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('[T4] the same long answer twice at once is kept once, whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-results-'))
  try {
    const results = folderResults(folder)
    const kept = { text: 'long '.repeat(200_000), taint: 'content' } as const
    const refs = await Promise.all(Array.from({ length: 8 }, () => results.keep('ses_1', kept)))
    expect(new Set(refs).size).toBe(1)
    expect((await results.read('ses_1', refs[0] ?? ''))?.text.length).toBe(kept.text.length)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('time_now reads the clock when asked, in any zone', async () => {
  const { tools, clock } = withProbe()
  const ask = (input: JsonObject) => tools.call({ name: 'time_now', input, allowed: ['time_now'] }, contextFor())
  expect((await ask({})).text).toBe('Thursday, 2026-01-01 00:00:00 +00:00 in UTC; 2026-01-01T00:00:00.000Z in UTC')
  clock.advance(3_600_000)
  expect((await ask({ zone: 'Asia/Kolkata' })).text).toBe(
    'Thursday, 2026-01-01 06:30:00 +05:30 in Asia/Kolkata; 2026-01-01T01:00:00.000Z in UTC',
  )
  expect(await ask({ zone: 'Mars/Base' })).toMatchObject({ ok: false, text: expect.stringContaining('allowed are IANA names') })
})

test("time_now answers in the person's own zone when none is named", async () => {
  const tools = openTools({
    clock: handClock(),
    results: memoryResults(),
    closed: [],
    policy: policyThat('allow'),
    zoneOf: async (user) => (user === 'ada' ? 'America/New_York' : 'UTC'),
  })
  const answer = await tools.call({ name: 'time_now', input: {}, allowed: ['time_now'] }, contextFor())
  expect(answer.text).toBe('Wednesday, 2025-12-31 19:00:00 -05:00 in America/New_York; 2026-01-01T00:00:00.000Z in UTC')
})
