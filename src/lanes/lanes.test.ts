import { describe, expect, test } from 'vitest'
import { settleLoop } from '../base/testing.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Turn } from './engine.ts'
import { engine, gate, openHeart, settled, textOf } from './testing.ts'

const textIn = (entry: Entry | undefined) => (entry && 'text' in entry.body ? entry.body.text : '')

const echo = engine('echo', async (turn: Turn) => {
  turn.say('reply', { text: `heard ${turn.entries.map(textIn).join(' + ')}` })
})

describe('mailbox', () => {
  test('[L1] a message is durable when it is acknowledged, and runs once', async () => {
    const heart = await openHeart({ engines: [echo] })
    const process = await heart.process('echo')
    expect(await heart.say(process, 'hello')).toMatchObject({ result: 'accepted', duplicate: false })
    await heart.until(settled())
    const types = await heart.types()
    expect(types.filter((type) => type === 'turn-started')).toHaveLength(1)
    await heart.close()
  })

  test('[L1] the same id with the same content is a duplicate, with other content a conflict', async () => {
    const heart = await openHeart({ engines: [echo] })
    const process = await heart.process('echo')
    const first = await heart.say(process, 'hello', { id: 'one' })
    await heart.until(settled())
    expect(await heart.say(process, 'hello', { id: 'one' })).toEqual({ ...first, duplicate: true })
    expect(await heart.say(process, 'other', { id: 'one' })).toMatchObject({ result: 'conflict' })
    await settleLoop()
    expect((await heart.types()).filter((type) => type === 'turn-started')).toHaveLength(1)
    await heart.close()
  })

  test('[L2] work that waits is taken in order, by one turn when it is of one sender', async () => {
    const held = gate()
    const first = engine('first', async (turn) => {
      await turn.step('hold', 'replayable', async () => {
        if (turn.entries.some((entry) => textIn(entry) === 'a')) await held.promise
        return null
      })
      turn.say('reply', { text: turn.entries.map(textIn).join('+') })
    })
    const heart = await openHeart({ engines: [first] })
    const process = await heart.process('first')
    await heart.say(process, 'a')
    await heart.until((event) => event.type === 'step-started')
    await heart.say(process, 'b')
    await heart.say(process, 'c')
    await heart.say(process, 'd', { from: 'user:bob' })
    held.open()
    await heart.until((event) => event.type === 'chat-message-appended' && textOf(event) === 'd' && event.data.turn !== undefined)
    const said = (await heart.events()).filter((event) => event.type === 'chat-message-appended' && event.data.turn !== undefined)
    expect(said.map(textOf)).toEqual(['a', 'b+c', 'd'])
    await heart.close()
  })
})
