// A message from outside into its session's mailbox: keyed by sender, session and client's id (L1); edits and retries as branches.
import { Conflict, InvalidInput } from '../base/errors.ts'
import { type EntryId, isId, laneOf, type MessageId, type ProcessId, type SessionId } from '../base/ids.ts'
import type { Posted } from '../journal/commit.ts'
import { entryIdOf } from '../lanes/entry-id.ts'
import { maxTextBytes, type NewMessage } from '../protocol/api.ts'
import type { MessageBody } from '../protocol/entry.ts'
import type { Attachment, Message } from '../protocol/message.ts'
import { isFinal } from '../protocol/message-status.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { refusePost, steerLane } from './outcome.ts'
import { HttpProblem } from './problem.ts'
import { briefOf } from './session-of.ts'

export type Accepted = { readonly id: string; readonly duplicate: boolean; readonly cursor: number }

type Where = { readonly session: SessionId; readonly process: ProcessId; readonly entry: EntryId }

/**
 * Durable when it resolves. `key`: what makes it the same message when it has no id of the client's (an Idempotency-Key).
 * Throws InvalidInput, NotFound, Conflict (known id with other content; closed session; `no_longer_queued`), Full, Unavailable.
 */
export async function postMessage(
  hub: Hub,
  caller: Caller,
  given: NewMessage & { readonly session: string; readonly key?: string | null },
): Promise<Accepted> {
  checkWords(given.text)
  const session = await briefOf(hub, caller, given.session)
  const where = placeOf(hub, caller, session, given)
  const { attachments, areGone } = await attachmentsOf(hub, caller, where.session, given.attachments ?? [])
  if (given.to !== undefined) await checkAgent(hub, caller, session.process, given.to)
  if (given.parent) await messageIn(hub, where.session, given.parent, '/parent')
  if (session.life === 'SUSPENDED') await hub.scopes.sessions.resume(where.session, caller.actor)
  const isOver = session.life === 'CLOSED' || session.life === 'ARCHIVED'
  const bodies = await bodiesOf(hub, caller, where, { ...given, attachments })
  for (const body of bodies) {
    const posted = await put(hub, caller, { ...where, isOver: isOver || areGone !== null }, body)
    const isLast = body === bodies.at(-1)
    if (!posted.ok && posted.reason === 'conflict' && !isLast) continue
    if (!posted.ok && posted.reason === 'conflict')
      throw new Conflict('a message with this id and other content was sent before', { path: '/id' })
    if (areGone !== null && !posted.ok && posted.reason === 'full') throw areGone
    if (isOver && !posted.ok && posted.reason === 'full') throw new Conflict('the session is closed', { code: 'closed' })
    refusePost(posted)
    return { id: posted.ref ?? '', duplicate: posted.duplicate, cursor: posted.cursor }
  }
  throw new Error('a message has no form to be posted in')
}

/** White space, and what shows as nothing at all, like a zero-width space. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u

function checkWords(text: string): void {
  if (blank.test(text)) throw new InvalidInput('/text must not be empty', { path: '/text' })
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxTextBytes) return
  const message = `the text has ${bytes} bytes; a message may have ${maxTextBytes} (64 kB): put a longer text into a project's file and name it`
  throw new HttpProblem(413, 'too_large', message, { path: '/text' })
}

type Named = {
  readonly attachments: Attachment[]
  /** Why nothing new is said with them: one was removed. What was sent before is still the same message. */
  readonly areGone: InvalidInput | null
}

/** What the hub knows of them, whatever the sender says of their names and types; from here on they are this session's. */
async function attachmentsOf(hub: Hub, caller: Caller, session: SessionId, given: readonly Attachment[]): Promise<Named> {
  if (given.length === 0) return { attachments: [], areGone: null }
  const user = caller.user.name
  const ids = given.map(({ id }) => id)
  const known = await Promise.all(ids.map((id) => hub.attachments.known(user, id)))
  const gone = known.findIndex((one) => one?.removed === true && one.session === session)
  const isKnown = gone >= 0 && known.every((one) => one?.session === session)
  const path = `/attachments/${gone}/id`
  const areGone = isKnown ? new InvalidInput(`${path} names no attachment: it was removed`, { path }) : null
  const found = isKnown ? known : await hub.attachments.place(user, ids, session, caller.actor)
  const attachments = found.flatMap((one) => (one === null ? [] : { id: one.id, name: one.name, mime: one.mime, size: one.size }))
  return { attachments, areGone }
}

