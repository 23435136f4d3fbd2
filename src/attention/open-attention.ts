// The inbox over its store: items and what is done about them are events in the stream of their person.
import { type Clock, iso } from '../base/clock.ts'
import { Conflict, InvalidInput, messageOf, NotFound } from '../base/errors.ts'
import { isId, laneOf, type NewId, streamLane } from '../base/ids.ts'
import { canonical, type JsonObject } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import { idFrom } from '../lanes/entry-id.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Actor } from '../protocol/actor.ts'
import type { InboxItem } from '../protocol/api-inbox.ts'
import type { NewEvent, Visibility } from '../protocol/event.ts'
import type { Attention, AttentionItem, ItemAnswer, ItemStatus, NewItem } from './attention.ts'
import type { AttentionStore } from './attention-store.ts'
import { isDerived } from './derived.ts'
import { answerTopic, type InboxState, inboxFold, type Standing } from './inbox-events.ts'
import { asks, checkAnswer, defaultAnswer } from './item-answer.ts'

export type AttentionOptions = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly lanes: Pick<Lanes, 'post'>
  readonly clock: Clock
  readonly newId: NewId
  readonly view: AttentionStore
  /** Whether a person of that login name exists. */
  readonly users: (name: string) => Promise<boolean>
  readonly log: Log
}

const titleLength = 200
const mostUnits = 65_536
/** So many answers that a crash kept from their processes are posted at a start. */
const mostUndelivered = 1_000

/** Resolves when the table is up to date and what a crash left undelivered was posted. */
export async function openAttention(options: AttentionOptions): Promise<Attention> {
  await options.journal.project(options.view.projection)
  const room = new Inbox(options)
  await room.deliverAgain()
  return room
}

type Patch = {
  readonly status?: ItemStatus
  readonly read?: boolean
  readonly answer?: JsonObject
  readonly resolvedBy?: 'USER' | 'AUTO_DEFAULT'
  readonly delegatedTo?: string
}

class Inbox implements Attention {
  readonly #given: AttentionOptions
  readonly #streams = new Map<string, Stream<InboxState>>()

  constructor(given: AttentionOptions) {
    this.#given = given
  }

