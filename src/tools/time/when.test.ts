import { expect, test } from 'vitest'
import { contextFor } from '../testing.ts'
import { timeWhen } from './time-when.ts'
import { when } from './when.ts'

/** Monday, 2026-11-30 10:15:30 in Amsterdam. */
const now = Date.parse('2026-11-30T09:15:30Z')
const zone = 'Europe/Amsterdam'
const at = (phrase: string, from = now, place = zone) => {
  const found = when(phrase, from, place)
  return found.ok ? new Date(found.at).toISOString().replace('.000Z', 'Z') : found.why
}

test.each([
  ['in an hour', '2026-11-30T10:15:30Z'],
  ['in half an hour', '2026-11-30T09:45:30Z'],
  ['in 20 minutes', '2026-11-30T09:35:30Z'],
  ['in 2 hours and 30 minutes', '2026-11-30T11:45:30Z'],
  ['in an hour and a half', '2026-11-30T10:45:30Z'],
  ['in 1.5h', '2026-11-30T10:45:30Z'],
  ['in 1h 30m', '2026-11-30T10:45:30Z'],
  ['In three days.', '2026-12-03T09:15:30Z'],
  ['2 weeks from now', '2026-12-14T09:15:30Z'],
  ['in 3 months', '2027-02-28T09:15:30Z'],
  ['10 minutes ago', '2026-11-30T09:05:30Z'],
  ['tomorrow', '2026-12-01T08:00:00Z'],
  ['tomorrow at 9', '2026-12-01T08:00:00Z'],
  ['today 18:30', '2026-11-30T17:30:00Z'],
  ['at 7pm', '2026-11-30T18:00:00Z'],
  ['9:00', '2026-12-01T08:00:00Z'],
  ['noon', '2026-11-30T11:00:00Z'],
  ['tonight', '2026-11-30T19:00:00Z'],
  ['friday 14:00', '2026-12-04T13:00:00Z'],
  ['next monday at 10', '2026-12-07T09:00:00Z'],
  ['the day after tomorrow at 12 am', '2026-12-01T23:00:00Z'],
  ['2026-12-24 08:00', '2026-12-24T07:00:00Z'],
  ['2026-12-24T08:00:00+05:00', '2026-12-24T03:00:00Z'],
])('%s is %s', (phrase, instant) => expect(at(phrase)).toBe(instant))

test.each([
  '',
  'soon',
  'in a while',
  'in many hours',
  'tomorrow at 25',
  '13pm',
  '2026-02-30',
  'in 1e9 years',
  'in 5 parsecs',
  'in 99999999 weeks',
  'the 12th',
])('"%s" is refused, with what is understood', (phrase) => expect(at(phrase)).toContain('Understood are'))

test('days go by the calendar, hours by the clock, when the clocks change', () => {
  const before = Date.parse('2026-10-24T10:00:00Z')
  expect(at('in 1 day', before)).toBe('2026-10-25T11:00:00Z')
  expect(at('in 24 hours', before)).toBe('2026-10-25T10:00:00Z')
  expect(at('tomorrow at 2:30', before)).toBe('2026-10-25T00:30:00Z')
  expect(at('tomorrow at 2:30', Date.parse('2027-03-27T10:00:00Z'))).toBe('2027-03-28T01:30:00Z')
})

test('[T50] an hour is counted from the call, in the zone of the person', async () => {
  const clock = { ms: Date.parse('2026-11-30T20:51:00Z'), now: () => clock.ms }
  const tool = timeWhen({ clock, zoneOf: async () => 'Asia/Singapore' })
  clock.ms += 20 * 60_000
  const { text } = await tool.run({ phrase: 'in an hour' }, contextFor())
  expect(text).toContain('2026-12-01 06:11:00 +08:00 in Asia/Singapore')
  expect(await tool.run({ phrase: 'noon', zone: 'Mars/Base' }, contextFor())).toMatchObject({ ok: false, code: 'invalid' })
})
