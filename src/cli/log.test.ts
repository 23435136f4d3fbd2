import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { logFile, makeLog } from './log.ts'

const at = Date.UTC(2026, 10, 30, 12, 0, 0)
let lines: string[]
beforeEach(() => {
  lines = []
})
const log = (options: { level?: 'debug' | 'info' | 'warn' | 'error'; human?: boolean } = {}) =>
  makeLog({ level: options.level ?? 'info', human: options.human ?? false, now: () => at, write: (line) => lines.push(line) })

describe('lines', () => {
  test('[C14] are JSON with their ids when there is no terminal', () => {
    log()('info', 'turn settled', { correlation: 'ent_1', session: 'ses_1' })
    expect(lines).toEqual([
      '{"at":"2026-11-30T12:00:00.000Z","level":"info","what":"turn settled","correlation":"ent_1","session":"ses_1"}\n',
    ])
  })

  test('[C14] are short for a person, and what strangers wrote cannot steer the terminal', () => {
    log({ human: true })('warn', 'odd\u001b[2J name', { name: 'a\nb' })
    expect(lines.join('')).toContain('12:00:00 warn odd [2J name name=a b')
  })

  test('[C14] below the level are left out', () => {
    const quiet = log({ level: 'warn' })
    quiet('info', 'no')
    quiet('debug', 'no')
    quiet('error', 'yes')
    expect(lines).toHaveLength(1)
  })

  test('never throw, whatever the fields hold', () => {
    const round: Record<string, unknown> = { big: 10n, error: new Error('broken') }
    round.self = round
    log()('error', 'odd', { round })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ round: { big: '10', error: 'broken' } })
  })
})

describe('the file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'steward-log-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('[C14] is private, grows to its size, and five of them are kept', () => {
    const path = join(folder, 'logs', 'steward.log')
    const append = logFile({ path, maxBytes: 25, keep: 5 })
    for (let n = 0; n < 20; n++) append(`line ${String(n).padStart(2, '0')}\n`)
    expect(readdirSync(join(folder, 'logs')).sort()).toEqual([
      'steward.log',
      'steward.log.1',
      'steward.log.2',
      'steward.log.3',
      'steward.log.4',
    ])
    expect(readFileSync(path, 'utf8')).toContain('line 19')
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('line 15\nline 16\nline 17\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('[C14] goes on behind what an earlier run wrote', () => {
    const path = join(folder, 'steward.log')
    writeFileSync(path, 'before\n')
    logFile({ path, maxBytes: 1000, keep: 5 })('after\n')
    expect(readFileSync(path, 'utf8')).toBe('before\nafter\n')
  })

  test('[C14] in a place that is none does not stop the hub', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => logFile({ path: join(folder, 'file', 'steward.log'), maxBytes: 10, keep: 5 })('line\n')).not.toThrow()
  })
})