  async add(given: NewItem, by: Actor): Promise<AttentionItem> {
    const item = this.#made(given)
    const answer = automatic(item)
    const added = this.#fact('inbox-item-added', { user: given.user, item: wire(item) }, by)
    await this.#change(given.user, (state) => {
      if (state.has(item.id)) return []
      return answer === null ? [added] : [added, this.#updated(given.user, item.id, answered(answer, 'AUTO_DEFAULT'), 'system')]
    })
    const kept = await this.#known(given.user, item.id)
    if (kept.answer !== undefined) await this.#deliver(given.user, kept, 'system')
    return kept
  }

  async get(user: string, id: string): Promise<AttentionItem | null> {
    await this.#caughtUp()
    return this.#given.view.item(user, id)
  }

  async list(given: Parameters<Attention['list']>[0]) {
    await this.#caughtUp()
    return this.#given.view.items(given)
  }

  async counts(user: string) {
    await this.#caughtUp()
    return this.#given.view.counts(user)
  }

  read(user: string, id: string, by: Actor): Promise<AttentionItem> {
    return this.#patch(user, id, by, ({ read }) => (read ? null : { read: true }))
  }

  async answer(user: string, id: string, given: Omit<ItemAnswer, 'by'>, by: Actor): Promise<AttentionItem> {
    const item = await this.#own(user, id)
    if (item.answer !== undefined) return item
    if (!item.requiresAction && !asks(item.type)) throw new Conflict('this item asks nothing: it can be read, dismissed or archived')
    const answer = { ...given, value: checkAnswer(item, given), by }
    await this.#patch(user, id, by, ({ status, answered: isAnswered }) => {
      if (isAnswered) return null
      if (status === 'PENDING') return answered(answer, 'USER')
      throw new Conflict(`this item is ${status.toLowerCase()}: take it out again before you answer it`)
    })
    const kept = await this.#known(user, id)
    await this.#deliver(user, kept, by)
    return kept
  }

  async delegate(user: string, id: string, given: { readonly to: string; readonly note?: string }, by: Actor): Promise<AttentionItem> {
    const item = await this.#own(user, id)
    if (given.to === user) return item
    if (!(await this.#given.users(given.to))) {
      throw new InvalidInput(`/to: there is no person ${JSON.stringify(given.to.slice(0, 64))} here`, { path: '/to' })
    }
    if (item.status !== 'PENDING') throw new Conflict(`this item is ${item.status.toLowerCase()}: only what is pending can be delegated`)
    await this.add(handedOver(item, user, given), by)
    return this.#patch(user, id, by, ({ status }) =>
      status === 'PENDING' ? { status: 'DISMISSED', resolvedBy: 'USER', delegatedTo: given.to } : null,
    )
  }

  async dismiss(user: string, id: string, by: Actor): Promise<AttentionItem> {
    await this.#own(user, id)
    return this.#patch(user, id, by, ({ status }) => {
      if (status === 'DISMISSED') return null
      if (status === 'PENDING') return { status: 'DISMISSED', resolvedBy: 'USER' }
      throw new Conflict(`this item is ${status.toLowerCase()}: only what is pending can be dismissed`)
    })
  }

  archive(user: string, id: string, by: Actor): Promise<AttentionItem> {
    return this.#patch(user, id, by, ({ status }) => {
      if (status === 'ARCHIVED') return null
      if (status === 'PENDING' && isDerived(id)) throw new Conflict('it still waits for an answer: answer it, or stop its turn')
      return { status: 'ARCHIVED' }
    })
  }

  unarchive(user: string, id: string, by: Actor): Promise<AttentionItem> {
    return this.#patch(user, id, by, ({ status, answered: isAnswered }) => {
      if (status !== 'ARCHIVED') return null
      if (isDerived(id) && !isAnswered) throw new Conflict('nothing waits for an answer to this any more')
      return { status: isAnswered ? 'ANSWERED' : 'PENDING' }
    })
  }

  async close(): Promise<void> {
    this.#streams.clear()
  }

  /** Answers that were given before a crash and did not reach their process. */
  async deliverAgain(): Promise<void> {
    for (const { user, item } of await this.#given.view.undelivered(mostUndelivered)) await this.#deliver(user, item, 'system')
  }

  // ---- changing

  /** The change that `decide` wants, null for none. An item that this stream does not know stands as the table says (approvals, questions). */
  async #patch(user: string, id: string, by: Actor, decide: (now: Standing) => Patch | null): Promise<AttentionItem> {
    const row = await this.#known(user, id)
    const shown: Standing = { status: row.status, read: row.read, answered: row.answer !== undefined }
    await this.#change(user, (state) => {
      const known = isDerived(id) ? undefined : state.get(id)
      const patch = decide(known ?? shown)
      return patch === null ? [] : [this.#updated(user, id, patch, by)]
    })
    return this.#known(user, id)
  }

  async #change(user: string, decide: (state: InboxState) => readonly NewEvent[]): Promise<void> {
    const stream = this.#streams.get(user) ?? openStream(this.#given, streamLane(`inbox:${user}`), { fold: inboxFold() })
    this.#streams.set(user, stream)
    const { cursor } = await stream.change(decide)
    await this.#given.journal.passed(cursor, this.#given.view.projection.name)
  }

  #made(given: NewItem): AttentionItem {
    const { user, type, body, session, process } = given
    checkTexts(given)
    return {
      id: idFrom('ntf', [user, given.key]),
      ...{ type, body, criticality: given.criticality ?? 'NORMAL', title: titleOf(given.title) },
      ...{ tags: given.tags ?? [], payload: given.payload ?? {}, requiresAction: given.requiresAction ?? asks(type) },
      ...(session === undefined ? {} : { session }),
      ...(process === undefined ? {} : { process }),
      ...{ status: 'PENDING', read: false, at: this.#given.clock.now() },
    }
  }

  #updated(user: string, id: string, patch: Patch, by: Actor): NewEvent {
    return this.#fact('inbox-item-updated', { user, id, ...patch }, by)
  }

  #fact(type: string, data: JsonObject, by: Actor, visibility: Visibility = 'user-summary'): NewEvent {
    const { clock, newId } = this.#given
    return { id: newId('evt'), type, at: clock.now(), actor: by, visibility, data, cause: null, correlation: null, session: null, v: 1 }
  }

  // ---- reading

  async #caughtUp(): Promise<void> {
    await this.#given.journal.passed(this.#given.journal.head(), this.#given.view.projection.name)
  }

  async #known(user: string, id: string): Promise<AttentionItem> {
    const item = await this.get(user, id)
    if (item !== null) return item
    throw new NotFound(`there is no item ${JSON.stringify(id.slice(0, 64))} in the inbox`)
  }

  /** Not an approval or a question: those are decided where they are asked. */
  async #own(user: string, id: string): Promise<AttentionItem> {
    const item = await this.#known(user, id)
    if (!isDerived(id)) return item
    throw new Conflict(`this is ${id.startsWith('apr_') ? 'an approval: decide it' : 'a question: answer it'}, or stop its turn`)
  }

  // ---- the answer's way back

  /** Its entry has an id of its own, so that it arrives once however often it is sent. */
  async #deliver(user: string, item: AttentionItem, by: Actor): Promise<void> {
    const { process, answer } = item
    if (process === undefined || answer === undefined || !isId('prc', process)) return
    const { lanes, log } = this.#given
    const data: JsonObject = { item: item.id, user, type: item.type, title: item.title, answer: jsonOf(answer) }
    const posted = await lanes
      .post({
        lane: laneOf(process),
        id: idFrom('ent', [answerTopic, user, item.id]),
        from: authorOf(answer, by),
        body: { kind: 'note', topic: answerTopic, data },
      })
      .catch((thrown: unknown) => ({ ok: false, reason: 'unavailable', why: messageOf(thrown) }) as const)
    if (posted.ok) return
    log('warn', 'an answer did not reach its process', { item: item.id, process, reason: posted.reason })
    if (posted.reason === 'unavailable') return
    await this.#change(user, () => [
      this.#fact('inbox-answer-undelivered', { user, id: item.id, why: posted.reason }, 'system', 'operator'),
    ])
  }
}

