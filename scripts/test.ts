/**
 * `npm test`: all runners one after the other; then what was not run and why; then, as the very last line, the sum. Arguments go
 * to vitest (`npm test -- lanes`). With CI=true a skipped test is a failure.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { add, type Counts, isGood, lastLine, nothing, notRunBlock } from './test-summary.ts'

type Runner = { readonly name: string; readonly command: string; readonly args: readonly string[] }

const root = join(import.meta.dirname, '..')
const noSkips = process.env.CI === 'true' || process.env.CI === '1'
const runners: readonly Runner[] = [
  {
    name: 'vitest',
    command: process.execPath,
    args: [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
  },
]

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
let counts = nothing
for (const runner of runners) counts = add(counts, await run(runner))
rmSync(folder, { recursive: true, force: true })

process.stdout.write(notRunBlock(counts))
if (noSkips && counts.skipped > 0) process.stdout.write('CI=true: a skipped test is a failure.\n')
process.stdout.write(`${lastLine(counts)}\n`)
process.exitCode = isGood(counts, { noSkips }) ? 0 : 1

/** A runner that ends badly without having counted a failure counts as one. */
async function run(runner: Runner): Promise<Counts> {
  const file = join(folder, `${runner.name}.json`)
  const code = await ended(runner, file)
  const found: Counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : nothing
  return code !== 0 && found.failed === 0 ? { ...found, failed: 1 } : found
}

function ended(runner: Runner, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(runner.command, runner.args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, STEWARD_TEST_SUMMARY: file },
    })
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward)
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}
