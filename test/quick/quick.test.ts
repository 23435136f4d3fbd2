// The quick engine over real lanes, SQLite, files and HTTP; only the model is a script.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AskId, laneOf, type ProcessId, type SessionId, type TurnId } from '../../src/base/ids.ts'
import { mostRounds } from '../../src/engines/quick/quick.ts'
import { noModel } from '../../src/models/choice.ts'
import {
  hold,
  type ScriptedMessage,
  type ScriptedModel,
  type ScriptedReply,
  startScriptedModel,
  withoutNotices,
} from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { givenIn } from '../context/given.ts'
import { type Hub, openHub } from './hub.ts'

let server: ScriptedModel
let hub: Hub
let folder: string

beforeEach(async () => {
  server = await startScriptedModel()
  folder = mkdtempSync(join(tmpdir(), 'steward-quick-'))
  put('README.md', '# Site\n\nThe port is 4180.\n')
  put('src/db.ts', 'export const port = 5432\n')
})
afterEach(async () => {
  await hub?.bench.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function put(path: string, text: string) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A session in a project whose folder is `folder`. */
async function openSession(given: { project?: string; agent?: string; roots?: readonly string[] } = {}) {
  const { project = 'site', roots = [folder] } = given
  const { projects, sessions } = hub.bench.scopes
  if ((await projects.get(project)) === null) await projects.create({ name: project, title: 'The site', roots }, 'user:ada')
  const made = await sessions.create({ user: 'ada', project, ...(given.agent ? { agent: given.agent } : {}) }, 'user:ada')
  return made.value.id as SessionId
}

async function events(type?: string): Promise<readonly Event[]> {
  const { events } = await hub.bench.journal.read({ after: 0, limit: 2000 })
  return type === undefined ? events : events.filter((event) => event.type === type)
}

/** Says it and waits until `turns` turns in all have settled. */
async function say(session: SessionId, text: string, turns = 1) {
  await hub.bench.say(session, text)
  return settled(turns)
}
async function settled(turns: number): Promise<Event> {
  let seen = 0
  for await (const batch of hub.bench.journal.follow(0)) {
    for (const event of batch) {
      if (event.type !== 'turn-settled' || ++seen < turns) continue
      await hub.bench.journal.passed(event.cursor)
      return event
    }
  }
  throw new Error('closed')
}

async function lines(session: SessionId): Promise<string[]> {
  const { items } = await hub.bench.scopes.conversation.branch(session, { limit: 100 })
  return items.map((line) => `${line.role}: ${line.text}${line.info ? ` (${line.info})` : ''}`)
}

const sentTo = (at: number): readonly ScriptedMessage[] => server.requests[at]?.body.messages ?? []
/** The request without its system text, one line a message. */
const shape = (at: number) =>
  sentTo(at)
    .filter((one) => one.role !== 'system')
    .map(
      (one) =>
        `${one.role}: ${one.tool_calls ? one.tool_calls.map((call) => call.function.name).join('+') : withoutNotices(String(one.content))}`,
    )
const call = (name: string, input: unknown, id?: string) => ({ name, input, ...(id ? { id } : {}) })
const usage = { prompt_tokens: 100, completion_tokens: 5 }

test('[P19] the language that was set is told to the model: the nearest that is not blank', async () => {
  hub = await openHub({ url: server.url })
  const session = await openSession()
  const { settings } = hub.bench.scopes
  const set = (level: 'home' | 'project', scope: string, value: string) =>
    settings.set({ key: 'chat.language', level, scope, value }, 'user:ada')
  const told = () => /in the language "(.*?)"/.exec(String(sentTo(server.requests.length - 1).at(-1)?.content))?.[1]
  server.script({ text: ['a'] }, { text: ['b'] }, { text: ['c'] })
  await say(session, 'one')
  expect(told()).toBeUndefined()
  await set('project', 'site', 'fr')
  await set('home', '_user_ada', ' ')
  await say(session, 'two', 2)
  expect(told()).toBe('fr')
  await set('home', '_user_ada', 'de')
  await say(session, 'three', 3)
  expect(told()).toBe('de')
})

describe('a question about files', () => {
  test('[Q1, Q3, Q6] is answered from what the tools found', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    server.script(
      {
        text: 'Let me look.',
        calls: [call('file_search', { text: 'port' }), call('file_read', { path: 'README.md', from: null, lines: '' })],
      },
      { text: ['Postgres on 5432 ', '(src/db.ts:1).'], usage },
    )
    expect((await say(session, 'Which port does the database use?')).data.outcome).toBe('done')
    expect(await lines(session)).toEqual([
      'user: Which port does the database use?',
      'assistant: Let me look.',
      'assistant: Postgres on 5432 (src/db.ts:1).',
    ])
    const [first, second] = [sentTo(0), sentTo(1)]
    for (const words of ['You are Quick', '"The site" (site)', folder]) expect(first[0]?.content).toContain(words)
    expect(server.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      'file_list',
      'file_read',
      'file_search',
      'result_read',
      'time_now',
      'tool_description',
      'tool_list',
    ])
    expect(second.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
    expect(second[3]).toMatchObject({
      tool_call_id: 'call_1_file_search',
      content: expect.stringContaining('src/db.ts:1: export const port = 5432'),
    })
    expect(second[4]).toMatchObject({ tool_call_id: 'call_2_file_read', content: expect.stringContaining('3\tThe port is 4180.') })

    const steps = (await events('step-done')).map((event) => event.data.name)
    expect([steps[0], steps[1], [...steps.slice(2, 4)].sort(), steps[4]]).toEqual([
      'setup',
      'model-1',
      ['tool-1.1-file_search', 'tool-1.2-file_read'],
      'model-2',
    ])
    const manifests = await events('manifest')
    expect(manifests.map((event) => event.visibility)).toEqual(['operator', 'operator'])
    expect(manifests[1]?.data).toMatchObject({
      model: 'openai-compatible/scripted',
      agent: { name: 'quick' },
    })
    expect(givenIn(manifests, await events('step-done'))[1]).toMatchObject({
      ...{ messages: 6, dropped: 0, shortened: 0 },
      tools: { names: ['file_list', 'file_read', 'file_search', 'result_read', 'time_now', 'tool_description', 'tool_list'] },
    })
    expect((await events('model-spent'))[1]?.data).toMatchObject({ input: 100, output: 5 })
  })

  test('words stream live and are withdrawn by nothing', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    const gate = hold()
    const words: string[] = []
    hub.bench.lanes.live.listen(session, (frame) => frame.kind === 'words' && words.push(frame.text))
    server.script({ text: ['One ', gate, 'two.'] })
    const answered = say(session, 'count')
    await gate.reached
    gate.release()
    await answered
    expect(words.join('')).toBe('One two.')
    const said = (await events('chat-message-appended')).find((event) => event.data.step === 'model-1')
    expect(said?.data).toMatchObject({ message: { text: 'One two.', agent: 'quick' } })
  })

  test('[T5] a model that asks for files outside gets none', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    server.script(
      { calls: [call('file_read', { path: '../../../../etc/passwd' }), call('file_read', { path: '/etc/passwd' })] },
      'I may not.',
    )
    await say(session, 'read the password file')
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('root:')
    expect(sentTo(1)[4]?.content).toContain("is outside of the project's folders")
  })

  test('[Q3] incomplete, unknown and too many calls are answered and not run', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    const many = Array.from({ length: 12 }, (_, at) => call('time_now', {}, `t${at}`))
    server.script({ calls: [call('file_read', '{"path":"README.md"'), call('send', { to: 'x' }), call('rm', {})] }, { calls: many }, 'done')
    await say(session, 'go')
    expect(shape(1).slice(2)).toEqual([
      'tool: Not run: the arguments of this call were incomplete. Send the call again with whole arguments.',
      expect.stringMatching(/^tool: There is no tool "send" here\. Tools are: file_list,/),
      expect.stringMatching(/^tool: There is no tool "rm" here\./),
    ])
    const results = sentTo(2).filter((one) => one.role === 'tool')
    expect(results).toHaveLength(15)
    expect(results.filter((one) => String(one.content).startsWith('Not run: at most 10 calls'))).toHaveLength(2)
    expect(hub.sent).toEqual([])
  })
})

