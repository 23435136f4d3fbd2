// What waits in a lane's mailbox, as its owner knows it, and what of it may be taken now (L2). Pure.
import type { MessageId } from '../base/ids.ts'
import type { Chain, Entry } from '../protocol/entry.ts'
import type { Priority } from './engine.ts'
import type { Taken } from './events.ts'
import { type ChainLimits, overLimits } from './post.ts'
import type { LaneState, TurnState } from './state.ts'

/** At most so many entries start a turn or join it at one safe point (T23). */
const drainLimit = 100

/** The oldest work that may start a turn together: of one sender, on one branch; a request with a reply address alone. */
export function startingPrefix(inbox: readonly Entry[]): readonly Entry[] {
  const [first] = inbox
  if (!first) return []
  if (first.replyTo) return [first]
  let end = 1
  while (end < inbox.length && end < drainLimit && follows(inbox[end] as Entry, first)) end += 1
  return inbox.slice(0, end)
}

function follows(entry: Entry, first: Entry): boolean {
  return entry.from === first.from && !entry.replyTo && !ownBranch(entry)
}

/** The oldest work that may join the running turn: of its own sender (trial H13), on its branch, not meant for the next turn. */
export function joinablePrefix(inbox: readonly Entry[], turn: TurnState): readonly Entry[] {
  let end = 0
  while (end < inbox.length && end < drainLimit && joins(inbox[end] as Entry, turn)) end += 1
  return inbox.slice(0, end)
}

function joins(entry: Entry, turn: TurnState): boolean {
  return entry.from === turn.from && !ownBranch(entry) && !isForNextTurn(entry)
}

function ownBranch(entry: Entry): boolean {
  return entry.body.kind === 'message' && entry.body.parent !== undefined
}

function isForNextTurn(entry: Entry): boolean {
  return entry.body.kind === 'message' && entry.body.when === 'next'
}

/** Where taken entries stand in the tree: each line continues the one before it, from `tip`, or the parent that it names. */
export function placed(
  entries: readonly Entry[],
  tip: MessageId | null,
): { readonly taken: readonly Taken[]; readonly tip: MessageId | null } {
  let at = tip
  const taken = entries.map((entry): Taken => {
    const reply = entry.replyTo && { replyTo: entry.replyTo }
    if (entry.body.kind !== 'message' || entry.ref === undefined) return { entry: entry.id, ...reply }
    const message = entry.ref as MessageId
    const parent = entry.body.parent === undefined ? at : entry.body.parent
    at = message
    return { entry: entry.id, message, parent, ...reply }
  })
  return { taken, tip: at }
}

/** The chain of a turn is that of its widest entry. What is over the limits was let go on by a person: its count starts anew (L10). */
export function chainOf(entries: readonly Entry[], limits: ChainLimits): Chain {
  const [first] = entries
  if (!first) throw new Error('a turn starts with at least one entry')
  const chains = entries.map(({ chain }) => (overLimits(chain, limits) === null ? chain : { ...chain, depth: 0, hops: 0 }))
  const depth = Math.max(...chains.map((chain) => chain.depth))
  const hops = Math.max(...chains.map((chain) => chain.hops))
  return { root: first.chain.root, depth, hops }
}

export function priorityOf(entry: Entry): Priority {
  if (entry.from.startsWith('user:')) return 'person'
  return entry.from.startsWith('process:') ? 'agent' : 'background'
}

/** Why a waiting entry is not taken yet, in words that a person may read (L6). */
export function behind(state: LaneState, inbox: readonly Entry[], at: number): string {
  if (state.halted) return state.halted === 'closed' ? 'the process is closed' : 'the session is suspended'
  if (at > 0) return 'the entries before it'
  const { turn } = state
  if (!turn) return 'its turn to start'
  if (turn.stopping) return 'a turn that is stopping'
  if (turn.paused) return 'a paused turn'
  const question = Object.entries(turn.asks).find(([, ask]) => (ask.kind === 'question' || ask.kind === 'approval') && ask.answer === null)
  if (turn.parked && question) return `an open question (${question[0]})`
  if (turn.parked) return 'a turn that waits for others'
  const entry = inbox[at]
  return entry && joins(entry, turn) ? "the running turn's next safe point" : 'the running turn'
}
