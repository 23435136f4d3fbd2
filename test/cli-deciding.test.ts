// The commands about what waits for a person, over the real program: approvals, grants, inbox, models, turns; right and wrong usage.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { mailer, withMailer } from './mailer.ts'
import { modelEnv, newPlace, type Place } from './program.ts'

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

const steward = (...args: string[]) => place.run(args)
const json = async (...args: string[]) => {
  const ended = await place.run([...args, '--json'])
  return { ...ended, value: JSON.parse(ended.out) }
}
const ask = (text = 'send') => steward('ask', text, '--agent', 'mailer')
const idIn = (text: string) => /apr_\w{26}/.exec(text)?.[0] ?? ''

describe('steward approvals', () => {
  test('[C17] ask ends with 4, says what waits in full and the exact commands; each of them works', async () => {
    await withMailer(place, mailer([{ preview: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n' }]), async () => {
      const asked = await ask()
      expect(asked).toMatchObject({ code: 4, out: '' })
      for (const part of ['It waits for your yes: Send mail 1?', 'mail.send bob1@example.org (R3, by mail_send)', 'Bob asked for it.'])
        expect(asked.err).toContain(part)
      for (const part of ['The mail can not be taken back.', '  | -old\n  | +new', 'no answer means no']) expect(asked.err).toContain(part)
      const [, command = ''] = /Say yes with: steward (.*)/.exec(asked.err) ?? []
      const id = idIn(command)
      expect((await steward('status')).out).toContain(`mail.send bob1@example.org needs your yes (steward approvals show ${id})`)
      const shown = await steward('approvals', 'show', id)
      expect(shown.out).toContain(`${id}  waits for you, asked `)
      expect(shown.out).toContain(`steward approvals deny ${id} --reason TEXT`)
      expect(await place.run(command.split(' '))).toEqual({ code: 0, out: 'Allowed (once): mail.send bob1@example.org\n', err: '' })
      expect(await steward('approvals', 'allow', id)).toMatchObject({ code: 0 })
      expect(await steward('approvals', 'deny', id)).toMatchObject({ code: 1, err: expect.stringContaining('approved (once) by user:') })
      expect((await steward('approvals')).out).toBe('Nothing waits for your yes.\n')
      expect((await steward('approvals', 'list', '--all')).out).toMatch(new RegExp(`${id} +R3 +approved \\(once\\) +mail.send`))
    })
  })

  test('[C17] a part of the id is enough when it means one; several are named', async () => {
    await withMailer(place, mailer([{}, {}]), async () => {
      await ask()
      const { value } = await json('approvals')
      expect(value).toHaveLength(2)
      const [one, other] = value
      const both = await steward('approvals', 'allow', 'apr_')
      expect(both).toMatchObject({ code: 2, out: '' })
      expect(both.err).toContain(one.id)
      expect(both.err).toContain(other.id)
      const ending = one.id.slice(-8).toLowerCase()
      expect((await json('approvals', 'allow', ending, '--scope', 'run')).value).toMatchObject({
        id: one.id,
        status: 'approved',
        scope: 'run',
      })
      expect((await json('approvals', 'deny', other.id.slice(4), '--reason', 'not today')).value).toMatchObject({ status: 'rejected' })
      const missing = await steward('approvals', 'show', 'zzzz')
      expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('There is no approval "zzzz". There are apr_') })
    })
  })

  test('[C17] a scope that is not offered and other slips are wrong usage, and decide nothing', async () => {
    await withMailer(place, mailer(), async () => {
      const id = idIn((await ask()).err)
      const wide = await steward('approvals', 'allow', id, '--scope', 'always')
      expect(wide).toMatchObject({ code: 2, err: expect.stringContaining('this may be allowed for once, step, run, project') })
      expect(await steward('approvals', 'allow', id, '--for', 'long')).toMatchObject({ code: 2, err: expect.stringContaining('30m or 7d') })
      expect(await steward('approvals', 'list', '--status', 'open')).toMatchObject({ code: 2, err: expect.stringContaining('requested') })
      expect(await steward('approvals', 'allow')).toMatchObject({ code: 2 })
      expect(await steward('approvals', 'decide', id)).toMatchObject({ code: 2 })
      expect(await steward('approvals', 'allow', id, '--scope', 'run', '--narrow', '*')).toMatchObject({ code: 1 })
      expect((await json('approvals', 'show', id)).value).toMatchObject({ status: 'requested' })
    })
  })
})

