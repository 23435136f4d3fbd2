// Where the person writes. Keeps a draft per conversation on the device; sends on Enter, except where a finger writes.

import { el, keep, type Piece, say } from './dom.ts'
import type { Mode } from './hub.ts'
import { icon } from './icons.ts'
import { answered, currentSession, isOffline, type State } from './state.ts'
import { nameOf, words } from './words.ts'

export type ComposerActs = {
  readonly say: (text: string, when: 'now' | 'next') => void
  readonly answer: (question: string, text: string) => Promise<string | null>
  readonly setAside: (question: string) => void
  readonly stop: () => void
  readonly cancelEdit: () => void
  /** The last line that waits on this device comes back to be changed; null: none does. */
  readonly takeBack: () => Promise<string | null>
  readonly setMode: (mode: Mode) => void
}
export type Drafts = { get(key: string): string; set(key: string, text: string): void }
export type Composer = { readonly node: HTMLElement; draw(state: State): void; focus(): void; send(other: boolean): void }

export function makeComposer(acts: ComposerActs, drafts: Drafts): Composer {
  const field = el('textarea', { rows: 1, dir: 'auto', 'data-focus': 'composer', enterkeyhint: 'send', autocomplete: 'off' })
  const chips = el('div', {})
  const problem = el('p', { class: 'unseen', role: 'alert' })
  const tools = el('span', { class: 'tools' })
  const sendButton = el(
    'button',
    { type: 'button', class: 'primary send', 'aria-label': words.send, title: words.send },
    icon('send', 'big'),
  )
  const mode = modeSelect(acts)
  const ends = el('div', { class: 'tools' }, mode.node, el('span', { class: 'space' }), tools, sendButton)
  const node = el('div', { class: 'composer', 'data-region': true }, chips, field, problem, ends)
  const own: Own = { acts, drafts, field, problem, state: null, key: '', editing: null, when: 'now' }

  sendButton.addEventListener('click', () => void send(own, false))
  field.addEventListener('input', () => typed(own))
  field.addEventListener('keydown', (event) => void pressed(own, event))
  return {
    node,
    focus: () => field.focus({ preventScroll: true }),
    send: (other) => void send(own, other),
    draw(state) {
      own.state = state
      changeDraft(own, state)
      field.placeholder = placeholder(state)
      field.setAttribute('aria-label', placeholder(state))
      sendButton.title = isOffline(state) ? words.sendLater : words.send
      sendButton.setAttribute('aria-label', sendButton.title)
      keep(chips, [...editChip(own, state), ...answerChip(own, state)])
      keep(tools, toolPieces(own, state))
      mode.draw(state)
    },
  }
}

type Own = {
  readonly acts: ComposerActs
  readonly drafts: Drafts
  readonly field: HTMLTextAreaElement
  readonly problem: HTMLElement
  state: State | null
  key: string
  editing: string | null
  when: 'now' | 'next'
}

/** How much may be done without asking, in the shown conversation. */
function modeSelect(acts: ComposerActs) {
  const modes = ['read-only', 'ask', 'auto'] as const
  const options = modes.map((mode) => el('option', { value: mode }, words.modes[mode]))
  const select = el('select', { class: 'mode', 'aria-label': words.modeLabel, title: words.modeLabel, 'data-focus': 'mode' }, ...options)
  select.addEventListener('change', () => acts.setMode(modes.find((mode) => mode === select.value) ?? null))
  return {
    node: select,
    draw({ mode, view }: State) {
      select.hidden = mode === null || view === null || view.closed
      if (mode !== null && select.value !== mode && document.activeElement !== select) select.value = mode
    },
  }
}

function placeholder(state: State): string {
  const question = answered(state)
  if (question) return words.answerPlaceholder(question.options.length)
  return words.message(nameOf(currentSession(state)?.agent))
}

/** Each conversation has its own draft; a message that is changed has its text for a draft. */
function changeDraft(own: Own, state: State): void {
  const key = state.current ?? `new ${state.place ?? ''}`
  const editing = state.editing?.id ?? null
  if (key === own.key && editing === own.editing) return
  const isEdit = state.editing !== null && editing !== own.editing
  own.key = key
  own.editing = editing
  own.field.value = isEdit ? (state.editing?.text ?? '') : own.drafts.get(key)
  fit(own.field)
  if (isEdit) own.field.focus()
}

