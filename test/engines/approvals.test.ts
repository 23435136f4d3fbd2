// Calls that need a yes: asked, allowed, denied, silent, stale; words that come in meanwhile; taint and costs as facts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { InvalidInput } from '../../src/base/errors.ts'
import type { AskId, SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { defineTool, done } from '../../src/tools/tool.ts'
import { type Bench, newWorld, openBench, type World } from './bench.ts'

let model: ScriptedModel
let world: World
let bench: Bench
let session: SessionId

const agent = (engine: string) =>
  `---\nname: mailer\nengine: ${engine}\npledge: [mail.send, fs.read, fs.write]\ntools: {add: [send, page, slow]}\n---\nYou send mails.`

beforeEach(async () => {
  model = await startScriptedModel()
  world = newWorld()
  mkdirSync(join(world.person, 'shop'))
  writeFileSync(join(world.person, 'shop', 'a.txt'), 'x')
  bench = await openBench({ url: model.url, world })
  await bench.scopes.projects.create({ name: 'shop', roots: [join(world.person, 'shop')] }, 'user:ada')
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

async function begin(engine: string): Promise<void> {
  await bench.scopes.documents.write({ path: 'agents/mailer.md', level: 'tenant', scope: '_tenant', text: agent(engine) }, 'user:ada')
  session = await bench.session({ project: 'shop', agent: 'mailer' })
}
const send = (to: string): ScriptedReply => ({ calls: [{ name: 'send', input: { to }, id: `send-${to}` }] })
const answer = (message: string): ScriptedReply => ({ calls: [{ name: 'act', input: { type: 'ANSWER', reason: 'r', message } }] })
const approval = (nth = 1) => bench.until('approval-requested', () => true, nth)
const settled = (nth = 1) => bench.until('turn-settled', (event) => event.session === session, nth)
const results = (at: number) =>
  (model.requests[at]?.body.messages ?? []).filter((one) => one.role === 'tool').map((one) => String(one.content))
const allow = { decision: 'allow', scope: 'once' }
const file = () => join(world.person, 'shop', 'a.txt')
const previewOf = ({ data }: Event): unknown => {
  const { request } = data as { request?: { plan?: { preview?: string } } }
  return request?.plan?.preview
}

describe.each(['quick', 'chat'])('with the engine %s', (engine) => {
  const last = (text: string): ScriptedReply => (engine === 'quick' ? { text } : answer(text))

  test('[E1, E2] a yes runs it once, also after a kill while it waits', async () => {
    await begin(engine)
    model.script(send('bob'), last('Sent.'))
    await bench.say(session, 'write to bob')
    await approval()
    await bench.close({ keep: true })
    bench = await openBench({ url: model.url, world })
    expect(world.sent).toEqual([])
    await bench.answer(await approval(), allow)
    await settled()
    expect(world.sent).toEqual(['bob'])
    expect(await bench.events('approval-requested')).toHaveLength(1)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: Sent.')
  })

  test('[E1] a no and silence are results with the rule, and nothing runs', async () => {
    await begin(engine)
    model.script(send('bob'), send('eve'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    await bench.answer(await approval(), { decision: 'deny', scope: 'once', reason: 'not today' })
    await approval(2)
    world.clock.advance(24 * 3_600_000 + 1)
    await settled()
    expect(world.sent).toEqual([])
    expect(results(1).at(-1)).toMatch(/denied by the person .*rule .*not today/)
    expect(results(2).at(-1)).toMatch(/denied \(silence\).*24 h.*rule/)
  })

  test('[E1, E2] silence that ends while the hub is down is a no at the next start', async () => {
    await begin(engine)
    model.script(send('bob'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    const asked = await approval()
    await bench.close({ keep: true })
    world.clock.advance(25 * 3_600_000)
    bench = await openBench({ url: model.url, world })
    world.clock.advance(1)
    await settled()
    expect(results(1).at(-1)).toMatch(/denied \(silence\).*24 h.*rule/)
    await bench.answer(asked, allow)
    expect(world.sent).toEqual([])
  })

  test('[E2, D10] one that the hub takes back is told to the model with the reason, and it goes on', async () => {
    await begin(engine)
    model.script(send('bob'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    const { lane, data } = await approval()
    const body = { kind: 'revoke', ask: data['ask'] as AskId, reason: 'A rule forbids mails by now.' } as const
    await bench.lanes.post({ lane, id: bench.newId('ent'), from: 'system', body })
    await settled()
    expect(world.sent).toEqual([])
    expect(results(1).at(-1)).toMatch(/^Not run: refused\. A rule forbids mails by now\./)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: Not sent.')
    expect(await bench.policy.approvals.list({ user: 'ada' })).toMatchObject([{ status: 'revoked' }])
  })

  test('[E2] what is no answer is a no', async () => {
    await begin(engine)
    model.script(send('bob'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    await bench.answer(await approval(), 'yes')
    await settled()
    expect(world.sent).toEqual([])
  })

  test('[E2] words that come in meanwhile decide nothing; it says that it waits, and reads them afterwards', async () => {
    await begin(engine)
    model.script(send('bob'), last('Sent.'))
    await bench.say(session, 'write to bob')
    const asked = await approval()
    await bench.say(session, 'yes, do it')
    await bench.until('chat-message-appended', ({ data }) => JSON.stringify(data).includes('I wait for your yes or no'))
    expect(world.sent).toEqual([])
    await bench.answer(asked, allow)
    await settled()
    expect(world.sent).toEqual(['bob'])
    expect(model.requests[1]?.body.messages?.map((one) => String(one.content)).join('\n')).toContain('yes, do it')
  })

  test('[E2] a stop while it waits ends the turn, and nothing runs', async () => {
    await begin(engine)
    model.script(send('bob'))
    await bench.say(session, 'write to bob')
    const asked = await approval()
    const turn = asked.data['turn'] as never
    await bench.lanes.post({ lane: asked.lane, id: bench.newId('ent'), from: 'user:ada', body: { kind: 'stop', turn } })
    expect((await settled()).data['outcome']).toBe('stopped')
    expect(world.sent).toEqual([])
  })

  test('[E1] how long silence lasts is a setting', async () => {
    await begin(engine)
    await bench.scopes.settings.set({ key: 'policy.approvalHours', level: 'tenant', scope: '_tenant', value: 1 }, 'user:ada')
    model.script(send('bob'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    await approval()
    world.clock.advance(3_600_001)
    await settled()
    expect(results(1).at(-1)).toContain('within 1 h')
  })

  test('[E12] what a turn has read raises its taint once, and files that it writes carry it on', async () => {
    await begin(engine)
    model.script(
      {
        calls: [
          { name: 'page', input: { text: 'a' } },
          { name: 'page', input: { text: 'b' } },
        ],
      },
      { calls: [{ name: 'file_write', input: { path: 'note.txt', text: 'from the page' } }] },
      last('Written.'),
    )
    await bench.say(session, 'keep that page')
    await settled()
    const raised = await bench.events('taint-raised')
    expect(raised.map(({ data }) => [data['taint'], data['sources']])).toEqual([['foreign', ['https://example.org/']]])
    const written = await bench.events('taint-written')
    expect(written.map(({ data }) => data['paths'])).toEqual([[join(world.person, 'shop', 'note.txt')]])
    await bench.journal.passed(bench.journal.head())
    expect(await bench.policy.taint.ofPath(join(world.person, 'shop', 'note.txt'))).toBe('foreign')
  })

  test('[E1, D10] silence while the hub is away is a no as well', async () => {
    await begin(engine)
    model.script(send('bob'), last('Not sent.'))
    await bench.say(session, 'write to bob')
    await approval()
    await bench.close({ keep: true })
    world.clock.advance(25 * 3_600_000)
    bench = await openBench({ url: model.url, world })
    world.clock.advance(1)
    await settled()
    expect(world.sent).toEqual([])
    expect(results(1).at(-1)).toMatch(/denied \(silence\)/)
    const [asked] = await bench.policy.approvals.list({ user: 'ada' })
    expect(asked).toMatchObject({ status: 'expired' })
  })

  test('[E2, D9] a file that changes between the question and the yes is not touched, but asked about anew with its new diff', async () => {
    await begin(engine)
    model.script({ calls: [{ name: 'file_write', input: { path: 'a.txt', text: 'new' } }] }, last('Written.'))
    await bench.say(session, 'write it')
    const asked = await approval()
    writeFileSync(file(), 'changed by ada')
    await bench.answer(asked, allow)
    const again = await approval(2)
    expect(readFileSync(file(), 'utf8')).toBe('changed by ada')
    expect([previewOf(asked), previewOf(again)]).toEqual([expect.stringContaining('-x'), expect.stringContaining('-changed by ada')])
    await bench.answer(again, allow)
    await settled()
    expect(readFileSync(file(), 'utf8')).toBe('new')
    expect(model.count).toBe(2)
  })

  test('[E2, D9] one that changes a second time is told to the model, and nothing was done', async () => {
    await begin(engine)
    model.script({ calls: [{ name: 'file_write', input: { path: 'a.txt', text: 'new' } }] }, last('It keeps changing.'))
    await bench.say(session, 'write it')
    for (const [nth, text] of ['one', 'two'].entries()) {
      const asked = await approval(nth + 1)
      writeFileSync(file(), text)
      await bench.answer(asked, allow)
    }
    await settled()
    expect(readFileSync(file(), 'utf8')).toBe('two')
    expect(results(1).at(-1)).toMatch(/^Not run: file_write needs a person's yes, by the rule approval\.stale/)
  })

  test('[E3] what a call cost is a fact', async () => {
    await begin(engine)
    model.script({ ...last('Hi.'), usage: { prompt_tokens: 11, completion_tokens: 3 } })
    await bench.say(session, 'hi')
    await settled()
    const [spent] = await bench.events('model-spent')
    expect(spent?.data).toMatchObject({ user: 'ada', project: 'shop', session, input: 11, output: 3, lost: 0 })
  })
})

test('[E5] an action beside a tool that failed is not carried out, and that costs no correction', async () => {
  await begin('chat')
  const both = {
    calls: [
      { name: 'broken', input: {} },
      { name: 'act', input: { type: 'ANSWER', reason: 'r', message: 'saved' } },
    ],
  }
  for (let at = 0; at < 5; at++) model.script(both)
  model.script(answer('It failed.'))
  await bench.say(session, 'hi')
  await settled()
  expect(results(1).at(-1)).toContain('broken failed in the same reply')
  expect(await bench.lines(session)).toEqual(['user: hi', 'assistant: It failed.'])
})

test('[E5] after 20 rounds it answers from what it has, without tools', async () => {
  await begin('chat')
  for (let at = 1; at <= 20; at++) model.script({ calls: [{ name: 'page', input: { text: `page ${at}` } }] })
  model.script({ text: 'Twenty pages, no end.' })
  await bench.say(session, 'read on')
  await settled()
  expect(model.count).toBe(21)
  expect(model.requests[20]?.body.tools ?? []).toEqual([])
  expect((await bench.lines(session)).at(-1)).toBe('assistant: Twenty pages, no end.')
})

test('[E5] after half an hour it answers from what it has; the time that a person took does not count', async () => {
  await begin('chat')
  model.script(
    { calls: [{ name: 'page', input: { text: 'a' } }] },
    send('bob'),
    { calls: [{ name: 'page', input: { text: 'b' } }] },
    answer('Done.'),
  )
  await bench.say(session, 'go')
  const asked = await approval()
  world.clock.advance(2 * 3_600_000)
  await bench.answer(asked, allow)
  await settled()
  expect((await bench.lines(session)).at(-1)).toBe('assistant: Done.')
})

test('[E5] half an hour of its own work is the end: it answers from what it has, without tools', async () => {
  await bench.close({ keep: true })
  const slow = defineTool({
    ...{ name: 'slow', description: 'Takes long.', labels: ['read-only'], capability: null, effect: 'replayable', timeoutMs: 7_200_000 },
    input: z.strictObject({ n: z.number() }),
    async run({ n }) {
      world.clock.advance(16 * 60_000)
      return done(`part ${n}`)
    },
  })
  bench = await openBench({ url: model.url, world, tools: [slow] })
  await begin('chat')
  for (let n = 1; n <= 3; n++) model.script({ calls: [{ name: 'slow', input: { n } }] })
  model.script({ text: 'Three parts so far.' })
  await bench.say(session, 'read on')
  await settled()
  expect(model.count).toBe(4)
  expect(model.requests[3]?.body.tools ?? []).toEqual([])
  expect((await bench.lines(session)).at(-1)).toBe('assistant: Three parts so far.')
})

test('[E13] the same call with the same result: warned, blocked, and at last the turn ends with a summary', async () => {
  await begin('chat')
  for (let at = 1; at <= 9; at++) model.script({ calls: [{ name: 'page', input: { text: 'same' }, id: `c${at}` }] })
  await bench.say(session, 'read on')
  await settled()
  expect(results(3).at(-1)).toContain('Note: page was asked for 3 times')
  expect(results(5).at(-1)).toContain('Not run: page was asked for 5 times')
  expect(model.count).toBe(8)
  expect((await bench.lines(session)).at(-1)).toContain('Stopped, since it went round in a circle')
})

test('[E13] a tool that is not there, asked for again and again, is a circle too', async () => {
  await begin('chat')
  for (let at = 1; at <= 9; at++) model.script({ calls: [{ name: 'nowhere', input: {}, id: `c${at}` }] })
  await bench.say(session, 'do it')
  await settled()
  expect(results(1).at(-1)).toContain('There is no tool "nowhere" here')
  expect(results(5).at(-1)).toContain('Not run: nowhere was asked for 5 times')
  expect(model.count).toBe(8)
})

describe('[E3] a budget that stands against a call', () => {
  const over = { id: 'b1', text: '3 EUR a day', spent: 2_950_000, wanted: 100_000 }
  const budget = { id: 'b1', user: 'ada', scope: 'day' as const, of: null, limit: 3_000_000, currency: 'EUR', text: '3 EUR a day' }

  async function broke(): Promise<string[]> {
    await bench.close({ keep: true })
    const set: string[] = []
    const against = () =>
      set.length > 0 ? null : { ok: false as const, code: 'budget' as const, message: 'The budget is used up.', budget: over }
    const budgets = {
      list: async () => [{ ...budget, spent: 2_950_000 }],
      async set(_: string, text: string) {
        if (!text.includes('EUR')) throw new InvalidInput('A budget names a currency, as in "3 EUR a day".')
        set.push(text)
        return { ...budget, text }
      },
    }
    bench = await openBench({ url: model.url, world, money: { budgets, against } })
    await begin('chat')
    model.script(answer('Hi.'))
    await bench.say(session, 'hi')
    return set
  }

  test.each([
    ['is raised to twice of it', 'Raise', ['6 EUR a day'], 'Hi.'],
    ['is raised to what the person says', '5 EUR a day', ['5 EUR a day'], 'Hi.'],
    ['ends the turn', 'Stop', [], 'I stopped, because the budget "3 EUR a day" is used up.'],
    ['ends the turn when the answer is no budget', 'lots', [], 'I stopped: A budget names a currency, as in "3 EUR a day".'],
  ])('[E3] %s', async (_, said, expected, line) => {
    const set = await broke()
    const question = await bench.until('question-asked')
    expect(question.data['text']).toContain('Raise it or stop?')
    expect(question.data['options']).toEqual([{ label: 'Raise', description: 'to 6 EUR a day' }, { label: 'Stop' }])
    await bench.answer(question, said)
    await settled()
    expect(set).toEqual(expected)
    expect((await bench.lines(session)).at(-1)).toBe(`assistant: ${line}`)
  })
})
