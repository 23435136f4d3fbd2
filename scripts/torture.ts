/**
 * `npm run torture`: the heart under far more than a test run has time for. Thousands of fuzzed lives over every store, then a
 * thousand SIGKILLs on a real process, and 60 on the whole program in the middle of main jobs; `-- --mutations` runs the deliberate
 * bugs, `-- --seeds N`, `-- --kills N`, `-- --jobs N` (kills in main jobs), `-- --from SEED` change how much. Says its seeds, and ends with one line.
 */
import { parseArgs } from 'node:util'
import { type StoreKind, story } from '../test/heart/fuzz.ts'
import { type KillMode, survive } from '../test/heart/kill.ts'
import { hunt, mutations } from '../test/heart/mutations.ts'
import { survive as surviveJobs } from '../test/main-job/survive.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '1000' },
    jobs: { type: 'string', default: '60' },
    from: { type: 'string', default: String(1 + Math.floor(Math.random() * 1e6)) },
    mutations: { type: 'boolean', default: false },
  },
})
const from = whole('from')
const say = (line: string) => process.stdout.write(`${line}\n`)
let failures = 0

function whole(name: 'seeds' | 'kills' | 'jobs' | 'from'): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  process.stderr.write(`--${name} ${values[name]}: a whole number from 0 is wanted\n`)
  process.exit(2)
}

async function fuzz(kind: StoreKind, count: number): Promise<string> {
  let [turns, crashes] = [0, 0]
  for (let seed = from; seed < from + count; seed++) {
    const told = await story(seed, kind)
    turns += told.turns
    crashes += told.crashes
    if (told.problems.length > 0) fail(`seed ${seed} over ${kind}`, told.problems)
    if ((seed - from + 1) % 500 === 0) say(`${kind}: ${seed - from + 1} seeds from ${from}, ${turns} turns, ${crashes} crashes`)
  }
  return `${count} ${kind}`
}

async function kill(mode: KillMode, kills: number): Promise<void> {
  for (let left = kills, seed = from; left > 0; left -= 50, seed++) {
    const told = await survive({ seed, kills: Math.min(50, left), mode })
    say(
      `kills (${mode}) of seed ${seed}: ${told.kills}, ${told.turns} turns, ${told.effects} effects, ${told.acked} acknowledged, log of ${told.walBytes} bytes`,
    )
    if (told.problems.length > 0) fail(`kills (${mode}) of seed ${seed}`, told.problems)
  }
}

async function killInJobs(kills: number): Promise<void> {
  const told = await surviveJobs({ seed: from, kills, tell: say })
  say(`kills in main jobs of seed ${from}: ${told.kills}, ${told.jobs} jobs`)
  if (told.problems.length > 0) fail(`kills in main jobs of seed ${from}`, told.problems)
}

function fail(what: string, problems: readonly string[]): void {
  failures += 1
  say(`FAIL ${what}\n${problems.map((problem) => `     ${problem}`).join('\n')}`)
}

if (values.mutations) {
  for (const mutation of mutations) {
    const { caught, by } = await hunt(mutation, mutation.isRare ? 6_000 : 1_000)
    say(`${caught ? 'ok  ' : 'FAIL'} ${mutation.trap}: ${mutation.bug}  (${by})`)
    if (!caught) failures += 1
  }
  say(`torture: ${mutations.length} deliberate bugs, ${failures} not caught`)
} else {
  const seeds = whole('seeds')
  const done = [
    await fuzz('memory', seeds),
    await fuzz('late', seeds),
    await fuzz('pair', seeds),
    await fuzz('sqlite', Math.ceil(seeds / 4)),
  ]
  const kills = whole('kills')
  await kill('work', Math.ceil(kills * 0.6))
  await kill('recovery', Math.ceil(kills * 0.25))
  await kill('wal', Math.ceil(kills * 0.15))
  const jobs = whole('jobs')
  await killInJobs(jobs)
  say(`torture: seeds from ${from}: ${done.join(', ')}; ${kills} kills, ${jobs} in main jobs; ${failures} failures`)
}
process.exitCode = failures > 0 ? 1 : 0
