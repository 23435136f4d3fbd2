// A question as a card with its answers as buttons, and notices between the lines.

import type { Notice, OpenQuestion } from '../../src/protocol/view.ts'
import { el, type Piece } from './dom.ts'
import { type IconName, icon } from './icons.ts'
import { clockTime, noticeWords, words } from './words.ts'

export type CardActs = { readonly answer: (question: string, option: string) => void; readonly retry: (message: string) => void }

/** 1 to 9 move to the option while the card has the focus; Enter presses it. Nothing is answered by one key. */
export function questionPiece(question: OpenQuestion, name: string, now: number, acts: CardActs): Piece {
  const make = () => {
    const options = question.options.map((option, index) => optionButton(question, option, index, acts))
    const title = el('h3', { id: `q-${question.id}`, dir: 'auto' }, question.text)
    const until = question.due === null ? words.untilAnswered : words.until(clockTime(question.due, now))
    const group = el('div', { class: 'options', role: 'group', 'aria-labelledby': title.id }, ...options)
    group.addEventListener('keydown', (event) => {
      const option = /^[1-9]$/.test(event.key) ? options[Number(event.key) - 1] : undefined
      option?.focus()
    })
    const head = el('div', { class: 'head' }, icon('ask'), words.needsAnswer(name), el('span', { class: 'until' }, until))
    const hint = el('p', { class: 'note' }, options.length > 0 ? words.orType : words.typeBelow)
    return el('section', { class: 'card', tabindex: -1 }, head, title, options.length > 0 && group, hint)
  }
  return { key: `question ${question.id}`, sign: JSON.stringify([question, name]), make }
}

function optionButton(question: OpenQuestion, option: OpenQuestion['options'][number], index: number, acts: CardActs): HTMLButtonElement {
  const label = el('span', { dir: 'auto' }, option.label, option.description ? el('small', {}, option.description) : null)
  return el(
    'button',
    {
      type: 'button',
      class: 'option',
      'data-focus': `${question.id} ${index}`,
      on: { click: () => acts.answer(question.id, option.label) },
    },
    el('span', { class: 'number', 'aria-hidden': 'true' }, String(index + 1)),
    label,
  )
}

const pictures: Readonly<Record<Notice['kind'], IconName>> = {
  failed: 'failed',
  unknown: 'unknown',
  held: 'waits',
  refused: 'unknown',
  answered: 'done',
  allowed: 'done',
  denied: 'done',
  withdrawn: 'waits',
  quarantined: 'failed',
  closed: 'done',
}

const still: ReadonlySet<Notice['kind']> = new Set(['answered', 'withdrawn', 'allowed', 'denied'])

export function noticePiece(notice: Notice, name: string, acts: CardActs): Piece {
  const { head, more } = noticeWords(notice, name)
  const make = () => {
    if (still.has(notice.kind)) return el('p', { class: 'notice still', dir: 'auto' }, icon(pictures[notice.kind]), `${head} ${more}`)
    const kind = notice.kind === 'failed' || notice.kind === 'quarantined' ? 'danger' : notice.kind === 'unknown' ? 'attn' : ''
    const after = notice.after
    const again =
      notice.kind === 'failed' && after !== null
        ? el('button', { type: 'button', class: 'plain', 'data-focus': 'retry', on: { click: () => acts.retry(after) } }, words.retry)
        : null
    const text = el('p', { dir: 'auto' }, el('strong', {}, head), ` ${more}`)
    return el('div', { class: `notice bar ${kind}` }, icon(pictures[notice.kind], 'big'), text, again)
  }
  return { key: `notice ${notice.id}`, sign: JSON.stringify([notice, name]), make }
}
