// Every set of the seven classes has its chain, whatever the words, over the bundled table and the foreign one.
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import type { Cortex, CortexAnswer } from '../../src/routing/cortex.ts'
import { classOrder } from '../../src/routing/order.ts'
import { bundledTable, foreignTable } from './tables.ts'

/** Orders for each class, as people write them; `{}` is what it is about. */
const orders: Readonly<Record<string, readonly string[]>> = {
  scout: ['map the {}', 'explore the {}', 'inspect the {}', 'untersuche das Modul {}', 'audit the {}'],
  debugger: ['diagnose the failure in the {}', 'track down why the {} hangs', 'debug the {}', 'diagnostiziere den Ausfall von {}'],
  reasoner: ['compare the two candidates for the {}', 'weigh speed against safety of the {}', 'vergleiche die Kandidaten für {}'],
  planner: ['plan the next version of the {}', 'decompose the work on the {}', 'entwirf die Schnittstelle von {}'],
  coder: ['implement the new {}', 'refactor the {}', 'extend the {}', 'implementiere den neuen Teil von {}', 'optimize the {}'],
  executor: ['fix the typo in the {}', 'bump the version of the {}', 'benenne die Konstante in {} um'],
  scriber: ['document the {}', 'summarize the {}', 'dokumentiere den Stand von {}'],
}
const subjects = ['worker', 'parser', 'queue', 'session store', 'loader']

function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const subsets: readonly (readonly string[])[] = Array.from({ length: 127 }, (_, at) =>
  classOrder.filter((_kind, bit) => (((at + 1) >> bit) & 1) === 1),
)

/** One order for each class, in any order, joined as people do. */
function textFor(kinds: readonly string[], pick: (below: number) => number): string {
  const any = (list: readonly string[]) => list[pick(list.length)] ?? ''
  const parts = kinds.map((kind) => any(orders[kind] ?? []).replace('{}', any(subjects)))
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const other = pick(at + 1)
    ;[parts[at], parts[other]] = [parts[other] ?? '', parts[at] ?? '']
  }
  return (
    any(['', 'please ', 'could you ']) + parts.reduce((text, part) => `${text}${any([', ', ' and ', ', then ', '. Then ', '; '])}${part}`)
  )
}

function classesOf(cortex: Cortex, { selected }: CortexAnswer): readonly string[] {
  return selected.map((name) => cortex.table.members.find((member) => member.name === name)?.class ?? '?')
}

const tables = [
  { name: 'bundled', table: bundledTable() },
  { name: 'foreign', table: foreignTable() },
].flatMap(({ name, table }) => (table === null ? [] : [{ name, cortex: compileCortex(table) }]))

describe.each(tables)('the $name table', ({ cortex }) => {
  test('[R10] every set of the seven classes gets each of its classes once, in many wordings', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      for (const kinds of subsets) {
        const text = textFor(kinds, numbers(seed * 1_000 + subsets.indexOf(kinds)))
        const answer = cortex.decide(text)
        const found = classesOf(cortex, answer)
        const counted = kinds.map((kind) => found.filter((one) => one === kind).length)
        expect({ seed, text, found, counted }).toEqual({ seed, text, found, counted: kinds.map(() => 1) })
        expect(answer.decision).toBe(kinds.length > 1 ? 'chain' : 'dispatch')
      }
    }
  })

  test('[R10] where no template is taken, steps are in the order of work and nothing is added', () => {
    for (const kinds of subsets) {
      const answer = cortex.decide(textFor(kinds, numbers(subsets.indexOf(kinds))))
      if (answer.template !== null) continue
      expect(classesOf(cortex, answer)).toEqual(kinds)
    }
  })

  test('[R10] a template is taken only when its classes, or its steps, are just those that are asked for', () => {
    for (const kinds of subsets) {
      const { template, chain } = cortex.decide(textFor(kinds, numbers(subsets.indexOf(kinds))))
      if (template === null) continue
      const one = cortex.table.templates.find(({ name }) => name === template)
      const steps = chain.map((step) => step.class)
      const exact = steps.length === kinds.length || [...(one?.classes ?? [])].sort().join() === [...kinds].sort().join()
      expect({ kinds, template, exact }).toEqual({ kinds, template, exact: true })
    }
  })
})
