import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { laneOf, type MessageId, type ProcessId, type SessionId } from '../../src/base/ids.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { seeded } from '../../src/base/testing.ts'
import type { Event } from '../../src/protocol/event.ts'
import { sqliteConversation } from '../../src/store/sqlite/conversation.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { asker, type Bench, type BenchOptions, engineOf, openBench } from './bench.ts'

let bench: Bench | null = null
const open = async (options?: BenchOptions) => {
  bench = await openBench(options)
  return bench
}
afterEach(async () => {
  await bench?.close()
  bench = null
})
const start = async ({ scopes }: Bench, agent?: string) => {
  const { value } = await scopes.sessions.create({ user: 'ada', ...(agent ? { agent } : {}) }, 'user:ada')
  return { id: value.id as SessionId, process: value.process as ProcessId }
}
const answered = (bench: Bench, text: string) =>
  bench.until('chat-message-appended', (data) => (data['message'] as { text: string }).text === text)

describe('conversations over real lanes', () => {
  test('[P12] each line continues the one before, with cursors and statuses', async () => {
    const own = await open()
    const { id } = await start(own)
    for (const text of ['one', 'two', 'three']) {
      await own.say(id, text)
      await answered(own, `echo: ${text}`)
    }
    await own.journal.passed(own.journal.head())
    const { items, next } = await own.scopes.conversation.branch(id, { limit: 50 })
    expect(next).toBeNull()
    expect(items.map((line) => line.text)).toEqual(['one', 'echo: one', 'two', 'echo: two', 'three', 'echo: three'])
    expect(items.map((line) => line.parent)).toEqual([null, ...items.slice(0, -1).map((line) => line.id)])
    expect(items[0]).toMatchObject({ session: id, role: 'user', actor: 'user:ada', status: 'settled', at: '2026-01-01T00:00:00.000Z' })
    const cursors = items.map((line) => Number(line.cursor.split('.')[1]))
    expect(cursors).toEqual([...cursors].sort((a, b) => a - b))
    const walked = await own.scopes.conversation.walk(items[3]?.id as MessageId, 3)
    expect(walked.map((line) => line.text)).toEqual(['echo: one', 'two', 'echo: two'])
    expect(await own.scopes.conversation.walk(null, 3)).toEqual([])
    expect(await own.scopes.conversation.walk(items[3]?.id as MessageId, 0)).toEqual([])
    expect(await own.scopes.conversation.get(items[2]?.id as MessageId)).toEqual(items[2])
    expect(await own.scopes.conversation.get('x' as MessageId)).toBeNull()
  })

  test('[P12] an edit makes a branch; the chosen leaf decides which one shows', async () => {
    const own = await open()
    const { id, process } = await start(own)
    await own.say(id, 'red')
    await answered(own, 'echo: red')
    await own.say(id, 'blue', { parent: null })
    await answered(own, 'echo: blue')
    await own.journal.passed(own.journal.head())
    const shown = async () => (await own.scopes.conversation.branch(id, { limit: 50 })).items.map((line) => line.text)
    expect(await shown()).toEqual(['blue', 'echo: blue'])
    const { events } = await own.journal.read({ after: 0, limit: 500 })
    const lines = events
      .filter((event) => event.type === 'chat-message-appended')
      .map((event) => event.data['message'] as { id: string; text: string })
    const leaf = lines.find((line) => line.text === 'echo: red')?.id as MessageId
    await own.lanes.post({ lane: laneOf(process), id: own.newId('ent'), from: 'user:ada', body: { kind: 'select', leaf } })
    await own.until('branch-selected')
    expect(await shown()).toEqual(['red', 'echo: red'])
    expect((await own.scopes.sessions.get(id))?.leaf).toBe(leaf)
    await own.say(id, 'darker')
    await answered(own, 'echo: darker')
    await own.journal.passed(own.journal.head())
    expect(await shown()).toEqual(['red', 'echo: red', 'darker', 'echo: darker'])
  })

  test('[P12] what is queued stands at the end, and takes its place when it is taken', async () => {
    const own = await open({ engines: [asker] })
    const { id } = await start(own, 'asker')
    await own.scopes.sessions.suspend(id, 'FORCED')
    await own.until('process-suspended')
    for (const text of ['one', 'two', 'three']) await own.say(id, text, { from: 'outside:mail' })
    await own.journal.passed(own.journal.head())
    const first = await own.scopes.conversation.branch(id, { limit: 2 })
    expect(first.items.map((line) => [line.text, line.status])).toEqual([
      ['one', 'queued'],
      ['two', 'queued'],
    ])
    const second = await own.scopes.conversation.branch(id, { limit: 2, after: first.next ?? '' })
    expect(second.items.map((line) => line.text)).toEqual(['three'])
    expect(second.next).toBeNull()
    await own.scopes.sessions.resume(id, 'user:ada')
    await own.until('question-asked')
    const after = (await own.scopes.conversation.branch(id, { limit: 9 })).items
    expect(after.map((line) => [line.text, line.status])).toEqual([
      ['one', 'accepted'],
      ['two', 'accepted'],
      ['three', 'accepted'],
    ])
    await expect(own.scopes.conversation.branch(id, { limit: 2, after: 'nowhere' })).rejects.toMatchObject({ path: '/after' })
  })

  test('[P13] a question is open, then answered; a stopped turn withdraws it', async () => {
    const own = await open({ engines: [asker] })
    const { id, process } = await start(own, 'asker')
    await own.say(id, 'paint the shed')
    await own.until('process-status-changed', (data) => data['status'] === 'BLOCKED')
    const [question] = await own.scopes.conversation.questions({ user: 'ada', session: id, status: 'open' })
    expect(question).toMatchObject({
      session: id,
      process,
      text: 'Which colour?',
      options: [{ label: 'red' }, { label: 'blue' }],
      status: 'open',
    })
    expect(await own.scopes.sessions.get(id)).toMatchObject({ processStatus: 'BLOCKED', openQuestions: [question] })
    expect(await own.scopes.conversation.questions({ user: 'bob' })).toEqual([])
    const ask = question?.id as never
    expect(await own.scopes.conversation.question(ask)).toMatchObject({ lane: process, status: 'open' })
    await own.lanes.post({ lane: laneOf(process), id: own.newId('ent'), from: 'user:ada', body: { kind: 'answer', ask, value: 'red' } })
    await own.until('turn-settled')
    expect(await own.scopes.conversation.question(ask)).toMatchObject({ status: 'answered' })
    await own.say(id, 'paint the fence')
    await own.until('question-asked', (data) => data['ask'] !== ask)
    const [other] = await own.scopes.conversation.questions({ user: 'ada', status: 'open' })
    await own.scopes.sessions.close(id, 'user:ada')
    await own.until('process-closed')
    await own.journal.passed(own.journal.head())
    expect(await own.scopes.conversation.question(other?.id ?? '')).toMatchObject({ status: 'withdrawn' })
    expect(await own.scopes.conversation.questions({ user: 'ada', status: 'open' })).toEqual([])
    expect(await own.scopes.conversation.question('nope')).toBeNull()
  })

  test('[P12] a worker’s lines are not in the chat of its session', async () => {
    const own = await open({ engines: [engineOf('worker', async (turn) => void turn.say('note', { text: 'worked' }))] })
    const { id, process } = await start(own, 'worker')
    const info = (await own.scopes.sessions.process(process))?.info
    if (!info) throw new Error('no process')
    const child = { ...info, id: own.newId('prc'), parent: process }
    await own.lanes.create(child, 'system')
    await own.lanes.post({ lane: laneOf(child.id), id: own.newId('ent'), from: 'system', body: { kind: 'note', topic: 'go', data: {} } })
    await answered(own, 'worked')
    expect(await own.scopes.conversation.branch(id, { limit: 9 })).toEqual({ items: [], next: null })
    expect((await own.scopes.sessions.get(id))?.lastMessage).toBeNull()
  })

  test('[P12] rebuilding the tables changes nothing', async () => {
    const own = await open()
    const { id } = await start(own)
    for (const text of ['one', 'two']) await own.say(id, text)
    await answered(own, 'echo: two')
    await own.until('turn-settled')
    await own.journal.passed(own.journal.head())
    const all = async () => JSON.stringify([await own.scopes.conversation.branch(id, { limit: 99 }), await own.scopes.sessions.get(id)])
    const before = await all()
    await own.journal.rebuild('conversation')
    expect(await all()).toBe(before)
    await own.journal.rebuild('conversation')
    expect(await all()).toBe(before)
  })
})

