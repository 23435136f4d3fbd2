// DELEGATE_PROJECT and STEER_PROJECT: work for a project's own agent, each part done once however often the hub dies (E6, E8).
import { isId, laneOf, type ProcessId, type SessionId } from '../../base/ids.ts'
import { StepFailed } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { RootRules } from '../../scopes/root-folder.ts'
import type { Conversation, Projects, Sessions } from '../../scopes/scopes.ts'
import { type ChannelMode, channelModes, type Linked, type Work, type WorkerLink } from '../../work/work.ts'
import { type Action, fieldOf, textsOf } from '../action/action.ts'
import type { Acting, Applied } from '../action/loop.ts'
import { told } from '../action/speak.ts'
import { saidIn } from '../turn/said.ts'
import { findProject, makeProject, type Plan, projectName } from './project.ts'
import { type Chosen, propose, put } from './propose.ts'
import { placeOf, type Roots, rootsFor, type Said } from './roots.ts'

export type DelegateRooms = {
  readonly projects: Pick<Projects, 'get' | 'list' | 'create'>
  readonly sessions: Pick<Sessions, 'create' | 'brief' | 'resume' | 'process'>
  readonly conversation: Pick<Conversation, 'walk'>
  readonly work: Pick<Work, 'workers' | 'isAbove'>
  readonly places: RootRules
}

/** Earlier lines of the person in which a folder may have been named. */
const linesBack = 40
const mostChanges = 3

export async function delegateProject(rooms: DelegateRooms, action: Action, acting: Acting): Promise<Applied> {
  let plan: Plan | null = null
  let wanted = wantedBy(action)
  const own: Said[] = []
  for (let at = 1; at <= mostChanges; at++) {
    const roots = await rootsOf(rooms, acting, { wanted: wanted.folders, own, at })
    if ('applied' in roots) return roots.applied
    plan = { ...wanted.plan, roots: roots.roots }
    const looked = plan
    const found = await acting.turn.read(`${acting.name}-found-${at}`, async () => ({ ...(await findProject(rooms.projects, looked)) }))
    if (found.fit === null) return begin(rooms, action, acting, { ...plan, name: found.free ?? plan.name })
    const chosen = await propose(acting, plan, { fit: found.fit, at })
    if (chosen.as === 'accept') return hand(rooms, action, acting, { ...plan, name: found.fit.name, title: found.fit.title })
    if (chosen.as !== 'change') return left(acting, chosen)
    own.push({ text: Object.values(chosen.fields).join('\n'), folder: null })
    wanted = changed(wanted, chosen.fields)
    const { name, folder } = chosen.fields
    // A name of its own for the same folder is what the person wants: it is not proposed again.
    if (name !== undefined && folder === undefined && name !== found.fit.name)
      return begin(rooms, action, acting, { ...wanted.plan, roots: plan.roots })
  }
  return told(acting, 'I leave it at that: nothing was started.', {})
}

type Wanted = { readonly plan: Omit<Plan, 'roots'>; readonly folders: readonly string[] }

function wantedBy(action: Action): Wanted {
  const name = projectName(fieldOf(action, 'projectName') ?? '') ?? 'project'
  const title = (fieldOf(action, 'projectTitle') ?? fieldOf(action, 'projectName') ?? name).replace(/\s+/g, ' ').slice(0, 200)
  return { plan: { name, title, goal: fieldOf(action, 'projectGoal') ?? '' }, folders: textsOf(action, 'roots') }
}

function changed({ plan, folders }: Wanted, fields: Readonly<Record<string, string>>): Wanted {
  const { name, title, goal, folder } = fields
  const none = folder?.toLowerCase() === 'none'
  return {
    plan: {
      name: (name === undefined ? null : projectName(name)) ?? plan.name,
      title: title?.slice(0, 200) ?? (name === undefined ? plan.title : name.slice(0, 200)),
      goal: goal ?? plan.goal,
    },
    folders: folder === undefined ? folders : none ? [] : folder.split(/\s*,\s*/),
  }
}

function left(acting: Acting, chosen: Exclude<Chosen, { as: 'accept' } | { as: 'change' }>): Applied {
  if (chosen.as === 'keep') return told(acting, 'I leave everything as it is: nothing was started.', {})
  return {
    end: false,
    text: 'Nothing was started: instead of choosing, the person said what follows.',
    arrived: chosen.arrived,
    waited: true,
  }
}

