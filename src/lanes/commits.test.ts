import { describe, expect, test } from 'vitest'
import { laneOf, type NodeId } from '../base/ids.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import type { Item } from '../journal/commit.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { memoryStore } from '../store/memory/memory.ts'
import { arrival } from './post.ts'
import { emptyLane, evolve, evolveVersion, type LaneState } from './state.ts'
import { engine, gate, openHeart, settled, textOf } from './testing.ts'

/** Counts what reaches the store. */
function counting(inner: JournalStore): { store: JournalStore; groups: (readonly Item[])[] } {
  const groups: (readonly Item[])[] = []
  const apply = (group: readonly Item[]) => {
    groups.push(group)
    return inner.apply(group)
  }
  return { groups, store: new Proxy(inner, { get: (target, key) => (key === 'apply' ? apply : Reflect.get(target, key)) }) }
}

const echo = engine('echo', async (turn) => void turn.say('reply', { text: 'hi' }))
const chat = engine('chat', async (turn) => {
  const text = await turn.step('model', 'replayable', async () => 'hi')
  turn.say('reply', { text })
})

describe('commits', () => {
  test('[L8] a turn without effects shares the transaction of its entry', async () => {
    const clock = handClock()
    const { store, groups } = counting(memoryStore({ now: clock.now }))
    const heart = await openHeart({ engines: [echo], store, clock })
    const process = await heart.process('echo')
    await heart.say(process, 'warm up')
    await heart.until(settled())
    await settleLoop()
    groups.length = 0
    await heart.say(process, 'a')
    await settleLoop()
    expect(groups.map((group) => group.length)).toEqual([2])
    await heart.close()
  })

  test('[L8] a model turn takes two transactions', async () => {
    const clock = handClock()
    const { store, groups } = counting(memoryStore({ now: clock.now }))
    const heart = await openHeart({ engines: [chat], store, clock })
    const process = await heart.process('chat')
    await heart.say(process, 'warm up')
    await heart.until(settled())
    await settleLoop()
    groups.length = 0
    await heart.say(process, 'a')
    await settleLoop(5)
    expect(groups.map((group) => group.length)).toEqual([2, 1])
    await heart.close()
  })

  test('[L8] a duplicate that meets the shortcut leaves the lane as it was', async () => {
    const heart = await openHeart({ engines: [echo] })
    const process = await heart.process('echo')
    await heart.say(process, 'a', { id: 'one' })
    await heart.until(settled())
    const after = await heart.crash()
    await after.say(process, 'b', { id: 'two' })
    await after.until((event) => settled()(event) && event.cursor > 8)
    const last = await after.say(process, 'a', { id: 'one' })
    expect(last.duplicate).toBe(true)
    await settleLoop(5)
    await after.say(process, 'c')
    await settleLoop(5)
    expect((await after.types()).filter((type) => type === 'turn-settled')).toHaveLength(3)
    await after.close()
  })

  test('[L8] what joined a turn and comes a second time is known: no commit is refused', async () => {
    const held = gate()
    const logged: string[] = []
    const slow = engine('slow', async (turn) => {
      await turn.step('a', 'replayable', async () => held.promise.then(() => 1))
      turn.arrivals('after a')
    })
    const heart = await openHeart({ engines: [slow], log: (level, what) => void logged.push(`${level} ${what}`) })
    const process = await heart.process('slow')
    await heart.say(process, 'a', { id: 'one' })
    await heart.say(process, 'b', { id: 'two' })
    held.open()
    await heart.until(settled())
    await settleLoop(5)
    expect(await heart.say(process, 'b', { id: 'two' })).toMatchObject({ duplicate: true })
    await settleLoop(5)
    expect(logged.filter((line) => line.startsWith('warn'))).toEqual([])
    expect((await heart.types()).filter((type) => type === 'turn-started')).toHaveLength(1)
    await heart.close()
  })

  test('[L3] a refused commit drops the lane; the journal decides what happened', async () => {
    const clock = handClock()
    const store = memoryStore({ now: clock.now })
    const held = gate()
    const one = engine('one', async (turn) => {
      await turn.step('a', 'replayable', async () => held.promise.then(() => 1))
      turn.say('reply', { text: 'done' })
    })
    const heart = await openHeart({ engines: [one], store, clock })
    const process = await heart.process('one')
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started')
    // Another node takes the lane over: the epoch of this one is old (L7).
    await store.claim([laneOf(process.id)], 'nod_other' as NodeId)
    await store.release([laneOf(process.id)], 'nod_other' as NodeId)
    held.open()
    await heart.until(settled())
    const events = await heart.events()
    expect(events.filter((event) => event.type === 'chat-message-appended' && event.data.turn).map(textOf)).toEqual(['done'])
    expect(events.filter((event) => event.type === 'turn-resumed')).toHaveLength(1)
    await heart.close()
  })

  test('[L7] with less than the margin of the lease left no effect starts', async () => {
    const clock = handClock()
    const store = memoryStore({ now: clock.now })
    let acted = 0
    const one = engine('one', async (turn) => void (await turn.step('a', 'replayable', async () => ++acted)))
    const frozen = new Proxy(store, {
      get: (target, key) => (key === 'heartbeat' && acted < 0 ? () => new Promise(() => {}) : Reflect.get(target, key)),
    })
    const heart = await openHeart({ engines: [one], store: frozen, clock, lease: { ttlMs: 9_000, marginMs: 2_000 } })
    const process = await heart.process('one')
    await heart.say(process, 'warm up')
    await heart.until(settled())
    expect(acted).toBe(1)
    acted = -1
    clock.advance(3_000)
    clock.advance(5_000)
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started' && event.seq > 10)
    await settleLoop(5)
    expect(acted).toBe(-1)
    await heart.close()
  })

  test('[L3, L7] a start that is refused because another node posted first leaves the end of the turn before it alone (T6)', async () => {
    const clock = handClock()
    const store = memoryStore({ now: clock.now })
    const held = gate()
    let sent = 0
    const mail = engine('mail', async (turn) => {
      await turn.once('send', async () => {
        await held.promise
        sent += 1
        return sent
      })
      turn.say('reply', { text: turn.entries.map((entry) => ('text' in entry.body ? entry.body.text : '')).join('+') })
    })
    const heart = await openHeart({ engines: [mail], store, clock })
    const process = await heart.process('mail')
    await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started')
    // Another node posts, and this one does not hear of it.
    const from = 'user:bob' as const
    const body = { kind: 'message' as const, session: process.session, text: 'b', when: 'next' as const }
    const id = heart.newId('ent')
    const entry = { lane: laneOf(process.id), id, from, body, chain: { root: id, depth: 0, hops: 0 }, at: 0, ref: heart.newId('msg') }
    await store.apply([{ post: { entry, event: arrival(entry, heart.newId) } }])
    await heart.say(process, 'c')
    held.open()
    await heart.until((event) => event.type === 'chat-message-appended' && event.data.turn !== undefined && textOf(event) === 'c')
    const events = await heart.events()
    expect(events.filter((event) => event.type === 'chat-message-appended' && event.data.turn).map(textOf)).toEqual(['a', 'b', 'c'])
    expect(sent).toBe(3)
    expect(events.filter((event) => event.type === 'question-asked')).toEqual([])
    await heart.close()
  })

  test('[L12] the snapshot of a resting lane is small, and is what folding all its events gives', async () => {
    const heart = await openHeart({ engines: [chat] })
    const process = await heart.process('chat')
    for (let i = 0; i < 20; i++) {
      await heart.say(process, `m${i}`)
      await settleLoop(4)
    }
    const snapshot = await heart.store.snapshot(laneOf(process.id), evolveVersion)
    const own = (await heart.events()).filter((event) => event.seq > 0)
    const folded = own.reduce<LaneState>(evolve, emptyLane)
    expect(snapshot?.seq).toBe(own.at(-1)?.seq)
    expect(JSON.parse(snapshot?.state ?? '')).toEqual(JSON.parse(JSON.stringify(folded)))
    expect(snapshot?.state.length).toBeLessThan(1_000)
    await heart.close()
  })

  test('[L13] a projection that fails stops itself, not the lanes', async () => {
    const heart = await openHeart({ engines: [echo] })
    let seen = 0
    await heart.journal.project({
      name: 'faulty',
      version: 1,
      position: async () => 0,
      apply: async () => {
        seen += 1
        throw new Error('boom')
      },
      rebuild: async () => Promise.reject(new Error('not rebuilt here')),
    })
    const process = await heart.process('echo')
    await heart.say(process, 'a')
    const end = await heart.until(settled())
    await heart.journal.passed(end.cursor)
    expect(heart.journal.health().projections).toMatchObject([{ name: 'faulty', stopped: 'boom' }])
    expect(seen).toBe(1)
    await heart.close()
  })

  test('[L14] a person comes before a thousand background entries', async () => {
    const heart = await openHeart({ engines: [chat] })
    const lanes = []
    for (let i = 0; i < 100; i++) lanes.push(await heart.process('chat', { facesPerson: false }))
    const person = await heart.process('chat')
    await heart.say(person, 'warm up')
    await heart.until(settled())
    const from = (await heart.events()).length
    const flood = lanes.flatMap((lane) => Array.from({ length: 10 }, (_, i) => heart.say(lane, `job ${i}`, { from: `schedule:s${i}` })))
    const mine = heart.say(person, 'me first')
    await Promise.all([...flood, mine])
    await heart.until((event) => settled()(event) && event.cursor > from && event.lane === (person.id as string))
    const before = (await heart.events()).filter((event) => event.type === 'turn-started' && event.cursor > from)
    expect(before.findIndex((event) => event.lane === (person.id as string))).toBeLessThan(5)
    await settleLoop(400)
    const started = (await heart.events()).filter((event) => event.type === 'turn-started' && event.cursor > from)
    expect(started).toHaveLength(1_001)
    await heart.close()
  })
})

