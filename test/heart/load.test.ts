// Many lanes at once: what is claimed, who goes first, and that nobody waits for another.
import { expect, test } from 'vitest'
import { laneOf } from '../../src/base/ids.ts'
import { handClock } from '../../src/base/testing.ts'
import type { JournalStore } from '../../src/journal/journal-store.ts'
import { engine, openHeart } from '../../src/lanes/testing.ts'
import { memoryStore } from '../../src/store/memory/memory.ts'

const echo = engine('echo', async (turn) => void turn.say('reply', { text: 'heard' }))
const dead = engine('echo', async () => {
  throw new Error('this machine runs nothing')
})

/** Counts the transactions in which lanes are claimed, and their sizes. */
function counting(store: JournalStore) {
  const claims: number[] = []
  const claim: JournalStore['claim'] = (lanes, node) => {
    claims.push(lanes.length)
    return store.claim(lanes, node)
  }
  return { claims, store: new Proxy(store, { get: (target, key) => (key === 'claim' ? claim : Reflect.get(target, key)) }) }
}

test('[L1] [L7] 10,000 entries in 2,000 lanes are opened in slices of fifty, all run, each once', async () => {
  const clock = handClock()
  const { claims, store } = counting(memoryStore({ now: clock.now }))
  const before = await openHeart({ store, clock, engines: [dead] })
  const processes = await Promise.all(Array.from({ length: 2_000 }, () => before.process('echo')))
  // Posted past the lanes, so that nothing is run before the restart.
  await before.lanes.stop()
  for (let i = 0; i < 5; i++) await Promise.all(processes.map((process) => before.say(process, `${i}`)))
  expect(await store.countWaiting()).toBe(10_000)
  claims.length = 0
  const heart = await before.crash({ engines: [echo] })
  while ((await store.countWaiting()) > 0) await new Promise<void>((go) => setImmediate(go))
  const events = await heart.events()
  expect(claims.every((size) => size <= 50)).toBe(true)
  expect(claims.length).toBeLessThanOrEqual(80)
  const taken = events.filter((event) => event.type === 'turn-started').flatMap((event) => event.data['taken'] as { entry: string }[])
  expect(taken).toHaveLength(10_000)
  expect(new Set(taken.map(({ entry }) => entry)).size).toBe(10_000)
  await heart.close()
}, 60_000)

test('[L14] two busy lanes do not delay a third', async () => {
  const busy = engine('busy', async (turn) => {
    for (let i = 0; i < 300; i++) turn.note(`n${i}`, { type: 'noted-fact', data: { i } })
  })
  const heart = await openHeart({ engines: [busy, echo] })
  const [one, two, third] = [await heart.process('busy'), await heart.process('busy'), await heart.process('echo')]
  const post = (to: typeof one, i: number) => heart.say(to, `${i}`, { from: i % 2 ? 'user:ada' : 'user:bob' })
  const flood = Array.from({ length: 400 }, (_, i) => post(i % 4 < 2 ? one : two, i))
  await Promise.all(flood)
  const said = await heart.say(third, 'hello')
  const started = await heart.until((event) => event.type === 'turn-started' && event.lane === laneOf(third.id))
  const before = (await heart.events()).filter((event) => event.type === 'turn-started' && event.cursor < started.cursor)
  const accepted = (await heart.events()).find((event) => event.data['entry'] && (event.data['entry'] as { id: string }).id === said.entry)
  const between = before.filter((event) => event.cursor > (accepted?.cursor ?? 0))
  expect(between.length).toBeLessThanOrEqual(4)
  await heart.close()
}, 60_000)
