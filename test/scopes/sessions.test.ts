import { afterEach, describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, openBench } from './bench.ts'

let bench: Bench
const open = async (options?: BenchOptions) => {
  bench = await openBench(options)
  return bench
}
afterEach(() => bench.close())

describe('sessions', () => {
  test('[P5] a session without a project is made in the home, with its process and lane', async () => {
    const { scopes } = await open()
    const { value } = await scopes.sessions.create({ user: 'ada' }, 'user:ada')
    expect(value).toMatchObject({
      project: '_user_ada',
      agent: 'echo',
      profile: 'web',
      status: 'IDLE',
      title: '',
      pinned: false,
      leaf: null,
    })
    expect(await scopes.sessions.owner(value.id as never)).toBe('ada')
    expect((await scopes.sessions.process(value.process as never))?.session).toBe(value.id)
    expect((await scopes.sessions.list({ user: 'ada', limit: 50 })).items.map((one) => one.id)).toEqual([value.id])
    expect((await scopes.sessions.list({ user: 'bob', limit: 50 })).items).toEqual([])
  })

  test('[P9] a message shows in the list, in the conversation and as title', async () => {
    const { scopes, say, until } = await open()
    const { value } = await scopes.sessions.create({ user: 'ada' }, 'user:ada')
    const id = value.id as never
    await say(id, 'Plan the garden\nwith roses')
    await until('turn-settled')
    const now = await scopes.sessions.get(id)
    expect(now).toMatchObject({
      title: 'Plan the garden',
      status: 'IDLE',
      lastMessage: { role: 'assistant', text: 'echo: Plan the garden\nwith roses' },
    })
    const page = await scopes.conversation.branch(id, { limit: 50 })
    expect(page.next).toBeNull()
    expect(page.items.map((line) => [line.role, line.text, line.status])).toEqual([
      ['user', 'Plan the garden\nwith roses', 'settled'],
      ['assistant', 'echo: Plan the garden\nwith roses', 'settled'],
    ])
    expect(page.items[1]?.parent).toBe(page.items[0]?.id)
    expect(page.items[0]?.cursor).toMatch(/^\d+\.\d+$/)
  })
})
