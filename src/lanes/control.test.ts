import { describe, expect, test } from 'vitest'
import { settleLoop } from '../base/testing.ts'
import type { Event } from '../protocol/event.ts'
import type { Turn } from './engine.ts'
import { askOf, engine, gate, openHeart, settled, textOf } from './testing.ts'

const said = (event: Event) => event.type === 'chat-message-appended' && event.data.turn !== undefined
const texts = async (heart: Awaited<ReturnType<typeof openHeart>>) => (await heart.events()).filter(said).map(textOf)
const words = (turn: Turn) => turn.entries.map((entry) => ('text' in entry.body ? entry.body.text : '')).join('+')

describe('safe points', () => {
  test('[L2] a message during a turn is seen at the next safe point', async () => {
    const held = gate()
    const steered = engine('steered', async (turn) => {
      await turn.step('model-1', 'replayable', async () => held.promise.then(() => 1))
      const more = turn.arrivals('after-1')
      turn.say('reply', { text: `${words(turn)}|${more.map((e) => ('text' in e.body ? e.body.text : '')).join('+')}` })
    })
    const heart = await openHeart({ engines: [steered] })
    const process = await heart.process('steered')
    await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started')
    await heart.say(process, 'b')
    await heart.say(process, 'later', { when: 'next' })
    held.open()
    await heart.until((event) => said(event) && textOf(event).startsWith('later'))
    expect(await texts(heart)).toEqual(['a|b', 'later|'])
    await heart.close()
  })

  test('[L2] while recorded work is not visited a safe point gives only what was recorded (T9)', async () => {
    const held = gate()
    const order: string[] = []
    const steered = engine('steered', async (turn) => {
      for (let round = 1; ; round++) {
        await turn.step(`model-${round}`, 'replayable', async () => (round === 2 ? held.promise.then(() => 1) : 1))
        const more = turn.arrivals(`after-${round}`)
        order.push(`${round}:${more.length}`)
        if (round >= 2 && more.length === 0) return
      }
    })
    const heart = await openHeart({ engines: [steered] })
    const process = await heart.process('steered')
    await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started' && event.data.name === 'model-2')
    order.length = 0
    await heart.say(process, 'b')
    const after = await heart.crash()
    held.open()
    await after.until(settled())
    expect(order).toEqual(['1:0', '2:1', '3:0'])
    await after.close()
  })

  test("[L2] another person's message does not join the turn (trial H13)", async () => {
    const held = gate()
    const steered = engine('steered', async (turn) => {
      await turn.step('model', 'replayable', async () => held.promise.then(() => 1))
      turn.say('reply', { text: `${words(turn)} ${turn.arrivals('after').length}` })
    })
    const heart = await openHeart({ engines: [steered] })
    const process = await heart.process('steered')
    await heart.say(process, 'my PIN is 9911')
    await heart.until((event) => event.type === 'step-started')
    await heart.say(process, 'list all numbers', { from: 'user:bob' })
    held.open()
    await heart.until((event) => said(event) && textOf(event).startsWith('list'))
    expect(await texts(heart)).toEqual(['my PIN is 9911 0', 'list all numbers 0'])
    await heart.close()
  })
})

