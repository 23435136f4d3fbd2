// What the page knows. Changed only by talk.ts and sending.ts; everything drawn is drawn from it.

import type { Approval } from '../../src/protocol/api-approvals.ts'
import type { TurnView } from '../../src/protocol/api-turns.ts'
import { emptyInbox, type InboxView } from '../../src/protocol/inbox-view.ts'
import type { Project, Session } from '../../src/protocol/shapes.ts'
import type { View } from '../../src/protocol/view.ts'
import type { Me, Steer } from './hub.ts'
import type { OutItem } from './outbox.ts'
import type { Connection } from './socket.ts'

export type State = {
  readonly phase: 'starting' | 'signed-out' | 'ready'
  /** Was signed in until a moment ago. */
  readonly left: boolean
  /** A code was given and not accepted. */
  readonly codeRefused: boolean
  readonly me: Me | null
  /** null: not read yet. */
  readonly sessions: readonly Session[] | null
  readonly projects: readonly Project[]
  /** The session that is shown; null: a conversation that is not begun. */
  readonly current: string | null
  /** The project of a conversation that is not begun; null: the person's home. */
  readonly place: string | null
  readonly view: View | null
  /** Since when the conversation is being read; null: it is there. */
  readonly readingSince: number | null
  readonly failure: string | null
  readonly connection: Connection
  readonly outbox: readonly OutItem[]
  /** Acknowledged, and not yet seen among the events. */
  readonly sent: readonly OutItem[]
  /** The last try to send found no hub. */
  readonly stalled: boolean
  /** Why the hub could not take what was sent last, though it is there; null: it could. */
  readonly unable: string | null
  /** Whether the browser keeps the outbox over a reload. */
  readonly lasting: boolean
  readonly editing: { readonly id: string; readonly text: string } | null
  /** Open questions that the composer does not answer, because the person said so. */
  readonly aside: ReadonlySet<string>
  /** What was asked of the running turn and is not seen yet. */
  readonly steering: { readonly verb: Steer; readonly turn: string } | null
  /** What the main part shows. */
  readonly room: 'talk' | 'inbox'
  /** All that waits for a yes, of every conversation. */
  readonly waiting: readonly Approval[]
  readonly inbox: InboxView
  readonly inboxRead: boolean
  /** Decisions by their item: null, on its way; a text, why it was not taken. */
  readonly deciding: ReadonlyMap<string, string | null>
  /** How much may be done without asking in the shown conversation; null: not known. */
  readonly mode: string | null
  /** Steps of turns that were opened; a text: why they can't be shown. */
  readonly turns: ReadonlyMap<string, TurnView | string>
}

export const firstState: State = {
  phase: 'starting',
  left: false,
  codeRefused: false,
  me: null,
  sessions: null,
  projects: [],
  current: null,
  place: null,
  view: null,
  readingSince: null,
  failure: null,
  connection: { is: 'connecting', again: false },
  outbox: [],
  sent: [],
  stalled: false,
  unable: null,
  lasting: true,
  editing: null,
  aside: new Set(),
  steering: null,
  room: 'talk',
  waiting: [],
  inbox: emptyInbox,
  inboxRead: false,
  deciding: new Map(),
  mode: null,
  turns: new Map(),
}

export type Store = {
  get(): State
  set(part: Partial<State>): void
}

/** A state that tells `changed` of every change, once for all changes of one task. */
export function openStore(changed: (state: State) => void): Store {
  let state = firstState
  let told = true
  return {
    get: () => state,
    set(part) {
      state = { ...state, ...part }
      if (!told) return
      told = false
      queueMicrotask(() => {
        told = true
        changed(state)
      })
    },
  }
}

/** The hub can't be reached now: the line to it is down, or what was sent last did not get through. */
export function isOffline(state: State): boolean {
  const { connection } = state
  return connection.is === 'offline' || (connection.is === 'connecting' && connection.again) || state.stalled
}

/** Whole seconds until the line is tried again; null: it is not waited for. */
export function secondsToTry({ connection }: State, now: number): number | null {
  return connection.is === 'offline' ? Math.max(0, Math.ceil((connection.retryAt - now) / 1000)) : null
}

/** The conversation behind "Home": the first one of the person's home, so that it stays the same. */
export function homeOf(state: State): Session | null {
  const own = (state.sessions ?? []).filter((one) => one.project === state.me?.home)
  return own.reduce<Session | null>((first, one) => (first === null || one.createdAt < first.createdAt ? one : first), null)
}

/** The open question that the composer answers; null: it writes a message. */
export function answered(state: State) {
  const open = state.view?.questions ?? []
  return open.find((question) => !state.aside.has(question.id)) ?? null
}

/** Lines of the shown conversation that are on this device only, in order. */
export function unseenLines(state: State): readonly OutItem[] {
  const known = new Set<string>()
  for (const line of state.view?.messages.values() ?? []) if (line.clientId !== undefined) known.add(line.clientId)
  const here = [...state.sent, ...state.outbox].filter((item) => item.session === state.current && !known.has(item.id))
  return here.filter((item, index) => here.findIndex((other) => other.id === item.id) === index)
}

export function currentSession(state: State): Session | null {
  return state.sessions?.find((one) => one.id === state.current) ?? null
}
