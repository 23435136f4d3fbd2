// A log line is data. The real sink is made in steward.ts; tests collect.

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFields = { readonly [key: string]: unknown }
/** `what` is a short sentence; `fields` carry ids (correlation, session, process, turn), never bodies or secrets. */
export type Log = (level: LogLevel, what: string, fields?: LogFields) => void

export const silent: Log = () => {}
