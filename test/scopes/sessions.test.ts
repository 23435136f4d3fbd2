import { afterEach, describe, expect, test } from 'vitest'
import { laneOf, type ProcessId, type SessionId } from '../../src/base/ids.ts'
import { settleLoop } from '../../src/base/testing.ts'
import type { ScopesOptions } from '../../src/scopes/open-scopes.ts'
import type { NewSession } from '../../src/scopes/scopes.ts'
import { type Bench, type BenchOptions, echo, engineOf, openBench } from './bench.ts'

let bench: Bench
const open = async (options?: BenchOptions) => {
  bench = await openBench(options)
  return bench
}
afterEach(() => bench.close())

const start = async (given: Partial<NewSession> = {}) => {
  const { value } = await bench.scopes.sessions.create({ user: 'ada', ...given }, 'user:ada')
  return { ...value, id: value.id as SessionId, process: value.process as ProcessId }
}
const withPolicies = (policies: object): BenchOptions => ({
  engineOf: async () => ({ agent: 'echo', engine: 'echo', params: {}, policies }),
})
const statusOf = async (id: SessionId) => (await bench.scopes.sessions.get(id))?.status
const worker = async (session: { id: SessionId; process: ProcessId }) => {
  const info = (await bench.scopes.sessions.process(session.process))?.info
  if (!info) throw new Error('no process')
  const id = bench.newId('prc')
  const { cursor } = await bench.lanes.create({ ...info, id, parent: session.process, facesPerson: false }, 'system')
  await bench.journal.passed(cursor)
  return id
}
const events = async (type: string) => {
  const { events: all } = await bench.journal.read({ after: 0, limit: 500 })
  return all.filter((event) => event.type === type)
}
const answer = (text: string) => bench.until('chat-message-appended', (data) => (data['message'] as { text: string }).text === text)
const minutes = 60_000

