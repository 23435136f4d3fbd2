import { expect, test } from 'vitest'
import { handClock } from '../base/testing.ts'
import { priorities } from '../lanes/engine.ts'
import { enqueue, openLimit, type Waiting } from './limit.ts'

const quiet = new AbortController().signal

test('[M6] a person goes before an agent before the background, each in order of arrival', () => {
  let queue: readonly Waiting<string>[] = []
  const arrivals = ['background 1', 'agent 1', 'person 1', 'agent 2', 'person 2']
  arrivals.forEach((item, order) => {
    const priority = priorities.find((one) => item.startsWith(one)) ?? 'person'
    queue = enqueue(queue, item, { now: 0, order, priority })
  })
  expect(queue.map((one) => one.item)).toEqual(['person 1', 'person 2', 'agent 1', 'agent 2', 'background 1'])
})

test('[M6] who has waited long enough goes before a person who has just come', () => {
  const waiting = enqueue<string>([], 'background', { now: 0, order: 0, priority: 'background' })
  const early = enqueue(waiting, 'person', { now: 29_999, order: 1, priority: 'person' })
  const late = enqueue(waiting, 'person', { now: 30_001, order: 1, priority: 'person' })
  expect([early[0]?.item, late[0]?.item]).toEqual(['person', 'background'])
})

test('slots are given back once, and who leaves the queue takes none', async () => {
  const limit = openLimit(1, handClock())
  const first = await limit.acquire('person', quiet)
  const leaver = new AbortController()
  const left = limit.acquire('person', leaver.signal)
  const second = limit.acquire('agent', quiet)
  expect([limit.running, limit.waiting]).toEqual([1, 2])
  leaver.abort()
  expect(await left).toBeNull()
  first?.()
  first?.()
  const release = await second
  expect([limit.running, limit.waiting]).toEqual([1, 0])
  release?.()
  expect(limit.running).toBe(0)
  expect(await limit.acquire('person', AbortSignal.abort())).toBeNull()
})