/** Anybody who is there can be meant; whether they may work in this session says the session. Throws InvalidInput, which says who is. */
async function checkAgent(hub: Hub, caller: Caller, process: ProcessId, to: string): Promise<void> {
  const info = (await hub.scopes.sessions.process(process))?.info
  if (info === undefined || info.agent === to) return
  const agents = await hub.agents({ user: caller.user.name, project: info.project })
  const called = to.trim().replace(/^@/, '').toLowerCase()
  if (agents.some(({ name, aliases }) => name === called || aliases?.includes(called))) return
  const names = agents.map(({ name }) => name).join(', ') || 'nobody'
  throw new InvalidInput(`/to: there is no agent ${JSON.stringify(to.slice(0, 64))} here; there is ${names}`, { path: '/to' })
}

function placeOf(
  hub: Hub,
  caller: Caller,
  { id, process }: { readonly id: SessionId; readonly process: ProcessId },
  given: { readonly id?: string | undefined; readonly key?: string | null },
): Where {
  const known = given.id ?? given.key
  const kind = given.id === undefined ? 'key' : 'id'
  const entry = known === null || known === undefined ? hub.newId('ent') : entryIdOf([caller.actor, id, kind, known])
  return { session: id, process, entry }
}

/** Into a session that is over nothing new goes, but what is known is still answered as such: a limit of 0 does that. */
function put(hub: Hub, caller: Caller, where: Where & { readonly isOver: boolean }, body: MessageBody): Promise<Posted> {
  const entry = { lane: laneOf(where.process), id: where.entry, from: caller.actor, body, ref: hub.newId('msg') }
  return hub.lanes.post(entry, { limit: where.isOver ? 0 : hub.limits.mailbox })
}

async function messageIn(hub: Hub, session: SessionId, id: string, path: string): Promise<Message> {
  const message = isId('msg', id) ? await hub.scopes.conversation.get(id) : null
  if (message?.session === session) return message
  throw new InvalidInput(`${path} is not a message of this session`, { path })
}

/**
 * The forms in which it may be known or new, the one to post first. A message that replaces another looks different after the
 * other was taken back (no place yet) and after it was settled (the other's place): a second sending must find either.
 */
async function bodiesOf(hub: Hub, caller: Caller, where: Where, given: NewMessage): Promise<readonly MessageBody[]> {
  const plain = bodyOf(where.session, given)
  if (given.replaces === undefined) return [plain]
  await hub.journal.passed(hub.journal.head())
  const replaced = await messageIn(hub, where.session, given.replaces, '/replaces')
  if (replaced.role !== 'user') throw new InvalidInput('/replaces must be a message of a person, not of an agent', { path: '/replaces' })
  const placed: MessageBody = { ...plain, parent: replaced.parent as MessageId | null }
  if (given.parent !== undefined) return [plain]
  if (isFinal(replaced.status)) return [placed, plain]
  if (replaced.status === 'queued') await withdraw(hub, caller, where, replaced)
  else throw noLongerQueued()
  return [plain, placed]
}

function bodyOf(session: SessionId, given: NewMessage): MessageBody {
  const { id, text, attachments, voice, folder, to, when, parent, replaces } = given
  return {
    kind: 'message',
    session,
    text,
    ...(id === undefined ? {} : { clientId: id }),
    // What is said and what goes without saying are the same message.
    ...(attachments === undefined || attachments.length === 0 ? {} : { attachments }),
    ...(voice ? { voice } : {}),
    ...(folder === undefined ? {} : { folder }),
    ...(to === undefined ? {} : { to }),
    ...(when === undefined || when === 'now' ? {} : { when }),
    ...(parent === undefined ? {} : { parent: parent as MessageId | null }),
    ...(replaces === undefined ? {} : { replaces: replaces as MessageId }),
  }
}

/** Takes the waiting message back. Throws Conflict `no_longer_queued` when a turn has it already. */
async function withdraw(hub: Hub, caller: Caller, where: Where, replaced: Message): Promise<void> {
  const lane = laneOf(where.process)
  const queue = (await hub.lanes.look(where.process))?.queue ?? []
  const waiting = queue.find((entry) => entry.message === replaced.id)
  if (!waiting) throw noLongerQueued()
  const outcome = await steerLane(
    hub,
    caller,
    { session: where.session, lane },
    { kind: 'withdraw', entry: waiting.entry, reason: 'replaced' },
  )
  if (outcome.word === 'refused') throw noLongerQueued()
}

function noLongerQueued(): Conflict {
  return new Conflict('that message is being worked on: stop the turn, or send a new message', {
    path: '/replaces',
    code: 'no_longer_queued',
  })
}
