// The heart under random lives. STEWARD_FUZZ=N runs N seeds over each store instead of a few; scripts/torture.ts runs thousands.
import { describe, expect, test } from 'vitest'
import { type StoreKind, story } from './fuzz.ts'

const asked = Number(process.env['STEWARD_FUZZ'] || 0)
const few: Record<StoreKind, number> = { memory: 250, late: 250, pair: 120, sqlite: 60 }
const block = 25

describe.each(Object.entries(few) as [StoreKind, number][])('over %s', (kind, count) => {
  const seeds = Array.from({ length: Math.ceil((asked || count) / block) }, (_, i) => 1 + i * block)
  test.each(seeds)(
    `[L1] [L3] [L5] [L11] whatever happens, nothing is lost, doubled, out of order or stuck: seeds from %i, ${block} of them`,
    async (first) => {
      for (let seed = first; seed < first + block; seed++) {
        const { problems } = await story(seed, kind)
        expect(problems, `seed ${seed} over ${kind}`).toEqual([])
      }
    },
    120_000,
  )
})

/**
 * Every seed that failed, with what was wrong then. A seed tells another story when the program or the people change, so the bugs
 * themselves are put back in mutations.ts and told alone in found.test.ts.
 */
const failed: readonly (readonly [number, StoreKind, string])[] = [
  [5, 'memory', '[L5] reconcile was given the key of the looking instead of that of the effect'],
  [11, 'memory', '[L5] the same, in a turn with parallel branches'],
  [89, 'memory', '[L11] a process that was closed in mid-turn kept its turn open after a crash, and its mailbox too'],
  [243, 'memory', '[L6] a turn that was stopping was put out of memory before it had ended'],
  [350, 'memory', '[L6] a branch that went on and ended left the others standing without being parked'],
  [494, 'late', '[L11] a request that never arrived was forgotten when another commit came first after a crash'],
  [561, 'memory', '[L1] a message that was written without an answer waited until something else was written'],
  [583, 'late', '[L6] a turn that was stopping was put out of memory, over a late store'],
  [627, 'memory', '[L6] a turn with an ask that nobody answers stayed in memory as running'],
  [1314, 'late', '[L11] a turn waited for ever for a request that never arrived, after a crash in between'],
  [3726, 'late', '[L10] the same held entry was let go on twice, and the lane could not commit any more'],
]

test.each(failed)('seed %i over %s: %s', async (seed, kind) => {
  expect((await story(seed, kind)).problems).toEqual([])
})
