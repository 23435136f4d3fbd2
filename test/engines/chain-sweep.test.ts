// Copies of parts: out of sight while they are there, and gone when their chain is over, however it ended.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { laneOf, type SessionId } from '../../src/base/ids.ts'
import { hold } from '../../src/models/scripted.ts'
import { chainOf, openStage, report, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  stage.plays.set('planner', () => `${reports['planner']}\n\n## Stories\n\n- north: build it\n- south: build it`)
  for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => report('Verdict'))
  stage.route = { ...chainOf(step('planner'), step('coder')), tier: 'trance', models: { lead: 'deep', workers: 'light' } }
})
afterEach(() => stage.close())

const hidden = () => join(stage.root, '.steward')
const copies = () => (existsSync(hidden()) ? readdirSync(hidden()) : [])
const isPart = (said: string) => said.includes('You build one part')

async function stopped(session: SessionId): Promise<void> {
  const process = await stage.bench.process(session)
  const turn = (await stage.bench.lanes.look(process))?.turn?.id
  if (!turn) throw new Error('nothing runs')
  await stage.bench.lanes.post({ lane: laneOf(process), id: stage.bench.newId('ent'), from: 'user:ada', body: { kind: 'stop', turn } })
  await stage.bench.until('turn-settled', (event) => event.session === session && event.data['outcome'] === 'stopped')
  await stage.bench.until('chain-over')
}

test.each([false, true])(
  '[E36] a stop sweeps them, and nothing that others keep there (hub opened again in between: %s)',
  async (isReopened) => {
    mkdirSync(join(hidden(), 'run_mine'), { recursive: true })
    writeFileSync(join(hidden(), 'run_mine', 'note.txt'), 'the person wrote this\n')
    const working = hold()
    stage.plays.set('coder', () => ({ text: [working, reports['coder'] ?? ''] }))
    const session = await stage.session()
    await stage.bench.say(session, 'build it all')
    await working.reached
    expect(copies().length).toBe(3)
    if (isReopened) await stage.reopen()
    await stopped(session)
    working.release()
    expect(copies().filter((name) => name !== '.gitignore')).toEqual(['run_mine'])
  },
)

test('[E36] the repository and the file tools do not see them', async () => {
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', stage.root, ...args], { encoding: 'utf8' })
  git('init', '-q')
  git('add', '.')
  const [status, seen]: [string[], string[]] = [[], []]
  stage.plays.set('coder', ({ said, request }) => {
    if (isPart(said)) return reports['coder'] ?? ''
    const results = (request.body.messages ?? []).filter(({ role }) => role === 'tool')
    if (results.length > 0) seen.push(JSON.stringify(results))
    status.push(git('status', '--porcelain'))
    expect(copies().length).toBe(2)
    return results.length > 0
      ? (reports['coder'] ?? '')
      : {
          calls: [
            { name: 'file_list', input: {} },
            { name: 'file_search', input: { pattern: 'const a' } },
          ],
        }
  })
  const session = await stage.session()
  await stage.run(session, 'build it all')
  expect(status).toEqual(['A  src/a.ts\n', 'A  src/a.ts\n'])
  expect(seen).toHaveLength(1)
  expect(seen[0]).toContain('a.ts')
  expect(seen[0]).not.toContain('.steward')
  expect(copies()).toEqual([])
})

test('[E31, E36] parts that were not brought together stay, with their place told, until the next chain there has ended', async () => {
  stage.plays.set('coder', ({ said }) => (isPart(said) ? (reports['coder'] ?? '') : 'REFUSE: I can not bring that together'))
  const session = await stage.session()
  const done = stage.run(session, 'build it all')
  const asked = await stage.bench.until('question-asked')
  await stage.bench.answer(asked, { option: 'Stop' })
  await done
  await stage.bench.until('chain-left')
  expect((await stage.bench.lines(session)).at(-1)).toMatch(
    /The parts lie in \.steward\/run_\w+-s2 of the project until the next chain there has ended\./,
  )
  await stage.reopen()
  expect(copies().length).toBe(2)

  stage.plays.set('coder', () => {
    expect(copies().length).toBe(2)
    return reports['coder'] ?? ''
  })
  stage.route = chainOf(step('coder'))
  await stage.run(await stage.session(), 'bring it together')
  await stage.bench.until('chain-over', () => true, 2)
  expect(copies()).toEqual([])
})