describe('a conversation', () => {
  test('[Q1] the next turn is given all of it, speaker by speaker', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    server.script({ text: 'I look.', calls: [call('time_now', {})] }, 'First answer.', 'Second answer.', 'Third.')
    await say(session, 'first')
    await say(session, 'second', 2)
    await say(session, 'third', 3)
    expect(shape(3)).toEqual([
      'user: first',
      'assistant: I look.\n\nFirst answer.',
      'user: second',
      'assistant: Second answer.',
      'user: third',
    ])
  })

  test('[Q2] a message that comes while the model speaks is read by another call before it is settled', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    const gate = hold()
    server.script({ text: ['The answer', gate, ' to one.'] }, 'And to two.')
    await hub.bench.say(session, 'one')
    await gate.reached
    await hub.bench.say(session, 'two')
    gate.release()
    await settled(1)
    expect(shape(1)).toEqual(['user: one', 'assistant: The answer to one.', 'user: two'])
    expect(await lines(session)).toEqual(['user: one', 'assistant: The answer to one.', 'user: two', 'assistant: And to two.'])
    expect(await events('turn-started')).toHaveLength(1)
  })

  test('[Q2] one that comes while a tool runs is read with its result', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    const gate = hold()
    server.script({ text: ['x', gate], calls: [call('time_now', {})] }, 'both')
    await hub.bench.say(session, 'one')
    await gate.reached
    await hub.bench.say(session, 'two')
    gate.release()
    await settled(1)
    expect(sentTo(1).map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })

  test('a project knows nothing of another', async () => {
    hub = await openHub({ url: server.url })
    await say(await openSession(), 'the code word is BANANA')
    await say(await openSession({ project: 'other', roots: [] }), 'what is the code word?', 2)
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('BANANA')
    expect(server.requests[1]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      'result_read',
      'time_now',
      'tool_description',
      'tool_list',
    ])
  })

  test('at home Quick answers, by its old name too', async () => {
    hub = await openHub({ url: server.url })
    const made = await hub.bench.scopes.sessions.create({ user: 'ada' }, 'user:ada')
    expect(made.value.agent).toBe('quick')
    const named = await hub.bench.scopes.sessions.create({ user: 'ada', agent: 'ford' }, 'user:ada')
    expect(named.value.agent).toBe('quick')
    await say(made.value.id as SessionId, 'hello')
    expect(sentTo(0)[0]?.content).toMatch(/You are Quick[\s\S]*in the person's home/)
  })
})

