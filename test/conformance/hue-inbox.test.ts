// What HUE's inbox promises of a proposal, over the recorded facts about it: keep, change, and what an acceptance leaves behind.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isId, type SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { type Bench, newWorld, openBench, type World } from '../engines/bench.ts'
import { describeShared } from '../shared.ts'

let model: ScriptedModel
let world: World
let bench: Bench
let session: SessionId

const acting = (input: Record<string, unknown>): ScriptedReply => ({ calls: [{ name: 'act', input: { reason: 'r', ...input } }] })
const delegation = {
  ...{ type: 'DELEGATE_PROJECT', projectName: 'Shop audit', projectTitle: 'Audit', projectGoal: 'Audit the shop.', roots: ['./shop'] },
}

describeShared("HUE's inbox", 'hue/inbox.json', ({ rows }) => {
  const find = (id: string): unknown => rows.find((row) => typeof row === 'object' && row !== null && 'id' in row && row.id === id)

  beforeEach(async () => {
    model = await startScriptedModel({
      otherwise: ({ body }) =>
        JSON.stringify(body.messages?.[0] ?? '').includes('You are Eddie') ? acting(delegation) : acting({ type: 'WAIT' }),
    })
    world = newWorld()
    for (const name of ['shop', 'other']) mkdirSync(join(world.person, name))
    bench = await openBench({ url: model.url, world })
    session = await bench.session()
    await bench.scopes.projects.create({ name: 'old', title: 'Old shop', roots: [join(world.person, 'shop')] }, 'user:ada')
  })
  afterEach(async () => {
    await bench.close()
    await model.close()
  })

  const ask = async (nth: number) => {
    await bench.say(session, 'Audit ./shop, or ./other', { folder: world.person })
    return bench.until('question-asked', ({ session: of }) => of === session, nth)
  }
  const settled = (nth: number) => bench.until('turn-settled', (event) => event.session === session, nth)
  const workerOf = async ({ data }: Event): Promise<readonly string[]> => {
    const at = data['session']
    if (!isId('ses', at)) throw new Error('a link names a session')
    await bench.until('turn-settled', (event) => event.session === at)
    return bench.lines(at)
  }

  test('[E7] ib-keep: no hidden work', async () => {
    expect(find('ib-keep')).toMatchObject({ expect: 'no hidden work' })
    const before = (await bench.scopes.projects.list({ limit: 50 })).items.length
    await bench.answer(await ask(1), 'Keep')
    await settled(1)
    expect(await bench.events('worker-linked')).toEqual([])
    expect((await bench.scopes.projects.list({ limit: 50 })).items).toHaveLength(before)
    const [asked] = await bench.events('session-created')
    expect(await bench.events('session-created')).toEqual([asked])
    expect((await bench.lines(session)).at(-1)).toContain('nothing was started')
  })

  test('[E7] ib-change: every field can be changed before anything is sent', async () => {
    expect(find('ib-change')).toMatchObject({ expect: 'every field editable before dispatch' })
    await bench.answer(await ask(1), 'Change')
    const fields = await bench.until('question-asked', ({ session: of }) => of === session, 2)
    for (const name of ['name: ', 'title: ', 'goal: ', 'folder: ']) expect(fields.data['text']).toContain(name)
    expect(await bench.events('worker-linked')).toEqual([])
    await bench.answer(fields, 'name: fresh\ntitle: A fresh look\ngoal: Look at the other.\nfolder: ./other')
    const link = await bench.until('worker-linked')
    expect(link.data['project']).toBe('fresh')
    expect(await bench.scopes.projects.get('fresh')).toMatchObject({ title: 'A fresh look', roots: [join(world.person, 'other')] })
    expect(await workerOf(link)).toEqual(['user: Look at the other.'])
  })

  test('[E7, D6] ib-correction: an acceptance is a fact that can be read, and decides nothing the next time', async () => {
    expect(find('ib-correction')).toMatchObject({ expect: expect.stringContaining('no permanent class from one acceptance') })
    const first = await ask(1)
    await bench.answer(first, 'Accept')
    await settled(1)
    const read = (await bench.events('question-answered')).at(-1)
    expect(read).toMatchObject({ actor: 'user:ada' })
    // Nothing was learned from it: no grant, no rule, no setting; the next one is proposed like the first.
    expect(await bench.policy.grants.list({ user: 'ada' })).toEqual([])
    expect((await bench.scopes.documents.list('', { user: 'ada' })).filter(({ level }) => level === 'home')).toEqual([])
    const second = await ask(2)
    expect(second.data['options']).toEqual(first.data['options'])
    await bench.answer(second, 'Keep')
    await settled(2)
    expect(await bench.events('worker-linked')).toHaveLength(1)
  })
})
