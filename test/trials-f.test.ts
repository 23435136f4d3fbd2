// Group F of the trials over the whole hub: what a provider does wrong, and what a person sees of it. F07 and F08 are measured in
// src/models/chain.test.ts and by the bench.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScriptedReply, ScriptedRequest } from '../src/models/scripted.ts'
import { type Arena, openArena } from './trials-e/arena.ts'
import { call } from './trials-e/carriers.ts'
import { openStage } from './trials-e/stage.ts'

let arena: Arena
/** What the first model of the chain does instead of answering. */
let first: ScriptedReply | null = null
beforeAll(async () => {
  const busy = ({ body }: ScriptedRequest) => (body.model === 'first' ? first : null)
  arena = await openArena({ env: { STEWARD_MODEL: 'openai/first,openai/second' }, first: busy })
})
afterAll(() => arena.close())

const stageOf = (id: string) => openStage(arena, { id, decide: 'deny' })

test('[M8] F05, F06: a 429 of the first reaches the second of the same key within 5 s, the person is told once, and the first rests', async () => {
  const stage = await stageOf('f05')
  first = { status: 429, message: 'slow down', retryAfter: 300 }
  const began = performance.now()
  const session = await stage.say({ key: 'f05.1', rounds: [] })
  expect(performance.now() - began).toBeLessThan(5_000)
  await stage.say({ key: 'f05.2', session, rounds: [] })
  first = null
  const asked = arena.model.requests.filter(({ text }) => text.includes('(trial f05.')).map(({ body }) => body.model)
  expect(asked).toEqual(['first', 'second', 'second'])
  const told = (await stage.lines(session)).filter((line) => JSON.stringify(line.info ?? '').includes('answered by'))
  expect(told).toHaveLength(1)
  const { tiers } = await arena.client('GET', '/api/models')
  expect(tiers[1].chain[0]).toMatchObject({ model: 'openai/first', rest: { code: 'rate_limited' } })
})

test('[M4, Q3] F01: arguments that were cut are not executed, the model is told, and sends them again', async () => {
  const stage = await stageOf('f01')
  const cut = { calls: [{ name: 'file_write', input: '{"path":"keep.txt","text":"half a' }], finish: 'tool_calls' }
  const open = { calls: [{ name: 'file_delete', input: '{"path":"keep.txt"' }], finish: 'tool_calls' }
  const session = await stage.say({ rounds: [cut, open, [call('file_read', { path: 'keep.txt' })]] })
  expect(stage.asked).toEqual([])
  expect(stage.state()).toContain('keep.txt is kept')
  const results = (arena.model.requests.at(-1)?.body.messages ?? [])
    .filter((one) => one.role === 'tool')
    .map((one) => JSON.stringify(one.content))
  expect(results).toEqual([
    expect.stringContaining('incomplete'),
    expect.stringContaining('incomplete'),
    expect.stringContaining('is kept'),
  ])
  expect((await stage.lines(session)).map((line) => line.text).join()).not.toContain('half a')
})

test('[M1, Q4] F01: a broken frame before a valid end is a failure in plain words, and nothing of it is executed', async () => {
  const stage = await stageOf('f01-frame')
  const broken = { calls: [{ name: 'file_delete', input: { path: 'keep.txt' } }], raw: 'data: {"choices":[{"delta":{"content":"x\n\n' }
  const session = await stage.start({ rounds: [broken, broken, broken, broken] })
  await expect(stage.until(session, 'f01-frame')).rejects.toThrow('the turn failed')
  expect(existsSync(join(stage.root, 'keep.txt'))).toBe(true)
  const said = JSON.stringify(await stage.lines(session))
  for (const inner of ['SyntaxError', 'JSON.parse', 'Unexpected token', 'node_modules', '    at ']) expect(said).not.toContain(inner)
  await stage.say({
    key: 'f01-frame.2',
    session: (await arena.client('POST', '/api/sessions', { project: stage.id, agent: 'reader' })).id,
    rounds: [],
  })
})

test('[M1] F03: characters that are split between chunks come out whole, and no parser is heard', async () => {
  const stage = await stageOf('f03')
  const words = 'Grüße 👩‍🚀 an 日本, “fertig”'
  const text = [...`${words}. Done with f03;`]
  const session = await stage.start({ rounds: [{ text, byByte: true }] })
  while ((await stage.lines(session)).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await stage.lines(session)).at(-1)).toMatchObject({ role: 'assistant', text: text.join('') })
})

test('[M5, Q1] F09: the third turn is given the whole history, speaker by speaker', async () => {
  const stage = await stageOf('f09')
  const session = await stage.say({ key: 'f09.1', rounds: [], text: 'one' })
  await stage.say({ key: 'f09.2', session, rounds: [[call('file_read', { path: 'keep.txt' })]], text: 'two' })
  await stage.say({ key: 'f09.3', session, rounds: [], text: 'three' })
  const messages = (arena.model.requests.at(-1)?.body.messages ?? []).filter((one) => one.role !== 'system')
  expect(messages.map((one) => one.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
  const texts = messages.map((one) => JSON.stringify(one.content))
  for (const [at, words] of [
    'one (trial f09.1)',
    'Done with f09.1;',
    'two (trial f09.2)',
    'Done with f09.2;',
    'three (trial f09.3)',
  ].entries())
    expect(texts[at]).toContain(words)
})
