// Decisions of the cortex, in this process: what a message costs with a small and with a very large roster, and what a million of them keep.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileCortex } from '../../src/routing/compile.ts'
import type { Cortex } from '../../src/routing/cortex.ts'
import type { Member, RoutingTable } from '../../src/routing/table.ts'
import { bundledTable } from '../../test/routing/tables.ts'
import type { Figure } from './figure.ts'
import type { Part } from './part.ts'
import { microsOf } from './repeat.ts'

export const routing: Part = {
  name: 'routing',
  async run(at) {
    at.tell('routing decisions')
    const share = at.quick ? 1 : 5
    const [few, many] = [compileCortex(tableOf(30)), compileCortex(tableOf(1_000))]
    const found = [
      ...deciding(few, { agents: 30, times: 400 * share, most: 100 }),
      ...deciding(many, { agents: 1_000, times: 100 * share, most: 1_000 }),
    ]
    at.tell('a text of 1 MB, and what many decisions keep')
    return [...found, ...longText(few, 5 * share), ...keeping(few, at.quick ? 50_000 : 1_000_000)]
  },
}

const texts = [
  'map the login flow, then fix the timeout in src/auth/session.ts and add a test for it',
  'why does the nightly build fail since Tuesday? It passed locally, and the log says nothing about the worker',
  'Bitte schreibe die Anleitung für den Import und fasse zusammen, was sich seit der letzten Version geändert hat.',
  'good morning, how are you?',
  'should we keep the queue in SQLite or move it to Postgres? Weigh both, do not change anything yet',
]

const modes = {
  default: (cortex: Cortex, text: string) => cortex.decide(text),
  strict: (cortex: Cortex, text: string) => cortex.strict(text),
}
type Mode = keyof typeof modes
const bothModes: readonly Mode[] = ['default', 'strict']

function deciding(cortex: Cortex, { agents, times, most }: { agents: number; times: number; most: number }): readonly Figure[] {
  const floor = microsOf(times, () => texts.forEach(bare)) / texts.length
  return bothModes.map((mode) => ({
    name: `a decision, ${agents.toLocaleString('en')} agents, ${mode}`,
    ...{ unit: 'µs', floor, hold: { most }, note: 'floor: lower case, split at spaces' },
    ours: microsOf(times, () => texts.map((text) => modes[mode](cortex, text))) / texts.length,
  }))
}

function longText(cortex: Cortex, times: number): readonly Figure[] {
  const text = `${texts.join(' ')}\n`.repeat(3_000).slice(0, 1_048_576)
  const floor = microsOf(times, () => bare(text)) / 1_000
  return bothModes.map((mode) => ({
    name: `a decision on a text of 1 MB, ${mode}`,
    ...{ unit: 'ms', floor, hold: { most: 5 }, note: 'only a part of it is looked at' },
    ours: microsOf(times, () => modes[mode](cortex, text)) / 1_000,
  }))
}

/** How much the heap has grown, after all garbage is gone; the first decisions only fill what is filled once. */
function keeping(cortex: Cortex, times: number): readonly Figure[] {
  return bothModes.map((mode) => {
    const work = (count: number) => {
      for (let i = 0; i < count; i++) modes[mode](cortex, `${texts[i % texts.length]} ${i}`)
    }
    work(10_000)
    const before = heapMb()
    work(times)
    return {
      name: `heap after ${times.toLocaleString('en')} decisions, ${mode}`,
      ...{ unit: 'MB', ours: Math.max(0, heapMb() - before), floor: null, hold: { most: 1 }, note: 'growth' },
    }
  })
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function heapMb(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1_048_576
}

function bare(text: string): number {
  let letters = 0
  for (const word of text.toLowerCase().split(' ')) letters += word.length
  return letters
}

/** The roster that comes with the program, and others of its kind with words of their own. */
function tableOf(agents: number): RoutingTable {
  const table = bundledTable()
  const more = Array.from({ length: agents - table.members.length }, (_, at) => like(table.members[at % table.members.length], at))
  return { ...table, members: [...table.members, ...more.flatMap((one) => one ?? [])] }
}

function like(member: Member | undefined, at: number): Member | null {
  if (member === undefined) return null
  const own = (phrases: readonly string[]) => phrases.slice(0, 20).map((phrase) => `${phrase} part${at}`)
  return {
    ...member,
    name: `${member.name}-${at}`,
    aliases: [],
    isDefault: false,
    triggers: own(member.triggers),
    refuses: own(member.refuses),
  }
}
