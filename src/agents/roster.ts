// Who can be called in one scope: the agents of all levels, each name and alias given once.
import { documentLevels } from '../scopes/scopes.ts'
import { type Agent, type AgentFile, type Fault, faultIn, parseAgent } from './agent.ts'
import { checkAgents, type Read } from './checks.ts'

export type Roster = {
  /** By name, in alphabetical order. */
  readonly agents: readonly Agent[]
  readonly faults: readonly Fault[]
  /** By name or alias, in any case, with or without `@`. */
  find(called: string): Agent | null
}

/** Agents that one place can have; what stands for more is a mistake, and each decision looks at all of them. */
const mostAgents = 2_000

/**
 * The roster of those files. A broken file is a fault and takes no other down. An agent whose engine is not in `engines` is left out
 * with a fault. On one level the first path keeps a name or alias that two files claim. What is odd between agents is a warning
 * (checks.ts). `parse`: gives what parseAgent gives. Pure.
 */
export function buildRoster(files: readonly AgentFile[], engines: readonly string[], parse = parseAgent): Roster {
  const faults: Fault[] = []
  const usable: Read[] = []
  for (const file of [...files].sort(byPlace)) {
    const { agent, lineOf, faults: own } = parse(file)
    faults.push(...own)
    if (agent === null) continue
    if (engines.includes(agent.engine)) usable.push({ agent, lineOf })
    else faults.push(unknownEngine({ agent, lineOf }, engines))
  }
  const reads = fewEnough(distinct(usable, faults), faults)
  const called = calledBy(reads, faults)
  const find = (name: string) => called.get(name.trim().replace(/^@/, '').toLowerCase()) ?? null
  const agents = reads.map(({ agent }) => agent).sort((a, b) => (a.name < b.name ? -1 : 1))
  return { agents, faults: [...faults, ...checkAgents(reads, find)], find }
}

/** Inner levels first: an agent there hides one of the same name further out. */
function byPlace(a: AgentFile, b: AgentFile): number {
  const level = documentLevels.indexOf(a.level) - documentLevels.indexOf(b.level)
  return level || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
}

function unknownEngine({ agent, lineOf }: Read, engines: readonly string[]): Fault {
  const message = `engine: is "${agent.engine}"; allowed: ${engines.length > 0 ? [...engines].sort().join(', ') : 'none, no engine is there'}`
  return faultIn(agent.source, { line: lineOf(['engine']), field: 'engine', message })
}

function distinct(all: readonly Read[], faults: Fault[]): readonly Read[] {
  const kept = new Map<string, Read>()
  for (const one of all) {
    const first = kept.get(one.agent.name)?.agent
    if (!first) kept.set(one.agent.name, one)
    else if (isSamePlace(first, one.agent)) faults.push(taken(one, ['name'], first))
  }
  return [...kept.values()]
}

function fewEnough(all: readonly Read[], faults: Fault[]): readonly Read[] {
  const first = all[mostAgents]?.agent
  if (first === undefined) return all
  const message = `there are ${all.length} agents here, and at most ${mostAgents} are allowed; this one and those after it are left out`
  faults.push(faultIn(first.source, { line: 1, message }))
  return all.slice(0, mostAgents)
}

/** Names win over aliases, inner levels over outer ones. An alias that an inner level took from an outer one is no fault. */
function calledBy(all: readonly Read[], faults: Fault[]): ReadonlyMap<string, Agent> {
  const called = new Map(all.map(({ agent }) => [agent.name, agent]))
  for (const one of all) {
    for (const [at, alias] of one.agent.aliases.entries()) {
      const first = called.get(alias)
      if (!first) called.set(alias, one.agent)
      else if (first !== one.agent && !isInner(first, one.agent))
        faults.push({ ...taken(one, ['aliases', at], first), severity: 'warning' })
    }
  }
  return called
}

function isSamePlace(a: Agent, b: Agent): boolean {
  return a.source.level === b.source.level && a.source.scope === b.source.scope
}

function isInner(a: Agent, b: Agent): boolean {
  return documentLevels.indexOf(a.source.level) < documentLevels.indexOf(b.source.level)
}

function taken({ agent, lineOf }: Read, path: readonly PropertyKey[], first: Agent): Fault {
  const [field = ''] = path.map(String)
  const given = field === 'name' ? agent.name : agent.aliases[Number(path[1])]
  const message = `${field}: "${given}" already belongs to "${first.name}" in ${first.source.path}; choose another`
  return faultIn(agent.source, { line: lineOf(path), field, message })
}
