// What outheis does about errors of its models, over the recorded facts about it.

import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { ModelReply } from '../../src/models/message.ts'
import { openModels } from '../../src/models/models.ts'
import { type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
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
