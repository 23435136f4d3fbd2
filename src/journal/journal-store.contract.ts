// What every store does (docs/spec.md, rules S). Run by each store's own test file over a fresh, empty store a test.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EntryId, EventId, LaneId, NodeId, SessionId, TimerId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import { countingIds, seeded } from '../base/testing.ts'
import type { Entry } from '../protocol/entry.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { Commit, Committed, Item, Post, Posted, Timer } from './commit.ts'
import type { JournalStore } from './journal-store.ts'

export type StoreUnderTest = { readonly store: JournalStore; close(): Promise<void> }

export function journalStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`journal store contract: ${name}`, () => {
    let under: StoreUnderTest
    let use: Use
    beforeEach(async () => {
      under = await open()
      use = using(under.store)
    })
    afterEach(() => under.close())
    const given = () => use
    groups(given)
    heads(given)
    posts(given)
    takes(given)
    held(given)
    reading(given)
    leases(given)
    startUp(given)
    timers(given)
    apart(given)
    invalidData(given)
    againstAModel(given)
  })
}

type Given = () => Use

function groups(given: Given): void {
  it('[S1] a group is applied in order, and a refused item spoils only itself', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const b = await lane()
    const { results, events } = await store.apply([
      { commit: commit(a, 0, { events: [event('one')] }) },
      { commit: commit(b, 7, { events: [event('lost')], posts: [post(a, 'p1')], closes: true }) },
      { post: post(b, 'p2') },
      { commit: commit(a, 1, { events: [event('two')] }) },
    ])
    expect(results.map((r) => ('commit' in r ? r.commit.ok : r.post.ok))).toEqual([true, false, true, true])
    expect(events.map((e) => [e.type, e.cursor])).toEqual([
      ['one', 1],
      ['entry-received', 2],
      ['two', 3],
    ])
    expect((await store.readAll(0, 10)).events).toEqual(events)
    expect(await store.waiting(a)).toEqual([])
    expect(await store.head(b)).toMatchObject({ seq: 0, closed: false, lastEvent: null })
  })

  it('[S1] an item sees what the items before it did: an entry is posted and taken in one group', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const { results } = await store.apply([
      { post: post(a, 'x') },
      { commit: commit(a, 0, { events: [event('turn-started')], takes: ids('x') }) },
    ])
    expect(results[1]).toMatchObject({ commit: { ok: true } })
    expect(await store.waiting(a)).toEqual([])
    expect((await store.entries(a, ids('x'))).map((e) => e.id)).toEqual(['x'])
  })

  it('[S1] when the entry was a duplicate, the commit that wanted to take it is refused as gone', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    await store.apply([{ post: post(a, 'x') }])
    ok(await commitOne(store, commit(a, 0, { events: [event('turn-started')], takes: ids('x') })))
    const { results } = await store.apply([
      { post: post(a, 'x') },
      { commit: commit(a, 1, { events: [event('turn-started')], takes: ids('x') }) },
    ])
    expect(results).toMatchObject([{ post: { ok: true, duplicate: true } }, { commit: { ok: false, reason: 'gone' } }])
    expect((await store.head(a))?.seq).toBe(1)
  })

  it('[S1] an empty group is nothing', async () => {
    expect(await given().store.apply([])).toEqual({ results: [], events: [] })
  })

  it('[S3] cursors ascend from 1 over all lanes, seq counts what a lane wrote itself, received entries have seq 0', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const b = await lane()
    const { events } = await store.apply([
      { commit: commit(a, 0, { events: [event('a1'), event('a2')], posts: [post(b, 'x')] }) },
      { commit: commit(b, 0, { events: [event('b1')] }) },
      { commit: commit(a, 2, { events: [event('a3')] }) },
    ])
    expect(events.map((e) => [e.cursor, e.lane, e.seq, e.type])).toEqual([
      [1, a, 1, 'a1'],
      [2, a, 2, 'a2'],
      [3, b, 0, 'entry-received'],
      [4, b, 1, 'b1'],
      [5, a, 3, 'a3'],
    ])
    expect(await store.last()).toBe(5)
    expect((await store.readLane(b, 0, 10)).map((e) => e.type)).toEqual(['b1'])
  })

  it('[S3] a commit answers the cursor of its own last event, and what became of each of its posts', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const b = await lane()
    const first = post(b, 'x', { ref: 'msg_1' })
    const done = await commitOne(store, commit(a, 0, { events: [event('one')], posts: [first, first] }))
    expect(done).toEqual({
      ok: true,
      cursor: 1,
      posted: [
        { post: first, result: { ok: true, cursor: 2, duplicate: false, ref: 'msg_1' } },
        { post: first, result: { ok: true, cursor: 2, duplicate: true, ref: 'msg_1' } },
      ],
    })
  })
}