describe('[Q4] when the model fails', () => {
  test('with none at all the answer is one ordinary line', async () => {
    hub = await openHub({ url: server.url, model: null })
    const session = await openSession()
    expect((await say(session, 'hello')).data.outcome).toBe('done')
    expect(await lines(session)).toEqual(['user: hello', `assistant: ${noModel}`])
  })

  test.each<[ScriptedReply, string, string]>([
    [{ status: 401, message: 'no' }, 'auth', 'refused the key (HTTP 401)'],
    [{ status: 503 }, 'overloaded', 'has a problem of its own (HTTP 503)'],
    [{ text: 'half', end: 'cut' }, 'network', 'broke off in the middle'],
    [{ text: 'half', finish: null }, 'bad_reply', "can't be read"],
  ])('%j fails the turn with a sentence, and the next turn goes on', async (reply, code, words) => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    server.script(reply, 'There you are.')
    expect((await say(session, 'one')).data).toMatchObject({ outcome: 'failed', code, error: expect.stringContaining(words) })
    await say(session, 'two', 2)
    // Who was told that nothing answers is told that it is over.
    expect((await lines(session)).at(-1)).toMatch(/^assistant: There you are\.(?: \(The models answer again\.\))?$/)
    // Words that were shown stay in the conversation.
    expect(shape(1)).toEqual('text' in reply ? ['user: one', 'assistant: half', 'user: two'] : ['user: one\n\ntwo'])
  })

  test('more than fits is asked again with less', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    put('long.txt', 'word '.repeat(30_000))
    put('lines.txt', 'a line of text\n'.repeat(20_000))
    server.script({ calls: [call('file_read', { path: 'lines.txt', lines: 2000 }), call('file_read', { path: 'long.txt' })] })
    server.script({ status: 400, code: 'context_length_exceeded' }, { status: 400, code: 'context_length_exceeded' }, 'short')
    expect((await say(session, 'read')).data.outcome).toBe('done')
    const sizes = server.requests.map((request) => JSON.stringify(request.body).length)
    expect(sizes[3]).toBeLessThanOrEqual(sizes[1] ?? 0)
    expect(givenIn(await events('manifest'), await events('step-done'))[1]).toMatchObject({ budget: 15_000 })
  })

  test('an empty answer and a cut one are said to be', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    server.script({ text: '' }, { text: 'And so', finish: 'length' })
    await say(session, 'one')
    await say(session, 'two', 2)
    expect((await lines(session)).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant: The model gave an empty answer. Please ask again, or in other words.',
      "assistant: And so (The answer ends here because it reached the model's length limit.)",
    ])
  })

  test('[Q5] a model that never ends is ended, and says so', async () => {
    hub = await openHub({ url: server.url })
    await server.close()
    let round = 0
    const word = () => `${'abcdefghij'[round % 10]}${'klmnop'[Math.floor(round++ / 10)]}`
    server = await startScriptedModel({ otherwise: () => ({ calls: [call('file_search', { text: word() })] }) })
    await hub.bench.close()
    hub = await openHub({ url: server.url })
    const session = await openSession()
    await say(session, 'go')
    expect(server.count).toBe(mostRounds)
    expect(await lines(session)).toEqual([
      'user: go',
      `assistant: I stopped after ${mostRounds} rounds of work without coming to an end. Say "go on", and I continue from here.`,
    ])
  })
})

