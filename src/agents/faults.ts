// What `steward doctor` says about the agents' files.
import type { Finding } from '../protocol/api.ts'
import type { ScopeRef } from '../scopes/scopes.ts'
import type { Agents } from './agents.ts'

/** Faults that are written out; the rest is counted. */
const mostTold = 5

/** The faults of all files that are seen from those places, each once. */
export async function agentFinding(agents: Pick<Agents, 'roster'>, places: readonly ScopeRef[]): Promise<Finding> {
  const rosters = await Promise.all(places.map((place) => agents.roster(place)))
  const faults = [...new Set(rosters.flatMap((roster) => roster.faults.map((fault) => fault.message)))]
  const names = new Set(rosters.flatMap((roster) => roster.agents.map((agent) => agent.name)))
  const name = 'agents'
  if (faults.length === 0) return { name, status: 'ok', detail: `${names.size} can be asked, and their files have no faults` }
  const more = faults.length > mostTold ? `\nAnd ${faults.length - mostTold} more, in the log.` : ''
  const mend = 'Mend the files; what is changed is seen at once.'
  return { name, status: 'warn', detail: `${faults.slice(0, mostTold).join('\n')}${more}`, mend }
}
