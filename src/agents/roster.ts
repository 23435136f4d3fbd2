// Who can be called in one scope: the agents of all levels, each name and alias given once.
import { documentLevels } from '../scopes/scopes.ts'
import { type Agent, type AgentFile, type Fault, faultIn, parseAgent } from './agent.ts'

export type Roster = {
  /** By name, in alphabetical order. */
  readonly agents: readonly Agent[]
  readonly faults: readonly Fault[]
  /** By name or alias, in any case, with or without `@`. */
  find(called: string): Agent | null
}

/**
 * The roster of those files. A broken file is a fault and takes no other down. An agent whose engine is not in `engines` is left out
 * with a fault. On one level the first path keeps a name or alias that two files claim. Pure.
 */
export function buildRoster(files: readonly AgentFile[], engines: readonly string[]): Roster {
  const faults: Fault[] = []
  const usable: Agent[] = []
  for (const file of [...files].sort(byPlace)) {
    const parsed = parseAgent(file)
    faults.push(...parsed.faults)
    const missing = parsed.agent && !engines.includes(parsed.agent.engine) ? unknownEngine(parsed.agent, engines) : null
    if (missing) faults.push(missing)
    else if (parsed.agent) usable.push(parsed.agent)
  }
  const agents = distinct(usable, faults)
  const called = calledBy(agents, faults)
  return {
    agents: [...agents].sort((a, b) => (a.name < b.name ? -1 : 1)),
    faults,
    find: (name) => called.get(name.trim().replace(/^@/, '').toLowerCase()) ?? null,
  }
}

/** Inner levels first: an agent there hides one of the same name further out. */
function byPlace(a: AgentFile, b: AgentFile): number {
  const level = documentLevels.indexOf(a.level) - documentLevels.indexOf(b.level)
  return level || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
}

function unknownEngine(agent: Agent, engines: readonly string[]): Fault {
  const message = `engine: is "${agent.engine}"; allowed: ${engines.length > 0 ? [...engines].sort().join(', ') : 'none, no engine is there'}`
  return faultIn(agent.source, { line: 1, field: 'engine', message })
}

function distinct(agents: readonly Agent[], faults: Fault[]): readonly Agent[] {
  const kept = new Map<string, Agent>()
  for (const agent of agents) {
    const first = kept.get(agent.name)
    if (!first) kept.set(agent.name, agent)
    else if (isSamePlace(first, agent)) faults.push(taken(agent, `name: "${agent.name}"`, first))
  }
  return [...kept.values()]
}

/** Names win over aliases, inner levels over outer ones. */
function calledBy(agents: readonly Agent[], faults: Fault[]): ReadonlyMap<string, Agent> {
  const called = new Map(agents.map((agent) => [agent.name, agent]))
  for (const agent of agents) {
    for (const alias of agent.aliases) {
      const first = called.get(alias)
      if (!first) called.set(alias, agent)
      else if (first !== agent) faults.push({ ...taken(agent, `aliases: "${alias}"`, first), severity: 'warning' })
    }
  }
  return called
}

function isSamePlace(a: Agent, b: Agent): boolean {
  return a.source.level === b.source.level && a.source.scope === b.source.scope
}

function taken(agent: Agent, what: string, first: Agent): Fault {
  const field = what.split(':')[0] ?? ''
  return faultIn(agent.source, {
    line: 1,
    field,
    message: `${what} already belongs to "${first.name}" in ${first.source.path}; choose another`,
  })
}
