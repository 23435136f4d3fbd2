// What waits for a person in conversations of pipelines, and a person's decision: pauses of rules, and approvals of calls.
//
// Y161  A decision is a person's, or a program's that was given exactly that right; it decides all that waits in that conversation.
import { Conflict, InvalidInput } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { decideApproval } from '../decide.ts'
import type { Endpoint } from '../endpoint.ts'
import { steerLane } from '../outcome.ts'
import { fresh } from '../session-of.ts'
import { type EddiCall, eddi, flag, objectIn, whole } from './route.ts'
import { type Pending, pendingOf, stateOf, type Talk, talkOf } from './talk.ts'
import { patienceOf, shown, talkFor } from './talk-calls.ts'
import { listenForEnd } from './turn-end.ts'

const mostPending = 100

export const hitlCalls: readonly Endpoint[] = [
  eddi({
    method: 'GET',
    path: '/agents/pending-approvals',
    summary: 'Conversations that wait for a person',
    access: 'read',
    async run(call) {
      const most = Math.min(whole(call, 'limit') ?? mostPending, mostPending)
      return { status: 200, body: await pendingTalks(call, most) }
    },
  }),
  eddi({
    method: 'GET',
    path: '/agents/:id/approval-status',
    summary: 'What that conversation waits for',
    access: 'read',
    async run(call) {
      const talk = await talkFor(call)
      return { status: 200, body: await waitingOf(call, talk, flag(call, 'detail', false)) }
    },
  }),
  eddi({
    method: 'POST',
    path: '/agents/:id/resume',
    summary: 'Decides what the conversation waits for; it goes on after its bookmark',
    access: 'approvals',
    run: async (call) => ({ status: 200, body: await resumed(call) }),
  }),
]

async function resumed(call: EddiCall): Promise<JsonObject> {
  const { hub, caller } = call
  const given = verdictIn(call.body)
  const talk = await talkFor(call)
  const pending = await pendingOf(hub, talk)
  if (pending.questions.length + pending.approvals.length === 0)
    throw new Conflict('nothing waits for a decision here', { code: 'not_waiting' })
  const turn = (await hub.lanes.look(talk.process))?.turn?.id ?? null
  const heard = listenForEnd(hub, talk.session, turn)
  try {
    await decide(call, talk, { pending, ...given })
    await heard.ended(patienceOf(call))
  } finally {
    heard.stop()
  }
  const after = await talkOf(hub, caller, talk.session)
  return shown(call, after, await stateOf(hub, after))
}

type Verdict = { readonly verdict: 'APPROVED' | 'REJECTED'; readonly note: string }

async function decide(
  { hub, caller }: EddiCall,
  talk: Talk,
  { pending, verdict, note }: Verdict & { readonly pending: Pending },
): Promise<void> {
  const reason = note === '' ? {} : { reason: note }
  for (const { id } of pending.approvals)
    await decideApproval(hub, caller, id, { decision: verdict === 'APPROVED' ? 'allow' : 'deny', ...reason })
  const value = note === '' ? verdict : { verdict, note }
  for (const { id } of pending.questions) {
    if (!isId('ask', id)) continue
    const outcome = await steerLane(hub, caller, { session: talk.session, lane: talk.lane }, { kind: 'answer', ask: id, value })
    if (outcome.word === 'refused') throw new Conflict('this was decided before', { code: 'decided' })
  }
}

function verdictIn(body: unknown): Verdict {
  const { verdict, note = '' } = objectIn(body, 'a decision like {"verdict": "APPROVED", "note": "..."}')
  if (verdict !== 'APPROVED' && verdict !== 'REJECTED')
    throw new InvalidInput('/verdict must be APPROVED or REJECTED', { path: '/verdict' })
  if (note !== null && typeof note !== 'string') throw new InvalidInput('/note must be a text', { path: '/note' })
  return { verdict, note: note ?? '' }
}

async function waitingOf({ hub }: EddiCall, talk: Talk, isDetailed: boolean): Promise<JsonObject> {
  const { session, agent } = talk
  const state = await stateOf(hub, talk)
  const { questions, approvals } = await pendingOf(hub, talk)
  const of = { conversationId: session, agentId: agent.id, agentVersion: agent.version, environment: agent.environment }
  const reason = questions[0]?.text ?? approvals[0]?.why ?? null
  const brief: JsonObject = { ...of, conversationState: state, isPending: questions.length + approvals.length > 0, pauseReason: reason }
  if (!isDetailed) return brief
  const toolCalls = approvals.map(({ id, tool, target, why, risk }) => ({ id, tool, target, why, risk }))
  return { ...brief, questions: questions.map(({ id, text }) => ({ id, text })), toolCalls }
}

async function pendingTalks(call: EddiCall, most: number): Promise<readonly JsonObject[]> {
  const { hub, caller } = call
  await fresh(hub)
  const user = caller.user.name
  const [approvals, questions] = await Promise.all([
    hub.policy.approvals.list({ user, status: 'requested' }),
    hub.scopes.conversation.questions({ user, status: 'open' }),
  ])
  const sessions = new Set([...questions, ...approvals].map(({ session }) => session))
  const found: JsonObject[] = []
  for (const session of sessions) {
    if (found.length >= most) break
    const talk = await talkOf(hub, caller, session).catch(() => null)
    if (talk) found.push(await waitingOf(call, talk, false))
  }
  return found
}
