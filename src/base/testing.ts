// Things that tests drive by hand instead of waiting for them.
import type { Clock } from './clock.ts'
import type { NewId } from './ids.ts'

export type HandClock = Clock & {
  /** Moves time on by `ms` and rings what became due, in order of time. */
  advance(ms: number): void
  /** How many alarms are set. */
  readonly pending: number
}

/** A clock that stands still until it is advanced. Starts at 2026-01-01T00:00Z. */
export function handClock(start = Date.UTC(2026, 0, 1)): HandClock {
  let now = start
  let alarms: { due: number; ring: () => void }[] = []
  return {
    now: () => now,
    after(delayMs, ring) {
      const alarm = { due: now + delayMs, ring }
      alarms.push(alarm)
      return {
        cancel: () => {
          alarms = alarms.filter((a) => a !== alarm)
        },
      }
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const next = alarms.filter((a) => a.due <= end).sort((a, b) => a.due - b.due)[0]
        if (!next) break
        alarms = alarms.filter((a) => a !== next)
        now = Math.max(now, next.due)
        next.ring()
      }
      now = end
    },
    get pending() {
      return alarms.length
    },
  }
}

/** Ids that count up: evt_1, evt_2, ... one counter for all kinds. */
export function countingIds(): NewId {
  let n = 0
  return ((kind: string) => `${kind}_${String(++n).padStart(26, '0')}`) as NewId
}

/** Resolves after everything that is ready now has run: microtasks, immediates and their followers, `turns` times. */
export async function settleLoop(turns = 3): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A seeded random source (mulberry32): the same seed gives the same numbers. */
export function seeded(seed: number): { next(): number; int(below: number): number; pick<T>(from: readonly T[]): T } {
  let a = seed >>> 0
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    int: (below) => Math.floor(next() * below),
    pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
  }
}