describe('steward grants', () => {
  test('[C18] come of a longer scope or are given in advance; revoked they are gone', async () => {
    await withMailer(place, mailer(), async () => {
      const id = idIn((await ask()).err)
      await steward('approvals', 'allow', id, '--scope', 'project', '--for', '2h')
      const listed = await steward('grants')
      expect(listed.out).toMatch(/grt_\w+ +mailer +mail\.send +project _user_\w+ +up to R3 +until in [12] h/)
      const added = await json('grants', 'add', 'fs.write', '--always', '--agent', 'arthur', '--resource', '/tmp/**', '--max-risk', 'R2')
      expect(added.value).toMatchObject({ subject: 'arthur', capability: 'fs.write', scope: 'always', resource: '/tmp/**', maxRisk: 'R2' })
      expect(await steward('grants', 'revoke', added.value.id)).toMatchObject({ code: 0 })
      expect(await steward('grants', 'revoke', added.value.id)).toMatchObject({ code: 1 })
      expect((await steward('grants', 'list', '--all')).out).toMatch(/revoked 20\d\d-/)
    })
  })

  test('[C18] where one holds must be said', async () => {
    await place.start()
    expect(await steward('grants', 'add', 'fs.write')).toMatchObject({ code: 2, err: expect.stringContaining('--project NAME') })
    expect(await steward('grants', 'add', 'fs.write', '--always', '--project', 'x')).toMatchObject({ code: 2 })
    expect(await steward('grants', 'add', 'fs.write', '--always', '--max-risk', 'R9')).toMatchObject({ code: 2 })
    expect(await steward('grants', 'add', 'fs.write', '--always', '--for', '7w')).toMatchObject({ code: 2 })
    expect(await steward('grants', 'revoke', 'grt_x')).toMatchObject({ code: 1, err: expect.stringContaining('There is none now') })
    expect((await steward('grants')).out).toContain('No grants.')
  })
})

describe('steward inbox', () => {
  test('[C19] what is asked stands in it and is answered from it, by number, words or a yes', async () => {
    await withMailer(place, mailer(), async () => {
      await ask('question')
      const { value } = await json('inbox')
      expect(value).toMatchObject([{ type: 'DECISION', title: 'Tea or coffee?', status: 'PENDING' }])
      const [{ id }] = value
      expect((await steward('inbox', 'show', id)).out).toContain(`  1. Tea\n  2. Coffee\nAnswer with: steward inbox answer ${id} ANSWER.`)
      expect(await steward('inbox', 'answer', id)).toMatchObject({ code: 2, err: expect.stringContaining('one of Tea, Coffee') })
      expect(await steward('inbox', 'answer', id.slice(-8), '2')).toMatchObject({ code: 0, out: `${id} is answered.\n` })
      await ask()
      const approval = (await json('inbox')).value[0]
      expect((await steward('inbox', 'show', approval.id)).out).toContain(`steward approvals show ${approval.id}`)
      expect(await steward('inbox', 'answer', approval.id, 'perhaps')).toMatchObject({
        code: 2,
        err: expect.stringContaining('allow and deny'),
      })
      expect(await steward('inbox', 'answer', approval.id, 'deny', '--reason', 'no')).toMatchObject({ code: 0 })
      expect((await json('approvals', 'show', approval.id)).value.status).toBe('rejected')
      expect((await steward('inbox')).out).toBe('Nothing in the inbox needs you.\n')
      expect((await json('inbox', 'list', '--all')).value).toHaveLength(2)
      expect((await json('inbox', 'list', '--status', 'answered')).value).toHaveLength(2)
      expect(await steward('inbox', 'list', '--status', 'old')).toMatchObject({
        code: 2,
        err: expect.stringContaining('pending, answered'),
      })
      expect(await steward('inbox', 'dismiss', 'ntf_x')).toMatchObject({ code: 1 })
      expect(await steward('inbox', 'delegate', id)).toMatchObject({ code: 2 })
    })
  })
})

