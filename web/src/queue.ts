// What waits while a turn runs, as rows above the composer in the order in which they will go: the conversation does not move for them.

import { waiting } from '../../src/protocol/branch.ts'
import { el, keep, type Piece } from './dom.ts'
import { type IconName, icon } from './icons.ts'
import type { OutItem } from './outbox.ts'
import { currentSession, isOffline, type State, unseenLines } from './state.ts'
import { nameOf, waits, words } from './words.ts'

export type QueueActs = { readonly remove: (item: string) => void; readonly sendAnyway: (item: string) => void }

/** Whether new lines stand in line above the composer instead of in the conversation. */
export function isQueueing(state: State): boolean {
  return state.view !== null && state.view.turn !== null
}

/** The ids of all lines that wait, here or at the hub, oldest first. */
export function waitingIds(state: State): readonly string[] {
  const atHub = state.view ? waiting(state.view).map((line) => line.clientId ?? line.id) : []
  return [...atHub, ...unseenLines(state).map((item) => item.id)]
}

export function makeQueue(acts: QueueActs): { readonly node: HTMLElement; draw(state: State): void } {
  const node = el('ol', { class: 'queue', 'aria-label': words.queue })
  return {
    node,
    draw(state) {
      const pieces = isQueueing(state) ? rows(state, acts) : []
      node.hidden = pieces.length === 0
      keep(node, pieces)
    },
  }
}

function rows(state: State, acts: QueueActs): readonly Piece[] {
  const name = nameOf(currentSession(state)?.agent)
  const atHub = state.view ? waiting(state.view) : []
  return [
    ...atHub.map((line, index) =>
      row(line.clientId ?? line.id, 'queued', { picture: 'queued', text: line.text, fate: waits(index, name) }, []),
    ),
    ...unseenLines(state).map((item) => localRow(item, state, acts)),
  ]
}

function localRow(item: OutItem, state: State, acts: QueueActs): Piece {
  const { text, id, refused } = item
  if (refused !== null)
    return row(id, 'outbox', { picture: 'unknown', text, fate: words.notSent(refused) }, [
      { label: words.sendAnyway, click: () => acts.sendAnyway(id) },
      { label: words.remove, click: () => acts.remove(id) },
    ])
  const isHere = isOffline(state) && !state.sent.some((one) => one.id === id)
  return row(id, 'outbox', { picture: isHere ? 'offline' : 'queued', text, fate: isHere ? words.saved : words.sending }, [])
}

type Shown = { readonly picture: IconName; readonly text: string; readonly fate: string }
type Choice = { readonly label: string; readonly click: () => void }

function row(id: string, kind: string, { picture, text, fate }: Shown, choices: readonly Choice[]): Piece {
  const make = () => {
    const buttons = choices.map(({ label, click }) => el('button', { type: 'button', class: 'quiet small', on: { click } }, label))
    const words = el('span', { class: 'text', dir: 'auto', title: text }, text)
    return el('li', { class: kind }, icon(picture), words, el('span', { class: 'fate' }, fate), ...buttons)
  }
  return { key: id, sign: JSON.stringify([kind, text, fate]), make }
}
