// How long a small thing takes: batches of it, and the middle one of them, so that what disturbs one batch does not count.

import { median } from './spread.ts'

const batches = 7

/** Microseconds of one. The first batch only warms up. */
export function microsOf(times: number, work: () => unknown): number {
  const found = Array.from({ length: batches + 1 }, () => {
    const begun = performance.now()
    for (let i = 0; i < times; i++) work()
    return ((performance.now() - begun) * 1_000) / times
  })
  return median(found.slice(1))
}

/** The same for what takes turns. */
export async function microsOfEach(times: number, work: () => Promise<unknown>): Promise<number> {
  const found: number[] = []
  for (let batch = 0; batch <= batches; batch++) {
    const begun = performance.now()
    for (let i = 0; i < times; i++) await work()
    found.push(((performance.now() - begun) * 1_000) / times)
  }
  return median(found.slice(1))
}

/** Milliseconds of each, one after the other; the middle one. */
export async function millisOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const found: number[] = []
  for (let i = 0; i < times; i++) {
    const begun = performance.now()
    await work()
    found.push(performance.now() - begun)
  }
  return median(found)
}