type Rooted = { readonly roots: readonly string[] } | { readonly applied: Applied }
type Rooting = { readonly wanted: readonly string[]; readonly own: readonly Said[]; readonly at: number }

/** A relative folder of a message that came without one is asked for. */
async function rootsOf(rooms: DelegateRooms, acting: Acting, { wanted, own, at }: Rooting): Promise<Rooted> {
  const said = [...(await saidBefore(rooms, acting, at)), ...own]
  const look = (more: readonly Said[], name: string): Promise<Roots> =>
    acting.turn.read(`${acting.name}-${name}`, async () => ({ ...(await rootsFor(wanted, [...said, ...more], rooms.places)) }))
  const first = await look([], `roots-${at}`)
  if (first.ok) return first
  if ('why' in first) return { applied: { end: false, text: first.why, isWrong: true } }
  const text = `Where is ${first.needsFolder}? I don't know from which folder you mean it: please give me its absolute path.`
  const answer = await put(acting, `where-${at}`, { text })
  if ('arrived' in answer)
    return {
      applied: { end: false, text: 'The folder is still not known; the person said what follows.', arrived: answer.arrived, waited: true },
    }
  const place = answer.text === '' ? null : placeOf(answer.text, null, rooms.places.homedir)
  if (place === null)
    return {
      applied: {
        end: false,
        text: `No absolute folder was given (${JSON.stringify(answer.text.slice(0, 200))}), so nothing was started. Ask again, or go on without a folder.`,
        waited: true,
      },
    }
  const second = await look(whereFrom(said, { place, wanted: first.needsFolder }), `roots-${at}-told`)
  if (second.ok) return second
  const why = 'why' in second ? second.why : `Where ${second.needsFolder} is, is still not known.`
  return { applied: { end: false, text: why, isWrong: true, waited: true } }
}

/** The answer names the folder itself, or the one that it lies in. */
function whereFrom(said: readonly Said[], { place, wanted }: { readonly place: string; readonly wanted: string }): readonly Said[] {
  const last = wanted.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const depth = wanted
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.').length
  const isItself = last === '.' || place.split('/').at(-1) === last
  const folder = isItself ? `${place}${'/..'.repeat(depth)}` : place
  return said.map(({ text }) => ({ text, folder }))
}

/** The person's own words: of this turn with their folder, and of earlier lines with the same one. */
async function saidBefore({ conversation }: DelegateRooms, { turn, entries, name }: Acting, at: number): Promise<readonly Said[]> {
  const now = entries.flatMap(({ body, from }: Entry): Said[] =>
    body.kind === 'message' && from.startsWith('user:') ? [{ text: body.text, folder: body.folder ?? null }] : [],
  )
  const folder = now.findLast((one) => one.folder !== null)?.folder ?? null
  const before = await turn.read(`${name}-said-${at}`, async () => {
    const lines = await conversation.walk(turn.before, linesBack)
    return lines.filter(({ role, actor }) => role === 'user' && actor.startsWith('user:')).map(({ text }) => text)
  })
  return [...now, ...before.reverse().map((text) => ({ text, folder }))]
}

/** A new project, then the work for it. */
async function begin(rooms: DelegateRooms, action: Action, acting: Acting, plan: Plan): Promise<Applied> {
  const { turn, name } = acting
  try {
    const made = await turn.step(`${name}-project`, 'idempotent', () => makeProject(rooms.projects, plan, `process:${turn.process.id}`))
    return await hand(rooms, action, acting, { ...plan, name: made })
  } catch (thrown) {
    return notDone(thrown)
  }
}

/** The worker of that project that this process has already, or a new session; then the goal. */
async function hand(rooms: DelegateRooms, action: Action, acting: Acting, plan: Plan): Promise<Applied> {
  const said = fieldOf(action, 'message') ?? `I gave this to the project "${plan.title}", and tell you what comes of it.`
  return send(rooms, acting, { project: plan.name, title: plan.title, text: plan.goal, said })
}

