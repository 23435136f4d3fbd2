// Taint that no stop and no crash loses: what a tainted turn wrote, or may have written, carries it.
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../src/models/scripted.ts'
import { defineTool, done, type Tool } from '../../src/tools/tool.ts'
import { type Bench, newWorld, openBench, type World } from './bench.ts'

let model: ScriptedModel
let world: World
let bench: Bench
let session: SessionId
let root: string
let slow: Slow

type Slow = { readonly tools: readonly Tool[]; readonly reached: Promise<void>; release(): void }

/**
 * Two tools that write a file and then stand still until they are released: one is done again after a crash, one must not be done
 * twice and changes what nobody can know before. Both go on behind a stop, as a command does that ends.
 */
function slowTools(): Slow {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const write = async (name: string) => {
    writeFileSync(join(root, name), 'from the page')
    reached.resolve()
    await released.promise
    return done(`wrote ${name}`, { wrote: [join(root, name)] })
  }
  const usual = { labels: ['write'], capability: 'fs.write', input: z.strictObject({ name: z.string() }), risk: 'R1' } as const
  const plan = (name: string) => ({ target: name, risk: 'R1', outward: false, destructive: false, consequences: 'It writes.' }) as const
  const tools = [
    defineTool({
      ...usual,
      name: 'slow_write',
      description: 'Writes a file.',
      effect: 'idempotent',
      plan: async ({ name }) => plan(join(root, name)),
      run: ({ name }) => write(name),
    }),
    defineTool({
      ...usual,
      name: 'slow_run',
      description: 'Runs something.',
      effect: 'once',
      plan: async () => plan(root),
      writes: async () => ({ paths: [root] }),
      run: ({ name }) => write(name),
    }),
  ]
  return { tools, reached: reached.promise, release: () => released.resolve() }
}

const open = async () => {
  slow = slowTools()
  bench = await openBench({ url: model.url, world, tools: slow.tools })
}

beforeEach(async () => {
  model = await startScriptedModel()
  world = newWorld()
  mkdirSync(join(world.person, 'shop'))
  root = realpathSync(join(world.person, 'shop'))
  writeFileSync(join(root, 'old.txt'), 'mine')
  await open()
  await bench.scopes.projects.create({ name: 'shop', roots: [root] }, 'user:ada')
  const text = '---\nname: writer\nengine: quick\npledge: [fs.read, fs.write]\ntools: {add: [page, slow_write, slow_run]}\n---\nYou write.'
  await bench.scopes.documents.write({ path: 'agents/writer.md', level: 'tenant', scope: '_tenant', text }, 'user:ada')
  session = await bench.session({ project: 'shop', agent: 'writer' })
})
afterEach(async () => {
  slow.release()
  await bench.close()
  await model.close()
})

const page: ScriptedReply = { calls: [{ name: 'page', input: { text: 'do as I say' } }] }
const call = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input }] })
const settled = (nth = 1) => bench.until('turn-settled', (event) => event.session === session, nth)
const taintOf = (name: string) => bench.policy.taint.ofPath(join(root, name))
const stop = async () => {
  const started = await bench.until('turn-started', (event) => event.session === session)
  const turn = started.data['turn'] as never
  await bench.lanes.post({ lane: started.lane, id: bench.newId('ent'), from: 'user:ada', body: { kind: 'stop', turn } })
  // The clock stands in the hand: the grace is over when it says so.
  await bench.until('turn-stopping')
  world.clock.advance(1_000)
  return settled()
}
const write = (name: string, tool = 'slow_write') => {
  model.script(page, call(tool, { name }), { text: 'Written.' })
  return bench.say(session, 'keep that page')
}

test.each(['slow_write', 'slow_run'])('[D11, E12] %s: while it is being written, and after a stop in the middle', async (tool) => {
  await write('a.txt', tool)
  await slow.reached
  expect(await taintOf('a.txt')).toBe('foreign')
  expect((await stop()).data['outcome']).toBe('stopped')
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('from the page')
  expect(await taintOf('a.txt')).toBe('foreign')
  slow.release()
  await bench.until('taint-written')
  expect([await taintOf('a.txt'), await taintOf('old.txt')]).toEqual(['foreign', 'none'])
})

test.each(['slow_write', 'slow_run'])('[D11] %s: a kill between the write and its end, and a stop instead of going on', async (tool) => {
  await write('a.txt', tool)
  await slow.reached
  await bench.close({ keep: true })
  await open()
  expect(await taintOf('a.txt')).toBe('foreign')
  expect((await stop()).data['outcome']).toBe('stopped')
  await bench.close({ keep: true })
  await open()
  expect(await taintOf('a.txt')).toBe('foreign')
})

test('[D11] a kill in the middle of what must not happen twice marks all that it could have written', async () => {
  await write('a.txt', 'slow_run')
  await slow.reached
  await bench.close({ keep: true })
  await open()
  const question = await bench.until('question-asked')
  await bench.answer(question, 'Leave it')
  await settled()
  expect([await taintOf('a.txt'), await taintOf('old.txt')]).toEqual(['foreign', 'foreign'])
})

test('[D11] what is done again after a kill ends as it would have: what it wrote is marked, and nothing else', async () => {
  await write('a.txt')
  await slow.reached
  await bench.close({ keep: true })
  await open()
  slow.release()
  await settled()
  expect([await taintOf('a.txt'), await taintOf('old.txt')]).toEqual(['foreign', 'none'])
})

test('[D11] a file that is moved takes it along, and carries it under both names from before it is moved', async () => {
  model.script(page, call('file_write', { path: 'a.txt', text: 'from the page' }), { text: 'Written.' })
  await bench.say(session, 'keep that page')
  await settled()
  const other = await bench.session({ project: 'shop', agent: 'writer' })
  model.script(call('file_move', { path: 'a.txt', to: 'b.txt' }), { text: 'Moved.' })
  await bench.say(other, 'move it')
  await bench.answer(await bench.until('approval-requested'), { decision: 'allow', scope: 'once' })
  await bench.until('turn-settled', (event) => event.session === other)
  expect(await taintOf('b.txt')).toBe('foreign')
  const noted = await bench.events('taint-writing')
  expect(noted.at(-1)?.data).toMatchObject({ taint: 'foreign', paths: [join(root, 'a.txt'), join(root, 'b.txt')] })
})

test('[D11] a call that changed nothing marks nothing, and a turn that read nothing notes nothing before', async () => {
  model.script(page, call('file_edit', { path: 'old.txt', edits: [{ old: 'nowhere', new: 'x' }] }), { text: 'No.' })
  await bench.say(session, 'change it')
  await settled()
  expect(await taintOf('old.txt')).toBe('none')
  const other = await bench.session({ project: 'shop', agent: 'writer' })
  const before = (await bench.events('taint-writing')).length
  model.script(call('file_write', { path: 'new.txt', text: 'mine' }), { text: 'Written.' })
  await bench.say(other, 'write it')
  await bench.until('turn-settled', (event) => event.session === other)
  expect(await bench.events('taint-writing')).toHaveLength(before)
})
