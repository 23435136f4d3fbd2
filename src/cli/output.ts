// What a command gives back: one JSON value or text on standard output, messages on standard error, and an exit code.

import type { Command } from 'commander'
import { messageOf, StewardError } from '../base/errors.ts'

/** CONTRACT section 3. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, waiting: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** How a command was called, and where it may write. */
export type Call = {
  readonly json: boolean
  /** Of `--home`; absent: the environment or the default says. */
  readonly home: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/** A command ends with this: what stands on standard output, and the exit code. `value` is shown with --json, `text` without. */
export type Result = {
  readonly value: unknown
  readonly text: string
  /** The same with colours, for a terminal that has them. What others wrote in it has been through safeText. */
  readonly painted?: string
  readonly code?: ExitCode
}

/** Runs what a command does and prints what it gives back. */
export type Run = (act: (call: Call) => Promise<Result>) => Promise<void>

/** Lines below a command's help. */
export function examples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/** The way a command was used is wrong. Exit code 2. */
export class WrongUsage extends StewardError {
  constructor(message: string) {
    super('usage', message)
  }
}

/** No hub answers on that data folder. Exit code 3. */
export class HubUnreachable extends StewardError {
  constructor(home: string, cause?: unknown) {
    super('unreachable', `No hub runs on ${home}. Start it with: steward start`, { cause })
  }
}

export function codeOf(error: unknown): ExitCode {
  if (error instanceof WrongUsage) return exitCodes.usage
  return error instanceof HubUnreachable ? exitCodes.unreachable : exitCodes.failed
}

export function printResult(call: Pick<Call, 'json'>, { value, text, painted }: Result): void {
  if (call.json) process.stdout.write(`${JSON.stringify(value ?? null)}\n`)
  else if (painted !== undefined) process.stdout.write(`${painted}\n`)
  else if (text !== '') process.stdout.write(`${forPlace(text, process.stdout)}\n`)
}

/** The sentence goes to standard error; with --json the same stands on standard output as a value. */
export function printError(call: Pick<Call, 'json'>, error: unknown): void {
  tell(messageOf(error))
  if (!call.json) return
  const about =
    error instanceof StewardError ? { code: error.code, ...(error.path === undefined ? {} : { path: error.path }) } : { code: 'failed' }
  process.stdout.write(`${JSON.stringify({ error: { ...about, message: messageOf(error) } })}\n`)
}

/** A terminal that shows colours, as far as the environment does not say otherwise (NO_COLOR, TERM=dumb). */
export function hasColours(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'hasColors'>): boolean {
  return stream.isTTY === true && stream.hasColors()
}

/** A sentence for the person, beside the result. */
export function tell(sentence: string): void {
  process.stderr.write(`${forPlace(sentence, process.stderr)}\n`)
}

/** What a model or a stranger wrote must not steer the person's terminal; a file or a pipe gets it as it is. */
function forPlace(text: string, stream: { readonly isTTY?: boolean }): string {
  return stream.isTTY ? safeText(text) : text
}

/** Without control characters, line ends and tabs apart. */
export function safeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/\r\n/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Rows under headings, in columns of the widest cell; the last column is as wide as it likes. `empty` when there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return empty
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map((cell) => oneLine(cell)))]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')
  return all.map((row) => line(row).trimEnd()).join('\n')
}

/** Text in one line of at most `length` characters. */
export function oneLine(text: string, length = 100): string {
  const flat = safeText(text).replace(/\s+/g, ' ').trim()
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`
}
