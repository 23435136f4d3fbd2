import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interrupted, repairHistory } from './history.ts'
import type { ModelMessage } from './message.ts'

const user = (text: string): ModelMessage => ({ role: 'user', text })
const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: ids.map((id) => ({ state: 'complete', id, name: 't', input: {} })),
})
const says = (text: string): ModelMessage => ({ role: 'assistant', text, toolCalls: [] })
const result = (callId: string, text = 'r'): ModelMessage => ({ role: 'tool', callId, name: 't', text })

describe('[M5] repair', () => {
  test('a whole history stays as it is', () => {
    const whole = [user('a'), calls('1', '2'), result('1'), result('2'), says('b'), user('c')]
    expect(repairHistory(whole)).toEqual(whole)
  })

  test('a lost result is said to be interrupted, right behind its call', () => {
    expect(repairHistory([user('a'), calls('1', '2'), result('2'), user('hi')])).toEqual([
      user('a'),
      calls('1', '2'),
      result('1', interrupted),
      result('2'),
      user('hi'),
    ])
  })

  test('a result that came late moves to its call; a second one and one without a call are left out', () => {
    expect(repairHistory([calls('1'), user('a'), result('1', 'x'), result('1', 'y'), result('9')])).toEqual([
      calls('1'),
      result('1', 'x'),
      user('a'),
    ])
  })

  test('lines of one speaker in a row become one, empty ones go', () => {
    expect(repairHistory([user('a'), user('b'), says(''), says('c'), says('d')])).toEqual([user('a\n\nb'), says('c\n\nd')])
  })

  test('any history at all comes out with one result a call and no speaker twice in a row', () => {
    const id = fc.constantFrom('1', '2', '3')
    const message = fc.oneof(
      fc.constant(user('u')),
      fc.constant(says('s')),
      id.map((one) => result(one)),
      fc.array(id, { maxLength: 3 }).map((ids) => calls(...ids)),
    )
    fc.assert(fc.property(fc.array(message, { maxLength: 12 }), (messages) => isWhole(repairHistory(messages))))
  })
})

function isWhole(messages: readonly ModelMessage[]): boolean {
  let open: string[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.shift() !== message.callId) return false
      continue
    }
    if (open.length > 0 || messages[at - 1]?.role === message.role) return false
    open = message.role === 'assistant' ? message.toolCalls.map((call) => call.id) : []
  }
  return open.length === 0
}
