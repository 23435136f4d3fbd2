import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LaneId } from '../src/base/ids.ts'
import { seeded } from '../src/base/testing.ts'
import type { Commit } from '../src/journal/commit.ts'
import { commitOne, journalStoreContract, using } from '../src/journal/journal-store.contract.ts'
import { delayed, seededPause } from '../src/store/delayed.ts'
import { migrations } from '../src/store/postgres/migrations.ts'
import { openPostgresStore, type PostgresStore } from '../src/store/postgres/postgres.ts'
import { noPostgres, type PostgresServer, query, startPostgres } from './postgres-server.ts'

const why = noPostgres()

describe.skipIf(why !== null)(`PostgreSQL${why ? ` (skipped: ${why})` : ''}`, () => {
  let server: PostgresServer
  let url: string
  let shared: PostgresStore
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.database('contract')
    shared = await openPostgresStore({ url })
  })
  afterAll(async () => {
    await shared?.close()
    await server?.stop()
  })

  async function fresh() {
    await query(url, 'TRUNCATE lanes, events, mailbox, snapshots, timers, bodies, nodes')
    return { store: shared.journal, close: async () => {} }
  }
  journalStoreContract('postgres', fresh)
  journalStoreContract('postgres, late', async () => {
    const { store, close } = await fresh()
    return { store: delayed(store, seededPause(7)), close }
  })

  it('[S8] four writers on two nodes and a reader by cursor: none is skipped, none comes twice', async () => {
    await fresh()
    const other = await openPostgresStore({ url, connections: 2 })
    try {
      const seen = await writeAndFollow([shared, other], { lanes: 8, commits: 120 })
      expect(seen.map((event) => event.cursor)).toEqual(Array.from({ length: 8 * 120 * 2 }, (_, i) => i + 1))
    } finally {
      await other.close()
    }
  })

  it('[S3] groups that share a lane stay in order, also when they are given without waiting', async () => {
    await fresh()
    const { lane, commit, event } = using(shared.journal)
    const a = await lane()
    const all = Array.from({ length: 50 }, (_, i) => commitOne(shared.journal, commit(a, i, { events: [event(`e${i}`)] })))
    expect((await Promise.all(all)).every((done) => done.ok)).toBe(true)
  })

  it('[S4] two nodes post the same entry at once: one is the first, the other its duplicate', async () => {
    await fresh()
    const other = await openPostgresStore({ url })
    const { lane, post } = using(shared.journal)
    const a = await lane()
    try {
      for (let i = 0; i < 30; i++) {
        const p = post(a, `x${i}`)
        const both = await Promise.all([shared, other].map((store) => store.journal.apply([{ post: p }])))
        const answers = both.map(({ results: [r] }) => (r && 'post' in r && r.post.ok ? r.post.duplicate : r))
        expect([...answers].sort()).toEqual([false, true])
      }
    } finally {
      await other.close()
    }
  })

  it('[S4, S8, S9] two nodes post across each other while lanes close: no entry comes after its lane closed, none is lost', async () => {
    await fresh()
    const other = await openPostgresStore({ url, connections: 2 })
    const { lane, commit, event, post } = using(shared.journal)
    const lanes: LaneId[] = []
    for (let i = 0; i < 6; i++) lanes.push(await lane())
    const random = seeded(5)
    const accepted = { posts: 0 }
    const run = async (store: PostgresStore, own: readonly LaneId[], name: string) => {
      const seqs = new Map(own.map((a) => [a, 0]))
      for (let round = 0; round < 60; round++) {
        const group = own.map((a): { commit: Commit } => {
          const posts = [0, 1].map((i) => post(random.pick(lanes), `${name}-${a}-${round}-${i}`))
          const closes = round > 30 && random.int(20) === 0
          return {
            commit: commit(a, seqs.get(a) ?? 0, { events: [event(closes ? 'closed' : 'on')], posts, ...(closes ? { closes } : {}) }),
          }
        })
        const { results } = await store.journal.apply(group)
        for (const [i, result] of results.entries()) {
          if (!('commit' in result) || !result.commit.ok) throw new Error(JSON.stringify(result))
          accepted.posts += result.commit.posted.filter((to) => to.result.ok).length
          const a = own[i] as LaneId
          seqs.set(a, (seqs.get(a) ?? 0) + 1)
        }
      }
    }
    try {
      await Promise.all([run(shared, lanes.slice(0, 3), 'one'), run(other, lanes.slice(3), 'two')])
      const late = `SELECT count(*)::int AS n FROM events e JOIN events c ON c.lane = e.lane AND c.type = 'closed' WHERE e.seq = 0 AND e.cursor > c.cursor`
      expect(await query(url, late)).toEqual([{ n: 0 }])
      expect(await shared.journal.countWaiting()).toBe(accepted.posts)
      expect(await shared.journal.last()).toBe(accepted.posts + 6 * 60)
    } finally {
      await other.close()
    }
  })

  it('[S20] text that PostgreSQL refuses spoils only its own item', async () => {
    await fresh()
    const { lane, commit, event } = using(shared.journal)
    const a = await lane()
    const b = await lane()
    const bad = commit(a, 0, { events: [{ ...event('x'), cause: 'nul \u0000' }] })
    const { results, events } = await shared.journal.apply([{ commit: bad }, { commit: commit(b, 0, { events: [event('fine')] }) }])
    expect(results).toMatchObject([{ commit: { ok: false, reason: 'invalid' } }, { commit: { ok: true, cursor: 1 } }])
    expect(events.map((e) => e.type)).toEqual(['fine'])
  })

  it('[S23] the server dies under the writers: every answer is kept, nothing is half done, and they go on', async () => {
    const store = await openPostgresStore({ url: await server.database('crashes') })
    const { lane, commit, event } = using(store.journal)
    const lanes = await Promise.all(Array.from({ length: 4 }, () => lane()))
    const tally = { done: 0, unavailable: 0, enough: false }
    const write = async (a: LaneId): Promise<number> => {
      let kept = 0
      while (!tally.enough) {
        const result = await commitOne(store.journal, commit(a, kept, { events: [event('one'), event('two')] }))
        if (result.ok) {
          kept += 2
          tally.done++
        } else if (result.reason === 'unavailable') {
          tally.unavailable++
          kept = (await store.journal.head(a).catch(() => null))?.seq ?? kept
        } else throw new Error(`${result.reason} after ${kept}`)
        await new Promise<void>((go) => setImmediate(go))
      }
      return kept
    }
    const reached = async (done: number) => {
      while (tally.done < done) await new Promise<void>((go) => setImmediate(go))
    }
    const writing = lanes.map(write)
    for (const done of [50, 150, 300]) {
      await reached(done)
      await server.crash()
    }
    await reached(400)
    tally.enough = true
    const kept = await Promise.all(writing)
    expect(tally.unavailable).toBeGreaterThan(0)
    for (const [i, a] of lanes.entries()) expect((await store.journal.head(a))?.seq).toBe(kept[i])
    const events = await query(await addressOf('crashes'), 'SELECT lane, count(*)::int AS n FROM events GROUP BY lane ORDER BY lane')
    expect(events).toEqual(lanes.map((a, i) => ({ lane: a, n: kept[i] })).sort((x, y) => (x.lane < y.lane ? -1 : 1)))
    await store.close()
  })

  const addressOf = async (name: string) => url.replace('/contract?', `/${name}?`)

  it('[S18] a newer schema is refused with both versions; a step that fails is undone and named', async () => {
    const address = await server.database('versions')
    await (await openPostgresStore({ url: address })).close()
    const broken = {
      version: 2,
      name: 'colours',
      up: (db: { exec(sql: string): Promise<void> }) => db.exec('CREATE TABLE colours (x int); SELEC 1'),
    }
    await expect(openPostgresStore({ url: address, steps: [...migrations, broken] })).rejects.toThrow(/step 2 \(colours\).*undone/)
    expect(await query(address, `SELECT to_regclass('colours') AS made`)).toEqual([{ made: null }])
    await (await openPostgresStore({ url: address })).close()
    await query(address, `UPDATE meta SET value = 7 WHERE key = 'schema'`)
    await expect(openPostgresStore({ url: address })).rejects.toThrow(/schema 7 .* up to 1/)
  })

  it('[S18] nodes that start at once on an empty database migrate it once', async () => {
    const address = await server.database('together')
    const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore({ url: address })))
    expect(await stores[3]?.journal.last()).toBe(0)
    for (const store of stores) await store.close()
  })
})

/** Every lane commits two events at a time, spread over the stores; a reader follows by safe cursors until it saw all. */
async function writeAndFollow(stores: readonly PostgresStore[], { lanes, commits }: { lanes: number; commits: number }) {
  const [first] = stores
  if (!first) throw new Error('no store')
  const { lane, commit, event } = using(first.journal)
  const all = await Promise.all(Array.from({ length: lanes }, () => lane()))
  const writing = all.map(async (a, i) => {
    const store = stores[i % stores.length] ?? first
    for (let n = 0; n < commits; n++) {
      const one: Commit = commit(a, n * 2, { events: [event('a'), event('b')] })
      if (!(await commitOne(store.journal, one)).ok) throw new Error('refused')
    }
  })
  const seen: { cursor: number }[] = []
  const total = lanes * commits * 2
  while (seen.length < total) {
    const { events } = await first.journal.readAll(seen.at(-1)?.cursor ?? 0, 50)
    seen.push(...events)
  }
  await Promise.all(writing)
  return seen
}
