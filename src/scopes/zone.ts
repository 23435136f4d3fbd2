// Where a person lives: the zone in which their days begin and times are told.
import type { Settings } from './scopes.ts'

/** IANA name of a person's zone: their setting `time.zone`, else the machine's. Asked each time, so that a change holds at once. */
export type ZoneOf = (user: string) => Promise<string>

/** `machine` is asked once, and only when it is needed: the tables of zones take 15 ms to load. */
export function zonesOf(settings: Pick<Settings, 'getForUser'>, machine: () => string): ZoneOf {
  let known: string | null = null
  return async (user) => {
    const set = await settings.getForUser('time.zone', { user })
    if (typeof set === 'string') return set
    known ??= machine()
    return known
  }
}
