// What the fuzz found, each told alone.
import { expect, test } from 'vitest'
import type { AskId, EntryId, LaneId, TurnId } from '../../src/base/ids.ts'
import { handClock, settleLoop } from '../../src/base/testing.ts'
import { type Act, Stopped, type Turn } from '../../src/lanes/engine.ts'
import { askOf, engine, gate, openHeart, settled } from '../../src/lanes/testing.ts'
import { faulty } from '../../src/store/faulty.ts'
import { memoryStore } from '../../src/store/memory/memory.ts'

const echo = engine('echo', async (turn) => void turn.say('reply', { text: 'heard' }))

function heartOver() {
  const clock = handClock()
  const faults = faulty(memoryStore({ now: clock.now }))
  return { clock, faults, store: faults.store }
}

test('[L5] reconcile is asked about the key of the effect', async () => {
  const hang = gate()
  const keys: string[] = []
  const send = (turn: Turn) =>
    turn.once('send', (act) => hang.promise.then(() => act.key), {
      reconcile: async ({ key }: Act) => {
        keys.push(key)
        return { found: 'done', value: 'sent' }
      },
    })
  const heart = await openHeart({ engines: [engine('mail', async (turn) => void (await send(turn)))] })
  await heart.say(await heart.process('mail'), 'go')
  const { data } = await heart.until((event) => event.type === 'step-started')
  const after = await heart.crash()
  await after.until(settled())
  expect(keys).toEqual([`${String(data['turn'])}/send`])
  await after.close()
})

test('[L5] a reconcile that fails is one that knows nothing: the person is asked', async () => {
  const run = async (turn: Turn) =>
    void (await turn.once<string>('send', () => new Promise(() => {}), { reconcile: () => Promise.reject(new Error('no line')) }))
  const heart = await openHeart({ engines: [engine('mail', run)] })
  await heart.say(await heart.process('mail'), 'go')
  await heart.until((event) => event.type === 'step-started')
  const after = await heart.crash()
  expect((await after.until((event) => event.type === 'question-asked')).data['name']).toBe('send?asked-1')
  await after.close()
})

test('[L11] a turn that was paused and then stopped ends, also after a crash', async () => {
  const deaf = engine('deaf', (turn) => turn.step('work', 'replayable', () => new Promise<null>(() => {})).then(() => {}))
  const heart = await openHeart({ engines: [deaf] })
  const process = await heart.process('deaf')
  await heart.say(process, 'go')
  const { data } = await heart.until((event) => event.type === 'step-started')
  const turn = data['turn'] as TurnId
  await heart.control(process, { kind: 'pause', turn })
  await heart.control(process, { kind: 'stop', turn })
  await heart.until((event) => event.type === 'turn-stopping')
  const after = await heart.crash()
  expect((await after.until(settled())).data['outcome']).toBe('stopped')
  await after.close()
})

test('[L11] a process that is closed in mid-turn ends its turn and turns away what came in, also after a crash', async () => {
  const deaf = engine('deaf', (turn) => turn.step('work', 'replayable', () => new Promise<null>(() => {})).then(() => {}))
  const heart = await openHeart({ engines: [deaf] })
  const process = await heart.process('deaf')
  await heart.say(process, 'go')
  await heart.until((event) => event.type === 'step-started')
  await heart.control(process, { kind: 'close', reason: 'DONE' })
  await heart.until((event) => event.type === 'process-closed')
  const late = await heart.say(process, 'too late')
  const after = await heart.crash()
  expect((await after.until(settled())).data['outcome']).toBe('stopped')
  await after.until((event) => event.type === 'entry-refused' && event.data['entry'] === late.entry)
  expect((await after.say(process, 'again')).result).toBe('closed')
  await after.close()
})

test('[L6] when a branch goes on and ends, the turn is parked on the others', async () => {
  const both = engine('both', async (turn) => {
    await Promise.all([turn.ask('one', { kind: 'question', text: '1?' }), turn.ask('two', { kind: 'question', text: '2?' })])
  })
  const heart = await openHeart({ engines: [both] })
  const process = await heart.process('both', { facesPerson: false })
  await heart.say(process, 'go')
  const one = askOf(await heart.until((event) => event.type === 'question-asked' && event.data['name'] === 'one'))
  await heart.control(process, { kind: 'answer', ask: one, value: 'yes' })
  await heart.until((event) => event.type === 'wait-ended')
  await settleLoop(6)
  const types = await heart.types()
  expect(types.lastIndexOf('turn-parked')).toBeGreaterThan(types.lastIndexOf('wait-ended'))
  expect(heart.lanes.stats().waiting).toBe(1)
  await heart.close()
})