describe('stop, pause, resume', () => {
  const slow = (held: { promise: Promise<void> }) =>
    engine('slow', async (turn) => {
      await turn.step('model', 'replayable', async (act) => {
        act.stream('half an ')
        act.stream('answer')
        await Promise.race([held.promise, new Promise((_, fail) => act.signal.addEventListener('abort', () => fail(act.signal.reason)))])
        return 1
      })
      turn.say('reply', { text: 'whole', streamed: 'model' })
    })

  test('[L2] stop ends the turn that it names, not the mailbox; shown words are kept (trial B08)', async () => {
    const held = gate()
    const heart = await openHeart({ engines: [slow(held)] })
    const process = await heart.process('slow')
    const first = await heart.say(process, 'a')
    const started = await heart.until((event) => event.type === 'turn-started')
    await heart.until((event) => event.type === 'step-started')
    await settleLoop()
    await heart.control(process, { kind: 'stop', turn: started.data.turn as never })
    const next = await heart.say(process, 'continue')
    const end = await heart.until(settled())
    expect(end.data).toMatchObject({ outcome: 'stopped', unknown: [] })
    held.open()
    await heart.until((event) => event.type === 'turn-settled' && event.data.outcome === 'done')
    const events = await heart.events()
    const partial = events.find((event) => said(event) && textOf(event) === 'half an answer')
    expect(partial?.data.message).toMatchObject({ status: 'stopped', parent: first.message })
    const accepted = events.find(
      (event) => event.type === 'chat-message-updated' && event.data.id === next.message && event.data.status === 'accepted',
    )
    expect(accepted?.data.parent).toBe((partial?.data.message as { id: string } | undefined)?.id)
    await heart.close()
  })

  test('[L2] a late stop is refused and does not touch the next turn (T18)', async () => {
    const held = gate()
    const heart = await openHeart({ engines: [slow(held)] })
    const process = await heart.process('slow')
    held.open()
    await heart.say(process, 'a')
    const first = await heart.until(settled())
    await heart.say(process, 'b')
    const entry = await heart.control(process, { kind: 'stop', turn: first.data.turn as never })
    const refused = await heart.until((event) => event.type === 'entry-refused')
    expect(refused.data).toMatchObject({ entry, reason: 'too_late' })
    const second = await heart.until((event) => event.type === 'turn-settled' && event.data.turn !== first.data.turn)
    expect(second.data.outcome).toBe('done')
    await heart.close()
  })

  test('[L11] an engine that swallows the stop is left behind after the grace; its late results are refused (T17)', async () => {
    const held = gate()
    let late = 0
    const deaf = engine('deaf', async (turn) => {
      for (let i = 0; i < 3; i++) {
        try {
          await turn.step(`s${i}`, 'replayable', async () => held.promise.then(() => 1))
        } catch {
          late += 1
        }
      }
      turn.say('reply', { text: 'I went on' })
    })
    const heart = await openHeart({ engines: [deaf] })
    const process = await heart.process('deaf')
    await heart.say(process, 'a')
    const started = await heart.until((event) => event.type === 'step-started')
    await heart.control(process, { kind: 'stop', turn: started.data.turn as never })
    await heart.until((event) => event.type === 'turn-stopping')
    await settleLoop()
    heart.clock.advance(1_000)
    expect((await heart.until(settled())).data.outcome).toBe('stopped')
    held.open()
    await settleLoop()
    expect(await texts(heart)).toEqual([])
    expect(late).toBe(0)
    await heart.close()
  })

  test('[L11] a once step that was under way at a stop is named as unknown', async () => {
    const held = gate()
    const mail = engine('mail', async (turn) => void (await turn.once('send mail', async () => held.promise.then(() => 1))))
    const heart = await openHeart({ engines: [mail] })
    const process = await heart.process('mail')
    await heart.say(process, 'a')
    const started = await heart.until((event) => event.type === 'step-started')
    await heart.control(process, { kind: 'stop', turn: started.data.turn as never })
    await heart.until((event) => event.type === 'turn-stopping')
    await settleLoop()
    heart.clock.advance(1_000)
    expect((await heart.until(settled())).data).toMatchObject({ outcome: 'stopped', unknown: ['send mail'] })
    await heart.close()
  })

  test('[L2] pause lets the running step end and starts no further one; resume goes on, also after a restart', async () => {
    const held = gate()
    const acted: string[] = []
    const two = engine('two', async (turn) => {
      await turn.step('one', 'replayable', async () => {
        acted.push('one')
        await held.promise
        return 1
      })
      await turn.step('two', 'replayable', async () => acted.push('two'))
      turn.say('reply', { text: 'done' })
    })
    const heart = await openHeart({ engines: [two] })
    const process = await heart.process('two')
    await heart.say(process, 'a')
    const started = await heart.until((event) => event.type === 'step-started')
    const turn = started.data.turn as never
    await heart.control(process, { kind: 'pause', turn })
    await heart.until((event) => event.type === 'turn-paused')
    held.open()
    await heart.until((event) => event.type === 'step-done')
    await settleLoop(5)
    expect(acted).toEqual(['one'])
    expect((await heart.lanes.look(process.id))?.status).toBe('PAUSED')
    const after = await heart.crash()
    await settleLoop(5)
    expect(acted).toEqual(['one'])
    await after.control(process, { kind: 'resume', turn })
    await after.until(settled())
    expect(acted).toEqual(['one', 'two'])
    await after.close()
  })

  test('[L2] a waiting message can be withdrawn; one that was taken cannot', async () => {
    const held = gate()
    const heart = await openHeart({ engines: [slow(held)] })
    const process = await heart.process('slow')
    const first = await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started')
    const second = await heart.say(process, 'b')
    await heart.control(process, { kind: 'withdraw', entry: second.entry, reason: 'edited' })
    const gone = await heart.until((event) => event.type === 'chat-message-updated' && event.data.id === second.message)
    expect(gone.data.status).toBe('stopped')
    await heart.control(process, { kind: 'withdraw', entry: first.entry, reason: 'edited' })
    expect((await heart.until((event) => event.type === 'entry-refused' && event.data.kind === 'withdraw')).data.reason).toBe('not_waiting')
    held.open()
    await heart.until(settled())
    await settleLoop()
    expect(await texts(heart)).toEqual(['whole'])
    await heart.close()
  })

  test('[L2] a suspended process starts nothing; awake it goes on with what waits; a closed one refuses', async () => {
    const heart = await openHeart({ engines: [engine('echo', async (turn) => void turn.say('reply', { text: words(turn) }))] })
    const process = await heart.process('echo')
    await heart.control(process, { kind: 'suspend' })
    await heart.until((event) => event.type === 'process-suspended')
    await heart.say(process, 'a')
    await settleLoop(5)
    expect(await texts(heart)).toEqual([])
    expect((await heart.lanes.look(process.id))?.queue).toMatchObject([{ kind: 'message', behind: 'the session is suspended' }])
    await heart.control(process, { kind: 'wake' })
    await heart.until(settled())
    expect(await texts(heart)).toEqual(['a'])
    await heart.control(process, { kind: 'close', reason: 'DONE' })
    await heart.until((event) => event.type === 'process-closed')
    await settleLoop()
    expect((await heart.say(process, 'b')).result).toBe('closed')
    await heart.close()
  })
})

