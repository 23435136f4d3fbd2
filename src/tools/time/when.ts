// Times as people say them, from the moment of asking: "in an hour", "tomorrow at 9", "next monday 14:30". Pure.
// Days, weeks and months go by the calendar of the zone, so that tomorrow at 9 is at 9 also when the clocks change in between; hours,
// minutes and seconds go by the clock.

export type When = { readonly ok: true; readonly at: number } | { readonly ok: false; readonly why: string }

type Wall = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

const hourMs = 3_600_000
const dayMs = 86_400_000
const exact: Readonly<Record<string, number>> = {
  second: 1_000,
  sec: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: hourMs,
  hr: hourMs,
  h: hourMs,
  s: 1_000,
  m: 60_000,
}
const days: readonly string[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const numbers: Readonly<Record<string, number>> = {
  a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, eleven: 11, twelve: 12, half: 0.5,
} // biome-ignore format: one line reads better
const furthestMs = 100 * 366 * dayMs

/** `zone` is an IANA name that is known here. `at`: milliseconds. What can't be understood is refused with what can. */
export function when(text: string, now: number, zone: string): When {
  const said = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/[.!]$/, '')
  const found = fromNow(said, now, zone) ?? fromIso(text.trim(), zone) ?? fromDay(said, now, zone)
  if (found === null || !Number.isFinite(found) || Math.abs(found - now) > furthestMs)
    return { ok: false, why: `${JSON.stringify(text.slice(0, 80))} is not understood. ${allowed}` }
  return { ok: true, at: found }
}

const allowed =
  'Understood are "in 20 minutes", "in an hour and a half", "in 3 days", "tomorrow at 9:00", "today 18:30", "next friday 14:00", ' +
  '"2026-12-24 08:00" and full ISO times with an offset.'

function fromNow(said: string, now: number, zone: string): number | null {
  const form = /^(?:in )?(.+?)( ago| from now)?$/.exec(said)
  const isRelative = said.startsWith('in ') || form?.[2] !== undefined
  if (!form || !isRelative) return null
  const sign = form[2] === ' ago' ? -1 : 1
  let at = now
  for (const one of parts(form[1] ?? '')) {
    const moved = one === null ? null : moveBy(at, sign * one.count, { unit: one.unit, zone })
    if (moved === null) return null
    at = moved
  }
  return at
}

type Part = { readonly count: number; readonly unit: string }

/** "2 hours and 30 minutes", "an hour and a half", "half an hour", "1.5h". A null is what is not understood. */
function parts(text: string): readonly (Part | null)[] {
  const flat = text
    .replace(/^half an? /, 'half ')
    .replace(/(\S+) (\w+) and a half$/, (_, count: string, unit: string) => `${numberOf(count) + 0.5} ${unit}`)
  return flat.split(/ and |, ?| (?=\d)/).map((one) => {
    const form = /^(\d+(?:[.,]\d+)?|[a-z]+) ?([a-z]+?)s?$/.exec(one.trim())
    const count = form ? numberOf(form[1] ?? '') : Number.NaN
    const unit = form?.[2] === '' ? 's' : (form?.[2] ?? '')
    return Number.isFinite(count) ? { count, unit } : null
  })
}

function numberOf(word: string): number {
  return numbers[word] ?? (/^\d/.test(word) ? Number(word.replace(',', '.')) : Number.NaN)
}

function moveBy(at: number, count: number, { unit, zone }: { readonly unit: string; readonly zone: string }): number | null {
  const ms = exact[unit]
  if (ms !== undefined) return at + Math.round(count * ms)
  const span: Readonly<Record<string, readonly [number, number]>> = {
    day: [1, 0],
    week: [7, 0],
    fortnight: [14, 0],
    month: [0, 1],
    year: [0, 12],
  }
  const [dayCount, months] = span[unit] ?? [0, 0]
  if ((dayCount === 0 && months === 0) || !Number.isInteger(count) || Math.abs(count) > 100_000) return null
  const wall = wallOf(at, zone)
  const month = wall.month + count * months
  const last = new Date(Date.UTC(wall.year, month, 0)).getUTCDate()
  return instantOf({ ...wall, month, day: Math.min(wall.day, months === 0 ? wall.day : last) + count * dayCount }, zone) + (at % 1_000)
}