function heads(given: Given): void {
  it('[S2] a commit needs the epoch of the lane, then its seq', async () => {
    const { store, lane, commit, event, node } = given()
    const a = await lane()
    await store.claim([a], node(1))
    const stale = await commitOne(store, commit(a, 5, { events: [event('x')] }))
    expect(stale).toEqual({ ok: false, reason: 'stale_owner' })
    const early = await commitOne(store, commit(a, 1, { epoch: 1, events: [event('x')] }))
    expect(early).toEqual({ ok: false, reason: 'moved_on' })
    const newer = await commitOne(store, commit(a, 0, { epoch: 2, events: [event('x')] }))
    expect(newer).toEqual({ ok: false, reason: 'stale_owner' })
    expect(await commitOne(store, commit(a, 0, { epoch: 1, events: [event('x')] }))).toMatchObject({ ok: true, cursor: 1 })
    expect(await store.last()).toBe(1)
  })

  it('[S2] a lane is made by a commit after 0 that says so; a second maker is told moved_on', async () => {
    const { store, commit, event, id } = given()
    const a = id()
    const make = () =>
      commit(a, 0, { events: [event('process-created')], creates: { session: 'ses_1' as SessionId, mailbox: true }, resting: 'idle' })
    expect(await commitOne(store, commit(a, 0, { events: [event('x')] }))).toMatchObject({ ok: false, reason: 'invalid' })
    expect(await commitOne(store, commit(a, 3, { events: [event('x')] }))).toMatchObject({ ok: false, reason: 'invalid' })
    expect(await commitOne(store, { ...make(), after: 3 })).toMatchObject({ ok: false, reason: 'invalid' })
    const { results } = await store.apply([{ commit: make() }, { commit: make() }])
    expect(results).toMatchObject([{ commit: { ok: true } }, { commit: { ok: false, reason: 'moved_on' } }])
    expect(await store.head(a)).toEqual({
      epoch: 0,
      seq: 1,
      lastEvent: (await store.readLane(a, 0, 1))[0]?.id,
      resting: 'idle',
      owner: null,
      session: 'ses_1',
      closed: false,
    })
  })

  it('[S24] a commit given again after its answer was lost is answered as done, and does nothing', async () => {
    const { store, lane, id, commit, event, post } = given()
    const a = await lane()
    const b = await lane()
    await postOne(store, post(a, 'x'))
    const one = commit(a, 0, { events: [event('1'), event('2')], takes: ids('x'), posts: [post(b, 'y')] })
    const first = await commitOne(store, one)
    expect(first).toMatchObject({ ok: true, cursor: 3 })
    const again = await store.apply([{ commit: one }])
    expect(again.events).toEqual([])
    expect(again.results).toMatchObject([
      { commit: { ok: true, cursor: 4, posted: [{ result: { ok: true, cursor: 4, duplicate: true } }] } },
    ])
    expect(await store.last()).toBe(4)
    const maker = commit(id(), 0, { events: [event('process-created')], creates: { session: null, mailbox: true } })
    expect([await commitOne(store, maker), await commitOne(store, maker)]).toMatchObject([{ ok: true }, { ok: true }])
    await commitOne(store, commit(a, 2, { events: [event('3')] }))
    expect(await commitOne(store, one)).toEqual({ ok: false, reason: 'moved_on' })
  })

  it('[S2] the head of a lane that does not exist is null', async () => {
    expect(await given().store.head(given().id())).toBeNull()
  })

  it('[S2] the resting word and the last event stay until a commit changes them', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const one = event('one')
    await commitOne(store, commit(a, 0, { events: [one], resting: 'waiting' }))
    await commitOne(store, commit(a, 1, { events: [] }))
    expect(await store.head(a)).toMatchObject({ seq: 1, lastEvent: one.id, resting: 'waiting' })
  })
}

