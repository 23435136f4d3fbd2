import { describe, expect, test } from 'vitest'
import { laneOf } from '../base/ids.ts'
import { settleLoop } from '../base/testing.ts'
import type { Event } from '../protocol/event.ts'
import type { ProcessInfo } from './engine.ts'
import { engine, gate, openHeart, settled, textOf } from './testing.ts'

const said = (event: Event) => event.type === 'chat-message-appended' && event.data.turn !== undefined
type Heart = Awaited<ReturnType<typeof openHeart>>
const saidBy = async (heart: Heart, process: ProcessInfo) =>
  (await heart.events()).filter((event) => said(event) && event.lane === (process.id as string)).map(textOf)

const worker = (held?: { promise: Promise<void> }) =>
  engine('worker', async (turn) => {
    await turn.step('work', 'replayable', async () => (await held?.promise) ?? null)
    turn.say('reply', { text: `did ${turn.entries.map((entry) => ('text' in entry.body ? entry.body.text : '')).join('+')}` })
  })
const parent = (to: () => ProcessInfo) =>
  engine('parent', async (turn) => {
    const answer = await turn.ask('child', { kind: 'delegation', lane: laneOf(to().id), text: 'the work' }, { wake: false })
    turn.say('reply', { text: answer.kind === 'answer' ? `${answer.outcome} ${JSON.stringify(answer.value)}` : 'woken' })
  })

async function family(held?: { promise: Promise<void> }) {
  let child: ProcessInfo | null = null
  const heart = await openHeart({ engines: [worker(held), parent(() => child as ProcessInfo)] })
  child = await heart.process('worker', { facesPerson: false })
  return { heart, child, boss: await heart.process('parent') }
}

