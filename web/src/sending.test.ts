import { describe, expect, test } from 'vitest'
import { type Answer, type Hub, hub } from './hub.ts'
import { memoryStore } from './outbox.ts'
import { openSending } from './sending.ts'
import { firstState, openStore, type State, unseenLines } from './state.ts'

type Say = (session: string, message: { id: string; text: string }) => Promise<Answer<{ readonly id: string }>>

function bench(say: Say) {
  const store = openStore(() => {})
  store.set({ ...firstState, phase: 'ready', me: { user: { name: 'ada' }, home: '_user_ada' }, current: 'ses_1' })
  const outbox = memoryStore()
  let number = 0
  const made: string[] = []
  const fake: Hub = { ...hub, say, newSession: async () => ({ ok: true, value: { id: 'ses_new' } }) }
  const sending = openSending({
    store,
    outbox,
    hub: fake,
    newId: () => `id-${++number}`,
    now: () => number,
    alone: (act) => act(),
    tellOthers: () => {},
    made: (session) => made.push(session),
    signedOut: () => store.set({ phase: 'signed-out' }),
  })
  const shown = () => unseenLines(store.get()).map((line) => line.text)
  return { store, outbox, sending, shown, made }
}

const plain = { when: 'now', replaces: null } as const
const refused = (why: string): Answer<never> => ({ ok: false, kind: 'refused', status: 409, why })

describe('sending', () => {
  test('[W4, W5] a line is on the screen and kept before it is on its way', async () => {
    const seen: unknown[] = []
    const { sending, outbox, shown } = bench(async (_session, { id }) => {
      seen.push(
        shown(),
        (await outbox.all()).map((one) => one.id),
      )
      return { ok: true, value: { id } }
    })
    await sending.say('hello', plain)
    expect(seen).toEqual([['hello'], ['id-1']])
  })

  test('[W4] a line that was sent is shown until the journal shows it, and then once', async () => {
    const { sending, shown, store } = bench(async (_session, { id }) => ({ ok: true, value: { id } }))
    await sending.say('hello', plain)
    expect(shown()).toEqual(['hello'])
    const line = { id: 'msg_1', clientId: 'id-1' }
    store.set({ view: { messages: new Map([['msg_1', line]]) } as unknown as State['view'] })
    expect(shown()).toEqual([])
  })

  test.each(['', '   ', '\n\t'])('[W5] nothing is sent for an empty line (%j)', async (text) => {
    let count = 0
    const { sending } = bench(async () => {
      count += 1
      return { ok: true, value: { id: '' } }
    })
    await sending.say(text, plain)
    await sending.push()
    expect(count).toBe(0)
  })

  test('[W5] pushing twenty times with nothing to send sends nothing', async () => {
    let count = 0
    const { sending } = bench(async () => {
      count += 1
      return { ok: true, value: { id: '' } }
    })
    for (let time = 0; time < 20; time += 1) await sending.push()
    expect(count).toBe(0)
  })

  test('[W5] a refused line can be sent anyway, as a new one, or removed', async () => {
    const ids: string[] = []
    const { sending, store } = bench(async (_session, { id }) => {
      ids.push(id)
      return ids.length === 1 ? refused('known with other content') : { ok: true, value: { id } }
    })
    await sending.say('hello', plain)
    expect(store.get().outbox.map((one) => one.refused)).toEqual(['known with other content'])
    await sending.sendAnyway('id-1')
    expect([ids, store.get().outbox]).toEqual([['id-1', 'id-2'], []])
  })

  test('[W7] a login that is no longer good keeps the line', async () => {
    const { sending, outbox, store } = bench(async () => ({ ok: false, kind: 'signed-out' }))
    await sending.say('hello', plain)
    expect([store.get().phase, (await outbox.all()).length]).toEqual(['signed-out', 1])
  })

  test('[W5] a hub that is there and can store nothing says why, until it can again', async () => {
    let isFull = true
    const { sending, store } = bench(async (_session, { id }) =>
      isFull ? { ok: false, kind: 'busy', why: 'the disk is full' } : { ok: true, value: { id } },
    )
    await sending.say('hello', plain)
    expect([store.get().unable, store.get().stalled, store.get().outbox.length]).toEqual(['the disk is full', false, 1])
    isFull = false
    await sending.push()
    expect([store.get().unable, store.get().outbox.length]).toEqual([null, 0])
  })

  test('[W5] the first line makes the conversation, once', async () => {
    const sessions: string[] = []
    const { sending, store, made } = bench(async (session, { id }) => {
      sessions.push(session)
      return { ok: true, value: { id } }
    })
    store.set({ current: null })
    await sending.say('hello', plain)
    expect([sessions, made]).toEqual([['ses_new'], ['ses_new']])
  })
})
