/**
 * `npm run check`: everything that can be said about the code in under a minute, one line each. `--accept` lowers the stored
 * ceilings to what is there now; it never raises one.
 */

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkRaces } from './check/races.ts'
import { checkRooms } from './check/rooms.ts'
import { checkRules } from './check/rules.ts'
import { checkSizes, type Overrules } from './check/sizes.ts'
import { filesBelow, readSource, type Source } from './check/source.ts'

const root = join(import.meta.dirname, '..')
const limitsFile = join(root, 'scripts/check/limits.json')

/** `note` is said also when all is well; `problems` is empty then, and when nothing could be found out (`isUnknown`). */
type Outcome = { readonly problems: readonly string[]; readonly note?: string; readonly isUnknown?: boolean }
type Check = { readonly name: string; readonly run: () => Promise<Outcome> }

const allowedLicences = 'MIT;MIT-0;Apache-2.0;BSD-2-Clause;BSD-3-Clause;ISC;MPL-2.0;0BSD;BlueOak-1.0.0;Unlicense;CC0-1.0;Python-2.0'

const checks: readonly Check[] = [
  {
    name: 'format and lint',
    run: () => tool('biome', ['check', '--colors=off', '--reporter=github', '--diagnostic-level=error', '--max-diagnostics=100', '.']),
  },
  { name: 'types', run: () => tool('tsc', ['-p', '.', '--pretty', 'false']) },
  { name: 'types of the page', run: () => tool('tsc', ['-p', 'web', '--pretty', 'false']) },
  { name: 'rooms', run: async () => ({ problems: checkRooms([...read('src'), ...read('web/src')]) }) },
  { name: 'races', run: async () => ({ problems: checkRaces(read('src')) }) },
  { name: 'sizes', run: async () => sizes(process.argv.includes('--accept')) },
  { name: 'rules', run: async () => ({ problems: rules() }) },
  { name: 'unit tests', run: () => tool('vitest', ['run', '--project', 'unit', '--reporter', 'dot', '--no-color']) },
  { name: 'licences', run: licences },
  { name: 'audit', run: audit },
]

const outcomes = await Promise.all(checks.map(report))
process.exitCode = outcomes.every(Boolean) ? 0 : 1

async function report(check: Check): Promise<boolean> {
  const started = performance.now()
  const outcome = await check.run().catch((error: unknown): Outcome => ({ problems: [describe(error)] }))
  const isWell = outcome.problems.length === 0
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5)
  const word = !isWell ? 'FAIL' : outcome.isUnknown ? '????' : 'ok  '
  const note = outcome.note ? `  ${outcome.note}` : ''
  const lines = [`${word} ${seconds} s  ${check.name}${note}`, ...outcome.problems.map((text) => `       ${text}`)]
  process.stdout.write(`${lines.join('\n')}\n`)
  return isWell
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`
}

/** Runs one of the project's own tools; its words are the problems when it fails. */
async function tool(name: string, args: readonly string[]): Promise<Outcome> {
  const ended = await start(join(root, 'node_modules/.bin', name), args)
  return { problems: ended.code === 0 ? [] : (ended.text || `${name} ended with ${ended.code}`).split('\n') }
}

function start(command: string, args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    const parts: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, text: parts.join('').trim() }))
  })
}

function read(folder: string): Source[] {
  return filesBelow(root, folder).map((path) => readSource(root, path))
}

function sizes(accept: boolean): Outcome {
  const limits: Overrules = JSON.parse(readFileSync(limitsFile, 'utf8'))
  const found = checkSizes(read('src'), limits)
  const lower = { any: Math.min(limits.any, found.overrules.any), as: Math.min(limits.as, found.overrules.as) }
  if (accept) writeFileSync(limitsFile, `{ "any": ${lower.any}, "as": ${lower.as} }\n`)
  const note = `functions p90 ${found.p90}, p99 ${found.p99} lines; any ${found.overrules.any}/${limits.any}, as ${found.overrules.as}/${limits.as}`
  return { problems: found.problems, note }
}

function rules(): string[] {
  const tests = [...read('src'), ...read('test'), ...read('web/src')].filter(({ path }) => /\.(test|contract)\.ts$/.test(path))
  return checkRules(readFileSync(join(root, 'docs/spec.md'), 'utf8'), tests)
}

/** What is installed to run must have one of the licences; what only builds and tests may also be data under CC-BY. */
async function licences(): Promise<Outcome> {
  const [toRun, all] = await Promise.all([
    tool('license-checker-rseidelsohn', ['--production', '--excludePrivatePackages', '--onlyAllow', allowedLicences, '--summary']),
    tool('license-checker-rseidelsohn', ['--excludePrivatePackages', '--onlyAllow', `${allowedLicences};CC-BY-3.0`, '--summary']),
  ])
  return { problems: [...toRun.problems, ...all.problems] }
}

/** A registry that does not answer is said loudly, and is no failure of the code. */
async function audit(): Promise<Outcome> {
  const ended = await start('npm', ['audit', '--omit=dev', '--json', '--audit-level=high', '--fetch-retries=0', '--fetch-timeout=15000'])
  const answer = parse(ended.text)
  if (ended.code === 0) return { problems: [] }
  if (answer === null || !('vulnerabilities' in answer))
    return { problems: [], isUnknown: true, note: `NOT CHECKED: ${noAnswer(answer, ended.text)}` }
  const found = Object.entries(Object(answer.vulnerabilities)).map(([name, one]) => `${name}: ${Object(one).severity}`)
  return { problems: found.length > 0 ? found : [`npm audit ended with ${ended.code}`] }
}

function noAnswer(answer: object | null, text: string): string {
  const said = answer !== null && 'message' in answer ? String(answer.message) : text.split('\n')[0]
  return `the registry does not answer (${said})`
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