describe('delegation', () => {
  test('[L11] settling answers who asked', async () => {
    const { heart, boss } = await family()
    await heart.say(boss, 'go')
    await heart.until((event) => settled()(event) && event.lane === (boss.id as string))
    const [text] = await saidBy(heart, boss)
    expect(text).toContain('answered')
    expect(JSON.parse(text?.slice('answered '.length) ?? '')).toMatchObject({ outcome: 'done', text: 'did the work' })
    await heart.close()
  })

  test('[L6] the parent waits through a restart of both', async () => {
    const held = gate()
    const { heart, boss } = await family(held)
    await heart.say(boss, 'go')
    await heart.until((event) => event.type === 'step-started')
    const after = await heart.crash()
    held.open()
    await after.until((event) => settled()(event) && event.lane === (boss.id as string))
    expect(await saidBy(after, boss)).toHaveLength(1)
    expect((await after.types()).filter((type) => type === 'delegated')).toHaveLength(1)
    await after.close()
  })

  test('[L2] requests of two askers are taken alone; each gets its own answer (T3)', async () => {
    const held = gate()
    const { heart, child, boss } = await family(held)
    const other = await heart.process('parent')
    await heart.say(boss, 'go')
    await heart.say(other, 'go')
    await heart.until((event) => event.type === 'step-started' && event.lane === (child.id as string))
    held.open()
    for (const each of [boss, other]) await heart.until((event) => settled()(event) && event.lane === (each.id as string))
    expect((await heart.events()).filter((event) => settled()(event) && event.lane === (child.id as string))).toHaveLength(2)
    await heart.close()
  })

  test('[L11] a closed worker answers what it did not take', async () => {
    const held = gate()
    const { heart, child, boss } = await family(held)
    await heart.say(child, 'busy', { from: 'user:bob' })
    await heart.until((event) => event.type === 'step-started')
    await heart.say(boss, 'go')
    await heart.until((event) => event.type === 'delegated')
    await settleLoop()
    await heart.control(child, { kind: 'close', reason: 'USER_DELETE' })
    await heart.until((event) => settled()(event) && event.lane === (boss.id as string))
    expect((await saidBy(heart, boss))[0]).toContain('"outcome":"failed"')
    held.open()
    await heart.close()
  })

  test('[L6] a request to a lane that is closed is answered as undeliverable, also when a crash hid it', async () => {
    const { heart, child, boss } = await family()
    await heart.control(child, { kind: 'close', reason: 'DONE' })
    await heart.until((event) => event.type === 'process-closed')
    await settleLoop()
    await heart.say(boss, 'go')
    await heart.until((event) => settled()(event) && event.lane === (boss.id as string))
    expect((await saidBy(heart, boss))[0]).toBe('undeliverable null')
    await heart.close()
  })

  test('[L10] a chain deeper than three delegations is held; who waits is told; a person may let it go on', async () => {
    const next = new Map<string, ProcessInfo>()
    const deep = engine('deep', async (turn) => {
      const to = next.get(turn.process.id)
      if (!to) return void turn.say('reply', { text: 'bottom' })
      const answer = await turn.ask('child', { kind: 'delegation', lane: laneOf(to.id), text: 'deeper' }, { wake: false })
      turn.say('reply', { text: answer.kind === 'answer' ? answer.outcome : 'woken' })
    })
    const heart = await openHeart({ engines: [deep] })
    const chain: ProcessInfo[] = []
    for (let i = 0; i < 5; i++) chain.push(await heart.process('deep', { facesPerson: false }))
    for (let i = 0; i < 4; i++) next.set((chain[i] as ProcessInfo).id, chain[i + 1] as ProcessInfo)
    await heart.say(chain[0] as ProcessInfo, 'go')
    await heart.until((event) => settled()(event) && event.lane === (chain[0]?.id as string))
    const held = await heart.until((event) => event.type === 'entry-held')
    expect(held.lane).toBe(chain[4]?.id)
    expect(held.visibility).toBe('user-summary')
    expect(await saidBy(heart, chain[3] as ProcessInfo)).toEqual(['held'])
    expect(await saidBy(heart, chain[4] as ProcessInfo)).toEqual([])
    const after = await heart.crash()
    await after.control(chain[4] as ProcessInfo, { kind: 'go-on', entry: (held.data.entry as { id: never }).id })
    await after.until((event) => settled()(event) && event.lane === (chain[4]?.id as string))
    expect(await saidBy(after, chain[4] as ProcessInfo)).toEqual(['bottom'])
    await after.close()
  })

  test('[L10] two lanes that post to each other stop at fifty hops', async () => {
    const other = new Map<string, ProcessInfo>()
    const pingpong = engine('pingpong', async (turn) => {
      turn.post('back', laneOf((other.get(turn.process.id) as ProcessInfo).id), { kind: 'note', topic: 'ball', data: {} })
    })
    const heart = await openHeart({ engines: [pingpong] })
    const a = await heart.process('pingpong', { facesPerson: false })
    const b = await heart.process('pingpong', { facesPerson: false })
    other.set(a.id, b)
    other.set(b.id, a)
    await heart.say(a, 'go')
    await heart.until((event) => event.type === 'entry-held')
    await settleLoop(10)
    expect((await heart.types()).filter((type) => type === 'turn-started')).toHaveLength(51)
    await heart.close()
  })

  /** Processes that delegate to the next one in `ring`, when a person tells them to. */
  async function ringOf(size: number, held?: { promise: Promise<void> }) {
    const next = new Map<string, ProcessInfo>()
    const asks = engine('asks', async (turn) => {
      if (turn.process.id === ring.at(-1)?.id) await turn.step('think', 'replayable', async () => (await held?.promise) ?? null)
      const answer = await turn.ask(
        'child',
        { kind: 'delegation', lane: laneOf((next.get(turn.process.id) as ProcessInfo).id), text: 'help' },
        { wake: false },
      )
      turn.say('reply', { text: answer.kind === 'answer' ? JSON.stringify(answer.value) : 'woken' })
    })
    const ring: ProcessInfo[] = []
    const heart = await openHeart({ engines: [asks] })
    for (let i = 0; i < size; i++) ring.push(await heart.process('asks'))
    for (const [i, each] of ring.entries()) next.set(each.id, ring[(i + 1) % size] as ProcessInfo)
    return { heart, ring }
  }

  test.each([2, 3])('[L10] a ring of %i that ask each other ends: who closes it is told (trial H21)', async (size) => {
    const { heart, ring } = await ringOf(size)
    await heart.say(ring[0] as ProcessInfo, 'go')
    await heart.until((event) => settled()(event) && event.lane === (ring[0]?.id as string))
    expect((await saidBy(heart, ring[size - 1] as ProcessInfo))[0]).toContain('waits for the one that asks')
    for (const each of ring) expect((await heart.lanes.look(each.id))?.turn).toBe(null)
    await heart.close()
  })

  test('[L10] two that were asked by two people and ask each other both end, also after a restart', async () => {
    const { heart, ring } = await ringOf(2)
    await Promise.all(ring.map((each, i) => heart.say(each, 'go', { from: `user:p${i}` })))
    await settleLoop(2)
    const after = await heart.crash()
    for (const each of ring) await after.until((event) => settled()(event) && event.lane === (each.id as string))
    await settleLoop(20)
    for (const each of ring) expect((await after.lanes.look(each.id))?.turn).toBe(null)
    await after.close()
  })

  test('[L10] a ring that closes after a restart ends too, although those who wait were not in memory', async () => {
    const held = gate()
    const { heart, ring } = await ringOf(3, held)
    await heart.say(ring[0] as ProcessInfo, 'go')
    await heart.until((event) => event.type === 'step-started')
    await settleLoop(5)
    const after = await heart.crash()
    expect(after.lanes.stats().open).toBeLessThan(2)
    held.open()
    await after.until((event) => settled()(event) && event.lane === (ring[0]?.id as string))
    expect((await saidBy(after, ring[2] as ProcessInfo))[0]).toContain('waits for the one that asks')
    await after.close()
  })
})
