// The verbs of the page: sign in, open a conversation, say, stop, answer, choose a version. Changes the state, draws nothing.

import { linkedSession } from '../../src/protocol/asks-elsewhere.ts'
import { leafBelow } from '../../src/protocol/branch.ts'
import { emptyView, foldAll, type Incoming, type View } from '../../src/protocol/view.ts'
import { hasGap } from '../../src/protocol/writing.ts'
import { type Asks, openAsks } from './asks.ts'
import { waitBefore } from './backoff.ts'
import type { Hub, Steer } from './hub.ts'
import type { OutStore } from './outbox.ts'
import { openSending, type Sending } from './sending.ts'
import type { Frame, Socket } from './socket.ts'
import { openSocket } from './socket.ts'
import { homeOf, type Store, unseenLines } from './state.ts'
import { words } from './words.ts'

export type Talk = {
  /** Signs in with the code, when there is one, and shows the conversation, when one is named. */
  start(given: { readonly code: string | null; readonly session: string | null }): Promise<void>
  /** null: a conversation that is not begun, in that project. */
  open(session: string | null, place?: string | null): Promise<void>
  say(text: string, when: 'now' | 'next'): Promise<void>
  steer(verb: Steer): Promise<void>
  answer(question: string, answer: { readonly text: string } | { readonly option: string }): Promise<string | null>
  /** Lets the composer write a message although that question is open. */
  setAside(question: string): void
  choose(message: string): Promise<void>
  retry(message: string): Promise<void>
  edit(message: string | null): void
  /** The newest line that waits on this device comes back as text; null when none does. */
  takeBack(): Promise<string | null>
  tryNow(): void
  signOut(): Promise<void>
  /** Shows what needs the person instead of a conversation. */
  showInbox(): void
  readonly sending: Sending
  readonly asks: Asks
}

export type TalkNeeds = {
  readonly store: Store
  readonly hub: Hub
  readonly outbox: OutStore
  readonly socketAddress: string
  readonly newId: () => string
  readonly now: () => number
  readonly alone: (act: () => Promise<void>) => Promise<void>
  readonly tellOthers: () => void
  /** The session that is shown changed: the address bar follows. */
  readonly shown: (session: string | null) => void
}

type Inside = TalkNeeds & {
  socket: Socket | null
  readonly views: Map<string, View>
  frames: Frame[]
  /** A conversation was opened, or begun, since the sign-in. */
  chosen: boolean
  /** By the session that ordered their work. */
  readonly workers: Map<string, Set<string>>
  asks: Asks
  readonly list: Later
  readonly again: Later
}
type Later = { ask(): void }

const AGAIN_MS = 1_000
const listTypes: ReadonlySet<string> = new Set([
  'session-created',
  'session-updated',
  'process-status-changed',
  'question-asked',
  'question-answered',
])

export function openTalk(needs: TalkNeeds): Talk {
  const { store, hub } = needs
  const inside: Inside = {
    ...needs,
    socket: null,
    views: new Map(),
    frames: [],
    chosen: false,
    workers: new Map(),
    asks: openAsks({
      ...needs,
      signedOut: () => leave(inside),
      workersOf: (session) => inside.workers.get(session) ?? new Set(),
      keep: (view) => keepView(inside, view),
    }),
    list: later(300, () => void readSessions(inside)),
    again: later(AGAIN_MS, () => inside.socket?.again()),
  }
  const signedOut = () => leave(inside)
  const sending = openSending({
    ...needs,
    signedOut,
    made: (session) => {
      if (store.get().current === null) void open(inside, session)
      inside.list.ask()
    },
  })
  return {
    sending,
    asks: inside.asks,
    showInbox() {
      store.set({ room: 'inbox' })
      void inside.asks.look()
    },
    start: (given) => start(inside, sending, given),
    open: (session, place = null) => open(inside, session, place),
    async say(text, when) {
      const { editing } = store.get()
      store.set({ editing: null })
      await sending.say(text, { when, replaces: editing?.id ?? null })
    },
    steer: (verb) => steer(inside, verb),
    answer: (question, answer) => answerQuestion(inside, question, answer),
    setAside: (question) => store.set({ aside: new Set([...store.get().aside, question]) }),
    choose: (message) => choose(inside, message),
    retry: (message) => retry(inside, sending, message),
    edit(message) {
      const line = message === null ? undefined : store.get().view?.messages.get(message)
      store.set({ editing: line ? { id: line.id, text: line.text } : null })
    },
    async takeBack() {
      const item = unseenLines(store.get()).findLast((one) => store.get().outbox.some((kept) => kept.id === one.id))
      if (!item) return null
      await sending.remove(item.id)
      return item.text
    },
    tryNow() {
      inside.socket?.tryNow()
      void sending.push()
    },
    async signOut() {
      await hub.logout()
      leave(inside)
    },
  }
}

