import { expect, test } from 'vitest'
import { heapWatch } from './heap.ts'

test('the heap is collected once after a burst, when a second passed without work', async () => {
  let heap = 300e6
  let times = 0
  const watch = heapWatch({ heapBytes: () => heap, collect: async () => void times++ })
  watch(0, false)
  watch(500, true)
  watch(900, false)
  expect(times).toBe(0)
  watch(900, true)
  expect(times).toBe(0)
  watch(900, false)
  watch(900, false)
  expect(times).toBe(1)
  heap = 40e6
  watch(901, false)
  watch(901, false)
  expect(times).toBe(1)
})

test('the real collection ends', async () => {
  const watch = heapWatch({ heapBytes: () => 300e6 })
  watch(1, false)
  watch(1, false)
})
