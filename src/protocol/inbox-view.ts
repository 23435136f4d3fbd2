/**
 * What a person's inbox looks like, folded from its first answer and the events that reach every connection of the person. Pure; page,
 * terminal and tests use this one fold. It runs in the browser: no Node, types only of zod.
 *
 * - `inboxOf` begins with an answer of GET /api/inbox; `foldInbox` goes on with frames. What is unknown or malformed changes nothing.
 * - Approvals and questions stand among the items under their own ids, as in the answer (I7).
 * - Counts are those of the whole inbox; the items are the newest that were loaded, and all that came since.
 */
import type { Inbox, InboxCounts, InboxItem } from './api-inbox.ts'
import { readApproval } from './asked-approval.ts'
import { readOptions, record, text, type Untrusted } from './incoming.ts'
import type { Option } from './message.ts'
import type { Incoming } from './view.ts'

export type InboxView = {
  /** Newest first. */
  readonly items: readonly InboxItem[]
  readonly counts: InboxCounts
  /** Turns by the items that they asked, so that their end is known. */
  readonly turns: ReadonlyMap<string, string>
}

export const emptyInbox: InboxView = { items: [], counts: { pending: 0, requiresAction: 0 }, turns: new Map() }

export function inboxOf({ items, counts }: Inbox): InboxView {
  return { items, counts, turns: new Map() }
}

/** The view after that event; the same view when it changes nothing. Must not throw. */
export function foldInbox(view: InboxView, event: Incoming): InboxView {
  const data = record(event.data)
  return data === null ? view : (changes[event.type]?.(view, data, event) ?? view)
}

type Change = (view: InboxView, data: Untrusted, event: Incoming) => InboxView

const changes: Readonly<Record<string, Change>> = {
  'inbox-item-added': (view, data) => {
    const item = readItem(data.item)
    return item === null ? view : added(view, item)
  },
  'inbox-item-updated': (view, data) => {
    const [id, status] = [text(data.id), statusOf(data.status)]
    if (id === null) return view
    const read = typeof data.read === 'boolean' ? { read: data.read } : {}
    return changed(view, id, { ...(status === null ? {} : { status }), ...read })
  },
  'approval-requested': (view, data, event) => {
    const asked = readApproval(data)
    if (asked === null) return view
    const { id, risk, tool, capability, target, scopes, expiresAt } = asked
    const body = [asked.why, asked.consequences].filter((line) => line !== '').join('\n')
    const payload = { approval: id, risk, tool, capability, target, scopes, expiresAt }
    return waiting(view, data, { ...askedItem(event, { id, title: asked.text, body }), type: 'APPROVAL', payload })
  },
  'question-asked': (view, data, event) => {
    const [id, words] = [text(data.ask), text(data.text)]
    if (id === null || words === null) return view
    const options = readOptions(data.options).map(plainOption)
    const type = options.length > 0 ? 'DECISION' : 'FEEDBACK'
    return waiting(view, data, {
      ...askedItem(event, { id, title: words, body: words }),
      type,
      payload: options.length > 0 ? { options } : {},
    })
  },
  'approval-decided': (view, data) => over(view, text(data.approval), record(data.answer)),
  'question-answered': (view, data) => over(view, text(record(data.answer)?.ask), record(data.answer)),
  'turn-settled': (view, data) => {
    const turn = text(data.turn)
    const ended = [...view.turns].filter(([, of]) => of === turn).map(([id]) => id)
    return ended.reduce((now, id) => changed(now, id, { status: 'ARCHIVED' }), view)
  },
}

function added(view: InboxView, item: InboxItem): InboxView {
  if (view.items.some((one) => one.id === item.id)) return view
  return { ...view, items: [item, ...view.items], counts: counted(view.counts, item, item.status === 'PENDING' ? 1 : 0) }
}

function waiting(view: InboxView, data: Untrusted, item: InboxItem): InboxView {
  const turn = text(data.turn)
  const next = added(view, item)
  return turn === null ? next : { ...next, turns: new Map(next.turns).set(item.id, turn) }
}

function over(view: InboxView, id: string | null, answer: Untrusted | null): InboxView {
  if (id === null) return view
  return changed(view, id, { status: answer?.outcome === 'answered' ? 'ANSWERED' : 'ARCHIVED', read: true })
}

function changed(view: InboxView, id: string, part: Partial<InboxItem>): InboxView {
  const item = view.items.find((one) => one.id === id)
  if (item === undefined) return view
  const next = { ...item, ...part }
  const [was, is] = [item.status === 'PENDING', next.status === 'PENDING']
  const counts = was === is ? view.counts : counted(view.counts, item, is ? 1 : -1)
  const turns = is || !view.turns.has(id) ? view.turns : new Map([...view.turns].filter(([of]) => of !== id))
  return { items: view.items.map((one) => (one === item ? next : one)), counts, turns }
}

function counted(counts: InboxCounts, item: InboxItem, by: number): InboxCounts {
  const asking = item.requiresAction ? by : 0
  return { pending: Math.max(0, counts.pending + by), requiresAction: Math.max(0, counts.requiresAction + asking) }
}

function plainOption({ label, description }: Option) {
  return description === undefined ? { label } : { label, description }
}

function askedItem(event: Incoming, given: { readonly id: string; readonly title: string; readonly body: string }) {
  const tags: string[] = []
  const title = (given.title.split('\n')[0] ?? '').slice(0, 200)
  return {
    ...({
      id: given.id,
      title,
      body: given.body,
      tags,
      criticality: 'NORMAL',
      requiresAction: true,
      status: 'PENDING',
      read: false,
    } as const),
    ...(typeof event.session === 'string' ? { session: event.session } : {}),
    ...(typeof event.process === 'string' ? { process: event.process } : {}),
    at: typeof event.at === 'number' ? new Date(event.at).toISOString() : (event.at ?? ''),
  }
}

const types: readonly InboxItem['type'][] = [
  'APPROVAL', 'DECISION', 'FEEDBACK', 'ORDERING', 'STRUCTURE_EDIT', 'OUTPUT_TEXT', 'OUTPUT_IMAGE', 'OUTPUT_DOCUMENT', 'NOTICE',
] // biome-ignore format: one line reads better
const statuses: readonly InboxItem['status'][] = ['PENDING', 'ANSWERED', 'DISMISSED', 'ARCHIVED']
const grades: readonly InboxItem['criticality'][] = ['LOW', 'NORMAL', 'CRITICAL']

function statusOf(value: unknown): InboxItem['status'] | null {
  return statuses.find((one) => one === value) ?? null
}

/** null for what is no item; a payload that is none is empty, since only its words are shown. */
function readItem(value: unknown): InboxItem | null {
  const given = record(value)
  const [id, title, body] = [text(given?.id), text(given?.title), text(given?.body)]
  const [type, status] = [types.find((one) => one === given?.type), statusOf(given?.status)]
  if (!given || id === null || title === null || body === null || type === undefined || status === null) return null
  const [session, process] = [text(given.session), text(given.process)]
  return {
    ...{ id, title, body, type, status, tags: [], payload: {} },
    criticality: grades.find((one) => one === given.criticality) ?? 'NORMAL',
    requiresAction: given.requiresAction === true,
    read: given.read === true,
    ...(session === null ? {} : { session }),
    ...(process === null ? {} : { process }),
    at: text(given.at) ?? '',
  }
}
