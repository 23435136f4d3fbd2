// Where a person lives: the zone in which their days begin and times are told.
import type { Settings } from './scopes.ts'

/** IANA name of a person's zone: their setting `time.zone`, else `machine`. Asked each time, so that a change holds at once. */
export type ZoneOf = (user: string) => Promise<string>

export function zonesOf(settings: Pick<Settings, 'getForUser'>, machine: string): ZoneOf {
  return async (user) => {
    const set = await settings.getForUser('time.zone', { user })
    return typeof set === 'string' ? set : machine
  }
}