describe('live words', () => {
  test('[L9] words carry turn, step, attempt and offset; who comes later gets the text so far; a new attempt replaces it', async () => {
    const held = gate()
    let crashed = false
    const stream = engine('stream', async (turn) => {
      const text = await turn.step('model', 'replayable', async (act) => {
        act.stream('Hel')
        act.stream('lo')
        if (!crashed) await held.promise
        return 'Hello'
      })
      turn.say('reply', { text, streamed: 'model' })
    })
    const heart = await openHeart({ engines: [stream] })
    const process = await heart.process('stream')
    const heard: unknown[] = []
    heart.lanes.live.listen(
      process.session,
      (frame) => frame.kind === 'words' && heard.push([frame.step, frame.attempt, frame.offset, frame.text]),
    )
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started')
    await settleLoop()
    expect(heard).toEqual([
      ['model', 1, 0, 'Hel'],
      ['model', 1, 3, 'lo'],
    ])
    expect(heart.lanes.live.soFar(process.session)).toMatchObject([{ offset: 0, text: 'Hello', attempt: 1 }])
    crashed = true
    const after = await heart.crash()
    const later: unknown[] = []
    after.lanes.live.listen(process.session, (frame) => frame.kind === 'words' && later.push([frame.attempt, frame.offset, frame.text]))
    await after.until(settled())
    expect(later).toEqual([
      [2, 0, 'Hel'],
      [2, 3, 'lo'],
    ])
    expect(after.lanes.live.soFar(process.session)).toEqual([])
    await after.close()
  })
})