async function start(inside: Inside, sending: Sending, given: { code: string | null; session: string | null }): Promise<void> {
  const { store, hub } = inside
  for (let tries = 1; ; tries += 1) {
    const login = given.code === null ? null : await hub.login(given.code)
    if (login && !login.ok && login.kind === 'refused') store.set({ codeRefused: true })
    const me = await hub.me()
    if (me.ok) {
      store.set({ me: me.value, phase: 'ready', codeRefused: false })
      break
    }
    if (me.kind === 'signed-out' || me.kind === 'refused') return store.set({ phase: 'signed-out', codeRefused: given.code !== null })
    const wait = waitBefore(tries, Math.random())
    store.set({ connection: { is: 'offline', retryAt: inside.now() + wait } })
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  await sending.reload()
  connect(inside, sending)
  await Promise.all([readSessions(inside), readProjects(inside), inside.asks.look()])
  // The person may have been quicker, and is not pulled away.
  if (!inside.chosen) await open(inside, given.session ?? homeOf(store.get())?.id ?? null)
}

function connect(inside: Inside, sending: Sending): void {
  const { store } = inside
  inside.socket?.close()
  inside.socket = openSocket(inside.socketAddress, {
    frame: (frame, followed) => take(inside, frame, followed),
    signedOut: () => leave(inside),
    connection(connection) {
      const was = store.get().connection.is
      store.set({ connection })
      if (connection.is === 'online') void sending.push()
      if (connection.is === 'online' && was !== 'online') {
        inside.list.ask()
        void inside.asks.look()
      }
      if (connection.is === 'offline') void stillSignedIn(inside)
    },
  })
}

/** A socket that was refused for want of a login looks like one that can't be reached. */
async function stillSignedIn(inside: Inside): Promise<void> {
  const me = await inside.hub.me()
  if (!me.ok && me.kind === 'signed-out') leave(inside)
}

function leave(inside: Inside): void {
  inside.socket?.close()
  inside.socket = null
  inside.views.clear()
  inside.chosen = false
  inside.store.set({ phase: 'signed-out', left: true, me: null, sessions: null, view: null, current: null, waiting: [], inboxRead: false })
}

async function readSessions(inside: Inside): Promise<void> {
  const answer = await inside.hub.sessions()
  if (answer.ok) inside.store.set({ sessions: answer.value.items })
  else if (answer.kind === 'signed-out') leave(inside)
}

async function readProjects(inside: Inside): Promise<void> {
  const answer = await inside.hub.projects()
  if (answer.ok) inside.store.set({ projects: answer.value.items })
}

async function open(inside: Inside, session: string | null, place: string | null = null): Promise<void> {
  const { store } = inside
  inside.chosen = true
  const fresh = { current: session, place, editing: null, failure: null, steering: null, room: 'talk', mode: null } as const
  if (session === null) {
    store.set({ ...fresh, view: null, readingSince: null })
    inside.socket?.follow(null, () => null)
    return inside.shown(null)
  }
  const known = inside.views.get(session)
  store.set({ ...fresh, view: known ?? begin(inside, session), readingSince: known ? null : inside.now() })
  inside.shown(session)
  await read(inside, session)
}

function begin(inside: Inside, session: string): View {
  const process = inside.store.get().sessions?.find((one) => one.id === session)?.process ?? null
  return { ...emptyView(session), process }
}

/** Reads what happened since the view's cursor, page by page, then follows. */
async function read(inside: Inside, session: string): Promise<void> {
  const { store, hub } = inside
  for (;;) {
    const view = viewOf(inside, session)
    const answer = await hub.events(session, view.cursor)
    if (store.get().current !== session) return
    if (!answer.ok && answer.kind === 'refused' && answer.status === 410) return startOver(inside, session)
    if (!answer.ok) return unread(inside, session, answer.kind === 'refused' ? answer.why : null)
    learnWorkers(inside, session, answer.value.items)
    const next = foldAll(viewOf(inside, session), answer.value.items)
    keepView(inside, next)
    if (answer.value.next === null || answer.value.items.length === 0 || next.cursor === view.cursor) break
  }
  store.set({ readingSince: null, failure: null })
  void inside.asks.look()
  void inside.asks.readMode()
  inside.socket?.follow(session, () => viewOf(inside, session).cursor)
}

function unread(inside: Inside, session: string, why: string | null): void {
  // Not reached: the line to the hub reads it from its cursor on as soon as it is back.
  inside.socket?.follow(session, () => viewOf(inside, session).cursor)
  inside.store.set({ readingSince: null, failure: why })
}

function viewOf(inside: Inside, session: string): View {
  const { view } = inside.store.get()
  return view?.session === session ? view : (inside.views.get(session) ?? emptyView(session))
}

function keepView(inside: Inside, view: View): void {
  const { store } = inside
  inside.views.set(view.session, view)
  if (store.get().current === view.session) store.set({ view, steering: stillSteering(view, store.get().steering) })
}

function stillSteering(view: View, steering: { verb: Steer; turn: string } | null) {
  const { turn } = view
  if (steering === null || turn === null || turn.id !== steering.turn) return null
  const isSeen = steering.verb === 'stop' ? turn.stopping : turn.paused === (steering.verb === 'pause')
  return isSeen ? null : steering
}

/** Frames of one moment are folded together. */
function take(inside: Inside, frame: Frame, followed: string | null): void {
  if (listTypes.has(frame.type)) inside.list.ask()
  if (frame.replyTo === undefined) inside.asks.heard(frame)
  if (frame.type === 'error' && frame.replyTo !== undefined) refusedFrame(inside, frame)
  if (followed === null || frame.replyTo !== undefined || sessionOf(frame) !== followed) return
  inside.frames.push(frame)
  if (inside.frames.length > 1) return
  setTimeout(() => {
    const frames = inside.frames
    inside.frames = []
    foldFrames(inside, frames)
  }, 16)
}

function foldFrames(inside: Inside, frames: readonly Frame[]): void {
  const { current } = inside.store.get()
  if (current === null) return
  const mine = frames.filter((frame) => sessionOf(frame) === current)
  if (mine.length === 0) return
  learnWorkers(inside, current, mine)
  const view = foldAll(viewOf(inside, current), mine)
  if (view.foreign) {
    startOver(inside, current)
    return
  }
  keepView(inside, view)
  if (hasGap(view.writing)) inside.again.ask()
}

/** Their sessions, so that what they ask stands in the conversation that ordered them. */
function learnWorkers(inside: Inside, session: string, events: readonly Incoming[]): void {
  for (const event of events) {
    const worker = linkedSession(event)
    if (worker !== null) inside.workers.set(session, (inside.workers.get(session) ?? new Set<string>()).add(worker))
  }
}

function sessionOf(frame: Incoming): unknown {
  return frame.session ?? frame.data.session ?? frame.data.sessionId
}

/** The cursor is of another life of the hub (a backup was restored), or was refused: read the conversation anew. */
function startOver(inside: Inside, session: string): void {
  inside.views.delete(session)
  inside.store.set({ view: begin(inside, session), readingSince: inside.now() })
  void read(inside, session)
}

function refusedFrame(inside: Inside, frame: Frame): void {
  const { current } = inside.store.get()
  if (current !== null && frame.data.status === 410) startOver(inside, current)
}

async function steer(inside: Inside, verb: Steer): Promise<void> {
  const { store } = inside
  const { current, view } = store.get()
  const turn = view?.turn?.id ?? null
  if (current === null || turn === null) return
  store.set({ steering: { verb, turn } })
  const answer = await inside.hub.steer(current, verb, turn)
  if (!answer.ok) store.set({ steering: null })
}

async function answerQuestion(inside: Inside, question: string, answer: { text: string } | { option: string }): Promise<string | null> {
  const done = await inside.hub.answer(question, answer)
  if (done.ok) return null
  if (done.kind === 'signed-out') leave(inside)
  return done.kind === 'refused' ? done.why : words.needHub
}

async function choose(inside: Inside, message: string): Promise<void> {
  const { current, view } = inside.store.get()
  if (current === null || view === null) return
  const leaf = leafBelow(view, message)
  const answer = await inside.hub.choose(current, leaf)
  if (!answer.ok) inside.store.set({ failure: answer.kind === 'refused' ? answer.why : words.needHub })
}

/** The person's line that led to that message, said once more: the old answer stays as another version. */
async function retry(inside: Inside, sending: Sending, message: string): Promise<void> {
  const { view } = inside.store.get()
  let line = view?.messages.get(message)
  while (line && line.role !== 'user') line = line.parent === null ? undefined : view?.messages.get(line.parent)
  if (line) await sending.say(line.text, { when: 'next', replaces: line.id })
}

/** Does it once, `ms` after it was first asked for. */
function later(ms: number, act: () => void): Later {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    ask() {
      if (timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        act()
      }, ms)
    },
  }
}
