// The list of conversations: home first, then what needs the person, what works, the rest.

import type { Session } from '../../src/protocol/shapes.ts'
import { waitsIn } from './asks.ts'
import { el, keep, type Piece, say } from './dom.ts'
import { icon } from './icons.ts'
import { needsYou } from './inbox.ts'
import { homeOf, type State } from './state.ts'
import { age, nameOf, stateOf, words } from './words.ts'

export type SidebarActs = {
  readonly open: (session: string | null) => void
  readonly signOut: () => void
  readonly hide: () => void
  readonly showInbox: () => void
}

export type Sidebar = { readonly node: HTMLElement; draw(state: State, now: number): void }

export function makeSidebar(acts: SidebarActs): Sidebar {
  const list = el('nav', { 'aria-label': words.conversations })
  const user = el('span', { dir: 'auto' })
  const begin = button('quiet icon-only', 'new', words.newConversation, () => acts.open(null))
  const hide = button('quiet icon-only menu', 'close', words.closeList, acts.hide)
  const signOut = el('button', { type: 'button', class: 'quiet small', on: { click: acts.signOut } }, words.signOut)
  const node = el(
    'div',
    { class: 'sidebar', id: 'sidebar', 'data-region': true },
    el('header', {}, el('span', { class: 'name' }, words.name), el('span', {}, begin, hide)),
    list,
    el('footer', {}, user, signOut),
  )
  return {
    node,
    draw(state, now) {
      say(user, state.me?.user.name ?? '')
      keep(list, pieces(state, now, acts))
    },
  }
}

function button(kind: string, picture: 'new' | 'close', label: string, click: () => void): HTMLElement {
  return el('button', { type: 'button', class: kind, 'aria-label': label, title: label, on: { click } }, icon(picture, 'big'))
}

function pieces(state: State, now: number, acts: SidebarActs): readonly Piece[] {
  const sessions = state.sessions ?? []
  const home = homeOf(state)
  const others = sessions.filter((one) => one !== home)
  const groups = [words.pinned, words.needsYou, words.working, words.earlier]
  const rows = groups.flatMap((group) => {
    const inside = others.filter((one) => groupOf(one, state) === group)
    return inside.length === 0 ? [] : [title(group), ...inside.map((one) => row(one, state, now, acts))]
  })
  const none = state.sessions !== null && others.length === 0 ? [title(words.conversations), note(words.noConversations)] : []
  return [homeRow(home, state, acts), inboxRow(state, acts), ...rows, ...none]
}

function groupOf(session: Session, state: State): string {
  if (asks(session, state)) return words.needsYou
  if (session.processStatus === 'RUNNING' || session.processStatus === 'BLOCKED') return words.working
  return session.pinned ? words.pinned : words.earlier
}

function asks(session: Session, state: State): boolean {
  return session.openQuestions.length > 0 || waitsIn(state.waiting, session.id)
}

function inboxRow(state: State, acts: SidebarActs): Piece {
  const [count, isShown] = [needsYou(state), state.room === 'inbox']
  const make = () =>
    el(
      'button',
      {
        type: 'button',
        class: 'row door',
        'aria-current': isShown ? 'page' : null,
        'data-focus': 'inbox',
        on: { click: acts.showInbox },
      },
      icon('inbox', 'big'),
      words.inbox,
      count > 0 && el('span', { class: 'pill is-attn' }, icon('ask'), words.needYou(count)),
    )
  return { key: 'inbox', sign: JSON.stringify([count, isShown]), make }
}

function title(text: string): Piece {
  return { key: `group ${text}`, sign: text, make: () => el('h2', {}, text) }
}

function note(text: string): Piece {
  return { key: `note ${text}`, sign: text, make: () => el('p', { class: 'note' }, text) }
}

function homeRow(home: Session | null, state: State, acts: SidebarActs): Piece {
  const isHere = home === null ? state.current === null && state.place === null : state.current === home.id
  const isShown = isHere && state.room === 'talk'
  const isAsked = home !== null && asks(home, state)
  const make = () =>
    el(
      'button',
      {
        type: 'button',
        class: 'row home',
        'aria-current': isShown ? 'page' : null,
        'data-focus': 'home',
        on: { click: () => acts.open(home?.id ?? null) },
      },
      icon('home', 'big'),
      words.home,
      isAsked && el('span', { class: 'pill is-attn' }, icon('ask'), stateOf('', true).word),
    )
  return { key: 'home', sign: JSON.stringify([home?.id, isShown, isAsked]), make }
}

function row(session: Session, state: State, now: number, acts: SidebarActs): Piece {
  const { word, icon: picture, kind } = stateOf(session.processStatus, asks(session, state))
  const isShown = state.current === session.id && state.room === 'talk'
  const second = [word, nameOf(session.agent), age(session.lastActivityAt, now)].filter((part) => part !== '').join(' · ')
  const name = session.title || words.untitled
  const make = () =>
    el(
      'button',
      {
        type: 'button',
        class: 'row',
        title: name,
        'aria-current': isShown ? 'page' : null,
        'data-focus': session.id,
        on: { click: () => acts.open(session.id) },
      },
      el('span', { class: 'title', dir: 'auto' }, name),
      el('span', { class: `state ${kind}` }, icon(picture), second),
    )
  return { key: session.id, sign: JSON.stringify([name, second, kind, isShown]), make }
}