describe('[Q1] over a restart', () => {
  test('what was recorded is not asked again, and the rest goes on with the same input', async () => {
    hub = await openHub({ url: server.url })
    const session = await openSession()
    const gate = hold()
    server.script({ calls: [call('file_read', { path: 'README.md' })] }, { text: ['half', gate] })
    await hub.bench.say(session, 'read it')
    await gate.reached
    server.script('whole')
    hub = await hub.reopen()
    await settled(1)
    expect(server.count).toBe(3)
    expect(server.requests[2]?.body).toEqual(server.requests[1]?.body)
    expect(await lines(session)).toEqual(['user: read it', 'assistant: whole'])
  })

  test('[A5] a turn keeps the agent that it began with', async () => {
    hub = await openHub({ url: server.url })
    await openSession()
    await hub.bench.scopes.documents.write(
      { path: 'agents/scout.md', level: 'project', scope: 'site', text: '---\nname: scout\n---\nOLD SCOUT\n' },
      'user:ada',
    )
    const session = await openSession({ agent: 'scout' })
    const gate = hold()
    server.script({ text: [gate] })
    await hub.bench.say(session, 'map')
    await gate.reached
    await hub.bench.scopes.documents.write(
      { path: 'agents/scout.md', level: 'project', scope: 'site', text: '---\nname: scout\n---\nNEW SCOUT\n' },
      'user:ada',
    )
    hub = await hub.reopen()
    await settled(1)
    await say(session, 'again', 2)
    const head = (at: number) => String(sentTo(at)[0]?.content)
    expect([1, 2].map(head)).toEqual([head(0), head(0)])
    expect(head(0)).toContain('OLD SCOUT')
    const told = [0, 1, 2].map((at) => JSON.stringify(sentTo(at)).includes('NEW SCOUT'))
    expect(told).toEqual([false, false, true])
  })

  test('a tool that must not happen twice happens once', async () => {
    hub = await openHub({ url: server.url })
    await openSession()
    await hub.bench.scopes.documents.write(
      { path: 'agents/post.md', level: 'project', scope: 'site', text: '---\nname: post\npledge: [mail.send]\n---\nYou send.\n' },
      'user:ada',
    )
    const session = await openSession({ agent: 'post' })
    const gate = hold()
    server.script({ calls: [call('send', { to: 'bob' })] }, { text: ['se', gate] })
    await hub.bench.say(session, 'send it')
    await gate.reached
    server.script('Sent.')
    const sent = hub.sent
    hub = await hub.reopen()
    await settled(1)
    expect(sent).toEqual(['bob'])
    expect(shape(2).at(-1)).toBe('tool: sent to bob')
  })
})

