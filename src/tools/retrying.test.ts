import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { handClock, settleLoop } from '../base/testing.ts'
import { memoryResults } from './results.ts'
import { contextFor, policyThat } from './testing.ts'
import { defineTool, done, type Outcome, type ToolDefinition } from './tool.ts'
import { openTools } from './tools.ts'

type Given = Partial<ToolDefinition<Record<string, never>>> & { readonly outcomes: readonly Outcome[] }

function probe({ outcomes, ...more }: Given) {
  const clock = handClock()
  const log: string[] = []
  const tools = openTools({
    ...{ clock, results: memoryResults(), closed: [], policy: policyThat('allow'), random: () => 0.5 },
    log: (level, what) => void log.push(`${level} ${what}`),
  })
  const times: number[] = []
  tools.register(
    defineTool({
      ...{ name: 'probe', description: 'Probes.', labels: [], capability: null, effect: 'replayable', input: z.strictObject({}) },
      ...more,
      async run() {
        times.push(clock.now())
        return outcomes[times.length - 1] ?? done('at last')
      },
    }),
  )
  const controller = new AbortController()
  const called = tools.call({ name: 'probe', input: {}, allowed: ['probe'] }, contextFor({ signal: controller.signal }))
  const pauses = () => times.slice(1).map((at, i) => at - (times[i] ?? 0))
  return { clock, log, called, controller, pauses, runs: () => times.length }
}

const failing = (code: string, more: object = {}): Outcome => ({ ok: false, code, text: `It failed (${code}).`, ...more })
async function advance({ clock }: { readonly clock: ReturnType<typeof handClock> }, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 125) {
    await settleLoop()
    clock.advance(125)
  }
  await settleLoop()
}

describe('[D13] a call whose failure may go away', () => {
  test.each(['unreachable', 'http_503', 'http_429', 'network', 'timeout'])('[D13] %s: is tried again', async (code) => {
    const one = probe({ outcomes: [failing(code), failing(code)] })
    await advance(one, 2_000)
    expect(await one.called).toEqual({ ok: true, text: 'at last' })
    expect(one.pauses()).toEqual([375, 750])
  })

  test('[D13] three times, then it is told and the log has it', async () => {
    const one = probe({ outcomes: Array(9).fill(failing('http_503')) })
    await advance(one, 5_000)
    expect(await one.called).toMatchObject({ ok: false, code: 'http_503', text: expect.stringContaining('It was tried 4 times.') })
    expect(one.pauses()).toEqual([375, 750, 1500])
    expect(one.log).toEqual(['warn a tool failed each time and was given up'])
  })

  test('[D13] a wait that was asked for is kept, and one that does not fit into the time of the call is told', async () => {
    const kept = probe({ outcomes: [failing('http_429', { retryAfterMs: 5_000 })] })
    await advance(kept, 6_000)
    expect(await kept.called).toMatchObject({ ok: true })
    expect(kept.pauses()).toEqual([5_000])
    const late = probe({ timeoutMs: 4_000, outcomes: [failing('http_429', { retryAfterMs: 5_000 })] })
    expect(await late.called).toMatchObject({ ok: false, text: expect.stringContaining('It was tried once') })
    expect(late.runs()).toBe(1)
  })

  test('[D13] a stop ends the waiting', async () => {
    const one = probe({ outcomes: [failing('unreachable')] })
    await settleLoop()
    one.controller.abort(new Error('stopped by ada'))
    await expect(one.called).rejects.toThrow('stopped by ada')
    await advance(one, 2_000)
    expect([one.runs(), one.clock.pending]).toEqual([1, 0])
  })
})

test('[D13] what lasts is told at once', async () => {
  for (const code of ['http_404', 'http_401', 'invalid', 'denied', 'untrusted', 'not_found']) {
    const one = probe({ outcomes: [failing(code)] })
    expect(await one.called).toEqual({ ok: false, code, text: `It failed (${code}).` })
    expect(one.runs()).toBe(1)
  }
})

test('[D13] what is ambiguous is for the person', async () => {
  const one = probe({ outcomes: [failing('ambiguous')] })
  expect(await one.called).toMatchObject({ ok: false, text: expect.stringContaining('ask, and guess nothing') })
  expect(one.runs()).toBe(1)
})

test('[D13] what changes something is not tried again by itself', async () => {
  for (const effect of ['idempotent', 'once'] as const) {
    const one = probe({ effect, outcomes: [failing('unreachable')] })
    expect(await one.called).toMatchObject({ ok: false, code: 'unreachable' })
    expect(one.runs()).toBe(1)
  }
})
