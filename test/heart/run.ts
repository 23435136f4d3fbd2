// The fuzz as a program: node test/heart/run.ts FIRST COUNT [memory|late|sqlite|all] ; one JSON line at the end, exit code 1 when a seed failed.
import { type StoreKind, story } from './fuzz.ts'

const [first = '1', count = '100', kind = 'all', most = '5'] = process.argv.slice(2)
const kinds: readonly StoreKind[] = kind === 'all' ? ['memory', 'late', 'sqlite'] : [kind as StoreKind]
const sum = { seeds: 0, turns: 0, crashes: 0, events: 0, effects: 0, failed: 0 }
process.on('unhandledRejection', (why) => {
  process.stdout.write(`unhandled rejection: ${why instanceof Error ? why.stack : String(why)}\n`)
  process.exit(1)
})
for (let seed = Number(first); seed < Number(first) + Number(count) && sum.failed < Number(most); seed++) {
  for (const each of kinds) {
    const told = await story(seed, each)
    sum.seeds += 1
    sum.turns += told.turns
    sum.crashes += told.crashes
    sum.events += told.events
    sum.effects += told.effects
    if (told.problems.length === 0) continue
    sum.failed += 1
    process.stdout.write(`seed ${seed} over ${each}:\n${told.problems.map((p) => `  ${p}`).join('\n')}\n`)
  }
}
process.stdout.write(`${JSON.stringify(sum)}\n`)
process.exitCode = sum.failed > 0 ? 1 : 0
