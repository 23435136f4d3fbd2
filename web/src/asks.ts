// The verbs about what waits for the person, and about turns that are over: approvals, inbox, mode, steps. Changes the state, draws nothing.

import type { Approval } from '../../src/protocol/api-approvals.ts'
import { withWaiting } from '../../src/protocol/asks-elsewhere.ts'
import { foldInbox, inboxOf } from '../../src/protocol/inbox-view.ts'
import type { Incoming, View } from '../../src/protocol/view.ts'
import type { Answer, Decision, Hub, InboxVerb, ItemValue, Mode } from './hub.ts'
import { currentSession, type Store } from './state.ts'
import { words } from './words.ts'

export type Asks = {
  /** The answer is heard as an event; what the hub refuses stands on the card. */
  decide(approval: string, decision: Decision): Promise<void>
  /** Looks again for what waits, and reads the inbox. */
  look(): Promise<void>
  /** A frame of any session of the person. */
  heard(frame: Incoming): void
  act(item: string, verb: InboxVerb): Promise<void>
  answerItem(item: string, value: ItemValue): Promise<void>
  readMode(): Promise<void>
  setMode(mode: Mode): Promise<void>
  /** The steps of a turn; once read, those of a turn that is over don't change. */
  readTurn(turn: string): Promise<void>
}

export type AsksNeeds = {
  readonly store: Store
  readonly hub: Hub
  readonly signedOut: () => void
  /** Sessions of workers that were ordered from that one. */
  readonly workersOf: (session: string) => ReadonlySet<string>
  readonly keep: (view: View) => void
}

/** Frames after which what waits may have changed. */
const asking: ReadonlySet<string> = new Set(['approval-requested', 'approval-decided', 'turn-settled', 'question-answered'])
const AGAIN_MS = 150

export function openAsks(needs: AsksNeeds): Asks {
  const { store, hub } = needs
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    await Promise.all([readWaiting(needs), readInbox(needs)])
  }
  return {
    look,
    async decide(approval, decision) {
      note(store, approval, null)
      const answer = await hub.decide(approval, decision)
      if (answer.ok) return void (await readWaiting(needs))
      note(store, approval, why(needs, answer))
      // Decided elsewhere, or over: the list says so, and the card closes.
      if (answer.kind === 'refused' && (answer.status === 409 || answer.status === 410)) await readWaiting(needs)
    },
    heard(frame) {
      const inbox = foldInbox(store.get().inbox, frame)
      if (inbox !== store.get().inbox) store.set({ inbox })
      if (!asking.has(frame.type) || timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        void readWaiting(needs)
      }, AGAIN_MS)
    },
    act: (item, verb) => changed(needs, item, hub.inboxAct(item, verb)),
    answerItem: (item, value) => changed(needs, item, hub.inboxAnswer(item, value)),
    readMode: () => readMode(needs),
    async setMode(mode) {
      const { current } = store.get()
      if (current === null) return
      const answer = await hub.setMode(current, mode)
      if (!answer.ok) store.set({ failure: why(needs, answer) })
      await readMode(needs)
    },
    async readTurn(turn) {
      const known = store.get().turns.get(turn)
      if (typeof known === 'object' && known.endedAt !== null) return
      const answer = await hub.turn(turn)
      const turns = new Map(store.get().turns).set(turn, answer.ok ? answer.value : why(needs, answer))
      store.set({ turns: new Map([...turns].slice(-KEPT_TURNS)) })
    },
  }
}

const KEPT_TURNS = 50

/** null: it is on its way. */
function note(store: Store, id: string, problem: string | null): void {
  store.set({ deciding: new Map(store.get().deciding).set(id, problem) })
}

function why({ signedOut }: AsksNeeds, answer: Exclude<Answer<unknown>, { ok: true }>): string {
  if (answer.kind === 'signed-out') signedOut()
  return answer.kind === 'refused' ? answer.why : words.needHub
}

/** All that waits for a yes, and in the conversation what belongs to it; in the home all of it. */
async function readWaiting(needs: AsksNeeds): Promise<void> {
  const { store, hub, workersOf, keep } = needs
  const before = store.get().view
  const answer = await hub.approvals()
  if (!answer.ok) return
  const waiting = answer.value.items
  const open = new Set(waiting.map((one) => one.id))
  const deciding = new Map([...store.get().deciding].filter(([id]) => open.has(id) || id.startsWith('ntf_')))
  store.set({ waiting, deciding })
  const { view } = store.get()
  if (view === null || before === null || view.session !== before.session) return
  const next = withWaiting(view, waiting, { isHome: isHome(store), workers: workersOf(view.session), before })
  if (next !== view) keep(next)
}

function isHome(store: Store): boolean {
  const state = store.get()
  return state.me !== null && currentSession(state)?.project === state.me.home
}

async function readInbox({ store, hub }: AsksNeeds): Promise<void> {
  const answer = await hub.inbox()
  if (answer.ok) store.set({ inbox: inboxOf(answer.value), inboxRead: true })
}

async function readMode({ store, hub }: AsksNeeds): Promise<void> {
  const { current } = store.get()
  if (current === null) return
  const answer = await hub.session(current)
  if (answer.ok && store.get().current === current) store.set({ mode: answer.value.mode ?? null })
}

async function changed(needs: AsksNeeds, item: string, done: Promise<Answer<unknown>>): Promise<void> {
  note(needs.store, item, null)
  const answer = await done
  const deciding = new Map(needs.store.get().deciding)
  if (answer.ok) deciding.delete(item)
  else deciding.set(item, why(needs, answer))
  needs.store.set({ deciding })
  await readInbox(needs)
}

/** Whether something waits for the person in that session. */
export function waitsIn(waiting: readonly Approval[], session: string): boolean {
  return waiting.some((one) => one.session === session)
}
