import { describe, expect, test } from 'vitest'
import { type LaneId, type TurnId, ulids } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Event } from '../../protocol/event.ts'
import { apartPrefix, openConversations } from './conversations.ts'
import { type Agent, factType, type Made, nothingYet, packed, type Remembered } from './facts.ts'

const newId = ulids(() => 0)
const lane = 'prc_1' as LaneId
const agent: Agent = { id: 'a1', version: 1, environment: 'production' }

function made(text: string): Made {
  const none = { properties: [], objects: [] }
  return { data: [], output: { input: text }, seed: '', attachments: 0, set: none, undo: none }
}
const step = (text: string) => ({ do: 'step' as const, agent, state: 'READY' as const, made: made(text) })
const inputs = ({ steps }: Remembered) => steps.map(({ output }) => output['input'])

/** A lane that is written by hand; counts how many events were read. */
function written() {
  const all: Event[] = []
  let read = 0
  const bodies = new Map<string, string>()
  return {
    bodies,
    get read() {
      return read
    },
    add(type: string, data: JsonObject) {
      const seq = all.length + 1
      const about = { actor: 'system', visibility: 'operator', cause: null, correlation: null, session: null, v: 1, at: 0 } as const
      all.push({ ...about, id: newId('evt'), type, data, lane, seq, cursor: seq })
    },
    events: {
      async readLane(_: LaneId, after: number, limit: number) {
        const page = all.filter(({ seq }) => seq > after).slice(0, limit)
        read += page.length
        return page
      },
      body: async (hash: string) => bodies.get(hash) ?? null,
    },
  }
}

function noted(turn: TurnId, name: string, text: string): JsonObject {
  return { ...packed(step(text)), turn, name, noted: true }
}

describe('what conversations remember', () => {
  test('[Y125] a turn begins with what was settled before it, also when it runs again', async () => {
    const store = written()
    const [first, second] = [newId('trn'), newId('trn')]
    store.add(factType, noted(first, 'fact-1', 'one'))
    store.add('turn-settled', { turn: first })
    store.add(factType, noted(second, 'fact-1', 'two'))
    const conversations = openConversations(store)
    expect(inputs(await conversations.read(lane, { before: second, epoch: 1 }))).toEqual(['one'])
    expect(inputs(await conversations.read(lane, { before: second, epoch: 1 }))).toEqual(['one'])
    expect(inputs(await conversations.read(lane))).toEqual(['one', 'two'])
    expect(inputs(await conversations.read(lane, { before: second, epoch: 1 }))).toEqual(['one'])
    expect(inputs(await conversations.read(lane, { before: newId('trn'), epoch: 1 }))).toEqual(['one', 'two'])
    expect(await conversations.read('prc_2' as LaneId)).not.toBe(nothingYet)
  })

  test('[Y125] what the turn before noted counts although the store does not show it yet; what never came does not', async () => {
    const store = written()
    const [first, second] = [newId('trn'), newId('trn')]
    const conversations = openConversations(store)
    await conversations.read(lane, { before: first, epoch: 1 })
    conversations.noted(lane, { turn: first, epoch: 1, name: 'fact-1', fact: step('one') })
    conversations.noted(lane, { turn: first, epoch: 1, name: 'fact-1', fact: step('one') })
    expect(inputs(await conversations.read(lane, { before: second, epoch: 1 }))).toEqual(['one'])
    store.add(factType, noted(first, 'fact-1', 'one'))
    store.add('turn-settled', { turn: first })
    expect(inputs(await conversations.read(lane))).toEqual(['one'])

    const lost = openConversations(written())
    await lost.read(lane, { before: first, epoch: 1 })
    lost.noted(lane, { turn: first, epoch: 1, name: 'fact-1', fact: step('one') })
    const refused = written()
    const other = openConversations(refused)
    await other.read(lane, { before: first, epoch: 1 })
    other.noted(lane, { turn: first, epoch: 1, name: 'fact-1', fact: step('one') })
    refused.add('turn-settled', { turn: first, outcome: 'failed' })
    expect(inputs(await other.read(lane, { before: second, epoch: 1 }))).toEqual([])
  })

  test('[Y125] what a turn told whose commit was refused is seen by nobody: not by who reads, not by the turns of the lane that was read again', async () => {
    const [first, second, third] = [newId('trn'), newId('trn'), newId('trn')]
    const conversations = openConversations(written())
    await conversations.read(lane, { before: first, epoch: 1 })
    conversations.noted(lane, { turn: first, epoch: 1, name: 'fact-1', fact: step('one') })
    expect(inputs(await conversations.read(lane))).toEqual([])
    expect(inputs(await conversations.read(lane, { before: second, epoch: 1 }))).toEqual(['one'])
    expect(inputs(await conversations.read(lane, { before: second, epoch: 2 }))).toEqual([])
    expect(inputs(await conversations.read(lane, { before: third, epoch: 2 }))).toEqual([])
  })

  test('[Y126] a fact that was recorded apart is found, inline or by its body', async () => {
    const store = written()
    const turn = newId('trn')
    const name = `${apartPrefix}fact-1`
    store.bodies.set('h1', JSON.stringify(packed(step('long'))))
    store.add('step-done', { turn, name, ref: 'h1', size: 9 })
    store.add(factType, { turn, name: 'fact-1', apart: name, noted: true })
    const other = `${apartPrefix}fact-2`
    store.add('step-done', { turn, name: other, value: packed(step('short')) })
    store.add(factType, { turn, name: 'fact-2', apart: other, noted: true })
    expect(inputs(await openConversations(store).read(lane))).toEqual(['long', 'short'])
  })

  test('a talking conversation is read once; what is over the bound is read again', async () => {
    const store = written()
    for (let at = 0; at < 30; at++) {
      const turn = newId('trn')
      store.add(factType, noted(turn, 'fact-1', `say ${at}`))
      store.add('turn-settled', { turn })
    }
    const conversations = openConversations(store)
    await conversations.read(lane)
    await conversations.read(lane)
    expect(store.read).toBe(60)
    const small = openConversations({ ...store, mostCharacters: 1_500 })
    await small.read(lane)
    await small.read('prc_2' as LaneId)
    await small.read(lane)
    expect(store.read).toBe(60 * 4)
  })
})
