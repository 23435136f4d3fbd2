// The inbox: what needs the person, from every conversation, in one list. Decided items leave it at once.

import type { InboxItem } from '../../src/protocol/api-inbox.ts'
import type { OpenApproval } from '../../src/protocol/view.ts'
import { approvalPiece } from './approval-card.ts'
import { el, keep, type Piece, say } from './dom.ts'
import type { Decision, InboxVerb, ItemValue } from './hub.ts'
import { type IconName, icon } from './icons.ts'
import type { State } from './state.ts'
import { age, nameOf, words } from './words.ts'

export type InboxActs = {
  readonly decide: (approval: string, decision: Decision) => void
  readonly open: (session: string) => void
  readonly act: (item: string, verb: InboxVerb) => void
  readonly answer: (item: string, value: ItemValue) => void
}
export type Inbox = { readonly node: HTMLElement; draw(state: State): void }

export function makeInbox(acts: InboxActs, now: () => number): Inbox {
  const list = el('div', { class: 'items' })
  const node = el('div', { class: 'scroll inbox', tabindex: -1, 'data-region': true }, el('div', { class: 'lines' }, list))
  return { node, draw: (state) => keep(list, pieces(state, acts, now())) }
}

/** How many items need the person: what the badge says. */
export function needsYou({ inbox }: State): number {
  return inbox.counts.requiresAction
}

function pieces(state: State, acts: InboxActs, now: number): readonly Piece[] {
  const pending = state.inbox.items.filter((item) => item.status === 'PENDING')
  const needing = [...pending.filter((item) => item.requiresAction), ...pending.filter((item) => !item.requiresAction)]
  if (!state.inboxRead) return [line('loading', words.loading)]
  if (needing.length === 0) return [line('none', words.inboxEmpty)]
  return needing.map((item) => itemPiece(item, state, { acts, now }))
}

function line(key: string, text: string): Piece {
  return { key, sign: text, make: () => el('p', { class: 'none' }, text) }
}

type Shown = { readonly acts: InboxActs; readonly now: number }

function itemPiece(item: InboxItem, state: State, { acts, now }: Shown): Piece {
  const asked = state.waiting.find((one) => one.id === item.id)
  const problem = state.deciding.get(item.id)
  if (asked) {
    const card: OpenApproval = { ...asked, text: item.title }
    const open = () => acts.open(asked.session)
    return approvalPiece(card, { name: agentOf(state, item), now, problem, acts: { decide: acts.decide }, open })
  }
  const make = () => makeItem(item, acts)
  const update = (node: HTMLElement) => {
    const [when, told] = [node.querySelector('.until'), node.querySelector('.problem')]
    if (when) say(when, age(item.at, now))
    if (told) say(told, problem === null ? words.deciding : (problem ?? ''))
  }
  return { key: item.id, sign: JSON.stringify(item), make, update }
}

function agentOf(state: State, { session }: InboxItem): string {
  return nameOf(state.sessions?.find((one) => one.id === session)?.agent)
}

function makeItem(item: InboxItem, acts: InboxActs): HTMLElement {
  const { session } = item
  const picture: IconName = item.requiresAction ? 'ask' : 'done'
  const head = el('div', { class: 'head' }, icon(picture), kindWords[item.type], el('span', { class: 'until' }))
  const body = item.body.trim() === item.title.trim() ? null : el('p', { class: 'body', dir: 'auto' }, item.body)
  const open = session === undefined ? null : button(words.openConversation, () => acts.open(session))
  const isAsked = item.id.startsWith('ask_') || item.id.startsWith('apr_')
  const away = isAsked
    ? []
    : [button(words.dismiss, () => acts.act(item.id, 'dismiss')), button(words.archive, () => acts.act(item.id, 'archive'))]
  const feet = el('div', { class: 'feet' }, ...answers(item, acts), el('span', { class: 'space' }), open, ...away)
  const kind = item.requiresAction ? 'card item' : 'card item still'
  return el(
    'section',
    { class: kind, tabindex: -1 },
    head,
    el('h3', { dir: 'auto' }, item.title),
    body,
    feet,
    el('p', { class: 'problem', role: 'status' }),
  )
}

/** What is answered by a word; a text is written in its conversation, an order in the terminal. */
function answers(item: InboxItem, acts: InboxActs): readonly HTMLElement[] {
  if (!item.requiresAction) return []
  const say = (label: string, value: ItemValue) => button(label, () => acts.answer(item.id, value), 'plain')
  if (item.type === 'APPROVAL') return [say(words.allow, { approved: true }), say(words.deny, { approved: false })]
  if (item.type === 'STRUCTURE_EDIT') return [say(words.accept, { accepted: true }), say(words.reject, { accepted: false })]
  if (item.type === 'DECISION') return labelsOf(item).map((label) => say(label, { chosen: label }))
  if (item.type === 'ORDERING') return [el('code', { dir: 'ltr' }, `npx steward inbox answer ${item.id} 2,1,...`)]
  return item.id.startsWith('ask_') ? [] : [textAnswer(item, acts)]
}

function labelsOf({ payload }: InboxItem): readonly string[] {
  const options = payload['options']
  if (!Array.isArray(options)) return []
  return options.flatMap((one) => {
    const label = typeof one === 'object' && one !== null && !Array.isArray(one) ? one['label'] : one
    return typeof label === 'string' ? [label] : []
  })
}

function textAnswer(item: InboxItem, acts: InboxActs): HTMLElement {
  const field = el('input', {
    type: 'text',
    dir: 'auto',
    'aria-label': words.yourAnswer,
    placeholder: words.yourAnswer,
    'data-focus': `${item.id} text`,
  })
  const form = el('form', { class: 'words' }, field, el('button', { type: 'submit', class: 'plain' }, words.answer))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (field.value.trim() !== '') acts.answer(item.id, { text: field.value.trim() })
  })
  return form
}

function button(label: string, click: () => void, kind = 'quiet'): HTMLElement {
  return el('button', { type: 'button', class: kind, on: { click } }, label)
}

const kindWords: Readonly<Record<InboxItem['type'], string>> = {
  APPROVAL: words.needsYourYes,
  DECISION: words.needsChoice,
  FEEDBACK: words.needsWords,
  ORDERING: words.needsOrder,
  STRUCTURE_EDIT: words.needsYourYes,
  OUTPUT_TEXT: words.result,
  OUTPUT_IMAGE: words.result,
  OUTPUT_DOCUMENT: words.result,
  NOTICE: words.update,
}
