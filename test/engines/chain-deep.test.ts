// Deep runs: parts built side by side in folders of their own, brought together by the lead, judged by others, and what it may cost.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import type { Route } from '../../src/routing/route.ts'
import { chainOf, openStage, type Play, report, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
afterEach(() => stage.close())

const deep = (given: Partial<Route>): Partial<Route> => ({ ...given, tier: 'trance', models: { lead: 'deep', workers: 'light' } })
const plan = (...names: readonly string[]): string =>
  `${reports['planner']}\n\n## Stories\n\n${names.map((name) => `- ${name}: build it`).join('\n')}`
const fine = `${report('Verdict')}`
const text = (path: string) => readFileSync(join(stage.root, path), 'utf8')
const last = async (session: Parameters<Stage['run']>[0]) => (await stage.bench.lines(session)).at(-1) ?? ''
const workers = async () =>
  (await stage.bench.events('process-created')).flatMap(({ data }) => {
    const info = data['process'] as unknown as ProcessInfo
    return info.parent === null ? [] : [info]
  })
/** Of the part that it was told to build; null: it leads. */
const partIn = (said: string): string | null => /You build one part.*?\\?"(\w+):/s.exec(said)?.[1] ?? null

/** Each part writes what `writes` says for it, then reports; the lead does what `lead` says. */
function coder(writes: Readonly<Record<string, Readonly<Record<string, string>>>>, lead: Readonly<Record<string, string>> = {}): Play {
  return ({ said, request }) => {
    const part = partIn(said)
    const files = part === null ? lead : (writes[part] ?? {})
    const isBack = (request.body.messages ?? []).some(({ role }) => role === 'tool')
    const calls = Object.entries(files).map(([path, content]) =>
      path === 'src/a.ts'
        ? { name: 'file_edit', input: { path, old: 'export const a = 1\n', new: content } }
        : { name: 'file_write', input: { path, text: content } },
    )
    return calls.length === 0 || isBack ? (reports['coder'] ?? '') : { calls }
  }
}

async function begin(writes: Parameters<typeof coder>[0], lead: Parameters<typeof coder>[1] = {}): Promise<string> {
  stage.plays.set('planner', () => plan(...Object.keys(writes)))
  stage.plays.set('reasoner', () => fine)
  stage.plays.set('debugger', () => fine)
  stage.plays.set('coder', coder(writes, lead))
  stage.route = deep(chainOf(step('planner'), step('coder')))
  const session = await stage.session()
  stage.approve()
  await stage.run(session, 'build it all')
  return last(session)
}

describe('side by side', () => {
  test('[E30] each part has a copy of its own, the tier of workers, and sees nothing else; the lead gets all of it', async () => {
    stage = await openStage()
    writeFileSync(join(stage.root, 'uncommitted.txt'), 'as it is now\n')
    mkdirSync(join(stage.root, '.git'))
    const said = await begin({ north: { 'north.ts': 'n\n' }, south: { 'south.ts': 's\n' } })
    expect(said).toContain('Done: all 2 steps.')
    expect([text('north.ts'), text('south.ts'), text('uncommitted.txt')]).toEqual(['n\n', 's\n', 'as it is now\n'])
    const coders = (await workers()).filter(({ agent }) => agent === 'coder')
    expect(coders.map(({ params }) => [params['tier'], params['roots'] !== undefined])).toEqual([
      ['light', true],
      ['light', true],
      ['deep', false],
    ])
    expect(new Set(coders.slice(0, 2).map(({ params }) => String(params['roots']))).size).toBe(2)
    expect(existsSync(join(stage.root, '.steward'))).toBe(false)
    expect(readdirSync(stage.root).toSorted()).toEqual(['.git', 'north.ts', 'south.ts', 'src', 'uncommitted.txt'])
    expect((await stage.documents()).filter(({ path }) => path.endsWith('.md')).map(({ path }) => path.split('/').at(-1))).toEqual([
      '1-spec.md', '2-completion-report.md', '3-completion-report.md', '4-completion-report.md',
    ]) // biome-ignore format: one line reads better
  })

  test('[E30] installed packages are in no copy, and each part is told so', async () => {
    stage = await openStage()
    mkdirSync(join(stage.root, 'node_modules', 'left'), { recursive: true })
    writeFileSync(join(stage.root, 'node_modules', 'left', 'index.js'), 'x\n')
    expect(await begin({ north: { 'n.ts': 'n\n' }, south: { 's.ts': 's\n' } })).toContain('Done: all 2 steps.')
    const parts = (stage.asked.get('coder') ?? []).filter(({ text: all }) => all.includes('You build one part'))
    expect(parts.every(({ text: all }) => all.includes('Installed packages (node_modules) are not in it'))).toBe(true)
    expect(text('node_modules/left/index.js')).toBe('x\n')
  })

  test('[E30] more parts than may work at once are built in batches', async () => {
    stage = await openStage()
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
    const writes = Object.fromEntries(names.map((name) => [name, { [`${name}.ts`]: 'x\n' }]))
    expect(await begin(writes)).toContain('Done: all 2 steps.')
    expect(names.every((name) => existsSync(join(stage.root, `${name}.ts`)))).toBe(true)
    const session = (await stage.bench.events('chat-message-appended')).flatMap(
      ({ data }) => /Side by side \([^)]*\)/.exec(JSON.stringify(data))?.[0] ?? [],
    )
    expect(session).toEqual(['Side by side (1 to 5 of 7)', 'Side by side (6 to 7 of 7)'])
  })

  test('[E31] what two parts changed in different ways is told, stays as it was, and the lead brings it together', async () => {
    stage = await openStage()
    const said = await begin(
      { north: { 'src/a.ts': 'north\n', 'n.ts': 'n\n' }, south: { 'src/a.ts': 'south\n' } },
      { 'src/a.ts': 'north and south\n' },
    )
    expect(said).toContain('Done: all 2 steps.')
    expect([text('src/a.ts'), text('n.ts')]).toEqual(['north and south\n', 'n\n'])
    const lead = JSON.stringify(stage.asked.get('coder')?.findLast(({ text: all }) => all.includes('You lead this work'))?.body.messages)
    expect(lead).toContain(`${join(stage.root, 'src/a.ts')}: it was changed in different ways, by part 1 and 2`)
  })

  test('[E31] what was changed in the project meanwhile is a conflict, and stays as it is', async () => {
    stage = await openStage()
    stage.plays.set('planner', () => plan('north', 'south'))
    for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => fine)
    const play = coder({ north: { 'src/a.ts': 'north\n' }, south: { 's.ts': 's\n' } })
    stage.plays.set('coder', (asked) => {
      if (partIn(asked.said) === 'south') writeFileSync(join(stage.root, 'src/a.ts'), 'by the person\n')
      return play(asked)
    })
    stage.route = deep(chainOf(step('planner'), step('coder')))
    const session = await stage.session()
    stage.approve()
    await stage.run(session, 'build it all')
    expect(text('src/a.ts')).toBe('by the person\n')
    expect((await stage.bench.lines(session)).join('\n')).toContain('it was changed in the project meanwhile')
  })

  test('[E30] without parts, or where the gate of building is shut, it is built in one piece', async () => {
    stage = await openStage()
    stage.plays.set('planner', () => plan('north', 'south'))
    for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => fine)
    stage.route = { ...deep(chainOf(step('planner'), step('coder'))), gates: [{ id: 'G4', holds: false, text: 'one story' }] }
    const session = await stage.session()
    await stage.run(session, 'build it all')
    expect((await workers()).filter(({ agent }) => agent === 'coder')).toHaveLength(1)
  })

  test('[E26, E31] killed in the middle of it, again and again: each part is made once and nothing is left over', async () => {
    stage = await openStage()
    stage.plays.set('planner', () => plan('north', 'south', 'west'))
    for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => fine)
    stage.plays.set('coder', coder({ north: { 'n.ts': 'n\n' }, south: { 's.ts': 's\n' }, west: { 'w.ts': 'w\n' } }))
    stage.route = deep(chainOf(step('planner'), step('coder')))
    const session = await stage.session()
    await stage.bench.say(session, 'build it all')
    const wanted: ReadonlySet<string> = new Set(['step-done', 'delegated', 'ask-answered', 'process-created', 'chat-message-appended'])
    for (let kills = 0; kills < 12; kills++) {
      let isOver = false
      for await (const batch of stage.bench.journal.follow(stage.bench.journal.head())) {
        isOver = batch.some((event) => event.type === 'turn-settled' && event.session === session)
        if (isOver || batch.some(({ type }) => wanted.has(type))) break
      }
      if (isOver) break
      await stage.reopen()
    }
    await stage.bench.until('turn-settled', (event) => event.session === session)
    expect(await last(session)).toContain('Done: all 2 steps.')
    expect((await workers()).map(({ agent }) => agent).toSorted()).toEqual([
      'coder',
      'coder',
      'coder',
      'coder',
      'debugger',
      'planner',
      'reasoner',
    ])
    expect(readdirSync(stage.root).toSorted()).toEqual(['n.ts', 's.ts', 'src', 'w.ts'])
  })
})

