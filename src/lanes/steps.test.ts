import { describe, expect, test } from 'vitest'
import { laneOf, type NodeId } from '../base/ids.ts'
import { handClock, settleLoop } from '../base/testing.ts'
import { inlineLimit } from '../journal/journal.ts'
import { faulty } from '../store/faulty.ts'
import { memoryStore } from '../store/memory/memory.ts'
import { NotDone, type Once, type StepFailed, type Turn } from './engine.ts'
import { engine, gate, openHeart, settled, textOf } from './testing.ts'

const replies = async (heart: Awaited<ReturnType<typeof openHeart>>) =>
  (await heart.events()).filter((event) => event.type === 'chat-message-appended' && event.data.turn !== undefined).map(textOf)

describe('steps', () => {
  test('[L4] a recorded step gives back its recorded value after a crash, and does not act again', async () => {
    let acted = 0
    const held = gate()
    const two = engine('two', async (turn) => {
      const first = await turn.step('first', 'replayable', async () => ({ n: ++acted }))
      await turn.step('second', 'replayable', async () => held.promise.then(() => null))
      turn.say('reply', { text: String(first.n) })
    })
    const heart = await openHeart({ engines: [two] })
    const process = await heart.process('two')
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'second')
    const after = await heart.crash()
    held.open()
    await after.until(settled())
    expect(await replies(after)).toEqual(['1'])
    expect(acted).toBe(1)
    await after.close()
  })

  test('[L4] a value is what JSON makes of it, on the first run too', async () => {
    const seen: unknown[] = []
    const dates = engine('dates', async (turn) => {
      seen.push(await turn.step('date', 'replayable', async () => ({ at: new Date(0), gone: undefined, n: Number.NaN }) as never))
    })
    const heart = await openHeart({ engines: [dates] })
    await heart.say(await heart.process('dates'), 'go')
    await heart.until(settled())
    expect(seen).toEqual([{ at: '1970-01-01T00:00:00.000Z', n: null }])
    await heart.close()
  })

  test('[L4] a name that is used twice fails the turn, also when the engine catches it', async () => {
    const twice = engine('twice', async (turn) => {
      await turn.step('a', 'replayable', async () => 1)
      await turn.step('a', 'replayable', async () => 2).catch(() => undefined)
    })
    const heart = await openHeart({ engines: [twice] })
    await heart.say(await heart.process('twice'), 'go')
    const end = await heart.until(settled())
    expect(end.data).toMatchObject({ outcome: 'failed', code: 'diverged' })
    expect(String(end.data.error)).toContain('"a"')
    await heart.close()
  })

  test('[L4] a kind that changed fails the turn', async () => {
    let kind: 'replayable' | 'idempotent' = 'replayable'
    const held = gate()
    const changing = engine('changing', async (turn) => {
      await turn.step('a', kind, async () => 1)
      await turn.step('b', 'replayable', async () => held.promise.then(() => 1))
    })
    const heart = await openHeart({ engines: [changing] })
    await heart.say(await heart.process('changing'), 'go')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'b')
    kind = 'idempotent'
    const after = await heart.crash()
    expect((await after.until(settled())).data).toMatchObject({ outcome: 'failed', code: 'diverged' })
    await after.close()
  })

  test('[L4] a replay that leaves out what was recorded fails the turn and names it', async () => {
    let skip = false
    const held = gate()
    const skipping = engine('skipping', async (turn) => {
      if (!skip) await turn.once('send mail', async () => 'sent')
      await turn.step('b', 'replayable', async () => (skip ? 1 : held.promise.then(() => 1)))
    })
    const heart = await openHeart({ engines: [skipping] })
    await heart.say(await heart.process('skipping'), 'go')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'b')
    skip = true
    const after = await heart.crash()
    const end = await after.until(settled())
    expect(end.data).toMatchObject({ outcome: 'failed', code: 'diverged' })
    expect(String(end.data.error)).toContain('send mail')
    await after.close()
  })

  test('[L4] a waiting turn goes on only with an engine that accepts its version', async () => {
    const waiting = (version: number, accepts: number[]) =>
      engine('waits', async (turn) => void (await turn.ask('q', { kind: 'question', text: 'Which?' }, { wake: false })), {
        version,
        accepts,
      })
    const heart = await openHeart({ engines: [waiting(1, [])] })
    const process = await heart.process('waits')
    await heart.say(process, 'go')
    const asked = await heart.until((event) => event.type === 'question-asked')
    await heart.until((event) => event.type === 'turn-parked')
    const second = await heart.crash({ engines: [waiting(2, [1])] })
    await second.control(process, { kind: 'answer', ask: asked.data.ask as never, value: 'this' })
    expect((await second.until(settled())).data.outcome).toBe('done')
    await second.say(process, 'again')
    const askedAgain = await second.until((event) => event.type === 'question-asked' && event.cursor > asked.cursor)
    await second.until((event) => event.type === 'turn-parked' && event.cursor > askedAgain.cursor)
    const third = await second.crash({ engines: [waiting(3, [])] })
    await third.control(process, { kind: 'answer', ask: askedAgain.data.ask as never, value: 'that' })
    const end = await third.until((event) => event.type === 'turn-settled' && event.data.outcome === 'failed')
    expect(end.data.code).toBe('cannot_continue')
    expect(String(end.data.error)).toContain("can't be continued after the update")
    await third.close()
  })

  test('[L5] a step starts only after its start is durable', async () => {
    const clock = handClock()
    const broken = faulty(memoryStore({ now: clock.now }))
    let acted = 0
    const one = engine('one', async (turn) => {
      await turn.step('a', 'replayable', async () => ++acted)
    })
    const heart = await openHeart({ engines: [one], clock, store: broken.store })
    const process = await heart.process('one')
    await heart.say(process, 'warm up')
    await heart.until(settled())
    acted = 0
    broken.failNext('before', 3)
    const said = heart.say(process, 'go')
    await settleLoop()
    expect(acted).toBe(0)
    expect((await said).result).toBe('unavailable')
    while (heart.journal.readOnly) {
      clock.advance(10_000)
      await settleLoop(4)
    }
    expect(acted).toBe(0)
    await heart.say(process, 'go again')
    await heart.until((event) => event.type === 'turn-settled' && acted === 1)
    await heart.close()
  })

  test('[L5] the result of an effect survives a commit that fails after it (T25)', async () => {
    const clock = handClock()
    const broken = faulty(memoryStore({ now: clock.now }))
    let acted = 0
    const held = gate()
    const one = engine('one', async (turn) => {
      await turn.once('send', async () => {
        await held.promise
        return ++acted
      })
      turn.say('reply', { text: 'sent' })
    })
    const heart = await openHeart({ engines: [one], clock, store: broken.store })
    await heart.say(await heart.process('one'), 'go')
    await heart.until((event) => event.type === 'step-started')
    broken.refuse('disk full')
    held.open()
    await settleLoop(5)
    expect(heart.journal.readOnly).toBe(true)
    broken.refuse(null)
    clock.advance(10_000)
    await heart.until(settled())
    expect(acted).toBe(1)
    expect(heart.journal.readOnly).toBe(false)
    await heart.close()
  })

  test('[L5] a commit whose answer was lost is found, not written twice (T26)', async () => {
    const clock = handClock()
    const broken = faulty(memoryStore({ now: clock.now }))
    const held = gate()
    let acted = 0
    const one = engine('one', async (turn) => {
      await turn.step('a', 'replayable', async () => held.promise.then(() => ++acted))
      turn.say('reply', { text: 'done' })
    })
    const heart = await openHeart({ engines: [one], clock, store: broken.store })
    await heart.say(await heart.process('one'), 'go')
    await heart.until((event) => event.type === 'step-started')
    broken.failNext('after')
    held.open()
    await settleLoop(5)
    clock.advance(10_000)
    await heart.until(settled())
    expect(acted).toBe(1)
    expect(await replies(heart)).toEqual(['done'])
    const seqs = (await heart.events()).filter((event) => event.seq > 0).map((event) => event.seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
    await heart.close()
  })

  test('[L5] a throw is recorded, and thrown again on replay', async () => {
    const held = gate()
    let acted = 0
    const failing = engine('failing', async (turn) => {
      const why = await turn
        .step('a', 'replayable', async () => {
          acted += 1
          throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
        })
        .catch((thrown: StepFailed) => `${thrown.name} ${thrown.code} ${thrown.message}`)
      await turn.step('b', 'replayable', async () => held.promise.then(() => 1))
      turn.say('reply', { text: why })
    })
    const heart = await openHeart({ engines: [failing] })
    await heart.say(await heart.process('failing'), 'go')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'b')
    const after = await heart.crash()
    held.open()
    await after.until(settled())
    expect(await replies(after)).toEqual(['StepFailed ENOENT no such file'])
    expect(acted).toBe(1)
    await after.close()
  })

  test('[L5] an interrupted once step is looked up by its reconcile', async () => {
    const sent: string[] = []
    const stuck = gate()
    let crashed = false
    const mail = engine('mail', async (turn) => {
      const outcome = await turn.once(
        'send',
        async (act) => {
          sent.push(act.key)
          if (!crashed) await stuck.promise
          return 'sent'
        },
        {
          reconcile: async (act) =>
            sent.includes(act.key.replace(/\?.*/, '')) ? { found: 'done', value: 'found' } : { found: 'not-done' },
        },
      )
      turn.say('reply', { text: outcome.was === 'done' ? outcome.value : outcome.was })
    })
    const heart = await openHeart({ engines: [mail] })
    await heart.say(await heart.process('mail'), 'go')
    await heart.until((event) => event.type === 'step-started')
    await settleLoop()
    crashed = true
    const after = await heart.crash()
    await after.until(settled())
    expect(await replies(after)).toEqual(['found'])
    expect(sent).toHaveLength(1)
    await after.close()
  })

  test.each([
    ['Yes, it happened', 'assumed', 1],
    ['No, do it again', 'done', 2],
    ['Leave it', 'abandoned', 1],
  ])('[L5] an interrupted once step without a way to find out is asked about: %s', async (option, was, times) => {
    let acted = 0
    const stuck = gate()
    const mail = engine('mail', async (turn) => {
      const outcome: Once<number> = await turn.once('send mail', async () => {
        acted += 1
        if (acted === 1) await stuck.promise
        return acted
      })
      turn.say('reply', { text: outcome.was })
    })
    const heart = await openHeart({ engines: [mail] })
    const process = await heart.process('mail')
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started')
    const after = await heart.crash()
    const asked = await after.until((event) => event.type === 'question-asked')
    expect(String(asked.data.text)).toContain('send mail')
    await after.control(process, { kind: 'answer', ask: asked.data.ask as never, value: { option } })
    await after.until(settled())
    expect(await replies(after)).toEqual([was])
    expect(acted).toBe(times)
    await after.close()
  })

  test('[L5] NotDone is a no; any other throw of a once step is unknown', async () => {
    const sure = engine('sure', async (turn) => {
      const what = await turn
        .once('a', async () => Promise.reject(new NotDone('refused by the server')))
        .catch((thrown: StepFailed) => thrown.code)
      turn.say('reply', { text: String(what) })
    })
    const unsure = engine('unsure', async (turn) => {
      const what = await turn.once('a', async () => Promise.reject(new Error('timeout')))
      turn.say('reply', { text: what.was })
    })
    const heart = await openHeart({ engines: [sure, unsure] })
    await heart.say(await heart.process('sure'), 'go')
    await heart.until(settled())
    const process = await heart.process('unsure')
    await heart.say(process, 'go')
    const asked = await heart.until((event) => event.type === 'question-asked')
    await heart.control(process, { kind: 'answer', ask: asked.data.ask as never, value: { option: 'Leave it' } })
    await heart.until((event) => event.type === 'chat-message-appended' && textOf(event) === 'abandoned')
    expect((await replies(heart))[0]).toBe('not_done')
    await heart.close()
  })

  test('[L5] a turn that is interrupted three times with nothing new settles as failed', async () => {
    const stuck = gate()
    const hang = engine('hang', async (turn) => void (await turn.step('model', 'replayable', async () => stuck.promise.then(() => 1))))
    let heart = await openHeart({ engines: [hang] })
    await heart.say(await heart.process('hang'), 'go')
    await heart.until((event) => event.type === 'step-started')
    for (let attempt = 2; attempt <= 4; attempt++) {
      heart = await heart.crash()
      await heart.until((event) => event.type === 'step-started' && event.data.attempt === attempt)
    }
    heart = await heart.crash()
    const end = await heart.until(settled())
    expect(end.data).toMatchObject({ outcome: 'failed', code: 'interrupted' })
    expect(String(end.data.error)).toContain('interrupted three times')
    await heart.close()
  })

  test('[L6] after a restore open turns are held, running and waiting ones, until a person says go (T32)', async () => {
    const held = gate()
    const acted: string[] = []
    const works = engine('works', async (turn) => {
      if (turn.process.facesPerson) await turn.ask('which', { kind: 'question', text: 'Which?' }, { wake: false })
      await turn.step('work', 'replayable', async () => {
        acted.push(turn.process.id)
        await held.promise
        return 1
      })
    })
    const heart = await openHeart({ engines: [works] })
    const running = await heart.process('works', { facesPerson: false })
    const waiting = await heart.process('works')
    await heart.say(running, 'go')
    await heart.say(waiting, 'go')
    const asked = await heart.until((event) => event.type === 'question-asked')
    await heart.until((event) => event.type === 'turn-parked')
    await heart.until((event) => event.type === 'step-started')
    await settleLoop()
    acted.length = 0
    held.open()
    const after = await heart.crash({ restored: true })
    await after.control(waiting, { kind: 'answer', ask: asked.data.ask as never, value: 'this' })
    await settleLoop(10)
    expect(acted).toEqual([])
    for (const process of [running, waiting]) {
      const view = await after.lanes.look(process.id)
      expect(view?.status).toBe('PAUSED')
      await after.control(process, { kind: 'resume', turn: view?.turn?.id as never })
      await after.until((event) => settled()(event) && event.lane === (process.id as string))
    }
    expect(acted).toEqual([running.id, waiting.id])
    await after.close()
  })

  test('[L6] what begins after a restore is not held, also when its lane is opened once more (T32)', async () => {
    const held = gate()
    const works = engine('works', async (turn) => void (await turn.step('work', 'replayable', async () => held.promise.then(() => 1))))
    const heart = await openHeart({ engines: [works], restored: true })
    const process = await heart.process('works')
    await heart.say(process, 'go')
    await heart.until((event) => event.type === 'step-started')
    await heart.store.claim([laneOf(process.id)], 'nod_other' as NodeId)
    await heart.store.release([laneOf(process.id)], 'nod_other' as NodeId)
    held.open()
    await heart.until(settled())
    const types = await heart.types()
    expect(types.filter((type) => type === 'turn-resumed')).toHaveLength(1)
    expect(types).not.toContain('turn-paused')
    await heart.close()
  })

  test('[L4] a result over 64 kB is stored apart, and read when its step is visited', async () => {
    const big = 'x'.repeat(inlineLimit + 10)
    const held = gate()
    let acted = 0
    const large = engine('large', async (turn) => {
      const text = await turn.step('read', 'replayable', async () => {
        acted += 1
        return big
      })
      await turn.step('b', 'replayable', async () => held.promise.then(() => 1))
      turn.say('reply', { text: String(text.length) })
    })
    const heart = await openHeart({ engines: [large] })
    await heart.say(await heart.process('large'), 'go')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'b')
    const done = (await heart.events()).find((event) => event.type === 'step-done')
    expect(JSON.stringify(done).length).toBeLessThan(1_000)
    const after = await heart.crash()
    held.open()
    await after.until(settled())
    expect(await replies(after)).toEqual([String(big.length)])
    expect(acted).toBe(1)
    await after.close()
  })

  test('[L4] a long line is said in parts; none of it is lost', async () => {
    const text = `${'a'.repeat(59_999)}😀${'b'.repeat(70_000)}`
    const long = engine('long', async (turn: Turn) => void turn.say('reply', { text }))
    const heart = await openHeart({ engines: [long] })
    await heart.say(await heart.process('long'), 'go')
    await heart.until(settled())
    const parts = await replies(heart)
    expect(parts.join('')).toBe(text)
    expect(parts.every((part) => part.isWellFormed())).toBe(true)
    await heart.close()
  })
})
