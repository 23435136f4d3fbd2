// The ancestors' recorded facts about queues, locks, delivery and recovery, each as a check of the heart, or with the decision
// that makes it differ (docs/compatibility.md).
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AskId, type LaneId, laneOf, type NodeId, type TurnId } from '../../src/base/ids.ts'
import { handClock, settleLoop } from '../../src/base/testing.ts'
import { hasOneOrigin } from '../../src/journal/export.ts'
import { type Act, NotDone, StepFailed, type Turn } from '../../src/lanes/engine.ts'
import { openPump } from '../../src/lanes/pump.ts'
import { askOf, engine, gate, type Heart, type HeartOptions, openHeart, settled, textOf } from '../../src/lanes/testing.ts'
import { formatCursor, parseCursor } from '../../src/protocol/cursor.ts'
import { faulty } from '../../src/store/faulty.ts'
import { memoryStore } from '../../src/store/memory/memory.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { describeShared } from '../shared.ts'

type Check = () => Promise<void>
/** A check, or why there is none. */
type Answer = Check | { readonly decided: string }
type Case = { readonly id: string }

const textIn = (turn: Turn) => turn.entries.map((entry) => ('text' in entry.body ? entry.body.text : ''))
const echo = engine('echo', async (turn) => {
  if (textIn(turn).includes('bad')) throw new Error('it does not work')
  turn.say('reply', { text: textIn(turn).join('+') })
})
const never = () => new Promise<null>(() => {})

const hang = (first: () => unknown) => {
  first()
  return never()
}

async function withHeart(options: HeartOptions, check: (heart: Heart) => Promise<Heart | undefined>): Promise<void> {
  const heart = await openHeart(options)
  await ((await check(heart)) ?? heart).close()
}

const count = async (heart: Heart, type: string) => (await heart.types()).filter((each) => each === type).length
const replies = async (heart: Heart) =>
  (await heart.events()).filter((event) => event.type === 'chat-message-appended' && event.data['turn'] !== undefined).map(textOf)

async function untilIdle(heart: Heart, turns: number): Promise<void> {
  for (let left = 500; left > 0 && (await count(heart, 'turn-settled')) < turns; left--) await settleLoop(1)
  expect(await count(heart, 'turn-settled')).toBe(turns)
}

/** A turn that hangs in a once step, the machine dead, and a new one over the same store. */
async function interruptedOnce(check: (after: Heart, calls: () => number) => Promise<Heart | undefined>): Promise<void> {
  let calls = 0
  const mail = engine('mail', async (turn) => void (await turn.once('send', () => hang(() => ++calls))))
  await withHeart({ engines: [mail] }, async (heart) => {
    await heart.say(await heart.process('mail'), 'go')
    await heart.until((event) => event.type === 'step-started')
    const after = await heart.crash()
    await after.until((event) => event.type === 'question-asked')
    return (await check(after, () => calls)) ?? after
  })
}

