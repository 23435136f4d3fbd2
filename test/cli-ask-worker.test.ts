// `steward ask` to somebody else than who leads: the real program, a real hub, a scripted model behind real HTTP.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../src/models/scripted.ts'
import { modelEnv, newPlace, type Place } from './program.ts'

let place: Place
let model: ScriptedModel
let session = ''
beforeAll(async () => {
  model = await startScriptedModel()
  place = newPlace(modelEnv(model))
  await place.start()
})
afterAll(async () => {
  await place.remove()
  await model.close()
})

test('[C25] who is mentioned has the last word on standard output, what is said on the way stands on standard error', async () => {
  model.script({ text: ['Let me look.'], calls: [{ name: 'time_now', input: {} }] }, 'It is at src/a.ts:1.')
  const ended = await place.run(['ask', '@scout where is the login?', '--json'])
  const value = JSON.parse(ended.out)
  session = value.session
  expect(ended).toMatchObject({ code: 0, err: expect.stringMatching(/^Scout has it\.\n(Let me look\.\n)?$/) })
  expect(value).toMatchObject({
    reply: { text: 'Scout has it.' },
    worker: { agent: 'scout', session: expect.stringMatching(/^ses_/), status: 'settled', text: 'It is at src/a.ts:1.' },
  })
})

test('[C25] in a session that has that worker already, only its newest words count', async () => {
  model.script('It is called twice.')
  const ended = await place.run(['ask', '@scout who calls it?', '--session', session])
  expect(ended).toMatchObject({ code: 0, out: 'It is called twice.\n', err: 'Scout has it.\n' })
})

test('[C17, C25] what they may not do without a yes ends the command with 4 and the commands that decide', async () => {
  const folder = join(place.home, '..', 'shop')
  mkdirSync(folder)
  await place.run(['projects', 'create', 'shop', '--root', folder])
  model.script({ calls: [{ name: 'exec_run', input: { argv: ['git', 'push', 'origin', 'main'] } }] })
  const ended = await place.run(['ask', '--project', 'shop', '@coder push it', '--json'])
  const { worker, session: asked } = JSON.parse(ended.out)
  expect(ended.code).toBe(4)
  expect(worker).toMatchObject({ agent: 'coder', status: 'waiting', approval: { target: 'git push origin main' } })
  expect(ended.err).toContain(`Say yes with: steward approvals allow ${worker.approval.id}\n`)
  expect(ended.err).toContain(`Then look with: steward sessions show ${asked}\n`)
})

test('[C25] a failure of theirs is one', async () => {
  model.script(...Array.from({ length: 8 }, () => ({ status: 400, message: 'no such model' })))
  const ended = await place.run(['ask', '@scout and now?', '--session', session])
  expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(/It failed; look with: steward sessions show ses_/) })
})
