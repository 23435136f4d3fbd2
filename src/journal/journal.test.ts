import { describe, expect, test } from 'vitest'
import { type EntryId, type EventId, type LaneId, ulids } from '../base/ids.ts'
import { silent } from '../base/log.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import { faulty } from '../store/faulty.ts'
import { memoryStore } from '../store/memory/memory.ts'
import type { Commit, Post } from './commit.ts'
import { openJournal } from './journal.ts'
import type { JournalStore } from './journal-store.ts'
import type { Projection } from './projection.ts'
import { openStream } from './stream.ts'

const clock = handClock()
const newId = ulids(clock.now)

function event(type = 'happened', data = {}): NewEvent {
  return {
    id: newId('evt') as EventId,
    type,
    at: 0,
    actor: 'system',
    visibility: 'operator',
    data,
    cause: null,
    correlation: null,
    session: null,
    v: 1,
  }
}
const lane = (name: string) => name as LaneId
const next = (name: string, after: number, count = 1): Commit => ({
  lane: lane(name),
  epoch: 0,
  after,
  events: Array.from({ length: count }, () => event()),
})
const first = (name: string, count = 1): Commit => ({ ...next(name, 0, count), creates: { session: null, mailbox: true } })
function post(to: string, id: string): Post {
  const entry = {
    lane: lane(to),
    id: id as EntryId,
    from: 'user:ada' as const,
    body: { kind: 'note' as const, topic: 't', data: {} },
    chain: { root: id, depth: 0, hops: 0 },
    at: 0,
  }
  return { entry, event: event('entry-received', { entry }) }
}
async function open(store: JournalStore = memoryStore({ now: clock.now })) {
  return { store, journal: await openJournal({ store, clock, log: silent }) }
}

/** Collects in tables of its own; `stored` survives a new journal. */
function collecting(
  name: string,
  version = 1,
  stored: { events: Event[]; position: number; version: number } = { events: [], position: 0, version: 1 },
) {
  const projection: Projection = {
    name,
    version,
    position: async () => (stored.version === version ? stored.position : null),
    apply: async (events, position) => {
      stored.events.push(...events)
      stored.position = position
    },
    rebuild: async () => {
      const next: Event[] = []
      let at = 0
      return {
        apply: async (events, position) => {
          next.push(...events)
          at = position
        },
        replace: async () => void Object.assign(stored, { events: next, position: at, version }),
        abandon: async () => {},
      }
    },
  }
  return { projection, stored }
}

describe('appending', () => {
  test('[J1] what one tick brings is one group; a refused commit spoils only itself', async () => {
    const { journal, store } = await open()
    const results = await Promise.all([journal.append(first('a')), journal.append({ ...first('b'), after: 7 }), journal.append(first('c'))])
    expect(results.map((result) => result.ok)).toEqual([true, false, true])
    expect((await store.readAll(0, 10)).events.map((e) => e.lane)).toEqual(['a', 'c'])
    await journal.close()
  })

  test('[J1] a commit given as a function may grow until its group is formed', async () => {
    const { journal, store } = await open()
    const events = [event()]
    const done = journal.append(() => ({ ...first('a'), events }))
    events.push(event())
    await done
    expect((await store.readAll(0, 10)).events).toHaveLength(2)
    await journal.close()
  })

  test('[J6] while the store takes nothing commits wait and posts are refused; then all goes on in order', async () => {
    const broken = faulty(memoryStore({ now: clock.now }))
    const { journal, store } = await open(broken.store)
    const states: boolean[] = []
    journal.onReadOnly((readOnly) => states.push(readOnly))
    broken.refuse('database or disk is full')
    const waiting = [journal.append(first('a')), journal.append(next('a', 1))]
    await settleLoop()
    expect(journal.health()).toMatchObject({ readOnly: 'database or disk is full', pending: 2 })
    expect(await journal.post(post('a', 'ent_1'))).toMatchObject({ ok: false, reason: 'unavailable' })
    broken.refuse(null)
    clock.advance(5_000)
    expect((await Promise.all(waiting)).map((result) => result.ok)).toEqual([true, true])
    expect(states).toEqual([true, false])
    expect((await store.readAll(0, 10)).events.map((e) => e.seq)).toEqual([1, 2])
    await journal.close()
  })
})

test('[J6] when only posts were refused, a write shows that the store is back, not a read', async () => {
  const broken = faulty(memoryStore({ now: clock.now }))
  const { journal } = await open(broken.store)
  await journal.append(first('a'))
  broken.refuse('database or disk is full')
  expect(await journal.post(post('a', 'ent_1'))).toMatchObject({ ok: false, reason: 'unavailable' })
  for (let i = 0; i < 5; i++) {
    clock.advance(5_000)
    await settleLoop()
    expect(journal.readOnly).toBe(true)
  }
  broken.refuse(null)
  clock.advance(5_000)
  await settleLoop()
  expect(journal.readOnly).toBe(false)
  expect(await journal.post(post('a', 'ent_1'))).toMatchObject({ ok: true })
  await journal.close()
})

