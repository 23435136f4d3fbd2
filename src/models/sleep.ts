// A wait that a stop ends.
import type { Clock } from '../base/clock.ts'

/** False when the signal aborted first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    const end = () => {
      alarm.cancel()
      resolve(false)
    }
    const alarm = clock.after(ms, () => {
      signal.removeEventListener('abort', end)
      resolve(true)
    })
    signal.addEventListener('abort', end, { once: true })
  })
}
