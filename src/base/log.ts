// A log line is data. The real sink is made in steward.ts; tests collect.

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFields = { readonly [key: string]: unknown }
/** `what` is a short sentence; `fields` carry ids (correlation, session, process, turn), never bodies or secrets. */
export type Log = (level: LogLevel, what: string, fields?: LogFields) => void

export const silent: Log = () => {}

/** A log whose lines are scrubbed from the moment that `scrubWith` says how. Before that they go out as they are. */
export type ScrubbedLog = { readonly log: Log; scrubWith(scrub: (text: string) => string): void }

/** Every text in a line is scrubbed, however deep in its fields; errors become their messages. */
export function scrubbed(inner: Log): ScrubbedLog {
  let scrub: ((text: string) => string) | null = null
  return {
    log(level, what, fields) {
      const own = scrub
      if (own === null) return inner(level, what, fields)
      inner(level, own(what), fields && Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, clean(value, own, 0)])))
    },
    scrubWith(by) {
      scrub = by
    },
  }
}

/** Deeper than anybody logs on purpose, so that a ring ends. */
const deepest = 12

function clean(value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return scrub(value)
  if (value instanceof Error) return scrub(value.message)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '[deep]'
  if (Array.isArray(value)) return value.map((one) => clean(one, scrub, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one, scrub, depth + 1)]))
}
