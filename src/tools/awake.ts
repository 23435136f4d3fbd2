// Deferred tools that a session asked for stay live while they are used. Only a convenience: a tool that fell asleep can still be
// called, and an engine records the surface that it began with. So memory is enough, and a restart begins anew.
import type { Clock } from '../base/clock.ts'

export type Awake = {
  wake(session: string, names: readonly string[]): void
  /** The least recently used first. */
  of(session: string): readonly string[]
}

/** Counted from the last use. */
const ttlMs = 30 * 60_000
const mostSessions = 1_000

export function openAwake({ now }: Pick<Clock, 'now'>): Awake {
  const sessions = new Map<string, Map<string, number>>()
  const live = (session: string) => [...(sessions.get(session) ?? [])].filter(([, at]) => at > now() - ttlMs)
  return {
    wake(session, names) {
      const used = new Map(live(session))
      for (const name of names) {
        used.delete(name)
        used.set(name, now())
      }
      sessions.delete(session)
      sessions.set(session, used)
      for (const oldest of sessions.keys()) {
        if (sessions.size <= mostSessions) break
        sessions.delete(oldest)
      }
    },
    of: (session) => live(session).map(([name]) => name),
  }
}
