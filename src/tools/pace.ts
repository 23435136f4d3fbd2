// How often a tool may be called: so many times a session within any minute. In memory; a restart begins anew.
import type { Clock } from '../base/clock.ts'

export type Pace = {
  /** Counts a call, or says after how many milliseconds it may be tried again. */
  take(session: string, tool: string, most: number): number | null
}

const windowMs = 60_000
const mostKept = 5_000

export function openPace({ now }: Pick<Clock, 'now'>): Pace {
  const calls = new Map<string, number[]>()
  const forget = (before: number) => {
    for (const [key, times] of calls) if ((times.at(-1) ?? 0) <= before) calls.delete(key)
  }
  return {
    take(session, tool, most) {
      const at = now()
      const key = `${session}/${tool}`
      const recent = (calls.get(key) ?? []).filter((time) => time > at - windowMs)
      const [oldest = at] = recent
      if (recent.length >= most) return oldest + windowMs - at
      if (calls.size >= mostKept) forget(at - windowMs)
      calls.set(key, [...recent, at])
      return null
    },
  }
}
