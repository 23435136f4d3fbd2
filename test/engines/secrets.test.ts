// What a model says, calls and breaks off with, while a registered value is in it: shown to nobody, kept nowhere.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { hold, type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { type Bench, newWorld, openBench, type World } from './bench.ts'

const value = 'blue-horse-battery-1234'
/** Unmistakable by its form, and given by nobody. */
const found = `ghp_${'a1B2'.repeat(9)}`
let model: ScriptedModel
let world: World
let bench: Bench
let session: SessionId
let shown: string[]

beforeEach(async () => {
  model = await startScriptedModel()
  world = newWorld()
  mkdirSync(join(world.person, 'shop'))
  bench = await openBench({ url: model.url, world })
  await bench.scopes.projects.create({ name: 'shop', roots: [join(world.person, 'shop')] }, 'user:ada')
  const text = '---\nname: mailer\nengine: quick\npledge: [fs.read, fs.write]\ntools: {add: [leaky]}\n---\nYou write.'
  await bench.scopes.documents.write({ path: 'agents/mailer.md', level: 'tenant', scope: '_tenant', text }, 'user:ada')
  session = await bench.session({ project: 'shop', agent: 'mailer' })
  await bench.secrets.set({ name: 'horse', value }, 'user:ada')
  shown = []
  bench.lanes.live.listen(session, (frame) => void shown.push(frame.text))
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

const kept = async () => JSON.stringify(await bench.events())
const settled = (nth = 1) => bench.until('turn-settled', (event) => event.session === session, nth)

test('[V5] a value that a model prints in pieces is never shown live, and the words around it are', async () => {
  model.script({ text: ['The key is ', 'blue-', 'horse-bat', 'tery-1', '234', ', keep it. A blue-', 'horse is no key.'] })
  await bench.say(session, 'say it')
  await settled()
  expect(shown.join('')).toBe('The key is {{secret:horse}}, keep it. A blue-horse is no key.')
  expect(shown.some((words) => words.includes('blue-horse-'))).toBe(false)
  expect((await bench.lines(session)).at(-1)).toBe('assistant: The key is {{secret:horse}}, keep it. A blue-horse is no key.')
  expect(await kept()).not.toContain(value)
})

test('[V5] words that a stop keeps hold no value, registered or unmistakable', async () => {
  const gate = hold()
  model.script({ text: [`It is ${value.slice(0, 9)}`, value.slice(9), ` and ${found}. And`, gate], end: 'hang' })
  await bench.say(session, 'say it')
  await gate.reached
  const started = await bench.until('turn-started', (event) => event.session === session)
  const turn = started.data['turn'] as never
  while (!shown.join('').includes('And')) await new Promise<void>((next) => setImmediate(next))
  await bench.lanes.post({ lane: started.lane, id: bench.newId('ent'), from: 'user:ada', body: { kind: 'stop', turn } })
  expect((await settled()).data['outcome']).toBe('stopped')
  expect((await bench.lines(session)).at(-1)).toBe('assistant: It is {{secret:horse}} and [secret]. And')
  expect(await kept()).not.toContain(found)
  expect(await kept()).not.toContain(value)
})

test('[V5] arguments of calls hold references, the same ones at first and after a crash', async () => {
  const input = { path: 'a.txt', text: `one ${value}, one ${found}` }
  model.script({ calls: [{ name: 'file_write', input }] }, { text: 'Written.' })
  await bench.say(session, 'keep it')
  await settled()
  const text = readFileSync(join(world.person, 'shop', 'a.txt'), 'utf8')
  expect(text).toMatch(/^one \{\{secret:horse\}\}, one \{\{secret:[a-z0-9.-]+\}\}$/)
  expect(await kept()).not.toContain(found)
})

test('[V5] the words of an error hold no value', async () => {
  model.script({ status: 400, message: `bad key ${found} and ${value}` })
  await bench.say(session, 'go')
  const { data } = await settled()
  expect(data['outcome']).toBe('failed')
  for (const one of [found, value]) expect(await kept()).not.toContain(one)
})
