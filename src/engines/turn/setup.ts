// What a turn of the quick engine starts from, read once and recorded: by reference and version where it is text (T34).
import { realpath } from 'node:fs/promises'
import { type Agent, type AgentSource, toolLayersOf } from '../../agents/agent.ts'
import type { Agents } from '../../agents/agents.ts'
import { NotFound } from '../../base/errors.ts'
import type { ProcessInfo, Turn } from '../../lanes/engine.ts'
import { type Tier, tiers } from '../../models/message.ts'
import { classPledge, effectivePledge } from '../../policy/capability.ts'
import type { Taint } from '../../policy/decision.ts'
import { findLanguage } from '../../scopes/language.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { Projects, ScopeRef, Sessions, Settings } from '../../scopes/scopes.ts'
import { unveiled } from '../../tools/files/files.ts'
import { type Classified, selectorsOf } from '../../tools/surface.ts'
import type { Effect } from '../../tools/tool.ts'
import type { Surface, Tools } from '../../tools/tools.ts'
import type { Minds } from './mind.ts'

export type Setup = {
  readonly agent: {
    readonly name: string
    readonly title: string
    readonly tier: Tier
    readonly source: AgentSource
    readonly pledge?: readonly string[]
  }
  readonly project: { readonly name: string; readonly title: string; readonly isHome: boolean }
  readonly roots: readonly string[]
  readonly tools: readonly { readonly name: string; readonly effect: Effect }[]
  /** Of the conversation, where one was set; absent in what older versions recorded. */
  readonly language?: string | null
  /** How the tools are given: with schemas, or only named. Absent in what older versions recorded: all with schemas. */
  readonly surface?: Surface
  /** What the process had on its mind when the turn began. */
  readonly taint?: Taint
  /** How long an approval stands. */
  readonly approvalMs?: number
  /** The project's texts go to models of this machine only. */
  readonly localOnly?: boolean
  /** Its tier had no model when the turn began. Absent: it had one, or nobody looked. */
  readonly noModel?: true
  /** Tokens, by estimate. */
  readonly budget: number
}

export type SetupRooms = {
  readonly agents: Pick<Agents, 'find' | 'at' | 'roster'>
  readonly projects: Pick<Projects, 'get'>
  readonly settings: Pick<Settings, 'getForUser' | 'languages'>
  readonly tools: Pick<Tools, 'surface' | 'shaped' | 'effectOf'>
  readonly minds: Pick<Minds, 'of'>
  /** Absent: nothing is left out for the person's client. */
  readonly sessions?: Pick<Sessions, 'brief'>
  /** The model of a tier; absent: nobody looks whether there is one. */
  readonly modelOf?: (tier: Tier) => string | null
}

const budget = 60_000
const defaultApprovalHours = 24

/** As it is recorded with every turn, so short: names only, and the effects of those tools that do more than look. */
type Recorded = Omit<Setup, 'tools' | 'surface'> & { readonly tools: Classified; readonly effects: { readonly [name: string]: Effect } }

/**
 * The first of a turn. `as`: of another agent that answers in the place of the turn's own, within what that one may do at most. Throws
 * NotFound, naming who is there, when the agent's file is gone.
 */
export async function setupOf(rooms: SetupRooms, turn: Turn, as?: string): Promise<Setup> {
  const process = as === undefined ? turn.process : { ...turn.process, agent: as }
  const name = as === undefined ? 'setup' : `setup-${as}`
  const { tools, effects, ...rest } = await turn.read<Recorded>(name, () => readSetup(rooms, process))
  const surface = rooms.tools.shaped(tools)
  return { ...rest, surface, tools: surface.callable.map((name) => ({ name, effect: effects[name] ?? 'replayable' })) }
}