describe('following', () => {
  test('[J2] a follower sees every event once, in order, whether it reads the store or keeps up', async () => {
    const { journal } = await open()
    await journal.append(first('a', 700))
    const abort = new AbortController()
    const seen: number[] = []
    const done = (async () => {
      for await (const batch of journal.follow(0, { signal: abort.signal })) seen.push(...batch.map((e) => e.cursor))
    })()
    await settleLoop()
    for (let i = 0; i < 40; i++) await Promise.all([journal.append(first(`b${i}`)), journal.append(first(`c${i}`, 3))])
    await settleLoop()
    abort.abort()
    await done
    expect(seen).toEqual(Array.from({ length: 860 }, (_, i) => i + 1))
    await journal.close()
  })

  test('[J3] a slow follower holds nothing up and skips nothing, also when the tail moved on', async () => {
    const { journal } = await open()
    const iterator = journal.follow(0)[Symbol.asyncIterator]()
    await journal.append(first('a'))
    const seen = [...((await iterator.next()).value as readonly Event[])].map((e) => e.cursor)
    for (let i = 0; i < 60; i++) await journal.append(first(`b${i}`, 100))
    while (seen.length < 6_001) seen.push(...((await iterator.next()).value as readonly Event[]).map((e) => e.cursor))
    expect(seen).toEqual(Array.from({ length: 6_001 }, (_, i) => i + 1))
    await iterator.return?.()
    await journal.close()
  })
})

describe('projections', () => {
  test("[J5] a read after one's own write waits until the projection has passed it", async () => {
    const { journal } = await open()
    const { projection, stored } = collecting('list')
    await journal.project(projection)
    const done = await journal.append(first('a', 3))
    await journal.passed(done.ok ? done.cursor : 0, 'list')
    expect(stored.events).toHaveLength(3)
    await journal.close()
  })

  test('[L13] another version is built anew, while the hub runs, and ends with the same tables', async () => {
    const { journal, store } = await open()
    const { projection, stored } = collecting('list')
    await journal.project(projection)
    for (let i = 0; i < 20; i++) await journal.append(first(`a${i}`, 60))
    await journal.passed(1_200)
    const before = stored.events.map((e) => e.id)
    const rebuilding = journal.rebuild('list')
    for (let i = 0; i < 20; i++) await journal.append(first(`b${i}`))
    await rebuilding
    await journal.passed(1_220)
    expect(stored.events.map((e) => e.id)).toEqual([...before, ...(await store.readAll(1_200, 100)).events.map((e) => e.id)])
    const again = await openJournal({ store, clock, log: silent })
    await again.project(collecting('list', 2, stored).projection)
    expect(stored.version).toBe(2)
    expect(stored.events).toHaveLength(1_220)
    await again.close()
    await journal.close()
  })

  test('[J4] a projection that fails stops alone and goes on after a rebuild', async () => {
    const { journal } = await open()
    const { projection, stored } = collecting('list')
    let broken = true
    await journal.project({
      ...projection,
      apply: (events, at) => (broken ? Promise.reject(new Error('no such column')) : projection.apply(events, at)),
    })
    const other = collecting('other')
    await journal.project(other.projection)
    await journal.append(first('a', 2))
    await journal.passed(2)
    expect(journal.health().projections).toMatchObject([{ stopped: 'no such column' }, { stopped: null, position: 2 }])
    broken = false
    await journal.rebuild('list')
    await journal.append(first('b'))
    await journal.passed(3)
    expect(stored.events).toHaveLength(3)
    await journal.close()
  })
})

describe('streams', () => {
  const fold = {
    empty: [] as readonly string[],
    evolve: (state: readonly string[], e: NewEvent | Event) => [...state, String(e.data.name)],
  }
  const add = (name: string) => (state: readonly string[]) => (state.includes(name) ? [] : [event('added', { name })])

  test('two writers of one stream decide on the newest state', async () => {
    const { journal, store } = await open()
    const here = openStream({ journal, store }, lane('ten_a'), { fold })
    const there = openStream({ journal, store }, lane('ten_a'), { fold })
    await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? here : there).change(add(`p${i % 5}`))))
    const events = (await store.readAll(0, 500)).events.map((e) => e.data.name)
    expect([...events].sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'])
    await journal.close()
  })

  test('a decision that throws appends nothing, and the next one goes on', async () => {
    const { journal, store } = await open()
    const stream = openStream({ journal, store }, lane('ten_a'), { fold })
    await expect(
      stream.change(() => {
        throw new Error('there is a project of that name')
      }),
    ).rejects.toThrow('there is a project')
    expect((await stream.change(add('shop'))).state).toEqual(['shop'])
    await journal.close()
  })
})