function posts(given: Given): void {
  it('[S4] the same key with the same content is a duplicate: it answers what the first one got, and appends nothing', async () => {
    const { store, lane, post } = given()
    const a = await lane()
    const first = post(a, 'x', { ref: 'msg_1', text: 'hi' })
    const again = post(a, 'x', { ref: 'msg_2', text: 'hi', at: 99, root: 'elsewhere', held: true })
    expect(await postOne(store, first)).toEqual({ ok: true, cursor: 1, duplicate: false, ref: 'msg_1' })
    expect(await postOne(store, again)).toEqual({ ok: true, cursor: 1, duplicate: true, ref: 'msg_1' })
    expect(await store.last()).toBe(1)
    expect(await store.waiting(a)).toEqual([first.entry])
  })

  it('[S4] sender, body and reply address are the content: another one of them under a known key is a conflict', async () => {
    const { store, lane, post } = given()
    const a = await lane()
    await postOne(store, post(a, 'x', { text: 'hi' }))
    for (const other of [{ text: 'ho' }, { from: 'user:bob' as const }, { replyTo: true }]) {
      expect(await postOne(store, post(a, 'x', { text: 'hi', ...other }))).toEqual({ ok: false, reason: 'conflict' })
    }
    expect(await store.last()).toBe(1)
  })

  it('[S4] keys are of the lane: the same id in another lane is another entry', async () => {
    const { store, lane, post } = given()
    const a = await lane()
    const b = await lane()
    await postOne(store, post(a, 'x'))
    expect(await postOne(store, post(b, 'x', { text: 'other' }))).toMatchObject({ ok: true, duplicate: false })
  })

  it('[S4] a key lives as long as its lane: taken and dropped entries are known still', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    await postOne(store, post(a, 'x'))
    await postOne(store, post(a, 'y'))
    ok(await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('x'), drops: ids('y') })))
    expect(await postOne(store, post(a, 'x'))).toMatchObject({ ok: true, duplicate: true })
    expect(await postOne(store, post(a, 'y'))).toMatchObject({ ok: true, duplicate: true })
    expect(await postOne(store, post(a, 'y', { text: 'new' }))).toEqual({ ok: false, reason: 'conflict' })
    expect(await store.countWaiting(a)).toBe(0)
  })

  it('[S4] an unknown lane and a stream take no posts; a closed lane says so, and knows its old keys', async () => {
    const { store, lane, stream, commit, event, post, id } = given()
    expect(await postOne(store, post(id(), 'x'))).toEqual({ ok: false, reason: 'no_such_lane' })
    expect(await postOne(store, post(await stream(), 'x'))).toEqual({ ok: false, reason: 'no_such_lane' })
    const a = await lane()
    await postOne(store, post(a, 'x'))
    await commitOne(store, commit(a, 0, { events: [event('process-closed')], closes: true }))
    expect(await store.head(a)).toMatchObject({ closed: true })
    expect(await postOne(store, post(a, 'y'))).toEqual({ ok: false, reason: 'closed' })
    expect(await postOne(store, post(a, 'x'))).toMatchObject({ ok: true, duplicate: true })
    await commitOne(store, commit(a, 1, { events: [event('later')] }))
    expect(await store.head(a)).toMatchObject({ closed: true, seq: 2 })
  })

  it('[S4] a limit counts what waits in that lane: over it the answer is full, for known keys it is not', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    expect(await postOne(store, post(a, 'x'), 0)).toEqual({ ok: false, reason: 'full' })
    expect(await postOne(store, post(a, 'x'), 2)).toMatchObject({ ok: true })
    expect(await postOne(store, post(a, 'y'), 2)).toMatchObject({ ok: true })
    expect(await postOne(store, post(a, 'z'), 2)).toEqual({ ok: false, reason: 'full' })
    expect(await postOne(store, post(a, 'x'), 2)).toMatchObject({ ok: true, duplicate: true })
    expect(await postOne(store, post(a, 'z'))).toMatchObject({ ok: true })
    await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('x', 'y') }))
    expect(await postOne(store, post(a, 'w'), 2)).toMatchObject({ ok: true, duplicate: false })
  })

  it('[S9] posts of a refused commit are undone with it; a post that is refused does not refuse its commit', async () => {
    const { store, lane, commit, event, post, id } = given()
    const a = await lane()
    const b = await lane()
    await commitOne(store, commit(a, 4, { events: [event('x')], posts: [post(b, 'lost')] }))
    expect(await store.waiting(b)).toEqual([])
    await postOne(store, post(b, 'known'))
    const posts = [post(id(), 'x'), post(b, 'known', { text: 'other' }), post(b, 'fine')]
    const done = await commitOne(store, commit(a, 0, { events: [event('x')], posts }))
    expect(done.ok && done.posted.map((p) => (p.result.ok ? p.result.cursor : p.result.reason))).toEqual(['no_such_lane', 'conflict', 3])
    expect((await store.waiting(b)).map((e) => e.id)).toEqual(['known', 'fine'])
  })
}

