// When a provider wants to be asked again: from headers and from its words. Pure.

/** Milliseconds from `now`; null when nothing is said. Never negative. */
export function retryAfter(headers: Readonly<Record<string, unknown>>, body: string, now: number): number | null {
  return fromHeaders(headers, now) ?? fromWords(body)
}

function fromHeaders(headers: Readonly<Record<string, unknown>>, now: number): number | null {
  const ms = positive(headers['retry-after-ms'])
  if (ms !== null) return ms
  const said = headers['retry-after']
  const seconds = positive(said)
  if (seconds !== null) return seconds * 1000
  const resets = ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens'].map((name) => duration(String(headers[name] ?? '')))
  const longest = Math.max(...resets.map((one) => one ?? 0))
  return dateFrom(said, now) ?? (longest > 0 ? longest : null)
}

/** An HTTP date, as `retry-after` may be. One that is over means: now. */
function dateFrom(value: unknown, now: number): number | null {
  if (typeof value !== 'string' || !/[a-z]{3}/i.test(value)) return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(1, at - now)
}

/** "try again in 20s", "in 1m30.5s", "retry in 7.2 seconds", "retryDelay": "34s" */
function fromWords(body: string): number | null {
  const said = /(?:again|retry(?:ing)?) (?:in|after) ([\d.]+ ?(?:ms|h|m|s)[a-z]*(?: ?[\d.]+ ?[ms][a-z]*)*)/i.exec(body)?.[1]
  const detail = /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(body)?.[1]
  return duration((detail ?? said ?? '').replace(/[.,]$/, ''))
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** "6m0s", "20s", "850ms", "2 minutes"; null for everything else. */
function duration(text: string): number | null {
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?) ?(ms|milliseconds?|days?|d|hours?|h|minutes?|mins?|m|seconds?|secs?|s)/g)]
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[shortUnit(unit ?? '')] ?? 0), 0)
  return total > 0 ? total : null
}

function shortUnit(unit: string): string {
  return unit === 'ms' || unit.startsWith('milli') ? 'ms' : unit.charAt(0)
}

function positive(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) && number > 0 ? number : null
}
