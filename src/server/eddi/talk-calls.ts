// Starting a conversation, speaking in it, reading it, and what steers it.
//
// Y157  A conversation is a session of its person, begun with the version that is deployed; its id is the session's.
// Y158  A say is answered with its own step, when its turn is settled or waits for a person; says of one conversation go in order.
// Y159  An ended conversation is gone (410); one that waits for a person takes no say (409).
// Y160  A secret that was typed is a reference before anything of it is kept.
import { Conflict, InvalidInput } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { type ConversationState, conversationStates } from '../../pipelines/conversation.ts'
import { canRedo, canUndo } from '../../pipelines/conversations/conversations.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { steerLane } from '../outcome.ts'
import { waitSeconds } from '../wait.ts'
import { logReply } from './log.ts'
import { type EddiCall, eddi, environmentIn, flag, locationOf, objectIn, text } from './route.ts'
import { heardSay } from './say.ts'
import { type Showing, snapshotOf } from './snapshot.ts'
import { begin } from './start.ts'
import { inOrder, isOver, noteOf, pendingOf, postAndWait, refuseOwn, stateAfter, stateOf, type Talk, talkOf, wasPosted } from './talk.ts'

/** How long a call waits for its turn. */
const patienceSeconds = 60

export const talkCalls: readonly Endpoint[] = [
  eddi({
    method: 'POST',
    path: '/agents/:id/start',
    summary: 'Begins a conversation with the version that is deployed; its first step is made',
    access: 'chat',
    takesText: true,
    async run(call) {
      const { hub, caller, params, query, body, key } = call
      const context = body === undefined || body === '' ? {} : objectIn(body, 'contexts by their names')
      const environment = environmentIn(query['environment'])
      const given = { agentId: params['id'] ?? '', environment, context, key, ...patienceOf(call) }
      const id = await begin(hub, caller, given)
      return { status: 201, body: { conversationId: id }, headers: { Location: locationOf(call, `/agents/${id}`) } }
    },
  }),
  eddi({
    method: 'POST',
    path: '/agents/:id',
    summary: 'Says something; answered with the step that it made',
    access: 'chat',
    takesText: true,
    takesSecrets: true,
    async run(call) {
      return answered(call, await talkFor(call))
    },
  }),
  eddi({
    method: 'GET',
    path: '/agents/:id',
    summary: 'The conversation',
    access: 'read',
    async run(call) {
      const talk = await talkFor(call)
      return { status: 200, body: await shown(call, talk, await stateOf(call.hub, talk)) }
    },
  }),
  eddi({
    method: 'GET',
    path: '/agents/:id/status',
    summary: 'The state of the conversation',
    access: 'read',
    async run(call) {
      const state = await stateOf(call.hub, await talkFor(call))
      return call.headers.get('accept')?.startsWith('text/plain') ? text(200, state) : { status: 200, body: state }
    },
  }),
  eddi({
    method: 'GET',
    path: '/agents/:id/log',
    summary: 'Who said what',
    access: 'read',
    run: async (call) => logReply(call, (await talkFor(call)).remembered),
  }),
  ...(['undo', 'redo'] as const).flatMap((word) => [
    eddi({
      method: 'GET',
      path: `/agents/:id/${word}`,
      summary: `Whether there is something to ${word}`,
      access: 'read',
      run: async (call) => ({ status: 200, body: canDo(await talkFor(call), word) }),
    }),
    eddi({
      method: 'POST',
      path: `/agents/:id/${word}`,
      summary: word === 'undo' ? 'Takes the last step back' : 'Brings the step that was taken back last',
      access: 'chat',
      async run(call) {
        const talk = await talkFor(call)
        if (!canDo(talk, word) && !(await wasSent(call, talk, { do: word })))
          throw new Conflict(`there is nothing to ${word}`, { code: `no_${word}` })
        return steered(call, talk, { do: word })
      },
    }),
  ]),
  eddi({
    method: 'POST',
    path: '/agents/:id/rerun',
    summary: 'Makes the last step anew, from its first task that speaks',
    access: 'chat',
    async run(call) {
      const talk = await talkFor(call)
      await refuseUnready(call, talk)
      return steered(call, talk, { do: 'rerun' })
    },
  }),
  eddi({
    method: 'POST',
    path: '/agents/:id/endConversation',
    summary: 'Ends the conversation',
    access: 'chat',
    run: async (call) => {
      const talk = await talkFor(call)
      await cancel(call, talk)
      return steered(call, talk, { do: 'end' })
    },
  }),
  eddi({
    method: 'POST',
    path: '/agents/:id/cancel',
    summary: 'Stops the turn that runs or waits; its step is not kept',
    access: 'chat',
    async run(call) {
      const talk = await talkFor(call)
      await cancel(call, talk)
      return { status: 200, body: await shown(call, talk, await stateOf(call.hub, await talkFor(call))) }
    },
  }),
  eddi({
    method: 'PATCH',
    path: '/agents/:id/state',
    summary: 'Sets the state of the conversation',
    access: 'chat',
    async run(call) {
      const given = call.query['state']
      const state = conversationStates.find((one) => one === given)
      const allowed = `state must be one of: ${conversationStates.join(', ')}`
      if (state === undefined) throw new InvalidInput(allowed, { path: 'state' })
      return steered(call, await talkFor(call), { do: 'state', state })
    },
  }),
]