describe('steward models', () => {
  test('[C20] lists tiers and providers, tests a model, and chooses one at once', async () => {
    place = newPlace({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test-0123456789' })
    await place.start()
    const none = await steward('models')
    expect(none).toMatchObject({ code: 0 })
    expect(none.out).toMatch(/light +none/)
    expect(none.out).toMatch(/openai +key: environment/)
    expect(none.out).not.toContain('0123456789')
    expect(await steward('models', 'test')).toMatchObject({ code: 2, err: expect.stringContaining('steward models test PROVIDER/MODEL') })
    expect(await steward('models', 'test', 'gpt')).toMatchObject({ code: 2, err: expect.stringContaining('PROVIDER/MODEL') })
    model.script('Hello.')
    expect((await steward('models', 'test', 'openai/scripted')).out).toMatch(/^ok +openai\/scripted answered in /)
    expect(await steward('models', 'use', 'huge', 'openai/scripted')).toMatchObject({
      code: 2,
      err: expect.stringContaining('light, standard, deep'),
    })
    expect(await steward('models', 'use', 'light', 'scripted')).toMatchObject({ code: 2 })
    expect((await steward('models', 'use', 'standard', 'openai/scripted,ollama/llama3.2')).out).toContain(
      'Tier standard uses openai/scripted, then ollama/llama3.2.',
    )
    model.script('It works.')
    expect((await steward('ask', 'hi', '--agent', 'quick')).out).toBe('It works.\n')
    model.script({ status: 401, message: 'bad key' })
    const bad = await steward('models', 'test', 'openai/scripted')
    expect(bad).toMatchObject({ code: 1 })
    expect(bad.out).toMatch(/^FAIL +openai\/scripted: /)
    expect((await steward('models', 'use', 'standard', 'none')).out).toContain('Tier standard has no model any more.')
  })

  test('[C20] what the environment decides is not changed, and says so', async () => {
    await place.start()
    expect((await steward('models')).out).toContain('set by STEWARD_MODEL')
    expect(await steward('models', 'use', 'light', 'openai/other')).toMatchObject({
      code: 1,
      err: expect.stringContaining('STEWARD_MODEL'),
    })
  })
})

describe('steward turn', () => {
  test('[C21] shows steps with cost and cause; 4 while it waits; sessions turns lists them', async () => {
    await withMailer(place, mailer(), async () => {
      const { value } = await json('ask', 'send', '--agent', 'mailer')
      const turns = (await json('sessions', 'turns', value.session)).value
      expect(turns).toMatchObject([{ status: 'waiting' }])
      const waiting = await steward('turn', turns[0].id)
      expect(waiting.code).toBe(4)
      expect(waiting.out).toContain(`steward approvals allow ${value.approval.id}`)
      await steward('approvals', 'deny', value.approval.id)
      const over = await steward('turn', turns[0].id)
      expect(over.code).toBe(0)
      expect(over.out).toMatch(/because of user:\w+/)
      expect(over.out).toContain('rejected by ')
      expect((await steward('sessions', 'turns', value.session)).out).toMatch(/trn_\w+ +done/)
    })
  })

  test('[C21] a turn of a model: tokens, price or that there is none; what tools did with --full', async () => {
    await place.start()
    const shop = join(place.home, '..', 'shop')
    mkdirSync(shop)
    expect(await steward('projects', 'create', 'shop', '--root', shop)).toMatchObject({ code: 0 })
    model.script({ calls: [{ name: 'file_list', input: { path: '.' } }], usage: { prompt_tokens: 11, completion_tokens: 3 } }, 'Done.')
    const { value } = await json('ask', 'look', '--agent', 'quick', '--project', 'shop')
    const [{ id }] = (await json('sessions', 'turns', value.session)).value
    const shown = await steward('turn', id, '--full')
    expect(shown.out).toMatch(/openai\/scripted.* no price \(11 in, 3 out\)/)
    expect(shown.out).toContain('file_list .')
    expect(shown.out).toMatch(/Cost: 0\.00 USD for 2 calls of models, 2 of them without a price/)
    expect(await steward('turn', 'x')).toMatchObject({ code: 2 })
    expect(await steward('turn')).toMatchObject({ code: 2 })
    expect(await steward('turn', 'trn_01KB8T2K3XAAAAAAAAAAAAAAAA')).toMatchObject({ code: 1 })
  })
})

describe('the permission mode', () => {
  test('[C22] is set by a word, shown with the session, and taken back', async () => {
    await place.start()
    const { value } = await json('ask', 'hi', '--agent', 'quick')
    expect((await json('sessions', 'mode', value.session, 'read-only')).value.mode).toBe('read-only')
    expect((await steward('sessions', 'show', value.session)).out).toContain('mode read-only')
    expect((await json('sessions', 'mode', value.session, 'default')).value.mode).not.toBe('read-only')
    expect(await steward('sessions', 'mode', value.session, 'free')).toMatchObject({
      code: 2,
      err: expect.stringContaining('read-only, ask, auto'),
    })
  })
})

describe('steward settings and budgets', () => {
  test('[C24] a rate that is set makes a budget in that currency possible; it is removed by a part of its id', async () => {
    await place.start()
    const refused = await steward('budgets', 'set', '3000', 'JPY', 'a', 'day')
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('budget.rates') })
    expect((await steward('settings', 'set', 'budget.rates', '{"EUR": 1.1}')).out).toBe('budget.rates is {"EUR":1.1}.\n')
    expect((await json('settings', 'list', '--prefix', 'budget.')).value).toEqual([{ key: 'budget.rates', value: { EUR: 1.1 } }])
    const { value } = await json('budgets', 'set', '3 EUR a day')
    expect(value).toMatchObject({ limit: 3, currency: 'EUR', scope: 'day' })
    expect((await steward('budgets')).out).toMatch(/ +0 of 3 EUR/)
    expect((await steward('budgets', 'remove', value.id.slice(-6))).out).toContain(`Budget ${value.id} is removed`)
    expect(await steward('budgets', 'remove', 'bud_x')).toMatchObject({ code: 1, err: expect.stringContaining('There is none now') })
    expect((await steward('settings', 'unset', 'budget.rates')).out).toBe('budget.rates is no longer set.\n')
    expect(await steward('settings', 'set', 'budget.rates', '"many"')).toMatchObject({ code: 1 })
    expect(await steward('settings', 'set', 'budget.rates', '')).toMatchObject({ code: 2 })
    expect(await steward('settings', 'set', 'x')).toMatchObject({ code: 2 })
  })
})

describe('each of them', () => {
  const commands = [
    ['approvals'],
    ['grants'],
    ['inbox'],
    ['models'],
    ['turn'],
    ['secrets'],
    ['budgets'],
    ['inbox', 'answer'],
    ['models', 'use'],
  ]
  test.each(commands)('[C4] %s %s has help, and says without a hub how to start one', async (...args) => {
    const words = args.filter((word) => word !== undefined)
    expect((await place.run([...words, '--help'])).out).toContain('--json')
    if (words.length > 1 || words[0] === 'turn') return
    expect(await place.run(words)).toMatchObject({ code: 3, err: expect.stringContaining('steward start') })
  })
})
