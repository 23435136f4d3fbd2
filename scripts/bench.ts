/**
 * `npm run bench`: what the hub costs, beside a bare floor on the same machine in the same run. Prints a table; progress goes to
 * standard error. What is measured, and how, stands in docs/decisions/.
 *
 *     --only NAME   one part (several: repeat it): see `parts` below
 *     --quick       a shorter, less exact run
 *     --accept      keeps this run's figures in bench/accepted.json, to which later runs are compared
 *     --profile DIR a CPU profile of each hub
 *
 * Ends with 1 when a part could not be measured; a figure that does not hold is said, and is no failure of the run.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../src/base/root.ts'
import { calls } from './bench/calls.ts'
import { durable } from './bench/durable.ts'
import { type Accepted, type Figure, head, isHeld, isLost, lineOf } from './bench/figure.ts'
import { long } from './bench/long.ts'
import type { Part } from './bench/part.ts'
import { pieces } from './bench/pieces.ts'
import { pipelines } from './bench/pipelines.ts'
import { openPlace } from './bench/place.ts'
import { policy } from './bench/policy.ts'
import { requests } from './bench/requests.ts'
import { restart } from './bench/restart.ts'
import { routing } from './bench/routing.ts'
import { rules } from './bench/rules.ts'
import { sockets } from './bench/sockets.ts'
import { start } from './bench/start.ts'
import { turns } from './bench/turns.ts'
import { waiting } from './bench/waiting.ts'
import { working } from './bench/working.ts'

const parts: readonly Part[] = [
  start,
  turns,
  calls,
  waiting,
  durable,
  rules,
  policy,
  routing,
  pipelines,
  pieces,
  working,
  requests,
  sockets,
  long,
  restart,
]
const acceptedFile = join(packageRoot, 'bench', 'accepted.json')

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    accept: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const chosen = chooseParts(asked.only)
const before = readAccepted()
const machine = `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores, Node ${process.versions.node}`

build()
say(`${machine}; load before the run ${loadavg()[0]?.toFixed(2)}`)
say('The hub, the scripted model and the load are processes of their own and share these cores.')
if (before && before.machine !== machine) say(`The accepted figures are of another machine: ${before.machine}`)
say(`\n${head}`)
const { figures, isWhole } = await measureAll()
say(`\n${summary(figures)}; load after the run ${loadavg()[0]?.toFixed(2)}`)
if (asked.accept) accept(figures)
process.exitCode = isWhole ? 0 : 1

async function measureAll(): Promise<{ readonly figures: readonly Figure[]; readonly isWhole: boolean }> {
  const figures: Figure[] = []
  let isWhole = true
  const profile = asked.profile === undefined ? undefined : resolve(asked.profile)
  for (const part of chosen) {
    const place = openPlace({ profile })
    try {
      const found = await part.run({ place, quick: asked.quick, tell: (text) => void process.stderr.write(`... ${text}\n`) })
      for (const figure of found) say(lineOf(figure, before?.figures[figure.name]))
      figures.push(...found)
    } catch (error) {
      isWhole = false
      say(`${part.name.padEnd(44)}  NOT MEASURED: ${[error instanceof Error ? error.message : String(error), ...place.died].join('\n')}`)
    } finally {
      await place.close()
    }
  }
  return { figures, isWhole }
}

function summary(figures: readonly Figure[]): string {
  const missed = figures.filter((figure) => !isHeld(figure)).length
  const lost = figures.filter((figure) => isLost(figure, before?.figures[figure.name])).length
  return `${figures.length} figures, ${missed} missed, ${lost} lost against what was accepted${asked.quick ? ' (a quick run)' : ''}`
}

function chooseParts(names: readonly string[] | undefined): readonly Part[] {
  const unknown = names?.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined) {
    process.stderr.write(`There is no part "${unknown}"; there are ${parts.map((part) => part.name).join(', ')}.\n`)
    process.exit(2)
  }
  return names === undefined ? parts : parts.filter((part) => names.includes(part.name))
}

/** The bundle that `npm start` would run. */
function build(): void {
  const built = spawnSync(process.execPath, [join(packageRoot, 'scripts', 'build.ts'), '--stale'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (built.status !== 0) process.exit(1)
}

function readAccepted(): Accepted | null {
  return existsSync(acceptedFile) ? JSON.parse(readFileSync(acceptedFile, 'utf8')) : null
}

/** Figures of parts that were not run stay as they are. */
function accept(figures: readonly Figure[]): void {
  const rounded = Object.fromEntries(figures.map(({ name, ours }) => [name, Number(ours.toPrecision(4))]))
  const accepted: Accepted = { at: new Date().toISOString().slice(0, 10), machine, figures: { ...before?.figures, ...rounded } }
  mkdirSync(dirname(acceptedFile), { recursive: true })
  writeFileSync(acceptedFile, `${JSON.stringify(accepted, null, 2)}\n`)
  process.stderr.write(`Accepted: ${acceptedFile}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