async function readSetup(rooms: SetupRooms, process: ProcessInfo): Promise<Recorded> {
  const { agents, projects, settings, tools, minds } = rooms
  const project = await projects.get(process.project)
  const scope = scopeOf(process, project?.group)
  const agent = await agentOf(agents, process, scope)
  const roots = await rootsFor(unveiled(project?.roots ?? [], agent.unveil), process)
  const pledge = pledgeOf(agent, process)
  const profile = (await rooms.sessions?.brief(process.session))?.profile ?? null
  const asker = { pledge, tools: selectorsOf(toolLayersOf(agent, profile)) }
  const { callable, discovery: _, ...classified } = tools.surface(asker, { roots, session: process.session, profile })
  return {
    agent: { name: agent.name, title: agent.title, tier: tierOf(agent, process), source: agent.source, pledge },
    project: { name: process.project, title: project?.title ?? process.project, isHome: userOfHome(process.project) !== null },
    roots,
    tools: classified,
    effects: effectsOf(tools, callable),
    language: await languageIn(settings, scope),
    taint: await minds.of(process.id),
    approvalMs: await approvalMs(settings, scope),
    ...(project?.policy['localOnly'] === true ? { localOnly: true } : {}),
    ...(rooms.modelOf?.(tierOf(agent, process)) === null ? { noModel: true } : {}),
    budget,
  }
}

/** Of the tools that do more than look; one that is gone must not be done twice. */
function effectsOf({ effectOf }: Pick<Tools, 'effectOf'>, names: readonly string[]): Recorded['effects'] {
  const effects = names.map((name): [string, Effect] => [name, effectOf(name) ?? 'once'])
  return Object.fromEntries(effects.filter(([, effect]) => effect !== 'replayable'))
}

/** Its file's, or its class's, and never more than whoever made the process could give. */
export function pledgeOf(agent: Pick<Agent, 'pledge' | 'class'>, process: Pick<ProcessInfo, 'params'>): readonly string[] {
  const outer = process.params['pledge']
  const bound = Array.isArray(outer) ? outer.filter((one): one is string => typeof one === 'string') : null
  return effectivePledge(agent.pledge ?? classPledge(agent.class), bound)
}

/** A worker may be ordered at another tier than its file says (E20). */
function tierOf({ tier }: Pick<Agent, 'tier'>, { params }: Pick<ProcessInfo, 'params'>): Tier {
  return tiers.find((one) => one === params['tier']) ?? tier
}

/** A worker may be given a part of the folders, and never one that really lies elsewhere (E30). */
async function rootsFor(roots: readonly string[], { params }: Pick<ProcessInfo, 'params'>): Promise<readonly string[]> {
  const given = params['roots']
  if (!Array.isArray(given)) return roots
  const wanted = given.filter((one): one is string => typeof one === 'string')
  const real = await Promise.all(unveiledAt(roots, wanted).map((folder) => realpath(folder).catch(() => folder)))
  const own = await Promise.all(roots.map((root) => realpath(root).catch(() => root)))
  return unveiledAt(own, real)
}

/** Those that lie in one of the roots. */
function unveiledAt(roots: readonly string[], folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => unveiled(roots, [folder]).length > 0)
}

async function approvalMs(settings: SetupRooms['settings'], scope: ScopeRef): Promise<number> {
  const hours = Number((await settings.getForUser('policy.approvalHours', scope)) ?? defaultApprovalHours)
  return hours * 3_600_000
}

function scopeOf({ id, user, project }: ProcessInfo, group: string | undefined): ScopeRef {
  return { process: id, user, project, ...(group === undefined ? {} : { group }) }
}

/** The innermost that is not blank; most often none was set, and one look says so. */
async function languageIn(settings: SetupRooms['settings'], scope: ScopeRef): Promise<string | null> {
  if ((await settings.getForUser('chat.language', scope)) === null) return null
  return findLanguage('chat.language', (await settings.languages(scope))['chat.language'])
}

async function agentOf(agents: SetupRooms['agents'], process: ProcessInfo, scope: ScopeRef): Promise<Agent> {
  const agent = await agents.find(process.agent, scope)
  if (agent) return agent
  const names = (await agents.roster(scope)).agents.map((one) => one.name).join(', ') || 'nobody'
  throw new NotFound(`The agent "${process.agent}" of this session is not there any more, or its file can't be used; there is ${names}.`, {
    path: 'agent',
  })
}

/** The persona that the turn began with; when that text is nowhere any more, the agent's present one. */
export async function personaOf(agents: SetupRooms['agents'], setup: Setup, process: ProcessInfo): Promise<string> {
  const agent =
    (await agents.at(setup.agent.source)) ?? (await agents.find(setup.agent.name, { user: process.user, project: process.project }))
  return agent?.persona ?? ''
}
