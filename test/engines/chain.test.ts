// The chain engine over real lanes, documents and tools: steps as workers, hand-overs, escalation, one writer at a time.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sha256 } from '../../src/base/hash.ts'
import { laneOf, type SessionId } from '../../src/base/ids.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import { hold } from '../../src/models/scripted.ts'
import { defineTool, done } from '../../src/tools/tool.ts'
import { readTrace } from '../../src/work/envelope/trace.ts'
import { chainOf, openStage, report, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const lines = (session: SessionId) => stage.bench.lines(session)
const last = async (session: SessionId) => (await lines(session)).at(-1) ?? ''
const artifacts = async () => (await stage.documents()).filter(({ path }) => path.endsWith('.md'))
/** What an agent was told with its n-th request. */
const told = (agent: string, nth = 1) => JSON.stringify(stage.asked.get(agent)?.[nth - 1]?.body.messages ?? [])
const workers = async () =>
  (await stage.bench.events('process-created')).flatMap(({ data }) => {
    const info = data['process'] as unknown as ProcessInfo
    return info.parent === null ? [] : [info]
  })
const question = async (nth = 1) => stage.bench.until('question-asked', () => true, nth)

describe('in order', () => {
  test('[E20, E21, E29] each step is a worker of its own; what it hands over lies with its envelope and is given to the next', async () => {
    stage.route = chainOf(step('scout'), step('coder', { tier: 'deep' }), step('scriber', { tier: 'light' }))
    stage.plays.set('coder', ({ at }) =>
      at === 1 ? { calls: [{ name: 'file_write', input: { path: 'src/b.ts', text: 'export const b = 2\n' } }] } : (reports['coder'] ?? ''),
    )
    const session = await stage.session()
    await stage.run(session, '@chain Look at a, then write b and tell about it.')
    expect(stage.routed).toMatchObject([{ text: 'Look at a, then write b and tell about it.' }])
    expect(readFileSync(join(stage.root, 'src/b.ts'), 'utf8')).toBe('export const b = 2\n')

    const made = await artifacts()
    expect(made.map(({ path }) => path.split('/').at(-1))).toEqual(['1-scout-report.md', '2-completion-report.md', '3-document.md'])
    for (const { path, text } of made) {
      const envelope = JSON.parse((await stage.documents()).find((one) => one.path === `${path}.envelope.json`)?.text ?? '{}')
      expect(envelope).toMatchObject({
        artifact: { path, sha256: sha256(text), size_bytes: Buffer.byteLength(text) },
        performative: 'INFORM',
      })
    }
    const trace = readTrace((await stage.documents()).find(({ path }) => path.endsWith('trace.jsonl'))?.text ?? '')
    expect(trace.faults).toEqual([])
    expect(trace.events.map(({ event, from, to }) => `${event} ${from} ${to}`)).toEqual([
      'emit scout@n/a coder@n/a',
      'verify_pass scout@n/a coder@n/a',
      'emit coder@n/a scriber@n/a',
      'verify_pass coder@n/a scriber@n/a',
      'emit scriber@n/a orchestrator@n/a',
      'verify_pass scriber@n/a orchestrator@n/a',
    ])
    expect(told('coder')).toContain('findings of it, see src/a.ts:1.')
    expect(told('scriber')).toContain('done of it, see src/a.ts:1.')
    expect((await workers()).map(({ agent, params }) => [agent, params['tier']])).toEqual([
      ['scout', 'standard'],
      ['coder', 'deep'],
      ['scriber', 'light'],
    ])
    expect(await last(session)).toMatch(
      /^assistant: Done: all 3 steps\.\n\n1\. \*\*Scout\*\*: .*1-scout-report\.md.*\n2\. .*\n3\. .*\n\nCost: .* 4 calls/,
    )
    expect((await stage.steps()).map(({ step: at, agent, status }) => `${at} ${agent} ${status}`)).toEqual([
      '1 scout began', '1 scout done', '2 coder began', '2 coder done', '3 scriber began', '3 scriber done',
    ]) // biome-ignore format: one line reads better
  })

  test('[E20] who only reads holds nothing that could change anything, whatever its file says', async () => {
    const text = '---\nname: scout\nclass: scout\nengine: quick\npledge: [fs.*, exec, exec.network, documents.*]\n---\nYou are Scout.'
    await stage.bench.scopes.documents.write({ path: 'agents/scout.md', level: 'tenant', scope: '_tenant', text }, 'user:ada')
    stage.route = chainOf(step('scout'), step('debugger'))
    const session = await stage.session()
    await stage.run(session, 'look and diagnose')
    for (const { params } of await workers()) {
      expect(params['pledge']).toContain('exec.read')
      expect(JSON.stringify(params['pledge'])).not.toMatch(/write|"exec"|"exec\.network"|\*/)
    }
    const tools = stage.asked.get('scout')?.[0]?.body.tools?.map((tool) => tool.function.name) ?? []
    expect(tools).toContain('file_read')
    expect(tools.filter((name) => /write|edit|delete|move/.test(name))).toEqual([])
  })

  test('[E20] a route that came with the process is followed, and nobody is asked', async () => {
    const first = await stage.session()
    const parent = await stage.bench.process(first)
    const route = { text: 'map it', chain: [{ agent: 'scout', class: 'scout', tier: 'light' }] }
    const worker = { parent, params: { route } }
    const { value } = await stage.bench.scopes.sessions.create({ user: 'ada', project: 'garden', agent: 'chain', worker }, 'user:ada')
    await stage.run(value.id as SessionId, 'map it')
    expect(stage.routed).toEqual([])
    expect(await last(value.id as SessionId)).toContain('Done: one step.')
  })

  test('[E20] what is no route is said with the place that is wrong', async () => {
    const parent = await stage.bench.process(await stage.session())
    const worker = { parent, params: { route: { chain: [{ agent: 7 }] } } }
    const { value } = await stage.bench.scopes.sessions.create({ user: 'ada', project: 'garden', agent: 'chain', worker }, 'user:ada')
    await stage.run(value.id as SessionId, 'map it')
    expect(await last(value.id as SessionId)).toContain("The route that came with this work can't be used: chain.0.agent")
  })

  test('[E20] an agent that is not there, and one that leads, are named before anything begins', async () => {
    stage.route = chainOf(step('scout'), step('nobody'), step('hub'))
    const session = await stage.session()
    await stage.run(session, 'do it')
    expect(await last(session)).toMatch(/Nothing was begun\. There is no agent "nobody" here; there is .*scout.*hub leads others/)
    expect(await workers()).toEqual([])
  })

  test('[E12] what a step read goes on to those after it', async () => {
    stage.plays.set('scout', ({ at }) =>
      at === 1 ? { calls: [{ name: 'page', input: { text: 'foreign words' } }] } : (reports['scout'] ?? ''),
    )
    stage.route = chainOf(step('scout'), step('coder'))
    await stage.run(await stage.session(), 'look it up and build it')
    const coder = (await workers()).find(({ agent }) => agent === 'coder')
    expect(await stage.bench.policy.taint.ofProcess(coder?.id ?? '')).toBe('foreign')
  })

  test('[E29] words that come in meanwhile go to the step after', async () => {
    const reading = hold()
    stage.plays.set('scout', () => ({ text: [reading, reports['scout'] ?? ''] }))
    stage.route = chainOf(step('scout'), step('coder'))
    const session = await stage.session()
    const done = stage.run(session, 'look and build')
    await reading.reached
    await stage.bench.say(session, 'but leave src/a.ts alone')
    await stage.bench.until('chat-message-appended', ({ data }) => JSON.stringify(data).includes('goes to the step after it'))
    reading.release()
    await done
    expect(told('coder')).toContain('but leave src/a.ts alone')
  })
})

describe('checks', () => {
  const edit = async (find: RegExp, change: (text: string) => string) => {
    const found = (await stage.documents()).find(({ path }) => find.test(path))
    if (!found) throw new Error('there is no such document')
    const { path, text } = found
    await stage.bench.scopes.documents.write({ path, level: 'project', scope: 'garden', text: change(text) }, 'user:ada')
  }

  test.each([
    ['the artifact', /scout-report\.md$/, (text: string) => `${text}more`],
    ['its envelope', /envelope\.json$/, (text: string) => text.replace('"INFORM"', '"PROPOSE"').replace(/[0-9a-f]{64}/g, '0'.repeat(64))],
    ['an envelope that is none', /envelope\.json$/, () => '{}'],
  ])('[E21] %s was changed meanwhile: the chain stops, and can only do the step again', async (_, find, change) => {
    const working = hold()
    stage.plays.set('coder', ({ at }) => (at === 1 ? { text: [working, reports['coder'] ?? ''] } : (reports['coder'] ?? '')))
    stage.route = chainOf(step('scout'), step('coder'), step('scriber'))
    const session = await stage.session()
    const done = stage.run(session, 'look, build, tell')
    await working.reached
    await edit(find, change)
    working.release()
    const asked = await question()
    expect(asked.data['text']).toMatch(
      /scout-report\.md \(from scout\) did not pass its check before Scriber: (INTEGRITY_MISMATCH|SCHEMA_INVALID)/,
    )
    expect(asked.data['options']).toMatchObject([{ label: 'Do it again' }, { label: 'Stop' }])
    await stage.bench.answer(asked, { option: 'Do it again' })
    await done
    expect((await artifacts()).map(({ path }) => path.split('/').at(-1))).toEqual([
      '1-scout-report.md', '2-completion-report.md', '3-scout-report.md', '4-document.md',
    ]) // biome-ignore format: one line reads better
    expect(await last(session)).toContain('Done: all 3 steps.')
    const trace = (await stage.documents()).find(({ path }) => path.endsWith('trace.jsonl'))?.text ?? ''
    expect(trace).toContain('"verify_fail"')
  })

  test('[E21] "Stop" ends it with what was done, and says what can be done', async () => {
    stage.plays.set('coder', () => 'REFUSE: this is a new design')
    stage.route = chainOf(step('scout'), step('coder'))
    const session = await stage.session()
    const done = stage.run(session, 'look and build')
    await stage.bench.answer(await question(), { option: 'Stop' })
    await done
    expect(await last(session)).toMatch(
      /^assistant: Stopped after 1 of 2 steps\. Coder: it refused it: this is a new design\.\n\n1\. \*\*Scout\*\*.*\n2\. \*\*Coder\*\* \(not done\).*\n\nWhat can be done: Do step 2 again\./s,
    )
    expect(stage.asked.get('coder')).toHaveLength(1)
    expect(stage.asked.get('debugger')).toBeUndefined()
  })

  test('[E22] what lacks a section is asked for once more, with what is missing', async () => {
    stage.plays.set('scout', ({ at }) => (at === 1 ? report('Scope', 'Findings') : (reports['scout'] ?? '')))
    stage.route = chainOf(step('scout'))
    const session = await stage.session()
    await stage.run(session, 'look')
    expect(told('scout', 2)).toContain('lacks ## Gaps')
    expect(await last(session)).toContain('Done: one step.')
    expect(await workers()).toHaveLength(1)
  })

  test('[E22] after that the chain stops', async () => {
    stage.plays.set('scout', () => report('Scope', 'Findings'))
    stage.route = chainOf(step('scout'), step('coder'))
    const session = await stage.session()
    const done = stage.run(session, 'look')
    const asked = await question()
    expect(asked.data['text']).toContain('lacks Gaps (MISSING_REQUIRED_SECTION)')
    await stage.bench.answer(asked, { option: 'Stop' })
    await done
    expect(stage.asked.get('scout')).toHaveLength(2)
    expect(stage.asked.get('coder')).toBeUndefined()
  })

  test('[E21] an edge that no contract declares is named before anything begins', async () => {
    const text = '---\nname: painter\nclass: painter\nengine: quick\n---\nYou are Painter.'
    await stage.bench.scopes.documents.write({ path: 'agents/painter.md', level: 'tenant', scope: '_tenant', text }, 'user:ada')
    stage.route = chainOf(step('scout'), step('painter'))
    const session = await stage.session()
    await stage.run(session, 'look and paint')
    expect(await last(session)).toContain('UNDECLARED_EDGE: No contract declares a hand-off from scout (scout) to painter (painter).')
    expect(await workers()).toEqual([])
  })
})

describe('escalation', () => {
  test('[E23] a coder that fails three times is helped by the debugger, and then finishes', async () => {
    stage.plays.set('coder', ({ at }) => (at <= 3 ? ({ status: 400, message: 'no' } as never) : (reports['coder'] ?? '')))
    stage.route = chainOf(step('coder'))
    const session = await stage.session()
    await stage.run(session, 'build')
    expect(await last(session)).toContain('Done: one step.')
    expect((await artifacts()).map(({ path }) => path.split('/').at(-1))).toEqual([
      '1-failure-report.md',
      '2-root-cause-report.md',
      '3-completion-report.md',
    ])
    expect((await workers()).map(({ agent }) => agent)).toEqual(['coder', 'debugger', 'coder'])
    expect(told('debugger')).toContain('Find out why')
    expect(told('coder', 4)).toContain('cause of it, see src/a.ts:1.')
  })

  test('[E23] once: when that fails too, the chain stops', async () => {
    stage.plays.set('coder', () => 'ESCALATE: the tests still fail')
    stage.route = chainOf(step('coder'), step('scriber'))
    const session = await stage.session()
    const done = stage.run(session, 'build')
    const asked = await question()
    expect(asked.data['text']).toContain('the tests still fail')
    await stage.bench.answer(asked, { option: 'Stop' })
    await done
    expect((await workers()).map(({ agent }) => agent)).toEqual(['coder', 'debugger', 'coder'])
    expect(await last(session)).toContain('Stopped after 0 of 2 steps.')
  })

  test.each([
    ['fails', 'ESCALATE: still red', 'could not do this'],
    ['refuses', 'REFUSE: more than a small edit', 'could not do this'],
    ['proposes', `PROPOSE: three files\n\n${report('Edit', 'Checked')}`, 'could not do all of it alone'],
  ])('[E23, E24] an executor that %s hands on to the coder', async (_, answer, task) => {
    stage.plays.set('executor', () => answer)
    stage.route = chainOf(step('executor'))
    const session = await stage.session()
    await stage.run(session, 'rename it')
    expect((await workers()).map(({ agent }) => agent)).toEqual(['executor', 'coder'])
    expect(told('coder')).toContain(task)
    expect(await last(session)).toContain('Done: one step.')
  })

  test.each([
    ['refuses', 'REFUSE: not what I am for', 'could not do this'],
    ['proposes', `PROPOSE: rename it everywhere\n\n${report('Result', 'Checked')}`, 'could not do all of it alone'],
    ['escalates', `ESCALATE: needs somebody who may write\n\n${report('Result', 'Checked')}`, 'could not do this'],
  ])('[E23, E24] a generalist that %s changes nothing; the coder checks it and applies it', async (_, answer, task) => {
    stage.plays.set('generalist', ({ at }) =>
      at === 1 ? { calls: [{ name: 'file_write', input: { path: 'g.ts', text: 'x\n' } }] } : answer,
    )
    stage.plays.set('coder', ({ at }) =>
      at === 1 ? { calls: [{ name: 'file_write', input: { path: 'c.ts', text: 'x\n' } }] } : (reports['coder'] ?? ''),
    )
    stage.route = chainOf(step('generalist'), step('scriber'))
    const session = await stage.session()
    await stage.run(session, 'tidy it up')
    expect((await workers()).map(({ agent }) => agent)).toEqual(['generalist', 'coder', 'scriber'])
    expect([existsSync(join(stage.root, 'g.ts')), existsSync(join(stage.root, 'c.ts'))]).toEqual([false, true])
    expect(told('coder')).toContain(task)
    expect(told('scriber')).toContain('done of it, see src/a.ts:1.')
    expect(await last(session)).toContain('Done: all 2 steps.')
  })

  test('[E23] what neither the generalist nor the coder could do stops the chain, once', async () => {
    stage.plays.set('generalist', () => 'ESCALATE: not mine')
    stage.plays.set('coder', () => 'REFUSE: not mine either')
    stage.route = chainOf(step('generalist'), step('scriber'))
    const session = await stage.session()
    const done = stage.run(session, 'tidy it up')
    const asked = await question()
    expect(asked.data['text']).toContain('not mine either')
    await stage.bench.answer(asked, { option: 'Stop' })
    await done
    expect((await workers()).map(({ agent }) => agent)).toEqual(['generalist', 'coder'])
  })

  const write = (name: string) => ({ name: 'file_write', input: { path: name, text: 'x\n' } })

  test('[E24] an executor is refused a third file before it is written, also side by side, and proposes it', async () => {
    symlinkSync('src', join(stage.root, 'linked'))
    stage.plays.set('executor', ({ at, said }) => {
      if (at === 1) return { calls: ['a1.ts', 'linked/a2.ts', 'a3.ts'].map(write) }
      if (at === 2) return { calls: [write('./a1.ts'), write('src/a2.ts'), write('a4.ts')] }
      expect(said).toContain('at most 2 files may be changed here')
      return `PROPOSE: two more\n\n${report('Edit', 'Checked')}`
    })
    stage.route = chainOf(step('executor'))
    const session = await stage.session()
    stage.approve()
    await stage.run(session, 'rename it')
    expect(['a1.ts', 'src/a2.ts', 'a3.ts', 'a4.ts'].map((name) => existsSync(join(stage.root, name)))).toEqual([true, true, false, false])
    expect((await workers()).map(({ agent }) => agent)).toEqual(['executor', 'coder'])
    expect(told('coder')).toContain('could not do all of it alone')
  })

  test('[E24] an executor that changed more than two files by other means is looked after by the coder', async () => {
    await stage.close()
    const files = () => ['a1.ts', 'a2.ts', 'a3.ts'].map((name) => join(stage.root, name))
    const scatter = defineTool({
      ...{ name: 'scatter', description: 'Changes files.', labels: ['write'], capability: 'fs.write', effect: 'idempotent', risk: 'R1' },
      ...{ outward: false, input: z.strictObject({}) },
      plan: async () => ({
        target: join(stage.root, 'a1.ts'),
        risk: 'R1',
        outward: false,
        destructive: false,
        consequences: 'Three files change.',
      }),
      run: async () => done('changed', { wrote: files() }),
    })
    stage = await openStage({ tools: [scatter] })
    stage.plays.set('executor', ({ at }) => (at === 1 ? { calls: [{ name: 'scatter', input: {} }] } : (reports['executor'] ?? '')))
    stage.route = chainOf(step('executor'))
    const session = await stage.session()
    stage.approve()
    await stage.run(session, 'rename it')
    expect((await workers()).map(({ agent }) => agent)).toEqual(['executor', 'coder'])
    expect(told('coder')).toContain('3 files')
  })
})

describe('one at a time', () => {
  test('[E25] a second chain that would change the same folder waits visibly and goes on by itself', async () => {
    const working = hold()
    stage.plays.set('coder', ({ at }) => (at === 1 ? { text: [working, reports['coder'] ?? ''] } : (reports['coder'] ?? '')))
    stage.route = chainOf(step('coder'))
    const [one, two] = [await stage.session(), await stage.session()]
    await stage.bench.say(one, 'build the wall')
    await working.reached
    await stage.bench.say(two, 'build the roof')
    await stage.bench.until('chain-waits')
    expect((await lines(two)).at(-1)).toContain('Another chain ("build the wall", project garden) is changing the same folders.')
    await stage.reopen()
    await working.reached
    working.release()
    await stage.bench.until('turn-settled', (event) => event.session === one)
    await stage.bench.until('turn-settled', (event) => event.session === two)
    expect(await last(two)).toContain('Done: one step.')
    await stage.bench.until('chain-over', () => true, 2)
    const order = (await stage.bench.events()).filter(({ type }) => ['chain-claimed', 'chain-over'].includes(type)).map(({ type }) => type)
    expect(order).toEqual(['chain-claimed', 'chain-over', 'chain-claimed', 'chain-over'])
  })

  test('[E25] chains that only read wait for nobody', async () => {
    stage.route = chainOf(step('scout'))
    await stage.run(await stage.session(), 'look')
    expect(await stage.bench.events('chain-claimed')).toEqual([])
  })
})

describe('stop and pause', () => {
  const control = async (session: SessionId, kind: 'stop' | 'pause' | 'resume') => {
    const process = await stage.bench.process(session)
    const turn = (await stage.bench.lanes.look(process))?.turn?.id
    if (!turn) throw new Error('nothing runs')
    await stage.bench.lanes.post({ lane: laneOf(process), id: stage.bench.newId('ent'), from: 'user:ada', body: { kind, turn } })
  }

  test.each([false, true])('[E27] a stop ends the worker too (hub opened again in between: %s)', async (isReopened) => {
    const working = hold()
    stage.plays.set('coder', () => ({ text: [working, reports['coder'] ?? ''] }))
    stage.route = chainOf(step('coder'))
    const session = await stage.session()
    await stage.bench.say(session, 'build')
    await working.reached
    if (isReopened) await stage.reopen()
    await control(session, 'stop')
    await stage.bench.until('turn-settled', (event) => event.session === session && event.data['outcome'] === 'stopped')
    const [worker] = await workers()
    await stage.bench.until('process-closed', ({ lane }) => lane === String(worker?.id))
    await stage.bench.until('chain-over')
    working.release()
  })

  test('[E27] a pause lets the worker rest, also when it has several things to do; going on finishes the work', async () => {
    const working = hold()
    stage.plays.set('coder', ({ at }) =>
      at === 1 ? { text: [working], calls: [{ name: 'file_list', input: {} }] } : (reports['coder'] ?? ''),
    )
    stage.route = chainOf(step('coder'), step('scriber'))
    const session = await stage.session()
    const done = stage.run(session, 'build')
    await working.reached
    await control(session, 'pause')
    await stage.bench.until('process-suspended')
    working.release()
    await stage.bench.until('step-done', ({ data }) => data['name'] === 'model-1')
    expect(stage.asked.get('coder')).toHaveLength(1)
    await control(session, 'resume')
    await done
    expect(await last(session)).toContain('Done: all 2 steps.')
  })
})

describe('questions', () => {
  test('[E28] what could not be told is asked once, the answers join the text, and it is routed again', async () => {
    const clarification = {
      questions: [
        { text: 'Read or write?', options: ['Read', 'Write'] },
        { text: 'Which file?', options: [] },
      ],
    }
    stage.route = { decision: 'clarify', clarification }
    const session = await stage.session()
    const done = stage.run(session, 'do the thing')
    const first = await question(1)
    expect(first.data).toMatchObject({ text: '1 of 2: Read or write?', options: [{ label: 'Read' }, { label: 'Write' }] })
    await stage.bench.answer(first, { option: 'Write' })
    const second = await question(2)
    stage.route = chainOf(step('coder'))
    await stage.bench.answer(second, { text: 'src/a.ts' })
    await done
    expect(stage.routed.at(-1)?.text).toMatch(/^do the thing\b.*Write.*src\/a\.ts/s)
    expect(await last(session)).toContain('Done: one step.')
  })

  test('[E28] there is no second round', async () => {
    stage.route = { decision: 'clarify', clarification: { questions: [{ text: 'Read or write?', options: ['Read', 'Write'] }] } }
    const session = await stage.session()
    const done = stage.run(session, 'do the thing')
    await stage.bench.answer(await question(), { option: 'Read' })
    await done
    expect(await stage.bench.events('question-asked')).toHaveLength(1)
    expect(await last(session)).toContain('I found nobody for this')
  })
})
