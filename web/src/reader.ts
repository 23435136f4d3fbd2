// The place where the conversation is read: drawing its lines, and leaving the person's view where it is.

import { el, keep, type Piece } from './dom.ts'
import type { Decision } from './hub.ts'
import { icon } from './icons.ts'
import { linePieces, newestOwn } from './lines.ts'
import { isQueueing, waitingIds } from './queue.ts'
import type { State } from './state.ts'
import type { Talk } from './talk.ts'
import { words } from './words.ts'

export type Reader = { readonly node: HTMLElement; draw(state: State): void }

const UNDER_HEADER = 24
const WAIT_MS = 200
const LONG_MS = 5_000

export function makeReader({ talk, now }: { readonly talk: () => Talk; readonly now: () => number }): Reader {
  const list = el('div', { role: 'log', 'aria-live': 'off', 'aria-label': words.conversation })
  const top = el('div', {})
  const room = el('div', { 'aria-hidden': 'true' })
  const more = el('button', { type: 'button', class: 'plain small' }, icon('down'), words.moreBelow)
  const moreBox = el('div', { class: 'more', hidden: true }, more)
  const lines = el('div', { class: 'lines' }, top, list, room)
  const node = el('div', { class: 'scroll', tabindex: -1, 'data-region': true }, lines, moreBox)
  const acts = lineActs(talk)
  const sight = watchSight({ node, list, room, moreBox })
  more.addEventListener('click', () => sight.toEnd())
  return {
    node,
    draw(state) {
      keep(
        top,
        topPieces(state, now(), (place) => void talk().open(null, place)),
      )
      keep(list, linePieces(state, now(), acts))
      sight.drawn(state)
    },
  }
}

function lineActs(talk: () => Talk) {
  return {
    answer: (question: string, option: string) => void talk().answer(question, { option }),
    retry: (message: string) => void talk().retry(message),
    edit: (message: string) => talk().edit(message),
    choose: (message: string) => void talk().choose(message),
    copy: (text: string) => void navigator.clipboard?.writeText(text),
    remove: (item: string) => void talk().sending.remove(item),
    sendAnyway: (item: string) => void talk().sending.sendAnyway(item),
    stop: () => void talk().steer('stop'),
    decide: (approval: string, decision: Decision) => void talk().asks.decide(approval, decision),
    readTurn: (turn: string) => void talk().asks.readTurn(turn),
  }
}

type SightParts = { readonly node: HTMLElement; readonly list: HTMLElement; readonly room: HTMLElement; readonly moreBox: HTMLElement }

/**
 * On send, the sent line moves under the header, once, and the answer grows below it. At the first sight of a conversation its end is
 * shown. Otherwise nothing moves, also not for a line that waited above the composer: what is below the edge is told by a button.
 */
function watchSight({ node, list, room, moreBox }: SightParts) {
  const seen: Seen = { session: undefined, own: null, anchor: null, waited: new Set() }
  const below = () => list.getBoundingClientRect().bottom - node.getBoundingClientRect().bottom
  const tell = () => {
    moreBox.hidden = below() < 40
  }
  const lineOf = (id: string | null) => (id === null ? null : list.querySelector<HTMLElement>(`[data-line="${CSS.escape(id)}"]`))
  /** Room below the line that was sent last, so that it can stand at the top. */
  const makeRoom = (line: HTMLElement | null) => {
    const height = line ? list.getBoundingClientRect().bottom - line.getBoundingClientRect().top : 0
    const missing = line ? node.clientHeight - UNDER_HEADER - height - 16 : 0
    room.style.blockSize = `${Math.max(0, missing)}px`
  }
  node.addEventListener('scroll', tell, { passive: true })
  return {
    toEnd() {
      node.scrollTop += below() + UNDER_HEADER
    },
    drawn(state: State) {
      const what = move(seen, state)
      makeRoom(lineOf(seen.anchor))
      const line = lineOf(seen.anchor)
      if (what === 'end') node.scrollTop = node.scrollHeight
      if (what === 'line' && line) node.scrollTop += line.getBoundingClientRect().top - node.getBoundingClientRect().top - UNDER_HEADER
      tell()
    },
  }
}

type Seen = { session: string | null | undefined; own: string | null; anchor: string | null; readonly waited: Set<string> }

/** Where the view goes now: to the end, to the line that was sent, or nowhere. */
function move(seen: Seen, state: State): 'end' | 'line' | null {
  const newest = newestOwn(state)
  if (isQueueing(state)) for (const id of waitingIds(state)) seen.waited.add(id)
  // The conversation that a first line began is the one that was looked at all along.
  const isBegun = seen.session === null && newest !== null && newest === seen.own
  const isOther = state.current !== seen.session && !isBegun
  const isSent = newest !== null && newest !== seen.own && !seen.waited.has(newest) && isOwn(state, newest)
  seen.session = state.current
  if (isOther) seen.anchor = null
  const isFirst = isOther || (seen.own === null && !isSent && newest !== null)
  seen.own = newest
  if (isFirst) return 'end'
  if (isSent) seen.anchor = newest
  return isSent ? 'line' : null
}

/** Said here, not on another device. */
function isOwn(state: State, id: string): boolean {
  return [...state.outbox, ...state.sent].some((item) => item.id === id)
}

function topPieces(state: State, now: number, choose: (place: string | null) => void): readonly Piece[] {
  if (state.current === null) return [welcome(state, choose)]
  if (state.readingSince === null || now - state.readingSince < WAIT_MS) return []
  const isLong = now - state.readingSince > LONG_MS
  const make = () => {
    const greys = [1, 2, 3].map(() => el('div', { class: 'grey', 'aria-hidden': 'true' }))
    const text = el('p', { class: isLong ? '' : 'unseen', role: 'status' }, words.loading, isLong && `. ${words.loadingLong}`)
    return el('div', {}, ...greys, text)
  }
  return [{ key: 'loading', sign: String(isLong), make }]
}

function welcome(state: State, choose: (place: string | null) => void): Piece {
  const make = () => {
    const options = state.projects
      .filter((one) => one.kind === 'NORMAL')
      .map((one) => el('option', { value: one.name }, one.title || one.name))
    const select = el('select', { 'data-focus': 'place' }, el('option', { value: '' }, words.home), ...options)
    select.value = state.place ?? ''
    select.addEventListener('change', () => choose(select.value || null))
    const where = options.length > 0 ? el('label', {}, words.where, select) : null
    return el('div', { class: 'empty' }, el('h2', {}, words.ready), el('p', {}, words.readyMore), where)
  }
  return { key: 'welcome', sign: JSON.stringify([state.projects.map((one) => [one.name, one.title]), state.place]), make }
}
