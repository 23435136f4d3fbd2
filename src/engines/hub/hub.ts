// The hub's engine (Eddie): talks with the person, gives work to projects, and tells what comes of it.
// Owns: its vocabulary of actions and what they do. Leaves the loop to action/, links and reports to work, the inbox to attention.
//
// E4  What is wrong with an action is corrected inside the loop; nobody but the model hears of it.
// E6  A delegated project sees only folders that the person named, as they really are.
// E7  An existing project that fits is proposed; nothing begins before the person chose.
// Y195 Without a model the concierge answers in the hub's place; with one the hub leads again, and knows what was said.
// E8  Each part of a delegation is done once, wherever the hub dies.
import type { Engine, Turn } from '../../lanes/engine.ts'
import type { Conversation } from '../../scopes/scopes.ts'
import type { Linked } from '../../work/work.ts'
import { type Action, actTool, type Field, fieldOf } from '../action/action.ts'
import { hearWork } from '../action/hear.ts'
import { type Acting, type Applied, runActions, type Vocabulary } from '../action/loop.ts'
import { type ActionRooms, hasWords, openScene, reportFor, type Scene } from '../action/scene.ts'
import { applySpeech, faultInRef, faultInSpeech, speakTypes, told } from '../action/speak.ts'
import { isForOthers } from '../pipeline/pipeline.ts'
import { openHistory } from '../turn/history.ts'
import type { Concierge } from './concierge.ts'
import { type DelegateRooms, delegateProject, steerProject } from './delegate.ts'
import { type PlainRooms, sayPlainly, toInbox } from './plain.ts'
import { projectName } from './project.ts'

export type HubRooms = Omit<ActionRooms, 'history'> &
  DelegateRooms &
  PlainRooms & {
    readonly conversation: Pick<Conversation, 'walk'>
    /** Absent: without a model the hub says how to add one. */
    readonly concierge?: Concierge
  }
type Rooms = HubRooms & Pick<ActionRooms, 'history'>

const types: readonly string[] = [...speakTypes, 'DELEGATE_PROJECT', 'STEER_PROJECT', 'RELAY_INBOX']
const fields: Readonly<Record<string, Field>> = {
  message: 'text',
  info: 'text',
  options: 'options',
  eventRef: 'text',
  projectName: 'text',
  projectTitle: 'text',
  projectGoal: 'text',
  roots: 'texts',
  project: 'text',
  content: 'text',
  inboxTitle: 'text',
  spoken: 'text',
}
const mostWorkers = 8

export function hubEngine(given: HubRooms): Engine {
  const rooms: Rooms = { ...given, history: openHistory(given.conversation) }
  return { name: 'hub', version: 2, accepts: [2], run: (turn) => run(rooms, turn) }
}

async function run(rooms: Rooms, turn: Turn): Promise<void> {
  const scene = await openScene(rooms, turn, 'Give it to a project whose agent does that, or answer yourself.')
  const told = await sayPlainly(rooms, scene, turn.entries)
  const left = await hearWork(scene, { entries: turn.entries, safePoint: null, told })
  if (left === 0) {
    const arrived = told.size === 0 ? [] : turn.arrivals('after-reports')
    if ((await hearWork(scene, { entries: arrived, safePoint: 'after-reports' })) === 0) return
  }
  // Words for somebody who needs a model get the sentence that says so, with who would have got them.
  const isForAll = !scene.left.some((entry) => isForOthers(entry, turn.process.agent))
  if (scene.setup.noModel && isForAll && (await rooms.concierge?.(turn, { entries: scene.left, voice: scene.voice }))) return
  const workers = await turn.read('workers', async () => {
    const links = await rooms.work.workers(turn.process.id)
    // Whom the person addressed here works in this home, and can't be steered like a project.
    const elsewhere = links.filter(({ project }) => project !== turn.process.project)
    return elsewhere.slice(0, mostWorkers).map(lineOf)
  })
  const atWork = workers.length === 0 ? [] : [{ name: 'projects at work', text: workers.join('\n') }]
  await runActions(rooms, scene, vocabulary(rooms), { blocks: [...atWork, ...scene.routes.blocks] })
}

/** No word of the worker itself: this stands among the hub's own facts (E9). */
function lineOf({ project, agent, title, status, lastReport }: Linked): string {
  return `- ${project} (${agent}, ${status}): ${title.slice(0, 120)}${lastReport ? `; last ${lastReport.type}` : ''}`
}

function vocabulary(rooms: Rooms): Vocabulary {
  return {
    types,
    tool: actTool(types, fields, 'Ends the turn with one action.'),
    fault,
    apply: (action, acting) => apply(rooms, action, acting),
  }
}

function fault(action: Action, scene: Scene): string | null {
  const speech = faultInSpeech(action, scene)
  if (speech !== undefined) return speech
  if (action.type === 'RELAY_INBOX') return missing(action, ['inboxTitle', 'spoken']) ?? faultInRef(action, scene.reports)
  if (!hasWords(scene.entries, { anyone: false }))
    return `${action.type} needs the person's own words in this turn; a report is no order. Use RELAY, RELAY_INBOX, ANSWER, ASK_USER or WAIT.`
  if (action.type === 'STEER_PROJECT') return missing(action, ['content'])
  const lacks = missing(action, ['projectName', 'projectGoal'])
  if (lacks !== null || projectName(fieldOf(action, 'projectName') ?? '') !== null) return lacks
  return '"projectName" needs lower case letters and digits, for example "shop-audit".'
}

function missing(action: Action, names: readonly string[]): string | null {
  const lacks = names.filter((name) => fieldOf(action, name) === null)
  return lacks.length === 0 ? null : `${action.type} needs ${names.join(' and ')}; missing: ${lacks.join(', ')}.`
}

async function apply(rooms: Rooms, action: Action, acting: Acting): Promise<Applied> {
  const speech = await applySpeech(action, acting)
  if (speech !== undefined) return speech
  if (action.type === 'DELEGATE_PROJECT') return delegateProject(rooms, action, acting)
  if (action.type === 'STEER_PROJECT') return steerProject(rooms, action, acting)
  return relayToInbox(rooms, action, acting)
}

async function relayToInbox(rooms: Rooms, action: Action, acting: Acting): Promise<Applied> {
  const report = reportFor(fieldOf(action, 'eventRef'), acting.reports)
  if (report === null) throw new Error('a report that was there a moment ago')
  await toInbox(rooms, acting.turn, { name: `${acting.name}-inbox`, title: fieldOf(action, 'inboxTitle') ?? '', report })
  return told(acting, fieldOf(action, 'spoken'), {})
}