/** What a LOW item answers by itself: the default that it brings along. */
function automatic(item: AttentionItem): ItemAnswer | null {
  if (item.criticality !== 'LOW' || !item.requiresAction) return null
  const value = defaultAnswer(item)
  return value === null ? null : { outcome: 'DECIDED', value, by: 'system:auto-default' }
}

function answered(answer: ItemAnswer, resolvedBy: 'USER' | 'AUTO_DEFAULT'): Patch {
  return { status: 'ANSWERED', read: true, answer: jsonOf(answer), resolvedBy }
}

function handedOver(item: AttentionItem, from: string, { to, note }: { readonly to: string; readonly note?: string }): NewItem {
  const { type, criticality, title, tags, payload, session, process, requiresAction } = item
  const body = note === undefined ? item.body : `${from}: ${note}\n\n${item.body}`.slice(0, mostUnits)
  return {
    ...{ user: to, type, criticality, title, body, tags, payload: { ...payload, from }, requiresAction, key: `delegated ${item.id}` },
    ...(session === undefined ? {} : { session }),
    ...(process === undefined ? {} : { process }),
  }
}

function checkTexts({ title, body, key, payload = {} }: NewItem): void {
  if (title.trim() === '') throw new InvalidInput('/title must not be empty', { path: '/title' })
  if (key === '') throw new InvalidInput('/key must not be empty', { path: '/key' })
  if (body.length > mostUnits) throw new InvalidInput(`/body has ${body.length} characters; it may have ${mostUnits}`, { path: '/body' })
  if (canonical(payload).length > mostUnits) throw new InvalidInput('/payload may have 64 kB', { path: '/payload' })
}

function titleOf(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').trim()
  return line.length <= titleLength ? line : `${line.slice(0, titleLength - 1)}…`
}

/** The same author each time it is sent: else it would be another entry under one id. */
function authorOf(answer: ItemAnswer, by: Actor): Actor {
  return answer.by.startsWith('user:') ? `user:${answer.by.slice(5)}` : by === 'system' || answer.by.startsWith('system') ? 'system' : by
}

function jsonOf(answer: ItemAnswer) {
  const { outcome, value, reason, by } = answer
  return { outcome, value, by, ...(reason === undefined ? {} : { reason }) }
}

/** An item as the outside sees it. */
export function wire(item: AttentionItem): InboxItem & JsonObject {
  const { tags, payload, answer, at, ...rest } = item
  return { ...rest, tags: [...tags], payload: { ...payload }, ...(answer === undefined ? {} : { answer: jsonOf(answer) }), at: iso(at) }
}
