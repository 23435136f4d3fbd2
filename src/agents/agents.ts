// The agents: files that say who someone is, found through the cascade of documents.
// Owns: reading and checking agent files, the roster of a scope, which engine runs an agent. Leaves where documents are kept to
// scopes, which agent a text is for to routing, and what an engine does to engines. Others also import agent.ts, roster.ts, faults.ts,
// listing.ts and import/import.ts (rosters from elsewhere).
//
// A1  Each fault of a file is named with file, line, what is wrong and what is allowed; an unknown field is a warning.
// A2  A broken file takes no other agent down.
// A3  An inner level hides an agent of the same name further out; on one level the first file keeps a name that two claim.
// A4  Only agents whose engine is there are on the roster.
// A5  A changed document is seen at the next call; an agent that a turn started with can be found again by its hash.
import { sha256 } from '../base/hash.ts'
import { canonical, type JsonObject } from '../base/json.ts'
import { type Log, silent } from '../base/log.ts'
import { userOfHome } from '../scopes/names.ts'
import { type Document, type Documents, documentLevels, type ScopeRef } from '../scopes/scopes.ts'
import { type Agent, type AgentFile, type AgentSource, type Fault, parseAgent, policiesOf, type SessionPolicies } from './agent.ts'
import { openParsed } from './parsed.ts'
import { buildRoster, type Roster } from './roster.ts'

export type Agents = {
  /** From memory until a document below `agents/` changes. */
  roster(scope: ScopeRef): Promise<Roster>
  /** By name or alias; null when nobody there is called so. */
  find(called: string, scope: ScopeRef): Promise<Agent | null>
  /**
   * The agent by name or alias, or the scope's own default, and what its process starts with. null: nobody is called so, and who
   * is there says `roster`. `profile`: of the client, for the policies of its session.
   */
  engineOf(called: string | undefined, scope: ScopeRef, profile?: string): Promise<Engaged | null>
  /** The agent as it stood in that file and version; null when that text is nowhere any more (a purge, an update of the program). */
  at(source: AgentSource): Promise<Agent | null>
  /**
   * What would be wrong if these files lay where they say, hiding what has their path there and further out: the faults of all files that
   * the scope would see then. Changes nothing.
   */
  check(files: readonly Pick<AgentFile, 'path' | 'level' | 'scope' | 'text'>[], scope: ScopeRef): Promise<readonly Fault[]>
  close(): void
}
export type Engaged = {
  readonly agent: string
  readonly engine: string
  readonly params: JsonObject
  readonly policies: SessionPolicies
}

export type AgentRooms = {
  readonly documents: Pick<Documents, 'list' | 'versions' | 'onChange'>
  /** The engines that are there now. */
  readonly engines: () => readonly string[]
  readonly log?: Log
}

/** In a home the hub, as soon as there is one; in a project its own orchestrator; quick otherwise. */
const homeDefaults = ['hub', 'quick']
const projectDefaults = ['assistant', 'quick']
const mostRosters = 200
const mostTold = 1000

export function openAgents({ documents, engines, log = silent }: AgentRooms): Agents {
  const rosters = new Map<string, Promise<Roster>>()
  const parsed = openParsed()
  const built = new Map<string, Roster>()
  const forget = documents.onChange('agents/', () => rosters.clear())
  const known = new Map<string, Agent>()
  const told = new Set<string>()

  /** Each once, not once for every scope that sees the file. */
  function tell(fault: Fault): void {
    if (told.has(fault.message)) return
    if (told.size >= mostTold) told.clear()
    told.add(fault.message)
    log('warn', fault.message, { path: fault.path, severity: fault.severity })
  }

  /** Many scopes see the same files: a process has a scope of its own, and documents of its own hardly ever. */
  async function load(scope: ScopeRef): Promise<Roster> {
    const files = (await documents.list('agents/', scope)).filter(isAgentFile)
    const key = JSON.stringify([files.map(parsed.idOf), engines()])
    const present = built.get(key)
    if (present) return present
    const roster = build(files)
    if (built.size >= mostRosters) built.clear()
    built.set(key, roster)
    return roster
  }

  function build(files: readonly AgentFile[]): Roster {
    const roster = buildRoster(files, engines(), parsed.parse)
    for (const fault of roster.faults) tell(fault)
    for (const agent of roster.agents) remember(known, agent)
    return roster
  }

  async function roster(scope: ScopeRef): Promise<Roster> {
    const key = canonical([scope, engines()])
    const present = rosters.get(key)
    if (present) return present
    if (rosters.size >= mostRosters) rosters.clear()
    const loading = load(scope)
    rosters.set(key, loading)
    // A failure is not kept: the next call reads again.
    loading.catch(() => rosters.get(key) === loading && rosters.delete(key))
    return loading
  }

  return {
    roster,
    find: async (called, scope) => (await roster(scope)).find(called),
    async engineOf(called, scope, profile = 'web') {
      const agent = choose(await roster(scope), called, scope)
      return agent && { agent: agent.name, engine: agent.engine, params: agent.params, policies: policiesOf(agent, profile) }
    },
    async check(files, scope) {
      const isReplaced = (one: Document) => files.some((file) => file.path === one.path && isFurtherOut(one, file))
      const present = (await documents.list('agents/', scope)).filter((one) => isAgentFile(one) && !isReplaced(one))
      return buildRoster([...present, ...files.map((file) => ({ ...file, version: 0 }))], engines()).faults
    },
    at: async (source) => known.get(source.hash) ?? findVersion(documents, source),
    close: forget,
  }
}

/** Or at the same level: what lies there shows no more. */
function isFurtherOut(one: Pick<AgentFile, 'level'>, other: Pick<AgentFile, 'level'>): boolean {
  return documentLevels.indexOf(one.level) >= documentLevels.indexOf(other.level)
}

function isAgentFile(document: Document): boolean {
  return document.path.endsWith('.md') && !/(^|\/)readme\.md$/i.test(document.path)
}

function remember(known: Map<string, Agent>, agent: Agent): void {
  if (known.size >= 2000) known.clear()
  known.set(agent.source.hash, agent)
}

function choose(roster: Roster, called: string | undefined, scope: ScopeRef): Agent | null {
  const isHome = scope.project === undefined || userOfHome(scope.project) !== null
  const wanted = called ? [called] : isHome ? homeDefaults : projectDefaults
  return wanted.map((name) => roster.find(name)).find((agent) => agent !== null) ?? null
}

async function findVersion(documents: AgentRooms['documents'], source: AgentSource): Promise<Agent | null> {
  const versions = await documents.versions(source.path, source.level, source.scope)
  const same: AgentFile | undefined = versions.find((one) => sha256(one.text) === source.hash)
  return same ? parseAgent(same).agent : null
}
