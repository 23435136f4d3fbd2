// Gates of a deep run: what they open is done side by side by workers who only read, and what they shut stays one worker's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import type { Gate, Route } from '../../src/routing/route.ts'
import { chainOf, openStage, report, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const gates = (id: string, more: Partial<Gate> = {}): readonly Gate[] =>
  ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'].map((one) => ({ id: one, holds: one === id, text: 'so it is.', ...(one === id ? more : {}) }))
const deep = (kind: string, open: readonly Gate[]): Partial<Route> => ({
  ...{ ...chainOf(step(kind)), tier: 'trance', models: { lead: 'deep', workers: 'light' }, gates: open },
})
const list = (heading: string, ...names: readonly string[]) =>
  `## ${heading}\n\n${names.map((name) => `- ${name}: look at ${name}`).join('\n')}`
const isNaming = (said: string) => said.includes('at least two and at most')
const leads = (said: string) => said.includes('You lead this.')
const lines = async (session: SessionId) => (await stage.bench.lines(session)).join('\n')
const workers = async () =>
  (await stage.bench.events('process-created')).flatMap(({ data }) => {
    const info = data['process'] as unknown as ProcessInfo
    return info.parent === null ? [] : [info]
  })
const made = async (name: RegExp) => (await stage.documents()).filter(({ path }) => name.test(path)).map(({ text }) => text)
const leadWas = (agent: string) => JSON.stringify(stage.asked.get(agent)?.find(({ text }) => leads(text))?.body.messages ?? [])

async function run(route: Partial<Route>): Promise<SessionId> {
  stage.route = route
  const session = await stage.session()
  await stage.run(session, 'do it all')
  return session
}

describe('discovery (G1)', () => {
  test('[E34] a scout for each area, five at once; the lead makes one report of theirs', async () => {
    const areas = ['north', 'south', 'east', 'west', 'up', 'down']
    stage.plays.set('scout', ({ said }) => (isNaming(said) && !leads(said) ? list('Areas', ...areas) : (reports['scout'] ?? '')))
    const session = await run(deep('scout', gates('G1')))
    expect((await workers()).map(({ agent, params }) => `${agent} ${params['tier']}`)).toEqual([
      'scout deep',
      ...areas.map(() => 'scout light'),
      'scout deep',
    ])
    expect(await lines(session)).toContain('Side by side (1 to 5 of 6): north, south, east, west, up.')
    expect(await lines(session)).toContain('Side by side (6 to 6 of 6): down.')
    expect(leadWas('scout')).toContain('6. down: done')
    expect(leadWas('scout')).toContain('findings of it, see src/a.ts:1.')
    expect(await made(/scout-report\.md$/)).toHaveLength(7)
    expect(await lines(session)).toContain('Done: one step.')
  })

  test('[E34] what one of them could not do is told to the lead, and holds up nobody', async () => {
    stage.plays.set('scout', ({ said }) => {
      if (leads(said)) return reports['scout'] ?? ''
      if (isNaming(said)) return list('Areas', 'north', 'south')
      return said.includes('look at south') ? 'REFUSE: there is no south' : (reports['scout'] ?? '')
    })
    const session = await run(deep('scout', gates('G1')))
    expect(leadWas('scout')).toContain('2. south: NOT done (it refused it: there is no south)')
    expect(await lines(session)).toContain('Done: one step.')
  })

  test('[E34] a shut gate, a plain run, or nothing to share out: it stays one worker', async () => {
    const counts: number[] = []
    for (const route of [deep('scout', gates('G2')), { ...deep('scout', gates('G1')), tier: 'standard' as const }]) {
      const before = (await workers()).length
      await run(route)
      counts.push((await workers()).length - before)
    }
    expect(counts).toEqual([1, 1])
    stage.plays.set('scout', ({ said }) => (isNaming(said) ? list('Areas', 'all') : (reports['scout'] ?? '')))
    const session = await run(deep('scout', gates('G1')))
    expect(await lines(session)).toContain('It is done in one piece: there is nothing to share out.')
    expect((await workers()).length).toBe(4)
  })
})

describe('a hard decision (G2)', () => {
  const decide = (...votes: readonly string[]) => {
    let at = 0
    stage.plays.set('reasoner', ({ said }) => {
      if (leads(said)) return reports['reasoner'] ?? ''
      if (isNaming(said)) return list('Options', 'durable queue', 'queue', 'cron')
      return `DECIDE: ${votes[at++]}\n\n${report('Question', 'Options', 'Verdict', 'Assumptions')}`
    })
  }

  test('[E35] three traces decide alone; the majority is the verdict, and the hand-over says how it came about', async () => {
    decide('Durable queue', '**durable queue**', 'cron')
    const session = await run(deep('reasoner', gates('G2', { count: 3 })))
    const all = await workers()
    expect(all.map(({ params }) => params['tier'])).toEqual(['deep', 'light', 'light', 'light', 'deep'])
    for (const { params } of all) expect(String(params['pledge'])).not.toMatch(/write|exec(?!\.read)|\*/)
    const vote = 'Consensus: "durable queue" with 2 of 3 traces (67 %): "durable queue" 2, "cron" 1.'
    expect(await lines(session)).toContain(vote)
    expect((await made(/reasoning-report\.md$/)).at(-1)).toContain(`## Vote\n\n${vote}`)
    expect(leadWas('reasoner')).toContain('it is not decided anew')
  })

  test('[E35] five where the stakes are high; without 60 % there is no consensus, and that is said', async () => {
    decide('queue', 'cron', 'durable queue', 'cron', 'something else')
    const session = await run(deep('reasoner', gates('G2', { count: 5 })))
    expect((await workers()).length).toBe(7)
    expect(await lines(session)).toContain(
      'No consensus of 5 traces, for which 60 % are needed: "durable queue" 1, "queue" 1, "cron" 2, none of them 1.',
    )
    expect(leadWas('reasoner')).toContain('say in the verdict that there was no consensus')
  })
})

describe('a plan (G3)', () => {
  test('[E32] where its gate is shut nobody judges it', async () => {
    await run(deep('planner', gates('G1')))
    expect((await workers()).map(({ agent }) => agent)).toEqual(['planner'])
  })
})

describe('a document (G5)', () => {
  test('[E34] sections side by side by workers who write nothing; one text, and one revision', async () => {
    stage.plays.set('scriber', ({ said, request }) => {
      if (!leads(said)) return isNaming(said) ? list('Sections', 'one', 'two') : '# Section\n\ntext'
      const isBack = (request.body.messages ?? []).some(({ role }) => role === 'tool')
      return isBack ? '# All\n\nof it' : { calls: [{ name: 'file_write', input: { path: 'doc.md', text: '# All\n' } }] }
    })
    stage.plays.set('reasoner', () => `CRITIQUE: dull\n\n${report('Verdict')}`)
    stage.approve()
    const session = await run(deep('scriber', gates('G5')))
    const all = await workers()
    expect(all.map(({ agent }) => agent)).toEqual([
      'scriber', 'scriber', 'scriber', 'scriber', 'reasoner', 'scriber', 'reasoner',
    ]) // biome-ignore format: one line reads better
    for (const { params } of all.slice(0, 3)) expect(String(params['pledge'])).not.toMatch(/fs\.write|documents\.(write|\*)/)
    expect(await lines(session)).toContain('Done: one step.')
    expect(readFileSync(join(stage.root, 'doc.md'), 'utf8')).toBe('# All\n')
  })
})

describe('forensics (G6)', () => {
  test('[E34] five causes at most are tested by who changes nothing, and one debugger decides', async () => {
    const causes = ['cache', 'clock', 'race', 'disk', 'net', 'moon']
    stage.plays.set('debugger', ({ said }) =>
      isNaming(said) && !leads(said) ? list('Hypotheses', ...causes) : (reports['debugger'] ?? ''),
    )
    const session = await run(deep('debugger', gates('G6')))
    const all = await workers()
    expect(all).toHaveLength(7)
    for (const { params } of all) expect(String(params['pledge'])).not.toMatch(/write|exec(?!\.read)|\*/)
    expect(await lines(session)).toContain('Side by side (1 to 5 of 5): cache, clock, race, disk, net.')
    expect(leadWas('debugger')).toContain('Decide which cause it is.')
    expect(await made(/root-cause-report\.md$/)).toHaveLength(6)
  })

  test('[E26, E34] killed again and again, each test is made once', async () => {
    stage.plays.set('debugger', ({ said }) =>
      isNaming(said) && !leads(said) ? list('Hypotheses', 'cache', 'clock') : (reports['debugger'] ?? ''),
    )
    stage.route = deep('debugger', gates('G6'))
    const session = await stage.session()
    await stage.bench.say(session, 'why does it fail')
    const wanted: ReadonlySet<string> = new Set(['step-done', 'delegated', 'ask-answered', 'process-created'])
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
    expect((await workers()).length).toBe(4)
    expect(await lines(session)).toContain('Done: one step.')
  })
})
