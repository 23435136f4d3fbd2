// The hub's log lines: short ones for a person at a terminal, JSON lines otherwise, and always JSON into the data folder.

import { appendFileSync, chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { styleText } from 'node:util'
import { iso } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { type Log, type LogFields, type LogLevel, logLevels } from '../base/log.ts'

export type LogOptions = {
  readonly level: LogLevel
  readonly now: () => number
  /** Receives whole lines. */
  readonly write: (line: string) => void
  /** Short lines for a person instead of JSON. */
  readonly human: boolean
  /** Receives the JSON line of everything that is logged. */
  readonly file?: (line: string) => void
}

/** A log that drops what is below its level. Never throws. */
export function makeLog(options: LogOptions): Log {
  const least = logLevels.indexOf(options.level)
  return (level, what, fields = {}) => {
    if (logLevels.indexOf(level) < least) return
    const at = iso(options.now())
    const json = jsonLine(at, level, what, fields)
    options.file?.(json)
    options.write(options.human ? humanLine(at, level, what, fields) : json)
  }
}

/** `{"at","level","what",...fields}`; an error becomes its message, what JSON can't hold becomes text. */
function jsonLine(at: string, level: LogLevel, what: string, fields: LogFields): string {
  const seen = new Set<unknown>()
  const plain = (_key: string, value: unknown): unknown => {
    if (value instanceof Error) return value.message
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return '[again]'
    seen.add(value)
    return value
  }
  return `${JSON.stringify({ at, level, what, ...fields }, plain)}\n`
}

const colours = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red' } as const

function humanLine(at: string, level: LogLevel, what: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${shortText(value)}`)
  const text = [at.slice(11, 19), level === 'info' ? '' : level, oneLine(what), ...pairs].filter(Boolean).join(' ')
  return `${styleText(colours[level], text, { stream: process.stderr })}\n`
}

function shortText(value: unknown): string {
  const text = value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value)
  return oneLine(text ?? '').slice(0, 200)
}

/** Control characters of foreign text must not reach a terminal. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

export type LogFile = { readonly path: string; readonly maxBytes: number; readonly keep: number }

/**
 * Appends lines to a file of mode 0600. When it would grow over `maxBytes` it becomes `path.1`, the older ones move up, and at
 * most `keep` files stay. A disk that takes nothing loses log lines, never the hub: it is told once per failure on standard error.
 */
export function logFile({ path, maxBytes, keep }: LogFile): (line: string) => void {
  let size = sizeOf(path)
  let failed = false
  return (line) => {
    try {
      if (size === 0) prepare(path)
      if (size > 0 && size + line.length > maxBytes) size = rotate(path, keep)
      appendFileSync(path, line, { mode: 0o600 })
      size += Buffer.byteLength(line)
      failed = false
    } catch (error) {
      if (!failed) process.stderr.write(`The log file ${path} can't be written: ${messageOf(error)}\n`)
      failed = true
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function prepare(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (existsSync(path)) chmodSync(path, 0o600)
}

/** Moves path to path.1, path.1 to path.2, ...; the oldest goes. Returns the new file's size. */
function rotate(path: string, keep: number): number {
  rmSync(`${path}.${keep - 1}`, { force: true })
  for (let n = keep - 2; n >= 0; n--) {
    const from = n === 0 ? path : `${path}.${n}`
    if (existsSync(from)) renameSync(from, `${path}.${n + 1}`)
  }
  return 0
}
