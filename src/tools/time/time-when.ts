// Turns a relative time into an instant at the moment of the call: a model's idea of "now" may be old (rule T50).
import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { defineTool, done, refused, type Tool } from '../tool.ts'
import { inZone, type TimeRooms } from './time.ts'
import { when } from './when.ts'

export function timeWhen({ clock, zoneOf }: TimeRooms): Tool {
  return defineTool({
    name: 'time_when',
    description:
      'Says which moment a phrase means: "in an hour", "tomorrow at 9:00", "next friday 14:30". Give the phrase as the person said it ' +
      'and never work it out from a time that you read before.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({
      phrase: z.string().min(1).max(120),
      zone: z.string().optional().describe('IANA time zone; where the person is when left out'),
    }),
    async run({ phrase, zone: named }, { process }) {
      const zone = named ?? (await zoneOf(process.user))
      const now = clock.now()
      if (inZone(now, zone) === null)
        return refused('invalid', `There is no time zone "${zone.slice(0, 64)}"; allowed are IANA names such as Europe/Amsterdam.`)
      const found = when(phrase, now, zone)
      if (!found.ok) return refused('invalid', found.why)
      const past = found.at < now ? ' (that is over)' : ''
      return done(`${inZone(found.at, zone)} in ${zone}; ${iso(found.at)} in UTC${past}. It is ${iso(now)} now.`)
    },
  })
}