describe('new sessions', () => {
  test('[P5] without a project it is in the home, with its process and lane', async () => {
    const { scopes } = await open()
    const made = await start()
    expect(made).toMatchObject({
      project: '_user_ada',
      agent: 'echo',
      profile: 'web',
      status: 'IDLE',
      title: '',
      pinned: false,
      leaf: null,
    })
    expect(await scopes.sessions.owner(made.id)).toBe('ada')
    const process = await scopes.sessions.process(made.process)
    expect(process).toMatchObject({
      session: made.id,
      info: { user: 'ada', engine: 'echo', parent: null, facesPerson: true, tenant: 'main' },
    })
    expect((await scopes.sessions.list({ user: 'ada', limit: 50 })).items.map((one) => one.id)).toEqual([made.id])
    expect((await scopes.sessions.list({ user: 'bob', limit: 50 })).items).toEqual([])
  })

  test('[P5] what is not there is not found, and nothing is made', async () => {
    const { scopes } = await open()
    await scopes.projects.ensureHome('bob')
    await expect(start({ project: 'nope' })).rejects.toMatchObject({ code: 'not_found', path: '/project' })
    await expect(start({ project: '_user_bob' })).rejects.toMatchObject({ code: 'not_found', path: '/project' })
    await expect(start({ project: '_tenant' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(start({ agent: 'nobody' })).rejects.toMatchObject({ code: 'not_found', path: '/agent' })
    await expect(start({ title: 'a\nb' })).rejects.toMatchObject({ code: 'invalid', path: '/title' })
    await expect(start({ profile: '' })).rejects.toMatchObject({ path: '/profile' })
    expect(await events('session-created')).toEqual([])
    expect(await events('process-created')).toEqual([])
  })

  test('[P5] unknown ids give nothing, whatever they look like', async () => {
    const { scopes, newId } = await open()
    for (const id of ['', 'x', 'ses_', "ses_'; drop table sessions;--", newId('ses')] as SessionId[]) {
      expect(await scopes.sessions.get(id)).toBeNull()
      expect(await scopes.sessions.owner(id)).toBeNull()
      expect(await scopes.conversation.branch(id, { limit: 5 })).toEqual({ items: [], next: null })
      await expect(scopes.sessions.change(id, { pinned: true }, 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
      await expect(scopes.sessions.close(id, 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
      await expect(scopes.sessions.connected(id, 'con_1')).rejects.toMatchObject({ code: 'not_found' })
      await expect(scopes.sessions.resume(id, 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('[P5] lists page, the newest activity first', async () => {
    const { scopes, clock, say, until } = await open()
    const made: SessionId[] = []
    for (let n = 0; n < 5; n++) {
      clock.advance(1000)
      made.push((await start()).id)
    }
    clock.advance(1000)
    await say(made[1] as SessionId, 'hello')
    await until('turn-settled')
    const pages: string[][] = []
    for (let after: string | null = ''; after !== null; ) {
      const page = await scopes.sessions.list({ user: 'ada', limit: 2, ...(after ? { after } : {}) })
      pages.push(page.items.map((one) => one.id))
      after = page.next
    }
    expect(pages).toEqual([[made[1], made[4]], [made[3], made[2]], [made[0]]])
    await expect(scopes.sessions.list({ user: 'ada', limit: 2, after: "x' or 1" })).rejects.toMatchObject({ path: '/after' })
    expect((await scopes.sessions.list({ user: 'ada', project: 'garden', limit: 9 })).items).toEqual([])
  })
})

describe('pages', () => {
  test('[P12] a limit outside 1 to 500 is refused everywhere', async () => {
    const { scopes } = await open()
    const { id } = await start()
    for (const limit of [0, -1, 501, 1.5, Number.NaN, '5' as never]) {
      await expect(scopes.sessions.list({ user: 'ada', limit })).rejects.toMatchObject({ code: 'invalid', path: '/limit' })
      await expect(scopes.projects.list({ limit })).rejects.toMatchObject({ path: '/limit' })
      await expect(scopes.conversation.branch(id, { limit })).rejects.toMatchObject({ path: '/limit' })
    }
  })
})

describe('titles', () => {
  test('[P9] from the first message, until a person names it', async () => {
    const { scopes, say, until } = await open()
    const { id } = await start()
    await say(id, '\nPlan the garden\nwith roses')
    await until('turn-settled')
    expect((await scopes.sessions.get(id))?.title).toBe('Plan the garden')
    const { value } = await scopes.sessions.change(id, { title: ' Roses ', pinned: true }, 'user:ada')
    expect(value).toMatchObject({ title: 'Roses', pinned: true })
    await say(id, 'and now something else')
    await until('turn-settled', (data) => data['turn'] !== undefined)
    expect((await scopes.sessions.get(id))?.title).toBe('Roses')
    expect((await scopes.sessions.change(id, { title: 'Roses', pinned: true }, 'user:ada')).cursor).toBe(0)
    await expect(scopes.sessions.change(id, { pinned: 'yes' as never }, 'user:ada')).rejects.toMatchObject({ path: '/pinned' })
  })
})

describe('suspend, resume, close', () => {
  test('[P6] every process is suspended, then the session; again is nothing', async () => {
    const { scopes } = await open()
    const session = await start()
    const child = await worker(session)
    await scopes.sessions.suspend(session.id, 'FORCED')
    await bench.until('process-suspended')
    expect(await statusOf(session.id)).toBe('SUSPENDED')
    await scopes.sessions.suspend(session.id, 'IDLE')
    const told = (await events('session-updated')).map((event) => event.data)
    expect(told).toEqual([{ id: session.id, status: 'SUSPENDED', cause: 'FORCED', told: [session.process, child], unreached: [] }])
  })

  test('[P7] resume wakes what was suspended, and what waited is answered', async () => {
    const { scopes, say, until } = await open()
    const session = await start()
    await scopes.sessions.suspend(session.id, 'FORCED')
    await until('process-suspended')
    await say(session.id, 'are you there?', { from: 'outside:mail' })
    await settleLoop(20)
    expect(await events('turn-started')).toEqual([])
    await scopes.sessions.resume(session.id, 'user:ada')
    await until('turn-settled')
    expect(await scopes.sessions.get(session.id)).toMatchObject({ status: 'IDLE', lastMessage: { text: 'echo: are you there?' } })
  })

  test('[P7] a person’s message wakes a suspended session, also one that comes in the middle of the cascade or after a restart', async () => {
    await open()
    const session = await start()
    await bench.scopes.sessions.suspend(session.id, 'FORCED')
    await bench.say(session.id, 'one')
    await answer('echo: one')
    await Promise.all([bench.scopes.sessions.suspend(session.id, 'IDLE'), bench.say(session.id, 'two')])
    await answer('echo: two')
    await bench.scopes.sessions.suspend(session.id, 'IDLE')
    bench = await bench.reopen()
    await bench.say(session.id, 'three')
    await answer('echo: three')
    expect(await statusOf(session.id)).toBe('IDLE')
  })

  test('[P7] a person’s answer to the question of a suspended session wakes it', async () => {
    const { scopes, lanes, newId, say, until } = await open()
    const session = await start({ agent: 'asker' })
    await say(session.id, 'paint it')
    await until('question-asked')
    await scopes.sessions.suspend(session.id, 'DISCONNECT')
    const [asked] = await events('question-asked')
    const ask = asked?.data['ask'] as never
    await lanes.post({ lane: laneOf(session.process), id: newId('ent'), from: 'user:ada', body: { kind: 'answer', ask, value: 'red' } })
    await answer('red')
    expect(await statusOf(session.id)).not.toBe('SUSPENDED')
  })

  test('[P7] suspend and resume at the same moment leave it awake', async () => {
    const { scopes, say, until } = await open()
    const session = await start()
    await Promise.all([scopes.sessions.suspend(session.id, 'FORCED'), scopes.sessions.resume(session.id, 'user:ada')])
    await say(session.id, 'hello')
    await until('turn-settled')
    expect(await statusOf(session.id)).toBe('IDLE')
  })

  test('[P7] an open session with a suspended process is woken too', async () => {
    const { scopes, lanes, newId, say, until } = await open()
    const session = await start()
    await lanes.post({ lane: laneOf(session.process), id: newId('ent'), from: 'system', body: { kind: 'suspend' } })
    await until('process-suspended')
    expect(await statusOf(session.id)).toBe('SUSPENDED')
    await scopes.sessions.resume(session.id, 'user:ada')
    await say(session.id, 'hello')
    await until('turn-settled')
  })

  test('[P6] a worker made in the middle of the cascade is suspended too', async () => {
    let late: ProcessId | null = null
    const lanes: BenchOptions['lanes'] = (real) => ({
      ...real,
      async post(entry) {
        if (entry.body.kind === 'suspend' && late === null) {
          late = bench.newId('prc')
          const info = (await bench.scopes.sessions.process(entry.lane as string as ProcessId))?.info
          if (info) await real.create({ ...info, id: late, parent: info.id }, 'system')
        }
        return real.post(entry)
      },
    })
    const { scopes } = await open({ lanes })
    const session = await start()
    await scopes.sessions.suspend(session.id, 'FORCED')
    const [updated] = await events('session-updated')
    expect(updated?.data['told']).toEqual([session.process, late])
  })

  test.each(['suspend', 'close'] as const)('[P6] %s writes the status of a process that no entry reaches', async (act) => {
    const lanes: BenchOptions['lanes'] = (real): ScopesOptions['lanes'] => ({
      ...real,
      post: async () => {
        if (act === 'suspend') throw new Error('the disk is on fire')
        return { ok: false, reason: 'unavailable', why: 'full' }
      },
    })
    const { scopes, logged } = await open({ lanes })
    const session = await start()
    if (act === 'suspend') await scopes.sessions.suspend(session.id, 'FORCED')
    else await scopes.sessions.close(session.id, 'user:ada')
    const word = act === 'suspend' ? 'SUSPENDED' : 'CLOSED'
    expect(await scopes.sessions.get(session.id)).toMatchObject({ status: word, processStatus: word })
    expect(logged[0]?.what).toMatch(/not reached/)
  })

  test('[P6, P7] close ends every living process; what is closed stays closed', async () => {
    const { scopes, lanes, newId, until, say } = await open()
    const session = await start()
    const child = await worker(session)
    await lanes.post({ lane: laneOf(child), id: newId('ent'), from: 'system', body: { kind: 'close', reason: 'DONE' } })
    await until('process-closed')
    await scopes.sessions.suspend(session.id, 'FORCED')
    const { value } = await scopes.sessions.close(session.id, 'user:ada')
    expect(value.status).toBe('CLOSED')
    await until('process-closed', (data) => data['reason'] === 'STOPPED')
    expect(await events('process-closed')).toHaveLength(2)
    await scopes.sessions.resume(session.id, 'user:ada')
    expect((await scopes.sessions.close(session.id, 'user:ada')).cursor).toBe(0)
    expect(await statusOf(session.id)).toBe('CLOSED')
    await expect(say(session.id, 'hello?')).rejects.toThrow('closed')
    await expect(scopes.sessions.change(session.id, { title: 'x' }, 'user:ada')).rejects.toThrow(
      /is closed; this is possible while it is open/,
    )
    await expect(scopes.sessions.connected(session.id, 'con_1')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('[P7] an archived session is hidden, kept, and never resumes', async () => {
    const { scopes } = await open()
    const session = await start()
    const { value } = await scopes.sessions.archive(session.id, 'user:ada')
    expect(value.status).toBe('ARCHIVED')
    await scopes.sessions.resume(session.id, 'user:ada')
    expect(await statusOf(session.id)).toBe('ARCHIVED')
    expect((await scopes.sessions.list({ user: 'ada', limit: 9 })).items).toEqual([])
    expect((await scopes.sessions.list({ user: 'ada', limit: 9, archived: true })).items).toHaveLength(1)
    expect((await scopes.sessions.change(session.id, { title: 'Old times' }, 'user:ada')).value.title).toBe('Old times')
    expect((await scopes.sessions.close(session.id, 'user:ada')).value.status).toBe('CLOSED')
    await expect(scopes.sessions.archive(session.id, 'user:ada')).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('connections', () => {
  test('[P8] when the last one goes, SUSPEND suspends', async () => {
    const { scopes } = await open(withPolicies({ onDisconnect: 'SUSPEND' }))
    const { id } = await start()
    expect(await scopes.sessions.connected(id, 'a', { profile: 'web' })).toEqual({ holder: 'a', mine: true, movedFrom: null })
    expect(await scopes.sessions.connected(id, 'b')).toEqual({ holder: 'a', mine: false, movedFrom: null })
    await scopes.sessions.disconnected(id, 'a')
    await scopes.sessions.disconnected(id, 'a')
    expect(await statusOf(id)).toBe('IDLE')
    await scopes.sessions.disconnected(id, 'b')
    expect((await events('session-updated'))[0]?.data).toMatchObject({ status: 'SUSPENDED', cause: 'DISCONNECT' })
  })

  test('[P8] the owner who comes back resumes it and brings the profile; a guest does neither', async () => {
    const { scopes } = await open(withPolicies({ onDisconnect: 'SUSPEND' }))
    const { id } = await start()
    await scopes.sessions.suspend(id, 'FORCED')
    await scopes.sessions.connected(id, 'guest')
    expect(await scopes.sessions.get(id)).toMatchObject({ status: 'SUSPENDED', profile: 'web' })
    await scopes.sessions.connected(id, 'own', { profile: 'foot' })
    await bench.journal.passed(bench.journal.head())
    expect(await scopes.sessions.get(id)).toMatchObject({ profile: 'terminal' })
    expect((await events('session-updated')).at(-1)?.data).toMatchObject({ status: 'IDLE' })
  })

  test('[P8] CLOSE closes, KEEP_OPEN does nothing', async () => {
    const { scopes } = await open(withPolicies({ onDisconnect: 'CLOSE' }))
    const { id } = await start()
    await scopes.sessions.connected(id, 'a')
    await scopes.sessions.disconnected(id, 'a')
    await bench.journal.passed(bench.journal.head())
    expect(await statusOf(id)).toBe('CLOSED')
    await scopes.sessions.disconnected(id, 'a')
    bench = await bench.reopen({ engineOf: async () => ({ agent: 'echo', engine: 'echo', params: {} }) })
    const kept = await start()
    await bench.scopes.sessions.connected(kept.id, 'a')
    await bench.scopes.sessions.disconnected(kept.id, 'a')
    expect(await statusOf(kept.id)).toBe('IDLE')
  })
})

describe('the sweep', () => {
  test('[P10] suspends after the idle time, not before, and once', async () => {
    const { scopes, clock } = await open()
    const { id } = await start()
    clock.advance(29 * minutes)
    await scopes.sessions.sweepIdle(clock.now())
    expect(await statusOf(id)).toBe('IDLE')
    clock.advance(minutes)
    await scopes.sessions.sweepIdle(clock.now())
    await scopes.sessions.sweepIdle(clock.now())
    await bench.journal.passed(bench.journal.head())
    expect(await events('session-updated')).toHaveLength(1)
    expect((await events('session-updated'))[0]?.data).toMatchObject({ status: 'SUSPENDED', cause: 'IDLE' })
    await scopes.sessions.resume(id, 'user:ada')
    await scopes.sessions.sweepIdle(clock.now())
    expect(await events('session-updated')).toHaveLength(2)
  })

  test('[P10] leaves alone who is watched, who is asked, and who works', async () => {
    const waiter = engineOf('waiter', async (turn) => {
      await turn.ask('later', { kind: 'timer', afterMs: 10 * 60 * minutes })
    })
    const { asker } = await import('./bench.ts')
    const { scopes, clock, say, until } = await open({ engines: [echo, asker, waiter] })
    const [watched, asked, works] = [await start(), await start({ agent: 'asker' }), await start({ agent: 'waiter' })]
    await scopes.sessions.connected(watched.id, 'a')
    await say(asked.id, 'paint it')
    await until('question-asked')
    await say(works.id, 'remind me')
    await until('turn-parked', (data) => JSON.stringify(data).includes('later'))
    clock.advance(60 * minutes)
    await scopes.sessions.sweepIdle(clock.now())
    expect(await events('session-updated')).toEqual([])
    await scopes.sessions.disconnected(watched.id, 'a')
    await scopes.sessions.sweepIdle(clock.now())
    expect((await events('session-updated')).map((event) => event.session)).toEqual([watched.id])
  })

  test('[P10] onIdle NONE is never suspended; onSuspend CLOSE is closed when its keep time is over', async () => {
    const { clock } = await open(withPolicies({ onIdle: 'NONE' }))
    const first = await start()
    clock.advance(48 * 60 * minutes)
    await bench.scopes.sessions.sweepIdle(clock.now())
    expect(await statusOf(first.id)).toBe('IDLE')
    bench = await bench.reopen(withPolicies({ onSuspend: 'CLOSE', suspendKeepDurationMs: 60 * minutes }))
    const second = await start()
    await bench.scopes.sessions.suspend(second.id, 'FORCED')
    clock.advance(59 * minutes)
    await bench.scopes.sessions.sweepIdle(clock.now())
    expect(await statusOf(second.id)).toBe('SUSPENDED')
    clock.advance(minutes)
    await bench.scopes.sessions.sweepIdle(clock.now())
    await bench.journal.passed(bench.journal.head())
    expect(await statusOf(second.id)).toBe('CLOSED')
  })
})

describe('a key of the client', () => {
  test('[P8] makes one session, also when it was begun before a crash and when it comes twice at once', async () => {
    await open()
    const [one, two] = await Promise.all([start({ key: 'k' }), start({ key: 'k' })])
    expect(two.id).toBe(one.id)
    expect((await start({ key: 'k' })).id).toBe(one.id)
    expect((await start({ key: 'other' })).id).not.toBe(one.id)
    expect((await bench.scopes.sessions.list({ user: 'ada', limit: 50 })).items).toHaveLength(2)
  })

  test('[P8] for something else it is a conflict; another person may use it too', async () => {
    await open()
    await bench.scopes.projects.create({ name: 'shop' }, 'user:ada')
    const one = await start({ key: 'k' })
    await expect(start({ key: 'k', project: 'shop' })).rejects.toMatchObject({ code: 'key_reused' })
    const { value } = await bench.scopes.sessions.create({ user: 'bob', key: 'k' }, 'user:bob')
    expect(value.id).not.toBe(one.id)
  })
})
