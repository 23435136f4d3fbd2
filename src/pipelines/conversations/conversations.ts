// What the conversations of pipelines remember: folded from the facts in their lanes, kept for those that are talking, and read again
// for one that rested. So ten thousand open ones cost nothing.
//
// Y125  What a turn begins with is what was settled before it; a turn that runs again begins with the same.
// Y126  One fact a say; what a fact can't hold inline is stored apart with the turn's own record.
import { isId, type LaneId, type MessageId, type TurnId } from '../../base/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'
import { evolve, type Fact, factType, nothingYet, type Remembered, unpacked } from './facts.ts'

export type { Agent, Fact, Made, Remembered } from './facts.ts'
export { canRedo, canUndo, difference, factType, nothingYet, packed, withoutPassing } from './facts.ts'

export type Conversations = {
  /**
   * What the store shows. With `before`: as that turn begins, without what itself has noted, and with what turns before it in the same
   * epoch have noted. With `leaf`, where the conversation stood when that turn began: what the turn before left behind is trusted when
   * it left that line.
   */
  read(lane: LaneId, beginning?: Beginning): Promise<Remembered>
  /** What a turn has noted under that name, so that the next one need not wait for the store to show it. Again: nothing. */
  noted(lane: LaneId, note: Noted): void
  /** How a turn left the conversation, and its last line. If it never came to be, its line did not either. */
  left(lane: LaneId, end: { readonly turn: TurnId; readonly leaf: MessageId; readonly state: Remembered }): void
}

/** `epoch`: of the lane. In another one the lane was read again: what was told before, and not stored, never was. */
export type Beginning = { readonly before: TurnId; readonly epoch: number; readonly leaf?: MessageId | null }
export type Noted = { readonly turn: TurnId; readonly epoch: number; readonly name: string; readonly fact: Fact }

export type ConversationRooms = {
  readonly events: Pick<JournalStore, 'readLane' | 'body'>
  /** Characters of facts that are kept in memory, over all conversations. */
  readonly mostCharacters?: number
}

/** The name of the record that holds a fact which is too long for a note. */
export const apartPrefix = 'pipeline-fact-'

type Kept = {
  /** Everything up to here was looked at. */
  seq: number
  /** All that the store showed of older turns. */
  base: Remembered
  /** What it showed of the newest turn that noted something. */
  tail: { readonly turn: TurnId; readonly facts: Map<string, Fact> } | null
  /** What turns said they have noted, and the store has not shown. */
  readonly told: Map<TurnId, { readonly epoch: number; readonly facts: Map<string, Fact> }>
  left: { readonly turn: TurnId; readonly leaf: MessageId; readonly state: Remembered } | null
  /** Long facts whose note has not come yet. */
  readonly apart: Map<string, JsonObject>
  size: number
}

const pageLength = 500
const defaultCharacters = 32_000_000
/** After so many turns that were not looked up in the store, it is looked at again. */
const mostTold = 100
/** What a conversation costs beside its facts. */
const ownCharacters = 1_000

export function openConversations({ events, mostCharacters = defaultCharacters }: ConversationRooms): Conversations {
  const kept = new Map<LaneId, Kept>()
  let total = 0

  function keep(lane: LaneId, one: Kept): void {
    kept.delete(lane)
    kept.set(lane, one)
    for (const [oldest, { size }] of kept) {
      if (total <= mostCharacters || oldest === lane) return
      kept.delete(oldest)
      total -= size
    }
  }

  /** Two looks at one lane at once see the same pages; the second finds nothing new. */
  async function caughtUp(lane: LaneId): Promise<Kept> {
    const known = kept.get(lane)
    const one: Kept = known ?? { seq: 0, base: nothingYet, tail: null, told: new Map(), left: null, apart: new Map(), size: ownCharacters }
    if (!known) total += one.size
    keep(lane, one)
    for (;;) {
      const page = await events.readLane(lane, one.seq, pageLength)
      for (const event of page) {
        if (event.seq <= one.seq) continue
        total += await heard(one, event)
        one.seq = event.seq
      }
      if (page.length < pageLength) return one
    }
  }

  /** Characters that it added. */
  async function heard(one: Kept, { type, data }: Event): Promise<number> {
    const { name, turn } = data
    if (typeof name === 'string' && type === 'step-done' && name.startsWith(apartPrefix)) await setApart(one, name, data)
    if (!isId('trn', turn)) return 0
    // What it told and did not leave in the store never was.
    if (type === 'turn-settled') one.told.delete(turn)
    if (type !== factType || typeof name !== 'string') return 0
    const isKnown = one.told.get(turn)?.facts.delete(name) === true
    const { apart } = data
    const given = typeof apart === 'string' ? one.apart.get(apart) : data
    if (typeof apart === 'string') one.apart.delete(apart)
    const fact = given === undefined ? null : unpacked(given)
    if (fact === null) return 0
    tailOf(one, turn).set(name, fact)
    return isKnown ? 0 : grown(one, fact)
  }

  async function setApart(one: Kept, name: string, { value, ref }: JsonObject): Promise<void> {
    const read = value ?? parsed(await events.body(String(ref)))
    if (isJsonObject(read)) one.apart.set(name, read)
  }

  return {
    async read(lane, beginning) {
      if (beginning === undefined) return folded(await caughtUp(lane))
      const { before, epoch, leaf } = beginning
      const known = kept.get(lane)
      if (known?.left && leaf !== undefined && known.left.leaf === leaf && known.left.turn !== before && known.told.size < mostTold) {
        keep(lane, known)
        return known.left.state
      }
      const one = await caughtUp(lane)
      const shown = one.tail?.turn === before ? one.base : folded(one)
      for (const [turn, told] of one.told) if (told.epoch !== epoch) one.told.delete(turn)
      const told = [...one.told].flatMap(([turn, { facts }]) => (turn === before ? [] : [...facts.values()]))
      return told.reduce(evolve, shown)
    },
    noted(lane, { turn, epoch, name, fact }) {
      const one = kept.get(lane)
      if (!one || (one.tail?.turn === turn && one.tail.facts.has(name))) return
      // A turn that says no line, as one that takes a step back, leaves nothing to be trusted by a line.
      one.left = null
      const told = one.told.get(turn)
      const facts = told?.epoch === epoch ? told.facts : new Map<string, Fact>()
      if (!facts.has(name)) total += grown(one, fact)
      one.told.set(turn, { epoch, facts: facts.set(name, fact) })
    },
    left(lane, end) {
      const one = kept.get(lane)
      if (one) one.left = end
    },
  }
}

/** Characters that a fact takes. */
function grown(one: Kept, fact: Fact): number {
  const size = 'made' in fact ? fact.made.data.reduce((sum, { key, value }) => sum + key.length + sizeOf(value), 200) : 100
  one.size += size
  return size
}

function sizeOf(value: Json): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}

function tailOf(one: Kept, turn: TurnId): Map<string, Fact> {
  if (one.tail?.turn !== turn) {
    one.base = folded(one)
    one.tail = { turn, facts: new Map() }
  }
  return one.tail.facts
}

function folded({ base, tail }: Kept): Remembered {
  return tail === null ? base : [...tail.facts.values()].reduce(evolve, base)
}

function parsed(text: string | null): Json {
  return text === null ? null : JSON.parse(text)
}
