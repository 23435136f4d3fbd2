// What waits for a yes, as a card: what, why, what comes of it, the exact text, for how long, until when. Nothing is approved by one key,
// and nothing in the first moment after the card came (UI guide, section 6).

import { headline } from '../../src/protocol/asks-elsewhere.ts'
import type { OpenApproval } from '../../src/protocol/view.ts'
import { visible } from '../../src/protocol/visible.ts'
import { el, type Piece, say } from './dom.ts'
import type { Decision } from './hub.ts'
import { icon } from './icons.ts'
import { previewBox } from './preview.ts'
import { clockTime, leftUntil, scopeWords, words } from './words.ts'

export type ApprovalActs = { readonly decide: (approval: string, decision: Decision) => void }
/** Where the card does not stand in its own conversation: the way there. */
export type WayThere = () => void
export type ApprovalShown = {
  readonly name: string
  readonly now: number
  /** Why it was not taken; null: it is on its way; undefined: nothing was pressed. */
  readonly problem: string | null | undefined
  readonly acts: ApprovalActs
  readonly open?: WayThere
}

const STILL_MS = 600

export function approvalPiece(asked: OpenApproval, shown: ApprovalShown): Piece {
  const { now, name } = shown
  const make = () => makeCard(asked, shown)
  const update = (node: HTMLElement) => {
    const [until, problem] = [node.querySelector('.until'), node.querySelector('.problem')]
    if (until) say(until, words.untilLeft(clockTime(asked.expiresAt, now), leftUntil(asked.expiresAt, now)))
    if (problem) say(problem, shown.problem === null ? words.deciding : (shown.problem ?? ''))
  }
  return { key: `approval ${asked.id}`, sign: JSON.stringify([asked, name]), make, update }
}

function makeCard(asked: OpenApproval, { name, acts, open }: ApprovalShown): HTMLElement {
  const title = el('h3', { id: `a-${asked.id}`, dir: 'auto' }, visible(headline(asked)))
  const head = el('div', { class: 'head' }, icon('ask'), words.needsYes(name), el('span', { class: 'until' }))
  const box = asked.preview?.trim() ? previewBox(visible(asked.preview)) : null
  const scope = scopeSelect(asked)
  const since = performance.now()
  const allow = el('button', { type: 'button', class: 'primary', 'data-focus': `${asked.id} allow` }, allowWord(scope.value))
  const deny = el('button', { type: 'button', class: 'plain', 'data-focus': `${asked.id} deny` }, words.deny)
  scope.addEventListener('change', () => say(allow, allowWord(scope.value)))
  deny.addEventListener('click', () => acts.decide(asked.id, { decision: 'deny' }))
  allow.addEventListener('click', () => {
    if (performance.now() - since >= STILL_MS) acts.decide(asked.id, { decision: 'allow', scope: scope.value })
  })
  const there = open ? el('button', { type: 'button', class: 'quiet', on: { click: open } }, words.openConversation) : null
  const holds = el('label', { class: 'holds' }, words.holdsFor, scope)
  const feet = el('div', { class: 'feet' }, holds, el('span', { class: 'space' }), there, deny, allow)
  const note = el('p', { class: 'note' }, words.silence)
  const problem = el('p', { class: 'problem', role: 'status' })
  const card = el('section', { class: 'card approval', tabindex: -1, 'aria-labelledby': title.id, 'data-focus': `card ${asked.id}` })
  card.append(head, title, facts(asked), ...(box ? [box] : []), note, feet, problem)
  card.addEventListener('keydown', (event) => moveTo(event, { allow, deny }))
  return card
}

function facts(asked: OpenApproval): HTMLElement {
  const rows: readonly (readonly [string, string])[] = [
    [words.what, `${asked.capability} · ${asked.target}`],
    [words.why, asked.why],
    [words.effect, asked.consequences],
    [words.instead, asked.alternatives?.join('; ') ?? ''],
    [words.risk, `${asked.risk} · ${asked.tool}`],
  ]
  const told = rows.filter(([, text]) => text.trim() !== '')
  return el('dl', { class: 'facts' }, ...told.flatMap(([label, text]) => [el('dt', {}, label), el('dd', { dir: 'auto' }, visible(text))]))
}

/** The first is the narrowest and the one that is meant when nothing is chosen. */
function scopeSelect(asked: OpenApproval): HTMLSelectElement {
  const options = asked.scopes.map((scope) => el('option', { value: scope }, scopeWords(scope)))
  return el('select', { 'data-focus': `${asked.id} scope` }, ...options)
}

function allowWord(scope: string): string {
  return scope === 'once' ? words.allowOnce : words.allowFor(scopeWords(scope))
}

/** A and D go to the buttons; Enter presses there. */
function moveTo(event: KeyboardEvent, { allow, deny }: { readonly allow: HTMLElement; readonly deny: HTMLElement }): void {
  if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return
  const key = event.key.toLowerCase()
  if (key === 'a') allow.focus()
  if (key === 'd') deny.focus()
}
