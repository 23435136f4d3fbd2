// What the conversations of pipelines remember: folded from the facts in their lanes, kept for those that are talking, and read again
// for one that rested. So ten thousand open ones cost nothing.
//
// Y125  What a turn begins with is what was settled before it; a turn that runs again begins with the same.
// Y126  One fact a say; what a fact can't hold inline is stored apart with the turn's own record.
import { isId, type LaneId, type TurnId } from '../../base/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'
import { evolve, type Fact, factType, nothingYet, type Remembered, unpacked } from './facts.ts'

export type { Agent, Fact, Made, Remembered } from './facts.ts'
export { canRedo, canUndo, difference, factType, nothingYet, packed } from './facts.ts'

export type Conversations = {
  /** With `before`: without what that turn noted. */
  read(lane: LaneId, options?: { readonly before?: TurnId }): Promise<Remembered>
  /** What a turn has noted under that name, so that the next one need not wait for the store to show it. Again: nothing. */
  noted(lane: LaneId, note: { readonly turn: TurnId; readonly name: string; readonly fact: Fact }): void
}

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
  readonly told: Map<TurnId, Map<string, Fact>>
  /** Long facts whose note has not come yet. */
  readonly apart: Map<string, JsonObject>
  size: number
}

const pageLength = 500
const defaultCharacters = 16_000_000
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
    const one: Kept = known ?? { seq: 0, base: nothingYet, tail: null, told: new Map(), apart: new Map(), size: ownCharacters }
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
    one.told.get(turn)?.delete(name)
    const { apart } = data
    const given = typeof apart === 'string' ? one.apart.get(apart) : data
    if (typeof apart === 'string') one.apart.delete(apart)
    const fact = given === undefined ? null : unpacked(given)
    if (fact === null) return 0
    tailOf(one, turn).set(name, fact)
    const size = JSON.stringify(given).length
    one.size += size
    return size
  }

  async function setApart(one: Kept, name: string, { value, ref }: JsonObject): Promise<void> {
    const read = value ?? parsed(await events.body(String(ref)))
    if (isJsonObject(read)) one.apart.set(name, read)
  }

  return {
    async read(lane, { before } = {}) {
      const one = await caughtUp(lane)
      const shown = one.tail?.turn === before ? one.base : folded(one)
      const told = [...one.told].flatMap(([turn, facts]) => (turn === before ? [] : [...facts.values()]))
      return told.reduce(evolve, shown)
    },
    noted(lane, { turn, name, fact }) {
      const one = kept.get(lane)
      if (!one || (one.tail?.turn === turn && one.tail.facts.has(name))) return
      const facts = one.told.get(turn) ?? new Map<string, Fact>()
      one.told.set(turn, facts.set(name, fact))
    },
  }
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