test('a tool of which nobody knows whether it happened is asked about, and not done again', async () => {
  hub = await openHub({ url: server.url })
  await openSession()
  await hub.bench.scopes.documents.write(
    { path: 'agents/post.md', level: 'project', scope: 'site', text: '---\nname: post\npledge: [mail.send]\n---\nYou send.\n' },
    'user:ada',
  )
  const session = await openSession({ agent: 'post' })
  server.script({ calls: [call('send', { to: 'nobody' }), call('send', { to: 'cut' }, 'second')] }, 'I see.')
  await hub.bench.say(session, 'send it')
  await hub.bench.until('question-asked')
  const sent = hub.sent
  hub = await hub.reopen()
  const [asked] = await events('question-asked')
  const found = await hub.bench.scopes.sessions.get(session)
  await hub.bench.lanes.post({
    lane: laneOf(found?.process as ProcessId),
    id: hub.bench.newId('ent'),
    from: 'user:ada',
    body: { kind: 'answer', ask: asked?.data.ask as AskId, value: { option: 'Yes, it happened' } },
  })
  expect((await settled(1)).data.outcome).toBe('done')
  expect(sent).toEqual(['cut'])
  expect(shape(1).slice(2)).toEqual([
    'tool: Not done: there is no such address',
    'tool: It was interrupted; the person says that it happened. Its result is not known.',
  ])
})

test('a stop ends the answer in the middle, and keeps what was said', async () => {
  hub = await openHub({ url: server.url })
  const session = await openSession()
  const gate = hold()
  server.script({ text: ['So far', gate], end: 'hang' }, 'fine')
  await hub.bench.say(session, 'tell')
  await gate.reached
  const [started] = await events('turn-started')
  const found = await hub.bench.scopes.sessions.get(session)
  const heard = Promise.withResolvers<void>()
  if (hub.bench.lanes.live.soFar(session).length > 0) heard.resolve()
  else hub.bench.lanes.live.listen(session, () => heard.resolve())
  await heard.promise
  await hub.bench.lanes.post({
    lane: laneOf(found?.process as ProcessId),
    id: hub.bench.newId('ent'),
    from: 'user:ada',
    body: { kind: 'stop', turn: started?.data.turn as TurnId },
  })
  expect((await settled(1)).data.outcome).toBe('stopped')
  await say(session, 'hi', 2)
  expect(shape(1)).toEqual(['user: tell', 'assistant: So far', 'user: hi'])
})

test('an agent whose file is gone is named, with who is there', async () => {
  hub = await openHub({ url: server.url })
  await openSession()
  await hub.bench.scopes.documents.write(
    { path: 'agents/gone.md', level: 'project', scope: 'site', text: '---\nname: gone\n---\nHello.\n' },
    'user:ada',
  )
  const session = await openSession({ agent: 'gone' })
  await hub.bench.scopes.documents.remove('agents/gone.md', 'project', 'site', 'user:ada')
  expect((await say(session, 'hello')).data).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('"gone" of this session is not there any more, or its file can\'t be used; there is apivr, coder,'),
  })
})
