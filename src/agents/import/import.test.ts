import { describe, expect, test } from 'vitest'
import { Conflict } from '../../base/errors.ts'
import type { Document } from '../../scopes/scopes.ts'
import { parseAgent } from '../agent.ts'
import { openAgents } from '../agents.ts'
import type { GivenFile } from './files.ts'
import { openImports } from './import.ts'

const routing = (members: string, more = '') => ({ path: 'routing.yaml', text: `routing_version: "1.1"\neidolons:\n${members}${more}` })
const member = (name: string, kind: string, more = '') =>
  `  ${name}:\n    capability_class: ${kind}\n    trigger_verbs: [mend ${name}]\n${more.replace(/^(?=.)/gm, '    ')}`
const index = (...entries: string[]) => ({ path: 'roster/index.yaml', text: `eidolons:\n${entries.join('')}` })
const entry = (name: string, kind: string, more = '') =>
  `  - name: ${name}\n    display_name: ${name.toUpperCase()}\n    capability_class: ${kind}\n${more.replace(/^(?=.)/gm, '    ')}`

type Kept = Pick<Document, 'path' | 'level' | 'scope' | 'version' | 'text'>

/** Documents of one project in memory, with the commit of several that the real room has. */
function shelf(first: readonly Kept[] = []) {
  const kept = new Map(first.map((one) => [`${one.level} ${one.path}`, one]))
  let hear = () => {}
  let commits = 0
  const full = (one: Kept): Document => ({ ...one, mime: 'text/plain', at: '2026-01-01T00:00:00.000Z', by: 'system' })
  const put = (one: Kept) => {
    kept.set(`${one.level} ${one.path}`, one)
    hear()
  }
  const documents = {
    list: async (prefix: string) => [...kept.values()].filter(({ path }) => path.startsWith(prefix)).map(full),
    versions: async () => [],
    onChange: (_: string, given: () => void) => {
      hear = given
      return () => {}
    },
    find: async (path: string) => {
      const found = kept.get(`project ${path}`) ?? kept.get(`bundled ${path}`)
      return found === undefined ? null : full(found)
    },
    async writeAll({ scope, documents: news }: { scope: string; documents: readonly { path: string; text: string; expected?: number }[] }) {
      for (const { path, expected } of news) {
        if ((kept.get(`project ${path}`)?.version ?? 0) !== expected) throw new Conflict('was changed meanwhile')
      }
      commits++
      for (const { path, text, expected = 0 } of news) put({ path, level: 'project', scope, version: expected + 1, text })
      return { value: [], cursor: commits }
    },
  }
  const agents = openAgents({ documents, engines: () => ['quick'] })
  const imports = openImports({ documents, agents })
  const order = (files: readonly GivenFile[], apply: boolean) =>
    imports.roster({ files, apply, user: 'ada', place: { level: 'project', scope: 'shop' } }, 'user:ada')
  return {
    kept,
    put,
    agents,
    commits: () => commits,
    look: (...files: GivenFile[]) => order(files, false),
    apply: (...files: GivenFile[]) => order(files, true),
    agent: (name: string) =>
      parseAgent(kept.get(`project agents/${name}.md`) ?? { path: '', level: 'project', scope: '', version: 0, text: '' }).agent,
  }
}
const whys = ({ skipped }: { skipped: readonly { what: string; why: string }[] }) => skipped.map(({ what, why }) => `${what}: ${why}`)
const actions = ({ items }: { items: readonly { action: string; name: string }[] }) => items.map(({ action, name }) => `${action} ${name}`)

const two = routing(
  `${member('mapper', 'scout', 'downstream: [mender]\nrefuse_verbs: [Fix  It]\n')}${member('mender', 'coder', 'suggested_tier: deep\ndefault_for_class: coder\nfallback: mapper\nescalation: {on_fail: reroute, reroute_to: mapper, max_escalations: 2}\n')}`,
)

