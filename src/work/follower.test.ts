import { expect, test } from 'vitest'
import type { ProcessId, SessionId } from '../base/ids.ts'
import { handClock } from '../base/testing.ts'
import type { Event } from '../protocol/event.ts'
import { type FollowerRooms, openFollower } from './follower.ts'

const event = (cursor: number, type: string): Event =>
  ({
    id: `evt_${cursor}`,
    cursor,
    type,
    lane: 'prc_01KB8T2K3XAAAAAAAAAAAAAAAA',
    at: 1,
    data: { outcome: 'failed', error: 'It broke.' },
    correlation: null,
  }) as unknown as Event

test('[K1] a journal that can not be read for a moment is read on from where it stood, and nobody is left alone', async () => {
  const clock = handClock()
  const [posted, asked, logged]: [string[], number[], string[]] = [[], [], []]
  const isHeld: boolean[] = []
  const told = Promise.withResolvers<void>()
  async function* follow(after: number, options?: { readonly signal?: AbortSignal }) {
    asked.push(after)
    if (after === 3) {
      yield [event(4, 'turn-settled')]
      throw new Error('the disk does not answer')
    }
    yield [event(5, 'turn-settled')]
    if (!options?.signal?.aborted) await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve))
  }
  const link = {
    owner: 'prc_01KB8T2K3XAAAAAAAAAAAAAAAB',
    worker: 'prc_01KB8T2K3XAAAAAAAAAAAAAAAA',
    session: 'ses_1',
    project: 'shop',
    agent: 'assistant',
    title: 't',
    mode: 'milestones',
  }
  const rooms = {
    store: { reported: async () => 3, setReported: async () => {}, owner: async () => link, chain: async () => null },
    journal: { follow, head: () => 5, passed: async () => {} },
    lanes: {
      post: async ({ id, held = false }: { id: string; held?: boolean }) => {
        posted.push(id)
        isHeld.push(held)
        if (posted.length === 2) told.resolve()
        return { ok: true }
      },
    },
    line: async () => null,
    wake: async (_: SessionId) => {},
    sessionOf: async (_: ProcessId) => null,
    // Both are the first entry of their chain: the first report is over the limit, the second is not.
    limits: () => ({ depth: 100, hops: posted.length }),
    taintOf: async () => 'none',
    clock,
    log: (_: string, what: string) => {
      logged.push(what)
      // The pause is set when this returns.
      queueMicrotask(() => clock.advance(1_000))
    },
  } as unknown as FollowerRooms
  const follower = await openFollower(rooms)
  await told.promise
  await follower.close()
  expect(asked).toEqual([3, 4])
  expect(new Set(posted).size).toBe(2)
  expect(isHeld).toEqual([true, false])
  expect(logged).toEqual([expect.stringContaining('tried again')])
})