describe('long conversations', () => {
  const session = 'ses_00000000000000000000000000' as SessionId
  const process = 'prc_00000000000000000000000000' as ProcessId
  const idOf = (n: number) => `msg_${String(n).padStart(26, '0')}` as MessageId

  /** A session's events, given to the projection as the journal would. */
  async function tableOf(parents: readonly number[], act: (view: ReturnType<typeof sqliteConversation>) => Promise<void>) {
    const home = mkdtempSync(join(tmpdir(), 'steward-long-'))
    const store = await openSqliteStore({ file: join(home, 'steward.db'), now: () => 0 })
    try {
      const view = sqliteConversation(store)
      await view.projection.position()
      let cursor = 0
      const event = (type: string, data: JsonObject): Event => {
        cursor++
        const fixed = { at: cursor, actor: 'user:ada', visibility: 'user-summary', cause: null, correlation: null, session, v: 1 } as const
        return { ...fixed, id: `evt_${cursor}` as never, type, data, cursor, lane: laneOf(process), seq: cursor }
      }
      const info = {
        id: process,
        session,
        tenant: 'main',
        project: 'p',
        agent: 'a',
        engine: 'e',
        params: {},
        user: 'ada',
        parent: null,
        facesPerson: true,
      }
      const policies = { onDisconnect: 'KEEP_OPEN', onIdle: 'SUSPEND', onSuspend: 'KEEP', idleTimeoutMs: 1, suspendKeepDurationMs: 1 }
      const facts = { id: session, tenant: 'main', project: 'p', user: 'ada', process, agent: 'a', title: null, profile: 'web', policies }
      await view.projection.apply([event('process-created', { process: info }), event('session-created', { session: facts })], cursor)
      for (let from = 0; from < parents.length; from += 1000) {
        const batch = parents.slice(from, from + 1000).map((parent, at) => {
          const message = {
            id: idOf(from + at),
            session,
            parent: parent < 0 ? null : idOf(parent),
            role: 'user',
            actor: 'user:ada',
            text: `line ${from + at}`,
            status: 'settled',
          }
          return event('chat-message-appended', { message })
        })
        await view.projection.apply(batch, cursor)
      }
      await act(view)
    } finally {
      await store.close()
      rmSync(home, { recursive: true, force: true })
    }
  }

  test('[P12] 100,000 lines: a page anywhere and a walk take a few milliseconds', async () => {
    const size = 100_000
    await tableOf(
      Array.from({ length: size }, (_, n) => n - 1),
      async (view) => {
        const timed = async (act: () => Promise<unknown>) => {
          const from = performance.now()
          await act()
          return performance.now() - from
        }
        const took = [
          await timed(async () => expect((await view.walk(idOf(size - 1), 50)).map((line) => line.id)).toEqual(ids(size - 50, size))),
          await timed(async () => expect((await view.branch(session, { limit: 50 })).items.map((line) => line.id)).toEqual(ids(0, 50))),
          await timed(async () => {
            const page = await view.branch(session, { limit: 50, after: idOf(49_999) })
            expect(page.items.map((line) => line.id)).toEqual(ids(50_000, 50_050))
          }),
          await timed(async () => {
            const page = await view.branch(session, { limit: 50, after: idOf(size - 11) })
            expect([page.items.map((line) => line.id), page.next]).toEqual([ids(size - 10, size), null])
          }),
          await timed(() => view.session(session)),
        ]
        process_.stdout.write(`walk and pages in 100,000 lines: ${took.map((ms) => ms.toFixed(2)).join(', ')} ms\n`)
        for (const ms of took) expect(ms).toBeLessThan(50)
      },
    )
  })

  test('[P12] on random trees every branch pages like the plain walk', async () => {
    const random = seeded(20261130)
    const parents = Array.from({ length: 3000 }, (_, n) =>
      n === 0 || random.int(300) === 0 ? -1 : random.int(10) < 8 ? n - 1 : random.int(n),
    )
    await tableOf(parents, async (view) => {
      for (let round = 0; round < 30; round++) {
        const leaf = random.int(parents.length)
        const plain: MessageId[] = []
        for (let at = leaf; at >= 0; at = parents[at] as number) plain.unshift(idOf(at))
        const cursor = 10_000 + round
        const selected = { type: 'branch-selected', data: { leaf: idOf(leaf), by: 'user:ada' }, cursor, lane: laneOf(process) }
        await view.projection.apply([selected as unknown as Event], cursor)
        const paged: string[] = []
        const limit = 1 + random.int(40)
        for (let after: string | null = ''; after !== null; ) {
          const page = await view.branch(session, { limit, ...(after ? { after } : {}) })
          paged.push(...page.items.map((line) => line.id))
          after = page.next
        }
        expect(paged).toEqual(plain)
        expect((await view.walk(idOf(leaf), 7)).map((line) => line.id)).toEqual(plain.slice(-7))
      }
    })
  })

  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => idOf(from + n))
})

const process_ = globalThis.process