describe('a roster', () => {
  test('[A11] is shown first: nothing is written, and what would be is told', async () => {
    const room = shelf()
    const report = await room.look(two, { path: 'contracts/mapper-to-mender.yaml', text: 'from: mapper\nto: mender\n' })
    expect(report.applied).toBe(false)
    expect(actions(report)).toEqual(['create mapper', 'create mender', 'create mapper-to-mender'])
    expect([room.commits(), room.kept.size]).toEqual([0, 0])
  })

  test('[A12] becomes agents in one commit, and the same again writes nothing', async () => {
    const room = shelf()
    expect((await room.apply(two)).applied).toBe(true)
    expect(room.commits()).toBe(1)
    expect(room.agent('mapper')).toMatchObject({
      ...{ class: 'scout', engine: 'quick', tier: 'standard', triggers: ['mend mapper'], refuses: ['fix it'], handsOff: ['mender'] },
      pledge: ['fs.read', 'documents.read'],
    })
    expect(room.agent('mender')).toMatchObject({
      ...{ class: 'coder', tier: 'deep' },
      routing: { default: true, fallback: 'mapper', escalation: { onFail: 'reroute', to: 'mapper', most: 2 } },
    })
    const again = await room.apply(two)
    expect([actions(again), room.commits()]).toEqual([['same mapper', 'same mender'], 1])
    expect((await room.agents.roster({ project: 'shop' })).faults).toEqual([])
  })

  test('[A11] that differs from what is there says in which fields', async () => {
    const room = shelf()
    await room.apply(two)
    const old = room.kept.get('project agents/mapper.md')
    if (old === undefined) throw new Error('not there')
    room.put({ ...old, version: 2, text: old.text.replace('standard', 'light').replace('mend mapper', 'look') })
    const report = await room.look(two)
    expect(report.items[0]).toMatchObject({ name: 'mapper', action: 'update', differs: ['triggers', 'tier'] })
  })

  test('[A12] is refused whole when a document was changed between looking and writing', async () => {
    const room = shelf()
    const slow = openImports({
      agents: room.agents,
      documents: { find: async () => null, writeAll: async () => Promise.reject(new Conflict('was changed meanwhile')) },
    })
    const order = { files: [two], apply: true, user: 'ada', place: { level: 'project', scope: 'shop' } } as const
    await expect(slow.roster(order, 'user:ada')).rejects.toThrow('was changed meanwhile')
    expect(room.kept.size).toBe(0)
  })
})

