// Waiting for the reply to a message by following the journal: the reply is an event like every other.

import { InvalidInput } from '../base/errors.ts'
import type { SessionId } from '../base/ids.ts'
import { maxWaitSeconds } from '../protocol/api.ts'
import { briefOfApproval } from './decide.ts'
import type { Hub } from './hub.ts'
import { type Awaited, foldReply, type ReplyFold } from './reply.ts'
import type { Outgoing } from './wire.ts'

/** Starts hearing at once, so that nothing is missed between the post and the wait. Call `stop` in every case. */
export function listenForReply(hub: Hub, session: SessionId) {
  const heard: Outgoing[] = []
  let hear: (out: Outgoing) => void = (out) => void heard.push(out)
  const stop = hub.feed.session(session, { event: (out) => hear(out) })

  /** The reply to that message, or how it stands after `seconds`, or when the caller is gone. */
  async function reply(message: Awaiting, limit: { readonly seconds: number; readonly signal: AbortSignal }): Promise<Awaited> {
    const fold = foldReply(message.id)
    const { promise, resolve } = Promise.withResolvers<void>()
    let position = message.isOld ? await readBack(hub, session, { fold, after: message.cursor - 1 }) : message.cursor - 1
    hear = ({ event }) => {
      if (event.cursor <= position) return
      position = event.cursor
      fold.event(event)
      if (isDecisive(event.type) && fold.now().over) resolve()
      if (event.type === 'arrivals-taken' && fold.joined() !== null) void lookBack().then(resolveWhenOver, () => {})
    }
    const resolveWhenOver = () => {
      if (fold.now().over) resolve()
    }
    const lookBack = async () => fold.open(await openAsks(hub, session, fold.joined() ?? ''))
    heard.splice(0).forEach(hear)
    if (message.isOld && fold.joined() !== null) await lookBack()
    resolveWhenOver()
    const alarm = hub.clock.after(limit.seconds * 1000, resolve)
    const gone = () => resolve()
    limit.signal.addEventListener('abort', gone)
    hub.waits.add(resolve)
    await promise
    hub.waits.delete(resolve)
    alarm.cancel()
    limit.signal.removeEventListener('abort', gone)
    return fold.now()
  }
  return { reply, stop }
}

const decisive = new Set(['chat-message-updated', 'question-asked', 'approval-requested', 'turn-settled'])
const isDecisive = (type: string) => decisive.has(type)

/** What that turn waits for: the oldest question and approval that stand open. */
async function openAsks(hub: Hub, session: SessionId, turn: string) {
  await hub.journal.passed(hub.journal.head())
  const user = (await hub.scopes.sessions.owner(session)) ?? ''
  const [approvals, questions] = await Promise.all([
    hub.policy.approvals.list({ user, session, status: 'requested' }),
    hub.scopes.conversation.questions({ user, session, status: 'open' }),
  ])
  const asked = approvals.findLast((one) => one.turn === turn)
  const [question] = questions
  return {
    ...(asked ? { approval: briefOfApproval(asked) } : {}),
    ...(question ? { question: { id: question.id, text: question.text, ...(question.options ? { options: question.options } : {}) } } : {}),
  }
}

/** `cursor` is that of the event that appended it; `isOld`: it was posted before, so its reply may be there already. */
export type Awaiting = { readonly id: string; readonly cursor: number; readonly isOld: boolean }

/** Folds what was committed before the listening began. Returns the cursor up to which nothing is missing. */
async function readBack(hub: Hub, session: SessionId, from: { readonly fold: ReplyFold; readonly after: number }): Promise<number> {
  let position = from.after
  for (;;) {
    const { events, safe } = await hub.journal.read({ after: position, limit: 500, session })
    for (const event of events) from.fold.event(event)
    if (events.length < 500) return Math.max(position, safe)
    position = events.at(-1)?.cursor ?? position
  }
}

/** Seconds of `Prefer: wait=N` (RFC 7240); null when it isn't asked for. Throws InvalidInput for a number that is not allowed. */
export function waitSeconds(header: string | null): number | null {
  const text = /(?:^|[,;\s])wait\s*=\s*"?([^",;\s]*)/i.exec(header ?? '')?.[1]
  if (text === undefined) return null
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds <= maxWaitSeconds) return seconds
  throw new InvalidInput(`Prefer: wait must be a whole number of seconds from 0 to ${maxWaitSeconds}`, { path: 'Prefer' })
}
