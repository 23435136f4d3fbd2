// How much work something is, without a clock that a test would hang on: ten times the input may not be a hundred times the work.
import type { Member, RoutingTable } from '../../src/routing/table.ts'
import { bundledTable } from '../routing/tables.ts'

/** The least of some runs, so that what else the machine does counts little. */
function leastMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 7; run++) {
    const begun = performance.now()
    work()
    least = Math.min(least, performance.now() - begun)
  }
  return least
}

/** How many times the work of the small one the large one is; what is too short to be measured counts as half a millisecond. */
export function growth(small: () => unknown, large: () => unknown): number {
  for (let run = 0; run < 20; run++) small()
  large()
  return leastMs(large) / Math.max(leastMs(small), 0.5)
}

export function memberOf(name: string, given: Partial<Member> = {}): Member {
  return {
    ...{ name, aliases: [], class: 'coder', tier: 'standard', triggers: ['fix'], refuses: [], handsOff: [], isDefault: false },
    ...{ fallback: null, requiresHostTier: null, degradedMode: null, escalation: null },
    ...given,
  }
}

/** The thresholds that come with the program, over these members only. */
export function tableOf(members: readonly Member[]): RoutingTable {
  return { ...bundledTable(), members, signals: [], templates: [] }
}
