// What a person says, on its way to the hub: kept first, shown at once, sent until the hub has it (W4, W5).

import { waitBefore } from './backoff.ts'
import type { Answer, Hub } from './hub.ts'
import { flush, type OutItem, type OutStore, type Sent } from './outbox.ts'
import type { Store } from './state.ts'

export type Sending = {
  say(text: string, options: { readonly when: 'now' | 'next'; readonly replaces: string | null }): Promise<void>
  /** Sends what waits; harmless when nothing does. */
  push(): Promise<void>
  /** Reads again what is kept: another tab may have changed it. */
  reload(): Promise<void>
  remove(id: string): Promise<void>
  /** A refused line as a new one. */
  sendAnyway(id: string): Promise<void>
}

export type SendingNeeds = {
  readonly store: Store
  readonly outbox: OutStore
  readonly hub: Hub
  readonly newId: () => string
  readonly now: () => number
  /** Runs `act` while no other tab does. */
  readonly alone: (act: () => Promise<void>) => Promise<void>
  /** Tells the other tabs that the outbox changed. */
  readonly tellOthers: () => void
  /** The conversation of a line that had none was made. */
  readonly made: (session: string) => void
  readonly signedOut: () => void
}

export function openSending(needs: SendingNeeds): Sending {
  const { store, outbox } = needs
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function reload(): Promise<void> {
    const user = store.get().me?.user.name
    store.set({ outbox: (await outbox.all()).filter((item) => item.user === user) })
  }

  async function changed(): Promise<void> {
    await reload()
    needs.tellOthers()
  }

  async function push(): Promise<void> {
    const user = store.get().me?.user.name
    if (user === undefined || store.get().phase !== 'ready') return
    clearTimeout(timer)
    let left: 'empty' | 'waiting' = 'empty'
    await needs.alone(async () => {
      left = await flush(outbox, user, (item) => sendOne(needs, item))
    })
    await changed()
    if (left === 'empty') store.set({ stalled: false, unable: null })
    tries = left === 'empty' ? 0 : tries + 1
    if (tries > 0) timer = setTimeout(() => void push(), waitBefore(tries, Math.random()))
  }

  async function keep(item: OutItem): Promise<void> {
    // On the screen before it is on the disk, and on the disk before it is on its way.
    store.set({ outbox: [...store.get().outbox.filter((other) => other.id !== item.id), item] })
    await outbox.put(item)
    needs.tellOthers()
    await push()
  }

  return {
    push,
    reload,
    async say(text, { when, replaces }) {
      const { me, current, place } = store.get()
      if (me === null || text.trim() === '') return
      const item = { id: needs.newId(), user: me.user.name, session: current, project: current === null ? place : null, text }
      await keep({ ...item, when, replaces, at: needs.now(), refused: null })
    },
    async remove(id) {
      await outbox.remove(id)
      await changed()
    },
    async sendAnyway(id) {
      const item = store.get().outbox.find((one) => one.id === id)
      if (!item) return
      await outbox.remove(id)
      await keep({ ...item, id: needs.newId(), refused: null, at: needs.now() })
    },
  }
}

/** One try. The conversation that it belongs to is made first when there is none yet. */
async function sendOne(needs: SendingNeeds, given: OutItem): Promise<Sent> {
  const { hub, store } = needs
  let item = given
  if (item.session === null) {
    const made = await hub.newSession(item.project, `new-${item.id}`)
    if (!made.ok) return notSent(needs, made)
    item = { ...item, session: made.value.id }
    await needs.outbox.put(item)
    needs.made(made.value.id)
  }
  const session = item.session ?? ''
  const { id, text, when, replaces } = item
  const answer = await hub.say(session, { id, text, when, ...(replaces === null ? {} : { replaces }) })
  if (!answer.ok) return notSent(needs, answer)
  store.set({ sent: [...store.get().sent, item].slice(-50) })
  return { ok: true, session }
}

function notSent(needs: SendingNeeds, answer: Exclude<Answer<unknown>, { ok: true }>): Sent {
  if (answer.kind === 'refused') return { ok: false, again: false, why: answer.why }
  if (answer.kind === 'signed-out') needs.signedOut()
  if (answer.kind === 'unreachable') needs.store.set({ stalled: true })
  if (answer.kind === 'busy') needs.store.set({ stalled: false, unable: answer.why })
  return { ok: false, again: true }
}
