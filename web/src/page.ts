// The page as a whole: what stands where, what the keys do, what is drawn when.

import { announcements, openAnnouncer } from './announce.ts'
import { makeBars } from './bars.ts'
import { type Drafts, makeComposer } from './composer.ts'
import { makeCover } from './cover.ts'
import { el } from './dom.ts'
import { makeDrawer } from './drawer.ts'
import { makeHeader } from './header.ts'
import { makeInbox } from './inbox.ts'
import { listenToKeys } from './keys.ts'
import { makeQueue } from './queue.ts'
import { makeReader } from './reader.ts'
import { makeSidebar } from './sidebar.ts'
import { currentSession, firstState, type State } from './state.ts'
import type { Talk } from './talk.ts'
import { nameOf, words } from './words.ts'

export type PageNeeds = {
  readonly root: HTMLElement
  readonly polite: HTMLElement
  readonly urgent: HTMLElement
  readonly talk: () => Talk
  readonly drafts: Drafts
  readonly now: () => number
  /** Wide enough for the list beside the conversation. */
  readonly wide: MediaQueryList
}

/** At most one drawing in so many milliseconds while words stream in. */
const FRAME_MS = 50

/** Builds the page once; the returned function shows a state. */
export function makePage(needs: PageNeeds): (state: State) => void {
  const parts = makeParts(needs)
  const announce = openAnnouncer(needs.polite, needs.urgent)
  let state = firstState
  let drawnAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const drawNow = () => {
    timer = undefined
    drawnAt = needs.now()
    parts.draw(state)
  }
  setInterval(() => state.phase === 'ready' && drawNow(), 1_000)
  return (next) => {
    announce(announcements(state, next, nameOf(currentSession(next)?.agent)))
    const isStream = state.view !== null && next.view !== null && state.view.cursor === next.view.cursor && next.view.writing.length > 0
    state = next
    if (!isStream) clearTimeout(timer)
    if (!isStream) drawNow()
    else timer ??= setTimeout(drawNow, Math.max(0, FRAME_MS - (needs.now() - drawnAt)))
  }
}

function makeParts(needs: PageNeeds): { draw(state: State): void } {
  const { talk, now, wide } = needs
  const drawer = makeDrawer(wide)
  const sidebar = makeSidebar({
    open(session) {
      drawer.close()
      void talk().open(session)
      composer.focus()
    },
    signOut: () => void talk().signOut(),
    hide: () => drawer.close(),
    showInbox() {
      drawer.close()
      talk().showInbox()
    },
  })
  const header = makeHeader({ showList: () => drawer.open(), steer: (verb) => void talk().steer(verb) })
  const composer = makeComposer(
    {
      say: (text, when) => void talk().say(text, when),
      answer: (question, text) => talk().answer(question, { text }),
      setAside: (question) => talk().setAside(question),
      stop: () => void talk().steer('stop'),
      cancelEdit: () => talk().edit(null),
      takeBack: () => talk().takeBack(),
      setMode: (mode) => void talk().asks.setMode(mode),
    },
    needs.drafts,
  )
  const reader = makeReader({ talk, now })
  const bars = makeBars({ tryNow: () => talk().tryNow(), reload: (session) => void talk().open(session) }, now)
  const inbox = makeInbox(
    {
      decide: (approval, decision) => void talk().asks.decide(approval, decision),
      open: (session) => void talk().open(session),
      act: (item, verb) => void talk().asks.act(item, verb),
      answer: (item, value) => void talk().asks.answerItem(item, value),
    },
    now,
  )
  const queue = makeQueue({
    remove: (item) => void talk().sending.remove(item),
    sendAnyway: (item) => void talk().sending.sendAnyway(item),
  })
  const cover = makeCover()
  const scrim = el('div', { class: 'scrim', on: { click: () => drawer.close() } })
  const dock = el('div', { class: 'dock' }, bars.node, queue.node, composer.node)
  const main = el('main', { class: 'main', id: 'main' }, header.node, reader.node, dock, inbox.node)
  const skip = el('a', { class: 'skip', href: '#main', on: { click: (event) => skipTo(event, reader.node) } }, words.skip)
  const shell = el('div', { class: 'shell' }, skip, sidebar.node, scrim, main)
  drawer.attach({ sidebar: sidebar.node, scrim, opener: header.menu })
  listenToKeys({ talk, composer, drawer, shell, reader: reader.node })
  return {
    draw(state) {
      const isReady = state.phase === 'ready'
      show(needs.root, isReady ? shell : cover.node)
      if (!isReady) return cover.draw(state, now())
      sidebar.draw(state, now())
      header.draw(state)
      bars.draw(state)
      queue.draw(state)
      composer.draw(state)
      reader.draw(state)
      const isInbox = state.room === 'inbox'
      for (const node of [reader.node, dock]) node.hidden = isInbox
      inbox.node.hidden = !isInbox
      if (isInbox) inbox.draw(state)
    },
  }
}

function show(root: HTMLElement, node: HTMLElement): void {
  if (root.firstElementChild !== node) root.replaceChildren(node)
}

/** The fragment of the address names the conversation, so the link must not change it. */
function skipTo(event: Event, target: HTMLElement): void {
  event.preventDefault()
  target.focus()
}
