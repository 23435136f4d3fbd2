// The chat engine (Arthur): a session's own orchestrator in a project. It works with its tools directly, and gives parts to workers.
// Owns: its vocabulary and delegation to workers. Leaves the loop to action/, links and reports to work.
//
// E10  A worker gets no more than who ordered it has, and its words stay in a session of its own; its end always arrives.
import type { Agents } from '../../agents/agents.ts'
import type { Engine, Turn } from '../../lanes/engine.ts'
import type { Conversation, Projects, Sessions, Settings } from '../../scopes/scopes.ts'
import type { Linked, Work } from '../../work/work.ts'
import { type Action, actTool, type Field, fieldOf } from '../action/action.ts'
import { hearWork } from '../action/hear.ts'
import { type Acting, type Applied, runActions, type Vocabulary } from '../action/loop.ts'
import { type ActionRooms, hasWords, openScene, type Scene } from '../action/scene.ts'
import { applySpeech, faultInSpeech, speakTypes } from '../action/speak.ts'
import { openHistory } from '../turn/history.ts'
import { delegate } from './delegate.ts'

export type ChatRooms = Omit<ActionRooms, 'history'> & {
  readonly agents: Pick<Agents, 'find' | 'at' | 'roster'>
  readonly projects: Pick<Projects, 'get'>
  readonly sessions: Pick<Sessions, 'create'>
  readonly settings: Pick<Settings, 'getForUser' | 'languages' | 'get'>
  readonly conversation: Pick<Conversation, 'walk'>
  readonly work: Pick<Work, 'workers'>
}
type Rooms = ChatRooms & Pick<ActionRooms, 'history'>

const types: readonly string[] = [...speakTypes, 'DELEGATE']
const fields: Readonly<Record<string, Field>> = {
  message: 'text',
  info: 'text',
  options: 'options',
  eventRef: 'text',
  agent: 'text',
  prompt: 'text',
  title: 'text',
}
const mostWorkers = 8

export function chatEngine(given: ChatRooms): Engine {
  const rooms: Rooms = { ...given, history: openHistory(given.conversation) }
  return { name: 'chat', version: 2, accepts: [2], run: (turn) => run(rooms, turn) }
}

async function run(rooms: Rooms, turn: Turn): Promise<void> {
  const scene = await openScene(rooms, turn, 'DELEGATE to it when that helps; you decide.')
  if ((await hearWork(scene, { entries: turn.entries, safePoint: null })) === 0) return
  const workers = await turn.read('workers', async () => (await rooms.work.workers(turn.process.id)).slice(0, mostWorkers).map(lineOf))
  const atWork = workers.length === 0 ? [] : [{ name: 'workers', text: workers.join('\n') }]
  await runActions(rooms, scene, vocabulary(rooms), { blocks: [...atWork, ...scene.routes.blocks] })
}

function lineOf({ agent, title, status, lastReport }: Linked): string {
  return `- ${agent} (${status}): ${title.slice(0, 120)}${lastReport ? `; last ${lastReport.type}` : ''}`
}

function vocabulary(rooms: Rooms): Vocabulary {
  const tool = actTool(types, fields, 'Ends the turn with one action.')
  return { types, tool, fault, apply: (action, acting) => apply(rooms, action, acting) }
}

/** Work is ordered only where somebody asked for something: a person, or the hub on their behalf. */
function fault(action: Action, scene: Scene): string | null {
  const speech = faultInSpeech(action, scene)
  if (speech !== undefined) return speech
  if (!hasWords(scene.entries, { anyone: true }))
    return 'DELEGATE needs a message in this turn; a report is no order. Use RELAY, ANSWER or WAIT.'
  const lacks = ['agent', 'prompt'].filter((name) => fieldOf(action, name) === null)
  return lacks.length === 0 ? null : `DELEGATE needs agent and prompt; missing: ${lacks.join(', ')}.`
}

async function apply(rooms: Rooms, action: Action, acting: Acting): Promise<Applied> {
  return (await applySpeech(action, acting)) ?? delegate(rooms, action, { ...acting, chain: acting.routes.chain })
}
