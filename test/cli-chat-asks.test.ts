// `steward chat` and what waits for a person: approvals in place, from a pipe and at a terminal; questions; what is done meanwhile.
import { spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { mailer, withMailer } from './mailer.ts'
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

const chat = (input: string) => place.run(['chat', '--agent', 'mailer'], { input })

describe('from a pipe', () => {
  test('[C23] what waits is shown with all that one decides on; /allow with a scope answers it', async () => {
    await withMailer(place, mailer([{ preview: 'Dear Bob,\nsee you.' }]), async () => {
      const ended = await chat('send\n/allow run\nhello\n')
      expect(ended).toMatchObject({ code: 0 })
      for (const part of [
        '? Send mail 1?',
        'what    mail.send bob1@example.org (R3, by mail_send)',
        '  | see you.',
        'Say yes with /allow or /allow step',
      ])
        expect(ended.out).toContain(part)
      expect(ended.out).toContain('! Allowed: Send mail 1?')
      expect(ended.out).toContain('Decided: answered {"decision":"allow","scope":"run"}')
      expect(ended.out).toContain('Hello Ada.\n  (said by the mailer)\n')
    })
  })

  test('[C23] a line that looks like a yes is a message and decides nothing; the end of the pipe ends with 4', async () => {
    await withMailer(place, mailer(), async () => {
      const ended = await chat('send\ny\nallow\nyes\n')
      expect(ended.code).toBe(4)
      const [one] = JSON.parse((await place.run(['approvals', '--json'])).out)
      expect(one.status).toBe('requested')
    })
  })

  test('[C23] of several one must be named; a no has its reason; what is decided twice says so', async () => {
    await withMailer(place, mailer([{}, {}]), async () => {
      const running = place.spawn(['chat', '--agent', 'mailer'])
      running.child.stdin.write('send\n')
      await running.until(/mail 2\?[\s\S]*\(apr_\w+\)\n/)
      const ids = [...running.out().matchAll(/\((apr_\w+)\)/g)].map(([, id]) => String(id))
      running.child.stdin.write('/allow\n')
      await running.until(new RegExp(`2 things wait; name one of ${ids.join(', ')}`), 'err')
      running.child.stdin.write(`/allow ${ids[0]?.slice(-6)}\n/deny ${ids[1]} not today\n/allow ${ids[1]}\n/deny\n/allow a b\n`)
      await running.until(/takes an id and a scope/, 'err')
      running.child.stdin.end()
      const { code, out, err } = await running.ended
      expect(code).toBe(0)
      expect(out).toContain('"decision":"allow"')
      expect(out).toContain('not today')
      expect(err).toContain('rejected by user:')
      expect(err).toContain('Nothing waits for your yes here.')
    })
  })

  test('[C23] /approvals, /inbox, /cost, /steps and /mode tell without a word to the agent', async () => {
    await withMailer(place, mailer(), async () => {
      const ended = await chat(
        '/cost\nsend\n/approvals\n/inbox\n/steps\n/cost\n/mode read-only\n/mode\n/mode free\n/undo-compact\n/compact\n/deny\n',
      )
      expect(ended.code).toBe(0)
      for (const part of [
        'No turn ran',
        '? Send mail 1?',
        'needs you',
        'It waits for you: Send mail 1?',
        'Cost: 0.00 USD',
        'The mode is read-only',
      ])
        expect(ended.err).toContain(part)
      expect(ended.err).toContain('The mode is "free"; allowed are read-only, ask, auto, default.')
      expect(ended.err).toContain('no summary to take back')
      expect(ended.out.match(/^Decided/gm)).toHaveLength(1)
    })
  })

  test('[C8] a question shows its options, and a number chooses', async () => {
    await withMailer(place, mailer(), async () => {
      const ended = await chat('question\n2\n')
      expect(ended).toMatchObject({ code: 0 })
      expect(ended.out).toContain('? Tea or coffee?\n  1. Tea\n  2. Coffee: with milk\n')
      expect(ended.out).toMatch(/You said .*Coffee/)
    })
  })
})

const hasScript = spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasScript)('a person at a terminal (needs the program "script")', () => {
  function terminal(args: readonly string[]): Running {
    const line = [process.execPath, program, 'chat', ...args].map((part) => `'${part}'`).join(' ')
    return watch(spawn('script', ['-qefc', line, '/dev/null'], { env: { ...place.env, TERM: 'xterm-256color', SHELL: '/bin/sh' } }))
  }

  test('[C23] is asked by a prompt of its own; a scope by its name; other words are a message; a diff has colours', async () => {
    await withMailer(place, mailer([{ preview: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n' }]), async () => {
      const person = terminal(['--agent', 'mailer'])
      await person.until(/> /)
      person.child.stdin.write('send\r')
      await person.until(/allow\? y, n, or for longer: step, run, project > /)
      expect(person.out()).toContain('\u001b[32m+new')
      person.child.stdin.write('what for?\r')
      await person.until(/what for\?[\s\S]*allow\? y, n/)
      person.child.stdin.write('run\r')
      await person.until(/"scope":"run"[\s\S]*> /)
      person.child.stdin.write('/quit\r')
      expect((await person.ended).code).toBe(0)
    })
  })

  test('[C23] what was typed before it was asked is no answer', async () => {
    await withMailer(place, mailer(), async () => {
      const person = terminal(['--agent', 'mailer'])
      await person.until(/> /)
      person.child.stdin.write('send\ry')
      await person.until(/Say yes with[\s\S]*> y/)
      person.child.stdin.write('\r')
      await person.until(/> y[\s\S]*allow\? /)
      const { out } = await place.run(['approvals', '--json'])
      expect(JSON.parse(out)).toMatchObject([{ status: 'requested' }])
      person.child.stdin.write('/deny\r')
      await person.until(/! Denied: /)
      person.child.stdin.write('/quit\r')
      expect((await person.ended).code).toBe(0)
    })
  })
})
