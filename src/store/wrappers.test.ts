import { expect, it } from 'vitest'
import { commitOne, postOne, using } from '../journal/journal-store.contract.ts'
import { delayed, gate, seededPause } from './delayed.ts'
import { faulty } from './faulty.ts'
import { memoryStore } from './memory/memory.ts'

const fresh = () => memoryStore({ now: () => 0 })

it('a gate holds the calls of one verb until it is opened, in order', async () => {
  const door = gate()
  const store = delayed(fresh(), door.pause)
  const { lane, commit, event } = using(store)
  const a = await lane()
  door.shut('apply')
  const first = commitOne(store, commit(a, 0, { events: [event('1')] }))
  const second = commitOne(store, commit(a, 1, { events: [event('2')] }))
  expect(await store.last()).toBe(0)
  expect(door.standing).toBe(1)
  door.open()
  expect([await first, await second]).toMatchObject([
    { ok: true, cursor: 1 },
    { ok: true, cursor: 2 },
  ])
})

it('seeded pauses never change the order of groups', async () => {
  const store = delayed(fresh(), seededPause(3))
  const { lane, commit, event } = using(store)
  const a = await lane()
  const all = Array.from({ length: 30 }, (_, i) => commitOne(store, commit(a, i, { events: [event('x')] })))
  expect((await Promise.all(all)).every((done) => done.ok)).toBe(true)
})

it('a fault before writing leaves nothing; one after it has written all, and the same commit is then answered as done', async () => {
  const { store, failNext } = faulty(fresh())
  const { lane, commit, event } = using(store)
  const a = await lane()
  const one = commit(a, 0, { events: [event('1')] })
  failNext('before')
  expect(await commitOne(store, one)).toMatchObject({ ok: false, reason: 'unavailable' })
  expect(await store.last()).toBe(0)
  failNext('after')
  expect(await commitOne(store, one)).toMatchObject({ ok: false, reason: 'unavailable' })
  expect(await store.last()).toBe(1)
  expect(await commitOne(store, one)).toMatchObject({ ok: true, cursor: 1 })
  expect(await store.last()).toBe(1)
})

it('a store that refuses answers with the reason until it is told otherwise', async () => {
  const { store, refuse } = faulty(fresh())
  const { lane, post } = using(store)
  const a = await lane()
  refuse('the disk is full')
  for (let i = 0; i < 3; i++)
    expect(await postOne(store, post(a, 'x'))).toEqual({ ok: false, reason: 'unavailable', why: 'the disk is full' })
  refuse(null)
  expect(await postOne(store, post(a, 'x'))).toMatchObject({ ok: true })
})

it('leases of a memory store can be forgotten, as a restart does', async () => {
  const store = fresh()
  const { lane, node } = using(store)
  const a = await lane()
  await store.heartbeat(node(1), 1000)
  await store.claim([a], node(1))
  expect((await store.claim([a], node(2))).size).toBe(0)
  store.forgetNodes()
  expect((await store.claim([a], node(2))).size).toBe(1)
})
