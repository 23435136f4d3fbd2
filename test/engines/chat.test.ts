// The session's own orchestrator: workers in sessions of their own, with no more than it has, whose end always arrives; and the
// whole way from the hub's person down to a worker and back, killed again and again.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, type ScriptedReply, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import { type Bench, newWorld, openBench, type World } from './bench.ts'

let model: ScriptedModel
let world: World
let bench: Bench
let root: string
/** What each agent's model answers, by what it was asked. */
let script: (agent: string, asked: string) => ScriptedReply

const acting = (input: Record<string, unknown>): ScriptedReply => ({ calls: [{ name: 'act', input: { reason: 'r', ...input } }] })

function agentOf({ body }: ScriptedRequest): string {
  const system = JSON.stringify(body.messages?.[0] ?? '')
  return /You are (Eddie|Arthur|Quick|Deep)/.exec(system)?.[1] ?? 'nobody'
}
const lastOf = ({ body }: ScriptedRequest) => String(body.messages?.at(-1)?.content ?? '')

beforeEach(async () => {
  script = () => acting({ type: 'WAIT' })
  model = await startScriptedModel({ keep: 5_000, otherwise: (request) => script(agentOf(request), lastOf(request)) })
  world = newWorld()
  root = join(world.person, 'shop')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'needle\n')
  bench = await openBench({ url: model.url, world })
  await bench.scopes.projects.create({ name: 'shop', roots: [root] }, 'user:ada')
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

const settled = (session: SessionId, nth = 1) => bench.until('turn-settled', (event) => event.session === session, nth)
const workerOf = async (nth = 1) => (await bench.until('worker-linked', () => true, nth)).data['session'] as SessionId

describe('delegation', () => {
  test('[E10, K1] a worker has its own session, its words are not in the conversation, and its end comes back', async () => {
    script = (agent, asked) => {
      if (agent === 'Quick') return { text: 'It is in a.txt.' }
      if (asked.includes('<worker-report')) return acting({ type: 'ANSWER', message: 'Found: a.txt.' })
      return acting({ type: 'DELEGATE', agent: 'ford', prompt: 'Find the needle.', title: 'Needle' })
    }
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, 'find the needle')
    await settled(session, 2)
    expect(await bench.lines(session)).toEqual([
      'user: find the needle',
      'assistant: Quick is at work on it: Needle',
      'assistant: Found: a.txt.',
    ])
    const worker = await workerOf()
    expect(await bench.lines(worker)).toEqual(['user: Find the needle.', 'assistant: It is in a.txt.'])
    const info = (await bench.scopes.sessions.process(await bench.process(worker)))?.info
    expect(info).toMatchObject({ parent: await bench.process(session), facesPerson: false, project: 'shop' })
    expect(info?.params).toMatchObject({ above: ['assistant'] })
  })

  test('[E10] a worker can do no more than who ordered it', async () => {
    const write = (name: string, front: string) =>
      bench.scopes.documents.write(
        { path: `agents/${name}.md`, level: 'tenant', scope: '_tenant', text: `---\nname: ${name}\n${front}\n---\nYou are Deep.` },
        'user:ada',
      )
    await write('strong', 'engine: quick\npledge: [fs.read, fs.write, mail.send]')
    await write('weak', 'engine: chat\npledge: [fs.read]')
    script = (_, asked) => (asked.includes('GO!') ? acting({ type: 'DELEGATE', agent: 'strong', prompt: 'do it' }) : { text: 'x' })
    const session = await bench.session({ project: 'shop', agent: 'weak' })
    await bench.say(session, 'GO!')
    await settled(await workerOf())
    const last = model.requests.find((request) => lastOf(request).includes('do it'))
    const names = last?.body.tools?.map((tool) => tool.function.name) ?? []
    expect(names).toContain('file_read')
    expect(names).not.toContain('file_write')
    expect(names).not.toContain('send')
  })

  test('[K2] no agent orders one that is above it, nobody goes deeper than allowed, and only words order', async () => {
    const asked: string[] = []
    script = (_, text) => {
      asked.push(text)
      if (text.includes('GO!')) return acting({ type: 'DELEGATE', agent: 'assistant', prompt: 'p' })
      if (text.includes('a ring is not possible')) return acting({ type: 'DELEGATE', agent: 'hub', prompt: 'p' })
      if (text.includes('leads conversations')) return acting({ type: 'DELEGATE', agent: 'nobody', prompt: 'p' })
      return acting({ type: 'ANSWER', message: 'ok' })
    }
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, 'GO!')
    await settled(session)
    expect(asked.slice(1)).toEqual([
      expect.stringContaining('assistant ordered this work itself'),
      expect.stringContaining('hub leads conversations and works for nobody. There is '),
      expect.stringContaining('There is no agent "nobody" here. There is '),
    ])
    await bench.scopes.settings.set({ key: 'causes.maxDepth', level: 'tenant', scope: '_tenant', value: 1 }, 'user:ada')
    script = (_, text) =>
      text.includes('GO!') ? acting({ type: 'DELEGATE', agent: 'quick', prompt: 'p' }) : acting({ type: 'ANSWER', message: text })
    await bench.say(session, 'GO!')
    await settled(session, 2)
    expect(await bench.events('worker-linked')).toHaveLength(1)
  })

  test('[E12] what the orchestrator has read goes along to its worker', async () => {
    script = (agent, asked) => {
      if (agent === 'Quick') return { text: 'done' }
      if (asked.includes('GO!')) return { calls: [{ name: 'page', input: { text: 'evil' } }] }
      return asked.includes('evil') ? acting({ type: 'DELEGATE', agent: 'quick', prompt: 'p' }) : acting({ type: 'WAIT' })
    }
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, 'GO!')
    const worker = await workerOf()
    await settled(worker)
    expect(await bench.policy.taint.ofProcess(await bench.process(worker))).toBe('foreign')
  })

  test('[E10] a worker that needs to know something asks, and goes on with the answer', async () => {
    await bench.scopes.documents.write(
      { path: 'agents/deep.md', level: 'tenant', scope: '_tenant', text: '---\nname: deep\nengine: chat\n---\nYou are Deep.' },
      'user:ada',
    )
    script = (agent, asked) => {
      if (agent === 'Deep') {
        if (asked.includes('The person answered: red')) return acting({ type: 'ANSWER', message: 'Painted red.' })
        return acting({ type: 'ASK_USER', message: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] })
      }
      if (asked.includes('PAINT!')) return acting({ type: 'DELEGATE', agent: 'deep', prompt: 'Paint.' })
      return asked.includes('<worker-report') ? acting({ type: 'RELAY' }) : acting({ type: 'WAIT' })
    }
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, 'PAINT!')
    await bench.answer(await bench.until('question-asked'), 'red')
    await settled(session, 3)
    expect((await bench.lines(session)).slice(2)).toEqual([
      'assistant: **[Worker deep → question]**\n\nWhich colour?',
      'assistant: **[Worker deep → reply]**\n\nPainted red.',
    ])
  })
})