/** With an offset it is an instant; without one it is the wall clock of the zone. */
function fromIso(text: string, zone: string): number | null {
  const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text)
  if (!form) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', offset] = form
  const wall = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  }
  if (!isWall(wall)) return null
  return offset === undefined ? instantOf(wall, zone) : Date.parse(text.replace(' ', 'T'))
}

/** "tomorrow at 9", "friday 14:30", "next monday", "tonight", "noon", "at 7pm": the next such moment. */
function fromDay(said: string, now: number, zone: string): number | null {
  const form =
    /^(today|tonight|tomorrow|the day after tomorrow|(?:next |on |this )?(?:sun|mon|tues|wednes|thurs|fri|satur)day)?(?:,? ?(?:at )?(.+))?$/.exec(
      said,
    )
  if (!form || said === '') return null
  const [, day = '', clock] = form
  const time = clock === undefined ? (day === 'tonight' ? { hour: 20, minute: 0 } : { hour: 9, minute: 0 }) : clockOf(clock)
  if (time === null || (day === '' && clock === undefined)) return null
  const wall = wallOf(now, zone)
  const at = (more: number) => instantOf({ ...wall, day: wall.day + more, ...time, second: 0 }, zone)
  const ahead = daysAhead(day, wall)
  if (ahead !== null) return at(ahead)
  return at(0) > now ? at(0) : at(1)
}

/** null: none was named. A weekday is one of the next seven days, never today. */
function daysAhead(day: string, wall: Wall): number | null {
  const fixed: Readonly<Record<string, number>> = { today: 0, tonight: 0, tomorrow: 1, 'the day after tomorrow': 2 }
  if (day === '') return null
  const known = fixed[day]
  if (known !== undefined) return known
  const wanted = days.findIndex((name) => day.endsWith(name))
  const today = new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay()
  return (wanted - today + 7) % 7 || 7
}

function clockOf(text: string): { readonly hour: number; readonly minute: number } | null {
  const named: Readonly<Record<string, number>> = {
    noon: 12,
    midday: 12,
    midnight: 0,
    morning: 9,
    'in the morning': 9,
    evening: 19,
    'in the evening': 19,
  }
  const word = named[text]
  if (word !== undefined) return { hour: word, minute: 0 }
  const form = /^(\d{1,2})(?:[:.h](\d\d))? ?(am|pm|a\.m\.|p\.m\.|o'clock)?$/.exec(text)
  if (!form) return null
  const [, hours, minute = '0', half = ''] = form
  const isTwelve = half !== '' && half !== "o'clock"
  const hour = isTwelve ? (Number(hours) % 12) + (half.startsWith('p') ? 12 : 0) : Number(hours)
  const isGood = hour < 24 && Number(minute) < 60 && (!isTwelve || (Number(hours) >= 1 && Number(hours) <= 12))
  return isGood ? { hour, minute: Number(minute) } : null
}

function isWall({ year, month, day, hour, minute, second }: Wall): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
}

/** What clocks and calendars in the zone show. */
export function wallOf(ms: number, timeZone: string): Wall {
  const form = new Intl.DateTimeFormat('en-CA', {
    timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  }) // biome-ignore format: one line reads better
  const found = new Map(form.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? 0
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute'), second: of('second') }
}

/** A time that the clocks leave out comes later by the gap; of one that they show twice it is the first. */
function instantOf({ year, month, day, hour, minute, second }: Wall, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second)
  const offset = (ms: number) => {
    const wall = wallOf(ms, zone)
    return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) - Math.floor(ms / 1_000) * 1_000
  }
  const tries = [wanted - offset(wanted - dayMs), wanted - offset(wanted + dayMs)]
  const found = tries.filter((ms) => ms + offset(ms) === wanted)
  return found.length > 0 ? Math.min(...found) : wanted - offset(wanted - dayMs)
}
