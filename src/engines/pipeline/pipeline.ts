// The pipeline engine (EDDI's kind): what somebody says runs through the tasks of an agent that is configuration, in the configured
// order. Owns: the turn, conversation states, undo and redo, pauses. Leaves the tasks that only compute to pipelines, those with effects
// to tasks/, facts and their fold to pipelines/conversations.
//
// Y127  Each say is one step of the conversation and one fact; a turn with no outside call is one commit.
// Y128  A conversation that has no step yet begins with one of its own, CONVERSATION_START, and its welcome is said.
// Y129  A conversation keeps the version of its agent that it began with.
// Y132  Undo and redo bring back steps, outputs, properties and kept responses; a new say forgets what could be redone.
// Y133  An ended conversation answers one sentence and changes nothing.
import { InvalidInput } from '../../base/errors.ts'
import { laneOf, type MessageId } from '../../base/ids.ts'
import type { Engine, Turn } from '../../lanes/engine.ts'
import type { Deployments } from '../../pipelines/configurations/store.ts'
import {
  type Agent,
  type Conversations,
  canRedo,
  canUndo,
  type Fact,
  type Remembered,
} from '../../pipelines/conversations/conversations.ts'
import { evolve } from '../../pipelines/conversations/facts.ts'
import type { Entry } from '../../protocol/entry.ts'
import { relayVerbatim } from '../turn/route-relay.ts'
import { type Voice, voiceOf } from '../turn/voice.ts'
import { type Heard, heardIn } from './heard.ts'
import { noteFact } from './noting.ts'
import { type Said, say, startFirst } from './say.ts'
import type { Stage, StageRooms } from './stage.ts'
import { openSetup } from './staging.ts'

export type PipelineRooms = StageRooms & {
  readonly conversations: Conversations
  readonly deployments: Pick<Deployments, 'compiled'>
}

export function pipelineEngine(rooms: PipelineRooms): Engine {
  return { name: 'pipeline', version: 1, accepts: [1], run: (turn) => run(rooms, turn) }
}

function run(rooms: PipelineRooms, turn: Turn): Promise<void> {
  return converse(rooms, turn, { entries: turn.entries })
}

/** `as`: by whose pipeline and with whose tools it is answered; the words are the turn's own agent's all the same, so that what it asks is its own. */
export type Conversing = { readonly entries: readonly Entry[]; readonly as?: { readonly name: string; readonly agent: Agent } }

/** Takes these entries, one after the other. Once a turn. */
export async function converse(rooms: PipelineRooms, turn: Turn, { entries, as }: Conversing): Promise<void> {
  const lane = laneOf(turn.process.id)
  let remembered = await rooms.conversations.read(lane, { before: turn.id, epoch: turn.epoch, leaf: turn.before })
  const agent = remembered.agent ?? as?.agent ?? agentIn(turn)
  const { user, project } = turn.process
  const compiled = await rooms.deployments.compiled(agent, { user, project })
  let last: MessageId | null = null
  const spoken = voiceOf(turn, turn.process.agent)
  const voice: Voice = {
    ...spoken,
    say(name, line) {
      last = spoken.say(name, line)
      return last
    },
  }
  let facts = 0
  const stage: Stage = {
    ...{ rooms, turn, agent, compiled, voice },
    get remembered() {
      return remembered
    },
    get facts() {
      return facts
    },
    async keep(fact) {
      const name = `fact-${++facts}`
      await noteFact(turn, name, fact)
      rooms.conversations.noted(lane, { turn: turn.id, epoch: turn.epoch, name, fact })
      remembered = evolve(remembered, fact)
    },
    waiting: [],
    ...openSetup(rooms, turn, as?.name),
  }
  const told = relayVerbatim(voice, entries)
  for (const entry of entries) if (!told.has(entry.id)) await directed(stage, entry)
  // What came in while a task waited for a person.
  for (let entry = stage.waiting.shift(); entry; entry = stage.waiting.shift()) await directed(stage, entry)
  if (last !== null) rooms.conversations.left(lane, { turn: turn.id, leaf: last, state: remembered })
}

/** Set by whoever deployed it, in the agent's file. */
function agentIn({ process }: Turn): Agent {
  const { pipeline, version, environment } = process.params
  if (typeof pipeline === 'string' && typeof version === 'number' && Number.isSafeInteger(version)) {
    return { id: pipeline, version, environment: environment === 'test' ? 'test' : 'production' }
  }
  const message = `The agent "${process.agent}" names no pipeline: its params need pipeline (an id) and version (a number).`
  throw new InvalidInput(message, { path: 'params' })
}

/** What is addressed to somebody else goes there; all other words are the pipeline's own. */
async function directed(stage: Stage, entry: Entry): Promise<void> {
  const { rooms, turn, voice } = stage
  if (!rooms.routes || !isForOthers(entry, turn.process.agent)) return take(stage, entry)
  const setup = await stage.setup()
  const { told, answers, arrived } = await rooms.routes.of({ turn, setup, voice }).take([entry])
  const left = [entry, ...answers, ...arrived].filter(({ id }) => !told.has(id))
  for (const one of left) await take(stage, one)
}

/** Addressed by name, or to an agent that is not this one. */
export function isForOthers({ body }: Entry, self: string): boolean {
  if (body.kind !== 'message') return false
  return (body.to !== undefined && body.to !== self) || /^\s*@[a-z]/i.test(body.text)
}

async function take(stage: Stage, entry: Entry): Promise<void> {
  const heard = heardIn(entry)
  switch (heard.kind) {
    case 'say':
      if (isOver(stage.remembered)) return sayOver(stage, entry)
      await startFirst(stage, new Map())
      if (isOver(stage.remembered)) return
      await say(stage, { entry, ...heard, how: 'step' } satisfies Said)
      return
    case 'start':
      return startFirst(stage, heard.contexts)
    case 'rerun':
      if (stage.remembered.steps.length > 0) await say(stage, { entry, ...again, how: 'again' })
      return
    case 'undo':
      return step(stage, heard, { isPossible: canUndo(stage.remembered), entry })
    case 'redo':
      return step(stage, heard, { isPossible: canRedo(stage.remembered), entry })
    case 'end':
      return control(stage, !isOver(stage.remembered), { do: 'state', agent: stage.agent, state: 'ENDED' })
    case 'state':
      return control(stage, heard.state !== stage.remembered.state, { do: 'state', agent: stage.agent, state: heard.state })
    case 'other':
  }
}

const again = { text: '', contexts: new Map(), attachments: [], isPerson: true } as const

type Stepping = { readonly isPossible: boolean; readonly entry: Entry }

/** One step back or forth. Who typed it is told what became of it. */
async function step(
  stage: Stage,
  { kind, isSaid }: Extract<Heard, { kind: 'undo' | 'redo' }>,
  { isPossible, entry }: Stepping,
): Promise<void> {
  await control(stage, isPossible, { do: kind, agent: stage.agent })
  const words = isPossible ? `The last step was ${kind === 'undo' ? 'taken back' : 'made again'}.` : `There is nothing to ${kind}.`
  if (isSaid) stage.voice.say(`${kind}-${entry.id}`, { text: words })
}

/** What can't be done any more when its turn has come changes nothing. */
async function control(stage: Stage, isPossible: boolean, fact: Fact): Promise<void> {
  if (isPossible) await stage.keep(fact)
}

function isOver({ state }: Remembered): boolean {
  return state === 'ENDED'
}

async function sayOver({ voice }: Stage, entry: Entry): Promise<void> {
  voice.say(`over-${entry.id}`, { text: 'This conversation has ended. Open a new session to talk again.' })
}
