// What persons mean by everyday messages, English and German, and what the bundled table makes of them. Each set but
// the first was written without a look at the lexicons and measured once; afterwards the kinds of faults that it showed were mended. Only
// its first measurement says what unseen messages meet; the floors below keep what was reached since.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { packageRoot } from '../../src/base/root.ts'
import { compileCortex } from '../../src/routing/compile.ts'
import { bundledTable } from './tables.ts'

/** `want`: `leave`, `clarify`, or classes in their order joined by ">"; "/" stands between decisions that are equally right. */
const row = z.strictObject({ set: z.enum(['known', 'blind', 'second', 'third', 'fourth']), want: z.string(), text: z.string() })
const read = (file: string) => z.array(row).parse(JSON.parse(readFileSync(join(packageRoot, 'test', 'routing', file), 'utf8')))
const rows = [...read('intents.json'), ...read('intents-2.json')]

const table = bundledTable()
const cortex = compileCortex(table)
const classOf = new Map(table.members.map(({ name, class: kind }) => [name, kind]))

type Judged = { readonly set: string; readonly wanted: string; readonly found: string; readonly text: string }

function judge({ set, want, text }: z.infer<typeof row>): Judged {
  const { decision, selected } = cortex.decide(text)
  const alone = decision === 'leave' || decision === 'clarify'
  const found = alone ? decision : [...new Set(selected.map((name) => classOf.get(name) ?? '?'))].join('>')
  const alternatives = want.split('/')
  return { set, text, found, wanted: alternatives.includes(found) ? found : (alternatives[0] ?? '') }
}

const judged = rows.map(judge)

function rate(of: readonly Judged[]): number {
  return of.filter(({ wanted, found }) => wanted === found).length / of.length
}

function perClass(of: readonly Judged[]): readonly string[] {
  const parts = (text: string) => text.split('>')
  return [...new Set(of.flatMap(({ wanted }) => parts(wanted)))].map((kind) => {
    const wanted = of.filter((one) => parts(one.wanted).includes(kind))
    const found = of.filter((one) => parts(one.found).includes(kind))
    const both = wanted.filter((one) => parts(one.found).includes(kind)).length
    const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`)
    return `  ${kind}: recall ${percent(both, wanted.length)}, precision ${percent(both, found.length)}, ${wanted.length} rows`
  })
}

/**
 * What was reached, minus a margin. First measurements, no work and jobs: `blind` 100 and 79 %, `second` 97 and 63 %, `third`
 * 95 and 39 % (sayings far from the triggers), `fourth` 97 and 80 %; nothing was changed for `fourth`, and nothing may be.
 */
const floors = [
  { set: 'known', nonWork: 0.98, jobs: 0.96, least: 300 },
  { set: 'blind', nonWork: 0.97, jobs: 0.95, least: 150 },
  { set: 'second', nonWork: 0.97, jobs: 0.95, least: 120 },
  { set: 'third', nonWork: 0.95, jobs: 0.9, least: 110 },
  { set: 'fourth', nonWork: 0.93, jobs: 0.76, least: 60 },
]

afterAll(() => {
  for (const { set } of floors) {
    const of = judged.filter((one) => one.set === set)
    const wrong = of.filter(({ wanted, found }) => wanted !== found).map(({ wanted, found, text }) => `  ${wanted}, got ${found}: ${text}`)
    process.stdout.write([`intents, ${set}: ${wrong.length} of ${of.length} are wrong`, ...wrong, ...perClass(of), ''].join('\n'))
  }
})

describe.each(floors)('$set messages', ({ set, nonWork, jobs, least }) => {
  const of = judged.filter((one) => one.set === set)

  test('[R17] what is no work is left to whoever leads', () => {
    expect(of.length).toBeGreaterThanOrEqual(least)
    expect(rate(of.filter(({ wanted }) => wanted === 'leave'))).toBeGreaterThanOrEqual(nonWork)
  })

  test('[R11] a job goes to whom its person means', () => {
    expect(rate(of.filter(({ wanted }) => wanted !== 'leave'))).toBeGreaterThanOrEqual(jobs)
  })
})
