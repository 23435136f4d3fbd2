import { expect, test } from 'vitest'
import { handClock } from '../base/testing.ts'
import { watch } from './watch.ts'

const limits = { firstByteMs: 30_000, betweenChunksMs: 60_000, wholeMs: 1_200_000 }
const start = () => {
  const clock = handClock()
  const outer = new AbortController()
  return { clock, outer, watched: watch({ signal: outer.signal, clock, limits }) }
}

test('[M3] a word now and then without end is ended all the same', () => {
  const { clock, watched } = start()
  for (let at = 0; at < 24; at++) {
    expect(watched.ended('m')).toBeNull()
    watched.alive()
    clock.advance(50_000)
  }
  expect(watched.ended('m')).toEqual({ ok: false, code: 'timeout', message: 'The model m did not come to an end within 1200 seconds.' })
  expect(watched.signal.aborted).toBe(true)
})

test('[M3] each part has its own time', () => {
  const { clock, watched } = start()
  clock.advance(29_999)
  watched.alive()
  clock.advance(59_999)
  expect(watched.ended('m')).toBeNull()
  clock.advance(1)
  expect(watched.ended('m')?.message).toBe('The model m stopped in the middle of its answer and sent nothing for 60 seconds.')
})

test('a stop is a stop, also when the time is over later; nothing is left behind', () => {
  const { clock, outer, watched } = start()
  outer.abort()
  clock.advance(30_000)
  expect(watched.ended('m')).toMatchObject({ code: 'aborted' })
  watched.stop()
  expect(clock.pending).toBe(0)
})