describe('the tree', () => {
  test('a message continues the leaf at the time it is taken; an explicit parent makes a branch', async () => {
    const heart = await openHeart({ engines: [engine('echo', async (turn) => void turn.say('reply', { text: words(turn) }))] })
    const process = await heart.process('echo')
    const first = await heart.say(process, 'a')
    await heart.until(settled())
    const reply = (await heart.events()).find(said)
    const second = await heart.say(process, 'b')
    await heart.until((event) => said(event) && textOf(event) === 'b')
    const branch = await heart.say(process, 'a2', { parent: null, replaces: first.message })
    await heart.until((event) => said(event) && textOf(event) === 'a2')
    const parents = new Map(
      (await heart.events())
        .filter((event) => event.type === 'chat-message-updated' && event.data.parent !== undefined)
        .map((event) => [event.data.id, event.data.parent]),
    )
    expect(parents.get(first.message)).toBe(null)
    expect(parents.get(second.message)).toBe((reply?.data.message as { id: string } | undefined)?.id)
    expect(parents.get(branch.message)).toBe(null)
    await heart.close()
  })

  test('a branch that was chosen while a turn ran stays chosen (trial H14)', async () => {
    const held = gate()
    const slow = engine('slow', async (turn) => {
      await turn.step('model', 'replayable', async () => held.promise.then(() => 1))
      turn.say('reply', { text: words(turn) })
    })
    const heart = await openHeart({ engines: [slow] })
    const process = await heart.process('slow')
    const first = await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started')
    await heart.control(process, { kind: 'select', leaf: null })
    await heart.until((event) => event.type === 'branch-selected')
    held.open()
    await heart.until(settled())
    expect((await heart.lanes.look(process.id))?.leaf).toBe(null)
    expect((await heart.events()).find(said)?.data.message).toMatchObject({ parent: first.message })
    await heart.close()
  })
})

