// What outheis does about errors of its models, over the recorded facts about it.

import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/base/clock.ts'
import { handClock, settleLoop } from '../../src/base/testing.ts'
import type { ModelReply } from '../../src/models/message.ts'
import { openModels } from '../../src/models/models.ts'
import { type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { contextFor, policyThat } from '../../src/tools/testing.ts'
import { defineTool, refused, type ToolResult } from '../../src/tools/tool.ts'
import { openTools } from '../../src/tools/tools.ts'
import { describeShared } from '../shared.ts'

describeShared('errors of outheis', 'outheis/retry-and-errors.json', ({ rows }) => {
  const find = (id: string): unknown => rows.find((row) => typeof row === 'object' && row !== null && 'id' in row && row.id === id)

  test('[M8] err-rate-limit: what is transient is tried again, not for ever', async () => {
    expect(find('err-rate-limit')).toMatchObject({ class: 'transient', action: 'retry', max: 3 })
    const { reply, count } = await askFor({ status: 429, headers: { 'retry-after-ms': '5' } })
    expect(reply).toMatchObject({ ok: false, code: 'rate_limited' })
    expect(count).toBe(3)
  })

  test('[M8, M1] err-persistent: what lasts is told and not tried again', async () => {
    expect(find('err-persistent')).toMatchObject({ class: 'persistent', action: ['inform user', 'log', 'abort'] })
    for (const [status, code] of [
      [401, 'auth'],
      [402, 'quota'],
      [400, 'invalid_request'],
    ] as const) {
      const { reply, count } = await askFor({ status, message: 'no' })
      expect(reply).toMatchObject({ ok: false, code, message: expect.stringMatching(/^The model openai\/a .+/) })
      expect(count).toBe(1)
    }
  })
})

describeShared('errors of tools, as outheis has them', 'outheis/retry-and-errors.json', ({ rows }) => {
  const find = (id: string): unknown => rows.find((row) => typeof row === 'object' && row !== null && 'id' in row && row.id === id)

  test('[D13] err-rate-limit: a tool that only looks is tried again three times', async () => {
    expect(find('err-rate-limit')).toMatchObject({ max: 3 })
    const { result, runs } = await callWith('http_429')
    expect([result.code, runs]).toEqual(['http_429', 4])
  })

  test('[D13] err-ambiguous: the person is asked, nothing is guessed', async () => {
    expect(find('err-ambiguous')).toMatchObject({ action: 'ask user' })
    const { result, runs } = await callWith('ambiguous')
    expect([result.text, runs]).toEqual([expect.stringContaining('ask, and guess nothing'), 1])
  })

  test('[D13] err-persistent: told at once', async () => {
    const { result, runs } = await callWith('http_403')
    expect([result.text, runs]).toEqual(['It failed.', 1])
  })
})

async function callWith(code: string): Promise<{ result: ToolResult; runs: number }> {
  const clock = handClock()
  const tools = openTools({ clock, results: memoryResults(), closed: [], policy: policyThat('allow') })
  let runs = 0
  tools.register(
    defineTool({
      ...{ name: 'probe', description: 'Probes.', labels: [], capability: null, effect: 'replayable', input: z.strictObject({}) },
      async run() {
        runs++
        return refused(code, 'It failed.')
      },
    }),
  )
  let result: ToolResult | null = null
  void tools.call({ name: 'probe', input: {}, allowed: ['probe'] }, contextFor()).then((given) => {
    result = given
  })
  for (let at = 0; result === null && at < 100; at++) {
    await settleLoop()
    clock.advance(250)
  }
  return { result: result ?? { ok: false, text: 'no answer' }, runs }
}

async function askFor(answer: ScriptedReply): Promise<{ reply: ModelReply; count: number }> {
  const server = await startScriptedModel({ otherwise: () => answer })
  const name = 'openai/a'
  const models = openModels(
    { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: server.url } },
    { clock: systemClock },
  )
  const reply = await models.stream(
    { tier: 'standard', messages: [{ role: 'user', text: 'x' }], tools: [] },
    { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
  )
  await server.close()
  return { reply, count: server.count }
}