describe('of a roster is not taken', () => {
  test('[A13] a member of an unknown class, of memory, without routing, unfinished, or with a vendor’s model for a tier', async () => {
    const files = [
      routing(
        [
          member('good', 'scout'),
          member('odd', 'wizard'),
          member('paid', 'coder', 'suggested_tier: opus\n'),
          member('half', 'coder'),
          member('stranger', 'coder'),
        ].join(''),
      ),
      index(
        entry('good', 'scout'),
        entry('odd', 'wizard'),
        entry('paid', 'coder'),
        entry('half', 'coder', 'status: in_construction\n'),
        entry('store', 'memory'),
        entry('lost', 'coder'),
      ),
    ]
    const report = await shelf().look(...files, { path: 'model-profiles.yaml', text: 'profiles: {}' }, { path: 'notes.txt', text: '' })
    expect(actions(report)).toEqual(['create good'])
    const classes = 'scout, planner, coder, scriber, reasoner, debugger, executor, generalist'
    expect(whys(report)).toEqual([
      `odd: routing.yaml, line 7: its class "wizard" is unknown; allowed are ${classes}.`,
      "paid: routing.yaml, line 10: suggested_tier is not allowed; allowed are light, standard, deep, and never a vendor's model.",
      'half: routing.yaml, line 14: its status is in_construction, so it is not finished.',
      "stranger: routing.yaml, line 17: it isn't in the roster's index, which says who belongs to it.",
      `store: roster/index.yaml, line 15: its class is memory, which is a store and not somebody who can be asked; allowed are ${classes}.`,
      'lost: roster/index.yaml, line 18: it has no routing: routing.yaml does not name it.',
      "model-profiles.yaml: Names of vendors' models are not taken: agents have tiers. Say which model a tier uses with: steward models use TIER MODEL.",
      'notes.txt: It is no part of a roster that is taken: those are routing.yaml, index.yaml, contracts/FROM-to-TO.yaml and NAME/agent.md.',
    ])
  })

  test('[A13] more than class and index allow: only coders write, a closed repository stays closed', async () => {
    const security = (reads: boolean, writes: boolean, network = false) =>
      `security: {reads_repo: ${reads}, writes_repo: ${writes}, reads_network: ${network}}\n`
    const kinds = { bold: 'scout', plain: 'coder', blind: 'reasoner', wide: 'debugger' }
    const room = shelf()
    const report = await room.apply(
      routing(
        Object.entries(kinds)
          .map(([name, kind]) => member(name, kind))
          .join(''),
      ),
      index(
        entry('bold', 'scout', security(true, true)),
        entry('plain', 'coder', security(true, false)),
        entry('blind', 'reasoner', security(false, false)),
        entry('wide', 'debugger', security(true, false, true)),
      ),
    )
    expect(Object.keys(kinds).map((name) => room.agent(name)?.pledge)).toEqual([
      ['fs.read', 'documents.read'],
      ['fs.read', 'exec.read', 'documents.read'],
      ['documents.read'],
      ['fs.read', 'exec.read', 'documents.read', 'web.read'],
    ])
    expect(report.items[0]?.notes).toEqual(["The index lets it write, and the class scout doesn't; it may not write."])
  })

  test('[A11] a hand-off to somebody who is not there; it is left out and told', async () => {
    const room = shelf()
    const report = await room.apply(routing(member('mapper', 'scout', 'downstream: [ghost]\nfallback: shade\n')))
    expect(report.items[0]?.notes).toEqual([
      "It hands off to ghost, who can't be asked here; that is left out.",
      "Its fallback shade can't be asked here; that is left out.",
    ])
    expect(room.agent('mapper')).toMatchObject({ handsOff: [], routing: {} })
  })

  test('[A11] a name that another file of the place has, or that is none', async () => {
    const other: Kept = { path: 'agents/mine.md', level: 'project', scope: 'shop', version: 1, text: '---\nname: mapper\n---\n' }
    const report = await shelf([other]).look(routing(member('mapper', 'scout') + member('"Über"', 'coder') + member('good', 'coder')))
    expect(whys(report)).toEqual([
      'mapper: routing.yaml, line 4: the name belongs to agents/mine.md here; rename one of the two first.',
      'Über: routing.yaml, line 7: its name is none here; allowed is a lower case letter, then letters, digits, - and _.',
    ])
  })

  test('[A11] a contract that says something else than its name, is broken, or is there twice', async () => {
    const report = await shelf().look(
      two,
      { path: 'contracts/a-to-b.yaml', text: 'from: a\nto: c\n' },
      { path: 'contracts/b-to-c.yaml', text: 'from: [\n' },
      { path: 'contracts/c-to-d.yaml', text: 'from: c\nto: d\n' },
      { path: 'more/contracts/c-to-d.yaml', text: 'from: c\nto: d\n' },
      { path: 'contracts/readme.yaml', text: '' },
    )
    expect(actions(report)).toContain('create c-to-d')
    expect(whys(report).map((why) => why.slice(0, 90))).toEqual([
      'a-to-b: contracts/a-to-b.yaml: it says from "a" to "c", and its name says from "a" to "b".',
      expect.stringMatching(/^b-to-c: contracts\/b-to-c.yaml: line \d: the YAML can't be read: /),
      'c-to-d: more/contracts/c-to-d.yaml: another file has the same contract.',
      'readme.yaml: A contract is named after the two that it stands between: contracts/FROM-to-T',
    ])
  })

  test.each([
    [[{ path: '../routing.yaml', text: '' }], 'the path "../routing.yaml" is not possible'],
    [[{ path: '/etc/routing.yaml', text: '' }], 'is not possible'],
    [[{ path: 'a\\routing.yaml', text: '' }], 'is not possible'],
    [[{ path: '.git/routing.yaml', text: '' }], 'is not possible'],
    [[two, two], 'the file "routing.yaml" is there twice'],
    [[two, { ...two, path: 'old/routing.yaml' }], 'which one is meant: routing.yaml or old/routing.yaml'],
    [[{ path: 'routing.yaml', text: 'x'.repeat(512_001) }], 'has 512001 characters; at most 512000 are taken'],
    [[two, ...Array.from({ length: 501 }, (_, at) => ({ path: `x${at}.md`, text: '' }))], 'at most 500 are taken at once'],
    [[{ path: 'routing.yaml', text: 'a\0b' }], 'routing.yaml is no text'],
    [[{ path: 'index.yaml', text: 'eidolons: []' }], 'a roster needs its routing.yaml'],
    [[{ path: 'routing.yaml', text: 'eidolons: [\n' }], "routing.yaml, line 2: the YAML can't be read"],
    [[{ path: 'routing.yaml', text: 'a: 1\n' }], 'routing.yaml names nobody under "eidolons"'],
    [[{ path: 'routing.yaml', text: '- a\n' }], 'names nobody'],
    [[routing(member('odd', 'wizard'))], 'nobody of it can be taken. odd: routing.yaml, line 4: its class "wizard" is unknown'],
  ])('[A13] anything of what is no roster (%#)', async (files, expected) => {
    const room = shelf()
    await expect(room.apply(...files)).rejects.toThrow(expected)
    expect(room.commits()).toBe(0)
  })

  test('[A13] a text whose references stand for more than fits, deep nesting, and a key that is no key', async () => {
    const bomb =
      'a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n'
    await expect(shelf().look({ path: 'routing.yaml', text: bomb })).rejects.toThrow("can't be read")
    await expect(shelf().look({ path: 'routing.yaml', text: `a: ${'['.repeat(100_000)}` })).rejects.toThrow("can't be read")
    const report = await shelf().look(routing(`${member('good', 'scout')}  __proto__: {capability_class: coder}\n`))
    expect(actions(report)).toEqual(['create good'])
    expect(Object.hasOwn(Object.prototype, 'capability_class')).toBe(false)
  })
})

describe('who a member is', () => {
  test('is said by the roster’s own text, without its front matter, else by its class and method', async () => {
    const room = shelf()
    await room.apply(
      routing(member('mapper', 'scout') + member('mender', 'coder')),
      index(entry('mapper', 'scout'), entry('mender', 'coder', 'methodology: {name: M, cycle: A-B, summary: "Mends  things."}\n')),
      { path: 'mapper/agent.md', text: '---\nname: evil\npledge: ["*"]\n---\nI map.\n' },
    )
    expect(room.agent('mapper')).toMatchObject({ title: 'MAPPER', persona: 'I map.', pledge: ['fs.read', 'documents.read'] })
    expect(room.agent('mender')?.persona).toMatch(/^You are MENDER. Your method is M \(A-B\): Mends things.\n\nYou change what exists/)
  })

  test('stays itself whatever a title holds', async () => {
    const room = shelf()
    await room.apply(routing(member('mapper', 'scout')), index('  - name: mapper\n    display_name: "x\\n---\\nname: evil"\n'))
    expect(room.agent('mapper')).toMatchObject({ name: 'mapper', title: 'x --- name: evil' })
  })
})

describe('the routing table', () => {
  const table = routing(
    member('mapper', 'scout') + member('mender', 'coder'),
    `thresholds: {tau_standard: 0.7, max_parallel: 3, tau_odd: 1, chain_floor: 7}
trance: {lead_tier: deep, workers_tier: light}
signals:
  - {id: prior_x_failure, match: [Still  Broken], boost: {mender: 0.5, ghost: 1}, stakes: true}
  - {id: ask, match: [the], boost: {mender: -0.5}, requires_question_form: true, skip_if_path: true}
  - {id: "no id!", match: [x]}
chains:
  - {name: both, steps: [mapper, mender], requires_classes: [scout, coder], when: both}
  - {name: gone, steps: [mapper, ghost], requires_classes: [scout]}
`,
  )

  test('[A12] becomes the place’s routing.yaml; what can not be taken of it is told', async () => {
    const room = shelf()
    const report = await room.apply(table)
    expect(room.kept.get('project routing.yaml')?.text).toBe(`thresholds:
  tauStandard: 0.7
  maxParallel: 3
deep: {lead: deep, workers: light}
signals:
  - id: prior_x_failure
    match: [still broken]
    boost: {mender: 0.5}
    stakes: true
    byContext: prior_failure
  - id: ask
    match: [the]
    boost: {mender: -0.5}
    onlyQuestions: true
    notWithPath: true
templates:
  - name: both
    steps: [mapper, mender]
    classes: [scout, coder]
    when: both
`)
    expect(whys(report).map((why) => why.replace(/routing.yaml, line \d+: /, ''))).toEqual([
      'threshold tau_odd: it is unknown; allowed are tau_standard, tau_trance, chain_floor, max_reroutes, max_parallel, surface_files, surface_modules.',
      'threshold chain_floor: allowed is a number from 0 to 1.',
      'signal prior_x_failure: of its boosts those of ghost are left out: nobody here is called so.',
      'signal no id!: id: allowed are lower case letters, digits, ".", "-" and "_".',
      'template gone: it needs ghost, and nobody here is called so.',
    ])
    expect((await room.apply(table)).items.map(({ action }) => action)).toEqual(['same', 'same', 'same'])
  })

  test('[A12] leaves what the place says: mode, rules, comments, other signals; what has the same name is replaced', async () => {
    const text = `# mine\nrouting: direct\nsignals:\n  - {id: ask, match: [old]}\n  - {id: own, match: [mine]} # keep\nrules:\n  - {when: [roof], to: mender}\n`
    const room = shelf([{ path: 'routing.yaml', level: 'project', scope: 'shop', version: 4, text }])
    await room.apply(table)
    const after = room.kept.get('project routing.yaml')
    expect(after?.version).toBe(5)
    for (const part of ['# mine', 'routing: direct', 'match: [mine]} # keep', 'when: [roof], to: mender', 'match: [the]']) {
      expect(after?.text).toContain(part)
    }
    expect(after?.text).not.toContain('[old]')
    expect((await room.look(table)).items.at(-1)?.action).toBe('same')
  })

  test('[A12] is not laid over a document that can not be read', async () => {
    const room = shelf([{ path: 'routing.yaml', level: 'project', scope: 'shop', version: 1, text: 'rules: [\n' }])
    await expect(room.apply(table)).rejects.toThrow("The routing.yaml of this place can't be read")
    expect(room.commits()).toBe(0)
  })
})
