// Memories as facts in one stream a person, `memories:<login>`. The oldest give way when a person has too many.
//
// Y135  Own and group memories are one per person, key and agent, global ones one per person and key; nobody else's agent sees an own one.

import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { InvalidInput } from '../../base/errors.ts'
import { type NewId, streamLane } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Journal } from '../../journal/journal.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { type Fold, openStream, type Stream } from '../../journal/stream.ts'
import type { NewEvent } from '../../protocol/event.ts'
import { visibilities } from '../conversation.ts'
import type { Memories, NewMemory, UserMemory } from './memories.ts'

export type MemoryRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly mostEntries?: number
}

type State = ReadonlyMap<string, UserMemory>

/** Of one person, over all agents. */
const defaultEntries = 500
const longestKey = 100
/** Characters of JSON. */
const longestValue = 16_000
/** Streams that are held; the least recently used goes. */
const mostStreams = 200

export function openMemories(rooms: MemoryRooms): Memories {
  const streams = new Map<string, Stream<State>>()
  const { mostEntries = defaultEntries } = rooms

  function streamOf(user: string): Stream<State> {
    const found = streams.get(user) ?? openStream<State>(rooms, streamLane(`memories:${user}`), { fold })
    streams.delete(user)
    streams.set(user, found)
    const [oldest] = streams.keys()
    if (streams.size > mostStreams && oldest !== undefined) streams.delete(oldest)
    return found
  }

  function fact(type: string, data: JsonObject): NewEvent {
    const about = { cause: null, correlation: null, session: null, visibility: 'operator', v: 1, actor: 'system' } as const
    return { ...about, type, data, id: rooms.newId('evt'), at: rooms.clock.now() }
  }

  async function putFor(user: string, given: readonly NewMemory[]): Promise<void> {
    await streamOf(user).change((state) => {
      const kept = given.map((one) => upserted(state, one, rooms))
      const fresh = kept.filter((one) => !same(state.get(slotOf(one)), one))
      if (fresh.length === 0) return []
      const over = tooMany(state, fresh, mostEntries)
      return [
        fact('memories-kept', { memories: fresh.map((one) => ({ ...one, groupIds: [...one.groupIds] })) }),
        ...(over.length === 0 ? [] : [fact('memories-forgotten', { ids: [...over] })]),
      ]
    })
  }

  return {
    async visible(user, { agentId, groupIds }) {
      const all = [...(await streamOf(user).state()).values()]
      return newestFirst(all.filter((one) => isVisible(one, agentId, groupIds)))
    },
    async put(given) {
      given.forEach(check)
      const users = [...new Set(given.map(({ userId }) => userId))]
      for (const user of users)
        await putFor(
          user,
          given.filter((one) => one.userId === user),
        )
    },
    async forget(user, id) {
      const { cursor } = await streamOf(user).change((state) =>
        [...state.values()].some((one) => one.id === id) ? [fact('memories-forgotten', { ids: [id] })] : [],
      )
      return cursor > 0
    },
    all: async (user) => newestFirst([...(await streamOf(user).state()).values()]),
    close: async () => streams.clear(),
  }
}

const keptShape: z.ZodType<readonly UserMemory[]> = z.array(
  z.object({
    ...{ id: z.string(), userId: z.string(), key: z.string(), value: z.json(), category: z.string(), visibility: z.enum(visibilities) },
    ...{ sourceAgentId: z.string(), groupIds: z.array(z.string()), sourceConversationId: z.string() },
    ...{ accessCount: z.number(), createdAt: z.number(), updatedAt: z.number() },
  }),
)

const fold: Fold<State> = {
  empty: new Map(),
  evolve(state, { type, data }) {
    if (type === 'memories-forgotten') {
      const ids = data['ids']
      return new Map([...state].filter(([, { id }]) => !Array.isArray(ids) || !ids.includes(id)))
    }
    if (type !== 'memories-kept') return state
    const next = new Map(state)
    for (const one of keptShape.parse(data['memories'])) next.set(slotOf(one), one)
    return next
  },
}

/** What there is only one of. */
function slotOf({ key, visibility, sourceAgentId }: Pick<UserMemory, 'key' | 'visibility' | 'sourceAgentId'>): string {
  return JSON.stringify(visibility === 'global' ? [key] : [key, sourceAgentId])
}

function upserted(state: State, given: NewMemory, { newId, clock }: MemoryRooms): UserMemory {
  const before = state.get(slotOf(given))
  const now = clock.now()
  const { category = before?.category ?? 'context' } = given
  return {
    ...{ id: before?.id ?? newId('doc'), accessCount: before?.accessCount ?? 0, createdAt: before?.createdAt ?? now, updatedAt: now },
    ...{ ...given, category, groupIds: [...given.groupIds] },
  }
}

function same(before: UserMemory | undefined, { updatedAt: _, ...after }: UserMemory): boolean {
  if (!before) return false
  const { updatedAt: __, ...rest } = before
  return JSON.stringify(Object.entries(rest).sort()) === JSON.stringify(Object.entries(after).sort())
}

/** Ids of the oldest ones that have to go. */
function tooMany(state: State, fresh: readonly UserMemory[], most: number): readonly string[] {
  const next = new Map(state)
  for (const one of fresh) next.set(slotOf(one), one)
  const over = next.size - most
  if (over <= 0) return []
  return [...next.values()]
    .sort((a, b) => a.updatedAt - b.updatedAt)
    .slice(0, over)
    .map(({ id }) => id)
}

function isVisible({ visibility, sourceAgentId, groupIds }: UserMemory, agent: string, groups: readonly string[]): boolean {
  if (visibility === 'global' || sourceAgentId === agent) return true
  return visibility === 'group' && groupIds.some((one) => groups.includes(one))
}

function newestFirst(all: readonly UserMemory[]): readonly UserMemory[] {
  return [...all].sort((a, b) => b.updatedAt - a.updatedAt)
}

/** Throws InvalidInput, which names the memory. */
function check({ key, value }: NewMemory): void {
  const name = JSON.stringify(key.slice(0, longestKey))
  if (key.trim() === '' || key.length > longestKey)
    throw new InvalidInput(`the name ${name} of a memory is not possible: allowed are 1 to ${longestKey} characters`, { path: '/key' })
  const size = JSON.stringify(value).length
  if (size > longestValue)
    throw new InvalidInput(`the memory ${name} has ${size} characters; allowed are ${longestValue}`, { path: '/value' })
}
