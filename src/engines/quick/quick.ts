// The quick engine (Ford): one model and a free loop over its tools, seconds long, until the model has nothing more to call.
// Owns: the loop. Leaves what a model is given to context, calls to models and tools, recording to the lanes.
//
// Q1  Every effect is a step; all that it decides on comes from the turn, the immutable conversation or a recorded step.
// Q2  Between two calls of the model and after the last is a safe point: no message is settled that no call has read.
// Q3  Every tool call has one result; incomplete or unknown ones, and too many at once, are answered and not run.
// Q4  With no model the answer is an ordinary line. A failing model fails the turn with a sentence.
// Q5  It ends: after 40 rounds it says so instead of going on.
// Q6  What a call was given is a fact in the journal for who runs the hub.

import type { Engine, Turn } from '../../lanes/engine.ts'
import type { ModelPort } from '../../models/models.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Conversation } from '../../scopes/scopes.ts'
import type { Tools } from '../../tools/tools.ts'
import type { OwnLine } from '../turn/ask.ts'
import { type AttachedRooms, attachedLines } from '../turn/attached.ts'
import { type CallRooms, runCalls } from '../turn/calls.ts'
import { openGuard } from '../turn/guard.ts'
import { type History, openHistory } from '../turn/history.ts'
import { linesFrom } from '../turn/lines.ts'
import { hearTaint, type Mind, type Minds, mindOf } from '../turn/mind.ts'
import { type Answered, callModel, type ModelRooms } from '../turn/model.ts'
import { noRoutes, type Routes, type TurnRoutes } from '../turn/route.ts'
import { relayVerbatim } from '../turn/route-relay.ts'
import { type SetupRooms, setupOf } from '../turn/setup.ts'
import { type Voice, voiceOf } from '../turn/voice.ts'

export type QuickRooms = AttachedRooms &
  Pick<SetupRooms, 'agents' | 'projects' | 'settings'> &
  Pick<CallRooms, 'secrets' | 'clock'> &
  Pick<ModelRooms, 'budgets' | 'context' | 'seal' | 'secrets'> & {
    readonly models: ModelPort
    readonly conversation: Pick<Conversation, 'walk'>
    readonly tools: Tools
    readonly minds: Minds
    /** Absent: all work is for this agent. */
    readonly routes?: Routes
  }
type Rooms = QuickRooms & { readonly history: History }

export const mostRounds = 40

export function quickEngine(given: QuickRooms): Engine {
  const rooms: Rooms = { ...given, history: openHistory(given.conversation) }
  return { name: 'quick', version: 3, accepts: [3], run: (turn) => run(rooms, turn) }
}

async function run(rooms: Rooms, turn: Turn): Promise<void> {
  const setup = await setupOf(rooms, turn)
  const voice = voiceOf(turn, setup.agent.name)
  const mind = mindOf(turn, rooms.minds, setup.taint ?? 'none')
  const guard = openGuard()
  const routes = rooms.routes?.of({ turn, setup, voice }) ?? noRoutes
  const own: OwnLine[] = []
  const heard: Entry[] = []
  const hear = (entries: readonly Entry[], safePoint: string | null) =>
    hearWork({ rooms, turn, voice, mind, routes, own, heard }, { entries, safePoint })
  if ((await hear(turn.entries, null)) === 0) return
  for (let round = 1; round <= mostRounds; round++) {
    const reply = await callModel(rooms, turn, { name: `model-${round}`, setup, own, voice })
    if (!reply) return
    sayReply(voice, round, reply)
    const { text, toolCalls: calls, step } = reply
    own.push({ role: 'assistant', text, toolCalls: calls, from: { step } })
    const done = calls.length > 0 ? await runCalls(rooms, turn, { number: round, setup, calls, mind, guard, entries: heard }) : null
    own.push(...(done?.called.map(({ message }) => message) ?? []))
    // What comes in after the last round is not taken: it starts the next turn.
    const arrived = [...(done?.arrived ?? []), ...(round < mostRounds ? turn.arrivals(`after-${round}`) : [])]
    const left = arrived.length === 0 ? 0 : await hear(arrived, `after-${round}`)
    if (calls.length === 0 && left === 0) return
    if (done?.end) {
      voice.say('closing', { text: done.end })
      return
    }
  }
  const text = `I stopped after ${mostRounds} rounds of work without coming to an end. Say "go on", and I continue from here.`
  voice.say('closing', { text })
}

type Hearing = {
  readonly rooms: AttachedRooms
  readonly turn: Turn
  readonly voice: Voice
  readonly mind: Mind
  readonly routes: TurnRoutes
  readonly own: OwnLine[]
  readonly heard: Entry[]
}

/** What is for somebody else goes there, what a worker says to the person is told; the rest is for the model: how many that are. */
async function hearWork(
  { rooms, turn, voice, mind, routes, own, heard }: Hearing,
  { entries, safePoint }: { readonly entries: readonly Entry[]; readonly safePoint: string | null },
): Promise<number> {
  hearTaint(mind, entries)
  const relayed = relayVerbatim(voice, entries)
  const taken = safePoint === null ? await routes.take(entries) : await routes.divert(entries, safePoint)
  const left = [...entries, ...taken.answers, ...taken.arrived].filter(({ id }) => !relayed.has(id) && !taken.told.has(id))
  heard.push(...left)
  own.push(...linesFrom(left), ...(await attachedLines(rooms, { turn, mind }, left)), ...taken.lines)
  return left.length
}

/** Words beside tool calls were shown live, so they are a line too. An answer of nothing at all is said to be one. */
function sayReply(voice: Voice, round: number, reply: Answered): void {
  const isSilent = reply.text.trim() === ''
  if (isSilent && reply.toolCalls.length > 0) return
  const text = isSilent ? 'The model gave an empty answer. Please ask again, or in other words.' : reply.text
  voice.say(`reply-${round}`, { text, ...(isSilent ? {} : { streamed: reply.step }) })
}