function takes(given: Given): void {
  it('[S5] work is taken as the oldest prefix of what waits, in order', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    for (const id of ['x', 'y', 'z']) await postOne(store, post(a, id))
    const take = (...names: string[]) => commitOne(store, commit(a, 0, { events: [event('t')], takes: ids(...names) }))
    for (const wrong of [['y'], ['y', 'x'], ['x', 'z']]) expect(await take(...wrong)).toEqual({ ok: false, reason: 'out_of_order' })
    expect(await take('x', 'nobody')).toEqual({ ok: false, reason: 'gone' })
    ok(await take('x', 'y'))
    expect((await store.waiting(a)).map((e) => e.id)).toEqual(['z'])
    expect(await commitOne(store, commit(a, 1, { events: [event('t')], takes: ids('x') }))).toEqual({ ok: false, reason: 'gone' })
  })

  it('[S5] control between work does not disturb the prefix, and is not taken', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    await postOne(store, post(a, 'x'))
    await postOne(store, post(a, 'stop', { control: true }))
    await postOne(store, post(a, 'y'))
    const wrong = await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('x', 'stop') }))
    expect(wrong).toEqual({ ok: false, reason: 'out_of_order' })
    ok(await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('x', 'y') })))
    expect((await store.waiting(a)).map((e) => e.id)).toEqual(['stop'])
  })

  it('[S6] what is carried out or refused leaves from any place, before work is taken in the same commit', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    for (const id of ['x', 'y', 'z']) await postOne(store, post(a, id))
    await postOne(store, post(a, 'stop', { control: true }))
    ok(await commitOne(store, commit(a, 0, { events: [event('t')], drops: ids('stop', 'x'), takes: ids('y') })))
    expect((await store.waiting(a)).map((e) => e.id)).toEqual(['z'])
    for (const gone of ['x', 'y', 'stop', 'nobody']) {
      const again = await commitOne(store, commit(a, 1, { events: [event('t')], drops: ids(gone) }))
      expect(again).toEqual({ ok: false, reason: 'gone' })
    }
  })

  it('[S5] an entry may be named once in a commit', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    await postOne(store, post(a, 'x'))
    const twice = commit(a, 0, { events: [event('t')], takes: ids('x'), drops: ids('x') })
    expect(await commitOne(store, twice)).toMatchObject({ ok: false, reason: 'invalid' })
    expect(await store.countWaiting(a)).toBe(1)
  })
}

function held(given: Given): void {
  it('[S7] a held entry does not wait; released it stands at the end of the line, no longer held', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    for (const id of ['h1', 'h2']) await postOne(store, post(a, id, { held: true }))
    await postOne(store, post(a, 'x'))
    expect((await store.waiting(a)).map((e) => e.id)).toEqual(['x'])
    expect((await store.entries(a, ids('h1')))[0]?.held).toBe(true)
    expect((await store.held(a)).map((e) => [e.id, e.held])).toEqual([
      ['h1', true],
      ['h2', true],
    ])
    const early = await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('h1') }))
    expect(early).toEqual({ ok: false, reason: 'gone' })
    ok(await commitOne(store, commit(a, 0, { events: [event('entry-released'), event('entry-released')], releases: ids('h2', 'h1') })))
    await postOne(store, post(a, 'y'))
    const line = await store.waiting(a)
    expect(line.map((e) => e.id)).toEqual(['x', 'h2', 'h1', 'y'])
    expect(line.some((e) => e.held)).toBe(false)
    expect(await store.held(a)).toEqual([])
    ok(await commitOne(store, commit(a, 2, { events: [event('t')], takes: ids('x', 'h2') })))
  })

  it('[S7] only what is held can be released; what is held can be dropped', async () => {
    const { store, lane, commit, event, post, ok } = given()
    const a = await lane()
    await postOne(store, post(a, 'h', { held: true }))
    await postOne(store, post(a, 'x'))
    const release = (...names: string[]) => commitOne(store, commit(a, 0, { events: [event('r')], releases: ids(...names) }))
    for (const wrong of ['x', 'nobody']) expect(await release('h', wrong)).toEqual({ ok: false, reason: 'gone' })
    ok(await commitOne(store, commit(a, 0, { events: [event('entry-refused')], drops: ids('h') })))
    expect(await store.waiting(a)).toHaveLength(1)
  })
}

