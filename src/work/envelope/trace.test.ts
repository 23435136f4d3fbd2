import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleEnvelope } from './testing.ts'
import { handoffEvent, readTrace, traceLine } from './trace.ts'

const at = Date.UTC(2026, 10, 30, 12)

test('[K22] a line says what happened to which message', () => {
  const line = traceLine(handoffEvent(sampleEnvelope(), { event: 'verify_fail', code: 'UNDECLARED_EDGE' }, at))
  expect(JSON.parse(line)).toEqual({
    ts: '2026-11-30T12:00:00.000Z',
    event: 'verify_fail',
    message_id: '01a22c53-8200-7010-9010-101010101010',
    thread_id: '01a22c53-8200-7010-9010-101010101010',
    from: 'scout@1.0.0',
    to: 'planner@1.0.0',
    performative: 'PROPOSE',
    integrity_method: 'sha256',
    context_tokens: 24,
    model: 'example',
    tier: 'standard',
    verify_failure_code: 'UNDECLARED_EDGE',
  })
  expect(line.endsWith('}\n')).toBe(true)
})

test('[K22] what was written is read again; a line that is broken or cut is named, and costs no other', () => {
  const events = (['emit', 'receive', 'verify_pass'] as const).map((event) => handoffEvent(sampleEnvelope(), { event }, at))
  const [emit, receive, pass] = events.map(traceLine)
  const text = `${emit}{"event":"emit"}\n\n${receive}${traceLine({ ...events[0], event: 'verify_fail' } as never)}${pass}${emit?.slice(0, 50)}`
  const { events: read, faults } = readTrace(text)
  expect(read).toEqual(events)
  expect(faults).toEqual([
    { line: 2, why: expect.stringContaining('ts') },
    { line: 5, why: 'verify_failure_code: a failed verification says why' },
    { line: 7, why: 'it is not JSON' },
  ])
})

test('[K23] any text is a trace with faults', () => {
  fc.assert(fc.property(fc.string(), (text) => void expect(readTrace(text).events).toEqual([])))
  expect(readTrace(`${'['.repeat(100_000)}\n`.repeat(20)).faults).toHaveLength(20)
})
