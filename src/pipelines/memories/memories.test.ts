import { beforeEach, describe, expect, test } from 'vitest'
import { ulids } from '../../base/ids.ts'
import { silent } from '../../base/log.ts'
import { handClock } from '../../base/testing.ts'
import { openJournal } from '../../journal/journal.ts'
import { memoryStore } from '../../store/memory/memory.ts'
import type { Memories, NewMemory } from './memories.ts'
import { openMemories } from './open-memories.ts'

const clock = handClock()
const newId = ulids(clock.now)
let again: () => Memories

beforeEach(async () => {
  const store = memoryStore({ now: clock.now })
  const journal = await openJournal({ store, clock, log: silent })
  again = () => openMemories({ journal, store, clock, newId, mostEntries: 5 })
})

function memory(key: string, value: NewMemory['value'], more: Partial<NewMemory> = {}): NewMemory {
  const own = { userId: 'ada', visibility: 'self', sourceAgentId: 'shop', groupIds: [], sourceConversationId: 'ses_1' } as const
  return { ...own, key, value, ...more }
}
const seenBy = async (memories: Memories, agentId: string, groupIds: readonly string[] = []) =>
  (await memories.visible('ada', { agentId, groupIds })).map(({ key, value }) => `${key}=${value}`).sort()

describe('memories of a person', () => {
  test('[Y135] own, group and global ones are seen by whom they are for', async () => {
    const memories = again()
    await memories.put([
      memory('name', 'Ada'),
      memory('team', 'red', { visibility: 'group', groupIds: ['g1'] }),
      memory('lang', 'de', { visibility: 'global' }),
    ])
    expect(await seenBy(memories, 'shop')).toEqual(['lang=de', 'name=Ada', 'team=red'])
    expect(await seenBy(memories, 'bank')).toEqual(['lang=de'])
    expect(await seenBy(memories, 'bank', ['g1'])).toEqual(['lang=de', 'team=red'])
    expect(await memories.visible('bob', { agentId: 'shop', groupIds: [] })).toEqual([])
  })

  test('[Y135] the same again replaces; a global one is one over all agents', async () => {
    const memories = again()
    await memories.put([memory('name', 'Ada')])
    await memories.put([memory('name', 'Ada L.'), memory('name', 'A.', { sourceAgentId: 'bank' })])
    await memories.put([memory('lang', 'de', { visibility: 'global' })])
    await memories.put([memory('lang', 'en', { visibility: 'global', sourceAgentId: 'bank' })])
    expect(await seenBy(memories, 'shop')).toEqual(['lang=en', 'name=Ada L.'])
    expect((await memories.all('ada')).length).toBe(3)
    expect(await seenBy(again(), 'shop')).toEqual(['lang=en', 'name=Ada L.'])
  })

  test('the oldest give way, one can be forgotten, and too long ones are named', async () => {
    const memories = again()
    for (let at = 1; at <= 7; at++) {
      await clock.advance(1)
      await memories.put([memory(`k${at}`, at)])
    }
    expect(await seenBy(memories, 'shop')).toEqual(['k3=3', 'k4=4', 'k5=5', 'k6=6', 'k7=7'])
    const [newest] = await memories.all('ada')
    expect(await memories.forget('ada', newest?.id ?? '')).toBe(true)
    expect(await memories.forget('ada', newest?.id ?? '')).toBe(false)
    await expect(memories.put([memory('', 1)])).rejects.toThrow('1 to 100 characters')
    await expect(memories.put([memory('ok', 1), memory('long', 'x'.repeat(20_000))])).rejects.toThrow('"long" has 20002 characters')
    expect(await seenBy(memories, 'shop')).toEqual(['k3=3', 'k4=4', 'k5=5', 'k6=6'])
  })
})
