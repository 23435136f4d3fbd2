import { expect, test } from 'vitest'
import { valueAt } from '../paths/paths.ts'
import { testMemory, testStep } from '../testing.ts'
import { logLimit, templateDataOf } from './data.ts'

const hello = testStep({ 'output:text:a': { type: 'text', text: 'Hi' } }, { input: 'hello', actions: ['a'] })

test('[Y34] everything that templates see, under its name', () => {
  const memory = testMemory({
    past: [testStep({}, { input: 'first' }), hello],
    current: { 'context:userInfo': { type: 'object', value: { username: 'John' } }, 'context:lang': { type: 'string', value: 'en' } },
    output: { input: 'now', httpCalls: { w: { t: 1 } } },
    properties: { city: 'Vienna', list: [1] },
  })
  const snippet = { name: 's', category: '', description: '', content: 'Be kind.', tags: [], templateEnabled: true }
  const data = templateDataOf(memory, {
    snippets: new Map([['s', snippet]]),
    vars: { v: 'x' },
    objects: new Map([['weather', { temp: 7 }]]),
  })
  const seen = {
    'properties.city': 'Vienna',
    'properties.list[0]': 1,
    'memory.current.input': 'now',
    'memory.current.httpCalls.w.t': 1,
    'memory.last.input': 'hello',
    'memory.past[0].input': 'first',
    'context.lang': 'en',
    'context.userInfo.username': 'John',
    'userInfo.username': 'John',
    'userInfo.userId': 'anna',
    'conversationInfo.agentVersion': 3,
    'conversationInfo.environment': 'production',
    'snippets.s': 'Be kind.',
    'vars.v': 'x',
    'weather.temp': 7,
    lang: undefined,
  }
  expect(Object.fromEntries(Object.keys(seen).map((path) => [path, valueAt(path, data)]))).toEqual(seen)
  expect(data['conversationLog']).toBe('user: first\nuser: hello\nassistant: Hi\nuser: now')
  expect(JSON.parse(JSON.stringify(data))).toMatchObject({ properties: { city: 'Vienna' }, memory: { past: [{ input: 'first' }, {}] } })
})

test('[Y34] a context or a response hides no name of the system, and is no prototype', () => {
  const object = (value: { [key: string]: string }) => ({ type: 'object', value })
  const memory = testMemory({
    properties: { a: 1 },
    current: {
      'context:properties': object({ a: 'theirs' }),
      'context:userInfo': object({ userId: 'somebody else' }),
      'context:__proto__': object({ hidden: 'x' }),
    },
  })
  const data = templateDataOf(memory, { objects: { memory: 'gone', conversationInfo: {} } })
  expect([valueAt('properties.a', data), valueAt('userInfo.userId', data), valueAt('memory.last', data)]).toEqual([1, 'anna', {}])
  expect([valueAt('conversationInfo.agentId', data), Object.getPrototypeOf(data)]).toEqual(['a1', Object.prototype])
})

test('[Y35] older steps and the log are made when somebody asks, once; each part shows what is there at that moment', () => {
  let looked = 0
  const step = {
    data: [],
    get output() {
      looked++
      return {}
    },
  }
  const memory = testMemory({ past: [step, hello] })
  const data = templateDataOf(memory)
  memory.setProperty({ name: 'late', value: 1, scope: 'step' })
  expect([valueAt('properties.late', data), valueAt('memory.current.input', data), looked]).toEqual([1, undefined, 0])
  const past = valueAt('memory.past', data)
  expect(past).toHaveLength(2)
  expect(valueAt('memory.past', data)).toBe(past)
  expect(looked).toBe(1)
})

test('[Y35] of a long log the newest lines are given', () => {
  const past = Array.from({ length: 2000 }, (_, at) => testStep({}, { input: `${at} ${'x'.repeat(100)}` }))
  const log = String(templateDataOf(testMemory({ past }))['conversationLog'])
  expect(log.length).toBeLessThanOrEqual(logLimit)
  expect([log.startsWith('user: 0 '), log.includes('user: 1999 ')]).toEqual([false, true])
})
