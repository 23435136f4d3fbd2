// The inbox with real lanes and a real SQLite file; a clock by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAttention } from '../../src/attention/open-attention.ts'
import { silent } from '../../src/base/log.ts'
import { handClock } from '../../src/base/testing.ts'
import type { Engine, Turn } from '../../src/lanes/engine.ts'
import { type Heart, openHeart } from '../../src/lanes/testing.ts'
import { sqliteAttention } from '../../src/store/sqlite/attention.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'

export type Desk = Awaited<ReturnType<typeof openDesk>>

/** `folder`: of a desk that was closed and kept. `deaf`: posts to lanes fail, as when the machine dies before them. */
export async function openDesk(given: { readonly folder?: string; readonly deaf?: boolean; readonly engines?: readonly Engine[] } = {}) {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'steward-desk-'))
  const clock = handClock()
  const store = await openSqliteStore({ file: join(folder, 'steward.db'), now: clock.now })
  const heart: Heart = await openHeart({ store: store.journal, clock, engines: [quiet, ...(given.engines ?? [])] })
  const lanes = given.deaf ? { post: () => Promise.reject(new Error('the machine died')) } : heart.lanes
  const attention = await openAttention({
    ...{ journal: heart.journal, store: store.journal, lanes, clock, newId: heart.newId, log: silent },
    view: sqliteAttention(store),
    users: async (name) => name === 'ada' || name === 'bob',
  })
  return {
    folder,
    attention,
    heart,
    clock,
    store,
    types: async () => (await heart.types()).filter((type) => type.startsWith('inbox-')),
    /** Notes that arrived anywhere. */
    notes: async () =>
      (await heart.events()).filter((event) => event.type === 'entry-received').map((event) => Object(event.data['entry']).body),
    async close(options: { readonly keep?: boolean } = {}) {
      await attention.close()
      await heart.close()
      await store.close()
      if (!options.keep) rmSync(folder, { recursive: true })
    },
  }
}

const quiet: Engine = { name: 'quiet', version: 1, accepts: [1], run: async () => {} }

/** Asks an approval with the request that policy makes, and waits for a day. */
export async function askToSend(turn: Turn, name = 'send'): Promise<void> {
  await turn.ask(name, { kind: 'approval', text: 'Send the mail?', request: requestOf(turn), timeoutMs: 86_400_000 })
}

function requestOf(turn: Turn) {
  const rule = { id: 'system.R3', level: 'system', text: 'what leaves the machine is asked' }
  return {
    hash: 'h',
    plan: {
      tool: 'mail_send',
      capability: 'mail.send',
      target: 'bob@example.org',
      risk: 'R3',
      outward: true,
      destructive: false,
      why: 'Bob asked for it.',
      consequences: 'The mail can not be taken back.',
      preview: 'Dear Bob',
    },
    decision: { effect: 'ask', rule, risk: 'R3', reason: 'it leaves the machine', scopes: ['once', 'run'], considered: [] },
    where: {
      user: turn.process.user,
      project: turn.process.project,
      session: turn.process.session,
      process: turn.process.id,
      turn: turn.id,
      run: turn.chain.root,
      agent: { name: turn.process.agent, pledge: [] },
      taint: 'none',
    },
    input: { to: 'bob@example.org' },
  } as const
}