export function talkFor({ hub, caller, params }: EddiCall): Promise<Talk> {
  return talkOf(hub, caller, params['id'] ?? '')
}

export function patienceOf({ headers, signal }: EddiCall): { readonly seconds: number; readonly signal: AbortSignal } {
  return { seconds: waitSeconds(headers.get('prefer')) ?? patienceSeconds, signal }
}

export function canDo({ remembered }: Talk, word: 'undo' | 'redo'): boolean {
  return word === 'undo' ? canUndo(remembered) : canRedo(remembered)
}

/** Throws what keeps a say from being taken. */
export async function refuseUnready({ hub, caller }: Pick<EddiCall, 'hub' | 'caller'>, talk: Talk): Promise<void> {
  refuseOwn(caller, talk)
  const { approvals, questions } = await waiting(hub, talk)
  if (approvals + questions === 0) return
  throw new Conflict('the conversation waits for a person to decide: POST /resume, or /cancel', { code: 'not_ready' })
}

async function waiting(hub: EddiCall['hub'], talk: Talk) {
  const turn = (await hub.lanes.look(talk.process))?.turn ?? null
  if (turn === null || turn.waits.length === 0) return { approvals: 0, questions: 0 }
  const { approvals, questions } = await pendingOf(hub, talk)
  return { approvals: approvals.length, questions: questions.length }
}

export const gone = 'Conversation has ended'

/** One say, and its answer. */
export function answered(call: EddiCall, talk: Talk): Promise<Reply> {
  refuseOwn(call.caller, talk)
  return inOrder(talk, async () => {
    const { hub, caller, key } = call
    const now = await talkOf(hub, caller, talk.session)
    if (isOver(now)) return text(410, gone)
    await refuseUnready(call, now)
    const body = await heardSay(call, now)
    const end = await postAndWait(hub, caller, now, { body, key, ...patienceOf(call) })
    const after = await talkOf(hub, caller, talk.session)
    if (end === 'refused') throw new Conflict('it was taken back before its turn came', { code: 'withdrawn' })
    const state = await stateAfter(hub, after, end)
    return { status: end === 'late' ? 202 : 200, body: await shown(call, after, state) }
  })
}

/** As a query asks for it. */
export async function shown(call: EddiCall, talk: Talk, state: ConversationState): Promise<JsonObject> {
  const { session, user, agent, remembered } = talk
  return snapshotOf({ conversationId: session, userId: user, agent, state, remembered }, showingIn(call))
}

export function showingIn(call: EddiCall): Showing {
  const fields = new URL(`http://x/?${new URLSearchParams(call.query)}`).searchParams.getAll('returningFields')
  return {
    isDetailed: flag(call, 'returnDetailed', false),
    isCurrentOnly: flag(call, 'returnCurrentStepOnly', true),
    fields: fields.flatMap((one) => one.split(',')).filter((one) => one !== ''),
  }
}

/** A control in line, and the conversation after it. */
export async function steered(call: EddiCall, talk: Talk, data: JsonObject): Promise<Reply> {
  const { hub, caller, key } = call
  refuseOwn(caller, talk)
  const end = await postAndWait(hub, caller, talk, { body: noteOf(data), key, ...patienceOf(call) })
  const after = await talkOf(hub, caller, talk.session)
  return { status: end === 'late' ? 202 : 200, body: await shown(call, after, await stateOf(hub, after)) }
}

/** Under the same key, perhaps before a restart: then it was done already. What comes too late in its own right changes nothing. */
async function wasSent({ hub, caller, key }: EddiCall, talk: Talk, data: JsonObject): Promise<boolean> {
  refuseOwn(caller, talk)
  return key !== null && (await wasPosted(hub, caller, talk, { body: noteOf(data), key }))
}

/** Nothing where nothing runs. */
export async function cancel({ hub, caller }: EddiCall, talk: Talk): Promise<void> {
  refuseOwn(caller, talk)
  const turn = (await hub.lanes.look(talk.process))?.turn
  if (!turn) return
  await steerLane(hub, caller, { session: talk.session, lane: talk.lane }, { kind: 'stop', turn: turn.id, reason: 'cancelled' })
}
