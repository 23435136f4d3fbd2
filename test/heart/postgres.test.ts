// The lanes over a real PostgreSQL server: what HEART.md section 5 had left unproven.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NodeId } from '../../src/base/ids.ts'
import { laneOf } from '../../src/base/ids.ts'
import { handClock, settleLoop } from '../../src/base/testing.ts'
import type { ProcessInfo, Turn } from '../../src/lanes/engine.ts'
import { restartLimit } from '../../src/lanes/open.ts'
import { engine, type Heart, openHeart, type Said } from '../../src/lanes/testing.ts'
import type { Event } from '../../src/protocol/event.ts'
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { noPostgres, type PostgresServer, startPostgres } from '../postgres-server.ts'

const missing = noPostgres()

describe.skipIf(missing !== null)(`lanes over PostgreSQL${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: PostgresServer
  let databases = 0
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop())

  const open = async (): Promise<PostgresStore> => openPostgresStore({ url: await server.database(`heart${++databases}`) })

  test('[L1, L4, L5, L11] crashes in the middle of many turns: nothing is lost, nothing is done twice', async () => {
    const store = await open()
    const acted = new Map<string, number>()
    const count = (key: string) => acted.set(key, (acted.get(key) ?? 0) + 1)
    const works = engine('works', async (turn) => {
      const [a, b] = await Promise.all([
        turn.step('a', 'replayable', async () => turn.entries.length),
        turn.step('b', 'idempotent', async (act) => act.key),
      ])
      await turn.once(
        'send',
        async (act) => {
          count(act.key)
          return true
        },
        { reconcile: async (act) => (acted.has(act.key) ? { found: 'done', value: true } : { found: 'not-done' }) },
      )
      turn.say('reply', { text: `${a} ${b.length}` })
    })
    let heart = await openHeart({ store: store.journal, engines: [works] })
    const processes: ProcessInfo[] = []
    for (let i = 0; i < 8; i++) processes.push(await heart.process('works'))
    const said: Said[] = []
    // A turn that is cut short more often than that without getting any further is given up (L5), however slow the machine is.
    for (let round = 0; round < 2 * restartLimit; round++) {
      said.push(...(await Promise.all(processes.map((process) => heart.say(process, `round ${round}`)))))
      heart = await heart.crash()
      if ((round + 1) % restartLimit === 0) await drive([heart], () => messages(heart, 'settled'), said.length)
    }
    const settled = await messages(heart, 'settled')
    expect(new Set(settled)).toEqual(new Set(said.map((each) => each.message)))
    expect([...acted.values()].filter((times) => times !== 1)).toEqual([])
    await expectWhole(heart, processes)
    await heart.close()
    await store.close()
  }, 120_000)

  test('[L1, L2, L7] two nodes on one database: what is posted at either runs once, in the order of commits', async () => {
    const store = await open()
    const order = new Map<string, string[]>()
    const notes = engine('notes', async (turn: Turn) => {
      for (const entry of turn.entries) {
        const text = await turn.step(`note ${entry.id}`, 'replayable', async () => ('text' in entry.body ? entry.body.text : ''))
        order.set(turn.process.id, [...(order.get(turn.process.id) ?? []), text])
      }
    })
    const clock = handClock()
    const options = { store: store.journal, engines: [notes], clock, shared: true, lease: { ttlMs: 600_000, marginMs: 1_000 } }
    const one = await openHeart({ ...options, node: 'nod_one' })
    const two = await openHeart({ ...options, node: 'nod_two' })
    const processes: ProcessInfo[] = []
    for (let i = 0; i < 4; i++) processes.push(await one.process('notes'))
    const said: Said[] = []
    for (let round = 0; round < 15; round++) {
      const nodes = round % 2 === 0 ? [one, two] : [two, one]
      const posts = processes.flatMap((process, i) => [
        nodes[i % 2]?.say(process, `${round}a`),
        nodes[(i + 1) % 2]?.say(process, `${round}b`),
      ])
      said.push(...(await Promise.all(posts)).filter((each) => each !== undefined))
    }
    const settled = await drive([one, two], () => messages(one, 'settled'), said.length)
    expect(new Set(settled).size).toBe(said.length)
    for (const process of processes) expect(order.get(process.id)).toEqual(await accepted(one, process))
    await expectWhole(one, processes)
    await one.close()
    await two.close()
    await store.close()
  }, 120_000)

  test('[L7] a node that lost its lease commits nothing more; the other goes on with its lanes', async () => {
    const store = await open()
    let stuck = true
    const acted: number[] = []
    const slow = engine('slow', async (turn) => {
      await turn.step('work', 'replayable', async (act) => {
        acted.push(act.attempt)
        if (stuck) await new Promise(() => {})
        return 1
      })
      turn.say('reply', { text: 'done' })
    })
    const options = { store: store.journal, engines: [slow], shared: true, lease: { ttlMs: 600_000, marginMs: 1_000 } }
    const one = await openHeart({ ...options, node: 'nod_one' })
    const process = await one.process('slow')
    await one.say(process, 'go')
    await drive([one], async () => acted, 1)
    stuck = false
    await store.journal.heartbeat('nod_one' as NodeId, 0)
    const two = await openHeart({ ...options, node: 'nod_two' })
    await drive([two], () => messages(two, 'settled'), 1)
    expect(acted).toEqual([1, 2])
    expect((await store.journal.head(laneOf(process.id)))?.owner).toBe('nod_two')
    await expectWhole(two, [process])
    await two.close()
    await one.close()
    await store.close()
  }, 120_000)
})

/** How often `drive` looks: bounded by work and not by the clock, since a busy machine makes each look slower too. */
const mostLooks = 5_000

/** Lets time pass until there are so many. */
async function drive<T>(hearts: readonly Heart[], found: () => Promise<readonly T[]>, wanted: number): Promise<readonly T[]> {
  let now: readonly T[] = []
  for (let looks = 0; looks < mostLooks; looks++) {
    now = await found()
    if (now.length >= wanted) return now
    for (const clock of new Set(hearts.map((heart) => heart.clock))) clock.advance(100)
    await settleLoop(1)
  }
  throw new Error(`${now.length} of ${wanted}; ${JSON.stringify(hearts.map((heart) => heart.lanes.stats()))}`)
}

async function messages(heart: Heart, status: string): Promise<readonly string[]> {
  const events = await heart.events()
  return events
    .filter((event) => event.type === 'chat-message-updated' && event.data.status === status)
    .map((event) => String(event.data.id))
}

/** The texts of a process's messages in the order in which they were committed. */
async function accepted(heart: Heart, process: ProcessInfo): Promise<readonly string[]> {
  const own = (await heart.events()).filter((event) => event.lane === (process.id as string) && event.seq === 0)
  return own.map((event) => (event.data.message as { text: string }).text)
}

/** Every lane's seq has no gap, and every turn that started settled once. */
async function expectWhole(heart: Heart, processes: readonly ProcessInfo[]): Promise<void> {
  const events = await heart.events()
  for (const process of processes) {
    const own = events.filter((event) => event.lane === (process.id as string) && event.seq > 0)
    expect(own.map((event) => event.seq)).toEqual(own.map((_, i) => i + 1))
    const turns = (type: string) => own.filter((event: Event) => event.type === type).map((event) => event.data.turn)
    expect(turns('turn-settled')).toEqual(turns('turn-started'))
  }
}
