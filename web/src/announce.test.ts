import { describe, expect, test } from 'vitest'
import { emptyView, foldAll, type Incoming, type View } from '../../src/protocol/view.ts'
import { announcements } from './announce.ts'
import { waitBefore } from './backoff.ts'
import { firstState, type State } from './state.ts'
import { age, costWords, lasted, leftUntil, noticeWords, waits } from './words.ts'

const at = '2026-11-30T09:00:00.000Z'
const state = (view: View, more: Partial<State> = {}): State => ({ ...firstState, phase: 'ready', view, ...more })
const told = (before: View, ...events: Incoming[]) =>
  announcements(state(before), state(foldAll(before, events)), 'Arthur').map(({ text, urgent }) => [text, urgent])

const begun = foldAll(emptyView('ses_1'), [{ type: 'process-status-changed', cursor: '1.1', at, data: { status: 'IDLE' } }])
const words = (offset: number, text: string): Incoming => ({
  type: 'chat-message-chunk',
  data: { turn: 't', step: 's', attempt: 1, offset, text },
})
const answer = (text: string): Incoming => ({
  type: 'chat-message-appended',
  cursor: '1.2',
  at,
  data: { turn: 't', step: 's', message: { id: 'm', role: 'assistant', status: 'settled', parent: null, text } },
})

describe('announcements', () => {
  test('[W10] the start of an answer and its end are told, single words are not', () => {
    expect(told(begun, words(0, 'Hel'))).toEqual([['Arthur is writing', false]])
    const writing = foldAll(begun, [words(0, 'Hel')])
    expect(told(writing, words(3, 'lo'))).toEqual([])
    expect(told(writing, answer('Hello'))).toEqual([['Arthur answered. Hello', false]])
  })

  test('[W10] of a long answer the first 200 characters', () => {
    expect(told(begun, answer('x'.repeat(500)))).toEqual([[`Arthur answered. ${'x'.repeat(200)}`, false]])
  })

  test('[W10] a question is urgent, and told once', () => {
    const asked: Incoming = { type: 'question-asked', cursor: '1.2', data: { ask: 'a', turn: 't', text: 'Where?' } }
    expect(told(begun, asked)).toEqual([['Arthur asks: Where?', true]])
    expect(told(foldAll(begun, [asked]), words(0, ''))).not.toContainEqual(['Arthur asks: Where?', true])
  })

  test('[W10] what was there when the conversation was opened is not told', () => {
    expect(told(emptyView('ses_1'), answer('old'))).toEqual([])
  })

  test('[W10] a lost connection is told once, and that it is back', () => {
    const me = { user: { name: 'ada' }, home: '_user_ada' }
    const [on, off, trying] = [
      state(begun, { me, connection: { is: 'online' } }),
      state(begun, { me, connection: { is: 'offline', retryAt: 0 } }),
      state(begun, { me, connection: { is: 'connecting', again: true } }),
    ]
    expect(announcements(on, off, 'Arthur')).toHaveLength(1)
    expect([...announcements(off, trying, 'Arthur'), ...announcements(trying, off, 'Arthur')]).toEqual([])
    expect(announcements(trying, on, 'Arthur')).toEqual([{ text: 'The hub is back.', urgent: false }])
  })
})

describe('pauses', () => {
  test('[W6] they grow to half a minute and are spread over their upper half', () => {
    expect([1, 2, 3, 7, 20, 1000].map((tries) => [waitBefore(tries, 0), waitBefore(tries, 1)])).toEqual([
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [15_000, 30_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ])
  })
})

describe('words', () => {
  test('[W4] what waits says what it waits behind', () => {
    expect([waits(0, 'Arthur'), waits(1, null), waits(3, null)]).toEqual([
      'Waiting, first in line, while Arthur works',
      'Waiting, 1 message goes first',
      'Waiting, 3 messages go first',
    ])
  })

  test('times', () => {
    expect([lasted(6_400), lasted(134_000), lasted(-5)]).toEqual(['6 s', '2 min 14 s', '0 s'])
    expect([age(at, Date.parse(at) + 59_000), age(at, Date.parse(at) + 180_000), age(at, Date.parse(at) + 7_200_000), age('x', 0)]).toEqual(
      ['now', '3 min', '2 h', ''],
    )
  })
})

describe('words about what waits', () => {
  const now = Date.parse(at)
  const later = (ms: number) => new Date(now + ms).toISOString()

  test('the time left is short, and nothing when it is over', () => {
    expect([later(30_000), later(90 * 60_000), later(23.5 * 3_600_000), later(72 * 3_600_000)].map((one) => leftUntil(one, now))).toEqual([
      'less than 1 min',
      '90 min',
      '23 h',
      '3 d',
    ])
    expect([leftUntil(later(-1), now), leftUntil('', now)]).toEqual(['', ''])
  })

  test('a cost is an amount, free, or not known', () => {
    const cost = { currency: 'USD', calls: 1, unpriced: 0 }
    expect([1_230_000, 4_200, 0].map((micros) => costWords({ ...cost, micros }))).toEqual(['1.23 USD', '0.0042 USD', 'free'])
    expect(costWords({ ...cost, micros: 0, unpriced: 1 })).toBe('no price known')
    expect(costWords({ ...cost, micros: 0, calls: 0 })).toBe('')
  })

  test('a decision says for how long, or why not', () => {
    const notice = { id: 'n', text: 'Send it?', after: null, at }
    expect(noticeWords({ ...notice, kind: 'allowed', detail: 'run' }, 'Arthur').more).toBe('You allowed it for this task.')
    expect(noticeWords({ ...notice, kind: 'denied', detail: 'not today' }, 'Arthur').more).toBe('You said no: not today')
  })
})
