// What others are told of an agent.
import type { AgentList, AgentShown, ListedAgent } from '../protocol/api-agents.ts'
import type { Agent, Fault } from './agent.ts'
import type { Roster } from './roster.ts'

/** Everybody, each with the faults of their own file, and all faults. */
export function listedAgents({ agents, faults }: Roster): AgentList {
  return { items: agents.map((agent) => listed(agent, faults)), next: null, faults: [...faults] }
}

/** All that an agent's file says. */
export function shownAgent(agent: Agent, faults: readonly Fault[]): AgentShown {
  const { persona, routing, unveil, tools, params, schedule, profiles } = agent
  return { ...listed(agent, faults), persona, routing, unveil, tools, params, schedule, profiles }
}

function listed(agent: Agent, faults: readonly Fault[]): ListedAgent {
  const { name, title, aliases, class: kind, engine, tier, triggers, refuses, handsOff, pledge } = agent
  const { hash: _, ...source } = agent.source
  return {
    ...{ name, title, aliases, class: kind, engine, tier, triggers, refuses, handsOff },
    pledge: pledge && [...pledge],
    level: source.level,
    source,
    faults: faults.filter((one) => one.path === source.path && one.level === source.level && one.scope === source.scope),
  }
}