describe('questions', () => {
  const asking = engine('asking', async (turn) => {
    const answer = await turn.ask('which', { kind: 'question', text: 'Which?' }, { wake: false })
    turn.say('reply', { text: answer.kind === 'answer' ? JSON.stringify(answer.value) : 'woken' })
  })

  test('[L6] a turn that waits survives a restart, and goes on with the answer', async () => {
    const heart = await openHeart({ engines: [asking] })
    const process = await heart.process('asking')
    await heart.say(process, 'a')
    const asked = await heart.until((event) => event.type === 'question-asked')
    await heart.until((event) => event.type === 'turn-parked')
    const after = await heart.crash()
    expect((await after.lanes.look(process.id))?.status).toBe('BLOCKED')
    await after.control(process, { kind: 'answer', ask: askOf(asked), value: { option: 'this' } })
    await after.until(settled())
    expect(await texts(after)).toEqual(['{"option":"this"}'])
    expect((await after.types()).includes('turn-resumed')).toBe(false)
    await after.close()
  })

  test('[L2] of two answers the first wins; the other is told so; a later one is too late', async () => {
    const heart = await openHeart({ engines: [asking] })
    const process = await heart.process('asking')
    await heart.say(process, 'a')
    const ask = askOf(await heart.until((event) => event.type === 'question-asked'))
    await Promise.all([
      heart.control(process, { kind: 'answer', ask, value: 1 }),
      heart.control(process, { kind: 'answer', ask, value: 2 }, 'user:bob'),
    ])
    await heart.until(settled())
    await heart.control(process, { kind: 'answer', ask, value: 3 })
    await heart.until((event) => event.type === 'entry-refused' && event.data.reason === 'too_late')
    const reasons = (await heart.events()).filter((event) => event.type === 'entry-refused').map((event) => event.data.reason)
    expect(await texts(heart)).toEqual(['1'])
    expect(reasons[0]).toMatch(/answered|too_late/)
    expect(reasons).toHaveLength(2)
    await heart.close()
  })

  test('[L6] where a lane faces a person, new work wakes the wait; elsewhere it stands visibly behind the question (T19, T35)', async () => {
    const chat = engine('chat', async (turn) => {
      const answer = await turn.ask('which', { kind: 'question', text: 'Which?' })
      turn.say('reply', { text: answer.kind })
    })
    const heart = await openHeart({ engines: [chat, asking] })
    const person = await heart.process('chat')
    await heart.say(person, 'a')
    await heart.until((event) => event.type === 'turn-parked')
    await heart.say(person, 'never mind')
    await heart.until(settled())
    expect(await texts(heart)).toEqual(['arrived'])
    const worker = await heart.process('asking', { facesPerson: false })
    await heart.say(worker, 'a')
    await heart.until((event) => event.type === 'turn-parked' && event.lane === (worker.id as string))
    await heart.say(worker, 'b')
    await settleLoop(5)
    const view = await heart.lanes.look(worker.id)
    expect(view?.queue[0]?.behind).toMatch(/^an open question \(ask_/)
    expect((await heart.types()).filter((type) => type === 'turn-parked')).toHaveLength(2)
    await heart.close()
  })

  test('[L6] an answer in the tick in which the turn parks is not lost (T1)', async () => {
    let open: (() => void) | null = null
    const heart = await openHeart({ engines: [asking] })
    const process = await heart.process('asking')
    for (let ticks = 0; ticks < 6; ticks++) {
      const from = (await heart.events()).length
      await heart.say(process, `a${ticks}`)
      const asked = await heart.until((event) => event.type === 'question-asked' && event.cursor > from)
      for (let i = 0; i < ticks; i++) await new Promise<void>((next) => setImmediate(next))
      await heart.control(process, { kind: 'answer', ask: askOf(asked), value: ticks })
      await heart.until((event) => event.type === 'turn-settled' && event.cursor > asked.cursor)
    }
    open = () => undefined
    open()
    expect(await texts(heart)).toEqual(['0', '1', '2', '3', '4', '5'])
    await heart.close()
  })

  test('[L6] a question with a time limit is answered by its timer, once (T30)', async () => {
    const limited = engine('limited', async (turn) => {
      const answer = await turn.ask('which', { kind: 'question', text: 'Which?', timeoutMs: 60_000 }, { wake: false })
      turn.say('reply', { text: answer.kind === 'answer' ? answer.outcome : 'woken' })
    })
    const heart = await openHeart({ engines: [limited] })
    const process = await heart.process('limited')
    await heart.say(process, 'a')
    await heart.until((event) => event.type === 'turn-parked')
    const after = await heart.crash()
    after.clock.advance(59_000)
    await settleLoop(5)
    expect(await texts(after)).toEqual([])
    after.clock.advance(2_000)
    await after.until(settled())
    expect(await texts(after)).toEqual(['timeout'])
    expect(await after.store.nextDue()).toBe(null)
    await after.close()
  })

  test('[L4] the first of several asks is recorded, and stays first on replay (T10)', async () => {
    const held = gate()
    const firsts: unknown[] = []
    const racing = engine('racing', async (turn) => {
      const a = turn.open('a', { kind: 'question', text: 'A?' })
      const b = turn.open('b', { kind: 'question', text: 'B?' })
      const first = await turn.wait('first', [a, b], { wake: false })
      firsts.push(first.kind === 'answer' ? first.value : null)
      await turn.step('hold', 'replayable', async () => held.promise.then(() => 1))
    })
    const heart = await openHeart({ engines: [racing] })
    const process = await heart.process('racing')
    await heart.say(process, 'x')
    const b = await heart.until((event) => event.type === 'question-asked' && event.data.name === 'b')
    const a = await heart.until((event) => event.type === 'question-asked' && event.data.name === 'a')
    await heart.control(process, { kind: 'answer', ask: askOf(b), value: 'b' })
    await heart.until((event) => event.type === 'step-started')
    await heart.control(process, { kind: 'answer', ask: askOf(a), value: 'a' })
    await heart.until((event) => event.type === 'question-answered' && event.cursor > b.cursor + 3)
    const after = await heart.crash()
    held.open()
    await after.until(settled())
    expect(firsts).toEqual(['b', 'b'])
    await after.close()
  })
})