export async function steerProject(rooms: DelegateRooms, action: Action, acting: Acting): Promise<Applied> {
  const { turn, name } = acting
  const named = fieldOf(action, 'project')
  const found = await turn.read(`${name}-target`, async () => targetOf(rooms, turn.process.id, named))
  if ('why' in found) return { end: false, text: found.why, isWrong: true }
  const text = fieldOf(action, 'content') ?? ''
  const said = fieldOf(action, 'message') ?? (acting.streamed ? null : `I passed it on to "${found.title}".`)
  return send(rooms, acting, { ...found, text, said })
}

async function targetOf(rooms: DelegateRooms, owner: ProcessId, named: string | null) {
  const workers = await rooms.work.workers(owner)
  const names = [...new Set(workers.map(({ project }) => project))].join(', ') || 'none'
  if (named === null) {
    const [spot] = workers
    return spot
      ? { project: spot.project, title: spot.project }
      : { why: `"project" is missing, and no project is at work here. Projects: ${names}.` }
  }
  const project = (await rooms.projects.get(named)) ?? (await rooms.projects.get(projectName(named) ?? ''))
  if (project && project.kind === 'NORMAL' && project.status !== 'CLOSED') return { project: project.name, title: project.title }
  return { why: `There is no project ${JSON.stringify(named.slice(0, 64))} to steer; at work here: ${names}.` }
}

type Sending = { readonly project: string; readonly title: string; readonly text: string; readonly said: string | null }

async function send(rooms: DelegateRooms, acting: Acting, { project, title, text, said }: Sending): Promise<Applied> {
  const { turn, name, mind } = acting
  try {
    const link = await turn.step(`${name}-session`, 'idempotent', (act) => linkTo(rooms, acting, { project, title, key: act.key }))
    const { worker, session } = readLink(link)
    if (await turn.read(`${name}-ring`, () => rooms.work.isAbove(worker, turn.process.id)))
      return { end: false, text: 'That project works for this conversation already; it can only be answered, not ordered.', isWrong: true }
    turn.note(`${name}-link`, { type: 'worker-linked', data: link })
    mind.pass(worker, [`process:${turn.process.id}`])
    turn.post(`${name}-goal`, laneOf(worker), { kind: 'message', session, text, said: saidIn(acting.entries) })
    return told(acting, said, {})
  } catch (thrown) {
    return notDone(thrown)
  }
}

type Linking = { readonly project: string; readonly title: string; readonly key: string }

/** Does nothing twice: the same key gives the same session. */
async function linkTo({ sessions, work }: DelegateRooms, { turn }: Acting, { project, title, key }: Linking): Promise<WorkerLink> {
  const { id: owner, user } = turn.process
  const known = await livingLink(sessions, await work.workers(owner), project)
  if (known) {
    if (known.life === 'SUSPENDED') await sessions.resume(known.link.session, 'system')
    return { ...linkOf(known.link), title }
  }
  const { value } = await sessions.create({ user, project, title: title.slice(0, 200), profile: 'eddie', key }, `process:${owner}`)
  const { id: session, process: worker, agent } = value
  if (!isId('ses', session) || !isId('prc', worker)) throw new Error('a session has malformed ids')
  return { owner, worker, session, project, agent, title, mode: modeOf(turn.process.params['channelMode']) }
}

async function livingLink(sessions: DelegateRooms['sessions'], links: readonly Linked[], project: string) {
  for (const link of links) {
    const brief = link.project === project ? await sessions.brief(link.session) : null
    if (brief && (brief.life === 'OPEN' || brief.life === 'SUSPENDED')) return { link, life: brief.life }
  }
  return null
}

function linkOf({ owner, worker, session, project, agent, title, mode }: Linked): WorkerLink {
  return { owner, worker, session, project, agent, title, mode }
}

/** As it was recorded. */
function readLink({ worker, session }: WorkerLink): { readonly worker: ProcessId; readonly session: SessionId } {
  return { worker, session }
}

function modeOf(given: unknown): ChannelMode {
  // Its orders are messages: nobody would hear of them by a reply.
  return channelModes.find((mode) => mode === given && mode !== 'reply') ?? 'milestones'
}

/** A refusal of the hub's own rooms is a correction; everything else is not ours to hide. */
function notDone(thrown: unknown): Applied {
  if (thrown instanceof StepFailed) return { end: false, text: `It could not be done: ${thrown.message}`, isWrong: true }
  throw thrown
}
