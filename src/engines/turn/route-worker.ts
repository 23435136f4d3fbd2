// Workers: agents in sessions of their own, at work for another process in the same project (E10, K2). Who may be one, how one is
// made for one piece of work, and how one is kept for as long as the session lives (E44).
import type { Agents } from '../../agents/agents.ts'
import { isId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import { defaultChainLimits } from '../../lanes/lanes.ts'
import type { Tier } from '../../models/message.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { Projects, ScopeRef, Sessions, Settings } from '../../scopes/scopes.ts'
import type { ChannelMode, WorkerLink } from '../../work/work.ts'

export type WorkerRooms = {
  readonly agents: Pick<Agents, 'find' | 'roster'>
  readonly projects: Pick<Projects, 'get'>
  readonly sessions: Pick<Sessions, 'create'>
  readonly settings: Pick<Settings, 'get'>
}

/** `why`: for the model that wanted it; `plain`: for the person who did. */
export type Fitting =
  | { readonly agent: string; readonly title: string; readonly engine: string; readonly tier: Tier }
  | { readonly why: string; readonly plain: string }

/** Engines that lead a conversation: they are never somebody's worker. */
const leaders: ReadonlySet<string> = new Set(['hub'])
/** They take a goal apart over many workers, and need a project for that. */
const onlyInProjects: ReadonlySet<string> = new Set(['tree', 'workflow', 'council'])

/** Not one that is at work above, not deeper than causes may go (L10), and none that this place is not for. Looks only. */
export async function fittingAgent(rooms: WorkerRooms, process: ProcessInfo, called: string): Promise<Fitting> {
  const scope = await scopeOf(rooms.projects, process)
  const line = [...above(process), process.agent]
  const most = Number((await rooms.settings.get('causes.maxDepth', {})) ?? defaultChainLimits.depth)
  if (line.length > most) {
    const deep = `Work is ${line.length} agents deep already (${line.join(' > ')}); ${most} are allowed.`
    return { why: `${deep} Do it yourself.`, plain: deep }
  }
  const isHome = userOfHome(process.project) !== null
  const { agents } = await rooms.agents.roster(scope)
  const possible = agents.filter(
    ({ name, engine }) => !line.includes(name) && !leaders.has(engine) && !(isHome && onlyInProjects.has(engine)),
  )
  const found = await rooms.agents.find(called, scope)
  const names = possible.map((one) => one.name).join(', ')
  const there = ` There is ${names || 'nobody: do it yourself'}.`
  const no = (why: string) => ({ why: why + there, plain: `${why} There is ${names || 'nobody else'}.` })
  if (!found) return no(`There is no agent ${JSON.stringify(called.slice(0, 64))} here.`)
  if (line.includes(found.name)) return no(`${found.name} ordered this work itself (${line.join(' > ')}): a ring is not possible.`)
  if (leaders.has(found.engine)) return no(`${found.name} leads conversations and works for nobody.`)
  if (!possible.some((one) => one.name === found.name)) return no(`${found.name} works only in a project, not in a home.`)
  return { agent: found.name, title: found.title, engine: found.engine, tier: found.tier }
}

/** Where a process looks for agents and settings. */
export async function scopeOf(projects: Pick<Projects, 'get'>, { id, user, project: name }: ProcessInfo): Promise<ScopeRef> {
  const project = await projects.get(name)
  return { process: id, user, project: name, ...(project ? { group: project.group } : {}) }
}

export type NewWorker = {
  readonly agent: string
  readonly title: string
  /** The same key gives the same worker. */
  readonly key: string
  readonly mode: ChannelMode
  /** Beside who is above it. */
  readonly params: JsonObject
}

/** Does nothing twice: the same key gives the same session. */
export async function newWorker(
  { sessions }: Pick<WorkerRooms, 'sessions'>,
  owner: ProcessInfo,
  { agent, title, key, mode, params }: NewWorker,
): Promise<WorkerLink> {
  const { id, user, project } = owner
  const worker = { parent: id, params: { ...params, above: [...above(owner), owner.agent] } }
  const { value } = await sessions.create({ user, project, agent, title, profile: 'daemon', key, worker }, `process:${id}`)
  const { id: session, process } = value
  if (!isId('ses', session) || !isId('prc', process)) throw new Error('a session has malformed ids')
  return { owner: id, worker: process, session, project, agent: value.agent, title, mode }
}

/** One of an agent at a time; after so many were closed by hand there is something wrong. */
const mostKept = 100

/** The worker of that agent that this process has already, woken when it sleeps; a new one when there is none or it was closed. */
export async function keptWorker(
  rooms: { readonly sessions: Pick<Sessions, 'create' | 'brief' | 'resume'> },
  owner: ProcessInfo,
  given: Omit<NewWorker, 'key'>,
): Promise<WorkerLink> {
  for (let count = 1; count <= mostKept; count++) {
    const link = await newWorker(rooms, owner, { ...given, key: `worker/${owner.id}/${given.agent}/${count}` })
    const life = (await rooms.sessions.brief(link.session))?.life
    if (life === 'SUSPENDED') await rooms.sessions.resume(link.session, 'system')
    if (life === 'OPEN' || life === 'SUSPENDED') return link
  }
  throw new Error(`${mostKept} sessions of ${given.agent} were closed in this one already`)
}

/** Agents that this process works for, the first one first. */
function above({ params }: Pick<ProcessInfo, 'params'>): readonly string[] {
  const given = params['above']
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : []
}
