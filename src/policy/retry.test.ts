import { describe, expect, test } from 'vitest'
import { classOf, nextStep, type Outage, outageStep, probeEveryMs } from './retry.ts'

const half = () => 0.5

describe('retries', () => {
  test('[D13] what may go away is tried again, three times, with growing pauses; then it is told', () => {
    const steps = [1, 2, 3, 4].map((attempt) => nextStep({ class: 'transient', attempt }, half))
    expect(steps).toEqual([
      { action: 'retry', afterMs: 375 },
      { action: 'retry', afterMs: 750 },
      { action: 'retry', afterMs: 1500 },
      { action: 'abort', inform: true, log: true, escalated: true },
    ])
  })

  test('[D13] a wait that was asked for is kept; one that nobody sits through is told', () => {
    expect(nextStep({ class: 'transient', attempt: 1, retryAfterMs: 5_000 }, half)).toEqual({ action: 'retry', afterMs: 5_000 })
    expect(nextStep({ class: 'transient', attempt: 1, retryAfterMs: 600_000 }, half)).toMatchObject({ action: 'abort' })
  })

  test('[D13] what is ambiguous is asked, what persists is told at once', () => {
    expect(nextStep({ class: 'ambiguous', attempt: 1 }, half)).toEqual({ action: 'ask' })
    expect(nextStep({ class: 'persistent', attempt: 1 }, half)).toEqual({ action: 'abort', inform: true, log: true, escalated: false })
  })

  test('[D13] classes', () => {
    expect([429, 500, 503, 529, 408].map((status) => classOf({ status }))).toEqual(Array(5).fill('transient'))
    expect([400, 401, 403, 404, 501].map((status) => classOf({ status }))).toEqual(Array(5).fill('persistent'))
    expect(classOf({ status: 429, code: 'insufficient_quota' })).toBe('persistent')
    expect(classOf({ code: 'timeout' })).toBe('transient')
    expect(classOf({ code: 'unknown_outcome' })).toBe('ambiguous')
    expect(classOf({})).toBe('persistent')
  })

  test('[D13] when nothing answers it is told once, looked at every 15 minutes, and told once when it is over', () => {
    let outage: Outage = null
    const told: (string | null)[] = []
    let probes = 0
    const step = (answered: boolean | null, now: number) => {
      const next = outageStep(outage, answered, now)
      outage = next.outage
      told.push(next.tell)
      if (next.probe) probes++
    }
    step(false, 0)
    step(false, 10)
    step(null, 60_000)
    step(null, probeEveryMs + 10)
    step(null, probeEveryMs + 20)
    step(false, probeEveryMs + 30)
    step(true, 2 * probeEveryMs)
    step(true, 2 * probeEveryMs + 1)
    expect(told).toEqual(['down', null, null, null, null, null, 'up', null])
    expect(probes).toBe(1)
  })
})