function reading(given: Given): void {
  it('[S10] a lane is read from a seq on, in order, at most so many', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    await postOne(store, post(a, 'x'))
    await commitOne(store, commit(a, 0, { events: ['1', '2', '3', '4'].map((type) => event(type)) }))
    expect((await store.readLane(a, 1, 2)).map((e) => [e.seq, e.type])).toEqual([
      [2, '2'],
      [3, '3'],
    ])
    expect(await store.readLane(a, 4, 10)).toEqual([])
    expect(await store.readLane(given().id(), 0, 10)).toEqual([])
  })

  it('[S10] all is read from a cursor on, and by session', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const inSession = (type: string, session: string | null) => ({ ...event(type), session: session as SessionId | null })
    const events = [
      inSession('1', 'ses_a'),
      inSession('2', 'ses_b'),
      inSession('3', null),
      inSession('4', 'ses_a'),
      inSession('5', 'ses_a'),
    ]
    await commitOne(store, commit(a, 0, { events }))
    expect((await store.readAll(1, 2)).events.map((e) => e.type)).toEqual(['2', '3'])
    const page = await store.readAll(0, 2, { session: 'ses_a' })
    expect(page.events.map((e) => e.type)).toEqual(['1', '4'])
    expect(page.safe).toBe(5)
    expect((await store.readAll(4, 9, { session: 'ses_a' })).events.map((e) => e.type)).toEqual(['5'])
    expect(await store.readAll(5, 9)).toEqual({ events: [], safe: 5 })
    expect((await store.readAll(0, 9, { session: 'ses_nobody' })).events).toEqual([])
  })

  it('[S10] an empty store: cursor 0, generation 1', async () => {
    const { store } = given()
    expect(store.generation).toBe(1)
    expect(await store.last()).toBe(0)
    expect(await store.readAll(0, 10)).toEqual({ events: [], safe: 0 })
    expect(await store.countWaiting()).toBe(0)
  })

  it('[S10] every field of an event comes back, whatever text it holds', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const hostile = `'"\\ \u0000 \ud83d\ude00 \u2028 ${'long '.repeat(40_000)}`
    const data = { text: hostile, deep: [{ a: null, b: [1.5, -0.25, 1e21, true] }], __proto__: { x: 1 }, 'ключ "\'': '' }
    const all = { ...event('odd; DROP TABLE events', data), session: 'ses_1' as SessionId, cause: 'ent_1', correlation: 'ent_0', v: 3 }
    await commitOne(store, commit(a, 0, { events: [all] }))
    const [read] = await store.readLane(a, 0, 1)
    const { data: readData, ...rest } = read ?? { data: null }
    expect(rest).toEqual({ ...all, data: undefined, cursor: 1, lane: a, seq: 1 })
    expect(JSON.stringify(readData) === JSON.stringify(data)).toBe(true)
  })

  it('[S10] entries are found by id wherever they are, in the order asked for, and come back whole', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const x = post(a, 'x', { replyTo: true, ref: 'msg_9', text: 'see "it"' })
    const y = post(a, 'y', { control: true })
    for (const p of [x, y]) await postOne(store, p)
    await commitOne(store, commit(a, 0, { events: [event('t')], takes: ids('x') }))
    expect(await store.entries(a, ids('y', 'nobody', 'x'))).toEqual([y.entry, x.entry])
    expect(await store.entries(a, [])).toEqual([])
    expect(await store.entries(given().id(), ids('x'))).toEqual([])
  })

  it('[S10] what waits is counted in a lane and over all', async () => {
    const { store, lane, post } = given()
    const a = await lane()
    const b = await lane()
    for (const p of [post(a, '1'), post(a, '2'), post(b, '3'), post(b, '4', { held: true })]) await postOne(store, p)
    expect([await store.countWaiting(a), await store.countWaiting(b), await store.countWaiting()]).toEqual([2, 1, 3])
  })
}

function leases(given: Given): void {
  const long = 3_600_000
  it('[S11] a claim makes the node the owner and raises the epoch of each lane; unknown lanes and streams are left out', async () => {
    const { store, lane, stream, node, id } = given()
    const a = await lane()
    const b = await lane()
    const s = await stream()
    const first = await store.claim([a, b, id(), s, a], node(1))
    expect([...first.keys()].sort()).toEqual([a, b].sort())
    expect(first.get(a)).toEqual(await store.head(a))
    expect(first.get(a)).toMatchObject({ epoch: 1, owner: node(1) })
    expect((await store.claim([a], node(1))).get(a)).toMatchObject({ epoch: 2, owner: node(1) })
    expect(await store.head(s)).toMatchObject({ epoch: 0, owner: null })
    expect((await store.claim([], node(1))).size).toBe(0)
  })

  it('[S11] a lane of a node whose lease runs is not given to another; when it ended, it is', async () => {
    const { store, lane, node, commit, event } = given()
    const a = await lane()
    await store.heartbeat(node(1), long)
    await store.claim([a], node(1))
    expect((await store.claim([a], node(2))).size).toBe(0)
    expect(await store.head(a)).toMatchObject({ epoch: 1, owner: node(1) })
    await store.heartbeat(node(1), 0)
    expect((await store.claim([a], node(2))).get(a)).toMatchObject({ epoch: 2, owner: node(2) })
    expect(await commitOne(store, commit(a, 0, { epoch: 1, events: [event('late')] }))).toEqual({ ok: false, reason: 'stale_owner' })
  })

  it('[S11] a node that lets go gives the lane free at once; what is not its own it cannot let go', async () => {
    const { store, lane, node } = given()
    const a = await lane()
    await store.heartbeat(node(1), long)
    await store.claim([a], node(1))
    await store.release([a], node(2))
    expect((await store.claim([a], node(2))).size).toBe(0)
    await store.release([a, given().id()], node(1))
    expect(await store.head(a)).toMatchObject({ epoch: 1, owner: null })
    expect((await store.claim([a], node(2))).get(a)).toMatchObject({ epoch: 2 })
  })

  it('[S11] of several nodes that claim at once, one gets the lane', async () => {
    const { store, lane, node } = given()
    const a = await lane()
    for (const n of [1, 2, 3, 4]) await store.heartbeat(node(n), long)
    const got = await Promise.all([1, 2, 3, 4].map((n) => store.claim([a], node(n))))
    expect(got.filter((heads) => heads.has(a))).toHaveLength(1)
    expect(await store.head(a)).toMatchObject({ epoch: 1 })
  })
}

