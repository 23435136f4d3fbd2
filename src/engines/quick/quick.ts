// The quick engine (Ford): one model and a free loop over its tools, seconds long, until the model has nothing more to call.
// Owns: the loop. Leaves what a model is given to context, calls to models and tools, recording to the lanes.
//
// Q1  Every effect is a step; all that it decides on comes from the turn, the immutable conversation or a recorded step.
// Q2  Between two calls of the model and after the last is a safe point: no message is settled that no call has read.
// Q3  Every tool call has one result; incomplete or unknown ones, and too many at once, are answered and not run.
// Q4  With no model the answer is an ordinary line. A failing model fails the turn with a sentence.
// Q5  It ends: after 40 rounds it says so instead of going on.
// Q6  What a call was given is a fact in the journal for who runs the hub.

import { withAttachments } from '../../context/context.ts'
import type { Engine, Turn } from '../../lanes/engine.ts'
import type { ModelMessage } from '../../models/message.ts'
import type { ModelPort } from '../../models/models.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Conversation } from '../../scopes/scopes.ts'
import type { Tools } from '../../tools/tools.ts'
import { type Asked, askModel } from '../turn/ask.ts'
import { runCalls } from '../turn/calls.ts'
import { type History, openHistory } from '../turn/history.ts'
import { readSetup, type Setup, type SetupRooms } from '../turn/setup.ts'

export type QuickRooms = Pick<SetupRooms, 'agents' | 'projects' | 'settings'> & {
  readonly models: ModelPort
  readonly conversation: Pick<Conversation, 'walk'>
  readonly tools: Tools
}
type Rooms = QuickRooms & { readonly history: History }

export const mostRounds = 40

export function quickEngine(given: QuickRooms): Engine {
  const rooms: Rooms = { ...given, history: openHistory(given.conversation) }
  return { name: 'quick', version: 1, accepts: [1], run: (turn) => run(rooms, turn) }
}

async function run(rooms: Rooms, turn: Turn): Promise<void> {
  const setup: Setup = await turn.read('setup', () => readSetup(rooms, turn.process))
  const own: ModelMessage[] = linesFrom(turn.entries)
  for (let round = 1; round <= mostRounds; round++) {
    const soFar = [...own]
    const reply: Asked = await turn.step(`model-${round}`, 'replayable', (act) => askModel(rooms, turn, { setup, own: soFar, act }))
    if (!reply.ok) {
      turn.say(`reply-${round}`, { text: reply.said, agent: setup.agent.name })
      return
    }
    noteManifest(turn, { round, setup, reply })
    sayReply(turn, { round, setup, reply })
    own.push({ role: 'assistant', text: reply.text, toolCalls: reply.toolCalls })
    if (reply.toolCalls.length > 0) own.push(...(await runCalls(rooms.tools, turn, { number: round, setup, calls: reply.toolCalls })))
    // What comes in after the last round is not taken: it starts the next turn.
    const arrived = round < mostRounds ? turn.arrivals(`after-${round}`) : []
    own.push(...linesFrom(arrived))
    if (reply.toolCalls.length === 0 && arrived.length === 0) return
  }
  const text = `I stopped after ${mostRounds} rounds of work without coming to an end. Say "go on", and I continue from here.`
  turn.say('closing', { text, agent: setup.agent.name })
}

type Replied = { readonly round: number; readonly setup: Setup; readonly reply: Extract<Asked, { ok: true }> }

/** Words beside tool calls were shown live, so they are a line too. An answer of nothing at all is said to be one. */
function sayReply(turn: Turn, { round, setup, reply }: Replied): void {
  const isSilent = reply.text.trim() === ''
  if (isSilent && reply.toolCalls.length > 0) return
  const info = infoOf(reply)
  const text = isSilent ? 'The model gave an empty answer. Please ask again, or in other words.' : reply.text
  turn.say(`reply-${round}`, {
    text,
    agent: setup.agent.name,
    ...(isSilent ? {} : { streamed: `model-${round}` }),
    ...(info === null ? {} : { info }),
  })
}

function infoOf({ finish }: Replied['reply']): string | null {
  if (finish === 'length') return "The answer ends here because it reached the model's length limit."
  return finish === 'content-filter' ? "The provider's content filter ended this answer." : null
}

function noteManifest(turn: Turn, { round, setup, reply }: Replied): void {
  const { given, usage, model, finish } = reply
  const { name, source } = setup.agent
  const agent = { name, version: source.version, hash: source.hash }
  const data = { step: `model-${round}`, model, finish, agent, tools: setup.tools.map((tool) => tool.name), given, usage }
  turn.note(`manifest-${round}`, { type: 'manifest', visibility: 'operator', data })
}

/** Work as lines of the person, or of whoever asks. */
function linesFrom(entries: readonly Entry[]): ModelMessage[] {
  return entries.flatMap((entry): ModelMessage[] => {
    const text = textOf(entry)
    return text === null ? [] : [{ role: 'user', text }]
  })
}

function textOf({ body }: Entry): string | null {
  switch (body.kind) {
    case 'message':
      return withAttachments({ text: body.text, attachments: body.attachments === undefined ? [] : [...body.attachments] })
    case 'request':
      return body.data === undefined ? body.text : `${body.text}\n\n${JSON.stringify(body.data)}`
    case 'note':
      return `[note: ${body.topic}] ${JSON.stringify(body.data)}`
    default:
      return null
  }
}
