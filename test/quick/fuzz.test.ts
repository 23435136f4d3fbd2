// Random conversations over a model that answers when the test lets it, with restarts at any moment. Prints its seed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { seeded, settleLoop } from '../../src/base/testing.ts'
import { type Hold, hold, type ScriptedMessage, type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
import { type Hub, openHub } from './hub.ts'

type Random = ReturnType<typeof seeded>

const seeds = Array.from({ length: Number(process.env.STEWARD_SEEDS) || 20 }, (_, at) => 1000 + at)

test.each(seeds)('[Q1, Q2, Q3] seed %i: every message is read before it is settled, every request is whole', async (seed) => {
  const random = seeded(seed)
  const folder = mkdtempSync(join(tmpdir(), 'steward-fuzz-'))
  writeFileSync(join(folder, 'a.txt'), 'needle\n')
  const holds: Hold[] = []
  const server = await startScriptedModel({ keep: 10_000, otherwise: () => anyReply(random, holds) })
  let hub = await openHub({ url: server.url })
  try {
    const { projects, sessions } = hub.bench.scopes
    await projects.create({ name: 'site', roots: [folder] }, 'user:ada')
    const session = (await sessions.create({ user: 'ada', project: 'site' }, 'user:ada')).value.id as SessionId
    let said = 0
    let restarts = 0
    for (let at = 0; at < 40; at++) {
      const dice = random.int(10)
      if (dice < 3) await hub.bench.say(session, `message-${++said}.`)
      else if (dice < 9) holds.shift()?.release()
      // Three restarts in a row with nothing new settle a turn as failed: that is another test's business.
      else if (restarts++ < 2) hub = await hub.reopen()
      await settleLoop(random.int(8))
    }
    await hub.bench.say(session, `message-${++said}.`)
    await finish(hub, session, { holds, said })
    const read = server.requests.map((request) => JSON.stringify(request.body.messages))
    for (let n = 1; n <= said; n++) expect(read.some((text) => text.includes(`message-${n}.`))).toBe(true)
    for (const request of server.requests) checkWhole(request.body.messages ?? [])
  } finally {
    for (const one of holds) one.release()
    await hub.bench.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

function anyReply(random: Random, holds: Hold[]): ScriptedReply {
  const gate = hold()
  holds.push(gate)
  const calls = [
    { name: 'file_read', input: { path: random.pick(['a.txt', '../x', 'none']) } },
    { name: 'file_search', input: { text: 'needle' } },
    { name: 'file_list', input: '{"path":' },
    { name: 'nobody', input: {} },
  ].filter(() => random.int(3) === 0)
  const text = random.int(4) === 0 ? [gate] : ['some ', gate, 'words']
  return random.int(2) ? { text, calls } : { text: ['an answer', gate] }
}

/** Lets every answer go until nothing is under way and all that was said is settled. */
async function finish(hub: Hub, session: SessionId, { holds, said }: { readonly holds: Hold[]; readonly said: number }): Promise<void> {
  for (;;) {
    while (holds.length > 0) holds.shift()?.release()
    await settleLoop(5)
    await hub.bench.journal.passed(hub.bench.journal.head())
    const { items } = await hub.bench.scopes.conversation.branch(session, { limit: 500 })
    const mine = items.filter((line) => line.role === 'user')
    if (mine.length === said && mine.every((line) => line.status === 'settled' || line.status === 'failed')) return
  }
}

function checkWhole(messages: readonly ScriptedMessage[]): void {
  let open: string[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      expect(open.shift()).toBe(message.tool_call_id)
      continue
    }
    expect(open).toEqual([])
    expect(message.role).not.toBe(messages[at - 1]?.role)
    open = message.tool_calls?.map((call) => call.id) ?? []
  }
  expect(open).toEqual([])
}
