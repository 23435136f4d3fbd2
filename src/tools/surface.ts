// Which tools an agent is given (reference/eddie.md 2.4). Pure.
import type { Tool } from './tool.ts'

/** What an agent's file says, in its own words. `pledge` null: it said nothing, and gets what its engine gives to everybody. */
export type Asker = {
  readonly pledge: readonly string[] | null
  readonly tools: { readonly add: readonly string[]; readonly remove: readonly string[]; readonly defer: readonly string[] }
}

export type Described = Pick<Tool, 'name' | 'labels' | 'capability' | 'needsRoots'>

/** Capabilities of an agent that pledges nothing. */
const defaultPledge: readonly string[] = ['fs.read']

/**
 * The names of the tools that may be called, sorted. A tool needs its capability in the pledge; `add` can't give what the pledge
 * does not hold, `remove` wins over `add`, `defer` leaves out unless `add` names it too. Selectors are names and `@label`.
 */
export function allowedTools(tools: readonly Described[], asker: Asker, roots: readonly string[]): readonly string[] {
  const pledge = asker.pledge ?? defaultPledge
  const { add, remove, defer } = asker.tools
  return tools
    .filter((tool) => tool.capability === null || pledge.some((one) => covers(one, tool.capability ?? '')))
    .filter((tool) => !tool.needsRoots || roots.length > 0)
    .filter((tool) => !isNamed(tool, remove) && (!isNamed(tool, defer) || isNamed(tool, add)))
    .map((tool) => tool.name)
    .sort()
}

/** `fs.*` covers `fs.read`; everything else only itself. */
export function covers(pledged: string, capability: string): boolean {
  return pledged === capability || (pledged.endsWith('.*') && capability.startsWith(pledged.slice(0, -1)))
}

function isNamed(tool: Described, selectors: readonly string[]): boolean {
  return selectors.some((one) => (one.startsWith('@') ? tool.labels.includes(one.slice(1)) : one === tool.name))
}