describe('judged', () => {
  test('[E32] what somebody else finds is mended, and judged again', async () => {
    stage = await openStage()
    stage.plays.set('reasoner', ({ at }) => (at === 1 ? `CRITIQUE: step 2 is vague\n\n${report('Verdict')}` : fine))
    stage.plays.set('debugger', () => fine)
    stage.route = deep(chainOf(step('planner'), step('coder')))
    const session = await stage.session()
    await stage.run(session, 'build it')
    expect((await workers()).map(({ agent }) => agent)).toEqual(['planner', 'reasoner', 'planner', 'reasoner', 'coder', 'debugger'])
    expect(await last(session)).toContain('Done: all 2 steps.')
  })

  test('[E32] three rounds, then a plan goes on and a build stops', async () => {
    stage = await openStage()
    for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => `CRITIQUE: never good\n\n${report('Verdict')}`)
    stage.route = deep(chainOf(step('planner'), step('coder')))
    const session = await stage.session()
    const done = stage.run(session, 'build it')
    const asked = await stage.bench.until('question-asked')
    expect(asked.data['text']).toContain('is not satisfied after 3 rounds: never good')
    await stage.bench.answer(asked, { option: 'Stop' })
    await done
    const all = (await workers()).map(({ agent }) => agent)
    expect(['planner', 'reasoner', 'coder', 'debugger'].map((agent) => all.filter((one) => one === agent).length)).toEqual([4, 4, 4, 4])
  })
})

