import { expect, test } from 'vitest'
import { streamLane, ulids } from '../base/ids.ts'
import { silent } from '../base/log.ts'
import { handClock } from '../base/testing.ts'
import { openJournal } from '../journal/journal.ts'
import { openStream } from '../journal/stream.ts'
import { memoryStore } from './memory/memory.ts'
import { scrubbedStore } from './scrubbed.ts'

test('[V5] what a room forgot to take out is not written down, and everything else is written as it is', async () => {
  const clock = handClock()
  const newId = ulids(clock.now)
  const inner = memoryStore({ now: clock.now })
  const store = scrubbedStore(inner, (text) => text.replaceAll('secret', '{{x}}'))
  const journal = await openJournal({ store, clock, log: silent })
  const stream = openStream({ journal, store }, streamLane('test:net'), { fold: { empty: null, evolve: () => null } })
  const about = { actor: 'system', visibility: 'operator', cause: null, correlation: null, session: null, v: 1, type: 'x' } as const
  const text = 'a secret in "quotes"'
  await stream.change(() => [
    { ...about, id: newId('evt'), at: 1, data: { list: [text, { deep: text, secret: 5 }], no: null } },
    { ...about, id: newId('evt'), at: 2, data: { plain: 'as it is' } },
    { ...about, id: newId('evt'), at: 3, data: { toJSON: 'no secret', deep: [[{ 'the secret': true }]] } },
  ])
  const { events } = await inner.readAll(0, 10)
  expect(events.map((event) => event.data)).toEqual([
    { list: ['a {{x}} in "quotes"', { deep: 'a {{x}} in "quotes"', '{{x}}': 5 }], no: null },
    { plain: 'as it is' },
    { toJSON: 'no {{x}}', deep: [[{ 'the {{x}}': true }]] },
  ])
  await journal.close()
})