async function onDisk(check: (file: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-queue-'))
  try {
    await check(join(folder, 'steward.db'), folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Four messages in a lane that runs none of them. */
async function fourWaiting(check: (heart: Heart, lane: LaneId) => Promise<void>): Promise<void> {
  await withHeart({ engines: [echo] }, async (heart) => {
    const process = await heart.process('echo')
    await heart.control(process, { kind: 'suspend' })
    await heart.until((event) => event.type === 'process-suspended')
    for (const text of ['0', '1', '2', '3']) await heart.say(process, text)
    await check(heart, laneOf(process.id))
    return undefined
  })
}

/** A log whose last bytes are torn off; the store must open, keep the rest and go on. */
async function tornLog(): Promise<void> {
  await onDisk(async (file) => {
    const first = await openSqliteStore({ file, now: Date.now })
    first.db.exec('PRAGMA wal_autocheckpoint = 0')
    const heart = await openHeart({ store: first.journal, engines: [echo] })
    const process = await heart.process('echo')
    await heart.say(process, 'kept')
    await untilIdle(heart, 1)
    const whole = statSync(`${file}-wal`).size
    const last = await first.journal.last()
    await heart.say(process, 'torn')
    await heart.close()
    const copy = `${file}.torn`
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
    await first.close()
    truncateSync(`${copy}-wal`, whole + 40)
    const second = await openSqliteStore({ file: copy, now: Date.now })
    const after = await openHeart({ store: second.journal, engines: [echo] })
    expect((await after.events()).filter((event) => event.cursor <= last).length).toBe(last)
    expect((await after.say(process, 'after')).result).toBe('accepted')
    await untilIdle(after, 2)
    expect((await replies(after)).at(-1)).toBe('after')
    await after.close()
    await second.close()
  })
}

const twice: Check = () =>
  withHeart({ engines: [echo] }, async (heart) => {
    const process = await heart.process('echo')
    const first = await heart.say(process, 'hello', { id: 'one' })
    await untilIdle(heart, 1)
    expect(first.duplicate).toBe(false)
    expect(await heart.say(process, 'hello', { id: 'one' })).toEqual({ ...first, duplicate: true })
    await settleLoop()
    expect(await count(heart, 'turn-started')).toBe(1)
    return undefined
  })

const conflict =
  (change: object): Check =>
  () =>
    withHeart({ engines: [echo] }, async (heart) => {
      const process = await heart.process('echo')
      await heart.say(process, 'hello', { id: 'one' })
      expect((await heart.say(process, 'hello', { id: 'one', ...change })).result).toBe('conflict')
      return undefined
    })

const livingOwner: Check = () => {
  const clock = handClock()
  const store = memoryStore({ now: clock.now })
  const lease = { ttlMs: 3_000, marginMs: 1_000 }
  return withHeart(
    { store, clock, lease, node: 'nod_one', engines: [engine('long', (turn) => turn.step('work', 'replayable', never).then(() => {}))] },
    async (heart) => {
      const process = await heart.process('long')
      await heart.say(process, 'go')
      await heart.until((event) => event.type === 'step-started')
      expect((await store.claim([laneOf(process.id)], 'nod_two' as NodeId)).size).toBe(0)
      expect(heart.lanes.stats().running).toBe(1)
      return undefined
    },
  )
}

const queue: Record<string, Answer> = {
  'wal-normal': () =>
    withHeart({ engines: [echo] }, async (heart) => {
      await heart.say(await heart.process('echo'), 'hello')
      await untilIdle(heart, 1)
      expect(await heart.store.countWaiting()).toBe(0)
      expect(await replies(heart)).toEqual(['hello'])
      return undefined
    }),
  // Durable and not begun: the first start carries it out, a second one finds nothing to do.
  'rec-missing': async () => {
    const clock = handClock()
    const held = gate()
    const store = memoryStore({ now: clock.now })
    const slow = engine('echo', async (turn) => {
      await turn.step('wait', 'replayable', () => held.promise.then(() => null))
      turn.say('reply', { text: textIn(turn).join('+') })
    })
    await withHeart({ store, clock, engines: [slow] }, async (heart) => {
      const process = await heart.process('echo')
      await heart.say(process, 'first')
      await heart.until((event) => event.type === 'step-started')
      await heart.say(process, 'lost?', { from: 'user:bob' })
      const second = await heart.crash({ engines: [echo] })
      await untilIdle(second, 2)
      expect((await replies(second)).at(-1)).toBe('lost?')
      const third = await second.crash()
      await settleLoop()
      expect([await third.store.countWaiting(), await count(third, 'turn-settled')]).toEqual([0, 2])
      return third
    })
  },
  'rec-duplicate': () => {
    const clock = handClock()
    const faults = faulty(memoryStore({ now: clock.now }))
    return withHeart({ store: faults.store, clock, engines: [echo] }, async (heart) => {
      const process = await heart.process('echo')
      faults.failNext('after')
      expect((await heart.say(process, 'hello', { id: 'one' })).result).toBe('unavailable')
      const after = await heart.crash()
      await untilIdle(after, 1)
      expect(await after.say(process, 'hello', { id: 'one' })).toMatchObject({ result: 'accepted', duplicate: true })
      return after
    })
  },
  'rec-duplicate-distance-100': () =>
    withHeart({ engines: [echo] }, async (heart) => {
      const process = await heart.process('echo')
      await heart.say(process, 'hello', { id: 'one' })
      for (let i = 0; i < 100; i++) await heart.say(process, `${i}`)
      expect((await heart.say(process, 'hello', { id: 'one' })).duplicate).toBe(true)
      return undefined
    }),
  'rec-corrupt-pending': () =>
    onDisk(async (file) => {
      writeFileSync(file, 'this is no database, and is not touched')
      await expect(openSqliteStore({ file, now: Date.now })).rejects.toThrow(/damaged/)
      expect(readFileSync(file, 'utf8')).toBe('this is no database, and is not touched')
    }),
  'rec-tmp-leftover': () =>
    onDisk(async (file, folder) => {
      writeFileSync(join(folder, 'half.tmp'), 'half')
      await (await openSqliteStore({ file, now: Date.now })).close()
      expect(statSync(join(folder, 'half.tmp')).size).toBe(4)
    }),
  'rec-torn-line': tornLog,
  'after-torn': tornLog,
  'read-from-known': () =>
    fourWaiting(async (heart) => {
      const lines = (await heart.events()).filter((event) => event.type === 'chat-message-appended')
      const after = await heart.store.readAll(lines[1]?.cursor ?? 0, 10)
      expect(after.events.map(textOf)).toEqual(['2', '3'])
    }),
  'read-from-unknown': async () => {
    expect(parseCursor('no-cursor')).toBeNull()
    expect(parseCursor(formatCursor(2, 7))).toEqual({ generation: 2, number: 7 })
  },
  'read-from-null': () =>
    fourWaiting(async (heart) => {
      const lines = (await heart.store.readAll(0, 100)).events.filter((event) => event.type === 'chat-message-appended')
      expect(lines.map(textOf)).toEqual(['0', '1', '2', '3'])
    }),
  unanswered: () =>
    fourWaiting(async (heart, lane) => {
      const [first, ...rest] = await heart.store.waiting(lane)
      await heart.lanes.post({
        lane,
        id: heart.newId('ent'),
        from: 'user:ada',
        body: { kind: 'withdraw', entry: first?.id as never, reason: 'answered' },
      })
      await heart.until((event) => event.type === 'entry-refused')
      expect((await heart.store.waiting(lane)).map((entry) => entry.id)).toEqual(rest.map((entry) => entry.id))
    }),
  'last-n': () =>
    fourWaiting(async (heart) => {
      expect((await heart.store.readAll((await heart.store.last()) - 2, 10)).events.map(textOf)).toEqual(['2', '3'])
    }),
  'origin-none': async () => expect(hasOneOrigin({})).toBe(false),
  'origin-both': async () => expect(hasOneOrigin({ agent: 'relay', user: {} })).toBe(false),
  'backlog-isolated': () => backlog(['ok-1', 'bad', 'ok-2'], ['ok-1', 'ok-2']),
  'backlog-all-attempted': () => backlog(['bad', 'bad', 'bad', 'bad', 'bad'], []),
  'backlog-skips-internal': {
    decided: 'nothing in a mailbox is skipped (L1): what is internal is an event of internal visibility, not an entry',
  },
  'rotate-10mb': { decided: 'the journal is the truth and is not rotated; a backup copies it, a purge is asked for explicitly' },
}

/** Entries of several senders in one lane: each is a turn of its own, whatever became of the others. */
function backlog(texts: readonly string[], answered: readonly string[]): Promise<void> {
  return withHeart({ engines: [echo] }, async (heart) => {
    const process = await heart.process('echo')
    await heart.control(process, { kind: 'suspend' })
    for (const [i, text] of texts.entries()) await heart.say(process, text, { from: i % 2 ? 'user:ada' : 'user:bob' })
    const after = await heart.crash()
    await after.control(process, { kind: 'wake' })
    await untilIdle(after, texts.length)
    expect(await replies(after)).toEqual(answered)
    return after
  })
}

/** The order in which lanes come up that were all ready while another was at work. */
async function granted(asked: readonly (readonly [string, 'person' | 'agent' | 'background'])[]): Promise<readonly string[]> {
  const order: string[] = []
  const pump = openPump({ work: (lane) => void order.push(lane), now: () => 0 })
  for (const [lane, priority] of asked) pump.add(lane as LaneId, priority)
  await settleLoop()
  pump.stop()
  return order
}

const locks: Record<string, Answer> = {
  'lock-client-coalesced': () =>
    withHeart({ engines: [echo] }, async (heart) => {
      const [one, two] = [await heart.process('echo'), await heart.process('echo')]
      const results = await Promise.all([heart.say(one, 'a'), heart.say(two, 'b')])
      expect(results.map((said) => said.result)).toEqual(['accepted', 'accepted'])
      return undefined
    }),
  'lock-spec-fifo': async () =>
    expect(await granted([['data', 'agent'], ['agenda', 'agent'], ['action', 'agent']])).toEqual(['data', 'agenda', 'action']), // biome-ignore format: one line reads better
  'lock-spec-priority': async () =>
    expect(await granted([['pattern', 'background'], ['data', 'agent'], ['transport', 'person']])).toEqual(['transport', 'data', 'pattern']), // biome-ignore format: one line reads better
}

const delivery: Record<string, Answer> = {
  'de-once': twice,
  'de-conflict-text': conflict({ text: 'other' }),
  'de-conflict-review': conflict({ attachments: [{ id: 'att_1', mime: 'text/plain', size: 1, sha256: 'x', name: 'review' }] }),
  'de-serial': () =>
    withHeart({ engines: [echo] }, async (heart) => {
      const process = await heart.process('echo')
      await Promise.all([heart.say(process, 'First'), heart.say(process, 'Second', { from: 'user:bob' })])
      await untilIdle(heart, 2)
      expect(await replies(heart)).toEqual(['First', 'Second'])
      let active = 0
      for (const type of await heart.types()) {
        active += type === 'turn-started' ? 1 : type === 'turn-settled' ? -1 : 0
        expect(active).toBeLessThanOrEqual(1)
      }
      return undefined
    }),
  'de-edit-queued': () =>
    fourWaiting(async (heart, lane) => {
      const entry = (await heart.store.waiting(lane)).at(-1)
      await heart.lanes.post({
        lane,
        id: heart.newId('ent'),
        from: 'user:ada',
        body: { kind: 'withdraw', entry: entry?.id as never, reason: 'edited' },
      })
      await heart.until((event) => event.type === 'entry-refused')
      const body = entry?.body.kind === 'message' ? { ...entry.body, text: 'edited' } : null
      if (body) await heart.lanes.post({ lane, id: heart.newId('ent'), from: 'user:ada', body, ref: heart.newId('msg') })
      await heart.lanes.post({ lane, id: heart.newId('ent'), from: 'user:ada', body: { kind: 'wake' } })
      await untilIdle(heart, 1)
      expect(await replies(heart)).toEqual(['0+1+2+edited'])
    }),
  'de-edit-running': () =>
    withHeart({ engines: [engine('long', (turn) => turn.step('work', 'replayable', never).then(() => {}))] }, async (heart) => {
      const process = await heart.process('long')
      const { entry } = await heart.say(process, 'go')
      await heart.until((event) => event.type === 'step-started')
      await heart.control(process, { kind: 'withdraw', entry, reason: 'edited' })
      expect((await heart.until((event) => event.type === 'entry-refused')).data['reason']).toBe('not_waiting')
      return undefined
    }),
  'de-recover-running': () =>
    interruptedOnce(async (after, calls) => {
      expect(calls()).toBe(1)
      expect(await count(after, 'turn-settled')).toBe(0)
      return undefined
    }),
  'de-recover-twice': () =>
    interruptedOnce(async (after, calls) => {
      const third = await after.crash()
      await settleLoop(6)
      expect(await count(third, 'question-asked')).toBe(1)
      expect(calls()).toBe(1)
      return third
    }),
  'de-recover-live': livingOwner,
  'de-transport-loss': async () => {
    let calls = 0
    const mail = engine('mail', async (turn) => {
      await turn.once('send', async () => {
        calls += 1
        throw new Error('the line broke')
      })
    })
    await withHeart({ engines: [mail] }, async (heart) => {
      await heart.say(await heart.process('mail'), 'go')
      await heart.until((event) => event.type === 'question-asked')
      expect(calls).toBe(1)
      return undefined
    })
  },
  'de-error-plain': () =>
    withHeart({ engines: [echo] }, async (heart) => {
      await heart.say(await heart.process('echo'), 'bad')
      expect((await heart.until(settled())).data).toMatchObject({ outcome: 'failed', error: 'it does not work' })
      return undefined
    }),
  'de-move-session': {
    decided: 'an entry id is made of sender, session and the client id (CONTRACT 4): in another session it is another message',
  },
  'de-projectless': { decided: 'a message names its session, and a session without a project is in the home project (P4)' },
  'de-replay': () =>
    fourWaiting(async (heart) => {
      const { events } = await heart.store.readAll(2, 1)
      expect(events.map((event) => event.cursor)).toEqual([3])
    }),
  'de-atomic': () => {
    const clock = handClock()
    const faults = faulty(memoryStore({ now: clock.now }))
    return withHeart({ store: faults.store, clock, engines: [echo] }, async (heart) => {
      const process = await heart.process('echo')
      const before = await heart.types()
      faults.failNext('before')
      expect((await heart.say(process, 'hello')).result).toBe('unavailable')
      expect(await heart.types()).toEqual(before)
      expect(await heart.store.countWaiting()).toBe(0)
      return undefined
    })
  },
  'de-delete-active': { decided: 'deleting archives (P3); the scopes room asks the lanes to close, which ends the turn first' },
  'de-deleted-stays': { decided: 'sessions are made here and not discovered by a runtime, so none can come back' },
  'de-finder-status': { decided: "a session's word is derived from its lanes' states; the order of the list is the screen's" },
  'de-older-turn-ignored': () =>
    withHeart(
      {
        engines: [
          engine(
            'asks',
            async (turn) =>
              void (textIn(turn)[0] === 'ask'
                ? await turn.ask('q', { kind: 'question', text: '?' })
                : await turn.step('work', 'replayable', never)),
          ),
        ],
      },
      async (heart) => {
        const process = await heart.process('asks', { facesPerson: false })
        await heart.say(process, 'ask')
        const asked = await heart.until((event) => event.type === 'question-asked')
        await heart.control(process, { kind: 'stop', turn: asked.data['turn'] as TurnId })
        await heart.until(settled())
        await heart.say(process, 'work')
        await heart.until((event) => event.type === 'step-started')
        expect((await heart.lanes.look(process.id))?.status).toBe('RUNNING')
        return undefined
      },
    ),
}

const recovery: Record<string, Answer> = {
  'rc-process-gone-checkpoint': () => twoSteps((calls) => expect(calls).toEqual(['one', 'two', 'two'])),
  'rc-process-gone-no-info': () =>
    interruptedOnce(async (after) => {
      expect((await after.events()).filter((event) => event.type === 'turn-settled')).toEqual([])
      expect(String((await after.until((event) => event.type === 'question-asked')).data['text'])).toContain(
        "can't tell whether it happened",
      )
      return undefined
    }),
  'rc-still-running': livingOwner,
  'rc-native-done': {
    decided: 'what an outside agent says of itself is a claim that the external engine checks; the heart knows only its own steps',
  },
  'rc-retry-confirmed': () => twoSteps((calls) => expect(calls.filter((call) => call === 'one')).toHaveLength(1)),
  'rc-retry-failed-before': async () => {
    const sent: string[] = []
    const act = (act: Act) => {
      sent.push(act.key)
      return sent.length === 1 ? Promise.reject(new NotDone('no line')) : Promise.resolve('sent')
    }
    const mail = engine('mail', async (turn) => {
      const first = await turn.once('send', act).catch((thrown: unknown) => (thrown instanceof StepFailed ? null : Promise.reject(thrown)))
      if (first === null) await turn.once('send-2', act)
    })
    await withHeart({ engines: [mail] }, async (heart) => {
      await heart.say(await heart.process('mail'), 'go')
      expect((await heart.until(settled())).data).toMatchObject({ outcome: 'done', unknown: [] })
      expect(sent).toHaveLength(2)
      return undefined
    })
  },
  'rc-offline-reconnect': () =>
    withHeart(
      { engines: [engine('asks', async (turn) => void (await turn.ask('q', { kind: 'question', text: '?', timeoutMs: 1_000 })))] },
      async (heart) => {
        const process = await heart.process('asks', { facesPerson: false })
        await heart.say(process, 'go')
        const ask: AskId = askOf(await heart.until((event) => event.type === 'question-asked'))
        await settleLoop(4)
        heart.clock.advance(1_000)
        await heart.until(settled())
        await heart.control(process, { kind: 'answer', ask, value: 'yes' })
        expect((await heart.until((event) => event.type === 'entry-refused')).data['kind']).toBe('answer')
        return undefined
      },
    ),
  'rc-inventory': () =>
    fourWaiting(async (heart, lane) => {
      expect(await heart.store.unfinished('nod_new' as NodeId, 10)).toEqual([lane])
    }),
  'rc-user-choices': () =>
    interruptedOnce(async (after) => {
      const { data } = await after.until((event) => event.type === 'question-asked')
      expect(data['options']).toEqual([{ label: 'Yes, it happened' }, { label: 'No, do it again' }, { label: 'Leave it' }])
      return undefined
    }),
}

/** One step that ended and one that was cut off: what was called, before and after the restart. */
async function twoSteps(check: (calls: readonly string[]) => void): Promise<void> {
  const calls: string[] = []
  const hold = gate()
  const work = engine('work', async (turn) => {
    for (const name of ['one', 'two'])
      await turn.step(name, 'replayable', async () => {
        calls.push(name)
        if (name === 'two' && calls.length === 2) await hold.promise
        return name
      })
  })
  await withHeart({ engines: [work] }, async (heart) => {
    await heart.say(await heart.process('work'), 'go')
    await heart.until((event) => event.type === 'step-started' && event.data['name'] === 'two')
    await settleLoop()
    const after = await heart.crash()
    await after.until(settled())
    check(calls)
    return after
  })
}

const suites = [
  ['outheis/queue-recovery.json', 'the queue of outheis', queue],
  ['outheis/lock-sequences.json', 'the locks of outheis', locks],
  ['hue/delivery-envelope.json', 'the delivery envelope of HUE', delivery],
  ['hue/recovery.json', 'the recovery of HUE', recovery],
] as const

for (const [path, title, answers] of suites) {
  describeShared(title, path, ({ file, rows }) => {
    const sequences = (file as { readonly sequences?: readonly Case[] }).sequences
    const cases = (sequences ?? rows) as readonly Case[]

    test('[L1] every case has an answer, and every answer a case', () => {
      expect(Object.keys(answers).sort()).toEqual(cases.map(({ id }) => id).sort())
    })

    for (const [id, answer] of Object.entries(answers)) {
      if (typeof answer === 'function') test(`[L1] ${id}`, answer)
      else test(`[L1] ${id}: differs by decision: ${answer.decided}`, () => expect(answer.decided).not.toBe(''))
    }
  })
}