function startUp(given: Given): void {
  it('[S12] unfinished: lanes that run or where something waits, of no living other node, the newest person first', async () => {
    const { store, lane, node, commit, event, post } = given()
    const [idle, running, waits, person, later, other, parked] = await lane7(lane)
    const rest = (l: LaneId, resting: 'running' | 'waiting') => commitOne(store, commit(l, 0, { events: [event('t')], resting }))
    await rest(running, 'running')
    await rest(parked, 'waiting')
    await postOne(store, post(person, '1', { from: 'user:ann' }))
    await postOne(store, post(later, '2', { from: 'user:ann' }))
    await postOne(store, post(waits, '3', { from: 'system' }))
    await postOne(store, post(other, '4', { from: 'user:bob' }))
    await store.heartbeat(node(2), 3_600_000)
    await store.claim([other], node(2))
    const found = await store.unfinished(node(1), 10)
    expect(found.slice(0, 2)).toEqual([later, person])
    expect([...found.slice(2)].sort()).toEqual([running, waits].sort())
    expect(found).not.toContain(idle)
    expect(await store.unfinished(node(1), 1)).toEqual([later])
    expect(await store.unfinished(node(1), 10, later)).toEqual(found.slice(1))
    expect(await store.unfinished(node(1), 2, found[1])).toEqual(found.slice(2, 4))
    await store.heartbeat(node(2), 0)
    expect((await store.unfinished(node(1), 10))[0]).toBe(other)
  })

  it('[S12] a lane with only a held entry is not unfinished; a lane that the node owns itself is', async () => {
    const { store, lane, node, post } = given()
    const a = await lane()
    const b = await lane()
    await store.heartbeat(node(1), 3_600_000)
    await store.claim([b], node(1))
    await postOne(store, post(a, 'h', { held: true }))
    await postOne(store, post(b, 'x'))
    expect(await store.unfinished(node(1), 10)).toEqual([b])
  })
}

function timers(given: Given): void {
  it('[S19] a probe writes, and changes nothing that anybody reads', async () => {
    const { store } = given()
    await store.probe()
    await store.probe()
    expect(await store.last()).toBe(0)
  })

  it('[S13] timers are due in order of time, at most so many, and the next due time is known', async () => {
    const { store, lane, commit, timer } = given()
    const a = await lane()
    expect(await store.nextDue()).toBeNull()
    const [t1, t2, t3] = [timer(a, 'tmr_1', 300), timer(a, 'tmr_2', 100), timer(a, 'tmr_3', 200)]
    await commitOne(store, commit(a, 0, { timers: { set: [t1, t2, t3], clear: [] } }))
    expect(await store.nextDue()).toBe(100)
    expect(await store.due(99, 10)).toEqual([])
    expect(await store.due(200, 10)).toEqual([t2, t3])
    expect(await store.due(1000, 2)).toEqual([t2, t3])
  })

  it('[S13] a timer set again has the newer time; set and cleared in one commit it is gone; a refused commit sets none', async () => {
    const { store, lane, commit, timer } = given()
    const a = await lane()
    await commitOne(store, commit(a, 0, { timers: { set: [timer(a, 'tmr_1', 100)], clear: [] } }))
    await commitOne(store, commit(a, 0, { timers: { set: [timer(a, 'tmr_1', 500), timer(a, 'tmr_2', 50)], clear: ids('tmr_2') as never } }))
    await commitOne(store, commit(a, 9, { timers: { set: [timer(a, 'tmr_3', 10)], clear: ids('tmr_1') as never } }))
    expect(await store.due(1000, 10)).toEqual([timer(a, 'tmr_1', 500)])
  })

  it('[S13] a timer ends with the post of its entry, also when the lane refuses it for good', async () => {
    const { store, lane, commit, timer, event, received } = given()
    const a = await lane()
    const b = await lane()
    const [t1, t2] = [timer(a, 'tmr_1', 100), timer(b, 'tmr_2', 100)]
    await commitOne(store, commit(a, 0, { timers: { set: [t1, t2], clear: [] } }))
    await commitOne(store, commit(b, 0, { events: [event('process-closed')], closes: true }))
    expect(await postOne(store, { entry: t1.entry, event: received(t1.entry) })).toMatchObject({ ok: true })
    expect(await store.due(1000, 10)).toEqual([t2])
    expect(await postOne(store, { entry: t2.entry, event: received(t2.entry) })).toEqual({ ok: false, reason: 'closed' })
    expect(await store.nextDue()).toBeNull()
    expect(await postOne(store, { entry: t1.entry, event: received(t1.entry) })).toMatchObject({ ok: true, duplicate: true })
  })
}

