// HUE's recorded facts about a proposal of where something belongs: keep, change, accept. Here a delegation that a project would fit.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { type Bench, newWorld, openBench, type World } from '../engines/bench.ts'
import { describeShared } from '../shared.ts'

let model: ScriptedModel
let world: World
let bench: Bench
let session: SessionId

const delegation = { type: 'DELEGATE_PROJECT', reason: 'r', projectName: 'audit', projectTitle: 'Audit', projectGoal: 'Audit it.' }

beforeEach(async () => {
  // The hub delegates whatever the person says last; its workers wait.
  model = await startScriptedModel({
    otherwise({ body: { messages = [] } }) {
      const isHub = JSON.stringify(messages[0] ?? '').includes('You are Eddie')
      const isAnswered = messages.at(-1)?.role === 'tool'
      const input = isHub && !isAnswered ? { ...delegation, roots: ['./shop'] } : { type: 'WAIT', reason: 'r' }
      return { calls: [{ name: 'act', input }] }
    },
  })
  world = newWorld()
  for (const name of ['shop', 'other']) mkdirSync(join(world.person, name))
  bench = await openBench({ url: model.url, world })
  session = await bench.session()
  await bench.scopes.projects.create({ name: 'old', title: 'Old', roots: [join(world.person, 'shop')] }, 'user:ada')
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

/** Says it, and gives the answers to the questions that come; resolves with them when the turn is over. */
async function propose(...answers: readonly string[]): Promise<readonly Event[]> {
  const before = (await bench.events('question-asked')).length
  const turns = (await bench.events('turn-settled')).filter((event) => event.session === session).length
  await bench.say(session, 'Audit ./shop', { folder: world.person })
  const asked: Event[] = []
  for (const answer of answers) {
    const question = await bench.until('question-asked', () => true, before + asked.length + 1)
    asked.push(question)
    await bench.answer(question, answer)
  }
  await bench.until('turn-settled', (event) => event.session === session, turns + 1)
  return asked
}

const projects = async () => (await bench.scopes.projects.list({ limit: 50 })).items.map(({ name }) => name).sort()

const checks: Readonly<Record<string, () => Promise<void>>> = {
  async 'no hidden work'() {
    await propose('Keep')
    expect(await projects()).toEqual(['old'])
    expect(await bench.events('worker-linked')).toEqual([])
    expect((await bench.events('session-created')).filter((event) => event.data['project'] === 'old')).toEqual([])
    // Nor by silence.
    await bench.say(session, 'Audit ./shop', { folder: world.person })
    await bench.until('question-asked', () => true, 2)
    world.clock.advance(2 * 3_600_000)
    await bench.until('turn-settled', (event) => event.session === session, 2)
    expect(await bench.events('worker-linked')).toEqual([])
  },
  async 'every field editable before dispatch'() {
    const [, fields] = await propose('Change', `name: mine\ntitle: My own\ngoal: Look at it.\nfolder: ${join(world.person, 'other')}`)
    for (const name of ['name', 'title', 'goal', 'folder']) expect(fields?.data['text']).toContain(`${name}: `)
    expect(await bench.scopes.projects.get('mine')).toMatchObject({ title: 'My own', roots: [join(world.person, 'other')] })
    const linked = await bench.until('worker-linked')
    expect((await bench.lines(linked.data['session'] as SessionId))[0]).toBe('user: Look at it.')
  },
  // What was chosen stands in the journal and in the conversation, and makes no rule: the next one is proposed again.
  async inspectable() {
    await propose('Accept')
    expect((await bench.events('question-answered')).at(-1)?.data['answer']).toMatchObject({ by: 'user:ada', value: 'Accept' })
    const [again] = await propose('Keep')
    expect(again?.data['text']).toContain('it works in the same folder')
    expect(await bench.events('worker-linked')).toHaveLength(1)
  },
}

describeShared('[E7] HUE: inbox', 'hue/inbox.json', ({ rows }) => {
  test.each((rows as readonly { readonly id: string; readonly expect: string }[]).map((row) => [row.id, row] as const))(
    '[E7] %s',
    async (_id, row) => {
      const check = Object.entries(checks).find(([words]) => row.expect.includes(words))?.[1]
      if (!check) throw new Error(`no check for: ${row.expect}`)
      await check()
    },
  )
})
