// Times as a person reads them: how far away, and exactly. Pure; the present is an argument.
import { WrongUsage } from './output.ts'

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** 'in 23 h', '5 min ago', 'now'; '' for what is no time. */
export function relative(at: string, now: number): string {
  const ms = Date.parse(at) - now
  if (Number.isNaN(ms)) return ''
  const [unit, size] = units.find(([, long]) => Math.abs(ms) >= long) ?? ['', 0]
  if (unit === '') return 'now'
  const count = Math.round(Math.abs(ms) / size)
  return ms > 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`
}

/** '2026-11-30 16:31' in this machine's zone; '' for what is no time. */
export function exactly(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** 'in 23 h (2026-12-01 16:31)' */
export function both(at: string, now: number): string {
  const [near, exact] = [relative(at, now), exactly(at)]
  return near === '' ? exact : `${near} (${exact})`
}

/** '820 ms', '6.4 s', '2 min 14 s' */
export function lasted(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`
}

const lengths: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of '90s', '30m', '2h' or '7d'. Throws WrongUsage with the option's name. */
export function lengthOf(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const size = unit === undefined ? undefined : lengths[unit]
  if (size !== undefined && Number(count) > 0) return Number(count) * size
  throw new WrongUsage(`${option} is "${text}"; allowed is a number with s, m, h or d behind it, for example 30m or 7d.`)
}
