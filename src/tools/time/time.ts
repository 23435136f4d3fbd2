// The present time, read when it is asked for: never a frozen fact in a prompt.
import { z } from 'zod'
import { type Clock, iso } from '../../base/clock.ts'
import type { ZoneOf } from '../../scopes/zone.ts'
import { defineTool, done, refused, type Tool } from '../tool.ts'

export type TimeRooms = {
  readonly clock: Pick<Clock, 'now'>
  readonly zoneOf: ZoneOf
}

export function timeNow({ clock, zoneOf }: TimeRooms): Tool {
  return defineTool({
    name: 'time_now',
    description: 'The present date and time. Ask again whenever it matters: time passes while you work.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({
      zone: z.string().optional().describe('IANA time zone, for example Europe/Amsterdam; where the person is when left out'),
    }),
    async run({ zone: named }, { process }) {
      const zone = named ?? (await zoneOf(process.user))
      const now = clock.now()
      const local = inZone(now, zone)
      if (local === null)
        return refused('invalid', `There is no time zone "${zone.slice(0, 64)}"; allowed are IANA names such as Europe/Amsterdam.`)
      return done(`${local} in ${zone}; ${iso(now)} in UTC`)
    },
  })
}

/** "Monday, 2026-11-30 13:05:09 +01:00"; null for an unknown zone. */
export function inZone(ms: number, timeZone: string): string | null {
  try {
    const day = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long' }).format(ms)
    // Swedish writes dates as ISO does.
    const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms)
    const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms)
    const offset = parts.find((part) => part.type === 'timeZoneName')?.value.replace('GMT', '') || '+00:00'
    return `${day}, ${text} ${offset}`
  } catch {
    return null
  }
}
