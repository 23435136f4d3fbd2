import { describe, expect, test } from 'vitest'
import { flush, memoryStore, type OutItem, type Sent } from './outbox.ts'

const item = (id: string, at: number, more: Partial<OutItem> = {}): OutItem => ({
  id,
  user: 'ada',
  session: 'ses_1',
  project: null,
  text: id,
  when: 'now',
  replaces: null,
  at,
  refused: null,
  ...more,
})

async function filled(...items: OutItem[]) {
  const store = memoryStore()
  for (const one of items) await store.put(one)
  return store
}

const ok = (session = 'ses_1'): Sent => ({ ok: true, session })
const again: Sent = { ok: false, again: true }

describe('the outbox', () => {
  test('[W5] lines go in the order in which they were typed, and are gone once the hub has them', async () => {
    const store = await filled(item('b', 2), item('a', 1), item('c', 2))
    const sent: string[] = []
    const left = await flush(store, 'ada', async ({ id }) => {
      sent.push(id)
      return ok()
    })
    expect([left, sent, await store.all()]).toEqual(['empty', ['a', 'b', 'c'], []])
  })

  test('[W5] at a line that has to wait it ends, so that no later line goes first', async () => {
    const store = await filled(item('a', 1), item('b', 2))
    const tried: string[] = []
    const left = await flush(store, 'ada', async ({ id }) => {
      tried.push(id)
      return again
    })
    expect([left, tried, (await store.all()).length]).toEqual(['waiting', ['a'], 2])
  })

  test('[W5] a refused line keeps its reason, is not tried again, and holds up nothing', async () => {
    const store = await filled(item('a', 1), item('b', 2))
    const tried: string[] = []
    const send = async ({ id }: OutItem): Promise<Sent> => {
      tried.push(id)
      return id === 'a' ? { ok: false, again: false, why: 'known with other content' } : ok()
    }
    await flush(store, 'ada', send)
    await flush(store, 'ada', send)
    expect(tried).toEqual(['a', 'b'])
    expect((await store.all()).map(({ id, refused }) => [id, refused])).toEqual([['a', 'known with other content']])
  })

  test('[W5] lines for a conversation that is not begun go to the one that the first of them made', async () => {
    const store = await filled(
      item('a', 1, { session: null }),
      item('b', 2, { session: null }),
      item('c', 3, { session: null, project: 'billing' }),
    )
    const sent: (string | null)[] = []
    await flush(store, 'ada', async ({ session, project }) => {
      sent.push(session)
      return ok(session ?? (project === null ? 'ses_home' : 'ses_billing'))
    })
    expect(sent).toEqual([null, 'ses_home', null])
  })

  test("[W5] another person's lines on the same browser are left alone", async () => {
    const store = await filled(item('a', 1, { user: 'bob' }))
    expect(await flush(store, 'ada', async () => ok())).toBe('empty')
    expect(await store.all()).toHaveLength(1)
  })
})
