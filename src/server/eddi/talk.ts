// A conversation of EDDI's clients: a session whose lead is a pipeline. Found, spoken to, and read again when its turn is settled.
import { Conflict, NotFound } from '../../base/errors.ts'
import { type EntryId, isId, type LaneId, laneOf, type ProcessId, type SessionId } from '../../base/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { entryIdOf } from '../../lanes/entry-id.ts'
import type { ConversationState } from '../../pipelines/conversation.ts'
import type { Agent, Remembered } from '../../pipelines/conversations/conversations.ts'
import type { Chain, Work } from '../../protocol/entry.ts'
import type { SessionBrief } from '../../scopes/scopes.ts'
import type { Caller } from '../caller.ts'
import type { Hub } from '../hub.ts'
import { refusePost } from '../outcome.ts'
import { HttpProblem } from '../problem.ts'
import { briefOf, fresh } from '../session-of.ts'
import { listenForEnd, listenForTurn, type TurnEnd } from './turn-end.ts'

export type Talk = {
  readonly session: SessionId
  readonly process: ProcessId
  readonly lane: LaneId
  readonly user: string
  readonly life: SessionBrief['life']
  /** The name by which Steward calls it. */
  readonly agentName: string
  readonly agent: Agent
  readonly remembered: Remembered
}

/** The caller's own; anything else looks like none. Throws NotFound. */
export async function talkOf(hub: Hub, caller: Caller, id: string): Promise<Talk> {
  const { id: session, process, life, user } = await briefOf(hub, caller, id)
  const info = (await hub.scopes.sessions.process(process))?.info
  if (info === undefined || info.engine !== 'pipeline') throw new NotFound(`${session} is no conversation of a pipeline`)
  const lane = laneOf(process)
  const remembered = await hub.pipelines.conversations.read(lane)
  const agent = remembered.agent ?? agentIn(info.params)
  return { session, process, lane, user, life, agentName: info.agent, agent, remembered }
}

function agentIn({ pipeline, version, environment }: JsonObject): Agent {
  return { id: String(pipeline), version: Number(version), environment: environment === 'test' ? 'test' : 'production' }
}

// ---- its state

export type Pending = {
  readonly questions: readonly { readonly id: string; readonly text: string }[]
  readonly approvals: Awaited<ReturnType<Hub['policy']['approvals']['list']>>
}

/** What waits for a person in that conversation. */
export async function pendingOf(hub: Hub, { user, session }: Pick<Talk, 'user' | 'session'>): Promise<Pending> {
  await fresh(hub)
  const [approvals, questions] = await Promise.all([
    hub.policy.approvals.list({ user, session, status: 'requested' }),
    hub.scopes.conversation.questions({ user, session, status: 'open' }),
  ])
  return { approvals, questions }
}

export async function stateOf(hub: Hub, talk: Talk): Promise<ConversationState> {
  const { state } = talk.remembered
  if (isOver(talk)) return 'ENDED'
  const turn = (await hub.lanes.look(talk.process))?.turn ?? null
  if (turn === null) return state === 'AWAITING_HUMAN' ? 'EXECUTION_INTERRUPTED' : state
  if (turn.waits.length === 0) return 'IN_PROGRESS'
  const { approvals, questions } = await pendingOf(hub, talk)
  return approvals.length + questions.length > 0 ? 'AWAITING_HUMAN' : 'IN_PROGRESS'
}

/** When its turn is at that. */
export async function stateAfter(hub: Hub, talk: Talk, end: TurnEnd): Promise<ConversationState> {
  if (end === 'waits') return 'AWAITING_HUMAN'
  return end === 'settled' ? talk.remembered.state : stateOf(hub, talk)
}

export function isOver({ life, remembered }: Pick<Talk, 'life' | 'remembered'>): boolean {
  return remembered.state === 'ENDED' || life === 'CLOSED' || life === 'ARCHIVED'
}

// ---- speaking to it

export type Posting = {
  readonly body: Work
  /** What makes it the same when it is sent again. */
  readonly key: string | null
  readonly seconds: number
  readonly signal: AbortSignal
}

