// The commands against a running hub: the real program, a real hub, a scripted model behind real HTTP.

import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hold, type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace, type Place } from './program.ts'

let place: Place
let model: ScriptedModel
let hub: Hub
beforeAll(async () => {
  model = await startScriptedModel()
  place = newPlace(modelEnv(model))
  hub = await place.start()
})
afterAll(async () => {
  const died =
    hub.child.exitCode !== null || hub.child.signalCode !== null ? `${hub.child.exitCode} ${hub.child.signalCode} ${hub.err()}` : ''
  await place.remove()
  await model.close()
  expect(died).toBe('')
})

const json = async (args: readonly string[]) => {
  const ended = await place.run([...args, '--json'])
  return { ...ended, value: JSON.parse(ended.out) }
}

describe('ask', () => {
  test('[C4] prints the settled reply and nothing else', async () => {
    model.script('It is noon.')
    expect(await place.run(['ask', 'What', 'time', 'is', 'it?'])).toMatchObject({ code: 0, out: 'It is noon.\n', err: '' })
  })

  test('[C5] gives one value with the reply, its status and its session', async () => {
    model.script('It is noon.')
    const { code, value, err } = await json(['ask', 'What time is it?'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(value).toMatchObject({
      duplicate: false,
      status: 'settled',
      session: expect.stringMatching(/^ses_/),
      reply: { text: 'It is noon.' },
    })
  })

  test('[C4] "-" reads the text from standard input, line ends and all', async () => {
    const ended = await place.run(['ask', '-'], { input: 'one\ntwo\n' })
    expect(ended).toMatchObject({ code: 0, out: 'one\ntwo\n' })
  })

  test('[C4] goes on in a session that is named', async () => {
    model.script('Hello Ada.', 'Ada.')
    const first = await json(['ask', 'I am Ada.'])
    expect(await place.run(['ask', 'Who am I?', '--session', first.value.session])).toMatchObject({ code: 0, out: 'Ada.\n' })
    const asked = JSON.stringify(model.requests.at(-1)?.body.messages)
    expect(asked).toContain('I am Ada.')
  })

  test('[C4] a text that begins with a dash stands behind "--"', async () => {
    expect(await place.run(['ask', '--', '--what?'])).toMatchObject({ code: 0, out: '--what?\n' })
  })

  test('[C4] --wait 0 does not wait', async () => {
    const { code, value } = await json(['ask', 'later', '--wait', '0'])
    expect(code).toBe(0)
    expect(value).toMatchObject({ id: expect.stringMatching(/^msg_/), session: expect.stringMatching(/^ses_/) })
    expect((await place.run(['ask', 'and now?', '--session', value.session])).code).toBe(0)
  })

  test('[C4] no answer in time is a failure that says where to look', async () => {
    const stands = hold()
    model.script({ text: ['Wait', stands] })
    const ended = await place.run(['ask', 'slow', '--wait', '1'])
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/No answer within 1 seconds\. .*steward sessions show ses_/)
    stands.release()
  })

  test.each([
    [['ask'], 'missing required argument'],
    [['ask', ' '], 'The text is empty'],
    [['ask', 'x', '--wait', 'long'], '--wait is "long"; allowed is a whole number.'],
    [['ask', 'x', '--session', 'ses_1', '--agent', 'quick'], 'leave out --agent and --project'],
  ])('[C4] %j is wrong usage', async (args, sentence) => {
    const ended = await place.run(args)
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.err).toContain(sentence)
  })

  test.each([
    [['ask', 'x', '--agent', 'nobody'], 'nobody'],
    [['ask', 'x', '--project', 'nowhere'], 'nowhere'],
    [['ask', 'x', '--session', 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA'], 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA'],
  ])('[C4] %j is refused with the name', async (args, name) => {
    const ended = await place.run(args)
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain(name)
  })
})

describe('lists', () => {
  test('[C5] every list is an array with --json and a table without', async () => {
    for (const name of ['sessions', 'projects', 'agents']) {
      expect((await json([name])).value).toBeInstanceOf(Array)
      expect((await json([name, 'list'])).value).toBeInstanceOf(Array)
      expect(await place.run([name])).toMatchObject({ code: 0, err: '' })
    }
  })

  test('[C4] sessions: show, rename, archive, close', async () => {
    model.script('Hello.')
    const { session } = (await json(['ask', 'hi there'])).value
    expect((await place.run(['sessions', 'show', session])).out).toMatch(/hi there[\s\S]*Hello\./)
    expect((await json(['sessions', 'show', session])).value).toMatchObject({
      id: session,
      messages: [{ text: 'hi there' }, { text: 'Hello.' }],
    })
    expect(await place.run(['sessions', 'rename', session, 'A', 'new', 'name'])).toMatchObject({ code: 0 })
    expect((await place.run(['sessions'])).out).toContain('A new name')
    expect(await place.run(['sessions', 'archive', session])).toMatchObject({ code: 0 })
    expect((await place.run(['sessions'])).out).not.toContain('A new name')
    expect((await place.run(['sessions', 'list', '--archived'])).out).toContain('A new name')
    const other = (await json(['ask', 'hi'])).value.session
    expect(await place.run(['sessions', 'close', other])).toMatchObject({ code: 0 })
    expect(await place.run(['ask', 'still there?', '--session', other])).toMatchObject({ code: 1, out: '' })
  })

  test('[C4] sessions stop ends what runs', async () => {
    const stands = hold()
    model.script({ text: ['Half a wor', stands] })
    const { session } = (await json(['ask', 'go on for ever', '--wait', '0'])).value
    await stands.reached
    expect((await place.run(['status'])).out).toContain(session)
    expect(await place.run(['sessions', 'stop', session])).toMatchObject({ code: 0 })
    stands.release()
    expect((await json(['sessions', 'show', session])).value.messages.at(0)).toMatchObject({ status: 'stopped' })
    expect((await place.run(['sessions', 'stop', session])).out).toBe('No turn runs in that session.\n')
  })

  test('[C4] projects: create, show, archive, remove', async () => {
    const folder = join(place.home, '..', 'demo')
    mkdirSync(folder)
    expect(await place.run(['projects', 'create', 'demo', '--root', 'demo', '--title', 'Demo'])).toMatchObject({ code: 0, err: '' })
    expect((await json(['projects', 'show', 'demo'])).value).toMatchObject({
      name: 'demo',
      title: 'Demo',
      roots: [folder],
      status: 'RUNNING',
    })
    expect(await place.run(['projects', 'create', 'demo'])).toMatchObject({ code: 1, out: '' })
    const { code, err } = await place.run(['projects', 'create', 'later', '--root', 'nowhere'])
    expect([code, err]).toEqual([1, expect.stringMatching(/nowhere" does not exist\. Allowed is a folder that is there/)])
    for (const root of ['/', '.', place.home])
      expect(await place.run(['projects', 'create', 'later', '--root', root])).toMatchObject({ code: 1, out: '' })
    const later = join(folder, 'later')
    mkdirSync(later)
    expect(await place.run(['projects', 'create', 'later', '--root', later])).toMatchObject({ code: 0, err: '' })
    rmdirSync(later)
    expect(await place.run(['sessions', '--project', 'later'])).toMatchObject({ code: 0, out: expect.stringContaining('No sessions') })
    const broken = (await json(['doctor'])).value.items.find((item: { name: string }) => item.name === 'folders of later')
    expect(broken).toMatchObject({ status: 'fail', mend: expect.stringContaining('steward projects change later --root FOLDER') })
    expect(await place.run(['projects', 'change', 'later'])).toMatchObject({ code: 2, err: expect.stringContaining('--root') })
    expect((await place.run(['projects', 'change', 'later', '--root', 'demo', '--title', 'Sooner'])).out).toMatch(
      /later {2}Sooner\n[\s\S]*folders +\/.*demo/,
    )
    expect(await place.run(['sessions', '--project', 'latr'])).toMatchObject({ code: 1, out: '', err: 'there is no project "latr"\n' })
    expect(await place.run(['projects', 'archive', 'demo'])).toMatchObject({ code: 0 })
    expect((await place.run(['projects'])).out).not.toContain('Demo')
    expect((await place.run(['projects', 'list', '--all'])).out).toContain('Demo')
    expect(await place.run(['projects', 'create', 'other'])).toMatchObject({ code: 0 })
    expect(await place.run(['projects', 'remove', 'other', '--purge'])).toMatchObject({ code: 0 })
    expect(await place.run(['projects', 'remove', '_tenant'])).toMatchObject({ code: 1, out: '' })
    expect(await place.run(['projects', 'show', 'nowhere'])).toMatchObject({ code: 1, out: '' })
  })

  test('[C4] agents: quick is there, one that is not is answered with those that are', async () => {
    expect((await json(['agents'])).value.map((agent: { name: string }) => agent.name)).toContain('quick')
    expect((await json(['agents', 'show', 'quick'])).value).toMatchObject({ name: 'quick', engine: 'quick' })
    expect(await place.run(['agents', 'show', 'nobody'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('quick') })
  })
})

describe('journal', () => {
  test('[C5] is one event a line, and goes on after a cursor', async () => {
    const { out } = await place.run(['journal'])
    const events = out
      .trim()
      .split('\n')
      .map((line): { cursor: string; type: string } => JSON.parse(line))
    expect(events.length).toBeGreaterThan(10)
    const rest = await place.run(['journal', '--after', events[4]?.cursor ?? ''])
    expect(rest.out.split('\n')[0]).toBe(out.split('\n')[5])
    expect((await json(['journal'])).value.slice(0, 3)).toEqual(events.slice(0, 3))
  })

  test('[C12] in the format of outheis the records name each other', async () => {
    model.script('Well said.')
    await place.run(['ask', 'quotable'])
    const run = () => place.run(['journal', '--format', 'outheis'])
    const { out } = await run()
    const records = out
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    const asked = records.find((one) => JSON.stringify(one.payload) === '{"text":"quotable"}')
    expect(asked).toMatchObject({ v: 1, to: 'dispatcher', type: 'request', from: { user: { channel: 'api' } } })
    const said = records.find((one) => one.reply_to === asked?.id)
    expect(said).toMatchObject({
      to: 'transport',
      type: 'response',
      payload: { text: 'Well said.' },
      conversation_id: asked?.conversation_id,
    })
    expect((await run()).out).toBe(out)
  })

  test('[C5] --follow shows what comes', async () => {
    const following = place.spawn(['journal', '--follow'])
    model.script('Heard.')
    await place.run(['ask', 'is anybody following?'])
    await following.until(/is anybody following\?[\s\S]*"Heard\."/)
    following.child.kill()
  })

  test.each([
    [['journal', '--format', 'xml'], '--format is "xml"; allowed are jsonl, outheis.'],
    [['journal', '--after', 'x'], '--after is "x"; allowed is a cursor'],
    [['journal', '--follow', '--json'], '--follow never ends'],
  ])('[C4] %j is wrong usage', async (args, sentence) => {
    const ended = await place.run(args)
    expect(ended.code).toBe(2)
    expect(ended.err).toContain(sentence)
  })
})

describe('the hub', () => {
  test('[C4] status says where it is and that nothing runs', async () => {
    const { code, value } = await json(['status'])
    expect(code).toBe(0)
    expect(value).toMatchObject({ address: hub.address, status: 'ok', home: place.home })
  })

  test('[C4] status shows what waits behind what', async () => {
    const stands = hold()
    model.script({ text: ['One', stands] })
    const { session } = (await json(['ask', 'first', '--wait', '0'])).value
    await stands.reached
    await place.run(['ask', 'second', '--session', session, '--wait', '0'])
    const { out } = await place.run(['status'])
    expect(out).toContain(session)
    expect(out).toMatch(/turn trn_\S+ \(hub\)/)
    expect(out).toMatch(/message msg_\S+ waits behind/)
    stands.release()
  })

  test('[C16] doctor finds all well, the model too', async () => {
    const { code, value } = await json(['doctor'])
    expect(value.items.filter((item: { status: string }) => item.status !== 'ok')).toEqual([])
    expect(code).toBe(0)
    expect(value.status).toBe('ok')
    const names = value.items.map((item: { name: string }) => item.name)
    expect(names).toEqual(
      expect.arrayContaining(['node', 'settings', 'data folder', 'disk space', 'hub', 'journal', 'database', 'models', 'trust loopback']),
    )
    expect((await place.run(['doctor'])).out).toContain('openai/scripted answers')
  })

  test('[C16] doctor names the faults of agents’ files', async () => {
    const file = join(place.home, 'documents', '_tenant', 'agents', 'poet.md')
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '---\nname: poet\nengine: rhyme\n---\nYou are a poet.\n')
    const agents = async () => (await json(['doctor'])).value.items.find((item: { name: string }) => item.name === 'agents')
    await expect.poll(async () => (await agents()).status, { timeout: 10_000 }).toBe('warn')
    expect((await agents()).detail).toContain('agents/poet.md:3 (tenant _tenant): engine: is "rhyme"')
    rmSync(file)
    await expect.poll(async () => (await agents()).status, { timeout: 10_000 }).toBe('ok')
  })

  test('[C3] config masks secrets', async () => {
    const { out } = await place.run(['config'])
    expect(out).toMatch(/OPENAI_API_KEY +\*{4} +environment/)
    expect(out).not.toContain('0123456789')
  })
})

describe('wrong usage', () => {
  test.each([[[]], [['nonsense']], [['status', '--loud']], [['sessions', 'show']], [['projects', 'create']], [['status', 'extra']]])(
    '[C4] %j',
    async (args) => {
      expect(await place.run(args)).toMatchObject({ code: 2, out: '' })
    },
  )

  test('[C5] is a value with --json', async () => {
    const { code, value } = await json(['nonsense'])
    expect(code).toBe(2)
    expect(value).toMatchObject({ error: { code: 'usage' } })
    expect((await json([])).value).toEqual({ error: { code: 'usage', message: 'a command is missing' } })
    expect((await json(['ask', 'x', '--wait', 'long'])).value).toMatchObject({ error: { code: 'usage' } })
    expect((await json(['projects', 'show', 'nowhere'])).value).toMatchObject({ error: { code: 'not_found' } })
  })

  test('[C4] help is no fault, and names what each command takes', async () => {
    for (const args of [['--help'], ['ask', '--help'], ['projects', 'create', '--help']]) {
      const ended = await place.run(args)
      expect(ended.code).toBe(0)
      expect(ended.out).toContain('--json')
      expect(ended.out).toContain('--home')
    }
  })
})