function apart(given: Given): void {
  it('[S14] the newest snapshot is kept with its commit, and only for its version', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const snapshot = (seq: number, version: number) => ({ lane: a, seq, version, state: `{"seq":${seq}}` })
    await commitOne(store, commit(a, 0, { events: [event('1')], snapshot: snapshot(1, 2) }))
    expect(await store.snapshot(a, 2)).toEqual(snapshot(1, 2))
    expect(await store.snapshot(a, 1)).toBeNull()
    await commitOne(store, commit(a, 1, { events: [event('2')], snapshot: snapshot(2, 2) }))
    await commitOne(store, commit(a, 1, { events: [event('no')], snapshot: snapshot(2, 9) }))
    expect(await store.snapshot(a, 2)).toEqual(snapshot(2, 2))
    expect(await store.snapshot(given().id(), 2)).toBeNull()
  })

  it('[S14] bodies ride with the commit, are kept once by hash, and are not kept when it is refused', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const text = 'ä'.repeat(100_000)
    await commitOne(store, commit(a, 5, { events: [event('no')], bodies: [{ hash: 'h0', text: 'lost' }] }))
    await commitOne(store, commit(a, 0, { events: [event('1')], bodies: [{ hash: 'h1', text }] }))
    await commitOne(store, commit(a, 1, { events: [event('2')], bodies: [{ hash: 'h1', text: 'ignored' }] }))
    expect(await store.body('h0')).toBeNull()
    expect((await store.body('h1')) === text).toBe(true)
  })
}

function invalidData(given: Given): void {
  it('[S20] data that is no JSON object is refused as invalid, alone', async () => {
    const { store, lane, commit, event, post } = given()
    const a = await lane()
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    for (const data of [undefined, null, 'text', [1], circle, 1n]) {
      const bad = commit(a, 0, { events: [event('fine'), { ...event('bad'), data: data as JsonObject }], posts: [post(a, 'x')] })
      const { results } = await store.apply([{ commit: bad }, { post: post(a, 'y') }])
      expect(results).toMatchObject([{ commit: { ok: false, reason: 'invalid' } }, { post: { ok: true } }])
    }
    expect(await store.last()).toBe(1)
    expect(await store.head(a)).toMatchObject({ seq: 0 })
  })

  it('[S20] a value that no column takes is refused as invalid, alone', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    for (const wrong of [{ v: 1.5 }, { at: Number.NaN }, { actor: undefined }, { id: 7 }, { type: undefined }]) {
      const bad = commit(a, 0, { events: [event('fine'), { ...event('bad'), ...(wrong as object) }] })
      expect(await commitOne(store, bad)).toMatchObject({ ok: false, reason: 'invalid' })
    }
    expect(await store.last()).toBe(0)
    expect(await commitOne(store, commit(a, 0, { events: [event('fine')] }))).toMatchObject({ ok: true, cursor: 1 })
  })

  it('[S20] a snapshot of another lane or ahead of its events is invalid', async () => {
    const { store, lane, commit, event } = given()
    const a = await lane()
    const b = await lane()
    for (const snapshot of [
      { lane: a, seq: 2, version: 1, state: '{}' },
      { lane: b, seq: 1, version: 1, state: '{}' },
    ]) {
      expect(await commitOne(store, commit(a, 0, { events: [event('x')], snapshot }))).toMatchObject({ ok: false, reason: 'invalid' })
    }
  })

  it('[S20] an entry whose event does not carry it, or whose id is no text, is not accepted', async () => {
    const { store, lane, post } = given()
    const a = await lane()
    const good = post(a, 'x')
    const bare = { entry: good.entry, event: { ...good.event, data: {} } }
    for (const bad of [bare, post(a, 'nul\u0000'), post(a, '\ud800')]) expect((await postOne(store, bad)).ok).toBe(false)
    expect(await store.last()).toBe(0)
  })
}