test('[L1] a message that was written without an answer runs, though nothing follows it', async () => {
  const { store, clock, faults } = heartOver()
  const heart = await openHeart({ store, clock, engines: [echo] })
  const process = await heart.process('echo')
  faults.failNext('after')
  expect((await heart.say(process, 'hello')).result).toBe('unavailable')
  clock.advance(100)
  await heart.until(settled())
  expect(heart.journal.readOnly).toBe(false)
  await heart.close()
})

test('[J2] followers see what was written without an answer, in order', async () => {
  const { store, clock, faults } = heartOver()
  const heart = await openHeart({ store, clock, engines: [echo] })
  const process = await heart.process('echo')
  const seen: number[] = []
  const abort = new AbortController()
  const following = (async () => {
    for await (const batch of heart.journal.follow(0, { signal: abort.signal })) seen.push(...batch.map((event) => event.cursor))
  })()
  faults.failNext('after')
  await heart.say(process, 'lost answer')
  clock.advance(100)
  await heart.until(settled())
  await heart.say(process, 'next')
  await settleLoop(6)
  abort.abort()
  await following
  expect(seen).toEqual(Array.from({ length: await store.last() }, (_, i) => i + 1))
  await heart.close()
})

test('[L11] a request whose commit lost its answer is heard by the other lane', async () => {
  const { store, clock, faults } = heartOver()
  let child = '' as LaneId
  const boss = engine('boss', async (turn) => void (await turn.ask('help', { kind: 'delegation', lane: child, text: 'do it' })))
  const heart = await openHeart({ store, clock, engines: [boss, echo] })
  child = (await heart.process('echo')).id as string as LaneId
  const process = await heart.process('boss')
  await heart.say({ ...(await heart.process('echo')) }, 'warm')
  await heart.until(settled())
  const posted = heart.say(process, 'go')
  await posted
  faults.failNext('after', 2)
  for (let i = 0; i < 6; i++) {
    await settleLoop()
    clock.advance(400)
  }
  await heart.until((event) => event.type === 'turn-settled' && event.lane === (process.id as string))
  await heart.close()
})

test('[L10] two people who let the same held entry go on: it runs once', async () => {
  const heart = await openHeart({ engines: [echo] })
  const process = await heart.process('echo')
  const lane = process.id as string as LaneId
  const entry = heart.newId('ent') as EntryId
  const chain = { root: 'far', depth: 9, hops: 1 }
  await heart.lanes.post({ lane, id: entry, from: 'process:x', body: { kind: 'note', topic: 't', data: {} }, chain, held: true })
  await Promise.all([heart.control(process, { kind: 'go-on', entry }), heart.control(process, { kind: 'go-on', entry })])
  await heart.until(settled())
  const types = await heart.types()
  expect(types.filter((type) => type === 'turn-started')).toHaveLength(1)
  expect(types.filter((type) => type === 'entry-released')).toHaveLength(1)
  await heart.close()
}, 5_000)

test('[L2] an engine that lets nothing through still ends when it is stopped, and does nothing more', async () => {
  const stubborn = engine('stubborn', async (turn) => {
    for (let i = 0; i < 50; i++) {
      try {
        await turn.ask(`q${i}`, { kind: 'question', text: '?' })
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Stopped)
      }
    }
  })
  const heart = await openHeart({ engines: [stubborn] })
  const process = await heart.process('stubborn')
  await heart.say(process, 'go')
  const asked = await heart.until((event) => event.type === 'question-asked')
  await heart.control(process, { kind: 'stop', turn: asked.data['turn'] as TurnId })
  expect((await heart.until(settled())).data['outcome']).toBe('stopped')
  expect((await heart.types()).filter((type) => type === 'question-asked')).toHaveLength(1)
  await heart.close()
})

test('[L11] an answer and a timeout at once: one wins, the other is refused', async () => {
  const asker = engine('asker', async (turn) => {
    await turn.ask('q', { kind: 'question', text: '?', timeoutMs: 10 })
  })
  const heart = await openHeart({ engines: [asker] })
  const process = await heart.process('asker', { facesPerson: false })
  await heart.say(process, 'go')
  const ask: AskId = askOf(await heart.until((event) => event.type === 'turn-parked' || event.type === 'question-asked'))
  await settleLoop(4)
  const answering = heart.control(process, { kind: 'answer', ask, value: 'yes' })
  heart.clock.advance(20)
  await answering
  await heart.until(settled())
  await settleLoop(4)
  const events = await heart.events()
  expect(events.filter((event) => event.type === 'question-answered')).toHaveLength(1)
  await heart.close()
})