function typed(own: Own): void {
  if (own.editing === null) own.drafts.set(own.key, own.field.value)
  fit(own.field)
}

function fit(field: HTMLTextAreaElement): void {
  field.style.blockSize = 'auto'
  field.style.blockSize = `${Math.min(field.scrollHeight, 204)}px`
}

async function pressed(own: Own, event: KeyboardEvent): Promise<void> {
  if (event.isComposing || event.keyCode === 229) return
  if (event.key === 'Escape' && own.editing !== null) own.acts.cancelEdit()
  if (event.key === 'ArrowUp' && own.field.value === '') {
    event.preventDefault()
    const text = await own.acts.takeBack()
    if (text !== null) put(own, text)
  }
  if (event.key !== 'Enter' || event.shiftKey) return
  const isOther = event.ctrlKey || event.metaKey
  if (!isOther && matchMedia('(pointer: coarse)').matches) return
  event.preventDefault()
  await send(own, isOther)
}

/** `other`: with the other of Now and Next. */
async function send(own: Own, other: boolean): Promise<void> {
  const text = own.field.value
  const { state, acts } = own
  if (state === null || text.trim() === '') return
  const question = state.editing === null ? answered(state) : null
  put(own, '')
  if (question) {
    const option = question.options[Number(text.trim()) - 1]
    const isNumber = /^[1-9]$/.test(text.trim()) && option !== undefined
    const refused = await acts.answer(question.id, isNumber ? option.label : text)
    if (refused !== null) refuse(own, text, refused)
    return
  }
  const when = other ? (own.when === 'now' ? 'next' : 'now') : own.when
  acts.say(text, state.view?.turn ? when : 'now')
}

function refuse(own: Own, text: string, why: string): void {
  if (own.field.value === '') put(own, text)
  say(own.problem, words.notSent(why))
}

function put(own: Own, text: string): void {
  own.field.value = text
  typed(own)
}

function editChip(own: Own, state: State): readonly Piece[] {
  if (state.editing === null) return []
  return [{ key: 'edit', sign: state.editing.id, make: () => chip('edit', words.editing, words.cancel, own.acts.cancelEdit) }]
}

function answerChip(own: Own, state: State): readonly Piece[] {
  const question = state.editing === null ? answered(state) : null
  if (question === null) return []
  const text = words.answers(nameOf(currentSession(state)?.agent), question.text)
  const make = () => chip('', text, words.talkInstead, () => own.acts.setAside(question.id))
  return [{ key: 'answer', sign: text, make }]
}

function chip(kind: string, text: string, label: string, click: () => void): HTMLElement {
  const close = el('button', { type: 'button', class: 'icon-only', 'aria-label': label, title: label, on: { click } }, icon('close'))
  return el('div', { class: `chip ${kind}` }, icon(kind === '' ? 'ask' : 'edit'), el('span', { dir: 'auto', title: text }, text), close)
}

function toolPieces(own: Own, state: State): readonly Piece[] {
  const turn = state.view?.turn
  if (!turn) return []
  const isStopping = turn.stopping || state.steering?.verb === 'stop'
  const makeStop = () =>
    el(
      'button',
      {
        type: 'button',
        class: 'plain',
        'data-focus': 'stop',
        'aria-disabled': isStopping ? 'true' : null,
        on: { click: () => !isStopping && own.acts.stop() },
      },
      icon('stop'),
      isStopping ? words.stopping : words.stop,
    )
  return [
    ...(answered(state) ? [] : [{ key: 'when', sign: own.when, make: () => whenSwitch(own) }]),
    { key: 'stop', sign: String(isStopping), make: makeStop },
  ]
}

function whenSwitch(own: Own): HTMLElement {
  const choice = (when: 'now' | 'next', label: string, hint: string) => {
    const input = el('input', { type: 'radio', name: 'when', value: when, checked: own.when === when })
    input.addEventListener('change', () => {
      own.when = when
    })
    return el('label', { title: hint }, input, label)
  }
  return el(
    'span',
    { class: 'switch', role: 'radiogroup', 'aria-label': words.whenGroup },
    choice('now', words.now, words.nowHint),
    choice('next', words.next, words.nextHint),
  )
}