/** A store must answer like this model does, for any sequence of items. */
function againstAModel(given: Given): void {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`[S1, S4, S5, S6, S7] random items: the mailbox is what a list would be (seed ${seed})`, async () => {
      const { store, lane, commit, event, post } = given()
      const a = await lane()
      const random = seeded(seed)
      const model = { seq: 0, cursor: 0, state: new Map<string, string>(), line: [] as string[] }
      for (let round = 0; round < 40; round++) {
        const group: Item[] = []
        const expected: unknown[] = []
        for (let left = 1 + random.int(4); left > 0; left--) {
          const id = `e${random.int(25)}`
          if (random.int(2) === 0) {
            const held = random.int(5) === 0
            group.push({ post: post(a, id, { held }) })
            const known = model.state.has(id)
            expected.push({ post: { ok: true, duplicate: known } })
            if (known) continue
            model.cursor++
            model.state.set(id, held ? 'held' : 'waiting')
            if (!held) model.line.push(id)
            continue
          }
          const taken = model.line.slice(0, random.int(3))
          if (random.int(4) === 0) taken.push(id)
          const releases = [...model.state].filter(([, state]) => state === 'held').map(([held]) => held)
          const events = [event('t'), event('u')]
          const named = { takes: ids(...new Set(taken)), releases: ids(...releases.filter((held) => !taken.includes(held))) }
          group.push({ commit: commit(a, model.seq, { events, ...named }) })
          const takes: string[] = [...named.takes]
          const gone = takes.some((t) => model.state.get(t) !== 'waiting')
          const wrong = takes.some((t, i) => model.line[i] !== t)
          expected.push({ commit: gone ? { ok: false, reason: 'gone' } : wrong ? { ok: false, reason: 'out_of_order' } : { ok: true } })
          if (gone || wrong) continue
          model.seq += 2
          model.cursor += 2
          model.line = [...model.line.filter((x) => !takes.includes(x)), ...named.releases]
          for (const t of takes) model.state.set(t, 'taken')
          for (const h of named.releases) model.state.set(h, 'waiting')
        }
        const { results } = await store.apply(group)
        expect(results).toMatchObject(expected)
        expect((await store.waiting(a)).map((e) => e.id)).toEqual(model.line)
        expect(await store.last()).toBe(model.cursor)
      }
      expect((await store.readLane(a, 0, 1000)).map((e) => e.seq)).toEqual(Array.from({ length: model.seq }, (_, i) => i + 1))
      expect((await store.readAll(0, 1000)).events.map((e) => e.cursor)).toEqual(Array.from({ length: model.cursor }, (_, i) => i + 1))
    })
  }
}

type PostOptions = {
  readonly text?: string
  readonly from?: Entry['from']
  readonly replyTo?: boolean
  readonly ref?: string
  readonly held?: boolean
  readonly control?: boolean
  readonly at?: number
  readonly root?: string
}

export type Use = ReturnType<typeof using>

/** Short ways to make what a test of a store needs. */
export function using(store: JournalStore) {
  const newId = countingIds()
  const id = () => newId('prc') as string as LaneId
  const event = (type: string, data: JsonObject = {}): NewEvent => ({
    id: newId('evt') as EventId,
    type,
    at: 1_700_000_000_000,
    actor: 'system',
    visibility: 'internal',
    data,
    cause: null,
    correlation: null,
    session: null,
    v: 1,
  })
  const received = (entry: Entry) => event('entry-received', { entry: entry as unknown as JsonObject })
  const commit = (lane: LaneId, after: number, more: Partial<Commit> = {}): Commit => ({ lane, epoch: 0, after, events: [], ...more })
  async function made(mailbox: boolean): Promise<LaneId> {
    const lane = id()
    await store.apply([{ commit: commit(lane, 0, { creates: { session: null, mailbox } }) }])
    return lane
  }
  function post(lane: LaneId, entryId: string, o: PostOptions = {}): Post {
    const entry: Entry = {
      lane,
      id: entryId as EntryId,
      from: o.from ?? 'user:ann',
      body: o.control ? { kind: 'wake' } : { kind: 'note', topic: 'test', data: { text: o.text ?? 'text' } },
      ...(o.replyTo ? { replyTo: { lane, ask: newId('ask') } } : {}),
      chain: { root: o.root ?? 'root', depth: 0, hops: 0 },
      at: o.at ?? 1,
      ...(o.ref ? { ref: o.ref } : {}),
      ...(o.held ? { held: true } : {}),
    }
    return { entry, event: received(entry) }
  }
  const timer = (lane: LaneId, timerId: string, due: number): Timer => {
    const entry: Entry = { ...post(lane, `entry of ${timerId}`, { from: 'system' }).entry }
    return { id: timerId as TimerId, lane, due, entry }
  }
  return {
    store,
    id,
    event,
    received,
    commit,
    post,
    timer,
    lane: () => made(true),
    stream: () => made(false),
    node: (n: number) => `nod_${n}` as NodeId,
    ok: (done: Committed) => expect(done).toMatchObject({ ok: true }),
  }
}

export async function commitOne(store: JournalStore, commit: Commit): Promise<Committed> {
  const { results } = await store.apply([{ commit }])
  const [result] = results
  if (!result || !('commit' in result)) throw new Error('a commit was answered as something else')
  return result.commit
}

export async function postOne(store: JournalStore, post: Post, limit?: number): Promise<Posted> {
  const { results } = await store.apply([limit === undefined ? { post } : { post, limit }])
  const [result] = results
  if (!result || !('post' in result)) throw new Error('a post was answered as something else')
  return result.post
}

function ids(...names: string[]): EntryId[] {
  return names as EntryId[]
}

async function lane7(lane: () => Promise<LaneId>): Promise<[LaneId, LaneId, LaneId, LaneId, LaneId, LaneId, LaneId]> {
  return [await lane(), await lane(), await lane(), await lane(), await lane(), await lane(), await lane()]
}
