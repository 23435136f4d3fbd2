// `steward chat`: lines from a pipe, and a person at a terminal; a hub that dies under it; questions.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silent } from '../src/base/log.ts'
import { loadConfig } from '../src/config.ts'
import type { Engine } from '../src/lanes/engine.ts'
import { hold, type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { openSteward } from '../src/steward.ts'
import { modelEnv, newPlace, type Place, program, type Running, watch } from './program.ts'

let model: ScriptedModel
let place: Place
beforeEach(async () => {
  model = await startScriptedModel()
  place = newPlace(modelEnv(model))
})
afterEach(async () => {
  await place.remove()
  await model.close()
})

const chat = (input: string, args: readonly string[] = []) => place.run(['chat', ...args], { input })
const countOf = (text: string, part: string) => text.split(part).length - 1

describe('lines from a pipe', () => {
  test('[C9] are answered one after the other, and the end of the pipe ends the chat', async () => {
    await place.start()
    model.script('One.', 'Two.')
    expect(await chat('first\n\nsecond\n')).toEqual({ code: 0, out: 'One.\nTwo.\n', err: '' })
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('One.')
  })

  test('[C5] with --json give one value with the whole conversation', async () => {
    await place.start()
    model.script('One.')
    const ended = await chat('first\n', ['--json'])
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.out)).toMatchObject({
      session: expect.stringMatching(/^ses_/),
      messages: [{ text: 'first' }, { text: 'One.' }],
    })
  })

  test('[C8] may be commands; a wrong one is named with those that there are', async () => {
    await place.start()
    model.script('One.', 'Two.')
    const ended = await chat('/help\n/nonsense\n/stop\nfirst\n/new\nsecond\n//help\n/quit\nnever said\n')
    expect(ended.code).toBe(0)
    expect(ended.out).toBe('One.\nTwo.\n/help\n')
    expect(ended.err).toMatch(/\/stop +stop what runs now/)
    expect(ended.err).toContain('A new conversation.')
    expect(ended.err).toContain('There is no /nonsense; there are /hub, /new, /stop, /say, /allow, /deny,')
    expect(ended.err).toContain('Nothing runs.')
    expect(JSON.stringify(model.requests[1]?.body.messages)).not.toContain('first')
    expect(model.count).toBe(3)
  })

  test('[C4] go on in a session that is named, and are refused for one that is not there', async () => {
    await place.start()
    model.script('One.', 'Two.')
    const { session } = JSON.parse((await chat('first\n', ['--json'])).out)
    expect(await chat('second\n', ['--session', session])).toEqual({ code: 0, out: 'Two.\n', err: '' })
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('first')
    expect(await chat('x\n', ['--session', 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA'])).toMatchObject({ code: 1, out: '' })
    expect(await chat('x\n', ['--agent', 'nobody'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('nobody') })
  })

  test('[C8] /hub goes to the conversation in the home', async () => {
    await place.start()
    model.script('One.')
    const { session } = JSON.parse((await chat('first\n', ['--json'])).out)
    await place.run(['projects', 'create', 'demo'])
    const elsewhere = JSON.parse((await place.run(['ask', 'x', '--project', 'demo', '--json'])).out).session
    const ended = await chat('/hub\nsecond\n', ['--session', elsewhere, '--json'])
    expect(JSON.parse(ended.out)).toMatchObject({ session, messages: [{ text: 'first' }, { text: 'One.' }, { text: 'second' }, {}] })
  })

  test('[C4] that end in a failure are a failure', async () => {
    await place.start()
    model.script({ status: 401, message: 'bad key' })
    const ended = await chat('first\n')
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.out).toContain('! It failed:')
  })

  test('[C8] without a model the hub says so in one ordinary line', async () => {
    await place.start({ STEWARD_MODEL: '' })
    const ended = await chat('hello\n')
    expect(ended.code).toBe(0)
    expect(ended.out).toContain('STEWARD_MODEL')
  })
})

describe('words', () => {
  test('[C10] are shown while they come, and once', async () => {
    await place.start()
    const stands = hold()
    model.script({ text: ['Once upon ', stands, 'a time.'] })
    const running = place.spawn(['chat'])
    running.child.stdin.end('tell me\n')
    await running.until(/Once upon $/)
    stands.release()
    expect(await running.ended).toEqual({ code: 0, out: 'Once upon a time.\n', err: '' })
  })

  test('[C8] of another device are shown with the name of who said them', async () => {
    await place.start()
    const running = place.spawn(['chat', '--json'])
    model.script('One.')
    running.child.stdin.write('first\n')
    const followed = place.spawn(['journal', '--follow'])
    const [, session = ''] = await followed.until(/"session":"(ses_\w+)"[^\n]*One\./)
    const other = place.spawn(['chat', '--session', session])
    await other.until(/^$/)
    model.script('Two.')
    running.child.stdin.end('second\n')
    await followed.until(/Two\./)
    followed.child.kill()
    other.child.stdin.end()
    await running.ended
  })
})

describe('a hub that goes away', () => {
  test('[C10, C15] is looked for again; what was under way is answered once, and shown once', async () => {
    const hub = await place.start()
    const stands = hold()
    model.script('One.', { text: ['Half a wo', stands] })
    const running = place.spawn(['chat'])
    running.child.stdin.write('first\n')
    await running.until(/One\.\n/)
    running.child.stdin.write('second\n')
    await running.until(/Half a wo$/)
    model.script('All of it.')
    hub.child.kill('SIGKILL')
    await running.until(/The hub went away; looking for it again\./, 'err')
    await place.start()
    await running.until(/All of it\.\n/)
    stands.release()
    model.script('Three.')
    running.child.stdin.end('third\n')
    const { code, out } = await running.ended
    expect(code).toBe(0)
    for (const part of ['One.', 'Half a wo', 'All of it.', 'Three.']) expect([part, countOf(out, part)]).toEqual([part, 1])
    const conversation = JSON.stringify(model.requests.at(-1)?.body.messages)
    for (const part of ['first', 'second', 'third']) expect([part, countOf(conversation, `${part}"`)]).toEqual([part, 1])
  })

  test('[C10] a line that is typed while it is away is said once when it is back', async () => {
    const hub = await place.start()
    model.script('One.')
    const running = place.spawn(['chat'])
    running.child.stdin.write('first\n')
    await running.until(/One\.\n/)
    hub.child.kill('SIGKILL')
    await running.until(/looking for it again/, 'err')
    running.child.stdin.write('second\n')
    model.script('Two.')
    await place.start()
    await running.until(/Two\.\n/)
    running.child.stdin.end()
    expect((await running.ended).code).toBe(0)
    expect(model.count).toBe(2)
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)('[C10, C15] ask finds it again after %s, and the message is answered once', async (signal) => {
    const hub = await place.start()
    const stands = hold()
    model.script({ text: ['Half a wo', stands] })
    const asking = place.spawn(['ask', 'first'])
    await stands.reached
    model.script('All of it.')
    hub.child.kill(signal)
    await asking.until(/The hub went away before it answered; looking for it again\./, 'err')
    await place.start()
    expect(await asking.ended).toMatchObject({ code: 0, out: 'All of it.\n' })
    stands.release()
    expect(model.count).toBe(2)
  })

  test('[C4, C6] ask says where to look when it does not come back', async () => {
    const hub = await place.start()
    const stands = hold()
    model.script({ text: ['Half a wo', stands] })
    const asking = place.spawn(['ask', 'first', '--wait', '2'])
    await stands.reached
    hub.child.kill('SIGKILL')
    const { code, err } = await asking.ended
    expect(code).toBe(3)
    expect(err).toMatch(
      /keeps and answers when it runs again\. Look then with: steward sessions show ses_\w+\nNo hub runs on .*steward start\n$/,
    )
    stands.release()
  })

  test('[C15] a conversation is there again after a kill and a new start', async () => {
    const hub = await place.start()
    model.script('Hello Ada.', 'Ada.')
    const { session } = JSON.parse((await chat('I am Ada.\n', ['--json'])).out)
    hub.child.kill('SIGKILL')
    await hub.ended
    await place.start()
    expect((await place.run(['sessions', 'show', session])).out).toMatch(/I am Ada\.[\s\S]*Hello Ada\./)
    expect((await chat('Who am I?\n', ['--session', session])).out).toBe('Ada.\n')
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('I am Ada.')
  })
})

describe('questions', () => {
  const asker: Engine = {
    name: 'asker',
    version: 1,
    accepts: [1],
    async run(turn) {
      const options = [{ label: 'Yes' }, { label: 'No' }]
      const answer = await turn.ask('sure', { kind: 'question', text: 'Shall I?', options })
      turn.say('done', { text: `You said ${answer.kind === 'answer' ? JSON.stringify(answer.value) : 'nothing'}` })
    },
  }

  /** A hub in this process with one engine more, and an agent of the person's own that uses it. */
  async function withAsker(work: () => Promise<void>): Promise<void> {
    const folder = join(place.home, 'documents', '_tenant', 'agents')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'asker.md'), '---\nname: asker\nengine: asker\n---\nAsks first.\n')
    const config = await loadConfig({ env: { ...place.env, STEWARD_MODEL: '' } })
    const steward = await openSteward(config, { log: silent, env: { ...place.env }, engines: [asker] })
    try {
      await work()
    } finally {
      await steward.close()
    }
  }

  test('[C4] ask ends with 4 and says how to answer; the answer is taken', async () => {
    await withAsker(async () => {
      const asked = await place.run(['ask', 'do it', '--agent', 'asker'])
      expect(asked).toMatchObject({ code: 4, out: '' })
      expect(asked.err).toContain('It waits for your answer: Shall I?')
      const [, id = ''] = /steward sessions answer (\S+) TEXT/.exec(asked.err) ?? []
      expect((await place.run(['status'])).out).toContain('asks you: Shall I?')
      expect(await place.run(['sessions', 'answer', id, 'yes'])).toMatchObject({ code: 0 })
      expect(await place.run(['sessions', 'answer', id, 'no'])).toMatchObject({ code: 1 })
    })
  })

  test('[C8] in a chat the next line answers, by number, words or own words', async () => {
    await withAsker(async () => {
      const ended = await chat('do it\n2\ndo it\nyes\ndo it\nrather not\n', ['--agent', 'asker'])
      expect(ended.code).toBe(0)
      expect(ended.out).toContain('? Shall I?\n  1. Yes\n  2. No\n')
      expect(ended.out.match(/You said .*/g)).toHaveLength(3)
      expect(ended.out).toMatch(/You said .*No.*[\s\S]*You said .*Yes.*[\s\S]*You said .*rather not/)
    })
  })

  test('[C4] a pipe that ends before the answer ends with 4', async () => {
    await withAsker(async () => {
      expect((await chat('do it\n', ['--agent', 'asker'])).code).toBe(4)
    })
  })
})

const hasScript = spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasScript)('a person at a terminal (needs the program "script")', () => {
  /** Runs the chat in a pseudo-terminal. */
  function terminal(args: readonly string[] = []): Running {
    const line = [process.execPath, program, 'chat', ...args].map((part) => `'${part}'`).join(' ')
    return watch(spawn('script', ['-qefc', line, '/dev/null'], { env: { ...place.env, TERM: 'xterm', SHELL: '/bin/sh' } }))
  }

  test('[C8] types, reads, stops with Ctrl-C and ends with Ctrl-D', async () => {
    await place.start()
    const stands = hold()
    model.script('Hello Ada.', { text: ['On and ', stands] })
    const person = terminal()
    await person.until(/> /)
    person.child.stdin.write('hello\r')
    await person.until(/Hello Ada\.\r\n[\s\S]*> /)
    person.child.stdin.write('go on\r')
    await person.until(/On and /)
    person.child.stdin.write('\u0003')
    await person.until(/\(stopped\)[\s\S]*> /)
    stands.release()
    person.child.stdin.write('\u0004')
    expect((await person.ended).code).toBe(0)
  })

  test('[C14] words of a model cannot steer the terminal', async () => {
    await place.start()
    model.script('a\u001b]0;owned\u0007b')
    const person = terminal()
    await person.until(/> /)
    person.child.stdin.write('hello\r')
    await person.until(/a]0;ownedb/)
    person.child.stdin.write('/quit\r')
    expect((await person.ended).code).toBe(0)
  })

  test('[C4] --json is refused there', async () => {
    await place.start()
    const person = terminal(['--json'])
    expect((await person.ended).code).toBe(2)
  })
})
