// The line above the conversation: its title, its project, its state, and what can be done with it.

import { el, keep, type Piece, say } from './dom.ts'
import type { Steer } from './hub.ts'
import { icon } from './icons.ts'
import { needsYou } from './inbox.ts'
import { currentSession, homeOf, type State } from './state.ts'
import { atRest, stateOf, words } from './words.ts'

export type HeaderActs = { readonly showList: () => void; readonly steer: (verb: Steer) => void }
export type Header = { readonly node: HTMLElement; readonly menu: HTMLElement; draw(state: State): void }

export function makeHeader(acts: HeaderActs): Header {
  const title = el('h1', { dir: 'auto' })
  const pills = el('span', {})
  const ends = el('span', {})
  const menu = el(
    'button',
    {
      type: 'button',
      class: 'quiet icon-only menu',
      'aria-label': words.openList,
      'aria-controls': 'sidebar',
      title: words.openList,
      on: { click: acts.showList },
    },
    icon('menu', 'big'),
  )
  const node = el('header', { class: 'top', 'data-region': true }, menu, title, pills, el('span', { class: 'space' }), ends)
  return {
    node,
    menu,
    draw(state) {
      const name = titleOf(state)
      say(title, name)
      title.title = name
      const isStart = state.current === null && state.place === null && state.room === 'talk'
      const count = needsYou(state) > 0 ? `(${needsYou(state)}) ` : ''
      const page = count + (isStart ? words.name : `${name} · ${words.name}`)
      if (document.title !== page) document.title = page
      keep(pills, [...projectPill(state), ...statePill(state)])
      keep(ends, pauseButton(state, acts))
    },
  }
}

export function titleOf(state: State): string {
  if (state.room === 'inbox') return words.inbox
  const home = homeOf(state)
  if (state.current === null) return state.place === null && home === null ? words.home : words.newConversation
  if (state.current === home?.id) return words.home
  return state.view?.title || currentSession(state)?.title || words.untitled
}

function projectPill(state: State): readonly Piece[] {
  const project = state.current === null ? state.place : (currentSession(state)?.project ?? null)
  if (project === null || state.room === 'inbox' || project === state.me?.home) return []
  const name = state.projects.find((one) => one.name === project)?.title || project
  return [{ key: 'project', sign: name, make: () => el('span', { class: 'pill', dir: 'auto' }, icon('folder'), name) }]
}

function statePill(state: State): readonly Piece[] {
  const { view } = state
  if (view === null || state.room === 'inbox') return []
  const status = view.turn?.paused ? 'PAUSED' : view.turn && view.status !== 'BLOCKED' ? 'RUNNING' : view.status
  const shown = stateOf(status, view.questions.length + view.approvals.length > 0)
  if (shown === atRest) return []
  const { word, icon: picture, kind } = shown
  const make = () => el('span', { class: `pill ${kind}` }, icon(picture, kind === 'is-accent' ? 'dot' : ''), word)
  return [{ key: 'state', sign: word, make }]
}

function pauseButton(state: State, acts: HeaderActs): readonly Piece[] {
  const turn = state.view?.turn
  if (!turn || turn.stopping || state.room === 'inbox') return []
  const verb = turn.paused ? 'resume' : 'pause'
  const label = turn.paused ? words.resume : words.pause
  const make = () =>
    el(
      'button',
      { type: 'button', class: 'quiet', 'data-focus': 'pause', on: { click: () => acts.steer(verb) } },
      icon(turn.paused ? 'go' : 'paused'),
      label,
    )
  return [{ key: 'pause', sign: verb, make }]
}
