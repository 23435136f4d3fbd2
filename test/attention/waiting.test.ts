// Fifty approvals that wait: what they cost.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleLoop } from '../../src/base/testing.ts'
import { engine } from '../../src/lanes/testing.ts'
import { askToSend, type Desk, openDesk } from './desk.ts'

const asking = engine('asking', (turn) => askToSend(turn))
const hourMs = 3_600_000
const many = 50

let desk: Desk
beforeAll(async () => {
  desk = await openDesk({ engines: [asking] })
})
afterAll(() => desk.close())

async function ask(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await desk.heart.say(await desk.heart.process('asking'), 'go')
}

async function waitingCount(): Promise<number> {
  const events = await desk.heart.events()
  return events.filter((event) => event.type === 'turn-parked').length
}

/** Goes on by events, not by time. */
async function parked(count: number): Promise<void> {
  if ((await waitingCount()) >= count) return
  for await (const _ of desk.heart.journal.follow(0)) if ((await waitingCount()) >= count) return
}

test('[H30, L6] fifty that wait have one alarm among them, run nothing, and write nothing for hours', async () => {
  await ask(1)
  await parked(1)
  await settleLoop()
  const alarms = desk.clock.pending
  await ask(many - 1)
  await parked(many)
  await settleLoop()
  expect(desk.clock.pending).toBe(alarms)
  expect(desk.heart.lanes.stats().running).toBe(0)
  const head = desk.heart.journal.head()
  const before = process.cpuUsage()
  for (let hour = 0; hour < 23; hour++) {
    desk.clock.advance(hourMs)
    await settleLoop()
  }
  const { user, system } = process.cpuUsage(before)
  expect(desk.heart.journal.head()).toBe(head)
  expect(desk.clock.pending).toBe(alarms)
  // Twenty-three hours in which nothing happens; the loop of this test alone takes most of it.
  expect((user + system) / 1000).toBeLessThan(500)
})

test('[H30, I7] after a restart they wait as before; when their day is over each is a no', async () => {
  const { folder } = desk
  await desk.close({ keep: true })
  desk = await openDesk({ folder, engines: [asking] })
  await settleLoop()
  expect(desk.heart.lanes.stats().running).toBe(0)
  expect((await desk.attention.counts('ada')).pending).toBe(many)
  expect(desk.clock.pending).toBeLessThan(10)
  desk.clock.advance(24 * hourMs)
  const ended = async () => (await desk.heart.events()).filter((event) => event.type === 'approval-decided')
  for await (const _ of desk.heart.journal.follow(0)) if ((await ended()).length === many) break
  for (const { data } of await ended()) expect(data['answer']).toMatchObject({ outcome: 'timeout', by: 'system' })
  expect((await desk.attention.counts('ada')).pending).toBe(0)
})