/** Posts work and waits until its turn is settled or waits for a person. */
export async function postAndWait(hub: Hub, caller: Caller, talk: Talk, posting: Posting): Promise<TurnEnd> {
  if (talk.life === 'SUSPENDED') await hub.scopes.sessions.resume(talk.session, caller.actor)
  const id = entryOf(hub, caller, talk, posting.key)
  const heard = listenForTurn(hub, talk.session, id)
  try {
    const { body, seconds, signal } = posting
    const posted = await hub.lanes.post(
      { lane: talk.lane, id, from: caller.actor, body, ...refOf(hub, body), ...chainOf(hub, caller) },
      { limit: hub.limits.mailbox },
    )
    refusePost(posted)
    const isTaken = posted.duplicate && !(await isQueued(hub, talk, id))
    if (isTaken) return await endOfRunning(hub, talk, { seconds, signal })
    const end = await heard.ended({ seconds, signal })
    const why = heard.failure()
    if (why !== null) throw new Conflict(`nothing came of it: ${why}`, { code: 'turn_failed' })
    return end
  } finally {
    heard.stop()
  }
}

/** Posts it, and says whether that key had brought it before. */
export async function wasPosted(hub: Hub, caller: Caller, talk: Talk, { body, key }: Pick<Posting, 'body' | 'key'>): Promise<boolean> {
  const id = entryOf(hub, caller, talk, key)
  const posted = await hub.lanes.post({ lane: talk.lane, id, from: caller.actor, body }, { limit: hub.limits.mailbox })
  refusePost(posted)
  return posted.ok && posted.duplicate
}

async function isQueued(hub: Hub, { process }: Talk, id: EntryId): Promise<boolean> {
  return ((await hub.lanes.look(process))?.queue ?? []).some(({ entry }) => entry === id)
}

/** What was sent before is in the turn that runs, also from before a restart, or was answered long ago. */
async function endOfRunning(hub: Hub, talk: Talk, limit: Pick<Posting, 'seconds' | 'signal'>): Promise<TurnEnd> {
  const running = async () => (await hub.lanes.look(talk.process))?.turn ?? null
  const turn = (await running())?.id ?? null
  const heard = listenForEnd(hub, talk.session, turn)
  try {
    // What happened before somebody listened is seen by looking.
    const now = await running()
    if (now === null || now.id !== turn) return 'settled'
    if (now.waits.length > 0) {
      const { approvals, questions } = await pendingOf(hub, talk)
      if (approvals.length + questions.length > 0) return 'waits'
    }
    return await heard.ended(limit)
  } finally {
    heard.stop()
  }
}

function entryOf(hub: Hub, { actor }: Caller, { session }: Talk, key: string | null): EntryId {
  return key === null ? hub.newId('ent') : entryIdOf([actor, session, 'key', key])
}

function refOf(hub: Hub, { kind }: Work) {
  return kind === 'message' ? { ref: hub.newId('msg') } : {}
}

/** Work that a pipeline's own call brings about is one deeper than the turn that made the call. */
function chainOf(hub: Hub, { within }: Caller): { readonly chain?: Chain } {
  if (within === undefined) return {}
  const { root, depth, hops } = within.chain
  const chain = { root, depth: depth + 1, hops: hops + 1 }
  if (chain.depth <= deepest) return { chain }
  hub.log('warn', 'a pipeline that calls pipelines was stopped', { root, depth })
  throw new HttpProblem(429, 'too_deep', `pipelines may call each other ${deepest} deep, and this call is deeper`)
}

/** As deep as delegations go unless somebody sets another number. */
const deepest = 3

/** Says of one conversation are answered one after the other, so that each is answered with its own step. */
const tails = new Map<string, Promise<unknown>>()

export async function inOrder<T>({ session }: Pick<Talk, 'session'>, act: () => Promise<T>): Promise<T> {
  const before = tails.get(session)
  const mine = (before ?? Promise.resolve()).then(act, act)
  tails.set(session, mine)
  try {
    return await mine
  } finally {
    if (tails.get(session) === mine) tails.delete(session)
  }
}

/** A turn that calls its own conversation would wait for itself. */
export function refuseOwn({ within }: Caller, { session }: Pick<Talk, 'session'>): void {
  if (within?.session !== session) return
  throw new Conflict('a conversation can not speak to itself while it works', { code: 'own_conversation' })
}

export function noteOf(data: JsonObject): Work {
  return { kind: 'note', topic: 'pipeline', data }
}

export function contextOf(given: Json | undefined): JsonObject {
  return isJsonObject(given) ? given : {}
}

export function isSession(id: string): boolean {
  return isId('ses', id)
}