test('[E8, K1] from the person to a worker and back, killed after every few events: each thing is done once', async () => {
  script = (agent, asked) => {
    if (agent === 'Quick')
      return asked.includes('needle')
        ? { text: 'The needle is in a.txt.' }
        : { calls: [{ name: 'file_search', input: { text: 'needle' } }] }
    if (agent === 'Arthur') {
      return asked.includes('<worker-report')
        ? acting({ type: 'ANSWER', message: 'Needle: a.txt.' })
        : acting({ type: 'DELEGATE', agent: 'quick', prompt: 'Search it.', title: 'Search' })
    }
    return acting({ type: 'DELEGATE_PROJECT', projectName: 'audit', projectGoal: 'Audit.', roots: ['./yard'], message: 'On it.' })
  }
  mkdirSync(join(world.person, 'yard'))
  writeFileSync(join(world.person, 'yard', 'a.txt'), 'needle\n')
  const session = await bench.session()
  await bench.say(session, 'Audit ./yard', { folder: world.person })
  for (let kills = 0; ; kills++) {
    let left = 3 + (kills % 4)
    let isOver = false
    for await (const batch of bench.journal.follow(bench.journal.head())) {
      isOver = batch.some((event) => event.type === 'turn-settled' && event.session === session) && kills > 3
      left -= batch.length
      if (left <= 0 || isOver) break
    }
    const told = (await bench.lines(session)).filter((line) => line.includes('Needle: a.txt.')).length
    if (told > 0) break
    await bench.close({ keep: true })
    bench = await openBench({ url: model.url, world })
  }
  await bench.journal.passed(bench.journal.head())
  expect(await bench.lines(session)).toEqual([
    'user: Audit ./yard',
    'assistant: On it.',
    'assistant: **[Worker assistant → reply]**\n\nQuick is at work on it: Search',
    'assistant: **[Worker assistant → reply]**\n\nNeedle: a.txt.',
  ])
  const { items } = await bench.scopes.projects.list({ limit: 10 })
  expect(items.map(({ name }) => name).sort()).toEqual(['audit', 'shop'])
  expect((await bench.scopes.sessions.list({ user: 'ada', limit: 10 })).items).toHaveLength(3)
  expect(await bench.events('worker-linked')).toHaveLength(2)
})
