// A worker of a chain that waits for the person: said in the chain's conversation, and answered from there.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { fromElsewhere, linkedSession } from '../../src/protocol/asks-elsewhere.ts'
import { chainOf, openStage, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const lines = async (session: SessionId) => (await stage.bench.lines(session)).filter((line) => line.includes('waits for you'))
const remove = { calls: [{ name: 'file_delete', input: { path: 'src/a.ts' } }] }
const told = (session: SessionId, nth: number) =>
  stage.bench.until(
    'chat-message-appended',
    (event) => event.session === session && JSON.stringify(event.data).includes('waits for you'),
    nth,
  )

test.each([false, true])('[E37] it is said in one line, also at the last step (hub opened again in between: %s)', async (isReopened) => {
  stage.plays.set('coder', ({ at }) => (at === 1 || at === 3 ? remove : (reports['coder'] ?? '')))
  stage.route = chainOf(step('coder'), step('coder'))
  const session = await stage.session()
  const done = isReopened ? null : stage.run(session, 'build')
  if (isReopened) await stage.bench.say(session, 'build')
  const first = await stage.bench.until('approval-requested')
  await told(session, 1)
  expect(await lines(session)).toEqual([expect.stringMatching(/^assistant: Coder waits for you: .*src\/a\.ts/)])
  // The conversation takes the approval of its worker as one of its own.
  const workers = new Set((await stage.bench.events('worker-linked')).flatMap((event) => linkedSession(event as never) ?? []))
  expect(fromElsewhere(first as never, session, { isHome: false, workers })).toMatchObject({ forwardedBy: { viaSession: session } })
  if (isReopened) await stage.reopen()
  await stage.bench.answer(first, { decision: 'deny' })
  const second = await stage.bench.until('approval-requested', () => true, 2)
  await told(session, 2)
  await stage.bench.answer(second, { decision: 'deny' })
  if (done) await done
  else await stage.bench.until('turn-settled', (event) => event.session === session)
  expect(await lines(session)).toHaveLength(2)
})

test('[E37] one line for each time, also when it asks twice in one part', async () => {
  stage.plays.set('coder', ({ at }) => (at <= 2 ? remove : (reports['coder'] ?? '')))
  stage.route = chainOf(step('coder'))
  const session = await stage.session()
  const done = stage.run(session, 'build')
  for (const nth of [1, 2]) {
    const asked = await stage.bench.until('approval-requested', () => true, nth)
    await told(session, nth)
    await stage.bench.answer(asked, { decision: 'deny' })
  }
  await done
  expect(await lines(session)).toHaveLength(2)
})
