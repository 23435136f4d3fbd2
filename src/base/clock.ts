// Time as an argument. Only steward.ts makes the real one; tests turn a clock by hand (base/testing.ts).

export type Alarm = { cancel(): void }

export type Clock = {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now(): number
  /** Runs `ring` once, `delayMs` (>= 0) from now. An alarm alone never keeps the process alive. */
  after(delayMs: number, ring: () => void): Alarm
}

/** setTimeout takes at most 2^31-1 ms; a later alarm is set again when that has passed. */
const longestTimeoutMs = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, ring) {
    const due = Date.now() + delayMs
    let timer: NodeJS.Timeout
    const arm = () => {
      const left = Math.max(0, due - Date.now())
      timer = setTimeout(left > longestTimeoutMs ? arm : ring, Math.min(left, longestTimeoutMs))
      timer.unref()
    }
    arm()
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Rings every `ms` until it is cancelled. */
export function every(clock: Clock, ms: number, ring: () => void): Alarm {
  let alarm = clock.after(ms, again)
  function again(): void {
    alarm = clock.after(ms, again)
    ring()
  }
  return { cancel: () => alarm.cancel() }
}

/** Resolves after that time, or at once when the signal aborts; then it leaves no alarm behind. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ended = () => {
      alarm.cancel()
      signal.removeEventListener('abort', ended)
      resolve()
    }
    const alarm = clock.after(ms, ended)
    signal.addEventListener('abort', ended, { once: true })
    if (signal.aborted) ended()
  })
}

/** ISO text of an instant, UTC with milliseconds: 2026-11-30T12:00:00.000Z. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
