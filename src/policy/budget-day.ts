// Days as a person has them: in their zone, 23 to 25 hours long.

const formats = new Map<string, Intl.DateTimeFormat>()

/** The calendar day of an instant, 2026-11-30; in UTC for a zone that there is not. */
export function dayOf(ms: number, zone: string): string {
  return formatOf(zone).format(ms)
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = formatIn(zone) ?? formatIn('UTC') ?? new Intl.DateTimeFormat('en-CA', fields)
  formats.set(zone, made)
  return made
}

const fields = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

function formatIn(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-CA', { ...fields, timeZone })
  } catch {
    return null
  }
}
