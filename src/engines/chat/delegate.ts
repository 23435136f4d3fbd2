// DELEGATE: a worker in a session of its own, in the same project, for one piece of work (E10, K2).
import type { Agents } from '../../agents/agents.ts'
import { isId, laneOf } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { type ProcessInfo, StepFailed } from '../../lanes/engine.ts'
import { defaultChainLimits } from '../../lanes/lanes.ts'
import type { Projects, ScopeRef, Sessions, Settings } from '../../scopes/scopes.ts'
import type { WorkerLink } from '../../work/work.ts'
import { type Action, fieldOf } from '../action/action.ts'
import type { Acting, Applied } from '../action/loop.ts'
import { told } from '../action/speak.ts'
import { saidIn } from '../turn/said.ts'

export type DelegateRooms = {
  readonly agents: Pick<Agents, 'find' | 'roster'>
  readonly projects: Pick<Projects, 'get'>
  readonly sessions: Pick<Sessions, 'create'>
  readonly settings: Pick<Settings, 'get'>
}

/** Engines that lead a conversation: they are never somebody's worker. */
const leaders: ReadonlySet<string> = new Set(['hub'])

type Fitting = { readonly agent: string; readonly title: string } | { readonly why: string }

export async function delegate(rooms: DelegateRooms, action: Action, acting: Acting): Promise<Applied> {
  const { turn, name, mind, streamed } = acting
  const fitting: Fitting = await turn.read(`${name}-agent`, () => fittingAgent(rooms, turn.process, fieldOf(action, 'agent') ?? ''))
  if ('why' in fitting) return { end: false, text: fitting.why, isWrong: true }
  const title = (fieldOf(action, 'title') ?? fieldOf(action, 'prompt') ?? '').replace(/\s+/g, ' ').slice(0, 120)
  try {
    const link = await turn.step(`${name}-session`, 'idempotent', (act) =>
      newWorker(rooms, acting, { agent: fitting.agent, title, key: act.key }),
    )
    turn.note(`${name}-link`, { type: 'worker-linked', data: link })
    mind.pass(link.worker, [`process:${turn.process.id}`])
    const text = fieldOf(action, 'prompt') ?? ''
    turn.post(`${name}-prompt`, laneOf(link.worker), { kind: 'message', session: link.session, text, said: saidIn(acting.entries) })
  } catch (thrown) {
    if (thrown instanceof StepFailed) return { end: false, text: `It could not be done: ${thrown.message}`, isWrong: true }
    throw thrown
  }
  const said = fieldOf(action, 'message') ?? (streamed ? null : `${fitting.title} is at work on it: ${title}`)
  return told(acting, said, {})
}

type Worker = { readonly agent: string; readonly title: string; readonly key: string }

async function newWorker({ sessions }: DelegateRooms, { turn, setup }: Acting, { agent, title, key }: Worker): Promise<WorkerLink> {
  const { id: owner, user, project, agent: own } = turn.process
  const params: JsonObject = { pledge: [...(setup.agent.pledge ?? [])], above: [...above(turn.process), own] }
  const worker = { parent: owner, params }
  const { value } = await sessions.create({ user, project, agent, title, profile: 'daemon', key, worker }, `process:${owner}`)
  const { id: session, process } = value
  if (!isId('ses', session) || !isId('prc', process)) throw new Error('a session has malformed ids')
  return { owner, worker: process, session, project, agent: value.agent, title, mode: 'milestones' }
}

/** Agents that this process works for, the first one first. */
function above({ params }: Pick<ProcessInfo, 'params'>): readonly string[] {
  const given = params['above']
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : []
}

/** Not one that is at work above, and not deeper than causes may go (L10). */
async function fittingAgent(rooms: DelegateRooms, process: ProcessInfo, called: string): Promise<Fitting> {
  const { id, user, project: name } = process
  const project = await rooms.projects.get(name)
  const scope: ScopeRef = { process: id, user, project: name, ...(project ? { group: project.group } : {}) }
  const line = [...above(process), process.agent]
  const most = Number((await rooms.settings.get('causes.maxDepth', {})) ?? defaultChainLimits.depth)
  if (line.length > most)
    return { why: `Work is ${line.length} agents deep already (${line.join(' > ')}); ${most} are allowed. Do it yourself.` }
  const { agents } = await rooms.agents.roster(scope)
  const possible = agents.filter((one) => !line.includes(one.name) && !leaders.has(one.engine))
  const found = await rooms.agents.find(called, scope)
  const names = possible.map((one) => one.name).join(', ') || 'nobody: do it yourself'
  if (!found) return { why: `There is no agent ${JSON.stringify(called.slice(0, 64))} here. There is ${names}.` }
  if (line.includes(found.name))
    return { why: `${found.name} ordered this work itself (${line.join(' > ')}): a ring is not possible. There is ${names}.` }
  if (!possible.some((one) => one.name === found.name))
    return { why: `${found.name} leads conversations and works for nobody. There is ${names}.` }
  return { agent: found.name, title: found.title }
}