describe('cost', () => {
  const budgets = (currency: string) => ({
    list: async () => [
      { id: 'b', user: 'ada', scope: 'day' as const, of: null, limit: 1_000_000, currency, text: `1 ${currency} a day`, spent: 400_000 },
    ],
    set: never,
  })
  const open = async (currency = 'USD') => {
    stage = await openStage({ money: { budgets: budgets(currency), against: () => null }, priceOf: () => ({ input: 1, output: 5 }) })
    for (const judge of ['reasoner', 'debugger']) stage.plays.set(judge, () => fine)
    stage.route = deep(chainOf(step('planner'), step('coder')))
    return stage.session()
  }

  test.each([
    ['Go on', 'Done: all 2 steps.', 4],
    ['Run it plainly', 'Done: all 2 steps.', 2],
    ['Stop', 'Nothing was begun.', 0],
  ])('[E33] above what is left of a budget it is asked: %s', async (option, end, count) => {
    const session = await open()
    const done = stage.run(session, 'build it')
    const asked = await stage.bench.until('question-asked')
    expect(asked.data['text']).toMatch(/may cost 0\.3[89] to 2\.34 USD, and of the budget "1 USD a day" 0\.60 USD are left/)
    await stage.bench.answer(asked, { option })
    await done
    expect(await last(session)).toContain(end)
    expect(await workers()).toHaveLength(count)
  })

  test('[E33] it is said in the currency of the budget, at the rate that is set', async () => {
    const session = await open('EUR')
    await stage.bench.scopes.settings.set({ key: 'budget.rates', value: { EUR: 2 }, level: 'home', scope: '_user_ada' }, 'user:ada')
    const done = stage.run(session, 'build it')
    const asked = await stage.bench.until('question-asked')
    expect(asked.data['text']).toContain('may cost 0.19 to 1.17 EUR, and of the budget "1 EUR a day" 0.60 EUR are left')
    await stage.bench.answer(asked, { option: 'Stop' })
    await done
  })
})

async function never(): Promise<never> {
  throw new Error('nobody sets a budget here')
}
