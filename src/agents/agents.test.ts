import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProcessId } from '../base/ids.ts'
import { packageRoot } from '../base/root.ts'
import type { Document } from '../scopes/scopes.ts'
import { type AgentFile, parseAgent, toolLayersOf } from './agent.ts'
import { openAgents } from './agents.ts'
import { buildRoster } from './roster.ts'

const file = (text: string, given: Partial<AgentFile> = {}): AgentFile => ({
  path: 'agents/scout.md',
  level: 'project',
  scope: 'site',
  version: 1,
  text,
  ...given,
})
const agent = (name: string, more = '', given: Partial<AgentFile> = {}) =>
  file(`---\nname: ${name}\n${more}---\nI am ${name}.\n`, { path: `agents/${name}.md`, ...given })
const messages = (text: string) => parseAgent(file(text)).faults.map((fault) => fault.message)

describe('a file', () => {
  test('with only a name gets the defaults, and its text is the persona', () => {
    const { agent, faults } = parseAgent(file('---\nname: Scout\n---\n\nYou map.\n\n---\nstill persona\n'))
    expect(faults).toEqual([])
    expect(agent).toMatchObject({
      name: 'scout',
      title: 'scout',
      engine: 'quick',
      tier: 'standard',
      pledge: null,
      unveil: ['./'],
      tools: { add: [], remove: [], defer: [] },
      persona: 'You map.\n\n---\nstill persona',
    })
    expect(agent?.source.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('with every field, Windows line ends and a byte order mark', () => {
    const text = `\ufeff---\r\nname: scout\r\naliases: [atlas]\r\ntier: deep\r\ntools: {add: [a], remove: ["@write"]}\r\nparams: {maxIterations: 3}\r\n---\r\nHello\r\n`
    const { agent, faults } = parseAgent(file(text))
    expect(faults).toEqual([])
    expect(agent).toMatchObject({
      tier: 'deep',
      tools: { add: ['a'], remove: ['@write'], defer: [] },
      params: { maxIterations: 3 },
      persona: 'Hello',
    })
  })

  test('what it says of its tools for a client stands before what it says for all', () => {
    const { agent } = parseAgent(
      file('---\nname: a\ntools: {remove: [x], keep: ["doc_*"]}\nprofiles: {foot: {tools: {dropFirst: [web_a]}}, mobile: {}}\n---\n'),
    )
    if (agent === null) throw new Error('no agent')
    const all = { add: [], remove: ['x'], defer: [], keep: ['doc_*'] }
    expect(toolLayersOf(agent, 'terminal')).toEqual([{ dropFirst: ['web_a'] }, all])
    for (const client of ['mobile', 'web', null]) expect(toolLayersOf(agent, client)).toEqual([all])
  })

  test.each([
    ['---\nname: scout\nclass: x\ntier: mega\n---\n', 'agents/scout.md:4 (project site): tier: is "mega"; allowed: light, standard, deep.'],
    ['---\ntitle: Scout\n---\n', 'agents/scout.md:2 (project site): name: is missing.'],
    [
      '---\nname: scout\n\naliases: atlas\n---\n',
      'agents/scout.md:4 (project site): aliases: is "atlas"; allowed is a list, as in [a, b].',
    ],
    ['---\nname: scout\ntriggers:\n  - map\n  - 7\n---\n', 'agents/scout.md:5 (project site): triggers.1: is 7; allowed is a text.'],
    ['---\nname: sc out\n---\n', 'agents/scout.md:2 (project site): name: is "sc out"; allowed is a letter, then letters, digits, - and _'],
    [
      '---\nname: a\ntools: {ad: [x]}\n---\n',
      'agents/scout.md:3 (project site): tools: has the unknown "ad"; allowed: add, remove, defer, keep, dropFirst.',
    ],
    [
      '---\nname: a\nprofiles:\n  web:\n    session: {onDisconnect: NEVER}\n---\n',
      'agents/scout.md:5 (project site): profiles.web.session.onDisconnect: is "NEVER"; allowed: SUSPEND, KEEP_OPEN, CLOSE.',
    ],
    [
      '---\nname: a\nprofiles: {web: {session: {onidle: NONE}}}\n---\n',
      'profiles.web.session: has the unknown "onidle"; allowed: onDisconnect, onIdle, onSuspend, idleTimeoutMs, suspendKeepDurationMs.',
    ],
    ['---\nname: a\nprofiles: {web: {session: {idleTimeoutMs: 5}}}\n---\n', 'idleTimeoutMs: is 5; allowed is a whole number'],
    ['---\nname: a\nname: b\n---\n', "agents/scout.md:3 (project site): the YAML can't be read"],
    ['---\nname: a\ntriggers: [x\n---\n', "the YAML can't be read"],
    ['---\nname: a\n', 'agents/scout.md:1 (project site): the front matter has no end'],
    ['# Scout\n', 'agents/scout.md:1 (project site): the file does not start with front matter'],
    ['---\n- a\n---\n', 'the front matter is not a list of "key: value"'],
    ['', 'the file does not start with front matter'],
    ['---\n---\n', 'the front matter is not'],
    [`---\nname: ${'x'.repeat(300_000)}\n---\n`, 'longer than 256000 characters'],
  ])('[A1] %j is named with its line', (text, expected) => {
    expect(parseAgent(file(text)).agent).toBeNull()
    expect(messages(text).join('\n')).toContain(expected)
  })

  test('[A1] an unknown field is a warning with its line; the agent can be used', () => {
    const parsed = parseAgent(file('---\nname: scout\n\nhands_off: [x]\n---\n'))
    expect(parsed.agent?.name).toBe('scout')
    expect(parsed.faults).toMatchObject([{ severity: 'warning', line: 4, field: 'hands_off' }])
    expect(parsed.faults[0]?.message).toContain('allowed are name, aliases')
  })

  test('an alias bomb and a key named __proto__ do no harm', () => {
    const bomb = `---\nname: a\nparams:\n  a: &a [1,1,1,1,1,1,1,1,1,1]\n  b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n  c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n  d: [*c,*c,*c,*c,*c,*c,*c,*c]\n---\n`
    expect(messages(bomb)[0]).toContain("can't be read")
    parseAgent(file('---\nname: a\nparams: {__proto__: {polluted: true}}\n---\n'))
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

const bundledNames = [
  ...['apivr', 'assistant', 'chain', 'coder', 'concierge', 'debugger', 'executor', 'generalist', 'hub'],
  ...['planner', 'quick', 'reasoner', 'scout', 'scriber', 'spectra'],
]

describe('a roster', () => {
  test('[A2] a broken file is named and takes no other down', () => {
    const roster = buildRoster([agent('ada'), file('---\nname: [\n---\n'), agent('bob', 'aliases: [rob]\n')], ['quick'])
    expect(roster.agents.map((one) => one.name)).toEqual(['ada', 'bob'])
    expect(roster.faults).toHaveLength(1)
    expect([roster.find('@ROB')?.name, roster.find('nobody')]).toEqual(['bob', null])
  })

  test('[A3] the inner level wins, whatever the path', () => {
    const roster = buildRoster(
      [
        agent('ada', 'title: Outer\n', { level: 'bundled', scope: 'bundled' }),
        agent('ada', 'title: Inner\n', { path: 'agents/mine.md', level: 'home', scope: '_user_ada' }),
      ],
      ['quick'],
    )
    expect(roster.agents.map((one) => one.title)).toEqual(['Inner'])
    expect(roster.faults).toEqual([])
  })

  test('[A3] a name or alias given twice on one level is named; the first file keeps it', () => {
    const roster = buildRoster(
      [agent('ada', 'aliases: [x]\n'), agent('ada', 'title: Two\n', { path: 'agents/b.md' }), agent('cy', 'aliases: [x, ada]\n')],
      ['quick'],
    )
    expect(roster.find('ada')?.title).toBe('ada')
    expect(roster.find('x')?.name).toBe('ada')
    expect(roster.faults.map((fault) => [fault.severity, fault.path, fault.message.split(': ').slice(1).join(': ')])).toEqual([
      ['error', 'agents/b.md', 'name: "ada" already belongs to "ada" in agents/ada.md; choose another.'],
      ['warning', 'agents/cy.md', 'aliases: "x" already belongs to "ada" in agents/ada.md; choose another.'],
      ['warning', 'agents/cy.md', 'aliases: "ada" already belongs to "ada" in agents/ada.md; choose another.'],
    ])
  })

  test('[A4] an agent whose engine is not there is left out and named', () => {
    const roster = buildRoster([agent('ada', 'engine: chat\n')], ['quick', 'external'])
    expect(roster.agents).toEqual([])
    expect(roster.faults[0]?.message).toContain('engine: is "chat"; allowed: external, quick')
  })

  test('[A4] every bundled agent is on the roster, without a fault', () => {
    const folder = join(packageRoot, 'bundled/agents')
    const files = readdirSync(folder).map((name) =>
      file(readFileSync(join(folder, name), 'utf8'), { path: `agents/${name}`, level: 'bundled', scope: 'bundled' }),
    )
    const roster = buildRoster(files, ['quick', 'chat', 'hub', 'chain', 'pipeline'])
    expect(roster.faults).toEqual([])
    expect(roster.agents.map((one) => one.name)).toEqual(bundledNames)
    expect(['ford', 'arthur', 'eddie'].map((alias) => roster.find(alias)?.name)).toEqual(['quick', 'assistant', 'hub'])
    for (const one of roster.agents) if (one.engine !== 'pipeline') expect(one.persona.length).toBeGreaterThan(500)
  })
})

describe('open agents', () => {
  /** Documents that a test changes by hand. */
  function shelf(files: readonly AgentFile[]) {
    let hears: () => void = () => {}
    let reads = 0
    const versions = new Map<string, AgentFile[]>()
    const room = {
      files,
      get reads() {
        return reads
      },
      put(changed: readonly AgentFile[]) {
        for (const one of room.files) versions.set(one.path, [...(versions.get(one.path) ?? []), one])
        room.files = changed
        hears()
      },
      documents: {
        list: async () => {
          reads++
          return room.files.map(document)
        },
        versions: async (path: string) => [...(versions.get(path) ?? []), ...room.files.filter((one) => one.path === path)].map(document),
        onChange: (_: string, hear: () => void) => {
          hears = hear
          return () => {}
        },
      },
    }
    return room
  }
  const document = (one: AgentFile): Document => ({
    ...one,
    level: one.level === 'project' ? 'project' : 'bundled',
    mime: 'text/markdown',
    at: '2026-01-01T00:00:00.000Z',
    by: 'system',
  })
  const scope = { project: 'site', user: 'ada' }

  test('[A5] are read once, and again when a document changed', async () => {
    const room = shelf([agent('ada')])
    const agents = openAgents({ documents: room.documents, engines: () => ['quick'] })
    await Promise.all([agents.roster(scope), agents.find('ada', scope)])
    expect(room.reads).toBe(1)
    room.put([agent('bob')])
    expect(await agents.find('ada', scope)).toBeNull()
    expect((await agents.find('bob', scope))?.name).toBe('bob')
    expect(room.reads).toBe(2)
  })

  test('[A5] are parsed once for all processes that see the same files, and anew for another text', async () => {
    const room = shelf([agent('ada', 'title: Old\n')])
    const agents = openAgents({ documents: room.documents, engines: () => ['quick'] })
    const of = (process: ProcessId) => agents.roster({ process, project: 'site' })
    const [one, other] = ['prc_01', 'prc_02'] as ProcessId[]
    if (one === undefined || other === undefined) throw new Error('two are needed')
    expect(await of(other)).toBe(await of(one))
    room.put([agent('ada', 'title: New\n')])
    expect((await of(other)).find('ada')?.title).toBe('New')
    expect(await of(other)).toBe(await of(one))
  })

  test('[A5] the text that a turn started with is found by its hash, also by another node', async () => {
    const room = shelf([agent('ada', 'title: Old\n')])
    const agents = openAgents({ documents: room.documents, engines: () => ['quick'] })
    const old = await agents.find('ada', scope)
    room.put([agent('ada', 'title: New\n')])
    const elsewhere = openAgents({ documents: room.documents, engines: () => ['quick'] })
    for (const one of [agents, elsewhere]) expect(old && (await one.at(old.source))?.title).toBe('Old')
  })

  test('[A1] a fault is told once, however many scopes see the file', async () => {
    const room = shelf([agent('quick'), file('no front matter')])
    const told: string[] = []
    const agents = openAgents({ documents: room.documents, engines: () => ['quick'], log: (_, what) => told.push(what) })
    for (const project of ['a', 'b', 'c']) await agents.roster({ project })
    expect(told).toEqual([expect.stringContaining('agents/scout.md:1')])
  })

  test('[P8] say what becomes of a session that a client of a profile leaves', async () => {
    const text = 'profiles: {mobile: {session: {onDisconnect: SUSPEND}}, foot: {session: {onIdle: NONE}}, eddie: {voice: true}}\n'
    const agents = openAgents({ documents: shelf([agent('quick', text)]).documents, engines: () => ['quick'] })
    const of = async (profile?: string) => (await agents.engineOf('quick', scope, profile))?.policies
    expect([await of('mobile'), await of('terminal'), await of('eddie'), await of('constructor'), await of()]).toEqual([
      { onDisconnect: 'SUSPEND' },
      { onIdle: 'NONE' },
      {},
      {},
      {},
    ])
  })

  test('give each scope its default, and null for who is not there', async () => {
    const room = shelf([agent('quick'), agent('assistant', 'params: {a: 1}\n')])
    const agents = openAgents({ documents: room.documents, engines: () => ['quick'] })
    expect((await agents.engineOf(undefined, { project: '_user_ada' }))?.agent).toBe('quick')
    expect(await agents.engineOf(undefined, { project: 'site' })).toEqual({
      agent: 'assistant',
      engine: 'quick',
      params: { a: 1 },
      policies: {},
    })
    expect((await agents.engineOf('@Quick', scope))?.agent).toBe('quick')
    expect(await agents.engineOf('zoe', scope)).toBeNull()
  })
})
